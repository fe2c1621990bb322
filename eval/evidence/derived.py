"""Figures that follow from others: sums, rests, products, shares, ratios and spans of time, of figures that stand close together.

Of many figures something always comes to anything: what is combined must be of kinds that go together, and stand where the text
speaks of what is claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

from drr.eval.evidence.likewise import holds
from drr.wording.amounts import Amount

_MOST = 12
"""Figures that are combined."""
_COUNTS = 4
"""Counts of which two may be multiplied: two dogs for five nights."""
_DAY, _YEAR = 86_400.0, 31_557_600.0
_ADDED = frozenset(("year", "day", "clock"))
"""Points in time: a span is added to them, and lies between two of them."""


def follows(claimed: Amount, stated: Sequence[Amount]) -> bool:
    """Whether the figure is what some of the stated ones come to."""
    return any(holds(claimed, result) for result in _results(claimed, _distinct(stated)))


def is_rest(claimed: Amount, stated: Sequence[Amount]) -> bool:
    """Whether it is what is left of one figure without another: what is said of the one is denied of the rest."""
    if claimed.kind not in (None, "share"):
        return False
    whole = [Amount(100, "share", 100, 0, "", 0, 0, "")] if claimed.kind == "share" else _distinct(stated)
    return any(
        a.kind == b.kind == claimed.kind
        and a.base > b.base
        and holds(claimed, _made(claimed, a.base - b.base))
        for a in whole
        for b in _distinct(stated)
    )


def is_between(claimed: Amount, stated: Sequence[Amount]) -> bool:
    """Whether it is what two figures of one sentence are apart, or come to together."""
    own = _distinct([one for one in stated if one.kind == claimed.kind and not one.loose])
    return any(
        holds(claimed, _made(claimed, result))
        for a, b in combinations(own, 2)
        for result in (a.base + b.base, abs(a.base - b.base))
    )


def _distinct(stated: Sequence[Amount]) -> list[Amount]:
    """The first of each value."""
    return list({(one.kind, one.base): one for one in reversed(stated)}.values())[::-1][:_MOST]


def _made(like: Amount, base: float, *, rounded: bool = False) -> Amount:
    """A figure of the same kind and unit, worked out; what was divided may have been rounded."""
    factor = like.base / like.value if like.value else 1.0
    decimals = like.decimals + 4 if rounded else like.decimals
    return like._replace(value=base / factor, base=base, decimals=decimals, bound="")


def _results(claimed: Amount, stated: Sequence[Amount]) -> Iterator[Amount]:
    own = [one for one in stated if one.kind == claimed.kind]
    if claimed.kind in _ADDED:
        yield from _moments(claimed, own, stated)
        return
    if claimed.kind == "time":
        yield from _spans(claimed, stated)
    if claimed.kind in ("share", "times"):
        yield from _ratios(claimed, stated)
    yield from _sums(claimed, own)
    yield from _multiples(claimed, own, stated)


def _sums(claimed: Amount, own: Sequence[Amount]) -> Iterator[Amount]:
    for size in (2, 3):
        for group in combinations(own, size):
            total = sum(one.base for one in group)
            yield _made(claimed, total)
            for first in group:  # one without the others
                yield _made(claimed, 2 * first.base - total)
    if len(own) > 3:
        yield _made(claimed, sum(one.base for one in own))
    if claimed.kind == "share":
        for one in own:
            yield _made(claimed, 100 - one.base)


def _multiples(claimed: Amount, own: Sequence[Amount], stated: Sequence[Amount]) -> Iterator[Amount]:
    parts = [one for one in stated if one.kind == "share" and one.value < 100]
    counts = [one for one in stated if one.kind in (None, "times", "time") and 0 < one.value <= 1000]
    for one in own:
        for part in parts if claimed.kind != "share" else ():
            yield _made(claimed, one.base * part.value / 100, rounded=True)
            yield _made(claimed, one.base * (100 - part.value) / 100, rounded=True)
            if part.value:
                yield _made(claimed, one.base / part.value * 100, rounded=True)
            yield _made(claimed, one.base * (100 + part.value) / 100, rounded=True)
        for count in counts:
            if count is not one:
                yield _made(claimed, one.base * count.value)
                yield _made(claimed, one.base / count.value, rounded=True)
        for first, second in combinations(counts[:_COUNTS], 2):
            yield _made(claimed, one.base * first.value * second.value)
    for a, b in permutations(own, 2):
        for times in (12.0, *(count.value for count in counts)):
            if claimed.kind == "money":
                yield _made(claimed, (a.base - b.base) * times)
                yield _made(claimed, a.base * times - b.base)


def _ratios(claimed: Amount, stated: Sequence[Amount]) -> Iterator[Amount]:
    for a, b in permutations(stated, 2):
        if a.kind == b.kind and a.kind not in _ADDED and b.base:
            ratio = a.base / b.base
            if claimed.kind == "times":
                yield _made(claimed, ratio, rounded=True)
            else:
                yield _made(claimed, 100 * ratio, rounded=True)
                yield _made(claimed, 100 * (ratio - 1), rounded=True)
                yield _made(claimed, 100 * (1 - ratio), rounded=True)


def _spans(claimed: Amount, stated: Sequence[Amount]) -> Iterator[Amount]:
    """Between two years, two days or two times of day."""
    for a, b in permutations(stated, 2):
        if a.kind == b.kind and a.value > b.value:
            if a.kind == "year":
                yield _made(claimed, (a.value - b.value) * _YEAR)
            elif a.kind == "day":
                yield _made(claimed, (a.value - b.value) * _DAY)
            elif a.kind == "clock":
                yield _made(claimed, (a.value - b.value) * 60)


def _moments(claimed: Amount, own: Sequence[Amount], stated: Sequence[Amount]) -> Iterator[Amount]:
    step = {"year": _YEAR, "day": _DAY, "clock": 60.0}[claimed.kind or ""]
    for one in own:
        for span in stated:
            if span.kind == "time":
                yield _made(claimed, one.value + span.base / step)
                yield _made(claimed, one.value - span.base / step)
        if claimed.kind == "year":
            yield from (_made(claimed, one.value + 1), _made(claimed, one.value - 1))
