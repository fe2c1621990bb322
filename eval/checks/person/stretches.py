"""Stretches of time in which a sentence counts orders: `from 2018 to 2021`, `since September 15, 2021`, `the first half of 2020`, `the last three years`."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from itertools import islice, pairwise

from drr.eval.checks.base import Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.person.history import History
from drr.wording.dates import DAYS_IN, When
from drr.wording.numbers import SPOKEN, number_said

Stretch = tuple[date, date]
_ASIDE = r"(?:\s?\([^()]{0,90}\))?"
_LEAD = (
    r"(?:(?:in|on|about|early|late|mid|the|(?:the\s)?(?:end|start|beginning|middle)\sof)[\s-]){0,2}[*_]{0,3}"
)
_TO = re.compile(
    rf"[*_]{{0,3}}{_ASIDE},?(?:\s(?:to|until|till|through|and|up\sto)\s|\s?[–—-]\s?){_LEAD}", re.I
)
"""Between the two ends of a stretch."""
_FROM = re.compile(rf"\b(?:since|after|from|starting|beginning|following)\s{_LEAD}$", re.I)
_ONWARDS = re.compile(
    r"[*_]{0,3}(?:\s(?:on|onwards?|forward)\b|\s(?:or|and)\s(?:later|after|since|newer)\b)", re.I
)
_UP_TO = re.compile(rf"\b(?:before|until|till|by|through|up\sto|prior\sto|to)\s{_LEAD}$", re.I)
_OR_BEFORE = re.compile(r"[*_]{0,3}\s(?:or|and)\s(?:earlier|before|older)\b", re.I)
_NTH = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3, "last": -1, "final": -1}  # fmt: skip
_PART = re.compile(
    rf"\b(?:(?P<nth>{'|'.join(_NTH)})[\s-](?P<part>half|quarter)|(?P<short>[QH])(?P<n>[1-4])|(?P<season>spring|summer|autumn|fall|winter)|(?P<end>early|late|mid))\b",
    re.I,
)
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_LATELY = re.compile(
    rf"\b(?:last|past|previous|recent)\s(?:(?P<n>\d{{1,3}}|{SPOKEN})\s)?(?P<unit>days?|weeks?|months?|years?)\b",
    re.I,
)
_WITHIN = re.compile(
    rf"\b(?P<n>\d{{1,3}}|{SPOKEN})\s(?P<unit>days?|weeks?|months?|years?)\s(?:of|from|after|following|before|to|leading\sup\sto)\s[*_]{{0,3}}$",
    re.I,
)
_COLON = re.compile(
    r"(?::|=|\s[–—-])[\s*_]{1,4}(?:(?:that|which|it|makes?|is|adds?|up|comes?|to|a|total|of|together)\s){0,5}$",
    re.I,
)
_COUNT = re.compile(rf"(?<![\w.,$#/-])(?P<n>\d{{1,3}}|{SPOKEN})(?![\w%-]|[.,/]\d)", re.I)
_NEAR = 48
_MOST = 8
_SLACK = 3
"""Days by which a stretch of so many months may be longer."""


def first_day(when: When) -> date | None:
    return _day(when.year, when.month or 1, when.day or 1)


def last_day(when: When) -> date | None:
    if when.day is not None:
        return first_day(when)
    month = when.month or 12
    return _day(when.year, month, monthrange(when.year, month)[1]) if 1 <= month <= 12 else None


def stretches(body: str, span: Span, whens: Sequence[When], today: date) -> list[Stretch]:
    """Every one that a sentence may say, its own days among them or not."""
    some = sorted((one for one in islice(whens, _MOST) if first_day(one)), key=lambda one: one.start)
    found = [*_between(body, some), *_parts(body, span, some), *_lately(body, span, today)]
    for one in some:
        low, high = first_day(one), last_day(one)
        if low is None or high is None:
            continue
        before = body[max(span[0], one.start - _NEAR) : one.start]
        if _FROM.search(before) or _ONWARDS.match(body, one.end, span[1]):
            found += [(low, today), (high + timedelta(days=1), today)]
        if _UP_TO.search(before) or _OR_BEFORE.match(body, one.end, span[1]):
            found += [(date.min, high), (date.min, low - timedelta(days=1))]
        if (within := _WITHIN.search(before)) is not None:
            far = timedelta(days=_length(within) + _SLACK)
            found += [(low, high + far), (low - far, high)]
    return [one for one in found if one[0] <= one[1]]


def counts_in_stretches(cast: Cast, history: History, span: Span) -> set[int]:
    """How many orders there are in each of them."""
    said = stretches(cast.body, span, cast.prose.dates(*span), history.today)
    return {sum(low <= one.day <= high for one in history.orders) for low, high in said}


def counts_in_times(cast: Cast, history: History, span: Span, category: str) -> set[int]:
    """How many orders there are in each of them, and how many of a category in each time that a sentence says."""
    whens = cast.prose.dates(*span)
    of_it = [one for one in history.orders if one.product is not None and one.product.category == category]
    found = counts_in_stretches(cast, history, span)
    for low, high in stretches(cast.body, span, whens, history.today):
        found.add(sum(low <= one.day <= high for one in of_it))
    return found | {sum(when.covers(one.order.order_date) for one in of_it) for when in whens}


def is_sum_behind_a_colon(body: str, span: Span, at: int, value: float) -> bool:
    """`Hay six times, filters seven, lights six: 19 orders`: what stands behind the colon is all of what stands before it."""
    colon = _COLON.search(body, span[0], at)
    if colon is None:
        return False
    counts = [number_said(match["n"]) for match in _COUNT.finditer(body, span[0], colon.start())]
    return len(counts) > 1 and value == sum(counts)


def _between(body: str, some: Sequence[When]) -> Iterator[Stretch]:
    for one, other in pairwise(some):
        low, high = first_day(one), last_day(other)
        if low and high and _TO.fullmatch(body, one.end, other.start):
            yield low, high
            yield low, (first_day(other) or high) - timedelta(days=1)


def _parts(body: str, span: Span, some: Iterable[When]) -> Iterator[Stretch]:
    """Halves, quarters and seasons of the years that are said."""
    years = list(dict.fromkeys(one.year for one in some))
    for match in islice(_PART.finditer(body, *span), _MOST) if years else ():
        for year in years:
            yield from _part_of(year, match)


def _part_of(year: int, match: re.Match[str]) -> Iterator[Stretch]:
    if match["season"]:
        month = _SEASONS[match["season"].casefold()]
        yield _months(year, month, 3)
        if month == _SEASONS["winter"]:
            yield _months(year - 1, month, 3)
    elif match["end"]:
        late = match["end"].casefold() == "late"
        for many in (3, 4, 6):
            yield _months(year, 13 - many if late else 1, many)
        yield _months(year, 4, 6)
    else:
        long = (match["part"] or "").casefold() == "half" or (match["short"] or "").casefold() == "h"
        many = 6 if long else 3
        nth = int(match["n"]) - 1 if match["n"] else _NTH[match["nth"].casefold()]
        parts = 12 // many
        if nth < parts:
            yield _months(year, 1 + many * (nth % parts), many)


def _months(year: int, month: int, many: int) -> Stretch:
    """So many whole months from one on."""
    last = month + many - 1
    end_year, end_month = year + (last - 1) // 12, (last - 1) % 12 + 1
    return date(year, month, 1), date(end_year, end_month, monthrange(end_year, end_month)[1])


def _lately(body: str, span: Span, today: date) -> Iterator[Stretch]:
    for match in islice(_LATELY.finditer(body, *span), _MOST):
        far = timedelta(days=min(_length(match), 20_000))
        yield today - far, today
        yield today - far + timedelta(days=1), today


def _length(match: re.Match[str]) -> float:
    unit = match["unit"].casefold().rstrip("s")
    return (number_said(match["n"]) if match["n"] else 1) * DAYS_IN[unit]


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
