"""Reads dates as people write them, with the precision of the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from drr.wording.figures import NUMERAL, number_of
from drr.wording.vocabulary import Wordbook, any_word_pattern, vocabulary

CALENDAR = vocabulary("dates")
_MONTHS = {
    name.casefold(): number
    for group in ("months", "short_months")
    for number, name in enumerate(CALENDAR[group], 1)
} | {name.casefold(): 9 for name in CALENDAR["other_months"]}
MONTH = any_word_pattern(_MONTHS)
"""The names of months, long and short, as alternatives of a regular expression."""
FULL_MONTH = CALENDAR.either("months")
_NO_END = rf"(?!(?:{FULL_MONTH})\.)"
"""The condition that no full stop follows a long month name, as only a short name has one of its own. `in November. 2017 had two` names no month of 2017."""

_DATE = re.compile(
    r"\b(?P<iso>\d{4})-(?P<iso_m>\d{2})(?:-(?P<iso_d>\d{2}))?\b"
    r"|(?<![\w./-])(?P<first>\d{1,2})(?P<mark>[/.-])(?P<second>\d{1,2})(?P=mark)(?P<all_y>\d{4})\b(?!-)"
    r"|(?<![\w./-])(?P<big_y>(?:19|20)\d\d)(?P<cut>[/.])(?P<big_m>\d{1,2})(?P=cut)(?P<big_d>\d{1,2})(?![\d/])"
    r"|(?<![\w./-])(?P<small_m>\d{1,2})(?P<bar>[/-])(?P<small_d>\d{1,2})(?P=bar)(?P<small_y>\d\d)(?![\w/-])"
    rf"|\b{_NO_END}(?P<month>{MONTH})\b\.?(?:\s{{1,8}}(?P<day>\d{{1,2}})(?:st|nd|rd|th)?)?,?(?:\s{{1,8}}of)?\s{{1,8}}(?P<year>(?:19|20)\d\d)\b"
    rf"|\b(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?(?:\sof)?\s{{1,8}}{_NO_END}(?P<month2>{MONTH})\b\.?,?\s{{1,8}}(?P<year2>(?:19|20)\d\d)\b"
    rf"|(?<![\w./-])(?P<day3>\d{{1,2}})-(?P<month3>{MONTH})-(?P<year3>(?:19|20)\d\d)(?![\w-])",
    re.I,
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_MAY_BE = re.compile(r"\d{4}|\d[/-]\d")
"""Parts of which every date has one: a text without them is read no further."""
_FORMS = (
    ("iso", "iso_m", "iso_d"),
    ("all_y", "first", "second"),
    ("big_y", "big_m", "big_d"),
    ("small_y", "small_m", "small_d"),
    ("year", "month", "day"),
    ("year2", "month2", "day2"),
    ("year3", "month3", "day3"),
)


@dataclass(frozen=True, slots=True)
class TextDate:
    """A date with the precision of the text: a year, perhaps a month, perhaps a day."""

    year: int
    month: int | None
    day: int | None
    start: int
    end: int
    either: bool = False
    """True if month and day may be the other way round: `11/03/2023`."""

    def covers(self, iso: str) -> bool:
        month, day = int(iso[5:7]), int(iso[8:10])
        as_written = self.month in (None, month) and self.day in (None, day)
        return self.year == int(iso[:4]) and (
            as_written or (self.either and (self.month, self.day) == (day, month))
        )


def dates(text: str, start: int, end: int) -> Iterator[TextDate]:
    """Yield full dates, months of a year, and bare years that are not part of those."""
    if _MAY_BE.search(text, start, end) is None:
        return
    taken: list[tuple[int, int]] = []
    for match in _DATE.finditer(text, start, end):
        taken.append(match.span())
        if _is_a_season(match, text):
            continue
        yield _date(match)
    at = 0  # both come in the order of the text
    for match in _YEAR.finditer(text, start, end):
        if _next_year_behind(int(match[0]), text, match.end()):
            continue
        while at < len(taken) and taken[at][1] <= match.start():
            at += 1
        if at == len(taken) or match.start() < taken[at][0]:
            yield TextDate(int(match[0]), None, None, *match.span())


_BEHIND = re.compile(r"[-–/](?P<n>\d\d)(?![\d-])")


def _is_a_season(match: re.Match[str], text: str) -> bool:
    """Tell whether a match is two years in one, `2018-19` or `September 2018-19`, which states neither year."""
    if match["iso"] is not None:
        return match["iso_d"] is None and not 1 <= int(match["iso_m"]) <= 12
    year = match["year"] or match["year2"] or match["year3"]
    return year is not None and _next_year_behind(int(year), text, match.end())


def _next_year_behind(year: int, text: str, end: int) -> bool:
    behind = _BEHIND.match(text, end)
    return behind is not None and int(behind["n"]) == (year + 1) % 100


def _date(match: re.Match[str]) -> TextDate:
    year, month, day = next(match.group(*form) for form in _FORMS if match[form[0]])
    number = int(month) if month.isdecimal() else _MONTHS[month.casefold()]
    either = match["mark"] is not None or match["bar"] is not None
    if either and number > _MONTHS_OF_A_YEAR:
        number, day = int(day), month
    century = 2000 if match["bar"] else 0
    return TextDate(century + int(year), number, int(day) if day else None, *match.span(), either)


_MONTHS_OF_A_YEAR = 12


class DayOfYear(NamedTuple):
    """A day without its year: `July 20`, `the 3rd of May`."""

    month: int
    day: int
    start: int
    end: int

    def covers(self, iso: str) -> bool:
        return iso[5:10] == f"{self.month:02d}-{self.day:02d}"


_DAY_OF_YEAR = re.compile(
    rf"\b(?:{_NO_END}(?P<m>{MONTH})\.?\s{{1,8}}(?P<d>[0-3]?\d)(?:st|nd|rd|th)?|(?P<d2>[0-3]?\d)(?:st|nd|rd|th)?(?:\sof)?\s{{1,8}}(?P<m2>{MONTH}))\b(?![/-]?\d|,?\s{{1,8}}(?:of\s)?(?:19|20)\d\d)",
    re.I,
)


def days_of_year(text: str, start: int, end: int) -> Iterator[DayOfYear]:
    """Yield the days of a month that are written without a year."""
    for match in _DAY_OF_YEAR.finditer(text, start, end):
        month, day = match["m"] or match["m2"], match["d"] or match["d2"]
        yield DayOfYear(_MONTHS[month.casefold()], int(day), *match.span())


_CLAUSE = re.compile(r"[.;!?]\s")
_BEFORE = 120
"""Characters before a period in which the text may say that it is being planned."""


class PeriodReader:
    def __init__(self, words: Wordbook) -> None:
        def compiled(expression: str) -> re.Pattern[str]:
            return re.compile(expression, re.I)

        some = words.either
        self._months_in = {
            unit.casefold(): months
            for group, months in (
                ("month_units", 1),
                ("quarter_units", 3),
                ("year_units", 12),
                ("half_years", 6),
            )
            for unit in words[group]
        }
        units = some("month_units", "quarter_units", "year_units")
        self._span = compiled(
            rf"\b(?:{some('over')})\s{{1,8}}(?:the\s{{1,8}})?(?:a\s{{1,8}})?(?:(?:{some('coming')})\s{{1,8}}(?:the\s{{1,8}})?)?"
            rf"(?:(?P<n>{NUMERAL})(?:\s{{1,8}}|-)(?P<unit>{units})s?\b|(?P<one>{some('half_years')}|{units})\b)"
        )
        self._plan = compiled(rf"\b(?P<n>{NUMERAL})[- ](?P<unit>month) (?:{some('plans')})\b")
        self._passing = compiled(rf"(?:{some('passing')})\s{{1,8}}an?\s")
        self._planned = compiled(rf"\$|\b(?:{some('planned')})\b")
        self._deadline = compiled(
            rf"\b(?:{some('by')})\s{{1,8}}(?P<when>(?:(?:{some('parts')})(?:\s{{1,8}}|(?<=-))){{0,5}}"
            rf"(?:(?:{MONTH})\b\.?(?:\s{{1,8}}\d{{1,2}}(?:st|nd|rd|th)?\b)?(?:,?\s{{1,8}}\d{{4}}\b)?"
            rf"|\d{{1,2}}(?:st|nd|rd|th)?\s{{1,8}}(?:of\s{{1,8}})?(?:{MONTH})\b(?:,?\s{{1,8}}\d{{4}}\b)?"
            r"|\d{4}-\d{2}-\d{2}\b|\d{1,2}/\d{1,2}(?:/\d{2,4})?\b"
            rf"|(?:{CALENDAR.either('weekdays')}|{some('moments')})\b))"
            rf"|\b(?P<within>(?:{some('within')}) (?:(?:{some('within_about')}) )?(?:{NUMERAL})[- ](?:business )?(?:days?|weeks?)"
            rf"|within (?:{some('soon')}))\b"
        )

    def months(self, text: str) -> int | None:
        match = self._span.search(text) or self._plan.search(text)
        if match is None:
            return None
        groups = match.groupdict()
        if groups.get("one"):
            if self._passing.match(match[0]) and not self._is_planned(text, match.start()):
                return None
            return self._months_in[groups["one"].casefold()]
        return (number_of(groups["n"]) or 0) * self._months_in[groups["unit"].casefold()] or None

    def deadline(self, text: str) -> str | None:
        match = self._deadline.search(text)
        return None if match is None else " ".join((match["when"] or match["within"]).split()).rstrip(".")

    def _is_planned(self, text: str, position: int) -> bool:
        """Tell whether a period is planned. "In a year" alone is how long something takes; with money or a
        plan in its clause, the period is part of the demand."""
        clause = _CLAUSE.split(text[max(0, position - _BEFORE) : position])[-1]
        return self._planned.search(clause) is not None


_PERIODS = PeriodReader(vocabulary("periods"))
months = _PERIODS.months
"""The function that returns how many months a text plans for."""
deadline = _PERIODS.deadline
"""The function that returns the deadline in a text, as written."""


def day_words(moment: str) -> str:
    """Return a date in words, such as "May 3, 2026"."""
    day = date.fromisoformat(moment[:10])
    return f"{day:%B} {day.day}, {day.year}"
