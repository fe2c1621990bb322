"""The odd cell of a table: where every product of a row or column has what its record says, and one has not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.layout import TextLine
from drr.eval.checks.measures import measures_by_kind, measures_of
from drr.eval.checks.naming import folded_words
from drr.eval.checks.records import record_text
from drr.wording.numbers import DIGITS, SPOKEN, number_said
from drr.wording.purchases import PURCHASES
from drr.wording.ratings import RATINGS

_FIGURE = re.compile(rf"(?<![\w.,]){DIGITS}(?!\d|[.,]\d)|\b{SPOKEN}\b", re.I)
_WORKED_OUT = re.compile(
    r"[$¢€£%~≈]|\bper\b|/|\b(?:total|sum|cost|price|left|save|saving|qty|quantity|units|rank|pick|buy|bought|ordered|order|date|day|days|when|need|needed|needs|how many|score|"
    r"verdict|why|note|notes|use|for|year|month|limit|budget|diff|difference|no|id|link|source|where|about|around|roughly|extra|more|less)\b|#|\?",
    re.I,
)
"""A label or a cell of what is worked out, chosen or of the reader."""
_OFTEN = re.compile(r"\btimes\b", re.I)
_BARE = re.compile(rf"[\s*_]*(?:{DIGITS}|{SPOKEN})[\s*_]*", re.I)
"""A figure without a unit: what it is of only its label says."""
_LONGEST = 24
"""Characters of a cell that holds one value."""


_VALUE = re.compile(
    rf"[\s*_]*+(?:{DIGITS}|{SPOKEN})(?:\s?[x×–-]\s?{DIGITS}){{0,2}}[\s-]?(?:[A-Za-z\"″°.]{{1,12}}\s?){{0,2}}[\s*_]*",
    re.I,
)
"""A figure and its unit, and nothing else."""
_TELLING = 3
"""Smaller numbers stand in any record."""
_UNIT = re.compile(r"[A-Za-z]{1,12}|[\"″°%]")
_NO_FIGURE = "the record has no such figure, as those of the others have"
_NO_WORD = "the record does not say so, as those of the others do"


class OwnedCell(NamedTuple):
    """A cell, and whose it is."""

    product_id: str
    span: Span


class OddCells:
    """Goes through the tables whose rows or columns are products."""

    def __init__(self, tally: CheckTally, cast: Cast) -> None:
        self._tally = tally
        self._cast = cast
        self._body = cast.body
        self._figures = lru_cache(maxsize=256)(self._figures_of)
        self._words = lru_cache(maxsize=256)(self._words_of)

    def compare(self) -> None:
        for label, cells in self._series():
            if len(cells) < 2 or _WORKED_OUT.search(label) or _is_of_the_reader(label):
                continue
            if len({one.product_id for one in cells}) < len(cells):
                continue
            for odd, why in ((self._odd_figure(label, cells), _NO_FIGURE), (self._odd_word(cells), _NO_WORD)):
                if odd is not None and self._is_of_a_record(label, odd.span, cells):
                    said = f"said {self._said(odd)!r}, {why} ({odd.product_id})"
                    self._tally.accuse("measure", odd.span, said, Certainty.CELL)

    def _said(self, cell: OwnedCell) -> str:
        return self._body[slice(*cell.span)].strip()

    def _is_of_a_record(self, label: str, span: Span, cells: list[OwnedCell]) -> bool:
        """Whether a cell says what records tell: a bare figure does where its label names a rating or has a word of theirs."""
        if _BARE.fullmatch(self._body, *span) is None or RATINGS.speaks(label):
            return True
        named = {one for one in folded_words(label) if len(one) > 1}
        return any(named & self._words(one.product_id) for one in cells)

    def _series(self) -> Iterator[tuple[str, list[OwnedCell]]]:
        """The cells of one property, with whose they are."""
        tables: dict[int, list[TextLine]] = {}
        for line in self._cast.lines:
            if line.kind == "row" and line.table >= 0:
                tables.setdefault(line.table, []).append(line)
        for rows in tables.values():
            if self._cast.by_columns(rows[0]):
                for line in rows:
                    yield self._label(line), self._of_columns(line)
            else:
                for column in range(1, max(len(line.cells) for line in rows)):
                    yield self._head(rows[0], column), self._of_rows(rows, column)

    def _label(self, line: TextLine) -> str:
        return self._body[slice(*line.cells[0])] if line.cells else ""

    def _head(self, line: TextLine, column: int) -> str:
        return line.header[column] if column < len(line.header) else "?"

    def _of_columns(self, line: TextLine) -> list[OwnedCell]:
        found = ((self._cast.column_owner(line, column), cell) for column, cell in enumerate(line.cells))
        return [OwnedCell(owner, cell) for owner, cell in found if owner in self._cast.products]

    def _of_rows(self, rows: list[TextLine], column: int) -> list[OwnedCell]:
        found = (
            (self._cast.row_owner(line), line.cells[column]) for line in rows if column < len(line.cells)
        )
        return [OwnedCell(owner, cell) for owner, cell in found if owner in self._cast.products]

    def _odd_figure(self, label: str, cells: list[OwnedCell]) -> OwnedCell | None:
        odd, kept = [], 0
        for one in cells:
            text = self._said(one)
            if _VALUE.fullmatch(text) is None or _WORKED_OUT.search(text):
                return None
            if self._has(one.product_id, text, label):
                kept += max(_values(text)) > _TELLING
            else:
                odd.append(one)
        return odd[0] if len(odd) == 1 and kept else None

    def _has(self, product_id: str, text: str, label: str) -> bool:
        """Whether a record has all figures of a cell, though it be roundly or in another unit: that of the cell, or of its label."""
        product = self._cast.products[product_id]
        if _values(text) <= self._figures(product_id):
            return True
        known = measures_by_kind(record_text(product))
        forms = (text, *(f"{text} {word}" for word in _UNIT.findall(label) if _BARE.fullmatch(text)))
        return any(said and all(map(known.has, said)) for said in map(measures_of, forms))

    def _odd_word(self, cells: list[OwnedCell]) -> OwnedCell | None:
        odd, others = [], set[str]()
        for one in cells:
            text = self._said(one)
            said = {word for word in folded_words(text) if word.isalpha() and len(word) > 2}
            if not said or len(text) > _LONGEST or _WORKED_OUT.search(text):
                return None
            if missing := said - self._words(one.product_id):
                odd.append((one, missing))
            else:
                others |= said
        return odd[0][0] if len(odd) == 1 and odd[0][1] <= others else None

    def _figures_of(self, product_id: str) -> frozenset[float]:
        product = self._cast.products[product_id]
        told = (product.price, product.average_rating, product.rating_number)
        return frozenset(_values(record_text(product)) | {float(one or 0) for one in told})

    def _words_of(self, product_id: str) -> frozenset[str]:
        return frozenset(folded_words(record_text(self._cast.products[product_id])))


def _is_of_the_reader(label: str) -> bool:
    """Whether it says how often, or that, something was bought."""
    return PURCHASES.speaks(label) or _OFTEN.search(label) is not None


def _values(text: str) -> set[float]:
    return {number_said(match[0]) for match in _FIGURE.finditer(text)}
