"""Every figure of a report, of whatever kind, with its place and how finely it is written."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from drr.eval.checks.base import Span
from drr.eval.checks.grid import column_at
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.wording.dates import dates
from drr.wording.hedges import HEDGES
from drr.wording.numbers import DIGITS, SPOKEN, number, spoken
from drr.wording.ratings import RATINGS

FigureKind = Literal[
    "money", "unit", "rating", "ratings", "orders", "percent", "multiple", "count", "measure"
]
MONEY = frozenset[FigureKind](("money", "unit"))
_NUMBER = re.compile(
    rf"(?<![\w.,$€£¥#/-])(?P<n>{DIGITS})(?!\d)(?P<u>\s?(?:%|percent\b|per cent\b)|\s?[x×](?!\s?\d)|\stimes\s(?:the|as|that|its|more|what)\b)?"
)
_WORD = re.compile(rf"\b(?P<n>{SPOKEN})\b(?P<u>\s(?:percent|per cent)\b)?", re.I)
_MARKED = re.compile(r"[ \t>]*(?:[#*_]{1,6}\s?)?\(?\d{1,3}(?:(?:\.\d{1,2}){1,2}[.):]?|[.):])\s")
"""The number that a line begins with."""
_YEARS = range(1990, 2036)
_UNIT = re.compile(r"[\s-]?(?P<u>[^\W\d_]{1,16}|[\"″'°])")
_ENDS = re.compile(
    r"[\s*_]{0,3}(?:$|[.,;:!?()|\]—–]|(?:and|or|but|from|on|over|by|against|versus|vs|to|than|with|at|the|is|it|so|while)\b)",
    re.I,
)
_ORDERED = frozenset(("orders", "order", "purchases", "parcels", "deliveries"))
_LONG = 7
"""Digits of a number that counts something; a longer one is an id."""
_MOST = 120
"""Figures that are read: a report of a thousand words has fifty, and a hundred kilobytes are read within seconds."""
_BACK = 200
_DECIMAL = re.compile(
    r"(?<![\w.,$€£¥#/-])\d{1,3}\.\d(?!\d)(?:\s(?P<u>[a-z]{3,14})(?=\s?[,;(]|\s(?:and|but|while|for|per|a)\b))?"
)
_SENTENCE_END = re.compile(r"[.!?]\s")
_RATED = re.compile(
    r"stars?$|out$|ratings?$|reviews?$|from$|over$|across$|with$|and$|but$|for$|against$|versus$|rather$",
    re.I,
)
"""Behind a figure: it is stars."""
_LEAST = 3
"""A smaller number in words is a pronoun as often as a count."""


class SaidFigure(NamedTuple):
    start: int
    end: int
    value: float
    low: float
    high: float
    """Between which the value may be that it stands for."""
    kind: FigureKind
    digits: str
    """As it is written, without signs; empty where it is in words."""
    hedged: bool
    unit: str
    """The word behind it."""

    @property
    def slack(self) -> float:
        return (self.high - self.low) / 2


class SaidFigures:
    """The figures of one report, in its order."""

    def __init__(
        self,
        mentions: Mentions,
        money: Sequence[Figure],
        hidden: Sequence[Span],
        sentences: Callable[[TextLine], Sequence[Span]],
    ) -> None:
        self._mentions, self._plain = mentions, mentions.plain
        self.money = {one.start: one for one in money}
        self._taken = bytearray(len(self._plain) + 1)
        self._rated: dict[int, FigureKind] = {}
        for span in [(one.start, one.end) for one in money] + list(hidden):
            self._take(*span)
        for index, line in enumerate(mentions.layout.lines):
            for when in dates(self._plain, line.start, line.end):
                self._take(when.start, when.end)
            if match := _MARKED.match(self._plain, line.start, line.end):
                self._take(*match.span())
            self._rate(index, line, sentences)
        self.all = sorted([*self._amounts(money), *self._numbers(), *self._words()])[:_MOST]
        self._starts = [one.start for one in self.all]

    def within(self, span: Span) -> list[SaidFigure]:
        return self.all[bisect_left(self._starts, span[0]) : bisect_left(self._starts, span[1])]

    def is_rated(self, one: SaidFigure) -> bool:
        """Whether words beside it, or the head of its column, call it a rating."""
        return any(place in self._rated for place in range(one.start, one.end))

    def _take(self, low: int, high: int) -> None:
        self._taken[low:high] = b"\1" * (high - low)

    def _rate(self, index: int, line: TextLine, sentences: Callable[[TextLine], Sequence[Span]]) -> None:
        """Which figures are stars, and how many gave them, by the words beside them or the head of their column."""
        for low, high in line.cells or sentences(line):
            head = ""
            if line.kind == "row" and (column := column_at(line, low)) is not None:
                head = f"{self._mentions.tables.label(index, column, self._plain)}: "
            for one in RATINGS.ratings(f"{head}{self._plain[low:high]}"):
                start = one.start - len(head) + low
                for match in re.finditer(DIGITS, self._plain[max(low, start) : one.end - len(head) + low]):
                    if abs(number(match[0]) - one.value) < 1e-9:
                        self._rated[max(low, start) + match.start()] = (
                            "rating" if one.kind == "stars" else "ratings"
                        )

    def _amounts(self, money: Sequence[Figure]) -> Iterator[SaidFigure]:
        for one in money:
            match = re.search(DIGITS, self._plain[one.start : one.end])
            kind: FigureKind = "unit" if one.cue.kind == "unit" or one.value < 1 else "money"
            digits, hedged = match[0] if match else "", one.amount.approx
            yield SaidFigure(
                one.start, one.end, one.value, one.low, one.high, kind, digits, hedged, one.cue.per
            )

    def _numbers(self) -> Iterator[SaidFigure]:
        for match in _NUMBER.finditer(self._plain):
            digits = match["n"]
            whole, _, places = digits.partition(".")
            if (
                self._taken[match.start()]
                or len(whole.replace(",", "")) > _LONG
                or (whole[0] == "0" and len(whole) > 1)
            ):
                continue
            value = number(digits)
            if not places and value in _YEARS and not match["u"] and "," not in digits:
                continue
            hedged = HEDGES.beside(self._plain, match.start(), match.end("n"))
            kind, unit = self._kind(match, value, places)
            slack = 0.005 if kind in ("count", "rating", "ratings", "orders") else 0.5 * 10.0 ** -len(places)
            if hedged and kind != "rating":
                slack = max(slack, 0.06 * value)
            yield SaidFigure(
                match.start(), match.end(), value, value - slack, value + slack, kind, digits, hedged, unit
            )

    def _kind(self, match: re.Match[str], value: float, places: str) -> tuple[FigureKind, str]:
        if match["u"] is not None:
            return ("percent" if match["u"].strip().startswith(("%", "p")) else "multiple"), ""
        if (rated := self._rated.get(match.start())) is not None:
            return rated, ""
        unit = _unit_at(self._plain, match.end())
        if len(places) == 1 and 1 <= value <= 5 and _ENDS.match(self._plain, match.end()):
            return ("measure" if self._goes_on(match.start()) else "rating"), ""
        if unit in _ORDERED:
            return "orders", ""
        return ("measure" if places else "count"), unit

    def _goes_on(self, place: int) -> bool:
        """Whether a bare figure has the unit of the last one of its sentence: `the one gives you 4.9 pads, the other 3.6`."""
        before = self._plain[max(0, place - _BACK) : place]
        units = [match["u"] for match in _DECIMAL.finditer(re.split(_SENTENCE_END, before)[-1])]
        said = [unit for unit in units if unit is not None]
        return bool(said) and _RATED.match(said[-1]) is None

    def _words(self) -> Iterator[SaidFigure]:
        for match in _WORD.finditer(self._plain):
            value = float(spoken(match["n"]))
            if self._taken[match.start()] or value < _LEAST:
                continue
            unit = _unit_at(self._plain, match.end())
            kind: FigureKind = (
                "percent"
                if match["u"]
                else self._rated.get(match.start()) or ("orders" if unit in _ORDERED else "count")
            )
            yield SaidFigure(*match.span(), value, value - 0.005, value + 0.005, kind, "", False, unit)


def _unit_at(text: str, end: int) -> str:
    if _ENDS.match(text, end):
        return ""
    match = _UNIT.match(text, end)
    return "" if match is None else match["u"].casefold().rstrip("s")
