"""Draws the pages of a report's folder: its tables and figures, and the answers behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from drr.app.pages.frame import Frame, FramePlace, breakable
from drr.app.pages.serve import SORTING
from drr.app.report.board import board, limits, standings
from drr.app.report.detail_pages import FOLDER, pages_of, sections_behind
from drr.app.report.differences import DIFFERENCES, contrasts
from drr.app.report.forest_figure import DARK, LIGHT
from drr.app.report.headline import facts
from drr.app.report.material import ReportData
from drr.app.report.tables import FLOOR, Cell, Table
from drr.app.viewer.render import banner_of, templates
from markupsafe import Markup

_SENTENCE = 40
"""Number of characters above which the text of a cell is formatted as a sentence."""
_UNMEASURED = "Noise floor: not measured"
"""Beginning of the note on an unmeasured noise floor, which the page shows once, in the list of limits, and not under each table."""
_NOTES_SHOWN = 3
_HEAT = "Failed of decided, in a stronger colour where more failed; ? where nothing could be decided."
_EQUAL = (
    "= or all equal: every question gave the same; the interval is what so few questions can have missed."
)
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


def _drawn(macro: str, *values: object) -> Markup:
    found: Markup = getattr(templates().get_template("tables.html").module, macro)(*values)
    return found


def section(
    table: Table,
    answers: Mapping[tuple[str, ...], str],
    level: int = 2,
    drawn: Markup | None = None,
    *,
    wide: Sequence[tuple[str, str]] | None = None,
) -> Markup:
    """Return the HTML of a table's section. `answers` maps systems to the page of their answers; a row or column of other systems gets no link.

    `drawn` is HTML to place under the table; `wide` are the files of a forest plot, for a table shown as one.
    """
    notes = _notes(table)
    first = notes if len(notes) <= _NOTES_SHOWN + 1 else notes[:_NOTES_SHOWN]
    shown = grid(table, answers, "" if wide is None else "forest")
    return _drawn("section", table, level, shown, first, notes[len(first) :], drawn or "", wide)


def _notes(table: Table) -> list[str]:
    notes = [note for note in table.notes if not note.startswith(_UNMEASURED)]
    if any(cell.brief for _, row in table.rows for cell in row):
        notes.insert(0, _HEAT)
    if any(cell.equal for _, row in table.rows for cell in row):
        notes.append(_EQUAL)
    return notes


def grid(table: Table, answers: Mapping[tuple[str, ...], str], kind: str = "") -> Markup:
    """Return the HTML of the table alone, in a box that scrolls. `kind` is `board`, `forest` or empty."""
    width = _WIDE if kind == "forest" else _BAR
    rows = [[row[place] for _, row in table.rows] for place in range(len(table.columns))]
    columns = [
        ShownColumn(
            _extent(own, width),
            column.label if kind else "",
            kind == "board" and any(_beside(cell, ends=False) for cell in own),
        )
        for column, own in zip(table.columns, rows, strict=True)
    ]
    is_measured = any(cell.value is not None for cell in table.floor)
    lines = table.lines if is_measured else table.rows
    shown = [_row(table, name, cells, columns, answers) for name, cells in lines]
    heads = list(zip(table.columns, map(_kind, rows), strict=True))
    return _drawn("grid", table.title, f"{kind} stack" if kind else "", heads, shown)


def _row(
    table: Table,
    name: str,
    cells: Sequence[Cell],
    columns: Sequence[ShownColumn],
    answers: Mapping[tuple[str, ...], str],
) -> ShownRow:
    own = answers.get(() if table.judges else tuple(table.behind.get(name, (name,))))
    is_floor = bool(table.floor) and name == FLOOR and cells is table.floor
    shown = []
    for column, cell, drawn in zip(table.columns, cells, columns, strict=True):
        page = None if is_floor else own or answers.get((column.label,))
        is_known = cell.unscored or cell.value not in (None, "")
        link = f"{page}#{column.part or table.name}" if page and is_known else ""
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
    return "rate" if any(cell.brief for cell in cells) else "said"


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
    """Return the note next to a cell's number: deviation, unscored answers, printed value and, if `ends`, the interval."""
    notes = []
    if ends and cell.low is not None and cell.high is not None:
        notes.append(f"{cell.number(cell.low)} to {cell.number(cell.high)}")
    if ends and cell.equal:
        notes.append("all equal")
    if cell.sd is not None:
        notes.append(f"± {cell.number(cell.sd)}")
    if cell.unscored:
        notes.append(f"{cell.unscored} unscored")
    if isinstance(cell.printed, float):
        notes.append(f"{{paper {cell.number(cell.printed)}}}")
    return "; ".join(notes)


def _bar(cell: Cell, extent: Extent) -> IntervalBar:
    """Return the bar of a cell's interval and value; without an interval the bar is empty but keeps its width."""
    low, high, value = cell.low, cell.high, cell.value
    return IntervalBar(
        extent.width,
        extent.at(0) if extent.width == _WIDE or extent.low < 0 < extent.high else None,
        None if low is None or high is None else (extent.at(low), extent.at(high)),
        extent.at(value) if low is not None and isinstance(value, (int, float)) else None,
    )


REPORT = "index.html"
_JUDGES = "What judges said"
_NOTES = (
    "Answer by answer, pair by pair: what was judged, and what each of two judges said. The report shows shares and statistics of these.",
    "Each trial of each question; the report shows the mean over questions.",
    "The questions that both answered, each by the mean of its trials; the report shows the mean difference where both have a figure.",
)
"""Notes for the page of the judges, of one system and of two systems, indexed by the number of systems."""


