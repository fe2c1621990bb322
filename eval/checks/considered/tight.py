"""What an amount is in the simplest way that its place offers: the sum of the amounts right before it, a limit less the last one, so many times what
stands beside it.

A long report holds a reading for nearly any amount; of the few values that its own place offers it is one, or it is not. Where it is none and one
of them has the same cents, or is a slip of the pen away, it is probably meant to be that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import accumulate, combinations
from math import exp

from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import MONEY, SaidFigure
from drr.eval.checks.leftover.slips import slips
from drr.eval.checks.money.figures import Figure

_BACK, _AHEAD = 700, 160
_LAST, _NEXT, _COUNTS, _MOST_TIMES = 8, 3, 6, 60
_CENT = 0.006
_LEAST_OFF = 0.4
_FRAMES = {
    "total": ("sums", "times"),
    "rest": ("rests",),
    "gap": ("gaps", "rests"),
    "unit": ("parts",),
}
_ALL = ("prices", "sums", "times", "rests", "gaps", "parts")
_ROUND, _PAIR = 10, 2
_TIMES = re.compile(r"(?<![\w.,$])(?P<n>\d{1,2})\s?[x×]\s?\$?$", re.I)
_TIMES_AFTER = re.compile(r"\s?[x×]\s?(?P<n>\d{1,2})\b(?![.,]\d)", re.I)
_CHANCE = 60.0
"""Of so many values one has the same cents more often than not."""


class TightReadings:
    """Of the amounts of one report."""

    def __init__(self, held: HeldAgainst) -> None:
        self._held = held

    @cached_property
    def _figures(self) -> list[Figure]:
        return [one for one in self._held.ledger.figures if not one.void and one.cue.kind != "unit"]

    def signs(self, one: SaidFigure, cue: str) -> dict[str, float]:
        """Which ways its place offers hold it, and which hold something like it."""
        if one.kind not in MONEY:
            return {}
        offered = {name: list(dict.fromkeys(values)) for name, values in self._offered(one)}
        asked = _FRAMES.get("unit" if one.kind == "unit" else cue, _ALL)
        held = {name for name, values in offered.items() if _holds(one, values)}
        found = {f"tight_{name}": 1.0 for name in held}
        framed = bool(held & {*asked})
        values = [value for name in asked for value in offered.get(name, ())]
        found["tight_framed"] = float(framed)
        found["tight_none"] = float(not held)
        if not framed:
            found |= missed("tight", one, cue, values, anything=bool(held))
        first = self._first(one, cue)
        found["first_held"] = float(_holds(one, first))
        if not found["first_held"]:
            found |= missed("first", one, cue, first, anything=bool(held))
        return {name: value for name, value in found.items() if value}

    def _first(self, one: SaidFigure, cue: str) -> list[float]:
        """The one or two values that the nearest amounts come to first of all."""
        before = [each for each in self._figures if one.start - _BACK <= each.start < one.start][-_LAST:]
        last = [each.value for each in before if each.cue.kind != "limit"]
        close, _ = self._held.around(one.start)
        basket = self._basket(close, one)
        prices = self._prices((0, one.start))
        sums = [value for value in (basket, sum(prices)) if value]
        since = next(
            (at for at, each in enumerate(reversed(before)) if each.cue.kind in ("total", "rest")),
            len(before),
        )
        sums += [sum(last[len(last) - since :])] if since > 1 else []
        limits = [*self._held.known.limits, *(each.value for each in before if each.cue.kind == "limit")]
        limits += [each.value for each in before if each.amount.whole and each.value >= _ROUND][-1:]
        rests = [abs(limit - each) for limit in dict.fromkeys(limits) for each in (*last[-1:], *sums[:2])]
        gaps = [abs(a - b) for a, b in combinations(last[-2:], 2)]
        sentence = self._prices(close)
        gaps += [abs(a - b) for a, b in combinations(sentence, 2)] if len(sentence) == _PAIR else []
        ways = {"total": sums, "rest": rests, "gap": gaps, "unit": self._first_parts(one, last)}
        return ways.get("unit" if one.kind == "unit" else cue) or [*sums, *rests]

    def _first_parts(self, one: SaidFigure, last: list[float]) -> list[float]:
        """What stands right before it, or its own thing costs, by the numbers of its sentence or row."""
        close, _ = self._held.around(one.start)
        _, others = self._held.values(close, one)
        some = [each.value for each in others if each.value > 1 and each.kind in ("count", "measure")]
        return [each / many for each in [*last[-1:], *self._prices(close)] for many in some]

    def _basket(self, span: tuple[int, int], one: SaidFigure) -> float:
        """What the amounts of its sentence come to, each as often as is written beside it."""
        others = [
            each for each in self._figures if span[0] <= each.start < span[1] and each.start != one.start
        ]
        if len(others) < _PAIR:
            return 0.0
        return sum(each.value * self._times(each) for each in others)

    def _times(self, one: Figure) -> float:
        plain = self._held.prose.body
        before = _TIMES.search(plain, max(0, one.start - 12), one.start)
        after = _TIMES_AFTER.match(plain, one.end, one.end + 8)
        found = before or after
        return float(found["n"]) if found else 1.0

    def _offered(self, one: SaidFigure) -> Iterator[tuple[str, Iterable[float]]]:
        before = [each for each in self._figures if one.start - _BACK <= each.start < one.start][-_LAST:]
        after = [each for each in self._figures if one.end <= each.start < one.end + _AHEAD][:_NEXT]
        last = [each.value for each in before if each.cue.kind != "limit"]
        behind = [each.value for each in after]
        close, _ = self._held.around(one.start)
        wide = self._held.with_before(close)
        prices = self._prices(close)
        _, others = self._held.values(wide, one)
        counts = [
            each.value
            for each in others
            if each.kind in ("count", "orders", "multiple") and 1 < each.value <= _MOST_TIMES
        ][-_COUNTS:]
        sums = [*accumulate(reversed(last))][1:] + [*accumulate(behind)][1:]
        sums += [sum(prices)] if len(prices) > 1 else []
        above = self._prices((0, one.start))
        sums += [sum(above)] if len(above) > 1 else []
        sums += [a + b for a, b in combinations(last[-4:], 2)]
        yield "prices", prices
        yield "sums", sums
        near = [*last[-3:], *behind[:1], *prices]
        times = [many * each for many in (2.0, 3.0, *counts) for each in near]
        yield "times", times
        spent = [*last[-3:], *behind[:1], *prices, *sums, *times]
        limits = {
            *self._held.known.limits,
            *(each.value for each in before + after if each.cue.kind == "limit"),
        }
        limits |= {each.value for each in before + after if each.amount.whole and each.value >= 10}
        limits |= {each.value for each in others if each.value >= 10 and each.value % 5 == 0}
        yield "rests", [abs(limit - each) for limit in sorted(limits) for each in spent]
        pairs = [*last[-4:], *behind[:2], *prices]
        yield "gaps", [abs(a - b) for a, b in combinations(dict.fromkeys(pairs), 2)]
        sizes = self._sizes(close)
        some = [each.value for each in others if each.value > 1 and each.kind in ("count", "measure")]
        yield (
            "parts",
            [
                each / many
                for each in [*last[-3:], *behind[:1], *prices]
                for many in [*some, *sizes]
                if many > 1
            ],
        )

    def _prices(self, span: tuple[int, int]) -> list[float]:
        products = self._held.cast.products
        keys = dict.fromkeys(key for one in self._held.cast.within(*span) for key in sorted(one.products))
        return [price for key in keys if key in products and (price := products[key].price) is not None]

    def _sizes(self, span: tuple[int, int]) -> list[float]:
        return list(self._held.known.of(self._held.named(span)).sizes)


def _holds(one: SaidFigure, values: Iterable[float]) -> bool:
    return any(one.low - 1e-6 <= each <= one.high + 1e-6 for each in values)


def missed(name: str, one: SaidFigure, cue: str, values: list[float], *, anything: bool) -> dict[str, float]:
    """What it would be with other dollars, or one digit put right."""
    close = [each for each in values if 0.4 < each / one.value < 2.5] if one.value else []
    seldom = exp(-len(close) / _CHANCE)
    cents = any(
        abs((each - one.value + 0.5) % 1 - 0.5) < _CENT and abs(each - one.value) > _LEAST_OFF
        for each in close
    )
    finely = one.value >= 1 and one.slack < 0.02
    near = {round(each, 2) for each in slips(one.digits)} if one.digits else set()
    if one.kind == "unit" and not finely:
        slip = any(
            abs(each - value * scale) <= one.slack * scale
            for each in near
            for value in close
            for scale in (1.0, 100.0)
        )
    else:
        slip = any(round(value, 2) in near for value in close)
    told = {f"{name}_offered": float(bool(values))}
    for way, holds in (("cents", cents and finely), ("slip", slip)):
        if holds:
            told |= {f"{name}_{way}": seldom, f"{name}_{way}_{cue}": seldom}
            told[f"{name}_{way}_else"] = seldom * float(anything)
    return told
