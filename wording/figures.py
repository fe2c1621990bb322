"""Figures of a text with unit, decimals and hedge, for comparing two texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from drr.wording.vocabulary import Wordbook, WordGroup, either, first_letters, vocabulary

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


SMALL = {word: value for word, value in _VALUES.items() if 1 <= value <= 9}
_TEENS = {word: 13 + place for place, word in enumerate(_WORDS["teens"])}
TENS = {word: 10 * (2 + place) for place, word in enumerate(_WORDS["tens"])}
_TO_TWELVE = {word: value for word, value in _VALUES.items() if value}
_TO_HUNDRED = rf"(?:(?:{either(TENS)})(?:[\s-](?:{either(SMALL)}))?|{either(_TEENS)}|{either(_TO_TWELVE)})"
_HUNDREDS = (
    rf"(?:(?:a|{either(SMALL)}|{either(_TEENS)}|eleven|twelve)\s)?hundred(?:\s(?:and\s)?{_TO_HUNDRED})?"
)
_THOUSANDS = rf"(?:a|{_TO_HUNDRED})\sthousand(?:,?\s(?:and\s)?(?:{_HUNDREDS}|{_TO_HUNDRED}))?"
_DOZENS = rf"(?:half\sa|a\shalf|a|{either(SMALL)})\sdozen"
NUMBER_WORDS = ("a ", "half", "hundred", *TENS, *_TEENS, *_TO_TWELVE)
"""Beginnings of everything that `SPOKEN` matches."""
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


class MeasureUnit(NamedTuple):
    name: str
    kind: str
    """length, weight, volume, ..."""
    base: float
    """One of these in its kind's base unit."""


class UnitReader:
    def __init__(self, words: Wordbook) -> None:
        self._forms = {
            form.casefold(): _unit(name, group)
            for name, group in words.groups.items()
            for form in (*group.words, *group.more.get("loose", ()))
        }

    def forms(self, *kinds: str) -> str:
        """Write the units of some kinds as alternatives of an expression."""
        return _either(form for form, unit in self._forms.items() if unit.kind in kinds)

    def named(self, form: str) -> MeasureUnit | None:
        """The unit that a word or mark beside a figure may mean."""
        return self._forms.get(form.casefold())


def _unit(name: str, group: WordGroup) -> MeasureUnit:
    return MeasureUnit(name, group.more["kind"], group.more["base"])


def _either(forms: Iterable[str]) -> str:
    return "|".join(map(_form, sorted(forms, key=len, reverse=True)))


def _form(form: str) -> str:
    """A word ends where it ends; a mark may stand before anything."""
    return re.escape(form) + (r"\b" if form[-1].isalnum() else "")


UNITS = UnitReader(vocabulary("units"))


class Hedges:
    """The hedges of a vocabulary, as parts of expressions."""

    def __init__(self, words: Wordbook) -> None:
        self.firsts = (*words["near"], *words["signs"])
        self.near = rf"(?:\b(?:{words.either('near')})\s{{1,8}}|(?:{words.either('signs')})\s?)"
        """A figure that is not exact, whichever way."""
        near_words = words.either("near", "loose", "above", "below")
        signs = words.either("signs", "above_signs", "below_signs")
        self.before = re.compile(
            rf"(?:\b(?:{near_words})\s{{1,8}}|(?<![\w\"/=-])(?:{signs})\s?)\\?\$?\s?$", re.I
        )
        """Any of them, at the end of what stands before a figure."""
        self.behind = re.compile(
            rf"\+|(?:[\s*_]{{1,3}}[a-z]{{4,12}})?[\s*_]{{0,3}}(?:{words.either('behind')})(?!\w)", re.I
        )
        """Behind a figure, or behind the noun that follows it."""

    def beside(self, text: str, start: int, end: int) -> bool:
        """Tell whether a word before a figure of a text or behind it makes it inexact."""
        before = text[max(0, start - _BEFORE) : start]
        return self.before.search(before) is not None or self.behind.match(text, end) is not None


_BEFORE = 28
"""Characters before a figure in which its hedge stands."""


HEDGES = Hedges(vocabulary("hedges"))


