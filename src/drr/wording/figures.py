"""Reads the figures of a text with unit, decimals and hedge (a word such as "about"), for comparing two texts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from drr.wording.vocabulary import Wordbook, WordGroup, any_word_pattern, first_letters, vocabulary

_WORDS = vocabulary("numbers")
CARDINALS = _WORDS["cardinals"]
_VALUES = {word: value for value, word in enumerate(CARDINALS)}

WHOLE = r"(?:\d{1,3}(?:,\d{3}){1,6}|\d{1,18})"
"""A regular expression for whole numbers: `1299`, `1,299`."""
DIGITS = rf"(?:{WHOLE}(?:\.\d{{1,18}})?)"
"""A regular expression for numbers in digits: `1,299.50`."""


def cardinal_words(low: int = 0, high: int = len(CARDINALS) - 1) -> str:
    """Return the words for the numbers from `low` to `high`, as alternatives of a regular expression."""
    return any_word_pattern(CARDINALS[low : high + 1])


NUMERAL = rf"(?:\d{{1,3}}|{cardinal_words()})"
"""A regular expression for small numbers in digits or words: `3`, `three`."""


def number(digits: str) -> float:
    """Convert digits such as `1,299.50` to a number."""
    return float(digits.replace(",", ""))


def number_of(word: str) -> int | None:
    """Convert a small number in digits or a word to an integer: `3`, `three`; otherwise `None`."""
    return int(word) if word.isdecimal() else _VALUES.get(word.casefold())


SMALL = {word: value for word, value in _VALUES.items() if 1 <= value <= 9}
_TEENS = {word: 13 + place for place, word in enumerate(_WORDS["teens"])}
TENS = {word: 10 * (2 + place) for place, word in enumerate(_WORDS["tens"])}
_TO_TWELVE = {word: value for word, value in _VALUES.items() if value}
_TO_HUNDRED = rf"(?:(?:{any_word_pattern(TENS)})(?:[\s-](?:{any_word_pattern(SMALL)}))?|{any_word_pattern(_TEENS)}|{any_word_pattern(_TO_TWELVE)})"
_HUNDREDS = rf"(?:(?:a|{any_word_pattern(SMALL)}|{any_word_pattern(_TEENS)}|eleven|twelve)\s)?hundred(?:\s(?:and\s)?{_TO_HUNDRED})?"
_THOUSANDS = rf"(?:a|{_TO_HUNDRED})\sthousand(?:,?\s(?:and\s)?(?:{_HUNDREDS}|{_TO_HUNDRED}))?"
_DOZENS = rf"(?:half\sa|a\shalf|a|{any_word_pattern(SMALL)})\sdozen"
NUMBER_WORDS = ("a ", "half", "hundred", *TENS, *_TEENS, *_TO_TWELVE)
"""Beginnings of every text that `SPOKEN` matches."""
_BEGINS = rf"(?=[{first_letters(NUMBER_WORDS)}](?:\s|{any_word_pattern(word[1:4] for word in NUMBER_WORDS)}))"
"""A check of the first letters, which rules out nearly every other word quickly."""
_VAGUE = r"(?<!couple )(?<!couple of )(?<!few )(?<!several )(?<!half of )(?<!third of )(?<!quarter of )"
"""The condition that no word before a hundred makes it inexact or a part: `a couple hundred`, `a quarter of a thousand`."""
SPOKEN = rf"(?:{_BEGINS}{_VAGUE}(?:{_THOUSANDS}|{_HUNDREDS}|{_DOZENS}|{_TO_HUNDRED}))"
"""A regular expression for whole numbers in words, from one on: `forty-one`, `a hundred and ten`, `two thousand`, `a dozen`."""


def spoken_number(words: str) -> int:
    """Convert a text that `SPOKEN` matches to a number."""
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
    """Convert digits or words to a number: `1,299.50`, `forty-one`."""
    return number(text) if text[-1].isdigit() else float(spoken_number(text))


class MeasureUnit(NamedTuple):
    name: str
    kind: str
    """The kind of quantity: length, weight, volume, ..."""
    base: float
    """The size of the unit in the base unit of its kind."""


class UnitReader:
    def __init__(self, words: Wordbook) -> None:
        self._forms = {
            form.casefold(): _measure_unit(name, group)
            for name, group in words.groups.items()
            for form in (*group.words, *group.more.get("loose", ()))
        }

    def forms(self, *kinds: str) -> str:
        """Return the units of some kinds as alternatives of a regular expression."""
        return _pattern_of_any(form for form, unit in self._forms.items() if unit.kind in kinds)

    def named(self, form: str) -> MeasureUnit | None:
        """Return the unit that a word or sign beside a figure stands for, or `None`."""
        return self._forms.get(form.casefold())


def _measure_unit(name: str, group: WordGroup) -> MeasureUnit:
    return MeasureUnit(name, group.more["kind"], group.more["base"])


def _pattern_of_any(forms: Iterable[str]) -> str:
    return "|".join(map(_form, sorted(forms, key=len, reverse=True)))


def _form(form: str) -> str:
    """Return the regular expression of a unit: a word ends at a word boundary; a sign may stand before anything."""
    return re.escape(form) + (r"\b" if form[-1].isalnum() else "")


UNITS = UnitReader(vocabulary("units"))


class Hedges:
    """The hedges of a vocabulary (words such as "about"), as parts of regular expressions."""

    def __init__(self, words: Wordbook) -> None:
        self.firsts = (*words["near"], *words["signs"])
        self.near = rf"(?:\b(?:{words.either('near')})\s{{1,8}}|(?:{words.either('signs')})\s?)"
        """A hedge that makes a figure inexact in either direction."""
        near_words = words.either("near", "loose", "above", "below")
        signs = words.either("signs", "above_signs", "below_signs")
        self.before = re.compile(
            rf"(?:\b(?:{near_words})\s{{1,8}}|(?<![\w\"/=-])(?:{signs})\s?)\\?\$?\s?$", re.I
        )
        """Any hedge at the end of the text before a figure."""

    def ahead(self, text: str, start: int) -> bool:
        """Tell whether a hedge stands right before a figure."""
        return self.before.search(text, max(0, start - _HEDGED_WITHIN), start) is not None


_HEDGED_WITHIN = 16
"""Characters before a figure in which a hedge makes it inexact."""
HEDGES = Hedges(vocabulary("hedges"))


_CENTS = 2
"""Decimal places of an amount to the cent."""
_CONVERTED = 0.02
"""The share by which a unit's factor may differ; 5 of one unit are still not 5 of another."""
_EXACT = 1e-9
HEDGED = 0.05
"""The share by which a hedged figure may differ."""
STARS = 0.0501
"""The difference allowed between stars, which are shown with one decimal."""


