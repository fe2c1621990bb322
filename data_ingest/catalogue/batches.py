"""Reads a mapped file by fields, and finds how it writes prices, dates and currencies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from drr.data_ingest.catalogue.mapping import MappedFile, OrderMap, ProductMap
from drr.data_ingest.catalogue.rows import RowBatch
from drr.data_ingest.catalogue.values import (
    Cell,
    amount_of,
    decimal_marks,
    first_numbers,
    first_of,
    listed,
    text_of,
)
from drr.env.entities import ORDER_STATUSES, RECORDED_STATUSES
from drr.env.errors import DrrError

WHOLE = ("variant", "details", "status")
"""Fields that are the cells of all their columns, not the first that is not empty."""


class Batch(NamedTuple):
    """RowBatch by field, the line of each, what cannot be read, and how many rows are no records."""

    lines: Sequence[int]
    cells: Mapping[str, Sequence[Cell]]
    bad: Sequence[tuple[int, str]]
    skipped: int = 0


def batches(mapped: MappedFile, fields: Sequence[str]) -> Iterator[Batch]:
    """Yield the rows of a file with these fields; a field without a column is left out."""
    there = {field: mapped.columns[field] for field in fields if mapped.columns.get(field)}
    table = mapped.table
    beside = [name for name in (table.same, table.skip) if name and name in mapped.source.columns]
    wanted = list(dict.fromkeys([*(column for columns in there.values() for column in columns), *beside]))
    carry = (
        _carrier(table.same, [field for field in table.carry if field in there])
        if table.same in beside
        else None
    )
    for rows in mapped.source.rows(wanted):
        cells = {field: _cells(rows, columns, whole=field in WHOLE) for field, columns in there.items()}
        if carry:
            carry(rows.columns[str(table.same)], cells)
        lines, before = rows.lines, len(rows.lines)
        if table.skip in beside:
            kept = [k for k, cell in enumerate(rows.columns[str(table.skip)]) if text_of(cell)]
            lines = [lines[k] for k in kept]
            cells = {field: [column[k] for k in kept] for field, column in cells.items()}
        yield Batch(lines, cells, rows.bad, before - len(lines))


def _cells(rows: RowBatch, columns: Sequence[str], *, whole: bool) -> Sequence[Cell]:
    if len(columns) == 1 and not whole:
        return rows.columns[columns[0]]
    together = zip(*(rows.columns[name] for name in columns), strict=True)
    return list(together) if whole else [first_of(cells) for cells in together]


def _carrier(same: str | None, fields: Sequence[str]) -> Callable[[Sequence[Cell], dict[str, Any]], None]:
    last: dict[str, Cell] = {}

    def carry(group: Sequence[Cell], cells: dict[str, Any]) -> None:
        for field in fields:
            column = cells[field] = list(cells[field])
            before, kept = last.get(""), last.get(field)
            for k, one in enumerate(group):
                cell = column[k]
                empty = not (any(map(text_of, cell)) if isinstance(cell, tuple) else text_of(cell))
                if empty and one == before:
                    column[k] = kept
                before, kept = one, column[k]
            last[field] = kept
        last[""] = group[-1] if len(group) else last.get("")

    return carry


class ProductForms(NamedTuple):
    """Forms in which a file writes its products."""

    decimal: str
    currency: str | None
    """The one currency of the shop; `None` if no file names one."""
    rate: float
    language: str | None


def product_forms(files: Sequence[MappedFile]) -> dict[str, ProductForms]:
    """Read prices, currencies and languages of all product files. Raises `DrrError` where something has two readings."""
    decimals = {mapped.name: _decimal(mapped) for mapped in files}
    currencies, languages = Counter[str](), Counter[str]()
    for mapped in files:
        for batch in batches(mapped, ("price", "currency", "language")):
            languages.update(text for cell in batch.cells.get("language", ()) if (text := text_of(cell)))
            currencies.update(filter(None, currencies_of(batch.cells, decimals[mapped.name])))
    first = files[0].table
    assert isinstance(first, ProductMap)
    currency = _one("currency", first.currency, currencies, files)
    language = _one("language", first.language, languages, files)
    if currency not in (None, "USD") and first.rate is None:
        raise DrrError(
            f"prices are in {currency}, and tools, reports and checks reckon in dollars. Say in the mapping what one "
            f"{currency} is worth: [products] rate = 1.08. With rate = 1 the figures stay, and $ then stands for {currency}"
        )
    return {
        name: ProductForms(mark, currency, first.rate or 1.0, language) for name, mark in decimals.items()
    }


def currencies_of(cells: Mapping[str, Sequence[Cell]], decimal: str) -> list[str | None]:
    """Return the currency that each row names, in its price or in a column of its own."""
    if "currency" in cells:
        return [text_of(cell).upper() or None for cell in cells["currency"]]
    return [
        amount_of(cell, decimal).currency if isinstance(cell, str) else None
        for cell in cells.get("price", ())
    ]


def _one(field: str, stated: Sequence[str], found: Counter[str], files: Sequence[MappedFile]) -> str | None:
    """Return the shop's one value of a field: the stated one, or the only one found."""
    for value in stated:
        if all(value not in mapped.source.columns for mapped in files) and len(value) <= _LONGEST_VALUE:
            return value
    if len(found) > 1:
        keep = found.most_common(1)[0][0]
        raise DrrError(
            f"products have several values of {field}: {listed(found)}. A shop has one: "
            f'[products] {field} = "{keep}" in the mapping keeps these and leaves the others out'
        )
    return next(iter(found), None)


