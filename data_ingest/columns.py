"""The columns of a review file's good rows, in memory while they fit the budget and in a nameless file after that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple

import numpy as np
from drr.data_ingest.packing import I64, U64
from drr.data_ingest.review_scan import USER_WIDTH
from numpy.typing import NDArray

ROW = np.dtype([("user", f"S{USER_WIDTH}"), ("item", "<i8"), ("time", "<i8"), ("print", "<u8")])
GROUP = 1 << 19
"""Rows handled at once."""


class ColumnPart(NamedTuple):
    first: int
    """Its first row's number."""
    user: NDArray[np.bytes_]
    item: I64
    time: I64
    print: U64


class ReviewColumns:
    """Filled once, then read as often as needed; both forms give the same parts."""

    def __init__(self, budget: int, folder: Path | None) -> None:
        self._budget, self._folder = budget, folder
        self._open: ColumnPart | None = None
        """What is being filled, of the last rows."""
        self._parts: list[ColumnPart] = []
        self._files: list[IO[bytes]] | None = None
        self.rows = 0

    @property
    def spilled(self) -> bool:
        return self._files is not None

    def append(self, user: NDArray[np.bytes_], item: I64, time: I64, print_: U64) -> None:
        done, count = 0, len(item)
        while done < count:
            if self._open is None:
                self._open = _empty(self.rows)
            at = self.rows - self._open.first
            taken = min(count - done, GROUP - at)
            for column, values in zip(self._open[1:], (user, item, time, print_), strict=True):
                column[at : at + taken] = values[done : done + taken]
            self.rows += taken
            done += taken
            if at + taken == GROUP:
                self.close()

    def close(self) -> None:
        """No more rows for now."""
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
        """The fingerprints alone."""
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


def _empty(first: int) -> ColumnPart:
    user: NDArray[np.bytes_] = np.empty(GROUP, ROW["user"])
    return ColumnPart(
        first, user, np.empty(GROUP, np.int64), np.empty(GROUP, np.int64), np.empty(GROUP, np.uint64)
    )
