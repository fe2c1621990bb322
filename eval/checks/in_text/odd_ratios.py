"""The odd figure of a column, or row, of figures per something: `| $87.99 | 5,500 | about $12.00 |` under `Price per 1,000 lumens`.

Where all others of three or more are one column by another, and one is not, that one is wrong, or what it is worked out from. What is divided by what is
found, not asked: left alone where any two columns explain all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, islice, permutations
from typing import NamedTuple

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import Cast, cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mentions
from drr.wording.numbers import DIGITS, number

_FIGURE = re.compile(rf"(?<![\w.,]){DIGITS}(?!\d)")
_PER = re.compile(r"\bper\b|/\s?[a-z]|\b(?:an?|one)\s[a-z]{2,}|\b(?:each|apiece|unit)\b|¢|\bcents?\b", re.I)
"""A label of figures per something."""
_NO_RATIO = re.compile(r"\b(?:line|left|totals?|sum|rank|savings?|https?|year|month|week|day)\b", re.I)
_CENTS = re.compile(r"¢|\bcents?\b", re.I)
_MANY = re.compile(r"\b(?:per|an?|each)\s(?P<n>\d[\d,]{0,6}|hundred|thousand)\b", re.I)
"""`per 1,000 lumens`: of how many together a figure is."""
_WORDS = {"hundred": 100.0, "thousand": 1000.0}
_NOT_READ = re.compile(r"\[\d{1,3}\]|\([^()]{0,60}\)")
_PER_ITSELF = re.compile(r"\bper\b|/\s?[a-z\d]|[–—]|\d-\d|\bor\b|\+", re.I)
"""In a cell: what it is per differs from what its label says, or it holds two figures."""
_FEWEST, _WIDEST, _TABLES, _LONGEST = 3, 8, 12, 40
_ROUNDED, _WRONG = 0.002, 0.03
"""Shares of a value by which a figure may be off that is rounded twice, and by which it is off that is wrong."""


class _Cell(NamedTuple):
    value: float
    slack: float
    """Half of its last place."""
    span: Span


class _Line(NamedTuple):
    """A column, or a row of a table whose columns are things."""

    label: str
    cells: Sequence[_Cell | None]

    @property
    def is_ratio(self) -> bool:
        return _PER.search(self.label) is not None and _NO_RATIO.search(self.label) is None


class _Formula(NamedTuple):
    """Which of the cells of a line one by another is, and which is not."""

    right: list[int]
    wrong: list[int]
    is_clear: bool
    """Each is right, or plainly wrong."""


def wrong_ratio_cells(mentions: Mentions) -> Iterator[Accusation]:
    """Figures per something that are not what those of the others show them to be."""
    cast = cast_of(mentions.subject, mentions)
    for lines in islice(_tables(mentions.plain, cast), _TABLES):
        for line in (one for one in lines if one.is_ratio):
            cell = _odd_one(line, [one for one in lines if one is not line and not one.is_ratio])
            if cell is not None:
                said = mentions.plain[slice(*cell.span)].strip()
                why = f"said {said!r} under {line.label.strip()!r}, which the figures beside it do not come to as those of the others do"
                yield Accusation("odd_ratio", cell.span, why, Certainty.CELL)


def _tables(text: str, cast: Cast) -> Iterator[list[_Line]]:
    """The columns of each table, and its rows."""
    rows = (one for one in cast.lines if one.kind == "row" and one.table >= 0)
    for _, some in groupby(rows, lambda one: one.table):
        table = list(some)[:_LONGEST]
        width = max(len(one.cells) for one in table)
        if width <= 2 * _WIDEST:
            yield [_column(text, table, at) for at in range(width)]
        if len(table) <= 2 * _WIDEST:
            yield [_row(text, one) for one in table if one.cells]


def _column(text: str, table: Sequence[TextLine], at: int) -> _Line:
    label = table[0].header[at] if at < len(table[0].header) else ""
    return _Line(label, [_cell(text, one.cells[at], label) if at < len(one.cells) else None for one in table])


def _row(text: str, line: TextLine) -> _Line:
    label = text[slice(*line.cells[0])]
    return _Line(label, [_cell(text, one, label) for one in line.cells[1:]])


def _cell(text: str, span: Span, label: str) -> _Cell | None:
    """The one figure of a cell, cents as dollars."""
    said = _NOT_READ.sub(" ", text[slice(*span)])
    found = _FIGURE.findall(said)
    if len(found) != 1 or _PER_ITSELF.search(said):
        return None
    value, slack = number(found[0]), 0.5 * 10.0 ** -len(found[0].partition(".")[2])
    if _CENTS.search(said) or (_CENTS.search(label) and "$" not in said):
        value, slack = value / 100, slack / 100
    return _Cell(value, slack, span)


def _odd_one(line: _Line, others: Sequence[_Line]) -> _Cell | None:
    """The only cell that is not one of two others by the other, where all the rest are."""
    match = _MANY.search(line.label)
    said = match["n"].casefold() if match else ""
    many = (_WORDS.get(said) or number(said)) if said else 1.0
    odd = set[int]()
    for above, below in permutations(others[: 2 * _WIDEST], 2):
        formula = _formula(line.cells, above.cells, below.cells, many)
        if len(formula.right) + 1 < _FEWEST or not formula.is_clear:
            continue
        if not formula.wrong:
            return None
        if len(formula.wrong) == 1:
            odd |= {*formula.wrong}
    return line.cells[odd.pop()] if len(odd) == 1 else None


def _formula(
    cells: Sequence[_Cell | None], above: Sequence[_Cell | None], below: Sequence[_Cell | None], many: float
) -> _Formula:
    right, wrong, unclear, told = list[int](), list[int](), 0, 0
    for at, (one, a, b) in enumerate(zip(cells, above, below, strict=False)):
        if one is None or a is None or b is None or b.value <= 0:
            continue
        value = many * a.value / b.value
        off = abs(one.value - value)
        if off <= 1.02 * one.slack + _ROUNDED * value + 1e-9:
            right.append(at)
            told += b.value != many
        elif off > 2.2 * one.slack + _WRONG * value:
            wrong.append(at)
        else:
            unclear += 1
    return _Formula(right, wrong, unclear == 0 and told > 0)