def money_slack(*, whole: bool) -> float:
    """Return half of the last place shown: of a dollar if no cents are written, else of a cent."""
    return (0.5 if whole else 0.005) + 1e-6


def same_stars(stated: float, known: float) -> bool:
    return abs(stated - known) <= STARS


class Quantity(NamedTuple):
    """A number with its unit, or an amount of money, as a text states it."""

    value: float
    kind: str | None
    """The kind of quantity: length, weight, ..., money; `None` for a bare count."""
    base: float
    """The value in the base unit of its kind."""
    decimals: int
    """Decimal places shown: of a dollar 2 for `$4.50` and `58 cents`, 3 for `11.7 cents`."""
    hedged: bool
    text: str
    start: int
    """The position where it begins; of an amount of money, with its hedge."""
    stop: int
    """The position where the number ends."""
    end: int
    """The position where the unit ends."""
    approx: bool = False
    """True if an amount of money is not exact in either direction."""
    unit: MeasureUnit | None = None
    form: str = ""
    """The word or sign behind the number, which may be a unit."""
    in_words: bool = False

    @property
    def whole(self) -> bool:
        """Tell whether an amount is written without cents."""
        return not self.decimals

    @property
    def tolerance(self) -> float:
        """Return how far the true amount may be from an amount of money as written."""
        if self.decimals > _CENTS and not self.approx:
            return 0.5 * 10.0**-self.decimals + _EXACT
        return money_slack(whole=self.whole or self.approx)


def same_number(claimed: Quantity, stated: Quantity) -> bool:
    """Tell whether two figures agree up to the claim's rounding. A hedged figure may differ by 5 %; if both have units, these must be of one kind."""
    if claimed.kind != stated.kind and (
        None not in (claimed.kind, stated.kind) or "money" in (claimed.kind, stated.kind)
    ):
        return False
    known = stated.value
    if claimed.kind is not None and stated.kind is not None:
        if claimed.value == stated.value and abs(claimed.base - stated.base) > _CONVERTED * abs(stated.base):
            return False
        known = stated.base * claimed.value / claimed.base if claimed.value else stated.base
    slack = _slack(claimed, stated)
    if claimed.hedged:
        slack = max(slack, HEDGED * abs(known))
    return abs(claimed.value - known) <= slack + _EXACT


def _slack(claimed: Quantity, stated: Quantity) -> float:
    """Return the difference allowed by rounding. It is half of the last place shown, if the other figure can have been rounded to it; a bare count is exact."""
    if claimed.kind == "money":
        return money_slack(whole=not claimed.decimals)
    if claimed.kind is None and not claimed.decimals:
        return 0.0
    converted = claimed.kind is not None and claimed.value != stated.value
    return 0.5 * 10**-claimed.decimals if converted or stated.decimals > claimed.decimals else 0.0
