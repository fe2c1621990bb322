"""What figures come to with one step or two, as sorted values; whether a figure is among them, and how likely that is by chance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import log10

import numpy as np
from drr.eval.stats.intervals import Floats
from numpy.typing import NDArray

_MOST = 26
"""Values that are put together."""
_SEVERAL = 12
"""Of one thing that somebody buys; and values of which three or four are put together."""
_LARGEST = 20_000.0
_WINDOW = 1.5
_SURE = 3.0
_DOLLARS = 5.0
Pool = Floats
"""Sorted, each value once."""


def pool(*parts: Iterable[float] | Floats) -> Pool:
    some = [np.asarray(part if isinstance(part, np.ndarray) else list(part), float).ravel() for part in parts]
    every = np.concatenate(some) if some else np.zeros(0)
    return _once(np.round(every[np.isfinite(every) & (every > 0)], 5))


def _once(some: Floats) -> Floats:
    """Each value once, in order: as `np.unique`, without what that is ready for besides."""
    some.sort()
    new = np.empty(len(some), bool)
    new[:1] = True
    np.not_equal(some[1:], some[:-1], out=new[1:])
    return some[new]


def _few(some: Iterable[float], most: int = _MOST) -> Floats:
    return np.asarray(list(dict.fromkeys(one for one in some if one > 0))[:most], float)


def _pairs(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    return one.repeat(len(other)), other[None].repeat(len(one), 0).ravel()


def _two(some: Floats) -> tuple[Floats, Floats]:
    one, other = _places_of_two(len(some))
    return some[one], some[other]


@lru_cache(maxsize=128)
def _places_of_two(count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    one, other = np.triu_indices(count, 1)
    return one, other


def money_in_one(money: Sequence[float], counts: Sequence[float]) -> Pool:
    m, c = _few(money), _few(one for one in counts if 1 < one <= _LARGEST)
    a, b = _two(m)
    x, k = _pairs(m, c)
    return pool(m, a + b, np.abs(a - b), x[k <= 400] * k[k <= 400], x / k)


def money_in_two(money: Sequence[float], counts: Sequence[float], shares: Sequence[float]) -> Pool:
    m, c = _few(money), _few(one for one in counts if 1 < one <= _LARGEST)
    few, some = m[:_SEVERAL], c[:_SEVERAL]
    bought = some[some <= _SEVERAL]
    a, b = _two(few)
    pair, third = _pairs(a + b, few)
    gap, times = _pairs(np.abs(a - b), some)
    x, k = _pairs(few, bought)
    y, multiple = _pairs(few, x * k)
    one, of = _pairs(few, _product(some))
    each = (
        np.unique(np.round((few[:, None] / some[None, :]).ravel(), 5)) if len(few) and len(some) else few[:0]
    )
    u, v = _two(each[:60])
    s, share = _pairs(m, _few(shares) / 100)
    four = _sums(few)
    left, cost = _pairs(few, four)
    return pool(
        pair + third, np.abs(pair - third), gap * times, gap / times, np.abs(y - multiple), y + multiple, one / of,
        np.abs(u - v), s * share, s * (1 - share), s * (1 + share), four, np.abs(left - cost),
    )  # fmt: skip


def _product(some: Floats) -> Floats:
    a, b = _two(some)
    return a * b


def _sums(few: Floats) -> Floats:
    """Of any of the first values together."""
    found = np.zeros(1)
    for one in few[:8]:
        found = np.concatenate([found, found + one])
    return found[1:]


def quotients(money: Sequence[float], counts: Sequence[float]) -> Pool:
    """So much each."""
    m, c = _few(money, _SEVERAL), _few(one for one in counts if 1 < one <= _LARGEST)
    x, k = _pairs(m, c)
    return pool(x / k)


def differences(money: Sequence[float]) -> Pool:
    m = _few(money, _SEVERAL)
    a, b = _two(m)
    pair, third = _pairs(a + b, m)
    return pool(np.abs(a - b), np.abs(pair - third)[np.abs(pair - third) > 0])


def totals(money: Sequence[float], counts: Sequence[float]) -> Pool:
    m, c = _few(money, _SEVERAL), _few(one for one in counts if 1 < one <= _SEVERAL)
    x, k = _pairs(m, c)
    return pool(_sums(m), x * k, m)


def plain_in_one(plain: Sequence[float]) -> Pool:
    x = _few(plain)
    a, b = _two(x)
    big, small = np.maximum(a, b), np.minimum(a, b)
    return pool(x, a + b, big - small, (a * b)[small > 1], big / small, x * x, 2 * x)


def gaps(*groups: Sequence[float]) -> Pool:
    """The values of each group, what two of it come to, and by what they differ."""
    found = []
    for group in groups:
        x = _few(group, 40)
        a, b = _two(x)
        found += [x, a + b, np.abs(a - b)]
    return pool(*found)


def swapped(totals: Sequence[float], prices: Sequence[float], limits: Sequence[float]) -> Pool:
    """What an amount comes to where one price stands for another or goes, and how far that is from a limit."""
    t, p = _few(totals, _SEVERAL), _few(prices)
    a, b = _pairs(p, p)
    total, step = _pairs(t, np.unique(np.round(np.concatenate([b - a, -p, p]), 5)))
    changed = total + step
    over, limit = _pairs(changed, _few(limits, 6))
    return pool(changed, np.abs(over - limit))


def across(money: Sequence[float], plain: Sequence[float]) -> Pool:
    """So many of a thing for a dollar, and a cost in cents."""
    m, x = _few(money, 16), _few(plain, 40)
    a, b = _pairs(m, x)
    return pool(b / a, 100 * a / b, 100 * m)


def plain_in_two(plain: Sequence[float]) -> Pool:
    x = _few(plain, _SEVERAL)
    a, b = _two(x)
    pair, third = _pairs(a + b, x)
    return pool(pair + third, np.abs(pair - third), _sums(x))


def parts(*groups: Sequence[float]) -> Pool:
    """How many times one is of another of its group, as ratios."""
    found = []
    for group in groups:
        a, b = _two(_few(group, 40))
        big, small = np.maximum(a, b), np.minimum(a, b)
        found += [big / small]
    return pool(*found)


def shares(*groups: Sequence[float]) -> Pool:
    """In percent: a part of another, what is missing, what is more."""
    r = parts(*groups)
    return pool(100 / r, 100 - 100 / r, 100 * (r - 1), 100 * r, 100 / (1 + r), 100 * r / (1 + r))


def chance(values: Pool, value: float, slack: float, *, money: bool, top: float | None = None) -> float:
    """Of how many figures like this one a value is among these."""
    low, high = value / _WINDOW, value * _WINDOW
    if top is not None:
        high = min(high, top)
    slack = max(slack, 1e-4)
    width = max(high - low, 2 * slack)
    close = values[values.searchsorted(low) : values.searchsorted(high, "right")]
    found = len(close) * 2 * slack / width
    if money and value >= _DOLLARS and slack < 0.01:  # who errs in dollars keeps the cents
        alike = np.abs((close - value + 0.5) % 1 - 0.5) <= slack + 1e-6
        found = max(found, float(np.count_nonzero(alike)) / width)
    return min(1.0, found)


def holds(values: Pool, low: float, high: float) -> bool:
    at = values.searchsorted(low - 1e-6)
    return bool(at < len(values) and values[at] <= high + 1e-6)


def held(values: Pool, some: Floats, slack: float) -> Floats:
    """Those of some figures that `holds` finds among the values."""
    at = values.searchsorted(some - slack - 1e-6)
    inside = at < len(values)
    return some[inside][values[at[inside]] <= some[inside] + slack + 1e-6]


def chances(values: Pool, some: Floats, slack: float) -> float:
    """Of how many figures like these one is among these values: `chance` of each that is no amount, together."""
    low, high = some / _WINDOW, some * _WINDOW
    slack = max(slack, 1e-4)
    close = values.searchsorted(high, "right") - values.searchsorted(low)
    each: list[float] = np.minimum(1.0, close * 2 * slack / np.maximum(high - low, 2 * slack)).tolist()
    return sum(each)


def strength(likely: float) -> float:
    """From 0, where it is certain by chance, to 1."""
    return float(np.sqrt(min(1.0, max(0.0, -log10(max(likely, 1e-9))) / _SURE)))
