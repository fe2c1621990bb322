"""Finds duplicate reviews: rows whose parsed contents are equal.

Equal fingerprints of user, product, time and rating only make rows candidates. A digest of their canonical
text decides. The files keep a user's rows together, so candidates mostly meet while their lines are at hand; for the
others, the file is read once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple

import numpy as np
from drr.data_ingest.packing import I64, U64, USER_WIDTH, words
from drr.data_ingest.review_rows import Chunk, canonical
from drr.env.own_numbers import finish
from numpy.typing import NDArray

ROW = np.dtype([("user", f"S{USER_WIDTH}"), ("item", "<i8"), ("time", "<i8"), ("print", "<u8")])
GROUP = 1 << 19
"""Rows processed at once."""


class ColumnPart(NamedTuple):
    first: int
    """The number of the part's first row."""
    user: NDArray[np.bytes_]
    item: I64
    time: I64
    print: U64


class ReviewColumns:
    """The columns of all reviews, in memory or in a temporary file. They are filled once, then read as often as needed."""

    def __init__(self, budget: int, folder: Path | None) -> None:
        self._budget, self._folder = budget, folder
        self._open: ColumnPart | None = None
        """The part that is being filled, with the last rows."""
        self._parts: list[ColumnPart] = []
        self._files: list[IO[bytes]] | None = None
        self.rows = 0

    def append(self, user: NDArray[np.bytes_], item: I64, time: I64, print_: U64) -> None:
        done, count = 0, len(item)
        while done < count:
            if self._open is None:
                self._open = _empty_part(self.rows)
            at = self.rows - self._open.first
            taken = min(count - done, GROUP - at)
            for column, values in zip(self._open[1:], (user, item, time, print_), strict=True):
                column[at : at + taken] = values[done : done + taken]
            self.rows += taken
            done += taken
            if at + taken == GROUP:
                self.close_part()

    def close_part(self) -> None:
        """Close the part that is being filled."""
        if self._open is None:
            return
        part, self._open = self._open, None
        rows = slice(self.rows - part.first)
        self._parts.append(
            ColumnPart(part.first, part.user[rows], part.item[rows], part.time[rows], part.print[rows])
        )
        if self._files is None and self.rows * ROW.itemsize > self._budget:
            self._files = [TemporaryFile(dir=self._folder) for _ in ROW.names or ()]  # noqa: SIM115  `discard` closes them
        if self._files is not None:
            for kept in self._parts:
                for file, column in zip(self._files, kept[1:], strict=True):
                    file.write(column.data)
            self._parts = []

    def parts(self) -> Iterator[ColumnPart]:
        if self._files is None:
            yield from self._parts
            return
        for file in self._files:
            file.seek(0)
        first = 0
        while first < self.rows:
            count = min(GROUP, self.rows - first)
            columns = [
                np.frombuffer(file.read(count * ROW[name].itemsize), ROW[name])
                for file, name in zip(self._files, ROW.names or (), strict=True)
            ]
            yield ColumnPart(first, *columns)
            first += count

    def prints(self) -> Iterator[tuple[int, U64]]:
        """Yield only the fingerprints, with the first row's number."""
        if self._files is None:
            for part in self._parts:
                yield part.first, part.print
            return
        file = self._files[-1]
        file.seek(0)
        first = 0
        while first < self.rows:
            count = min(GROUP, self.rows - first)
            yield first, np.frombuffer(file.read(count * 8), np.uint64)
            first += count

    def discard(self) -> None:
        for file in self._files or ():
            file.close()
        self._parts, self._files = [], None


def _empty_part(first: int) -> ColumnPart:
    user: NDArray[np.bytes_] = np.empty(GROUP, ROW["user"])
    return ColumnPart(
        first, user, np.empty(GROUP, np.int64), np.empty(GROUP, np.int64), np.empty(GROUP, np.uint64)
    )


_FACTORS = [
    np.uint64(prime)
    for prime in (
        0x9E3779B97F4A7C15,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0xD6E8FEB86659FD93,
        0x27D4EB2F165667C5,
        0x85EBCA77C2B2AE63,
        0xA0761D6478BD642F,
    )
]
LONGEST_RUN = 2000
"""Most rows of one user that are carried from block to block."""
Reread = Callable[[set[int]], Iterator[tuple[int, bytes]]]
"""A function that reads lines again by number and yields each number with the canonical text."""


def fingerprint(user: NDArray[np.bytes_], item: I64, time: I64, rating: NDArray[np.float64]) -> U64:
    columns = [*words(user), item.view(np.uint64), time.view(np.uint64)]
    # Adding zero makes -0.0 and 0.0, which are equal, look equal.
    total = (rating + 0.0).view(np.uint64) * _FACTORS[0]
    for column, factor in zip(columns, _FACTORS[1:], strict=True):
        total += column * factor
    return finish(total)


def digest(text: bytes) -> bytes:
    return blake2b(text, digest_size=16).digest()


class _Line(NamedTuple):
    mark: int
    """The fingerprint of the line."""
    line: int
    raw: bytes
    at: int
    """The position in the block; -1 for a line of the previous block."""


