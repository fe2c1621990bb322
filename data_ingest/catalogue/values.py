"""Reads the values of cells: ids, prices, dates and counts as shops write them. A form with two readings is a doubt."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from drr.data_ingest.products import NOTHING, plain

Cell = Any
_ID = re.compile(r"[\w.:@+~#/()-](?:[\w.:@+~#/() -]{0,98}[\w.:@+~#/()-])?")
_EXCEL = re.compile(r'="([^"]*)"')
_PRICE = re.compile(
    r"(?P<before>[^\d.,'\s+-]{0,8})\s*(?:(?P<minus>-)\s*)?(?P<number>\d(?:[\d.,'\s]*\d)?[.,']?)\s*(?P<after>(?:[^\d\s]\D{0,7})?)"
)
"""No part can end where another could go on, so that a long cell takes no longer than it is."""
_LAST = re.compile(r"[.,](\d+)$")
_SIGNS = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}
_CODE = re.compile("[A-Z]{3}")


def text_of(cell: Cell) -> str:
    """Return a cell as text, empty if it says nothing. A whole number has no decimal point, and `="00123"` is how a spreadsheet keeps zeros."""
    if isinstance(cell, str):
        text = cell.strip()
        if text[:2] == '="' and (found := _EXCEL.fullmatch(text)):
            return found[1].strip()
        return "" if text.casefold() in NOTHING else text
    if cell is None or isinstance(cell, (bool, dict, list)):
        return "" if not isinstance(cell, list) or not cell else text_of(cell[0])
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else "" if math.isnan(cell) else str(cell)
    return str(cell)


def all_texts(cells: Iterable[Cell]) -> list[str]:
    """Return `text_of` of many cells. A word that begins and ends with letters or digits is as it stands, which saves most calls."""
    return [
        cell
        if type(cell) is str and len(cell) > _LONGEST_NOTHING and cell[0].isalnum() and cell[-1].isalnum()
        else str(cell)
        if type(cell) is int
        else text_of(cell)
        for cell in cells
    ]


_LONGEST_NOTHING = max(map(len, NOTHING))


def is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


def first_of(cells: Iterable[Cell]) -> Cell:
    """Return the first cell that says something."""
    return next((cell for cell in cells if text_of(cell) or isinstance(cell, dict)), None)


class Amount(NamedTuple):
    """A price as written: its currency, and whether it is negative. `value` is `None` if it cannot be read."""

    value: float | None
    currency: str | None = None
    negative: bool = False


def decimal_marks(cell: Cell) -> str:
    """Return the decimal mark of a written number: empty without one, `?` where it could be either."""
    found = _PRICE.fullmatch(cell.strip()) if isinstance(cell, str) else None
    number = found["number"].strip() if found else ""
    marks = [c for c in number if c in ".,"]
    if not marks:
        return ""
    if len(set(marks)) == 2:
        return marks[-1]
    if len(marks) > 1:
        return "." if marks[0] == "," else ","
    digits = _LAST.search(number)
    return "?" if digits and len(digits[1]) == 3 else marks[0]


@lru_cache(1 << 16)
def amount_of(cell: Cell, decimal: str) -> Amount:
    if isinstance(cell, bool) or cell is None:
        return Amount(None)
    if not isinstance(cell, str):
        value = float(cell)
        return Amount(abs(value), None, value < 0) if math.isfinite(value) else Amount(None)
    found = _PRICE.fullmatch(cell.strip())
    if found is None:
        return Amount(None)
    signs = [sign for part in ("before", "after") if (sign := found[part].strip())]
    codes = {_SIGNS.get(sign.upper(), sign.upper()) for sign in signs}
    thousands = "," if decimal == "." else "."
    number = re.sub(r"[\s']", "", found["number"]).replace(thousands, "").replace(decimal, ".")
    if len(codes) > 1 or not all(map(_CODE.fullmatch, codes)) or number.count(".") > 1:
        return Amount(None)
    return Amount(float(number), next(iter(codes), None), bool(found["minus"]))


_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})(?:,?[ T]+(.+))?")
_DOUBTFUL = re.compile(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})(?:,?[ T]+(.+))?")
_OFFSET = re.compile(r" ([+-]\d\d:?\d\d|Z|UTC)$")
_SECONDS = 100_000_000_000
"""Numbers below are seconds since 1970, all others milliseconds; small ones are no time but a spreadsheet's day, and not read."""


def first_numbers(cell: Cell) -> tuple[int, int] | None:
    """Return the first two numbers of a date such as 03/04/2024, of which either may be the day."""
    found = _DOUBTFUL.fullmatch(cell.strip()) if isinstance(cell, str) else None
    return (int(found[1]), int(found[2])) if found else None


@lru_cache(1 << 16)
def moment_of(cell: Cell, form: str | None, day_first: bool) -> int | None:
    """Return a time in milliseconds, `None` if it cannot be read. A time without an offset is UTC."""
    if isinstance(cell, (int, float)) or (
        isinstance(cell, str) and cell.strip().isdigit() and len(cell.strip()) > 8
    ):
        number = int(cell)
        return None if number < 1e8 else number * 1000 if number < _SECONDS else number
    if not isinstance(cell, str):
        return None
    try:
        moment = _written(cell.strip(), form) if form else datetime.fromisoformat(_iso(cell, day_first))
        return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


def _written(text: str, form: str) -> datetime:
    return datetime.strptime(text, form)  # noqa: DTZ007 - an offset, if any, is part of the form


def _iso(cell: str, day_first: bool) -> str:
    text = _OFFSET.sub(lambda found: "Z" if found[1] == "UTC" else found[1], cell.strip())
    for shape, days in ((_DOTTED, True), (_DOUBTFUL, day_first)):
        if found := shape.fullmatch(text):
            day, month = (found[1], found[2]) if days else (found[2], found[1])
            return f"{found[3]}-{month:0>2}-{day:0>2}" + (f"T{found[4]}" if found[4] else "")
    return text


def whole_of(cell: Cell) -> int | None:
    """Return a whole number, `None` for anything else."""
    text = text_of(cell)
    try:
        value = float(text)
    except ValueError:
        return None
    return int(value) if value.is_integer() and abs(value) < 1 << 53 else None


def number_of(cell: Cell, decimal: str) -> float | None:
    found = amount_of(cell if isinstance(cell, (int, float)) else text_of(cell), decimal)
    return None if found.negative else found.value


def texts_of(cell: Cell) -> list[str]:
    """Return the texts of a list, of a JSON list, or of lines."""
    if isinstance(cell, str) and cell.lstrip().startswith("["):
        with suppress(ValueError):
            cell = json.loads(cell)
    parts: Sequence[Cell] = cell if isinstance(cell, list) else plain_lines(text_of(cell))
    return [text for part in parts if (text := text_of(part))]


def plain_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def steps_of(cell: Cell) -> list[str]:
    """Return the steps of a category path, which is a list or has `>` between its steps."""
    parts = [text_of(part) for part in cell] if isinstance(cell, list) else text_of(cell).split(">")
    return [plain(part.strip()) for part in parts if part.strip()]


def listed(words: Counter[str]) -> str:
    return ", ".join(f"{word} ({count:,})" for word, count in words.most_common(8))
