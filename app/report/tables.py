"""Tables as values: cells with interval and n, and declarations of a table. Markdown and CSV are written here (`page.py`: HTML, `latex.py`:
LaTeX)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from drr.eval.stats.differences import DifferenceRow, is_settled
from drr.eval.stats.intervals import VRow

if TYPE_CHECKING:
    from drr.app.report.material import Material
    from drr.eval.evidence.answers import Answer
    from drr.eval.metrics.base import Metric
    from markupsafe import Markup


@dataclass(frozen=True)
class Cell:
    """A number with what is needed to believe it, or a text."""

    value: float | str | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    unscored: int | None = None
    sd: float | None = None
    digits: int = 2
    bold: bool = False
    """Better than the next by more than the noise: a paired test, corrected over the table."""
    printed: float | str | None = None
    """Figure that a paper prints beside ours, or the whole text in a table of the paper's own."""
    slight: bool = False
    """No further from the best of its column than the measure sways by itself."""
    signed: bool = False
    """A difference, whose sign is said."""
    tasks: int | None = None
    """Number of tasks behind `n`, where questions are of fewer tasks."""
    equal: bool = False
    """No two of them differ."""
    missing: str = ""
    """Text in place of a missing value, with the reason in a note."""
    brief: str = ""
    """Text in place of the value on a page, where the whole shows on demand."""
    shade: str = ""
    """Class of its ground on a page."""

    @classmethod
    def of(cls, v: VRow | None, digits: int = 2, **more: Any) -> Cell:
        """Make a cell from a statistic's document."""
        if v is None:
            return cls(None, digits=digits, **more)
        return cls(
            *(v["value"], v["ci_low"], v["ci_high"], v["n"], v["n_unscored"]),
            tasks=v.get("tasks"),
            equal=v.get("all_equal", False),
            digits=digits,
            **more,
        )

    @classmethod
    def tested(cls, row: DifferenceRow | None, digits: int) -> Cell:
        """A paired difference: bold beyond the noise."""
        if row is None:
            return cls.of(row, digits, signed=True)
        return cls.of(row, digits, signed=True, bold=is_settled(row))

    @classmethod
    def showing(cls, value: object, digits: int) -> Cell:
        """A field of a document: a statistic, a number, a text, or a cell already."""
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
        """The cell's own value in digits; that of a difference has its sign."""
        return f"{value:+z,.{self.digits}f}" if self.signed else self.number(value)

    def text(self) -> str:
        """Return the text in one line, for every form."""
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
            shown += f" all equal ({counted})" if self.equal else f" {counted}"
            shown += f" (+{self.unscored} unscored)" if self.unscored else ""
        if isinstance(self.printed, float):
            shown += f" {{paper {self.number(self.printed)}}}"
        return shown


class Heading(NamedTuple):
    """A heading over a column."""

    label: str
    key: str = ""
    """Machine name, for the CSV; the label where there is none."""
    explanation: str = ""
    field: str = ""
    """Field of a form's row with its figure; empty: the machine name."""
    digits: int = 2
    scale: str = ""
    part: str = ""
    """Section of the pages of answers with what is behind it, where that is not the table's own."""

    @classmethod
    def of(cls, metric: Metric) -> Heading:
        return cls(metric.label, metric.name, metric.explanation)

    def cell(self, row: Mapping[str, object]) -> Cell:
        return Cell.showing(row[self.field or self.key or self.label], self.digits)


def metric_headings(metrics: Iterable[Metric]) -> list[Heading]:
    return [Heading.of(metric) for metric in metrics]


def metric_cells(row: Mapping[str, VRow], metrics: Iterable[Metric]) -> list[Cell]:
    """A row's figures under `metric_headings`."""
    return [Cell.of(row.get(metric.name), metric.digits) for metric in metrics]


def headings(*labels: str) -> list[Heading]:
    return [Heading(label) for label in labels]


class AnswerRow(NamedTuple):
    name: str
    values: Sequence[str]
    link: str = ""


class Behind(NamedTuple):
    """A section of a page: what stands behind one table of the report."""

    name: str
    title: str
    columns: Sequence[Heading]
    rows: Sequence[AnswerRow]


class RowHead(NamedTuple):
    """The head of a row on a page, where that is more than its name."""

    html: Markup
    marks: Markup
    """Attributes of the row."""


