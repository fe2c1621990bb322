"""Draws the pages of a report's folder: its tables and figures, and the answers behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from drr.app.pages.frame import Frame, FramePlace
from drr.app.report.behind import FOLDER, pages_of, sections_behind
from drr.app.report.forest_figure import DARK, LIGHT
from drr.app.report.headline import facts, leads, unscored
from drr.app.report.material import Material
from drr.app.report.tables import FLOOR, Cell, Heading, Table
from drr.app.viewer.render import templates
from markupsafe import Markup

_SENTENCE = 40
"""Letters from which on a cell is a sentence."""
_WIDE = 60
"""Width of a bar in its own units."""


class Extent(NamedTuple):
    """The extent of a column's bars: all of its intervals."""

    low: float
    high: float

    def at(self, value: float) -> float:
        return _WIDE * (value - self.low) / (self.high - self.low)


def section(table: Table, answers: Mapping[tuple[str, ...], str]) -> str:
    """Make the section. `answers` are the pages of answers by their systems; a row or column that is of none of these leads nowhere.

    The page carries the banner in full on top; here a short one stands beside the title.
    """
    columns = [_extent([row[place] for _, row in table.rows]) for place in range(len(table.columns))]
    is_text = [all(_is_text(row[place]) for _, row in table.rows) for place in range(len(table.columns))]
    head = "".join(_head(column, words) for column, words in zip(table.columns, is_text, strict=True))
    body = "".join(_row(table, name, cells, columns, answers) for name, cells in table.lines)
    mark = (
        f' <span class="tag" title="{escape(table.banner)}">rules, not a model</span>' if table.banner else ""
    )
    files = " ".join(f'<a href="tables/{table.name}.{form}">{form}</a>' for form in ("md", "tex", "csv"))
    return (
        f'<section id="{table.name}" class="table"><h2>{escape(table.title)}{mark}</h2><p class="files">{files}</p>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(table.title)}"><table class="figures">'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>{_meanings(table)}"
        + "".join(f'<p class="note">{escape(note)}</p>' for note in table.notes)
        + "</section>"
    )


def _row(
    table: Table,
    name: str,
    cells: Sequence[Cell],
    extents: Sequence[Extent | None],
    answers: Mapping[tuple[str, ...], str],
) -> str:
    own = answers.get(() if table.judges else tuple(table.behind.get(name, (name,))))
    is_floor = table.floor and name == FLOOR and cells is table.floor
    shown = ""
    for column, cell, extent in zip(table.columns, cells, extents, strict=True):
        page = None if is_floor else own or answers.get((column.label,))
        link = f"{page}#{table.name}" if page and (cell.unscored or cell.value not in (None, "")) else ""
        shown += _table_cell(cell, extent, link)
    kind = ' class="floor"' if is_floor else ""
    return f'<tr{kind}><th scope="row">{escape(name)}</th>{shown}</tr>\n'


def _extent(cells: Sequence[Cell]) -> Extent | None:
    ends = [end for cell in cells for end in (cell.low, cell.high) if end is not None]
    if not ends or min(ends) == max(ends):
        return None
    return Extent(min(ends), max(ends))


def _is_text(cell: Cell) -> bool:
    return isinstance(cell.value, str) or bool(cell.missing)


def _head(column: Heading, words: bool) -> str:
    title = f' title="{escape(column.explanation)}"' if column.explanation else ""
    kind = ' class="said"' if words else ""
    return f'<th scope="col"{kind}{title}>{escape(column.label)}</th>'


def _meanings(table: Table) -> str:
    """Explain the headings for who has no pointer to rest on one."""
    columns = [column for column in table.columns if column.explanation]
    if not columns:
        return ""
    rows = "".join(
        f"<dt>{escape(column.label)}</dt><dd>{escape(column.explanation)}</dd>" for column in columns
    )
    return f'<details class="told"><summary>What the columns mean</summary><dl>{rows}</dl></details>'


def _table_cell(cell: Cell, extent: Extent | None, link: str) -> str:
    if _is_text(cell):
        text = cell.text()
        kind = "words" if len(text) > _SENTENCE else "short"
        return f'<td class="{kind}">{_linked(escape(text), link, "")}</td>'
    shown = _linked(_number(cell), link, _why(cell))
    beside = "" if extent is None else _bar(cell, extent)
    more = _beside(cell)
    kind = ' class="slight"' if cell.slight else ""
    return f"<td{kind}>{shown}{beside}{f'<small>{more}</small>' if more else ''}</td>"


def _linked(shown: str, link: str, why: str) -> str:
    title = f' title="{escape(why)}"' if why else ""
    if link:
        return f'<a href="{escape(link)}"{title}>{shown}</a>'
    return f"<span{title}>{shown}</span>" if title else shown


def _number(cell: Cell) -> str:
    """Signs that are no part of a number stand before it, so that points stand under each other."""
    value = cell.value
    if value is None or isinstance(value, str):
        return "–"
    number = escape(f"{value:+,.{cell.digits}f}" if cell.signed else cell.number(value))
    shown = f"≈ {number}" if cell.slight else number
    return f"<b>{shown}</b>" if cell.bold else shown


