"""Reads the reviews of one category once: without duplicates, with counts per product and the rows of kept products."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from drr.data_ingest.blocks import BLOCK, Block, BlockReader
from drr.data_ingest.duplicates import Duplicates, ReviewColumns, canonical_lines, fingerprint
from drr.data_ingest.packing import I64, U64, USER_WIDTH, Ids
from drr.data_ingest.products import Repairs
from drr.data_ingest.quarantine import Quarantine
from drr.data_ingest.recipe import Recipe
from drr.data_ingest.review_rows import ReviewRows
from drr.env.progress import Stage
from drr.env.shop import Input
from numpy.typing import NDArray


class RowTally(NamedTuple):
    """The number of reviews of each product, by product code. `first` is the row of its first review, if requested."""

    items: I64
    counts: I64
    first: I64 | None


class Interactions(NamedTuple):
    user: NDArray[np.bytes_]
    item: I64
    time: I64


@dataclass
class Reviews:
    input: Input
    rows: int
    duplicates: int
    quarantined: int
    parsed: int
    repairs: Repairs
    columns: ReviewColumns
    dropped: I64
    """Rows of the columns that proved to be duplicates."""
    lines: Callable[[I64], I64]
    """A function that returns the file's line numbers for rows of the columns."""

    @property
    def kept_rows(self) -> int:
        """Return the number of good rows without duplicates."""
        return self.columns.rows - len(self.dropped)

    def _parts(self) -> Iterator[tuple[I64, Interactions]]:
        for part in self.columns.parts():
            low, high = np.searchsorted(self.dropped, (part.first, part.first + len(part.item)))
            number = np.arange(part.first, part.first + len(part.item))
            columns = (number, part.user, part.item, part.time)
            if low < high:
                columns = tuple(np.delete(c, self.dropped[low:high] - part.first) for c in columns)  # type: ignore[assignment]
            yield columns[0], Interactions(*columns[1:])

    def tally(self, since_ms: int, *, first: bool) -> RowTally:
        """Count the reviews since a day; `first` also finds each product's first row, at any time."""
        counts = _Merged(np.add)
        firsts = _Merged(np.minimum)
        for number, rows in self._parts():
            counts.add(*np.unique(rows.item[rows.time >= since_ms], return_counts=True))
            if first:
                items, at = np.unique(rows.item, return_index=True)
                firsts.add(items, number[at])
        items, total = counts.result()
        if not first:
            return RowTally(items, total, None)
        every, at = firsts.result()
        return RowTally(items, total, at[np.searchsorted(every, items)])

    def _of_items(self, kept: I64, since_ms: int | None) -> Iterator[tuple[I64, Interactions]]:
        sieve = _Sieve(kept)
        for number, rows in self._parts():
            here, at = sieve(rows.item)
            if since_ms is not None:
                recent = rows.time[here] >= since_ms
                here, at = here[recent], at[recent]
            yield number[here], Interactions(rows.user[here], at, rows.time[here])

    def lines_of_items(self, kept: I64, since_ms: int | None) -> I64:
        """Return the line numbers of these products' interactions, in the order of the file."""
        found = [self.lines(number) for number, _ in self._of_items(kept, since_ms)]
        return np.concatenate([*found, np.empty(0, np.int64)])

    def of_items(self, kept: I64, since_ms: int | None) -> Interactions:
        """Return the interactions of these products (codes, ascending); items become positions among the codes."""
        found = [rows for _, rows in self._of_items(kept, since_ms)]
        if not found:
            none = np.empty(0, np.int64)
            return Interactions(np.empty(0, f"S{USER_WIDTH}"), none, none)
        return Interactions(*(np.concatenate(c) for c in zip(*found, strict=True)))


class _Merged:
    """Merges the values per key of many sorted batches."""

    def __init__(self, combine: np.ufunc) -> None:
        self._combine = combine
        self._keys: list[I64] = []
        self._values: list[I64] = []
        self._waiting = 0

    def add(self, keys: I64, values: I64) -> None:
        self._keys.append(keys)
        self._values.append(values)
        self._waiting += len(keys)
        if self._waiting > 4_000_000 and self._waiting > 2 * len(self._keys[0]):
            self.result()

    def result(self) -> tuple[I64, I64]:
        if not self._keys:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        keys, values = np.concatenate(self._keys), np.concatenate(self._values)
        if len(self._keys) > 1 and len(keys):
            order = np.argsort(keys, kind="stable")
            keys, values = keys[order], values[order]
            begins = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
            keys, values = keys[begins], self._combine.reduceat(values, begins)
        self._keys, self._values, self._waiting = [keys], [values], len(keys)
        return keys, values