class Duplicates:
    """The search for duplicates in one file. `near` sees every block; `far` decides the rest at the end."""

    def __init__(self) -> None:
        self.found = 0
        self._digests: dict[int, bytes] = {}
        """Digests by line number, for rows that met others with the same fingerprint."""
        self._carried: list[_Line] = []
        """The last user's rows so far."""
        self._carried_user = b""

    def near(self, chunk: Chunk, prints: U64) -> NDArray[np.bool_]:
        """Return which rows of the block to keep, as a mask."""
        keep = np.ones(len(prints), np.bool_)
        if not len(prints):
            return keep
        carried = np.array([one.mark for one in self._carried], np.uint64)
        everything = np.concatenate([carried, prints]) if len(carried) else prints
        order = np.argsort(everything)
        ranked = everything[order]
        same = ranked[1:] == ranked[:-1]
        if same.any():
            nominated = np.zeros(len(everything), np.bool_)
            nominated[order[1:][same]] = True
            nominated[order[:-1][same]] = True
            self._drop_doubles(chunk, prints, np.flatnonzero(nominated), keep)
        self._carry(chunk, prints, keep)
        self.found += len(keep) - int(keep.sum())
        return keep

    def _drop_doubles(self, chunk: Chunk, prints: U64, nominated: I64, keep: NDArray[np.bool_]) -> None:
        shift = len(self._carried)
        groups: dict[int, dict[bytes, _Line]] = {}
        for at in nominated.tolist():
            if at < shift:
                one = self._carried[at]
            else:
                one = _Line(
                    int(prints[at - shift]), int(chunk.line[at - shift]), chunk.raw(at - shift), at - shift
                )
            # Equal bytes are equal rows; only other spellings need the parser.
            if groups.setdefault(one.mark, {}).setdefault(one.raw, one) is not one:
                keep[one.at] = False
        for lines in groups.values():
            if len(lines) > 1:
                self._compare(list(lines.values()), keep)

    def _compare(self, lines: list[_Line], keep: NDArray[np.bool_]) -> None:
        seen: set[bytes] = set()
        for one in lines:
            found = digest(canonical(one.raw))
            if found not in seen:
                seen.add(found)
                self._digests[one.line] = found
            elif one.at >= 0:
                keep[one.at] = False

    def _carry(self, chunk: Chunk, prints: U64, keep: NDArray[np.bool_]) -> None:
        user = bytes(chunk.user[-1])
        breaks = np.flatnonzero(chunk.user[-LONGEST_RUN:] != user)
        size = min(len(prints), LONGEST_RUN)
        run = size - 1 - int(breaks[-1]) if len(breaks) else size
        if user != self._carried_user or run < len(prints):
            self._carried = []
        self._carried_user = user
        for at in range(len(prints) - run, len(prints)):
            if keep[at]:
                self._carried.append(_Line(int(prints[at]), int(chunk.line[at]), chunk.raw(at), -1))
        del self._carried[:-LONGEST_RUN]

    def far(self, columns: ReviewColumns, lines: Callable[[I64], I64], reread: Reread, budget: int) -> I64:
        """Return the rows to drop, ascending, among all rows kept so far."""
        rows = np.sort(np.concatenate([*_repeated_rows(columns, budget), np.empty(0, np.int64)]))
        self._carried = []
        if not len(rows):
            return rows
        numbers = lines(rows).tolist()
        prints = _prints_at(columns, rows)
        unknown = {line for line in numbers if line not in self._digests}
        if unknown:
            self._digests.update((line, digest(text)) for line, text in reread(unknown))
        seen: set[tuple[int, bytes]] = set()
        dropped = []
        for row, line, mark in zip(rows.tolist(), numbers, prints.tolist(), strict=True):
            key = (mark, self._digests[line])
            if key in seen:
                dropped.append(row)
            seen.add(key)
        self.found += len(dropped)
        return np.array(dropped, np.int64)


def _repeated_rows(columns: ReviewColumns, budget: int) -> Iterator[I64]:
    """Yield the rows whose fingerprint occurs again, one slice of the fingerprints' range at a time."""
    slices = 1
    while columns.rows * 16 > budget * slices:
        slices *= 2
    shift = np.uint64(64 - slices.bit_length() + 1)
    for number in range(slices):
        kept: list[U64] = []
        rows: list[I64] = []
        for first, prints in columns.prints():
            if slices == 1:
                kept.append(prints)
            else:
                here = np.flatnonzero(prints >> shift == number)
                kept.append(prints[here])
                rows.append(here + first)
        if not kept:
            return
        values = np.concatenate(kept)
        ranked = np.sort(values)
        twice = ranked[1:][ranked[1:] == ranked[:-1]]
        if len(twice):
            at = np.flatnonzero(np.isin(values, twice))
            yield np.concatenate(rows)[at] if rows else at


def _prints_at(columns: ReviewColumns, rows: I64) -> U64:
    found = []
    for first, prints in columns.prints():
        low, high = np.searchsorted(rows, (first, first + len(prints)))
        found.append(prints[rows[low:high] - first])
    return np.concatenate(found)


def canonical_lines(chunks: Iterable[Chunk], wanted: set[int]) -> Iterator[tuple[int, bytes]]:
    """Yield the canonical texts of these lines, in a second reading of the file."""
    numbers = np.array(sorted(wanted), np.int64)
    for chunk in chunks:
        for at in np.flatnonzero(np.isin(chunk.line, numbers)).tolist():
            yield int(chunk.line[at]), chunk.text(at)
