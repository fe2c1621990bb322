"""Workbooks as people keep them: a budget, a comparison, a log of measures. The bytes hold no time and no name of a writer."""

from __future__ import annotations

import re
from datetime import date, timedelta
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from drr.papers.dr3.case import FileEntry
from drr.papers.dr3.drawer.brief import FileBrief, dealt, phrases, priced
from drr.papers.dr3.planning.kinds import kind_of
from drr.papers.dr3.planning.scene import capital
from openpyxl import Workbook
from openpyxl.styles import Border, Font, PatternFill, Side
from openpyxl.worksheet.worksheet import Worksheet

_UNDATED = (1980, 1, 1, 0, 0, 0)
"""Time of a workbook's parts, as spreadsheet programs write it."""
_TIMES = re.compile(rb"(<dcterms:(created|modified)[^>]*>)[^<]*(</dcterms:)")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_SHADES = ("D9E2EC", "E7E0D3", "DDE8DA", "EADCE2", "E3E3EE")
_OPINIONS = {
    "": ("good", "ok", "so-so", "fine", "very good", "?"),
    "Color": ("gray", "black", "white", "blue", "green", "?"),
    "Delivery": ("free", "extra", "pickup only", "free", "?"),
}


class KeptWorkbook:
    """One workbook whose cells say which fact they hold."""

    def __init__(self, brief: FileBrief) -> None:
        self.book = Workbook()
        self.brief = brief
        self.shade = brief.rng.choice(_SHADES)
        self._first = True
        self.newest: date | None = None
        """The latest day in a cell."""

    def sheet(self, name: str, widths: tuple[int, ...]) -> Worksheet:
        sheet = self.book.active if self._first else self.book.create_sheet()
        assert isinstance(sheet, Worksheet)
        self._first = False
        sheet.title = name
        for letter, width in zip("ABCDEFGH", widths, strict=False):
            sheet.column_dimensions[letter].width = width
        return sheet

    def rows(
        self, sheet: Worksheet, top: int, head: list[str], rows: list[list[tuple[str | float, str | None]]]
    ) -> int:
        """Cells with the fact that each holds; the row below them."""
        line = Side(style="thin", color="B8BCC2")
        for at, text in enumerate(head, 1):
            cell = sheet.cell(top, at, text)
            cell.font = Font(bold=True)
            cell.fill = PatternFill("solid", fgColor=self.shade)
            cell.border = Border(bottom=line)
        for down, row in enumerate(rows, 1):
            for at, (value, fact) in enumerate(row, 1):
                cell = sheet.cell(top + down, at, value)
                if isinstance(value, str) and _DAY.fullmatch(value):
                    self.newest = max(date.fromisoformat(value), self.newest or date.min)
                if fact is not None:
                    self.brief.put(fact, str(value), f"cell={sheet.title}!{cell.coordinate}")
        return top + len(rows) + 1

    def done(self) -> bytes:
        raw, buffer = BytesIO(), BytesIO()
        self.book.properties.creator = self.book.properties.lastModifiedBy = self.brief.case.shopper
        self.book.save(raw)
        kept = self.brief.saved(self.newest)
        with ZipFile(raw) as old, ZipFile(buffer, "w", ZIP_DEFLATED) as new:
            for name in old.namelist():
                content = _TIMES.sub(
                    lambda at: at[1] + kept[at[2] == b"modified"].encode() + at[3], old.read(name)
                )
                entry = ZipInfo(name, _UNDATED)
                entry.compress_type = ZIP_DEFLATED
                new.writestr(entry, content)
        return buffer.getvalue()


Cell = tuple[str | float, str | None]


def _cells(*values: str | float) -> list[Cell]:
    return [(value, None) for value in values]


def write_budget(brief: FileBrief) -> bytes:
    """Write a budget by the month or by the year, with amounts as they were typed."""
    rng = brief.rng
    book = KeptWorkbook(brief)
    sheet = book.sheet(rng.choice(("Budget", "Monthly", "Plan")), (34, 16, 30))
    top = 1
    if rng.random() < 0.6:
        sheet.cell(1, 1, rng.choice(("Household money", "What goes out", "Our plan"))).font = Font(
            bold=True, size=14
        )
        top = 3
    rows = [
        _cells(
            text, f"${amount * rng.uniform(0.8, 1.25):.2f}", rng.choice(("", "", "fixed", "about", "by card"))
        )
        for text, amount in rng.sample(phrases("expenses"), rng.choice((6, 7, 8)))
    ]
    for entry in brief.file.entries:
        if entry.attribute == "monthly limit":
            rows.insert(rng.randrange(len(rows) + 1), _row_of(entry, entry.label))
    end = book.rows(sheet, top, ["Item", "A month", "Remark"], rows)
    sheet.cell(end + 1, 1, dealt(brief, "remarks", 1, 1)[0])
    _beside_months(book, brief)
    if rng.random() < 0.5:
        second = book.sheet("Goals", (30, 14))
        goals = (line.split("/") for line in dealt(brief, "goals", rng.choice((2, 3)), 3))
        book.rows(second, 1, ["Goal", "By"], [_cells(*goal) for goal in goals])
    return book.done()


def _row_of(entry: FileEntry, *before: str, after: str = "") -> list[Cell]:
    """A row with the fact of an entry."""
    return [*_cells(*before), (entry.value, entry.fact), (after, None)]


