"""Forms in which one side of a comparison is known by its place: the name that an item begins with, the other of two, and the amount before `longer`."""

from __future__ import annotations

import re
from collections.abc import Collection

from drr.eval.checks.base import Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.makers import PlaceNamed
from drr.wording.numbers import DIGITS, SPOKEN

SO_MUCH = re.compile(
    rf"(?:(?:about|around|roughly|nearly|almost|just|only|some)\s)?(?<![\w.,$])(?:{DIGITS}|{SPOKEN}|half\san?)[\s-](?:fl\s)?[a-z]{{1,10}}\s$",
    re.I,
)
"""Before `longer`: by so much of something."""
AN_ARTICLE = re.compile(
    r"\b(?:the|an?|its|their|your|that|this)\s(?:(?:far|much|slightly|rather|even|still|also|clearly|somewhat|considerably|notably|little|bit|by|a)\s){0,3}[*_]{0,3}$",
    re.I,
)
"""Before a word that says what a noun behind it is like: `the far longer record`."""
DEGREES = 40
"""Characters that these have."""
_HELD_BY = re.compile(
    rf"[^.;:!?\d$\n]{{0,40}}[,:(–—]\s?[*_]{{0,3}}(?:(?:with|at|by)\s)?(?:\$\s?\d[\d.,]{{0,9}}|(?:{DIGITS}|{SPOKEN})\s(?:customer\s)?(?:ratings?|reviews?|reviewers|raters|votes|stars?|buyers|people|orders|owners))"
    r"[*_]{0,3}\s(?:to|against|versus|vs\.?|over)\s",
    re.I,
)
"""Behind a comparison: two figures that say what is held against what."""
_IN_BRACKETS = re.compile(r"\s\($")
_CLOSE = 5
_OF_TWO = re.compile(r"(?:\sone)?\sof\s(?:the|these|those)\s(?:two|pair)\b", re.I)
_LABEL = re.compile(r"[\s*_)\]]{0,4}:[\s*_]{1,4}(?:the\s|slightly\s|much\s|a\sbit\s|also\s){0,2}", re.I)
"""Between the name that an item begins with and what is said of it."""


def is_held_by_figures(end: int, text: str, high: int) -> bool:
    """`The far longer record, 488 ratings to 61`: figures behind it, and no measures, say what is compared."""
    return _HELD_BY.match(text, end, high) is not None


def is_label(cast: Cast, one: PlaceNamed, start: int, span: Span) -> bool:
    """Whether an item begins with a name and a colon, and what is said stands right behind them."""
    line = cast.prose.line_at(span[0])
    first = line is not None and line.kind == "item" and span[0] == cast.prose.sentences(line)[0][0]
    return first and _LABEL.fullmatch(cast.body, one.end, start) is not None


def other_of_two(end: int, text: str, mine: Collection[str], named: Collection[str]) -> frozenset[str] | None:
    """`the better liked of the two`: the other thing of two that its paragraph names."""
    if len(mine) != 1 or len(named) != 2 or _OF_TWO.match(text, end) is None:
        return None
    return frozenset(named) - frozenset(mine) if {*mine} < {*named} else None


def closed(text: str, one: PlaceNamed, end: int) -> int:
    """Where a name ends, with the parenthesis that it stands in behind a name of its own."""
    if not _IN_BRACKETS.search(text, max(0, one.start - _CLOSE), one.start):
        return one.end
    close = text.find(")", one.end, end)
    return one.end if close < 0 else close
