"""Units of measure. The meaning of a word beside a figure, and its value in the base unit of its kind."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from drr.wording.vocabulary import Wordbook, WordGroup, vocabulary


class MeasureUnit(NamedTuple):
    name: str
    kind: str
    """length, weight, volume, ..."""
    base: float
    """How many of its kind's base unit one is."""


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
