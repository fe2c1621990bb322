"""Whether an accused amount follows from what is listed with how many of each: `two A at $61.00, two B at $77.99 and one C at $123.99`.

Its mean is $80.39 and not that of the three amounts, the two A and the B are a part of it, and what is left of a sum when all other rows are taken off it
belongs to the last row. A mean is also the sum that is said beside it by a count or a measure that is said there, or that the things come to together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from drr.eval.checks.base import Span
from drr.eval.checks.layout import Layout
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import SaidFigure
from drr.eval.checks.measures import measures
from drr.eval.checks.money.figures import Figure
from drr.wording.numbers import DIGITS, SPOKEN, number, number_said
from drr.wording.vocabulary import either

_SO_OFTEN = {"once": 1, "twice": 2, "both": 2, "pair": 2, "couple": 2, "dozen": 12}
_MANY = re.compile(
    rf"(?:(?<![\w.,$€£/#×-])(?P<n>{SPOKEN}|{either(_SO_OFTEN)}|\d{{1,2}})|(?<![\w.,])[x×]\s?(?P<x>\d{{1,2}}))(?![\w.,/-]*\d|[\w%-])",
    re.I,
)
_BEHIND = re.compile(r"[\s*_]{0,3}(?:[x×]\s?(?P<n>\d{1,2})\b|\([x×]\s?(?P<m>\d{1,2})\))", re.I)
"""`$61.00 x 2`"""
_MARKER = re.compile(r"[ \t>]*(?:[-*+•–]|\d{1,3}[.)])\s+")
"""The number that an item begins with says nothing of how many."""
_NUMBER = re.compile(rf"(?<![\w.,$€£])(?:{DIGITS}|{SPOKEN})(?![\d%¢])", re.I)
_MEAN = re.compile(r"\b(?:means?|averag\w+)\b|\bapiece\b", re.I)
_REST = re.compile(r"\b(?:else|rest|others?|remain\w*|left|leaves?)\b", re.I)
_AMOUNTS = frozenset(("price", "sum", "left_amount"))
"""What may be a part of something."""
_LISTED = frozenset(("price", "none", "total"))
"""What words make of an amount that is listed; the total of its item is one too."""
_LARGEST, _MOST, _FEW = 60, 14, 12
"""Of a thing that somebody has; amounts of a list, and numbers beside a mean."""
_CENT = 0.006
_LEAST_ROWS = 3


class ListedAmount(NamedTuple):
    """An amount, and how many there may be of what costs it: as is said first before it, and as is said last."""

    value: float
    first: int
    last: int

    @property
    def is_several(self) -> bool:
        return max(self.first, self.last) > 1


class ListedAmounts:
    """Of one report."""

    def __init__(self, held: HeldAgainst, plain: str, layout: Layout) -> None:
        self._held, self._plain, self._layout = held, plain, layout

    def why(self, one: SaidFigure, kind: str, *, firm: bool) -> str | None:
        """What makes an amount right that is accused as such a statement; a `firm` one is bound to its rows or its place, and no part of them."""
        if self.is_a_mean(one):
            return "it is the mean of what is listed, with how many there are of each"
        if kind not in _AMOUNTS:
            return None
        if not firm and self.is_a_part(one):
            return "some of what is listed come to it, with how many there are of each"
        return "the others leave it of a sum that is said" if self.is_the_rest(one) else None

    def is_a_mean(self, one: SaidFigure) -> bool:
        """Whether an amount that its sentence calls a mean is that of what is listed, each as often as is said, or a sum by what it is a mean of."""
        close, _ = self._held.around(one.start)
        wide = self._held.with_before(close)
        if _MEAN.search(self._plain, *close) is None:
            return False
        values = [mean for some in self._runs(one) for mean in self._means(some)]
        values += self._by_what_is_said(one, (wide[0], close[1]))
        return _holds(one, values)

    def is_a_part(self, one: SaidFigure) -> bool:
        """Whether some of what is listed come to it one after the other, each as often as is said."""
        return _holds(
            one, (sum_ for some in self._runs(one) if len(some) > 1 for sum_, _ in _taken(some) if sum_)
        )

    def is_the_rest(self, one: SaidFigure) -> bool:
        """Whether an amount of nothing that is named, and those of its column or right before it, together are a sum that is said elsewhere."""
        figure = self._held.said.money.get(one.start)
        close, _ = self._held.around(one.start)
        if figure is None or self._held.cast.within(*close):
            return False
        if figure.column is None:
            return _REST.search(self._plain, *close) is not None and self._ends_a_sum(figure, close)
        return self._is_one_of_a_column(figure)

    def _is_one_of_a_column(self, figure: Figure) -> bool:
        every = self._held.ledger.figures
        column = [each for each in every if each.column == figure.column and not each.void]
        said = [each.value for each in every if each.column != figure.column]
        return len(column) >= _LEAST_ROWS and _come_to(column, [*said, *self._heads(figure)])

    def _ends_a_sum(self, figure: Figure, close: Span) -> bool:
        """Of running text and of items: `kettles $296.97, presses $45.98 and all else $13.99`."""
        line = self._held.prose.line_at(figure.start)
        low, _ = self._layout.section_of(self._held.index(line)) if line is not None else (0, 0)
        here = self._held.ledger.within(self._layout.lines[low].start, close[1])
        before = [each for each in here if each.start < figure.start and not each.void][-_MOST:]
        runs = ([*before[at:], figure] for at in range(len(before)))
        said = [each.value for each in self._held.ledger.figures]
        return any(_come_to(run, said) for run in runs)

    def _heads(self, figure: Figure) -> list[float]:
        """Amounts that stand in the heads of its table: `Share of $1,189.11`."""
        line = self._held.prose.line_at(figure.start)
        heads = line.header if line is not None else []
        return [number(match[0]) for head in heads for match in re.finditer(DIGITS, head)]

    def _runs(self, one: SaidFigure) -> Iterator[list[ListedAmount]]:
        """Amounts one after the other of the section before a figure, the nearest last; of the sections above where its own has too few."""
        line = self._held.prose.line_at(one.start)
        if line is None:
            return
        low, _ = self._layout.section_of(self._held.index(line))
        listed = self._listed((self._layout.lines[low].start, one.start))[-_MOST:]
        sizes = range(2, len(listed) + 1)
        yield from (listed[at : at + size] for size in sizes for at in range(len(listed) - size + 1))

    def _listed(self, span: Span) -> list[ListedAmount]:
        found, before = [], span[0]
        for figure in self._held.ledger.within(*span):
            if not figure.void and _is_listed(figure):
                first, last = self._how_many(figure, before)
                found.append(ListedAmount(figure.value, first, last))
            before = figure.end
        return found

    def _how_many(self, figure: Figure, before: int) -> tuple[int, int]:
        """By the numbers before it that have no unit of their own, by one right behind it, and in a row by a cell that holds nothing else."""
        line = self._held.prose.line_at(figure.start)
        if line is None:
            return 1, 1
        if behind := _BEHIND.match(self._plain, figure.end, line.end):
            many = int(behind["n"] or behind["m"])
            return many, many
        low = max(before, figure.sentence[0], line.start)
        if line.is_row:
            low = line.start
        elif marker := _MARKER.match(self._plain, line.start, line.end):
            low = max(low, marker.end())
        text = self._plain[low : figure.start]
        taken = [(each.start, each.end) for each in measures(text) if each.unit != each.kind]
        said = [
            _number(match["n"] or match["x"])
            for match in _MANY.finditer(text)
            if not any(start <= match.start() < end for start, end in taken)
        ]
        many_said = [each for each in said if 1 <= each <= _LARGEST]
        return (many_said[0], many_said[-1]) if many_said else (1, 1)

    def _means(self, some: Sequence[ListedAmount]) -> Iterator[float]:
        yield from (sum_ / many for sum_, many in _taken(some))

    def _by_what_is_said(self, one: SaidFigure, span: Span) -> Iterator[float]:
        """A sum of its sentence, of the one before it or of the list, by a number that stands beside it."""
        here = [each for each in self._held.ledger.within(*span) if each.start != one.start and not each.void]
        whole = {sum_ for some in self._runs(one) for sum_, _ in _all_of(some)}
        sums = {each.value for each in here if each.cue.kind == "total" or _is_among(each, whole)}
        text = f"{self._plain[span[0] : one.start]} {self._plain[one.end : span[1]]}"
        numbers = [number_said(match[0]) for match in _NUMBER.finditer(text)]
        counts = [each for each in numbers if each > 1][:_FEW]
        yield from (sum_ / many for sum_ in sums for many in counts)


def _number(word: str) -> int:
    word = word.casefold()
    return _SO_OFTEN[word] if word in _SO_OFTEN else int(number_said(word))


def _is_listed(figure: Figure) -> bool:
    each = figure.cue.kind == "unit" and not figure.cue.per
    return figure.value >= 1 and (each or figure.cue.kind in _LISTED)


def _all_of(some: Sequence[ListedAmount]) -> Iterator[tuple[float, int]]:
    """What amounts come to and of how many things they are: each once, and each as often as is said first and last."""
    for many in ([1] * len(some), [each.first for each in some], [each.last for each in some]):
        yield sum(each.value * times for each, times in zip(some, many, strict=True)), sum(many)


def _taken(some: Sequence[ListedAmount]) -> Iterator[tuple[float, int]]:
    """The same of a list in which there are several of something: what single things come to others read."""
    if any(each.is_several for each in some):
        yield from list(_all_of(some))[1:]


def _come_to(some: Sequence[Figure], said: Sequence[float]) -> bool:
    """Whether amounts together are one of those that are said, which is more than any of them."""
    low, high = sum(each.low for each in some), sum(each.high for each in some)
    most = max(each.value for each in some)
    return any(low <= value <= high for value in said if value > most + _CENT)


def _is_among(figure: Figure, values: set[float]) -> bool:
    return any(abs(figure.value - each) < _CENT for each in values)


def _holds(one: SaidFigure, values: Iterator[float] | list[float]) -> bool:
    return any(one.low - _CENT <= value <= one.high + _CENT for value in values)
