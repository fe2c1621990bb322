"""Numbers as people write them: in digits with thousands and decimals, and the small ones in words."""

from __future__ import annotations

import re

from drr.wording.vocabulary import either, first_letters, vocabulary

_WORDS = vocabulary("numbers")
CARDINALS = _WORDS["cardinals"]
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
    """Turn `1,299.50` into a number."""
    return float(digits.replace(",", ""))


def number_of(word: str) -> int | None:
    """`3`, `three`: the small numbers that people write either way."""
    return int(word) if word.isdecimal() else _VALUES.get(word.casefold())


UNITS = {word: value for word, value in _VALUES.items() if 1 <= value <= 9}
_TEENS = {word: 13 + place for place, word in enumerate(_WORDS["teens"])}
TENS = {word: 10 * (2 + place) for place, word in enumerate(_WORDS["tens"])}
_TO_TWELVE = {word: value for word, value in _VALUES.items() if value}
_TO_HUNDRED = rf"(?:(?:{either(TENS)})(?:[\s-](?:{either(UNITS)}))?|{either(_TEENS)}|{either(_TO_TWELVE)})"
_HUNDREDS = (
    rf"(?:(?:a|{either(UNITS)}|{either(_TEENS)}|eleven|twelve)\s)?hundred(?:\s(?:and\s)?{_TO_HUNDRED})?"
)
_THOUSANDS = rf"(?:a|{_TO_HUNDRED})\sthousand(?:,?\s(?:and\s)?(?:{_HUNDREDS}|{_TO_HUNDRED}))?"
_DOZENS = rf"(?:half\sa|a\shalf|a|{either(UNITS)})\sdozen"
NUMBER_WORDS = ("a ", "half", "hundred", *TENS, *_TEENS, *_TO_TWELVE)
"""With which all that is `SPOKEN` begins."""
_BEGINS = rf"(?=[{first_letters(NUMBER_WORDS)}](?:\s|{either(word[1:4] for word in NUMBER_WORDS)}))"
"""One look at the first letters rules out nearly every other word."""
_VAGUE = r"(?<!couple )(?<!couple of )(?<!few )(?<!several )(?<!half of )(?<!third of )(?<!quarter of )"
"""Behind these a hundred is some part or some times of one: `a couple hundred`, `a quarter of a thousand`."""
SPOKEN = rf"(?:{_BEGINS}{_VAGUE}(?:{_THOUSANDS}|{_HUNDREDS}|{_DOZENS}|{_TO_HUNDRED}))"
"""`forty-one`, `a hundred and ten`, `two thousand`, `a dozen`: whole numbers in words, from one on."""


def spoken(words: str) -> int:
    """Turn a whole of `SPOKEN` into a number."""
    parts = words.casefold().replace("-", " ").replace(",", " ").split()
    if parts[-1] == "dozen":
        return 6 if "half" in parts else 12 * (_VALUES.get(parts[0]) or 1)
    whole = part = 0
    for word in parts:
        if word == "thousand":
            whole, part = 1000 * (part or 1), 0
        elif word == "hundred":
            part = 100 * (part or 1)
        else:
            part += TENS.get(word) or _TEENS.get(word) or _VALUES.get(word) or 0
    return whole + part


def written_number(text: str) -> float:
    """Turn digits or words into a number: `1,299.50`, `forty-one`."""
    return number(text) if text[0].isdigit() else float(spoken(text))
