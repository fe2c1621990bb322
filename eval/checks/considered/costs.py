"""Things and amounts in the order of a report, each with what it comes to where it stands: `two bags of Finchfield`, `3 x $9.99`."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product
from typing import NamedTuple

from drr.eval.checks.base import Span
from drr.eval.checks.cast import names_within
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import SaidFigure
from drr.eval.checks.money.figures import Figure
from drr.wording.numbers import SPOKEN, number_said

_MANY = rf"(?P<n>{SPOKEN}|\d{{1,2}}|both|a pair)"
_MANY_BEFORE = re.compile(
    rf"(?<![\w.,$-]){_MANY}\s?(?:[x×]\s)?(?:more\s|further\s|other\s|of\s(?:the|these|those|your)\s|(?:the|these|those|your|such)\s|(?:[a-z]+[\s-]){{1,3}}?(?:of\s)?(?:the\s)?)?[\s*_\[\"“]*$",
    re.I,
)
"""Before a name: so many of it."""
_TIMES_BEFORE = re.compile(r"(?<![\w.,$])(?P<n>\d{1,2})\s?[x×]\s?[\s*_\[\"“$]*$", re.I)
_TIMES_AFTER = re.compile(r"[\s*_\])]{0,4}[x×]\s?(?P<n>\d{1,2})\b(?![.,]\d)", re.I)
_COUNT = re.compile(rf"(?<![\w.,$-])(?:{_MANY})(?![\w.,%]*\d|-)\b", re.I)
_FAR, _BESIDE, _AHEAD, _LIMIT_BACK = 48, 12, 110, 260
_FEW, _SEVERAL, _MOST_MANY, _MOST_WAYS = 3, 8, 60, 16
_LEAST_LIMIT = 10.0
_TOGETHER = {"both": 2.0, "a pair": 2.0}


class WordedCost(NamedTuple):
    """A thing or an amount that stands in the text, and what it comes to there."""

    start: int
    end: int
    values: tuple[float, ...]
    """More than one where several things may be meant."""
    many: float
    named: bool
    """A thing by its name; else an amount."""

    @property
    def costs(self) -> tuple[float, ...]:
        return tuple(self.many * one for one in self.values)


class CostsSaid:
    """Of one report."""

    def __init__(self, held: HeldAgainst) -> None:
        self._held, self._plain = held, held.prose.body
        self._every = sorted([*self._things(), *self._amounts()])
        self._starts = [one.start for one in self._every]

    def within(self, span: Span, but: SaidFigure) -> list[WordedCost]:
        some = self._every[bisect_left(self._starts, span[0]) : bisect_left(self._starts, span[1])]
        return [one for one in some if one.start != but.start]

    def counts(self, span: Span, but: SaidFigure) -> list[float]:
        """How many of something a stretch says."""
        found = (
            _how_many(match["n"])
            for match in _COUNT.finditer(self._plain, *span)
            if not but.start <= match.start() < but.end
        )
        return list(dict.fromkeys(value for value in found if 1 < value <= _MOST_MANY))[:_SEVERAL]

    def limits(self, one: SaidFigure) -> list[float]:
        """Those of the question, and what stands near that may be one."""
        low, high = max(0, one.start - _LIMIT_BACK), min(len(self._plain), one.end + _AHEAD)
        found = [*self._held.known.limits]
        found += [
            each.value
            for each in self._held.ledger.within(low, high)
            if each.start != one.start
            and (each.cue.kind == "limit" or (each.amount.whole and each.value >= _LEAST_LIMIT))
        ]
        return list(dict.fromkeys(found))[:_SEVERAL]

    def _things(self) -> Iterator[WordedCost]:
        products = self._held.cast.products
        for place in names_within(self._held.cast, (0, len(self._plain))):
            prices = (products[key].price for key in sorted(place.products) if key in products)
            values = tuple(dict.fromkeys(one for one in prices if one is not None))[:_FEW]
            if values:
                yield WordedCost(
                    place.start, place.end, values, self._many(place.start, place.end), named=True
                )

    def _amounts(self) -> Iterator[WordedCost]:
        for one in self._held.ledger.figures:
            if not one.void and one.cue.kind != "unit" and one.value >= 1:
                yield WordedCost(one.start, one.end, (one.value,), self._times(one), named=False)

    def _many(self, start: int, end: int) -> float:
        low = max(0, start - _FAR, self._plain.rfind("\n", 0, start) + 1)
        before = self._plain[low:start]
        found = (
            _TIMES_BEFORE.search(before)
            or _MANY_BEFORE.search(before)
            or _TIMES_AFTER.match(self._plain, end, end + _BESIDE)
        )
        many = _how_many(found["n"]) if found else 1.0
        return many if 1 <= many <= _MOST_MANY else 1.0

    def _times(self, one: Figure) -> float:
        before = self._plain[max(0, one.start - _BESIDE) : one.start]
        found = _TIMES_BEFORE.search(before) or _TIMES_AFTER.match(self._plain, one.end, one.end + _BESIDE)
        return max(1.0, float(found["n"])) if found else 1.0


def _how_many(said: str) -> float:
    word = said.casefold()
    return _TOGETHER.get(word) or number_said(word)


def together(some: Sequence[WordedCost]) -> Iterator[float]:
    """What things come to, each as often as is said and once; a thing that is named twice counts once."""
    once = list({each.values: each for each in reversed(some)}.values()) if _named(some) else list(some)
    once = once[:_SEVERAL] if _named(some) else once[-_SEVERAL:]
    several = any(each.many > 1 for each in once)
    if len(once) < 2 and not several:
        return
    for choice in islice(product(*(each.costs for each in once)), _MOST_WAYS):
        yield sum(choice)
        if len(once) > 1 and several:
            yield sum(value / each.many for value, each in zip(choice, once, strict=True))


def _named(some: Iterable[WordedCost]) -> bool:
    return any(each.named for each in some)


def holds_some(one: SaidFigure, values: Iterable[float]) -> bool:
    return any(one.low - 1e-6 <= each <= one.high + 1e-6 for each in values)
