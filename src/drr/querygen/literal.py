"""Finds the literal parts of a question: ids, states, names, first and last words, and the share of English."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drr.env.languages import is_stop_word, known_language, surfaces
from drr.env.text import tokens
from drr.wording.states import STATE

_ORDER_ID = re.compile(r"(?<!\d)\d{16}(?!\d)")
_PRODUCT_ID = re.compile(r"\bB0[A-Z0-9]{8}\b")
_STATE = re.compile(rf"\b(?:{STATE})\b")
_NAME = re.compile(r"[A-Z][\w'’&-]*(?:\s+(?:&\s+)?[A-Z][\w'’&-]*)*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:]['\")\]]?\s+|\n\s*|[\"“(]\s*)$")
_I = re.compile(r"I['’](?:m|d|ve|ll)")
_LONGEST_NAME = 10
_KNOWN = """I January February March April May June July August September October November December Monday Tuesday Wednesday
    Thursday Friday Saturday Sunday Christmas Thanksgiving Easter Halloween Hanukkah Black Mother's Father's Valentine's Day
    American English French Dutch German Japanese Korean Italian Epsom Wi-Fi Bluetooth USB UV LED HEPA SPF MERV CADR
    Consumer Reports Medicare Energy Star vitamin B C D Celsius Fahrenheit Internet Web OK New Year's Year Eve"""
COMMON_NAMES = frozenset(tokens(_KNOWN))
"""Names that need no record: days, holidays, peoples, units."""
_FREQUENT = """a about after all also and any are as at be because been before but by can compare could do does for from get give good
    have help how i if in is it like look make me more most my need no not of on one or our out over please should so some that the
    their them they this to under up use want was we what when which who why will with would you your"""
_ENGLISH = frozenset(_FREQUENT.split())


def order_ids(text: str) -> list[str]:
    return _ORDER_ID.findall(text)


def product_ids(text: str) -> list[str]:
    return _PRODUCT_ID.findall(text)


def states(text: str) -> list[str]:
    return _STATE.findall(text)


def ends(text: str) -> dict[str, str]:
    """Return the words that a text begins and ends with; every number counts as the same word."""
    words = ["#" if word[0].isdigit() else word for word in tokens(text)]
    return {"begins": " ".join(words[:3]), "ends": " ".join(words[-4:])}


def english_share(text: str) -> float:
    """Return the share of a text's words that are among the most frequent ones of English."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    return sum(word in _ENGLISH for word in words) / max(len(words), 1)


def unlike_language(text: str, language: str | None) -> str | None:
    """Tell where a text lacks frequent words of its language, `None` for English. Of a language without a list of them nothing is known."""
    if language is None:
        share, named = english_share(text), "English"
    elif known_language(language) is None:
        return None
    else:
        words = surfaces(text)
        share, named = (
            sum(is_stop_word(word, language) for word in words) / max(len(words), 1),
            f"`{language}`",
        )
    return None if share >= 0.2 else f"does not read like {named} ({share:.0%} of its words are common ones)"


def names(text: str) -> Iterator[str]:
    """Yield capitalised words except the first word of a sentence, which is capitalised in any case."""
    for match in _NAME.finditer(text):
        name = match[0]
        if _SENTENCE_START.search(text[max(0, match.start() - 8) : match.start()]):
            _, _, name = name.partition(" ")
        words = [
            word for word in name.split() if not ((word.isupper() and len(word) <= 5) or _I.fullmatch(word))
        ]
        if words:
            yield " ".join(words[:_LONGEST_NAME]).rstrip("'’")
