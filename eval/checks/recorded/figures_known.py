"""What a record has in figures."""

from __future__ import annotations

import re
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.measures import MeasureSaid, measures
from drr.eval.checks.naming import folded_words
from drr.eval.checks.records import record_text
from drr.wording.numbers import DIGITS, SPOKEN, number, spoken

SPOKEN_NUMBER = re.compile(rf"\b{SPOKEN}\b", re.I)
_DIGITS = re.compile(rf"(?<![\d.]){DIGITS}(?![\d.])")


class RecordedFigures(NamedTuple):
    measures: list[MeasureSaid]
    firm: list[MeasureSaid]
    """Of its title and its table of details."""
    numbers: frozenset[float]
    keyed: dict[str, list[float]]
    """By the words of its table's labels."""

    def holds(self, said: MeasureSaid) -> bool:
        return any(said.same(one) for one in self.measures) or (
            said.unit == said.kind and said.value in self.numbers
        )

    def alike(self, said: MeasureSaid) -> list[MeasureSaid]:
        same = [one for one in self.measures if one.unit == said.unit]
        return same or [one for one in self.measures if one.kind == said.kind != "count"]


def recorded_figures(product: Product) -> RecordedFigures:
    text = record_text(product)
    numbers = {number(match[0]) for match in _DIGITS.finditer(text)}
    numbers |= {float(spoken(match[0])) for match in SPOKEN_NUMBER.finditer(text)}
    details = {key: value for key, value in product.details.items() if isinstance(value, str | int | float)}
    firm = [one for value in (product.title, *map(str, details.values())) for one in measures(value)]
    keyed: dict[str, list[float]] = {}
    for key, value in details.items():
        found = [number(match[0]) for match in _DIGITS.finditer(str(value))]
        for word in folded_words(key) if found else ():
            keyed.setdefault(word, []).extend(found)
    return RecordedFigures(list(measures(text)), firm, frozenset(numbers), keyed)