_FIGURE = re.compile(
    rf"(?P<money>\$\s?)?(?<![\w.])(?P<digits>{DIGITS}|\.\d{{1,18}})(?P<k>[kK](?![a-zA-Z]))?"
    r"[\s-]?(?P<unit>%|\"|\u201d|\u2033|'(?!s)|[a-zA-Z]{1,24})?"
)
_WORD = re.compile(rf"\b({cardinals(2)})[\s-]{{1,8}}([a-zA-Z]{{1,24}})?", re.IGNORECASE)
_VULGAR = str.maketrans(
    {
        "\u00bd": " 1/2",
        "\u00bc": " 1/4",
        "\u00be": " 3/4",
        "\u2153": " 1/3",
        "\u2154": " 2/3",
        "\u215b": " 1/8",
    }
)
_FRACTION = re.compile(
    r"(?<![\d./])(?:(\d{1,3})[ -])?(\d{1,2})/([2-9]|1[06]|32)"
    rf"(?=[\s-]?(?:{UNITS.forms('length', 'weight', 'volume')}))",
    re.IGNORECASE,
)
_HEDGED_WITHIN = 16
"""Characters before a figure in which a hedge stands."""


class Number(NamedTuple):
    value: float
    kind: str | None
    """length, weight, ..., money; `None` for a bare count."""
    base: float
    """The value in the base unit of its kind."""
    decimals: int
    hedged: bool
    text: str


def numbers(text: str, *, words: bool = False) -> list[Number]:
    """Find the figures in digits. With `words`, then those in words, which may be no figures at all ("one of the two")."""
    text = _FRACTION.sub(lambda m: f"{int(m[1] or 0) + int(m[2]) / int(m[3]):g}", text.translate(_VULGAR))
    return [*_in_digits(text), *(_in_words(text) if words else ())]


def _in_digits(text: str) -> Iterator[Number]:
    for match in _FIGURE.finditer(text):
        value = number(match["digits"]) * (1000 if match["k"] else 1)
        kind, base = ("money", 1.0) if match["money"] else _measure(match["unit"])
        decimals = len(match["digits"].partition(".")[2])
        hedged = HEDGES.before.search(text, max(0, match.start() - _HEDGED_WITHIN), match.start())
        yield Number(
            value, kind, value * base, decimals, hedged is not None or bool(match["k"]), match[0].strip()
        )


def _in_words(text: str) -> Iterator[Number]:
    for match in _WORD.finditer(text):
        value = float(number_of(match[1]) or 0)
        kind, base = _measure(match[2])
        yield Number(value, kind, value * base, 0, False, match[0].strip())


def _measure(form: str | None) -> tuple[str | None, float]:
    unit = UNITS.named(form or "")
    return (None, 1.0) if unit is None or unit.kind in _COUNTED else (unit.kind, unit.base)


_COUNTED = frozenset(("count", "light", "thickness"))
"""Kinds that a record names in many words; a figure of them is compared as a bare one."""


HEDGED = 0.05
"""Share by which a figure said to be near may be off."""
STARS = 0.0501
"""Stars are shown with one decimal."""
_CONVERTED = 0.02
"""Share by which a unit's factor may be off; 5 of one unit are not 5 of another."""
_EXACT = 1e-9


def money_slack(*, whole: bool) -> float:
    """Half of the last place: a dollar's where no cents are written, else a cent's."""
    return (0.5 if whole else 0.005) + 1e-6


def same_stars(stated: float, known: float) -> bool:
    return abs(stated - known) <= STARS


def same_number(claimed: Number, stated: Number) -> bool:
    """Compare up to the rounding that the claim shows. A hedged number may be 5 % off; units must be of one kind, if both have one."""
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


def _slack(claimed: Number, stated: Number) -> float:
    """Allow half of the last place shown, where the other figure can have been rounded to it. A bare count is exact."""
    if claimed.kind == "money":
        return money_slack(whole=not claimed.decimals)
    if claimed.kind is None and not claimed.decimals:
        return 0.0
    converted = claimed.kind is not None and claimed.value != stated.value
    return 0.5 * 10**-claimed.decimals if converted or stated.decimals > claimed.decimals else 0.0
