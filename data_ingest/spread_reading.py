"""A worker's reading in an ingest by many. A span of a plain file, or a category whole, with what others read of its files.

Each job is a function of the files and of what other jobs left, so whoever does it, and however often, leaves the same.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from drr.data_ingest.ingest import FileReading, GatheredFiles, gather_category, in_text_order
from drr.data_ingest.packing import I64, Ids
from drr.data_ingest.quarantine import Quarantine
from drr.data_ingest.review_rows import ReviewTexts
from drr.data_ingest.reviews import Interactions
from drr.data_ingest.spread_plan import (
    MetaSpan,
    ReviewSpan,
    SpannedFile,
    SpannedPair,
    SpreadPlan,
    hashed,
    read_meta_span,
    read_review_span,
)
from drr.env.progress import Quiet, collector_off
from drr.env.shop import Input
from numpy.typing import NDArray


class ItemCodes(NamedTuple):
    """Products of one table of ids, and what those stand for that are numbers in it."""

    codes: I64
    odd: dict[int, str]


class CategoryRead(NamedTuple):
    """The report on a category for the driver. Its parts: every product of the metadata, lines of products, rows by range of users."""

    inputs: list[Input]
    rows: Counter[str]
    notes: Counter[str]
    kept: ItemCodes
    """In the order in which interactions count them."""
    firsts: list[int]
    """Of each part of the products: where it begins among the kept in the order of their ids."""
    bad: Counter[str]
    bad_lines: bytes


class UserRows(NamedTuple):
    """Interactions of a category with users of a range, in the order of the file."""

    user: NDArray[np.bytes_]
    item: I64
    time: I64
    odd: dict[bytes, str]


@dataclass
class ReadingBench:
    plan: SpreadPlan

    def read_span(self, number: int, kind: int, place: int) -> tuple[int, ReviewSpan | MetaSpan]:
        """`kind`: 0 metadata, 1 reviews. How many rows; part: what they are."""
        pair, span = self.plan.pairs[number], self.plan.spans[number][kind][place]
        with collector_off():
            read: ReviewSpan | MetaSpan = (
                read_review_span(pair.reviews, span, self.plan.block)
                if kind
                else read_meta_span(pair.meta, span, self.plan.block)
            )
        return read.counts.rows, read

    def hash_file(self, number: int, kind: int) -> tuple[str, Input]:
        """Part: what the file is. One reads it from end to end for this, while others read its spans."""
        pair = self.plan.pairs[number]
        found = hashed(pair.reviews if kind else pair.meta)
        return found.sha256, found

    def gather(self, number: int, taken: ItemCodes | None, *given: Any) -> tuple[Any, ...]:
        """`taken`: products of earlier categories that this one may have met; without it there are none. `given`: of each
        file that others read in spans, what it is and the spans."""
        plan, pair = self.plan, self.plan.pairs[number]
        left = iter(given)
        spanned = [
            SpannedFile(next(left), list(islice(left, len(spans)))) if spans else None
            for spans in plan.spans[number]
        ]
        gathered = GatheredFiles()
        with (
            tempfile.TemporaryDirectory(prefix="drr-gather-") as scratch,
            tempfile.TemporaryFile() as spool,
            ReviewTexts(None, wanted=False) as texts,
            collector_off(),
        ):
            before = gathered.ids.adopted_items(*taken).tolist() if taken is not None else []
            with Quarantine(Path(scratch) / "bad.jsonl", 1.0) as quarantine:
                every = gather_category(
                    pair,
                    plan.recipe,
                    gathered,
                    quarantine,
                    spool,
                    texts,
                    FileReading(Path(scratch), plan.memory, plan.block),
                    Quiet(),
                    taken=set(before),
                    spanned=SpannedPair(*spanned),
                )
                bad_lines = quarantine.records()
            kept, found = gathered.interactions[0]
            lines, firsts = _lines(gathered, kept, spool, plan.parts[number])
        read = CategoryRead(
            gathered.inputs,
            gathered.rows,
            gathered.notes,
            ItemCodes(kept, gathered.ids.odd_items(kept)),
            firsts,
            quarantine.counts,
            bad_lines,
        )
        met = ItemCodes(np.unique(every), gathered.ids.odd_items(every))
        return (read, met, *lines, *self._by_range(found, gathered.ids))

    def _by_range(self, found: Interactions, ids: Ids) -> Iterator[UserRows]:
        bounds = np.array([one.encode() for one in self.plan.bounds], np.bytes_)
        if not len(bounds):
            where = np.zeros(len(found.item), np.int64)
        elif ids.only_official_users:
            where = np.searchsorted(bounds, found.user, side="right")
        else:
            texts = np.array([text.encode() for text in ids.user_texts(found.user)], np.bytes_)
            where = np.searchsorted(bounds, texts, side="right")
        for number in range(self.plan.ranges):
            rows = np.flatnonzero(where == number)
            user = found.user[rows]
            yield UserRows(user, found.item[rows], found.time[rows], ids.odd_users(user))


def _lines(
    gathered: GatheredFiles, kept: I64, spool: Any, count: int
) -> tuple[list[tuple[bytes, I64]], list[int]]:
    """The lines of the kept products by id, in so many parts, and where each part begins."""
    codes = in_text_order(kept, gathered.ids).tolist()
    cuts = [len(codes) * k // count for k in range(count + 1)]
    parts = []
    for first, end in pairwise(cuts):
        rows = []
        for code in codes[first:end]:
            spot, _ = gathered.spots[code]
            spool.seek(spot.offset)
            rows.append(spool.read(spot.size))
        parts.append((b"".join(rows), ends_of(rows)))
    return parts, cuts[:-1]


def ends_of(rows: Sequence[bytes]) -> I64:
    return np.cumsum(np.array([len(row) for row in rows], np.int64))
