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
_TIME = r"(?P<t>day|week|month|quarter|year)"
_LENGTH = re.compile(
    rf"(?:\b(?:per|an?|each|every)\s|/\s?|(?<![\w.,$])(?P<n>{SPOKEN}|\d{{1,3}})[\s-]){_TIME}s?\b", re.I
)
_PACE = re.compile(
    rf"(?<![\w.,$])(?P<n>{SPOKEN}|\d{{1,2}})\s(?:[a-z]{{2,14}}\s)?(?:an?|per|each|every)\s{_TIME}\b", re.I
)
_ONE_EACH = "1 a day, 1 a week, 1 a month, 1 a year"
"""What a head without a pace may mean."""
_DAYS = {
    "day": (1.0,),
    "week": (7.0,),
    "month": (30.0, 30.44, 365 / 12, 28.0),
    "quarter": (90.0, 91.25),
    "year": (365.0, 360.0, 364.0),
}
_APART = re.compile(
    r"\b(?:extra|vs|versus|more|less|than|diff\w*|sav\w+|premium|over|above|below|under|gap|compared|against|step)\b|[+±Δ]",
    re.I,
)
"""In the head of a column: its cells are differences."""
_FEW_COLUMNS = 12
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
    if over_a_time(held, text, figure) or differs_by_its_head(held, text, figure):
        return True
    across = [cell for at, cell in enumerate(line.cells) if at != column]
    low, high = figure.value - figure.slack - 1e-6, figure.value + figure.slack + 1e-6
    return any(
        low <= value <= high
        for cells in (_column(held, line, column), across)
        for value in _come_to([_read(held, text, cell) for cell in cells[:_MOST]])
    )


def over_a_time(held: HeldAgainst, text: str, figure: SaidFigure) -> bool:
    """`Per month (1 a day)`, `5 a day, 30 days`: what the row's amounts by its counts come to over the time of the head, at the pace that it says."""
    line = held.prose.line_at(figure.start)
    column = column_at(line, figure.start) if line is not None and line.is_row else None
    if line is None or column is None or column >= len(line.header):
        return False
    head = line.header[column]
    often = {
        _number(pace["n"]) * many * own / each
        for pace in (*_PACE.finditer(head), *(_PACE.finditer(_ONE_EACH)))
        for time in _LENGTH.finditer(head)
        for many in [_number(time["n"])]
        for own in _DAYS[time["t"].casefold()]
        for each in _DAYS[pace["t"].casefold()]
    }
    cells = [_read(held, text, cell) for at, cell in enumerate(line.cells) if at != column]
    amounts = [value for cell in cells for value in cell.amounts]
    counts = {1.0, *(value for cell in cells for value in cell.numbers)}
    low, high = figure.value - figure.slack - 1e-6, figure.value + figure.slack + 1e-6
    return any(low <= a / c * k <= high for a in amounts for c in counts for k in often)


def differs_by_its_head(held: HeldAgainst, text: str, figure: SaidFigure) -> bool:
    """`Extra vs. Botanary`: what the cells of another column differ by."""
    line = held.prose.line_at(figure.start)
    column = column_at(line, figure.start) if line is not None and line.is_row else None
    if line is None or column is None or column >= len(line.header) or not _APART.search(line.header[column]):
        return False
    low, high = figure.value - figure.slack - 1e-6, figure.value + figure.slack + 1e-6
    for at, cell in enumerate(line.cells[:_FEW_COLUMNS]):
        if at == column:
            continue
        own = _read(held, text, cell).amounts
        others = [
            value for each in _column(held, line, at)[:_MOST] for value in _read(held, text, each).amounts
        ]
        if any(low <= abs(a - b) <= high for a in own for b in others):
            return True
    return False


def _number(word: str | None) -> float:
    return 1.0 if word is None else number_said(word)


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