def _why(cell: Cell) -> str:
    """Give what is needed to believe the figure, for who asks."""
    reasons = []
    if cell.low is not None and cell.high is not None:
        reasons.append(f"95 % interval {cell.number(cell.low)} to {cell.number(cell.high)}")
    if cell.n is not None:
        reasons.append(f"n={cell.n}" + (f", {cell.unscored} unscored" if cell.unscored else ""))
    return "; ".join(reasons)


def _beside(cell: Cell) -> str:
    """Give what a reader must not miss."""
    notes = [f"all equal (n={cell.n})"] if cell.equal else []
    if cell.sd is not None:
        notes.append(f"± {cell.number(cell.sd)}")
    if cell.unscored:
        notes.append(f"{cell.unscored} unscored")
    if isinstance(cell.printed, float):
        notes.append(f"{{paper {cell.number(cell.printed)}}}")
    return escape("; ".join(notes))


def _bar(cell: Cell, extent: Extent) -> str:
    """The interval as a line, the value as a dot; a place of the same width where there is none."""
    drawn = ""
    if extent.low < 0 < extent.high:
        drawn += f'<path class="zero" d="M{extent.at(0):.0f} 0V12"/>'
    if cell.low is not None and cell.high is not None:
        drawn += f'<path d="M{extent.at(cell.low):.0f} 6H{extent.at(cell.high):.0f}"/>'
        if isinstance(cell.value, (int, float)):
            drawn += f'<circle cx="{extent.at(cell.value):.0f}" cy="6" r="2.5"/>'
    return f'<svg class="bar" viewBox="0 0 {_WIDE} 12" aria-hidden="true">{drawn}</svg>'


REPORT = "index.html"
_JUDGES = "What judges said"
_NOTES = (
    "Answer by answer, pair by pair: what was judged, and what each of two judges said. The report shows shares and statistics of these.",
    "Each trial of each question; the report shows the mean over questions.",
    "The questions that both answered, each by the mean of its trials; the report shows the mean difference over questions.",
)
"""Notes for a page of no single system, of one and of two."""


def index_page(material: Material, tables: Sequence[Table], figures: Sequence[tuple[str, str]]) -> str:
    """`figures`: file name without ending, and title. One that has the name of a table stands under it."""
    drawn = dict(figures)
    answers = pages_of(material, tables)
    sections = "".join(
        section(table, answers)
        + (_picture(material, table.name, drawn.pop(table.name)) if table.name in drawn else "")
        for table in tables
    )
    sections += "".join(_picture(material, file, title) for file, title in drawn.items())
    return (
        templates()
        .get_template("summary.html")
        .render(
            root="",
            banner=material.banner,
            contents=[(table.name, table.title) for table in tables],
            pictures=list(drawn.items()),
            invalid=material.document["coverage"]["invalid_because"],
            leads=list(leads(material)),
            facts=facts(material),
            unscored=unscored(material),
            sections=Markup(sections),  # noqa: S704  (every piece is escaped where it is drawn)
            **_frame(material).values("report"),
        )
    )


def answers_page(material: Material, systems: tuple[str, ...], tables: Sequence[Table]) -> str:
    """Render the page of one system, of two (first above second), or of the judges."""
    title = " minus ".join(systems) or _JUDGES
    pages = [
        (" minus ".join(own) or _JUDGES, own == systems, page.removeprefix(f"{FOLDER}/"))
        for own, page in pages_of(material, tables).items()
    ]
    return (
        templates()
        .get_template("answers.html")
        .render(
            root="../",
            banner=material.banner,
            title=title if len(systems) != 1 else f"Answers of {title}",
            note=_NOTES[len(systems)],
            linked="both reports side by side" if len(systems) > 1 else "its report",
            pages=pages,
            parts=list(sections_behind(material, systems, tables)),
            viewer=material.viewer,
            **_frame(material).values("report"),
        )
    )


def _frame(material: Material) -> Frame:
    places = [FramePlace("report", REPORT, "Report")]
    if material.viewer is not None:
        places.append(FramePlace("viewer", f"{material.viewer}/index.html", "Answers"))
    judge = material.document["judge"]
    judged_by = f"judged by {judge['name']}" if judge else "not judged yet"
    return Frame(material.study.folder.resolve().name, False, places, lambda: judged_by, scripts=())


def _picture(material: Material, file: str, title: str) -> str:
    names = [f"{file}{scheme.ending}.{form}" for scheme in (LIGHT, DARK) for form in material.forms]
    links = " ".join(f'<a href="figures/{name}">{name.removeprefix(file).strip(".-")}</a>' for name in names)
    return (
        f'<figure id="figure-{file}" class="scroll" tabindex="0" role="region" aria-label="{escape(title)}, figure">'
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="figures/{file}{DARK.ending}.svg">'
        f'<img src="figures/{file}.svg" alt="{escape(title)}"></picture><figcaption>{escape(title)} {links}</figcaption></figure>'
    )
