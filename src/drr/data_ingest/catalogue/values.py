"""Reads the values of cells: ids, prices, dates and counts as shops write them. A form with two readings is a doubt."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from drr.data_ingest.catalogue.written_dates import month_in, named_date
from drr.data_ingest.products import NOTHING, plain
from drr.wording.currencies import Price, amount_of

Cell = Any
_ID = re.compile(r"[\w.:@+~#/()-](?:[\w.:@+~#/() -]{0,98}[\w.:@+~#/()-])?")
_EXCEL = re.compile(r'="([^"]*)"')
_LARGEST = 1e15


def text_of(cell: Cell) -> str:
    """Return a cell as text, empty if it says nothing. A whole number has no decimal point, and `="00123"` is how a spreadsheet keeps zeros."""
    if isinstance(cell, list):
        cell = cell[0] if cell else None
    if isinstance(cell, str):
        found = _EXCEL.fullmatch(cell.strip()) if "=" in cell else None
        text = (found[1] if found else cell).strip()
        return "" if len(text) <= _LONGEST_NOTHING and text.casefold() in NOTHING else text
    if cell is None or isinstance(cell, (bool, dict, list)):
        return ""
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else "" if math.isnan(cell) else str(cell)
    return str(cell)


def all_texts(cells: Iterable[Cell]) -> list[str]:
    """Return `text_of` of many cells. Digits, and a word that begins and ends with them or letters, are as they stand, which saves most calls."""
    return [
        cell
        if type(cell) is str
        and (cell.isdecimal() or (len(cell) > _LONGEST_NOTHING and cell[0].isalnum() and cell[-1].isalnum()))
        else str(cell)
        if type(cell) is int
        else text_of(cell)
        for cell in cells
    ]


_LONGEST_NOTHING = max(map(len, NOTHING))


def is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


def amount_in(cell: Cell, decimal: str) -> Price:
    """Return the amount of a cell, or of the first of a list. `decimal` is as for `amount_of`."""
    first = cell[0] if isinstance(cell, list) and cell else cell
    if isinstance(first, (int, float)) and not isinstance(first, bool):
        return Price(abs(float(first)), (), first < 0) if abs(first) < _LARGEST else Price(None)
    return amount_of(text_of(first), decimal)


def number_of(cell: Cell, decimal: str) -> float | None:
    found = amount_in(cell, decimal)
    return None if found.negative else found.value


_TIME = r"(?:,?[ T]+(?P<time>.+))?"
_NUMBERED = re.compile(rf"(\d{{1,2}})([./-])(\d{{1,2}})\2(\d{{4}}){_TIME}")
_YEAR_FIRST = re.compile(
    rf"(?P<year>\d{{4}})(?:[./年-] ?)(?P<month>\d{{1,2}})(?:[./月-] ?)(?P<day>\d{{1,2}})[.日]?{_TIME}"
)
_NAMED = re.compile(
    rf"(?P<day>\d{{1,2}})(?:\.|st|nd|rd|th|er|º)?(?: de)?[ -](?P<name>[^\W\d_]+)\.?(?: del?)?[ ,-]+(?P<year>\d{{4}}){_TIME}"
    rf"|(?P<name_>[^\W\d_]+)\.? (?P<day_>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year_>\d{{4}})(?:,?[ T]+(?P<time_>.+))?"
)
"""`15. März 2024`, `15 de mar. de 2024`, `15-Mar-2024`, `March 15, 2024`."""
_OFFSET = re.compile(r" ([+-]\d\d:?\d\d|Z|UTC)$")
_EPOCH = re.compile(r"\d{9,18}(?:\.\d{1,9})?")
_SECONDS = 100_000_000_000
"""Numbers below are seconds since 1970, all others milliseconds; short ones are no time but a spreadsheet's day, and not read."""


def first_numbers(text: str) -> tuple[int, int] | None:
    """Return the first two numbers of a date such as 03/04/2024, of which either may be the day. Before a point it is the first."""
    found = _NUMBERED.fullmatch(text)
    return (int(found[1]), int(found[3])) if found and found[2] != "." else None


@lru_cache(1 << 16)
def moment_of(cell: Cell, form: str | None, day_first: bool, language: str | None = None) -> int | None:
    """Return a time in milliseconds, `None` if it cannot be read. A time without an offset is UTC; `language` tells its months."""
    text = text_of(cell)
    if _EPOCH.fullmatch(text):
        return round(float(text) * (1000 if float(text) < _SECONDS else 1))
    try:
        moment = datetime.strptime(text, form) if form else _moment(text, day_first, language)  # noqa: DTZ007 - an offset, if any, is part of the form
        return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


def _moment(text: str, day_first: bool, language: str | None) -> datetime:
    with suppress(ValueError):
        return datetime.fromisoformat(text)
    return datetime.fromisoformat(_iso(text, day_first, language))


def _iso(text: str, day_first: bool, language: str | None) -> str:
    text = _OFFSET.sub(lambda found: "Z" if found[1] == "UTC" else found[1], text)
    if found := _NUMBERED.fullmatch(text):
        day, month = (found[1], found[3]) if day_first or found[2] == "." else (found[3], found[1])
        return _stamp(found[4], month, day, found["time"])
    if found := _YEAR_FIRST.fullmatch(text):
        return _stamp(found["year"], found["month"], found["day"], found["time"])
    if named := named_date(text, language):
        return _stamp(str(named[0]), str(named[1]), str(named[2]), None)
    if (found := _NAMED.fullmatch(text)) and (
        month_number := month_in(found["name"] or found["name_"], language)
    ):
        year, day, time = (found[part] or found[f"{part}_"] for part in ("year", "day", "time"))
        return _stamp(year, str(month_number), day, time)
    return text


def _stamp(year: str, month: str, day: str, time: str | None) -> str:
    return f"{year}-{month:0>2}-{day:0>2}" + (f"T{time}" if time else "")


def whole_of(cell: Cell) -> int | None:
    """Return a whole number, `None` for anything else."""
    try:
        value = float(re.sub(r",0{1,2}$", "", text_of(cell)))
    except ValueError:
        return None
    return int(value) if value.is_integer() and abs(value) < 1 << 53 else None


def texts_of(cell: Cell) -> list[str]:
    """Return the texts of a list, of a JSON list, or of lines."""
    if isinstance(cell, str) and cell.lstrip().startswith("["):
        with suppress(ValueError, RecursionError):
            cell = json.loads(cell)
    parts: Sequence[Cell] = cell if isinstance(cell, list) else text_of(cell).splitlines()
    return [text for part in parts if (text := text_of(part))]


def steps_of(cell: Cell) -> list[str]:
    """Return the steps of a category path, which is a list or has `>` between its steps."""
    parts = [text_of(part) for part in cell] if isinstance(cell, list) else text_of(cell).split(">")
    return [plain(part.strip()) for part in parts if part.strip()]
