"""What the amounts and the numbers in sight come to with one or two steps: a reader would see it, so nothing that it gives is accused by inference."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from drr.eval.checks.base import Span
from drr.eval.checks.measures import measures
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.play import InPlay
from drr.wording.numbers import DIGITS, SPOKEN, number, spoken

_NUMBER = re.compile(rf"(?<![\w.,$])(?P<n>{DIGITS})(?![\d%])")
_WORD_NUMBER = re.compile(rf"\b(?P<n>{SPOKEN})\b", re.I)
_MOST = 14
"""Amounts, and numbers, that are put together."""
_EVERY = 60
"""Prices of a report of which so many may be bought."""
_LEAST = 0.05
_LARGEST = 5_000
"""A number above it counts nothing that is bought."""


class Workings:
    """One report's figures, put together in every simple way."""

    def __init__(self, play: InPlay, figures: list[Figure]) -> None:
        self._play = play
        self._figures = figures

    def comes_to(self, figure: Figure, *, whole: bool = False) -> bool:
        """Whether some amounts and numbers of its stretch give the figure, whatever it is said to be; what is worked out of `whole` prices, amounts of its own sentence only, no limit and no part."""
        span = self._play.block(figure.line, figure.start)
        return any(figure.holds(value) for value in self._values(figure, span, whole=whole))

    def _values(self, figure: Figure, span: Span, *, whole: bool) -> Iterator[float]:
        low, high = figure.sentence if whole else span
        here = [one for one in self._figures if low <= one.start < high and one != figure]
        said = [one.value for one in here if not (whole and one.cue.kind == "limit")]
        prices = [one.price for one in self._play.near(figure.line)]
        limits = self._play.limits
        money = list(dict.fromkeys([*said, *prices]))[:_MOST]
        counts = self._counts(span, bought=figure.cue.kind == "total")
        yield from (one * many for one in money for many in counts)
        if not whole:
            yield from (one / many for one in money for many in counts)
            yield from (one / (a * b) for one in money for a, b in combinations(counts, 2))
        every = [one.price for one in self._play.all[:_EVERY]]
        yield from (one * many for one in every for many in counts if many <= 12)
        yield from (a + b for a, b in combinations(money, 2))
        yield from (abs(a - b) for a, b in combinations(money, 2))
        sign = figure.sign
        many_said = [1.0, *map(float, self._play.quantities(figure.sentence))]
        rests = (limit - many * one for limit in limits for one in money for many in many_said)
        yield from (abs(one) for one in rests if sign is None or one * sign > 0)

    def _counts(self, span: Span, *, bought: bool) -> list[float]:
        """The numbers of a stretch; of what is bought together none that has a unit of its own: nobody buys six months of a thing."""
        text = self._play.text(span)
        taken = [(one.start - span[0], one.end - span[0]) for one in self._figures]
        if bought:
            taken += [(one.start, one.end) for one in measures(text) if one.unit != one.kind]
        found = {
            number(match["n"])
            for match in _NUMBER.finditer(text)
            if not any(low <= match.start("n") < high for low, high in taken)
        }
        found |= {
            float(spoken(match["n"]))
            for match in _WORD_NUMBER.finditer(text)
            if not any(low <= match.start("n") < high for low, high in taken)
        }
        return sorted(one for one in found if _LEAST <= one <= _LARGEST and one != 1)[:_MOST]
