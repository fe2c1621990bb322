"""How long lies between the days that a stretch names, and times of which the word stands beside another: `498 and 552 days, on average 525`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import combinations, islice, pairwise
from typing import NamedTuple

from drr.eval.checks.base import Span
from drr.wording.dates import DAYS_IN, When, dates
from drr.wording.numbers import SPOKEN, number_said

_TIMES = r"(?P<t>day|night|week|month|year)s?"
_NUMBER = re.compile(rf"(?<![\w.,$€£¢#/-])(?P<n>{SPOKEN}|\d{{1,3}}(?:,\d{{3}})?)(?![\w%¢/-]|[.,]\d)", re.I)
_UNIT = re.compile(rf"[\s-]{_TIMES}\b", re.I)
_ALONE = re.compile(r"[\s*_]{0,3}(?:$|[.,;:)]|(?:and|or|to|then|on|in)\b)", re.I)
"""Behind a number that has no word of its own."""
_AND = re.compile(r",?\s(?:and\s)?(?:(?:about|around|roughly|some|almost|nearly)\s)?")
"""Between two times that are one."""
_MOST = 8
"""Days, and times, that are held against each other."""


class Lasting(NamedTuple):
    many: float
    time: str


def times_between(text: str, span: Span) -> list[Lasting]:
    """From each day that is named to each later one, in days; where only months are, in months."""
    named = [one for one in islice(dates(text, *span), _MOST) if one.month is not None]
    return [lasting for one, other in combinations(named, 2) if (lasting := _between(one, other)) is not None]


def _between(one: When, other: When) -> Lasting | None:
    months = abs(12 * (other.year - one.year) + (other.month or 0) - (one.month or 0))
    if one.day is None or other.day is None:
        return Lasting(float(months), "month") if months else None
    try:
        days = abs((_day(other) - _day(one)).days)
    except ValueError:  # no such day
        return None
    return Lasting(float(days), "day") if days else None


def _day(one: When) -> date:
    return date(one.year, one.month or 1, one.day or 1)


def times_listed(text: str, sentences: Iterable[Span]) -> Iterator[Lasting]:
    """Times as each sentence lists them, with those that leave out the word of the others, and their mean; of two that are joined both."""
    for low, high in sentences:
        found = list(islice(_NUMBER.finditer(text, low, high), _MOST))
        units = [_UNIT.match(text, match.end(), high) for match in found]
        yield from _joined(text, found, units)
        said = {unit["t"].casefold() for unit in units if unit is not None}
        if len(said) == 1:
            some = [
                number_said(match["n"])
                for match, unit in zip(found, units, strict=True)
                if unit is not None or _ALONE.match(text, match.end(), high)
            ]
            yield from _of_one_time(some, said.pop())


def _of_one_time(some: Sequence[float], time: str) -> Iterator[Lasting]:
    yield from (Lasting(one, time) for one in some)
    yield from (Lasting(sum(some[:size]) / size, time) for size in range(2, len(some) + 1))


def _joined(
    text: str, found: Sequence[re.Match[str]], units: Sequence[re.Match[str] | None]
) -> Iterator[Lasting]:
    """`four years and about three weeks`, in days."""
    for (one, other), (first, second) in zip(pairwise(found), pairwise(units), strict=True):
        if first is None or second is None or _AND.fullmatch(text, first.end(), other.start()) is None:
            continue
        both = (
            (number_said(match["n"]), unit["t"].casefold()) for match, unit in ((one, first), (other, second))
        )
        yield Lasting(sum(many * DAYS_IN.get(time, 1.0) for many, time in both), "day")
