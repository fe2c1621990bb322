"""Draws a report's tables as HTML: cells with interval bars, sections, and forest plots."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import ceil
from typing import NamedTuple

from drr.app.pages.frame import breakable, templates
from drr.app.report.contrasts import DIFFERENCES, headline_tables
from drr.app.report.tables import FLOOR, Cell, Table
from markupsafe import Markup

_SENTENCE = 40
"""Number of characters above which the text of a cell is formatted as a sentence."""
_UNMEASURED = "Noise floor: not measured"
"""Beginning of the note on an unmeasured noise floor, which the page shows once, in the list of limits, and not under each table."""
_NOTES_SHOWN = 3
_HEAT = "Failed of decided, in a stronger colour where more failed; ? where nothing could be decided."
_EQUAL = "The sign = and the words “all equal” mean that every question gave the same value. There is still an interval, because other questions could give other values."
_WITH_BARS, _ON_A_PAGE = 6, 8
"""Most columns of a table with a bar in each cell, and of any table; a wider one would not fit beside the navigation."""
_BAR, _WIDE = 60, 240
"""Widths of an interval's bar in units of the drawing: next to a number, and in a forest plot."""


class Extent(NamedTuple):
    """The range of values that all interval bars of a column share, and their width."""

    low: float
    high: float
    width: int = _BAR

    def at(self, value: float) -> str:
        return f"{self.width * (value - self.low) / (self.high - self.low):.0f}"


class ShownColumn(NamedTuple):
    """Settings for drawing the cells of one column."""

    extent: Extent | None = None
    label: str = ""
    """Column name that a narrow screen shows beside each cell, where a row becomes a card; empty where rows stay rows."""
    is_noted: bool = False
    """True where every cell reserves space for a note, so that the bars line up."""


class IntervalBar(NamedTuple):
    """A bar with an interval as a line and a value as a dot. Each field is a position along the width."""

    width: int
    zero: str | None
    line: tuple[str, str] | None
    dot: str | None


class ShownCell(NamedTuple):
    """One table cell, ready for the template."""

    text: str
    kind: str
    """CSS classes of the cell."""
    of: str
    """Column name for a narrow screen, where a row becomes a card."""
    link: str
    why: str = ""
    """Interval and count of the cell's number, shown on demand."""
    bold: bool = False
    same: bool = False
    bar: IntervalBar | None = None
    note: str | None = None


class ShownRow(NamedTuple):
    """One table row, ready for the template."""

    head: Markup
    marks: Markup
    is_floor: bool
    cells: Sequence[ShownCell]


def drawn_by(macro: str, *values: object) -> Markup:
    """Return the HTML that a macro of `tables.html` makes of the values."""
    found: Markup = getattr(templates().get_template("tables.html").module, macro)(*values)
    return found


def section(
    table: Table,
    answers: Mapping[str, str],
    level: int = 2,
    drawn: Markup | None = None,
) -> Markup:
    """Return the HTML of a table's section. `answers` maps the names of rows and columns to the page of their answers.

    `drawn` is HTML to place under the table. Paired differences are shown as a forest plot.
    """
    notes = _notes(table)
    first = notes if len(notes) <= _NOTES_SHOWN + 1 else notes[:_NOTES_SHOWN]
    wide = table.name == DIFFERENCES
    shown = forest(table, answers) if wide else Markup("").join(grid(one, answers) for one in parted(table))
    return drawn_by("section", table, level, shown, first, notes[len(first) :], drawn or "", wide)


def _notes(table: Table) -> list[str]:
    notes = [note for note in table.notes if not note.startswith(_UNMEASURED)]
    if any(cell.brief for _, row in table.rows for cell in row):
        notes.insert(0, _HEAT)
    if any(cell.equal and not cell.signed for _, row in table.rows for cell in row):
        notes.append(_EQUAL)
    return notes


def forest(table: Table, answers: Mapping[str, str]) -> Markup:
    """Return the HTML of a forest plot for each figure. Open are the first and those with a difference that is sure."""
    alone = [table.of_columns([place]) for place in range(len(table.columns))]
    sure = [not place or any(cell.bold for _, (cell,) in one.rows) for place, one in enumerate(alone)]
    drawn = [grid(one, answers, "forest") for one in alone]
    rest = [one for one, is_sure in zip(drawn, sure, strict=True) if not is_sure]
    return drawn_by("folded", [one for one in drawn if one not in rest], rest)


def parted(table: Table) -> list[Table]:
    """Return the table as parts that fit a page, with about as many columns each."""
    count = len(table.columns)
    size = ceil(count / ceil(count / _ON_A_PAGE)) if count else 1
    return [table.of_columns(range(count)[at : at + size]) for at in range(0, count, size)]


def _without_equal(table: Table) -> tuple[Table, str]:
    """Return the table without columns that are the same for every system, and a text on these."""
    shown, equal = [], []
    for place, column in enumerate(table.columns):
        texts = {cell.brief or cell.text() for _, row in table.rows for cell in row[place : place + 1]}
        if place and len(table.rows) > 1 and len(texts) == 1:
            equal.append(f"{column.label} {texts.pop()}")
        else:
            shown.append(place)
    if not equal:
        return table, ""
    return table.of_columns(shown), f"The same for all: {'; '.join(equal)}."