def _beside_months(book: KeptWorkbook, brief: FileBrief) -> None:
    """Write a sheet of its own for what is paid once, and one for what is paid by the year."""
    rng, thing = brief.rng, brief.case.thing
    taken = {fact.value for fact in brief.case.facts}
    for attribute, name, head, label, others in (
        ("price paid", "Bought", "Price before tax", capital(thing.name), "once"),
        ("upkeep", "By the year", "A year", "", "yearly"),
    ):
        own = [one for one in brief.file.entries if one.attribute.startswith(attribute)]
        if not own:
            continue
        sheet = book.sheet(name, (40, 18, 22))
        rows = [_cells(text, amount, "") for text, amount in priced(brief, others, 4) if amount not in taken]
        for entry in own:
            rows.insert(rng.randrange(len(rows) + 1), _row_of(entry, label or entry.label))
        book.rows(sheet, 1, ["Item", head, "Remark"], rows)


def write_comparison(brief: FileBrief) -> bytes:
    """Candidates in rows or in columns, with the facts at the one they are of."""
    rng, case = brief.rng, brief.case
    book = KeptWorkbook(brief)
    names = [
        case.thing.name,
        *([case.rival.name] if case.rival else []),
        f"{rng.choice(('Older', 'Spare', 'Borrowed'))} one",
    ]
    labels = [one.label for one in brief.file.entries]
    noisy = ["Noise"] if kind_of(case.thing.noun).manual == "powered" else []
    extra = rng.sample(["Looks", "Color", "Rating by friends", "Delivery", "Easy to clean", *noisy], 3)
    table: dict[str, dict[str, Cell]] = {name: {} for name in names}
    for name in names:
        for label in extra:
            table[name][label] = (rng.choice(_OPINIONS.get(label, _OPINIONS[""])), None)
    for entry in brief.file.entries:
        own = brief.subject_of(entry)
        for name in names:
            filler = "?" if name != own else entry.value
            table[name][entry.label] = (filler, entry.fact if name == own else None)
    columns = [*labels, *extra]
    rng.shuffle(columns)
    sheet = book.sheet(rng.choice(("Candidates", "Compare", "Shortlist")), (38, 22, 22, 22, 18, 18))
    if rng.random() < 0.5:
        rows = [[(capital(name), None), *(table[name][label] for label in columns)] for name in names]
        book.rows(sheet, 1, ["Which", *columns], rows)
    else:
        turned = [[(label, None), *(table[name][label] for name in names)] for label in columns]
        book.rows(sheet, 1, ["What", *map(capital, names)], turned)
    sheet.cell(12, 1, "? = not known yet").font = Font(italic=True)
    return book.done()


def write_measurements(brief: FileBrief) -> bytes:
    """A log with dates, or places with their measures."""
    rng = brief.rng
    book = KeptWorkbook(brief)
    if any(brief.subject_of(entry).startswith("the ") for entry in brief.file.entries):
        _rooms(book, brief)
    else:
        _log(book, brief)
    if rng.random() < 0.4:
        other = book.sheet("Tools", (26, 20))
        tools = [_cells("Tape measure", "steel"), _cells("Kitchen scale", "new battery")]
        book.rows(other, 1, ["Tool", "Note"], tools)
    return book.done()


def _rooms(book: KeptWorkbook, brief: FileBrief) -> None:
    rng = brief.rng
    sheet = book.sheet(rng.choice(("Rooms", "Places", "Home")), (28, 24, 16, 26))
    taken = {fact.value for fact in brief.case.facts}
    rows: list[list[Cell]] = []
    for name, what, low, high in rng.sample(phrases("places"), 5):
        value = f"{rng.randrange(low * 10, high * 10) / 10} in"
        if value not in taken:
            rows.append(_cells(name, what, value, ""))
    for entry in brief.file.entries:
        trunk = "trunk" in entry.attribute
        where = "Trunk of the car" if trunk else capital(brief.case.place)
        what = (
            "load left, with what stands there" if entry.attribute.startswith("load") else entry.label.lower()
        )
        what = "gap beside the stroller" if trunk else what
        rows.insert(rng.randrange(len(rows) + 1), _row_of(entry, where, what, after="measured twice"))
    book.rows(sheet, 1, ["Where", "What", "Measure", "Remark"], rows)


def _log(book: KeptWorkbook, brief: FileBrief) -> None:
    rng, case = brief.rng, brief.case
    sheet = book.sheet(rng.choice(("Log", "Measured", "Numbers")), (16, 40, 22, 22))
    taken = {fact.value for fact in case.facts}
    rows = []
    for text, low, high, unit in rng.sample(phrases("logged"), 4):
        value = f"{round(rng.uniform(low, high), 1)} {unit}"
        if value not in taken:
            rows.append(_cells("", text, value, ""))
    for entry in brief.file.entries:
        if entry.attribute != "day of opening":
            is_weight = entry.attribute == "weight of the owned one"
            what = f"{capital(case.thing.name)}, weight" if is_weight else entry.label
            rows.insert(rng.randrange(len(rows) + 1), _row_of(entry, "", what))
    for down, row in enumerate(rows):
        day = case.today - timedelta(days=3 * (len(rows) - down) + rng.randrange(2))
        while day.isoformat() in taken:
            day -= timedelta(days=1)
        row[0] = (day.isoformat(), None)
    opened = brief.entry("day of opening")
    if opened is not None:
        pack = _cells(f"{capital(case.thing.called)}, regular pack opened", "1 pack", "")
        rows.append([(opened.value, opened.fact), *pack])
    rows.sort(key=lambda row: str(row[0][0]))
    book.rows(sheet, 1, ["Day", "What", "Value", "Remark"], rows)