class _Sieve:
    """A filter for the rows of few products among many. A hash table decides most rows, an exact search those in a shared slot."""

    _MOST_BITS = 22

    def __init__(self, kept: I64) -> None:
        self._kept = kept
        bits = min(self._MOST_BITS, len(kept).bit_length() + 5)
        self._shift = np.uint64(64 - bits)
        slots = self._slot(kept)
        self._place = np.full(1 << bits, -1, np.int32)
        self._place[slots] = np.arange(len(kept))
        self._shared = np.bincount(slots, minlength=1 << bits) > 1

    def _slot(self, items: I64) -> I64:
        spread = items.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        return (spread >> self._shift).view(np.int64)

    def __call__(self, items: I64) -> tuple[I64, I64]:
        """Return the rows of kept products, and each product's position among the kept."""
        slots = self._slot(items)
        at = self._place[slots]
        here = np.flatnonzero(at >= 0)
        at, slots, items = at[here].astype(np.int64), slots[here], items[here]
        again = np.flatnonzero(self._shared[slots])
        at[again] = np.minimum(np.searchsorted(self._kept, items[again]), len(self._kept) - 1)
        exact = self._kept[at] == items
        return here[exact], at[exact]


def read_reviews(
    path: Path,
    recipe: Recipe,
    ids: Ids,
    quarantine: Quarantine,
    *,
    budget: int,
    folder: Path | None,
    stage: Stage,
    block: int = BLOCK,
) -> Reviews:
    """Read a review file in one pass. A second pass is needed only for duplicates that lie far apart."""
    columns = ReviewColumns(budget, folder)
    duplicates = Duplicates()
    skipped: list[I64] = []
    quarantine.begin(path.name)
    with BlockReader(path, size=block) as reader:
        rows = ReviewRows(reader, ids, quarantine.put, recipe.limit_reviews)
        seen = 0
        for piece, found in distinct_rows(rows, duplicates):
            if len(found.line) < rows.lines - seen:
                lost = np.ones(rows.lines - seen, np.bool_)
                lost[found.line - seen] = False
                skipped.append(np.flatnonzero(lost) + seen)
            columns.append(found.user, found.item, found.time, found.print)
            stage.advance(piece.read, rows.lines - seen)
            seen = rows.lines
            quarantine.check(rows.rows, final=False)
        columns.close_part()
        source = reader.finish()
    if not rows.rows:
        stage.note("no rows")
    quarantine.check(rows.rows, final=True)
    lines = _line_of(np.concatenate([*skipped, np.empty(0, np.int64)]))

    def reread(wanted: set[int]) -> Iterator[tuple[int, bytes]]:
        with BlockReader(path) as again:
            chunks = ReviewRows(again, Ids(), _ignore, max(wanted) + 1)
            yield from canonical_lines((chunk for _, chunk in chunks), wanted)

    dropped = duplicates.far(columns, lines, reread, far_budget(budget))
    return Reviews(
        source,
        rows.rows,
        duplicates.found,
        quarantine.bad,
        rows.parsed,
        rows.repairs,
        columns,
        dropped,
        lines,
    )


def far_budget(memory: int) -> int:
    """Return the share of the memory for columns that the search for duplicates may use."""
    return max(memory // 4, 64 << 20)


class DistinctRows(NamedTuple):
    """The rows of a block without duplicates of nearby rows."""

    user: NDArray[np.bytes_]
    item: I64
    time: I64
    rating: NDArray[np.float64]
    line: I64
    at: I64
    print: U64


def distinct_rows(rows: ReviewRows, duplicates: Duplicates) -> Iterator[tuple[Block, DistinctRows]]:
    for piece, chunk in rows:
        prints = fingerprint(chunk.user, chunk.item, chunk.time, chunk.rating)
        keep = duplicates.near(chunk, prints)
        found = DistinctRows(chunk.user, chunk.item, chunk.time, chunk.rating, chunk.line, chunk.at, prints)
        yield piece, found if keep.all() else DistinctRows(*(column[keep] for column in found))  # type: ignore[arg-type]


def _ignore(number: int, reason: str, line: bytes) -> None:
    """Ignore a bad line, which was counted in the first reading."""


def _line_of(gone: I64) -> Callable[[I64], I64]:
    """Return a function that maps rows of the columns to lines of the file, some of which gave no row."""
    shift = gone - np.arange(len(gone))
    return lambda numbers: numbers + np.searchsorted(shift, numbers, side="right")
