"""Tables: CSV, and XLSX as the values that are stored in it. No formula is worked out, no link is followed, no macro is run."""

from __future__ import annotations

import csv
import re
from datetime import date, datetime, time
from io import BytesIO, StringIO
from typing import Any
from zipfile import BadZipFile, ZipFile

from drr.env.drawer.reading.form import ReadContent, ReadSheet, UnreadableFile
from drr.env.drawer.reading.plain import decoded

MOST_ROWS, MOST_COLUMNS, MOST_SHEETS = 20_000, 200, 50
_MOST_UNPACKED, _MOST_PARTS = 64 << 20, 1_000
_LONGEST_CELL = 32_767
_FORMULA = "(formula; no value is stored)"
_DECLARED = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)


def read_csv(data: bytes) -> ReadContent:
    text = decoded(data)
    csv.field_size_limit(_LONGEST_CELL)
    delimiter = max(",;\t", key=text.split("\n", 1)[0].count)
    sheet = ReadSheet(name="", left=1, rows=[])
    try:
        for number, row in enumerate(csv.reader(StringIO(text), delimiter=delimiter), 1):
            _add(sheet, number, row)
    except csv.Error as error:
        raise UnreadableFile("invalid", f"is no table that can be read ({error})") from error
    return {"sheets": [sheet]}


def read_xlsx(data: bytes) -> ReadContent:
    _look_over(data)
    from openpyxl import load_workbook

    try:
        values = load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
        book = load_workbook(BytesIO(data), read_only=True, data_only=False, keep_links=False)
        if len(values.worksheets) > MOST_SHEETS:
            raise UnreadableFile(
                "invalid", f"has {len(values.worksheets)} sheets; at most {MOST_SHEETS} are read"
            )
        sheets = [_sheet(one, book[one.title]) for one in values.worksheets]
    except (KeyError, ValueError, TypeError, AttributeError, IndexError, OSError, BadZipFile) as error:
        raise UnreadableFile(
            "invalid", f"is no workbook that can be read ({type(error).__name__})"
        ) from error
    return {"sheets": sheets}


def _look_over(data: bytes) -> None:
    """Check what the archive says of itself: no part is unpacked further than to its stated size."""
    try:
        with ZipFile(BytesIO(data)) as archive:
            parts = archive.infolist()
            size = sum(part.file_size for part in parts)
            if len(parts) > _MOST_PARTS or size > _MOST_UNPACKED:
                raise UnreadableFile(
                    "invalid", f"unpacks to {size:,} bytes in {len(parts):,} parts, which is too much"
                )
            names = [part.filename for part in parts]
            if any(name.lower().endswith("vbaproject.bin") for name in names):
                raise UnreadableFile("unsupported", "holds macros, and such workbooks are not opened")
            if not any(name.lower().endswith("workbook.xml") for name in names):
                raise UnreadableFile("invalid", "is an archive and no workbook")
            for part in parts:
                if part.filename.lower().endswith((".xml", ".rels")) and _DECLARED.search(archive.read(part)):
                    raise UnreadableFile("invalid", "declares entities of its own, which no workbook does")
    except (BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise UnreadableFile("invalid", "is no workbook that can be read: its archive is broken") from error


def _sheet(values: Any, said: Any) -> ReadSheet:
    sheet = ReadSheet(name=values.title, left=1, rows=[])
    for one in (values, said):
        one.reset_dimensions()
    # Without bounds: a sheet that goes on beyond them is refused and not cut.
    rows = zip(values.iter_rows(values_only=True), said.iter_rows(values_only=True), strict=False)
    for number, (row, formulas) in enumerate(rows, 1):
        if row:
            _add(sheet, number, [_cell_text(*both) for both in zip(row, formulas, strict=False)])
    return sheet


def _cell_text(value: Any, formula: Any) -> str:
    return _FORMULA if value is None and _is_formula(formula) else _cell(value)


def _is_formula(value: object) -> bool:
    return value is not None and (not isinstance(value, str) or value.startswith("="))


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "seconds")
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)


def _add(sheet: ReadSheet, number: int, row: list[str]) -> None:
    if not any(row):
        return
    cells = [" ".join(cell.split())[:_LONGEST_CELL] for cell in row]
    while cells and not cells[-1]:
        cells.pop()
    if not cells:
        return
    if number > MOST_ROWS or len(cells) > MOST_COLUMNS:
        raise UnreadableFile("invalid", f"is a table beyond {MOST_ROWS:,} rows or {MOST_COLUMNS} columns")
    sheet["rows"].append((number, cells))
