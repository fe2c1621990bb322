"""Numbers as people write them: in digits with thousands and decimals, and the small ones in words."""

from __future__ import annotations

import re

from drr.wording.vocabulary import either, vocabulary

CARDINALS = vocabulary("numbers")["cardinals"]
_VALUES = {word: value for value, word in enumerate(CARDINALS)}

WHOLE = r"(?:\d{1,3}(?:,\d{3}){1,6}|\d{1,18})"
"""An expression's part: `1299`, `1,299`."""
DIGITS = rf"(?:{WHOLE}(?:\.\d{{1,18}})?)"
"""`1,299.50`"""
NUMBER = re.compile(rf"(?<![\w.,])(?P<n>{DIGITS})(?![\d,]{{0,24}}\d)")


def cardinals(low: int = 0, high: int = len(CARDINALS) - 1) -> str:
    """The words from `low` to `high`, as alternatives of an expression."""
    return either(CARDINALS[low : high + 1])


NUMERAL = rf"(?:\d{{1,3}}|{cardinals()})"
"""`3`, `three`"""


def number(digits: str) -> float:
    """What `1,299.50` comes to."""
    return float(digits.replace(",", ""))


def number_of(word: str) -> int | None:
    """`3`, `three`: the small numbers that people write either way."""
    return int(word) if word.isdecimal() else _VALUES.get(word.casefold())
