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
from drr.eval.checks.naming import folded_words
from drr.eval.checks.records import record_text
from drr.wording.numbers import DIGITS, SPOKEN, number, spoken
from drr.wording.purchases import PURCHASES
from drr.wording.ratings import RATINGS

_FIGURE = re.compile(rf"(?<![\w.,])(?P<n>{DIGITS})(?![\d]|[.,]\d)|\b(?P<w>{SPOKEN})\b", re.I)
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
            if len({product_id for product_id, _ in cells}) < len(cells):
                continue
            for odd in (self._odd_figure(cells), self._odd_word(cells)):
                if odd is not None and self._is_of_a_record(label, odd[1], cells):
                    product_id, span, why = odd
                    self._tally.accuse("measure", span, f"{why} ({product_id})", Certainty.CELL)

    def _is_of_a_record(self, label: str, span: Span, cells: list[OwnedCell]) -> bool:
        """Whether a cell says what records tell: a bare figure does where its label names a rating or has a word of theirs."""
        if _BARE.fullmatch(self._body, *span) is None or RATINGS.speaks(label):
            return True
        named = {one for one in folded_words(label) if len(one) > 1}
        return any(named & self._words(product_id) for product_id, _ in cells)

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

    def _odd_figure(self, cells: list[OwnedCell]) -> tuple[str, Span, str] | None:
        odd, kept = [], 0
        for product_id, span in cells:
            text = self._body[slice(*span)]
            said = _values(text)
            if _VALUE.fullmatch(text) is None or _WORKED_OUT.search(text):
                return None
            if said <= self._figures(product_id):
                kept += max(said) > _TELLING
            else:
                odd.append(
                    (
                        product_id,
                        span,
                        f"said {text.strip()!r}, the record has no such figure, as those of the others have",
                    )
                )
        return odd[0] if len(odd) == 1 and kept else None

    def _odd_word(self, cells: list[OwnedCell]) -> tuple[str, Span, str] | None:
        odd, kept = [], 0
        others = set[str]()
        for product_id, span in cells:
            text = self._body[slice(*span)].strip()
            said = {one for one in folded_words(text) if one.isalpha() and len(one) > 2}
            if not said or len(text) > _LONGEST or _WORKED_OUT.search(text):
                return None
            missing = said - self._words(product_id)
            if missing:
                odd.append((product_id, span, missing, text))
            else:
                kept += 1
                others |= said
        if len(odd) != 1 or not kept:
            return None
        product_id, span, missing, text = odd[0]
        if not missing <= others:
            return None
        return product_id, span, f"said {text!r}, the record does not say so, as those of the others do"

    def _figures_of(self, product_id: str) -> frozenset[float]:
        product = self._cast.products[product_id]
        stated = _values(record_text(product))
        return frozenset(
            {*stated, product.price or 0.0, product.average_rating or 0.0, float(product.rating_number or 0)}
        )

    def _words_of(self, product_id: str) -> frozenset[str]:
        return frozenset(folded_words(record_text(self._cast.products[product_id])))


def _is_of_the_reader(label: str) -> bool:
    """Whether it says how often, or that, something was bought."""
    return PURCHASES.speaks(label) or _OFTEN.search(label) is not None


def _values(text: str) -> set[float]:
    return {
        number(match["n"]) if match["n"] else float(spoken(match["w"])) for match in _FIGURE.finditer(text)
    }
