"""Tables as values: cells with interval and n. Also writes Markdown and CSV; `grids.py` writes HTML and `latex.py` LaTeX."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from drr.app.terminal import Column, with_colour, wrapped_paragraph
from drr.app.terminal import table as text_table
from drr.eval.stats.differences import DifferenceRow, is_settled
from drr.eval.stats.intervals import VRow, drawn

if TYPE_CHECKING:
    from drr.eval.metrics.base import Metric
    from markupsafe import Markup


@dataclass(frozen=True)
class Cell:
    """A table cell: a number with its interval and count, or a text."""

    value: float | str | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    unscored: int | None = None
    sd: float | None = None
    digits: int = 2
    bold: bool = False
    """True where the value beats the next one beyond the noise, by a paired test corrected over the table."""
    printed: str | None = None
    """Text of the cell in a table of a paper's own figures."""
    slight: bool = False
    """True where the distance to the column's best value is within the noise of the metric."""
    signed: bool = False
    """True for a difference, which is printed with its sign."""
    tasks: int | None = None
    """Number of tasks behind the `n` questions, where several questions share a task."""
    equal: bool = False
    """True where every question gave the same value."""
    missing: str = ""
    """Text in place of a missing value, with the reason in a note."""
    brief: str = ""
    """Short text that replaces the value on an HTML page, where the full text shows on demand."""
    beside: str = ""
    """Text in small beside the number on an HTML page."""
    shade: str = ""
    """CSS class of the cell's background on an HTML page."""

    @classmethod
    def of(cls, v: VRow | None, digits: int = 2, **more: Any) -> Cell:
        """Return the cell of a statistic, with its interval and counts."""
        if v is None:
            return cls(None, digits=digits, **more)
        return cls(
            *(v["value"], v["ci_low"], v["ci_high"], drawn(v), v["n_unscored"]),
            tasks=v.get("tasks"),
            equal=v.get("all_equal", False),
            digits=digits,
            **more,
        )

    @classmethod
    def tested(cls, row: DifferenceRow | None, digits: int) -> Cell:
        """Return the cell of a paired difference, bold where the difference is beyond the noise."""
        if row is None:
            return cls.of(row, digits, signed=True)
        return cls.of(row, digits, signed=True, bold=is_settled(row))

    @classmethod
    def showing(cls, value: object, digits: int) -> Cell:
        """Return a cell for a document's field, which is a statistic, a number, a text, or already a cell."""
        if isinstance(value, Cell):
            return value
        if isinstance(value, Mapping):
            return cls.of(cast("VRow", value), digits)
        return cls(
            float(value) if isinstance(value, int) else cast("float | str | None", value), digits=digits
        )

    def number(self, value: float) -> str:
        return f"{value:,.{self.digits}f}"

    def figure(self, value: float) -> str:
        """Return the value as a text with the cell's digits; a difference has its sign."""
        return f"{value:+z,.{self.digits}f}" if self.signed else self.number(value)

    def text(self) -> str:
        """Return the cell in one line of text: value, interval and count."""
        if self.value is None and self.missing:
            return self.missing
        if self.value is None:
            shown = "–"
        elif isinstance(self.value, str):
            return self.value
        else:
            shown = self.figure(self.value)
        if self.slight:
            shown += " ≈"
        if self.sd is not None:
            shown += f" ± {self.number(self.sd)}"
        if self.low is not None and self.high is not None:
            shown += f" [{self.number(self.low)}, {self.number(self.high)}]"
        if self.n is not None:
            counted = f"n={self.n}" + (f" of {self.tasks} tasks" if self.tasks else "")
            equal = f"on each of {self.n}" if self.signed else f"all equal ({counted})"
            shown += f" {equal if self.equal else counted}"
            shown += f" (+{self.unscored} unscored)" if self.unscored else ""
        return shown


class Heading(NamedTuple):
    """The heading of a table column."""

    label: str
    key: str = ""
    """Column name in the CSV; the label if empty."""
    explanation: str = ""
    field: str = ""
    """Field of a row that the column shows in `rows_under`; the key if empty."""
    digits: int = 2
    scale: str = ""
    part: str = ""
    """Section of the answer pages with the answers behind the column; the table's own section if empty."""

    @classmethod
    def of(cls, metric: Metric) -> Heading:
        return cls(metric.label, metric.name, metric.explanation)

    def cell(self, row: Mapping[str, object]) -> Cell:
        return Cell.showing(row[self.field or self.key or self.label], self.digits)


def metric_headings(metrics: Iterable[Metric]) -> list[Heading]:
    return [Heading.of(metric) for metric in metrics]


def metric_cells(row: Mapping[str, VRow], metrics: Iterable[Metric]) -> list[Cell]:
    """Return the cells of a row, one for each metric, in the order of `metric_headings`."""
    return [Cell.of(row.get(metric.name), metric.digits) for metric in metrics]


