"""Units of measure: what a word beside a figure means, and what it comes to in the base unit of its kind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from drr.wording.numbers import DIGITS, number
from drr.wording.vocabulary import Wordbook, WordGroup, vocabulary


class MeasureUnit(NamedTuple):
    name: str
    kind: str
    """length, weight, volume, ..."""
    base: float
    """How many of its kind's base unit one is."""
    passing: bool
    """Said of much else than a product's properties."""


class Quantity(NamedTuple):
    value: float
    unit: MeasureUnit
    start: int
    end: int


class UnitReader:
    def __init__(self, words: Wordbook) -> None:
        units = {name: _unit(name, group) for name, group in words.groups.items()}
        self._forms: dict[str, MeasureUnit] = {}
        properties: dict[str, str] = {}
        for name, group in words.groups.items():
            for form in (*group.words, *group.more.get("loose", ())):
                self._forms[form.casefold()] = units[name]
            if group.more.get("property"):
                properties |= dict.fromkeys(group.words, group.more.get("read_as", name))
        self._properties: Mapping[str, MeasureUnit] = {
            form.casefold(): units[name] for form, name in properties.items()
        }
        forms = _either(properties)
        self.quantity = re.compile(rf"(?<![\w.,$/])(?P<n>{DIGITS})(?:\s|-)?(?P<unit>{forms})(?![a-z])", re.I)

    def forms(self, *kinds: str) -> str:
        """What the units of some kinds are written as, as alternatives of an expression."""
        return _either(form for form, unit in self._forms.items() if unit.kind in kinds)

    def named(self, form: str) -> MeasureUnit | None:
        """The unit that a word or mark beside a figure may mean."""
        return self._forms.get(form.casefold())

    def quantities(self, text: str, start: int = 0, end: int | None = None) -> Iterator[Quantity]:
        """Figures with a unit that a product's record states, in no doubt about either."""
        for match in self.quantity.finditer(text, start, len(text) if end is None else end):
            yield Quantity(number(match["n"]), self._properties[match["unit"].casefold()], *match.span())


def _unit(name: str, group: WordGroup) -> MeasureUnit:
    return MeasureUnit(name, group.more["kind"], group.more["base"], bool(group.more.get("passing")))


def _either(forms: Iterable[str]) -> str:
    return "|".join(map(_form, sorted(forms, key=len, reverse=True)))


def _form(form: str) -> str:
    """A word ends where it ends; a mark may stand before anything."""
    return re.escape(form) + (r"\b" if form[-1].isalnum() else "")


UNITS = UnitReader(vocabulary("units"))
