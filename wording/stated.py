"""Every figure that a sentence states, in digits or in words, and whether other texts have it beside the same word.

Where a text may hold no figure but those of its sources, none may slip through: what may be one counts as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from drr.wording.dates import dates
from drr.wording.money import every_amount
from drr.wording.numbers import SPOKEN, number, spoken
from drr.wording.ratings import RATINGS
from drr.wording.units import UNITS
from drr.wording.vocabulary import Wordbook, vocabulary

Kind = Literal["money", "rating", "date", "number"]
_DIGITS = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_SPOKEN = re.compile(rf"(?<![\w]){SPOKEN}(?![\w])", re.I)
_SMALL = 12
"""Up to here a number in words beside no unit is a manner of speaking: two of them, one for each room."""
_WORD = re.compile(r"[A-Za-z%°\"']+")
_NO_NEIGHBOURS = frozenset(("to", "or", "and", "by", "x", "about", "of", "a", "an", "the"))
_NEAR = 16
"""Characters in which the word beside a figure begins."""


class StatedFigure(NamedTuple):
    kind: Kind
    start: int
    end: int
    value: float | None
    """`None` for one in words that come to no number by themselves."""


class StatedReader:
    def __init__(self, words: Wordbook) -> None:
        signs, currencies = words.either("signs"), words.either("currencies")
        self._signed = re.compile(
            rf"(?:{signs})\s?[\d.,]*\d|(?<![\d.,])[\d.,]*+(?<=\d)\s?(?:{signs}|(?:{currencies})\b)|\b(?:{SPOKEN})[\s-](?:{currencies})\b",
            re.I,
        )
        self._large = re.compile(rf"\b(?:{words.either('large', 'parts')})\b", re.I)
        self._measured = re.compile(rf"[\s-]{{1,3}}(?:{words.either('measured')})\b", re.I)
        self._of_five = re.compile(r"\b\d(?:\.\d+)?\s?(?:/\s?5|out of (?:5|five))(?!\d)", re.I)

    def figures(self, text: str) -> list[StatedFigure]:
        """Each once, in order; where two readings overlap, the one that says most."""
        found: list[StatedFigure] = []
        for one in self._all(text):
            if not any(one.start < other.end and other.start < one.end for other in found):
                found.append(one)
        return sorted(found, key=lambda one: one.start)

    def _all(self, text: str) -> Iterator[StatedFigure]:
        for amount in every_amount(text):
            yield StatedFigure("money", amount.start, amount.end, amount.value)
        for match in self._signed.finditer(text):
            yield StatedFigure("money", *match.span(), None)
        for match in self._of_five.finditer(text):
            yield StatedFigure("rating", *match.span(), None)
        for place in RATINGS.places(text):
            yield StatedFigure("rating", *place, None)
        for when in dates(text, 0, len(text)):
            if when.month is not None:
                yield StatedFigure("date", when.start, when.end, None)
        for match in _DIGITS.finditer(text):
            yield StatedFigure("number", *match.span(), number(match[0]))
        for match in _SPOKEN.finditer(text):
            value = float(spoken(match[0]))
            if value > _SMALL or self._is_measured(text, match.end()):
                yield StatedFigure("number", *match.span(), value)
        for match in self._large.finditer(text):
            yield StatedFigure("number", *match.span(), None)

    def _is_measured(self, text: str, end: int) -> bool:
        """Tell whether a unit or more of a number follows."""
        if self._measured.match(text, end):
            return True
        after = re.match(r"[\s-]{1,3}([A-Za-z]+)", text[end : end + 24])
        return after is not None and (
            UNITS.named(after[1]) is not None or _SPOKEN.fullmatch(after[1]) is not None
        )


class HeldFigures:
    """The figures of some texts, each with the words beside it."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._beside: dict[float, set[str]] = {}
        self._days: set[tuple[int, int | None, int | None]] = set()
        for text in texts:
            self._read(text)

    def _read(self, text: str) -> None:
        for match in _DIGITS.finditer(text):
            self._beside.setdefault(number(match[0]), set()).update(_neighbours(text, *match.span()))
        for match in _SPOKEN.finditer(text):
            self._beside.setdefault(float(spoken(match[0])), set()).update(_neighbours(text, *match.span()))
        for when in dates(text, 0, len(text)):
            self._days |= {(when.year, when.month, when.day), (when.year, when.month, None)}

    def has(self, text: str, figure: StatedFigure) -> bool:
        """The same number beside the same word, or the same day. An amount or a rating is nobody's: those go by product."""
        if figure.kind == "date":
            days = [(one.year, one.month, one.day) for one in dates(text, figure.start, figure.end)]
            return bool(days) and all(one in self._days for one in days)
        if figure.kind != "number" or figure.value is None or figure.value not in self._beside:
            return False
        return bool(_neighbours(text, figure.start, figure.end) & self._beside[figure.value])


def _neighbours(text: str, start: int, end: int) -> set[str]:
    """The telling words right behind and right before."""
    after = _first(_WORD.finditer(text, end, min(len(text), end + 3 * _NEAR)), end)
    before = _last(list(_WORD.finditer(text, max(0, start - 2 * _NEAR), start)), start)
    return {word for word in (after, before) if word}


def _first(matches: Iterable[re.Match[str]], end: int) -> str | None:
    for match in matches:
        if match[0].casefold() not in _NO_NEIGHBOURS:
            return ">" + _stem(match[0]) if match.start() - end <= _NEAR else None
    return None


def _last(matches: Sequence[re.Match[str]], start: int) -> str | None:
    for match in reversed(matches):
        if match[0].casefold() not in _NO_NEIGHBOURS:
            return "<" + _stem(match[0]) if start - match.end() <= _NEAR else None
    return None


def _stem(word: str) -> str:
    unit = UNITS.named(word)
    if unit is not None:
        return unit.name
    word = word.casefold().strip("'\"")
    return word[:-2] if word.endswith("es") and len(word) > 4 else word.removesuffix("s")


def without(text: str, found: Sequence[StatedFigure], instead: str) -> str:
    """The text with other words in the place of these figures."""
    for one in sorted(found, key=lambda one: -one.start):
        text = f"{text[: one.start]}{instead}{text[one.end :]}"
    return text


STATED = StatedReader(vocabulary("stated"))
