"""Plain files that are read by spans of bytes, each by another worker, and joined as if one reader had read them from end to end."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from functools import partial
from hashlib import file_digest
from io import BufferedReader
from pathlib import Path
from typing import IO, Generic, NamedTuple, TypeVar

import numpy as np
from drr.data_ingest.blocks import BlockReader, ByteSpan
from drr.data_ingest.columns import ReviewColumns
from drr.data_ingest.duplicates import Duplicates, fingerprint
from drr.data_ingest.ids import Ids
from drr.data_ingest.lines import Repairs
from drr.data_ingest.metadata import Metadata, ProductChoice, metadata_rows
from drr.data_ingest.packing import I64
from drr.data_ingest.quarantine import Quarantine
from drr.data_ingest.recipe import Recipe
from drr.data_ingest.review_rows import ReviewRows, canonical
from drr.data_ingest.review_scan import USER_WIDTH
from drr.data_ingest.reviews import DistinctRows, Reviews, RowTally, distinct_rows, far_budget
from drr.env.errors import DrrError
from drr.env.shop import Input
from numpy.typing import NDArray

_NO = np.empty(0, np.int64)
_NONE = DistinctRows(np.empty(0, f"S{USER_WIDTH}"), _NO, _NO, np.empty(0), _NO, _NO, np.empty(0, np.uint64))


class SpanCounts(NamedTuple):
    lines: int
    rows: int
    """Lines that are not blank."""
    repairs: Repairs
    reasons: Counter[str]
    """Of its bad lines."""
    bad: bytes
    """What quarantine says of them, lines counted from the beginning of the span."""


class ReviewSpan(NamedTuple):
    """Its rows, without those that repeat one nearby."""

    counts: SpanCounts
    parsed: int
    duplicates: int
    user: NDArray[np.bytes_]
    item: I64
    time: I64
    rating: NDArray[np.float64]
    at: I64
    """Where in the file each begins."""
    odd_users: dict[bytes, str]
    odd_items: dict[int, str]


class MetaSpan(NamedTuple):
    """Every line of it, the product of one that is no row being the empty name."""

    counts: SpanCounts
    item: I64
    at: I64
    size: I64
    odd_items: dict[int, str]


Read = TypeVar("Read", ReviewSpan, MetaSpan)


class SpannedFile(NamedTuple, Generic[Read]):
    """A file in spans, in its order; `whole`: what the file is."""

    whole: Input
    spans: Sequence[Read]


class SpannedPair(NamedTuple):
    """The spans of a category's two files; `None`: read by one."""

    meta: SpannedFile[MetaSpan] | None
    reviews: SpannedFile[ReviewSpan] | None


WHOLE = SpannedPair(None, None)


def spans_of(size: int, each: int) -> tuple[ByteSpan, ...]:
    """None where one reader does."""
    if size <= each:
        return ()
    return tuple(ByteSpan(first, min(first + each, size)) for first in range(0, size, each))


def hashed(path: Path) -> Input:
    with _open(path) as file:
        digest = file_digest(file, "sha256").hexdigest()
        return Input(name=path.name, bytes=file.tell(), sha256=digest)


def read_review_span(path: Path, span: ByteSpan, block: int) -> ReviewSpan:
    ids, duplicates = Ids(), Duplicates()
    with _bad_lines(path) as bad, BlockReader(path, size=block, span=span) as reader:
        rows = ReviewRows(reader, ids, bad.put)
        found = [_NONE, *(one for _, one in distinct_rows(rows, duplicates))]
        counts = SpanCounts(rows.lines, rows.rows, rows.repairs, bad.counts, bad.records())
    user, item, time, rating, _, at, _ = (np.concatenate(column) for column in zip(*found, strict=True))
    odd = ids.odd_users(user), ids.odd_items(item)
    return ReviewSpan(counts, rows.parsed, duplicates.found, user, item, time, rating, at, *odd)