def headings(*labels: str) -> list[Heading]:
    return [Heading(label) for label in labels]


class RowHead(NamedTuple):
    """The head of a table row as HTML, where the head is more than a name."""

    html: Markup
    marks: Markup
    """HTML attributes of the row."""


@dataclass(frozen=True)
class Table:
    name: str
    """Name of the table, from which file names are made."""
    title: str
    columns: Sequence[Heading]
    rows: Sequence[tuple[str, Sequence[Cell]]]
    notes: Sequence[str] = ()
    banner: str | None = None
    floor: Sequence[Cell] = ()
    """Noise floor of each column: the difference that repeated runs alone can give. Empty where no column has a noise floor."""
    heads: Mapping[str, RowHead] = field(default_factory=dict)
    """Heads of rows by row name, for rows whose name is not shown as it is."""
    is_exhibit: bool = False
    """True where a paper numbers the table or one with the same contents, so that it is also written as files."""

    @property
    def is_empty(self) -> bool:
        """Return whether no cell has a value or a printed figure."""
        cells = [cell for _, row in self.rows for cell in row]
        return all(cell.value is None and cell.printed is None for cell in cells)

    def of_columns(self, places: Sequence[int]) -> Table:
        """Return the table with these columns alone, by their indexes."""
        rows = [(name, [row[place] for place in places]) for name, row in self.rows]
        floor = [self.floor[place] for place in places] if self.floor else ()
        return replace(self, columns=[self.columns[place] for place in places], rows=rows, floor=floor)

    @property
    def lines(self) -> Sequence[tuple[str, Sequence[Cell]]]:
        """Return the rows, followed by the noise floor if there is one."""
        return [*self.rows, (FLOOR, self.floor)] if self.floor else self.rows


def rows_under(
    columns: Sequence[Heading], lines: Iterable[tuple[str, Mapping[str, object]]]
) -> list[tuple[str, list[Cell]]]:
    """Return rows of cells from pairs of a row's name and its fields, of which each column shows one."""
    return [(name, [column.cell(fields) for column in columns]) for name, fields in lines]


FLOOR = "noise floor"
NOT_MEASURED = "not measured"


def terminal_text(table: Table) -> str:
    """Return the table for the terminal, where a narrow one loses its last columns first, with its notes."""
    head = [Column(table.title), *(Column(one.label, rank) for rank, one in enumerate(table.columns))]
    rows = [
        [name, *(with_colour(cell.text(), "head") if cell.bold else cell.text() for cell in cells)]
        for name, cells in table.lines
    ]
    return "\n".join([text_table(head, rows), *map(wrapped_paragraph, table.notes)])


def markdown(table: Table) -> str:
    lines = [f"## {_md(table.title)}", ""]
    if table.banner:
        lines += [f"> **{_md(table.banner)}**", ""]
    lines += [
        "| | " + " | ".join(_md(column.label) for column in table.columns) + " |",
        "|---" * (len(table.columns) + 1) + "|",
    ]
    for name, cells in table.lines:
        shown = [f"**{_md(c.text())}**" if c.bold else _md(c.text()) for c in cells]
        lines.append(f"| {_md(name)} | " + " | ".join(shown) + " |")
    return "\n".join([*lines, "", *(f"{_md(note)}  " for note in table.notes)]) + "\n"


def _md(text: str) -> str:
    return (
        # Names come from outside: none may become a column, a tag or a link.
        text.replace("\\", "\\\\")
        .replace("|", "\\|")
        .replace("\n", " ")
        .replace("<", "&lt;")
        .replace("](", "]\\(")
    )


_CSV = (
    *("table", "row", "column"),
    *("value", "ci_low", "ci_high", "n", "n_unscored", "sd", "best", "paper", "banner", "tasks"),
)


def as_csv(table: Table) -> str:
    """Return the table as CSV with one row per cell and numbers at full precision. Every row repeats the banner, so that no row loses it."""
    lines = (
        (
            *(table.name, row, column.key or column.label),
            *(cell.value, cell.low, cell.high, cell.n, cell.unscored, cell.sd, int(cell.bold)),
            *(cell.printed, table.banner, cell.tasks),
        )
        for row, cells in table.lines
        for column, cell in zip(table.columns, cells, strict=True)
    )
    return rows_as_csv((dict(zip(_CSV, line, strict=True)) for line in lines), _CSV)


def rows_as_csv(rows: Iterable[Mapping[str, object]], columns: Iterable[str]) -> str:
    """Return the rows as CSV, one line each: an unknown value is empty, a list is JSON."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(columns), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(value) for name, value in row.items()})
    return out.getvalue()


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return "" if value is None else json.dumps(value)
    # A spreadsheet would run a text that begins like a formula.
    return f"'{value}" if value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
