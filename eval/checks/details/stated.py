"""What a text says with a figure, and what a record states so: its details, and its sentences that have one figure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.measures import MeasureSaid, measures
from drr.eval.checks.naming import folded_words

STATEMENT = "statement"
_END = re.compile(r"[.;!?](?=\s|$)|\n")
_DULL = frozenset(folded_words("of the per a maximum minimum item product number recommended recommendation"))
_NEAR = 0.1
"""So much of a figure it may be off, where it is told roundly."""


class FigureSaid(NamedTuple):
    """A figure with its unit, or the two of a range."""

    one: MeasureSaid
    values: frozenset[float]
    bases: frozenset[float]
    """The same in the base unit of its kind."""
    start: int
    end: int

    @property
    def kind(self) -> str:
        """Things that are counted are no kind of a unit's, though they may have its name (`20 lights`)."""
        return f"{self.one.kind} counted" if self.one.unit == self.one.kind else self.one.kind


class FigureOnRecord(NamedTuple):
    """What a record has with a figure."""

    key: str
    """The name of the detail, or `STATEMENT`."""
    said: FigureSaid
    shown: str
    before: tuple[str, ...]
    behind: tuple[str, ...]
    """The words around it in a statement."""

    def is_otherwise(self, said: FigureSaid) -> bool:
        """Whether another figure is so far from it that neither is the other told roundly."""
        low, high = min(self.said.bases) * (1 - _NEAR), max(self.said.bases) * (1 + _NEAR)
        return not any(low <= one <= high for one in said.bases)


def figures_in(text: str, start: int = 0, end: int | None = None) -> Iterator[FigureSaid]:
    """The figures that have a unit; those of a range, or of what is so long by so wide, together."""
    for _, some in groupby(measures(text, start, end), lambda one: (one.start, one.end)):
        every = list(some)
        one, values = every[-1], frozenset(round(each.value, 6) for each in every)
        yield FigureSaid(one, values, frozenset(each.base for each in every), one.begins, one.end)


@lru_cache(maxsize=512)
def details_of(product: Product) -> tuple[FigureOnRecord, ...]:
    """The details that have figures."""
    details = ((key, value) for key, value in product.details.items() if isinstance(value, str))
    return tuple(
        FigureOnRecord(key, said, value, (), ()) for key, value in details for said in figures_in(value)
    )


@lru_cache(maxsize=512)
def statements_of(product: Product) -> tuple[FigureOnRecord, ...]:
    """The sentences and details that state one figure."""
    sentences = (part for one in (*product.features, *product.description) for part in _END.split(one))
    details = (value for value in product.details.values() if isinstance(value, str))
    found = []
    for text in (*sentences, *details):
        said = list(figures_in(text))
        if len(said) == 1:
            before, behind = folded_words(text[: said[0].start]), folded_words(text[said[0].end :])
            found.append(FigureOnRecord(STATEMENT, said[0], text.strip(), before, behind))
    return tuple(found)


def label_words(label: str) -> frozenset[str]:
    """The words of a detail's name that tell it from others."""
    return frozenset(folded_words(label)) - _DULL
