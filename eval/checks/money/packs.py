"""By what a price is divided that is said per some unit: what a text counts or measures, and what a record says is in a pack."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.measures import measures_of, packed
from drr.eval.checks.naming import fold, folded_words
from drr.eval.checks.records import record_text
from drr.wording.numbers import DIGITS, SPOKEN, number_said, spoken
from drr.wording.units import UNITS, MeasureUnit

_COUNT = re.compile(r"(?<![\d.,$/])(?P<n>\d{1,4})(?![\d,]*\.?\d)")
WORD_NUMBER = re.compile(rf"\b(?P<n>{SPOKEN})\b", re.I)
SETS = {
    "pair": 2,
    "couple": 2,
    "both": 2,
    "twice": 2,
    "double": 2,
    "two": 2,
    "trio": 3,
    "dozen": 12,
    "half": 2,
}
SET = re.compile(rf"\b(?P<n>{'|'.join(SETS)})s?\b", re.I)
_MEASURE = re.compile(
    rf"(?<![\w.,])(?P<n>{DIGITS}|{SPOKEN})[\s-]?(?P<unit>fl\.?[\s-]oz|fluid[\s-]ounces?|[a-z]{{1,12}}|['\"″])",
    re.I,
)


_SIDES = re.compile(
    rf"(?<![\w.,])(?P<a>{DIGITS})(?:[\s-]?(?:[a-z]{{1,12}}|['\"″]))?\s?(?:x|×|by)\s?(?P<b>{DIGITS})[\s-]?(?P<unit>[a-z]{{1,12}}|['\"″])",
    re.I,
)
_SQUARE = re.compile(
    rf"(?<![\w.,])(?P<n>{DIGITS})[\s-]?(?:square|sq\.?)[\s-]?(?P<unit>[a-z]{{1,12}})\b", re.I
)
_PER_AREA = re.compile(r"(?:square|sq)\b\.?\s?(?P<unit>[a-z]{1,12})?", re.I)
_OF_AREAS = ("foot", "inch", "meter")
"""Of which a square may be where nothing says of which it is."""
_HALF = 0.005


_TOGETHER = {"hundred": 100, "thousand": 1000, "dozen": 12, "pair": 2}
"""Of a cost per hundred pages, how many it is of."""
_IN_A_YEAR = {"month": 12.0, "week": 52.0, "day": 365.0, "quarter": 4.0}


@lru_cache(maxsize=1024)
def divisors(text: str, per: str) -> frozenset[float]:
    """By what a price is divided that is said per some unit, of a text.

    A measure is divided by measures of its kind, anything else ("a bag", "each") by counts.
    """
    many = _TOGETHER.get(per.partition(" ")[0], 1)
    unit = unit_named(per) if per and many == 1 else None
    if unit is None or unit.kind == "count":
        whole = _of_sets(text, per) if many > 1 else set()
        return frozenset({one / many for one in _counts_of(text)} | whole) | areas(text, per)
    found = set()
    for value, other in _measured(text):
        if other.kind == unit.kind or ("ounce" in unit.name and "ounce" in other.name):
            found.add(value * other.base / (unit.base if other.kind == unit.kind else other.base))
    return frozenset(one for one in found if one) | areas(text, per)


@lru_cache(maxsize=1024)
def areas(text: str, per: str) -> frozenset[float]:
    """Of a cost per square foot, how many a text says, and how many its lengths by its widths are: `32 x 20 inches`."""
    asked = _PER_AREA.fullmatch(per)
    if asked is None:
        return frozenset()
    units = [UNITS.named(one) for one in ([asked["unit"]] if asked["unit"] else _OF_AREAS)]
    found = [(number_said(one["n"]), one["unit"]) for one in _SQUARE.finditer(text)]
    found += [(number_said(one["a"]) * number_said(one["b"]), one["unit"]) for one in _SIDES.finditer(text)]
    known = [(many, UNITS.named(word)) for many, word in found if many]
    return frozenset(
        many * (side.base / unit.base) ** 2
        for many, side in known
        for unit in units
        if side is not None and unit is not None and side.kind == unit.kind == "length"
    )


def is_rounded(number: float) -> bool:
    """Whether it is written to hundredths, and those matter little."""
    return number >= 1 and round(number, 2) == number != round(number, 1)


def parts_of(amount: float, by: float, meant: float) -> Iterator[float]:
    """An amount by a number; by one that is rounded to hundredths it may be anything between, and is then the nearest to what is meant."""
    yield amount / by
    if is_rounded(by):
        yield min(max(meant, amount / (by + _HALF)), amount / (by - _HALF))


@lru_cache(maxsize=1024)
def _counts_of(text: str) -> frozenset[float]:
    """What a text counts, in digits, in words and as sets, whatever it is divided by."""
    found = {float(match["n"]) for match in _COUNT.finditer(text)}
    found |= {float(spoken(match["n"])) for match in WORD_NUMBER.finditer(text)}
    found |= {float(SETS[match["n"].casefold()]) for match in SET.finditer(text)}
    return frozenset(one for one in found if one >= 2)


@lru_cache(maxsize=1024)
def _measured(text: str) -> tuple[tuple[float, MeasureUnit], ...]:
    """The figures of a text that have a unit, whichever a cost is per."""
    found = []
    for match in _MEASURE.finditer(text):
        unit = UNITS.named(match["unit"].replace("-", " ")) or UNITS.named(match["unit"].split()[0])
        if unit is not None:
            found.append((number_said(match["n"]), unit))
    return tuple(found)


@lru_cache(maxsize=1024)
def _of_sets(text: str, per: str) -> frozenset[float]:
    """How many of a set a text counts: `ten pairs`."""
    named = per.partition(" ")[0].rstrip("s")
    counted = re.compile(rf"(?<![\w.,])(?P<n>{DIGITS}|{SPOKEN})[\s-]{re.escape(named)}s?\b", re.I)
    return frozenset({number_said(match["n"]) for match in counted.finditer(text)} - {1.0})


_ANY_UNIT = frozenset(["", "unit", "item", "piece", "each", "pc", "one"])


_SIZE = re.compile(
    r"\b(?:size|count|number of|pieces|pack|capacity|volume|length|quantity|servings|loads|coverage)\b", re.I
)


def record_divisors(product: Product, per: str, around: frozenset[float]) -> frozenset[float]:
    """How much is in a pack: by its title and its size; where those do not say, by the rest of the record and the text around."""
    found = _held_by(product, per)
    return found.values | around if found.left_open else found.values


class _Held(NamedTuple):
    """How much of a unit a record says to be in a pack."""

    values: frozenset[float]
    left_open: bool
    """Neither title nor size says it: the text around may."""


@lru_cache(maxsize=1024)
def _held_by(product: Product, per: str) -> _Held:
    details = [
        (key, str(value)) for key, value in product.details.items() if isinstance(value, (str, int, float))
    ]
    sizes = (value for key, value in details if _SIZE.search(key))
    named = "\n".join([product.title, *sizes])
    held = _of_unit(product, per, named, details)
    return held._replace(values=held.values | areas(named, per))


def _of_unit(product: Product, per: str, named: str, details: Sequence[tuple[str, str]]) -> _Held:
    unit = unit_named(per) if per else None
    if per and unit is None and per not in _ANY_UNIT and not _names(product, per):
        return _Held(
            frozenset(one.value for one in measures_of(record_text(product)) if one.value), left_open=True
        )
    if unit is None or unit.kind == "count":
        return _counted(named, per)
    found = divisors(named, per)
    several = {
        one.value for one in measures_of("\n".join([named, *product.features])) if one.unit == one.kind
    }
    found |= {one * many for one in found for many in several if many >= 2}
    if found:
        return _Held(found, left_open=False)
    year = {_IN_A_YEAR[per]} if per in _IN_A_YEAR else set()
    rest = "\n".join([*product.features, *(value for _, value in details)])
    return _Held(divisors(rest, per) | year, left_open=True)


def _counted(named: str, per: str) -> _Held:
    """Of things that are counted."""
    counted = frozenset(one.value for one in UNITS.quantities(named) if one.unit.kind == "count")
    exact = _of_sets(named, per) if per else set()
    if exact and per.partition(" ")[0] not in _TOGETHER:
        every = frozenset(exact | {one * other for one in exact for other in counted if one != other})
        return _Held(every, left_open=False)
    if counted and per in _ANY_UNIT:
        few = {one.value for one in measures_of(named) if one.unit == one.kind and one.value >= 2}
        return _Held(counted | few, left_open=False)
    if counted and per.partition(" ")[0] not in _TOGETHER:
        return _Held(counted, left_open=False)
    return _Held(divisors(named, per), left_open=True)


def _names(product: Product, per: str) -> bool:
    """Whether a record has the word that a cost is said per, in whatever form."""
    last = per.rsplit(" ", 1)[-1]
    return last in _TOGETHER or last in _IN_A_YEAR or fold(last) in folded_words(record_text(product))


def names_unit(title: str, per: str) -> bool:
    """Whether a title has the word that a cost is said per."""
    return fold(per.rsplit(" ", 1)[-1]) in folded_words(title)


def unit_named(per: str) -> MeasureUnit | None:
    """The unit of measure that a cost is per: `fl oz`, `pound`; `None` for each thing."""
    return UNITS.named(per) or UNITS.named(per.rsplit(" ", 1)[-1])


_COUNTED_BY = re.compile(
    rf"\b(?:by|per|each|every|for)\s(?:(?:the|each|every)\s)?(?P<n>{DIGITS}|{SPOKEN})\s?(?P<unit>[a-z]{{1,12}})\b",
    re.I,
)
"""What a cost is counted by, in so many of its unit: `by 100 mg`."""


@lru_cache(maxsize=64)
def _portions(text: str) -> tuple[tuple[MeasureUnit, float], ...]:
    """The units that a text counts a cost by, and how many of each."""
    found = []
    for match in _COUNTED_BY.finditer(text):
        unit, many = UNITS.named(match["unit"]), number_said(match["n"])
        if unit is not None and unit.kind != "count" and many:
            found.append((unit, many))
    return tuple(found)


def counted_by(product: Product, text: str) -> frozenset[float]:
    """How often what a text counts by is in a pack: in 90 pieces of 900 mg 810 times 100 mg."""
    found = set()
    for unit, portion in _portions(text):
        inside = {one.value for one in measures_of(record_text(product)) if one.unit == unit.name}
        found |= {one * many / portion for one in inside for many in (1.0, *packed(product.title))}
    return frozenset(one for one in found if one)
