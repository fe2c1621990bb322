"""The plan of a shared ingest: jobs by files, ranges of user ids and parts of products."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import file_digest, sha256
from io import BufferedReader
from pathlib import Path
from typing import IO, Generic, NamedTuple, TypeVar

import numpy as np
import orjson
from drr.data_ingest.blocks import BLOCK, BlockReader, ByteSpan
from drr.data_ingest.duplicates import Duplicates, ReviewColumns, fingerprint
from drr.data_ingest.metadata import Metadata, ProductChoice, metadata_rows
from drr.data_ingest.packing import I64, USER_WIDTH, Ids
from drr.data_ingest.products import Repairs
from drr.data_ingest.quarantine import Quarantine
from drr.data_ingest.recipe import FilePair, Recipe
from drr.data_ingest.review_rows import ReviewRows, canonical
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
    """Reasons why its bad lines are bad."""
    bad: bytes
    """Lines for the quarantine, counted from the beginning of the span."""


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
    """The position of each row in the file."""
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


_RANGE_BYTES = 1 << 30
"""Bytes of review lines for one range of users."""
_FEWEST, _MOST = 8, 400
_SPAN_BYTES = 256 << 20
"""Bytes of a plain file for one reader."""
_PART_BYTES = 32 << 20
"""Bytes of metadata lines for one part of the products."""
_PART_PRODUCTS = 1_000
_MOST_PARTS = 512
_SHRINK = 3.5
"""The ratio of the official files' size to their compressed size."""
_SAMPLED = 100_000
_RANGES_A_SLICE = 8


@dataclass(frozen=True)
class SpreadPlan:
    """Plain data: what every worker is told."""

    pairs: tuple[FilePair, ...]
    sizes: tuple[tuple[int, int], ...]
    """Sizes of metadata and reviews: a worker that finds others reads other files."""
    recipe: Recipe
    bounds: tuple[str, ...]
    """User ids at which ranges begin, but for the first range."""
    parts: tuple[int, ...]
    """Number of parts of each category's products."""
    spans: tuple[tuple[tuple[ByteSpan, ...], tuple[ByteSpan, ...]], ...]
    """Spans in which metadata and reviews are read; none where one worker reads all of it."""
    memory: int
    block: int

    @property
    def ranges(self) -> int:
        return len(self.bounds) + 1

    @property
    def slices(self) -> int:
        """Count the slices of the ids that are compared with all others."""
        return max(1, self.ranges // _RANGES_A_SLICE)

    def digest(self, code: str) -> str:
        """Equal plans cut equal files into equal pieces."""
        names = [(pair.category, pair.meta.name, pair.reviews.name) for pair in self.pairs]
        recipe_parts = [self.recipe.document(), names, self.sizes, self.bounds, self.parts, code]
        return sha256(orjson.dumps(recipe_parts)).hexdigest()

    def check_files(self) -> None:
        """`DrrError` where this machine has not the files that the driver has."""
        for pair, sizes in zip(self.pairs, self.sizes, strict=True):
            for path, size in zip((pair.meta, pair.reviews), sizes, strict=True):
                try:
                    with path.open("rb") as file:
                        file.read(1)
                    here = path.stat().st_size
                except OSError as error:
                    raise DrrError(
                        f"{path}: cannot be read there ({error.strerror}); RAW_DIR must lie on a path that all nodes share"
                    ) from error
                if here != size:
                    raise DrrError(
                        f"{path}: has {here:,} bytes there and {size:,} for the driver; copy it again"
                    )


def plan_of(pairs: list[FilePair], recipe: Recipe, memory: int, block: int = BLOCK) -> SpreadPlan:
    sizes = tuple((pair.meta.stat().st_size, pair.reviews.stat().st_size) for pair in pairs)
    whole = tuple(FilePair(pair.category, pair.meta.absolute(), pair.reviews.absolute()) for pair in pairs)
    lines = sum(_plain_size(pair.reviews.suffix, size) for pair, (_, size) in zip(pairs, sizes, strict=True))
    ranges = min(max(_FEWEST, -int(-lines // _RANGE_BYTES)), _MOST)
    parts = tuple(
        _parts(_plain_size(pair.meta.suffix, size), recipe.max_products)
        for pair, (size, _) in zip(pairs, sizes, strict=True)
    )
    spans = tuple(
        (_spans(pair.meta, size, block, None), _spans(pair.reviews, rest, block, recipe.limit_reviews))
        for pair, (size, rest) in zip(pairs, sizes, strict=True)
    )
    return SpreadPlan(whole, sizes, recipe, _bounds(pairs, ranges), parts, spans, memory, block)


def _spans(path: Path, size: int, block: int, limit: int | None) -> tuple[ByteSpan, ...]:
    """Cut a file into spans. A gzip stream is read from its beginning only; and where the first lines are,
    nobody knows who begins further on."""
    if path.suffix == ".gz" or limit is not None:
        return ()
    return spans_of(size, max(1, _SPAN_BYTES // block) * block)


def _plain_size(suffix: str, size: int) -> float:
    return size * _SHRINK if suffix == ".gz" else size


def _parts(size: float, max_products: int) -> int:
    return min(max(1, -int(-size // _PART_BYTES)), -(-max_products // _PART_PRODUCTS), _MOST_PARTS)


def _bounds(pairs: list[FilePair], ranges: int) -> tuple[str, ...]:
    """Draw bounds from the users at the beginning of each file. Ids are drawn at random, so these are spread as all are."""
    seen: set[str] = set()
    for pair in pairs:
        with BlockReader(pair.reviews) as reader:
            ids = Ids()
            for _, chunk in ReviewRows(reader, ids, lambda number, reason, line: None, _SAMPLED):
                seen.update(ids.user_texts(chunk.user))
                break
    texts = sorted(seen)
    at = sorted({len(texts) * k // ranges for k in range(1, ranges)} - {0})
    return tuple(texts[k] for k in at)
