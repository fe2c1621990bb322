"""Tables as values: cells with interval and n, drawn as Markdown, LaTeX, CSV and HTML by one function each."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from drr.eval.stats.intervals import VRow


_SENTENCE = 40
"""Letters from which on a cell is a sentence."""


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
    """What a paper prints: a number beside ours, or as it stands there in a table of the paper's own."""
    slight: bool = False
    """No further from the best of its column than the measure sways by itself."""
    signed: bool = False
    """A difference, whose sign is said."""
    tasks: int | None = None
    """What `n` are of, where questions are of fewer tasks."""
    missing: str = ""
    """What stands there for a reader where there is no value, with the reason in a note."""

    @classmethod
    def of(cls, v: VRow | None, digits: int = 2, **more: Any) -> Cell:
        """From a statistic's document."""
        if v is None:
            return cls(None, digits=digits, **more)
        tasks = v.get("tasks")
        return cls(
            *(v["value"], v["ci_low"], v["ci_high"], v["n"], v["n_unscored"]),
            tasks=tasks,
            digits=digits,
            **more,
        )

    def number(self, value: float) -> str:
        return f"{value:,.{self.digits}f}"

    def text(self) -> str:
        """In one line, for every form."""
        if self.value is None and self.missing:
            return self.missing
        if self.value is None:
            shown = "–"
        elif isinstance(self.value, str):
            return self.value
        else:
            shown = f"{self.value:+,.{self.digits}f}" if self.signed else self.number(self.value)
        if self.slight:
            shown += " ≈"
        if self.sd is not None:
            shown += f" ± {self.number(self.sd)}"
        if self.low is not None and self.high is not None:
            shown += f" [{self.number(self.low)}, {self.number(self.high)}]"
        if self.n is not None:
            shown += f" n={self.n}" + (f" of {self.tasks} tasks" if self.tasks else "")
            shown += f" (+{self.unscored} unscored)" if self.unscored else ""
        if isinstance(self.printed, float):
            shown += f" {{paper {self.number(self.printed)}}}"
        return shown


class Heading(NamedTuple):
    """Over a column."""

    label: str
    key: str = ""
    """Machine name, for the CSV; the label where there is none."""
    told: str = ""
    """What stands in the column, in one sentence."""


def headings(*labels: str) -> list[Heading]:
    return [Heading(label) for label in labels]


@dataclass(frozen=True)
class Table:
    name: str
    """Of its files."""
    title: str
    columns: Sequence[Heading]
    rows: Sequence[tuple[str, Sequence[Cell]]]
    notes: Sequence[str] = ()
    banner: str | None = None


def markdown(table: Table) -> str:
    lines = [f"## {_md(table.title)}", ""]
    if table.banner:
        lines += [f"> **{_md(table.banner)}**", ""]
    lines += [
        "| | " + " | ".join(_md(column.label) for column in table.columns) + " |",
        "|---" * (len(table.columns) + 1) + "|",
    ]
    for name, cells in table.rows:
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


def latex(table: Table) -> str:
    """A `tabular` in a `table`; needs booktabs."""
    lines = [r"\begin{table}", r"\centering", r"\small"]
    lines += [r"\begin{tabular}{l" + "r" * len(table.columns) + "}", r"\toprule"]
    lines.append(" & " + " & ".join(_tex(column.label) for column in table.columns) + r" \\")
    lines.append(r"\midrule")
    for name, cells in table.rows:
        shown = [rf"\textbf{{{_tex(c.text())}}}" if c.bold else _tex(c.text()) for c in cells]
        lines.append(f"{_tex(name)} & " + " & ".join(shown) + r" \\")
    caption = " ".join([f"{table.title}.", *([table.banner] if table.banner else []), *table.notes])
    lines += [
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{_tex(caption)}}}",
        rf"\label{{tab:{table.name}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


_TEX = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "≈": r"$\approx$",
    "–": "--",
    "<": r"$<$",
    ">": r"$>$",
}


def _tex(text: str) -> str:
    return "".join(_TEX.get(sign, sign) for sign in text.replace("\n", " "))


def as_csv(table: Table) -> str:
    """One row a cell, every number at full precision; the banner in every row, so that none loses it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        [
            "table",
            "row",
            "column",
            "value",
            "ci_low",
            "ci_high",
            "n",
            "n_unscored",
            "sd",
            "best",
            "paper",
            "banner",
            "tasks",
        ]
    )
    names = [column.key or column.label for column in table.columns]
    for row, cells in table.rows:
        for column, cell in zip(names, cells, strict=True):
            values = [cell.value, cell.low, cell.high, cell.n, cell.unscored, cell.sd]
            shown = ["" if value is None else value for value in values]
            line = [
                table.name,
                row,
                column,
                *shown,
                int(cell.bold),
                "" if cell.printed is None else cell.printed,
            ]
            writer.writerow([_harmless(item) for item in [*line, table.banner or "", cell.tasks or ""]])
    return out.getvalue()


def _harmless(value: object) -> object:
    """A spreadsheet runs a text that begins like a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def html(table: Table) -> str:
    """A section of the page, which carries the banner in full on top; here a short one stands beside the title."""
    head = "".join(_head(column) for column in table.columns)
    body = ""
    for name, cells in table.rows:
        shown = "".join(f"<td{_kind(cell)}>{_html(cell)}</td>" for cell in cells)
        body += f'<tr><th scope="row">{escape(name)}</th>{shown}</tr>\n'
    mark = (
        f' <span class="tag" title="{escape(table.banner)}">rules, not a model</span>' if table.banner else ""
    )
    notes = "".join(f"<p><small>{escape(note)}</small></p>" for note in table.notes)
    files = " ".join(f'<a href="tables/{table.name}.{form}">{form}</a>' for form in ("md", "tex", "csv"))
    return (
        f'<section id="{table.name}"><h2>{escape(table.title)}{mark} <small>{files}</small></h2>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(table.title)}"><table class="figures">'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>{notes}</section>"
    )


def _head(column: Heading) -> str:
    told = f' title="{escape(column.told)}"' if column.told else ""
    return f'<th scope="col"{told}>{escape(column.label)}</th>'


def _kind(cell: Cell) -> str:
    """A sentence runs over several lines, figures never."""
    long = isinstance(cell.value, str) and len(cell.value) > _SENTENCE
    return ' class="words"' if long else ""


def _html(cell: Cell) -> str:
    """The number, and under it what is needed to believe it."""
    text = cell.text()
    shown, sign, rest = text.partition(" [")
    if not sign:
        shown, sign, rest = text.partition(" n=")
    if isinstance(cell.value, str) or not sign:
        shown, sign, rest = text, "", ""
    number = f"<b>{escape(shown)}</b>" if cell.bold else escape(shown)
    if cell.slight:
        number = f'<span class="slight">{number}</span>'
    return f"{number}<small>{escape((sign + rest).strip())}</small>" if rest else number
