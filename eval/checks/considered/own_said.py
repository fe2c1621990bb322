"""What a report may say of its reader's own orders: counts, ordinals, days, months, years, spans of time, shares and states, with their places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Literal, NamedTuple

from drr.eval.checks.base import Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.layout import TextLine
from drr.eval.checks.leftover.said import SaidFigures
from drr.wording.dates import CALENDAR, FULL_MONTH, MONTH, DayOfYear, When, dates, days_of_year, month_number
from drr.wording.hedges import HEDGES
from drr.wording.numbers import SPOKEN, WHOLE, number_said
from drr.wording.purchases import PURCHASES
from drr.wording.units import UNITS

OwnKind = Literal[
    "count",
    "times",
    "nth",
    "day",
    "month",
    "year",
    "yearday",
    "bare_month",
    "weekday",
    "span",
    "share",
    "state",
]
LENGTHS = {"day": 1.0, "week": 7.0, "month": 30.44, "year": 365.25}
"""Days of a unit."""
DATED = frozenset[OwnKind](("day", "month", "year", "yearday", "bare_month"))
COUNTED = frozenset[OwnKind](("count", "times"))
_ORDINALS = (
    "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth",
    "fifteenth",
)  # fmt: skip
_NTH = {word: nth for nth, word in enumerate(_ORDINALS, 2)}
_NUMBER = re.compile(
    rf"(?<![\w.,$€£¥#/-])(?P<n>{WHOLE}|{SPOKEN}|once|(?:twice|thrice)(?!\s(?:as|the|what|its|that|more|their)\b))(?![\w$]|[.,:/]\d|['’]|\s?°)"
    r"(?:(?P<share>[\s*_]?(?:%|percent\b|per\scent\b))|[\s*_-]{1,3}(?:and[\s-]a[\s-](?:half|quarter)[\s*_-]{1,3})?(?P<unit>days?|weeks?|months?|years?)\b|(?P<times>[\s*_]{1,4}times\b(?!\s(?:as|more|the|a|that|its|your)\b)))?(?!\s(?:hours?|minutes?|cents?)\b)",
    re.I,
)
_ONE_SPAN = re.compile(
    r"\b(?:a|one|the)\s(?:single\s)?(?P<unit>day|week|month|year)\b(?=\s(?:after|before|later|earlier|apart|ago|to the day)\b)",
    re.I,
)
_DECIMAL_SHARE = re.compile(r"(?<![\w.,$€£¥#/-])(?P<n>\d{1,3}\.\d{1,2})\s?(?:%|percent\b|per\scent\b)", re.I)
_OFTEN = {"once": 1, "twice": 2, "thrice": 3}
_ORDINAL = re.compile(
    rf"\b(?P<w>{'|'.join(_ORDINALS)})\b(?!-)|(?<![\w.,$/-])(?P<n>\d{{1,2}})(?:st|nd|rd|th)\b", re.I
)
_PARTS = {
    "half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
}  # fmt: skip
_FRACTION = re.compile(
    rf"\b(?:(?P<half>half)|(?P<a>a|one|two|three|four|five|six)[\s-](?P<p>{'|'.join([*_PARTS][1:])})s?(?=\s(?:of|the)\b|[\s*_]*[.,;:)(–—]|\s(?:went|are|were|fell|came)\b)"
    rf"|(?P<x>{SPOKEN}|\d{{1,2}})\s(?:in|out\sof)\s(?P<y>{SPOKEN}|\d{{1,2}})\b(?!\s?(?:years?|months?|weeks?|days?)))",
    re.I,
)
_MONTH_ALONE = re.compile(
    rf"\b(?:in|of|or|to|by|a|and|for|each|last|that|same|this)\s(?P<m>{FULL_MONTH})\b|\b(?P<m2>{FULL_MONTH})\b(?=\s(?:or|and)\s(?:{FULL_MONTH}))"
)
_WEEKDAY = re.compile(rf"\b(?P<d>{CALENDAR.either('weekdays')})s?\b")
_STATE = re.compile(
    r"\b(?P<s>delivered|in transit|shipped|on (?:its|the) way|processing|pending|cancell?ed|returned|refunded|sent back)\b",
    re.I,
)
_STATES = {
    "delivered": "Delivered",
    "processing": "Processing",
    "pending": "Processing",
    "returned": "Returned",
    "refunded": "Returned",
    "sent back": "Returned",
}
_MARKED = re.compile(r"[ \t>]*(?:[#*_]{1,6}\s?)?\(?\d{1,3}[.):](?=\s)")
_OF_DAYS = re.compile(
    rf"(?:(?:,|\s?&|\sand|\sto|\s?[–-])\s?\d{{1,2}}(?:st|nd|rd|th)?){{1,4}}\s(?:{MONTH})\b", re.I
)
_AFTER_DAY = re.compile(
    rf"\b(?:{MONTH})\.?\s\d{{1,2}}(?:(?:,|\s?&|\sand|\sto|\s?[–-])\s?\d{{1,2}}){{0,3}}(?:,|\s?&|\sand|\sto|\s?[–-])\s?$",
    re.I,
)
_SPOKEN_BEFORE = re.compile(rf"\b{SPOKEN}\s$", re.I)
_SPOKEN_BEHIND = re.compile(rf"\s{SPOKEN}\b", re.I)
_UNIT_BEHIND = re.compile(r"[\s-](?P<u>[a-z]{2,12})\b", re.I)
_SEASON_BEHIND = re.compile(r"[-–/]\d\d\b(?![-–/])")
_LARGEST = 5_000
_MOST = 160
"""Things said that are read of a report, in its order."""
_PER_LINE = 40
_YEARS = range(1990, 2036)


class OwnFigure(NamedTuple):
    """One figure, day, span or state."""

    start: int
    end: int
    kind: OwnKind
    value: float
    """Days of a span; of a share its part of a hundred; of a state nothing."""
    unit: str
    """Of a span; or the state."""
    when: When | DayOfYear | None
    hedged: bool


class OwnSaid:
    """What one report says, in its order, where it may speak of orders."""

    def __init__(self, plain: str, cast: Cast, said: SaidFigures) -> None:
        self._plain, self._cast, self._said = plain, cast, said
        self.all: list[OwnFigure] = []
        spoke = False
        for line in cast.lines:
            if line.kind in ("rule_row", "elision"):
                continue
            speaks = PURCHASES.speaks(plain[line.start : line.end]) or any(map(PURCHASES.speaks, line.header))
            dated = next(dates(plain, line.start, line.end), None) is not None
            if speaks or dated or spoke:
                self.all += self._of_line(line)
            spoke = speaks or (spoke and line.kind in ("item", "row"))
            if len(self.all) >= _MOST:
                break
        del self.all[_MOST:]

    def within(self, span: Span) -> list[OwnFigure]:
        return [one for one in self.all if span[0] <= one.start < span[1]]

    def _of_line(self, line: TextLine) -> list[OwnFigure]:
        taken = bytearray(line.end - line.start + 1)

        def take(low: int, high: int) -> bool:
            low, high = max(0, low - line.start), high - line.start
            free = not any(taken[low:high])
            taken[low:high] = b"\1" * len(taken[low:high])
            return free

        if match := _MARKED.match(self._plain, line.start, line.end):
            take(*match.span())
        if line.cells and self._plain[slice(*line.cells[0])].strip(" *_#.").isdecimal():
            take(*line.cells[0])  # the number of a row
        for figure in self._said.within((line.start, line.end)):
            if figure.kind in ("money", "unit", "rating", "ratings", "measure", "multiple"):
                take(figure.start, figure.end)
        for when in dates(self._plain, line.start, line.end):
            if self._is_measure(when):
                take(when.start, when.end)
        found = [one for one in self._some(line) if take(one.start, one.end)]
        return sorted(found)[:_PER_LINE]

    def _some(self, line: TextLine) -> Iterator[OwnFigure]:
        """In the order in which a stretch is given to what claims it first."""
        span = line.start, line.end
        yield from self._days(span)
        yield from self._shares(span)
        yield from self._ordinals(span)
        yield from self._numbers(span)
        for match in _WEEKDAY.finditer(self._plain, *span):
            names = [one.casefold() for one in CALENDAR["weekdays"]]
            yield self._made(match.span("d"), "weekday", names.index(match["d"].casefold()))
        for match in _STATE.finditer(self._plain, *span):
            said = match["s"].casefold()
            state = "Cancelled" if said.startswith("cancel") else _STATES.get(said, "Shipped")
            yield self._made(match.span(), "state", 0.0, state)

    def _made(
        self, span: Span, kind: OwnKind, value: float, unit: str = "", when: When | DayOfYear | None = None
    ) -> OwnFigure:
        before = self._plain[max(0, span[0] - 28) : span[0]]
        return OwnFigure(*span, kind, value, unit, when, HEDGES.before.search(before) is not None)

    def _days(self, span: Span) -> Iterator[OwnFigure]:
        for one in dates(self._plain, *span):
            if one.year in _YEARS or one.month:
                kind: OwnKind = "day" if one.day else "month" if one.month else "year"
                yield self._made((one.start, one.end), kind, one.year, "", one)
        for day in days_of_year(self._plain, *span):
            yield self._made((day.start, day.end), "yearday", day.month, "", day)
        for match in _MONTH_ALONE.finditer(self._plain, *span):
            name = "m" if match["m"] else "m2"
            yield self._made(match.span(name), "bare_month", month_number(match[name]))

    def _is_measure(self, one: When) -> bool:
        """`At 2000 lumens`: no year."""
        unit = _UNIT_BEHIND.match(self._plain, one.end)
        return not one.month and unit is not None and UNITS.named(unit["u"]) is not None

    def _shares(self, span: Span) -> Iterator[OwnFigure]:
        for match in _DECIMAL_SHARE.finditer(self._plain, *span):
            yield self._made(match.span(), "share", float(match["n"]), "decimal")
        for match in _FRACTION.finditer(self._plain, *span):
            if match["half"]:
                share = 50.0
            elif match["p"]:
                share = (
                    100
                    * (_value(match["a"]) if match["a"].casefold() != "a" else 1)
                    / _PARTS[match["p"].casefold()]
                )
            else:
                whole = _value(match["y"])
                if not whole or _value(match["x"]) >= whole:
                    continue
                share = 100 * _value(match["x"]) / whole
            yield self._made(match.span(), "share", share, "fraction")

    def _ordinals(self, span: Span) -> Iterator[OwnFigure]:
        for match in _ORDINAL.finditer(self._plain, *span):
            yield self._made(
                match.span(), "nth", float(_NTH[match["w"].casefold()] if match["w"] else match["n"])
            )

    def _numbers(self, span: Span) -> Iterator[OwnFigure]:
        for match in _ONE_SPAN.finditer(self._plain, *span):
            yield self._made(match.span(), "span", 1.0, match["unit"].casefold())
        for match in _NUMBER.finditer(self._plain, *span):
            digits = match["n"]
            value = _value(digits)
            if _OF_DAYS.match(self._plain, match.end("n")) or _AFTER_DAY.search(
                self._plain, max(0, match.start() - 24), match.start()
            ):
                continue  # `14 and 26 December`, `Dec 8 & 13`
            if value > _LARGEST or (digits[0] == "0" and len(digits) > 1) or self._is_a_year(match, value):
                continue
            if match["share"]:
                yield self._made(match.span(), "share", value, "whole")
            elif match["unit"]:
                yield self._made(match.span(), "span", value, match["unit"].casefold().rstrip("s"))
            elif match["times"] or digits.casefold() in _OFTEN:
                yield self._made(match.span(), "times", value)
            else:
                yield self._made(match.span("n"), "count", value)

    def _is_a_year(self, match: re.Match[str], value: float) -> bool:
        """`twenty twenty`, `two thousand nine`, `the winter of 2018-19`"""
        if match["n"][0].isdigit():
            return value in _YEARS and _SEASON_BEHIND.match(self._plain, match.end("n")) is not None
        beside = _SPOKEN_BEFORE.search(self._plain, max(0, match.start() - 16), match.start())
        behind = _SPOKEN_BEHIND.match(self._plain, match.end(), match.end() + 16)
        return value in _YEARS or (value < 100 and (beside is not None or behind is not None))


def _value(text: str) -> float:
    if text.casefold() in _OFTEN:
        return _OFTEN[text.casefold()]
    return number_said(text)


def covers(one: OwnFigure, day: date) -> bool:
    """Whether a day lies in what is said; of a month without a year in any."""
    when = one.when
    if isinstance(when, When):
        return when.year == day.year and when.month in (None, day.month) and when.day in (None, day.day)
    return day.month == int(one.value) and (when is None or when.day == day.day)


def others(some: Sequence[OwnFigure], but: OwnFigure) -> list[OwnFigure]:
    return [one for one in some if one.start != but.start]
