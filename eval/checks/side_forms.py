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
_OF_TWO = re.compile(r"(?:\sone)?\sof\s(?:the|these|those)\s(?:two|pair)\b", re.I)
_LABEL = re.compile(r"[\s*_)\]]{0,4}:[\s*_]{1,4}(?:the\s|slightly\s|much\s|a\sbit\s|also\s){0,2}", re.I)
"""Between the name that an item begins with and what is said of it."""


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
