"""Whether a cell of a table follows from two others of its own column or row: `Per alarm $11.74`, `Service life: seven years`, `Per alarm and year $1.68`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import combinations, product
from typing import NamedTuple

from drr.eval.checks.base import Span
from drr.eval.checks.grid import column_at
from drr.eval.checks.layout import TextLine
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import MONEY, SaidFigure
from drr.wording.numbers import DIGITS, SPOKEN, number_said

_NUMBER = re.compile(rf"(?<![\w.,$€£¥#/])(?:{DIGITS}|{SPOKEN})(?![\w.,]*\d)(?!\s?%)", re.I)
_NO_PARTS = frozenset(("rating", "ratings", "percent", "multiple"))
"""Figures by which no cost is worked out."""
_FEW, _MOST = 4, 24
"""Figures of a cell, and cells of a row or a column that are read."""


class _Cell(NamedTuple):
    amounts: tuple[float, ...]
    numbers: tuple[float, ...]


def follows_from_cells(held: HeldAgainst, text: str, figure: SaidFigure) -> bool:
    """Whether two cells of its column, or of its row, come to it in one step."""
    line = held.prose.line_at(figure.start)
    column = column_at(line, figure.start) if line is not None and line.is_row else None
    if line is None or column is None:
        return False
    across = [cell for at, cell in enumerate(line.cells) if at != column]
    low, high = figure.value - figure.slack - 1e-6, figure.value + figure.slack + 1e-6
    return any(
        low <= value <= high
        for cells in (_column(held, line, column), across)
        for value in _come_to([_read(held, text, cell) for cell in cells[:_MOST]])
    )


def _column(held: HeldAgainst, line: TextLine, column: int) -> list[Span]:
    """The other cells of its column, with its head, the nearest first."""
    rows = (one for one in held.cast.lines if one.table == line.table and len(one.cells) > column)
    cells = [one.cells[column] for one in rows if one.start != line.start]
    return sorted(cells, key=lambda cell: abs(cell[0] - line.start))


def _read(held: HeldAgainst, text: str, cell: Span) -> _Cell:
    said = held.said.within(cell)
    amounts = [one.value for one in said if one.kind in MONEY]
    others = {one.start for one in said if one.kind in _NO_PARTS or one.kind in MONEY}
    found = (match for match in _NUMBER.finditer(text, *cell) if match.start() not in others)
    numbers = (number_said(match[0]) for match in found)
    return _Cell(tuple(amounts[:_FEW]), tuple(one for one in numbers if one > 1)[:_FEW])


def _come_to(cells: Sequence[_Cell]) -> Iterable[float]:
    """An amount by a number of another cell, so many times it, and two amounts together or apart."""
    for a, b in combinations(cells, 2):
        for x, y in product(a.amounts, b.amounts):
            yield from (x + y, abs(x - y))
        for amount, number in (*product(a.amounts, b.numbers), *product(b.amounts, a.numbers)):
            yield from (amount / number, amount * number)