def grid(table: Table, answers: Mapping[str, str], kind: str = "") -> Markup:
    """Return the HTML of the table alone, in a box that scrolls. `kind` is `board`, `forest` or empty."""
    width, equal = _WIDE if kind == "forest" else _BAR, ""
    if kind == "board" or all(name in answers for name, _ in table.rows):
        table, equal = _without_equal(table)
    is_wide = not kind and len(table.columns) > _WITH_BARS
    rows = [[row[place] for _, row in table.rows] for place in range(len(table.columns))]
    columns = [
        ShownColumn(
            None if is_wide else _extent(own, width),
            column.label if kind else "",
            kind == "board" and any(_beside(cell, ends=False) for cell in own),
        )
        for column, own in zip(table.columns, rows, strict=True)
    ]
    is_measured = any(cell.value is not None for cell in table.floor)
    lines, led = table.lines if is_measured else table.rows, headline_tables()
    shown = [_row(table, name, cells, columns, answers, led) for name, cells in lines]
    heads = list(zip(table.columns, map(_kind, rows), strict=True))
    return drawn_by(
        "grid", table.title, f"{kind} stack" if kind else "wide" if is_wide else "", heads, shown, equal
    )


def _row(
    table: Table,
    name: str,
    cells: Sequence[Cell],
    columns: Sequence[ShownColumn],
    answers: Mapping[str, str],
    led: Collection[str],
) -> ShownRow:
    is_floor = bool(table.floor) and name == FLOOR and cells is table.floor
    shown = []
    for column, cell, drawn in zip(table.columns, cells, columns, strict=True):
        page, part = answers.get(name) or answers.get(column.label), column.part or table.name
        is_known = cell.unscored or cell.value not in (None, "")
        link = f"{page}#{part}" if page and is_known and not is_floor and part in led else ""
        shown.append(_table_cell(cell, drawn, link))
    head, marks = table.heads.get(name) or (breakable(name, ":"), Markup(""))
    return ShownRow(head, marks, is_floor, shown)


def _extent(cells: Sequence[Cell], width: int) -> Extent | None:
    ends = [end for one in cells for end in (one.low, one.high) if end is not None]
    if width == _WIDE and ends:
        ends.append(0.0)
    if not ends or min(ends) == max(ends):
        return None
    return Extent(min(ends), max(ends), width)


def _is_text(cell: Cell) -> bool:
    return isinstance(cell.value, str) or (cell.value is None and bool(cell.missing))


def _kind(cells: Sequence[Cell]) -> str:
    """Return the CSS class of a column's head, which depends on whether the cells are numbers, shares or texts."""
    if not all(map(_is_text, cells)):
        return ""
    return "rate" if any(cell.brief for cell in cells) else "texts"


def _table_cell(cell: Cell, column: ShownColumn, link: str) -> ShownCell:
    if _is_text(cell):
        text = cell.text()
        if cell.brief and cell.value:
            return ShownCell(cell.brief, cell.shade, column.label, link, text)
        kind = "words" if len(text) > _SENTENCE else "short" if cell.value else "short missing"
        return ShownCell(text, f"{kind} {cell.shade}".rstrip(), column.label, link)
    extent = column.extent
    more = _beside(cell, ends=extent is not None and extent.width == _WIDE)
    kinds = ("slight" if cell.slight else "", "sure" if cell.bold else "", cell.shade)
    return ShownCell(
        _number(cell),
        " ".join(filter(None, kinds)),
        column.label,
        link,
        _why(cell),
        bold=cell.bold and cell.value is not None and not cell.brief,
        same=cell.equal and not column.label,
        bar=None if extent is None else _bar(cell, extent),
        note=more if more or column.is_noted else None,
    )


def _number(cell: Cell) -> str:
    """Return the text of a cell's number. Other signs come before the number, so that decimal points line up."""
    value = cell.value
    if value is None or isinstance(value, str):
        return "–"
    number = cell.brief or cell.figure(value)
    return f"≈ {number}" if cell.slight and not cell.brief else number


def _why(cell: Cell) -> str:
    """Return one text with the interval of a cell's number, the count of values and the count of unscored answers."""
    reasons = []
    if cell.low is not None and cell.high is not None:
        reasons.append(f"95 % interval {cell.number(cell.low)} to {cell.number(cell.high)}")
    if cell.n is not None:
        reasons.append(f"n={cell.n}" + (f", {cell.unscored} unscored" if cell.unscored else ""))
    return "; ".join(reasons)


def _beside(cell: Cell, *, ends: bool) -> str:
    """Return the note next to a cell's number: its own, deviation, unscored answers, printed value and, if `ends`, the interval."""
    notes = [cell.beside] if cell.beside else []
    if ends and cell.low is not None and cell.high is not None:
        notes.append(f"{cell.number(cell.low)} to {cell.number(cell.high)}")
    if cell.equal and (ends or cell.signed):
        notes.append(f"on each of {cell.n}" if cell.signed else "all equal")
    if cell.sd is not None:
        notes.append(f"± {cell.number(cell.sd)}")
    if cell.unscored:
        notes.append(f"{cell.unscored} unscored")
    return "; ".join(notes)


def _bar(cell: Cell, extent: Extent) -> IntervalBar:
    """Return the bar of a cell's interval and value; without an interval the bar is empty but keeps its width."""
    low, high, value = cell.low, cell.high, cell.value
    return IntervalBar(
        extent.width,
        # Wide bars show differences, in which 0 is no difference; other bars mark it only within their range.
        extent.at(0) if extent.width == _WIDE or extent.low < 0 < extent.high else None,
        None if low is None or high is None else (extent.at(low), extent.at(high)),
        extent.at(value) if low is not None and isinstance(value, (int, float)) else None,
    )
