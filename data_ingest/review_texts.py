"""The reviews of kept products, read a second time and laid aside on disk until their orders have an id."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType

import numpy as np
import orjson
from drr.data_ingest.blocks import BLOCK, BlockReader
from drr.data_ingest.ids import Ids
from drr.data_ingest.lines import Repairs, parse_object, without_bom
from drr.data_ingest.packing import I64
from drr.data_ingest.plain_text import plain
from drr.data_ingest.review_rows import ReviewRows
from drr.env.reviews import ReviewRow
from drr.env.shop import ShopWriter

_WRITTEN = 5_000
"""Handed to the writer at once."""


class ReviewTexts:
    """The texts in the order in which they are added, which is that of the interactions. Nothing where none are to be kept."""

    def __init__(self, folder: Path | None, *, wanted: bool) -> None:
        self.wanted = wanted
        self._spool = TemporaryFile(dir=folder)  # noqa: SIM115  `__exit__` closes it
        self._ends = [np.zeros(1, np.int64)]
        self._at = 0

    def __enter__(self) -> ReviewTexts:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._spool.close()

    def add(self, path: Path, lines: I64, block: int = BLOCK) -> None:
        """Add those on these lines of a file, ascending."""
        ends = np.empty(len(lines), np.int64)
        done = 0
        if len(lines):
            with BlockReader(path, size=block) as reader:
                for _, chunk in ReviewRows(reader, Ids(), _ignore, int(lines[-1]) + 1):
                    for row in np.flatnonzero(np.isin(chunk.line, lines, assume_unique=True)).tolist():
                        self._at += self._spool.write(_packed(chunk.raw(row), float(chunk.rating[row])))
                        ends[done] = self._at
                        done += 1
        if done != len(lines):
            raise AssertionError(f"{path}: {len(lines) - done} reviews are not where they were")
        self._ends.append(ends)

    def write(self, writer: ShopWriter, order_ids: I64, advance: Callable[[int], None]) -> int | None:
        """`order_ids` stand in the order of what was added; how many were written, `None` where none are kept."""
        return writer.write_reviews(self._rows(order_ids, advance)) if self.wanted else None

    def _rows(self, order_ids: I64, advance: Callable[[int], None]) -> Iterator[list[ReviewRow]]:
        ends = np.concatenate(self._ends)
        by_id = np.argsort(order_ids)
        for first in range(0, len(by_id), _WRITTEN):
            part = by_id[first : first + _WRITTEN]
            rows = []
            for number, at in zip(order_ids[part].tolist(), part.tolist(), strict=True):
                self._spool.seek(int(ends[at]))
                rating, title, text = orjson.loads(self._spool.read(int(ends[at + 1] - ends[at])))
                rows.append(ReviewRow(number, rating, title, text))
            yield rows
            advance(len(rows))


def _packed(line: bytes, rating: float) -> bytes:
    row = parse_object(without_bom(line), Repairs())
    title, text = (row.get(name) for name in ("title", "text"))
    return orjson.dumps(
        [rating, plain(title) if isinstance(title, str) else "", plain(text) if isinstance(text, str) else ""]
    )


def _ignore(number: int, reason: str, line: bytes) -> None:
    """Bad lines were counted in the first reading."""