@dataclass(frozen=True)
class Table:
    name: str
    """Stem of its files' names."""
    title: str
    columns: Sequence[Heading]
    rows: Sequence[tuple[str, Sequence[Cell]]]
    notes: Sequence[str] = ()
    banner: str | None = None
    floor: Sequence[Cell] = ()
    """Under each column what a difference must exceed to be more than repetition; empty where no column has one."""
    behind: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Systems (one or two) behind each row's numbers, by row; a row named after a system is that system's.
    `None`: judges' work."""
    judges: bool = False
    """True where every row is judges' work."""
    each: Callable[[Answer], Sequence[str]] | None = None
    """Cells of an answer under each column, where these are no metrics."""
    each_columns: Sequence[Heading] = ()
    """These columns, where they are others than the table's."""
    sections: Callable[[Material, Table], Iterable[Behind]] | None = None
    """Sections for it on the page of the judges."""
    heads: Mapping[str, RowHead] = field(default_factory=dict)
    """Heads of rows, by their names, where these are not shown."""
    foreign: bool = False
    """Its figures are of another judging: what stands under the same names of ours is not behind them."""

    @property
    def is_empty(self) -> bool:
        """Tell whether no cell says anything."""
        cells = [cell for _, row in self.rows for cell in row]
        return all(cell.value is None and cell.printed is None for cell in cells)

    @property
    def lines(self) -> Sequence[tuple[str, Sequence[Cell]]]:
        """Its rows, and last the noise floor."""
        return [*self.rows, (FLOOR, self.floor)] if self.floor else self.rows


class TableLine(NamedTuple):
    """A row of a form."""

    name: str
    row: Mapping[str, object]
    behind: Sequence[str] | None = None
    """The systems whose answers its numbers are made of; `None` where that is as the name says."""


@dataclass(frozen=True)
class Form:
    """A table whose columns are the same in every study: which field of a row each shows."""

    name: str
    title: str
    columns: Sequence[Heading]
    lines: Callable[[Material], Iterable[TableLine]]
    notes: Callable[[Material], Sequence[str]] = lambda material: ()
    judges: bool = False
    sections: Callable[[Material, Table], Iterable[Behind]] | None = None
    each: Callable[[Answer], Sequence[str]] | None = None
    bannered: bool = True

    def table(self, material: Material) -> Table | None:
        """`None` where the study has no row of it."""
        lines = list(self.lines(material))
        if not lines:
            return None
        return Table(
            self.name,
            self.title,
            self.columns,
            [(line.name, [column.cell(line.row) for column in self.columns]) for line in lines],
            self.notes(material),
            material.banner if self.bannered else None,
            behind={line.name: line.behind for line in lines if line.behind is not None},
            judges=self.judges,
            sections=self.sections,
            each=self.each,
        )


FLOOR = "noise floor"
NOT_MEASURED = "not measured"


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
        text.replace("\\", "\\\\")
        .replace("|", "\\|")
        .replace("\n", " ")
        .replace("<", "&lt;")
        .replace("](", "]\\(")
    )


_PLACE = ("table", "row", "column")
_FIGURE = ("value", "ci_low", "ci_high", "n", "n_unscored", "sd", "best", "paper", "banner", "tasks")


def as_csv(table: Table) -> str:
    """One row a cell, every number at full precision; the banner in every row, so that none loses it."""
    names, rows = (*_PLACE, *_FIGURE), []
    for row, cells in table.lines:
        for column, cell in zip(table.columns, cells, strict=True):
            figure = (cell.value, cell.low, cell.high, cell.n, cell.unscored, cell.sd, int(cell.bold))
            place = (table.name, row, column.key or column.label)
            line = (*place, *figure, cell.printed, table.banner, cell.tasks)
            rows.append(dict(zip(names, line, strict=True)))
    return rows_as_csv(rows, names)


def rows_as_csv(rows: Iterable[Mapping[str, object]], columns: Iterable[str]) -> str:
    """One line a row: what is unknown is empty, a list is JSON."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(columns), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(value) for name, value in row.items()})
    return out.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, str):
        return _harmless(value)
    return "" if value is None else json.dumps(value)


def _harmless(value: object) -> object:
    """A spreadsheet runs a text that begins like a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