def read_meta_span(path: Path, span: ByteSpan, block: int) -> MetaSpan:
    ids, repairs, blank = Ids(), Repairs(), 0
    item, at, size = [_NO], [_NO], [_NO]
    with _bad_lines(path) as bad, BlockReader(path, size=block, span=span) as reader:
        for rows in metadata_rows(reader, repairs, bad):
            starts = np.array(rows.starts)
            item.append(ids.items(rows.names))
            at.append(starts + rows.block.at)
            size.append(np.array(rows.ends) - starts)
            blank += rows.blank
        codes = np.concatenate(item)
        counts = SpanCounts(len(codes), len(codes) - blank, repairs, bad.counts, bad.records())
    return MetaSpan(counts, codes, np.concatenate(at), np.concatenate(size), ids.odd_items(codes))


def joined_reviews(
    path: Path,
    read: SpannedFile[ReviewSpan],
    ids: Ids,
    quarantine: Quarantine,
    budget: int,
    folder: Path | None,
) -> Reviews:
    """Duplicates that lie far apart, also in two spans, are looked up in the file, where their lines begin."""
    columns, duplicates = ReviewColumns(budget, folder), Duplicates()
    for one in read.spans:
        user = ids.adopted_users(one.user, one.odd_users)
        item = ids.adopted_items(one.item, one.odd_items)
        columns.append(user, item, one.time, fingerprint(user, item, one.time, one.rating))
        duplicates.found += one.duplicates
    columns.close()
    counts = _together([one.counts for one in read.spans], path, quarantine)
    at = np.concatenate([one.at for one in read.spans])

    def reread(wanted: set[int]) -> Iterator[tuple[int, bytes]]:
        with _open(path) as file:
            for row in sorted(wanted):
                file.seek(int(at[row]))
                yield row, canonical(file.readline().removesuffix(b"\n"))

    dropped = duplicates.far(columns, lambda rows: rows, reread, far_budget(budget))
    return Reviews(
        read.whole,
        counts.rows,
        duplicates.found,
        counts.reasons.total(),
        sum(one.parsed for one in read.spans),
        counts.repairs,
        columns,
        dropped,
        _nowhere,
    )


def joined_metadata(
    path: Path,
    read: SpannedFile[MetaSpan],
    recipe: Recipe,
    ids: Ids,
    quarantine: Quarantine,
    tally: RowTally,
    taken: Set[int],
    spool: IO[bytes],
) -> Metadata:
    choice = ProductChoice(recipe, tally, taken, spool)
    with _open(path) as file:
        for one in read.spans:
            codes = ids.adopted_items(one.item, one.odd_items)
            choice.offer(codes, ids.item_texts(codes), partial(_line, file, one))
    counts = _together([one.counts for one in read.spans], path, quarantine)
    return choice.result(read.whole, counts.rows, counts.reasons.total(), counts.repairs)


def _together(parts: Sequence[SpanCounts], path: Path, quarantine: Quarantine) -> SpanCounts:
    """Join the counts of the whole file; what is bad goes to quarantine."""
    lines = rows = 0
    repairs = Repairs()
    reasons: Counter[str] = Counter()
    quarantine.begin(path.name)
    for one in parts:
        quarantine.add_span(one.bad, one.reasons, lines)
        lines, rows = lines + one.lines, rows + one.rows
        repairs.add(one.repairs)
        reasons += one.reasons
    return SpanCounts(lines, rows, repairs, reasons, b"")


@contextmanager
def _bad_lines(path: Path) -> Iterator[Quarantine]:
    with (
        tempfile.TemporaryDirectory(prefix="drr-span-") as scratch,
        Quarantine(Path(scratch) / "bad.jsonl", 1.0) as quarantine,
    ):
        quarantine.begin(path.name)
        yield quarantine


@contextmanager
def _open(path: Path) -> Iterator[BufferedReader]:
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise DrrError(f"{path}: cannot be read ({error.strerror}); check the file") from error


def _line(file: BufferedReader, read: MetaSpan, place: int) -> bytes:
    file.seek(int(read.at[place]))
    return file.read(int(read.size[place]))


def _nowhere(rows: I64) -> I64:
    raise AssertionError("lines are asked for where reviews are kept, which one process does")
