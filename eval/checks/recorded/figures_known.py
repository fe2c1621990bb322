"""What a record has in figures."""

from __future__ import annotations

import re
from functools import cached_property

from drr.env.entities import Product
from drr.eval.checks.measures import MeasureSaid, measures_by_kind, measures_of, packs_hold
from drr.eval.checks.naming import folded_words
from drr.eval.checks.records import record_numbers, record_text
from drr.wording.numbers import DIGITS, number

_DIGITS = re.compile(rf"(?<![\d.]){DIGITS}(?!\d|\.\d)")


class RecordedFigures:
    """Of one product; of most only the measures are asked for."""

    def __init__(self, product: Product) -> None:
        self._product = product
        self._text = record_text(product)
        self.measures = measures_of(self._text)

    @cached_property
    def _details(self) -> dict[str, str]:
        details = self._product.details.items()
        return {key: str(value) for key, value in details if isinstance(value, str | int | float)}

    @cached_property
    def firm(self) -> list[MeasureSaid]:
        """Of its title and its table of details."""
        return [one for value in (self._product.title, *self._details.values()) for one in measures_of(value)]

    @cached_property
    def numbers(self) -> frozenset[float]:
        return record_numbers(self._product)

    @cached_property
    def keyed(self) -> dict[str, list[float]]:
        """By the words of its table's labels."""
        keyed: dict[str, list[float]] = {}
        for key, value in self._details.items():
            found = [number(match[0]) for match in _DIGITS.finditer(value)]
            for word in folded_words(key) if found else ():
                keyed.setdefault(word, []).extend(found)
        return keyed

    def measures_so(self, said: MeasureSaid) -> bool:
        return measures_by_kind(self._text).has(said)

    def holds(self, said: MeasureSaid) -> bool:
        if self.measures_so(said) or (said.unit == said.kind and said.value in self.numbers):
            return True
        return packs_hold(said, self._product.title, self.measures)

    def alike(self, said: MeasureSaid) -> list[MeasureSaid]:
        same = [one for one in self.measures if one.unit == said.unit]
        return same or [one for one in self.measures if one.kind == said.kind != "count"]