_LONGEST_VALUE = 5
"""Characters of a currency or language, such as EUR or de-CH; a preset also lists names of columns."""


def _decimal(mapped: MappedFile) -> str:
    assert isinstance(mapped.table, ProductMap)
    if mapped.table.decimal:
        return mapped.table.decimal
    marks = Counter[str]()
    for batch in batches(mapped, ("price", "rating")):
        for cells in batch.cells.values():
            marks.update(map(decimal_marks, cells))
    known = [mark for mark in ".," if marks[mark]]
    if len(known) == 1 or not marks["?"] + len(known):
        return (known or ["."])[0]
    raise DrrError(
        f"{mapped.name}: the decimal mark of its prices could be a point or a comma; say it in the mapping: "
        '[products] decimal = ","'
    )


_UNKNOWN = RECORDED_STATUSES.index("Unknown")


class StatusWords:
    """Meanings of a shop's words for the status of an order."""

    def __init__(self, mapped: MappedFile) -> None:
        assert isinstance(mapped.table, OrderMap)
        means: dict[str, str] = {**{name: name for name in ORDER_STATUSES}, **mapped.table.statuses}
        self._any = {
            k: means[name] for k, name in enumerate(mapped.columns.get("status", ())) if name in means
        }
        self._words = {word.casefold(): status for word, status in means.items()}
        self.strange: Counter[str] = Counter()
        """Words whose meaning nobody told."""
        self.code = lru_cache(1 << 12)(self._code)

    def _code(self, cells: tuple[Cell, ...]) -> int:
        """Return a row's status as a position among all: that of its first cell that tells one."""
        for k, cell in enumerate(cells):
            if not (text := text_of(cell).casefold()):
                continue
            status = self._any.get(k) or self._words.get(text)
            if status is None:
                self.strange[text] += 1
            elif status:
                return RECORDED_STATUSES.index(status)
        return _UNKNOWN


def is_day_first(mapped: MappedFile) -> bool:
    """Read the dates and statuses of a file of orders. Raises `DrrError` for dates with two readings and for unknown words."""
    table, words = mapped.table, StatusWords(mapped)
    assert isinstance(table, OrderMap)
    doubtful, firsts, seconds, rows = 0, 0, 0, 0
    for batch in batches(mapped, ("date", "status")):
        rows += len(batch.lines)
        for cell in (
            () if table.dates or isinstance(batch.cells.get("date"), np.ndarray) else batch.cells["date"]
        ):
            if found := first_numbers(cell):
                doubtful, firsts, seconds = doubtful + 1, max(firsts, found[0]), max(seconds, found[1])
        for cells in set(batch.cells.get("status", ())):
            words.code(cells)
    if doubtful and (firsts > _MONTHS) == (seconds > _MONTHS):
        raise DrrError(
            f"{mapped.name}: {doubtful:,} dates such as 03/04/2024 could begin with the day or with the month; say it in "
            'the mapping: [orders] dates = "%d/%m/%Y"'
        )
    if strange := sorted(words.strange):
        shown = (
            ", ".join(map(repr, strange)) if len(strange) <= min(_FEW, rows / 3) else "too many to be shown"
        )
        raise DrrError(
            f"{mapped.name}: {len(strange)} words of the status ({shown}) are none of {', '.join(ORDER_STATUSES)}; say "
            'what each means in the mapping: [orders.statuses] "WORD" = "Delivered"'
        )
    return firsts > _MONTHS


_MONTHS, _FEW = 12, 12