class Topic(NamedTuple):
    """A collapsible section of the first page."""

    key: str
    title: str
    tables: tuple[str, ...]
    """Prefixes of the names of the section's tables."""


TOPICS = (
    Topic("topic-paper", "The paper's own tables", ("paper", "as-printed")),
    Topic("topic-faithfulness", "Faithfulness and citations", ("faithfulness", "citations", "papers")),
    Topic("topic-quality", "Quality", ("quality", "pairwise", "key-points", "relative")),
    Topic("topic-reliability", "Reliability", ("pass", "sameness")),
    Topic("topic-rules", "Rules and failures", ("rules", "failure", "mistakes")),
    Topic("topic-cost", "Effort and cost", ("effort", "tool-calls", "cost", "noise")),
    Topic("topic-judges", "Judges and people", ("coverage", "agreement", "alignment", "corrected")),
    Topic("topic-imported", "Imported figures", ("foreign",)),
    Topic("topic-more", "Further measures", ("",)),
)
_FURTHER = TOPICS[-1]
_PRINTED = "-printed"
"""Suffix of the names of tables with a paper's printed figures. Such a table follows the study's matching table."""


def _topic_of(name: str, last: Topic) -> Topic:
    exact = next((one for one in TOPICS if name in one.tables), None)
    if exact is None and name.endswith(_PRINTED):
        return last
    return exact or next(one for one in TOPICS if name.startswith(one.tables))


class _FirstPage:
    """The non-empty tables of the first page: the forest plot, and the other tables by topic with their figures."""

    def __init__(
        self, material: ReportData, tables: Sequence[Table], figures: Sequence[tuple[str, str]]
    ) -> None:
        self.answers = pages_of(material, tables)
        self.forest = Markup("")
        self._folds: dict[Topic, list[FoldPart]] = {}
        drawn, last = dict(figures), _FURTHER
        for table in tables:
            title = drawn.pop(table.name, "")
            if table.name == DIFFERENCES:
                files = _files(material, table.name) if title else ()
                self.forest = section(table, self.answers, wide=files)
            elif not table.is_empty:
                last = _topic_of(table.name, last)
                picture = _picture(material, table.name, title) if title else None
                self._add(last, table.title, section(table, self.answers, 3, picture))
        for file, title in drawn.items():
            self._add(_FURTHER, title, _picture(material, file, title))

    def _add(self, topic: Topic, title: str, html: Markup) -> None:
        self._folds.setdefault(topic, []).append(FoldPart(title, html))

    @property
    def topics(self) -> list[tuple[Topic, list[FoldPart]]]:
        return [(one, self._folds[one]) for one in TOPICS if one in self._folds]


class FoldPart(NamedTuple):
    title: str
    html: Markup


def index_page(material: ReportData, tables: Sequence[Table], figures: Sequence[tuple[str, str]]) -> str:
    """Return the HTML of the report's first page. `figures` are pairs of file name without ending and title; a figure with a table's name is placed under the table."""
    page, found = _FirstPage(material, tables, figures), contrasts(material.per_report)
    ranks = standings(material.per_report, found, material.failed, by_rules=material.by_rules)
    return (
        templates()
        .get_template("summary.html")
        .render(
            root="",
            banner=_banner(material),
            topics=page.topics,
            invalid=material.document["coverage"]["invalid_because"],
            verdict=ranks.headline,
            board=grid(board(material, ranks), page.answers, "board"),
            forest=page.forest,
            limits=limits(material, found),
            facts=facts(material),
            **_frame(material).values("report"),
        )
    )


def _banner(material: ReportData) -> str | None:
    """Return the banner in one line, or `None`; the list of limits has the full text."""
    written = [answer.rule_written for own in material.variants.values() for answer in own]
    partly = material.banner and "A part of the figures is no measurement or not comparable."
    weak = material.judged.judging.weak if material.judged.judging else None
    return banner_of(written, material.by_rules, weak) or partly


def answers_page(material: ReportData, systems: tuple[str, ...], tables: Sequence[Table]) -> str:
    """Return the HTML of the answers page of one system, of two systems (first minus second), or of the judges."""
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
            banner=_banner(material),
            title=title if len(systems) != 1 else f"Answers of {title}",
            note=_NOTES[len(systems)],
            linked="both reports side by side" if len(systems) > 1 else "its report",
            pages=pages,
            parts=list(sections_behind(material, systems, tables)),
            viewer=material.viewer,
            **_frame(material).values("report"),
        )
    )


def _frame(material: ReportData) -> Frame:
    places = [FramePlace("report", REPORT, "Report")]
    if material.viewer is not None:
        places.append(FramePlace("viewer", f"{material.viewer}/index.html", "Answers"))
    judge = material.document["judge"]
    judged_by = f"judged by {judge['name']}" if judge else "not judged yet"
    return Frame(material.study.folder.resolve().name, False, places, lambda: judged_by, scripts=(SORTING,))


def _files(material: ReportData, file: str) -> list[tuple[str, str]]:
    """Return the files of a figure, light and dark, as pairs of file name and link text."""
    names = [f"{file}{scheme.ending}.{form}" for scheme in (LIGHT, DARK) for form in material.forms]
    return [(name, name.removeprefix(file).strip(".-")) for name in names]


def _picture(material: ReportData, file: str, title: str) -> Markup:
    return _drawn("picture", file, DARK.ending, title, _files(material, file))
