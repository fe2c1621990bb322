"""Days beside own orders that need be none of an order: the ends of a span of time, and what no word of buying stands right before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from drr.eval.checks.base import Span
from drr.eval.checks.makers import PlaceNamed
from drr.wording.dates import MONTH, DayOfYear, When
from drr.wording.numbers import NUMERAL
from drr.wording.purchases import PURCHASES

_PART = r"(?:(?:about|early|late|mid|(?:the\s)?(?:end|beginning|start|middle)\sof|the)[\s-])?"
_BETWEEN = re.compile(rf"\bbetween\s[*_]{{0,3}}{_PART}$", re.I)
_AND = re.compile(rf"[*_]{{0,3}}\sand\s[*_]{{0,3}}{_PART}", re.I)
_TO = re.compile(rf"[*_]{{0,3}}(?:\s(?:to|until|till|through)\s|\s?–\s?)[*_]{{0,3}}{_PART}", re.I)
"""Between the ends of a span; `and` only behind `between`."""
_FROM_A_MONTH = re.compile(
    rf"\b(?:between|from)\s{_PART}(?:{MONTH}|\d{{1,2}}|spring|summer|autumn|fall|winter)(?:\s\d{{1,2}})?\s(?:and|to|until|till|through)\s{_PART}$",
    re.I,
)
"""Before the end of a span whose beginning is said without its year: `from December to February 2023`."""
_COUNT_SINCE = re.compile(
    rf"(?<![\w.,$-])(?:{NUMERAL}|times)[*_]{{0,3}}(?:\s[a-z]{{2,12}}){{0,3}},?\ssince\s[*_]{{0,3}}{_PART}$",
    re.I,
)
"""Before the day from which some orders are counted: `15 since 2012-03-02`."""
_SINCE = re.compile(rf"\b(?:since|from|after)\s[*_]{{0,3}}{_PART}$", re.I)
_THEN_COUNTED = re.compile(
    rf"[*_]{{0,3}}(?:\son(?:wards?)?)?,?\s(?:you|there|your|he|she|they|it)(?:['’\s][a-z]{{1,12}}){{1,5}}\s[*_]{{0,3}}(?:{NUMERAL}|once|twice|only|just|another)\b",
    re.I,
)
"""Behind a day from which orders are counted: `Since September 15, 2021 you've placed three`."""
_ONWARDS = re.compile(
    r"[*_]{0,3}\s(?:on(?=[\s,.;)])(?!\s(?:the|an?|your|my|its|\d))|onwards?|forward|(?:or|and)\s(?:later|earlier|before|since|after|older|newer))\b",
    re.I,
)
"""Behind the bound of a time: `from 2021 on`, `2020 or later`."""
_BOUGHT = re.compile(r"\b(?:bought|ordered|purchased|reordered|rebought|placed|orders?|purchases?)\b", re.I)
_THEN = re.compile(
    r"[\s*_\[\]()]{0,4}(?:(?:the|an?|one|two|three|four|five|it|them|this|that|your|my|again|once|twice|back|more|of|on|in|from|dated|\d{1,2})[\s*_\[\]()]{1,4}){0,6}",
    re.I,
)
"""Between a word of buying and its day, without the names of what was bought."""
_NEAR = 300
_LEAD = 40


def ends_of_spans(body: str, span: Span, whens: Sequence[When | DayOfYear]) -> dict[int, int | None]:
    """Where days begin that bound a time (`five orders between December 2014 and July 2022`, `15 since 2012-03-02`), and where the other end does: an order may be of such a day, or none.

    Behind words for the first and the last of some orders they are days of these.
    """
    found: dict[int, int | None] = {}
    for one in whens:
        low = max(span[0], one.start - _LEAD)
        if _FROM_A_MONTH.search(body, low, one.start) or _COUNT_SINCE.search(body, low, one.start):
            found[one.start] = None
        counted = _SINCE.search(body, low, one.start) and _THEN_COUNTED.match(body, one.end, span[1])
        if counted or _ONWARDS.match(body, one.end, span[1]):
            found[one.start] = None
    for one, other in pairwise(sorted(whens, key=lambda each: each.start)):
        before = body[max(span[0], one.start - _NEAR) : one.start]
        joined = (_AND if _BETWEEN.search(before[-_LEAD:]) else _TO).fullmatch(body, one.end, other.start)
        if joined is not None and not (PURCHASES.first(before) and PURCHASES.latest(before)):
            found |= {one.start: other.start, other.start: one.start}
    return found


def is_bought_then(body: str, span: Span, when: When | DayOfYear, named: Iterable[PlaceNamed]) -> bool:
    """Whether a word of buying stands before a day, and nothing but what was bought between: it can be no plan and no expiry."""
    words = list(_BOUGHT.finditer(body, max(span[0], when.start - _NEAR), when.start))
    if not words:
        return False
    between, at = "", words[-1].end()
    for place in sorted(named):
        if at <= place.start < when.start:
            between, at = between + body[at : place.start], max(at, place.end)
    return _THEN.fullmatch(between + body[at : when.start]) is not None
