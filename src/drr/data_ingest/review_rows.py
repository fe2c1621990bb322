"""Reads the rows of a review file into columns: scanned if certain, otherwise parsed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType
from typing import Any, NamedTuple

import msgspec
import numpy as np
import orjson
from drr.data_ingest.blocks import BLOCK, Block, BlockReader
from drr.data_ingest.packing import I64, U8, Ids
from drr.data_ingest.products import BadLine, Repairs, may_need_repair, parse_object, plain, without_bom
from drr.data_ingest.review_scan import Scanner
from drr.env.content import ReviewRow
from drr.env.json_object import JsonObject
from drr.env.shop import ShopWriter
from numpy.typing import NDArray

FIRST_MS, LAST_MS = 788_918_400_000, 1_696_118_399_999
"""Earliest and latest time of a review: 1995, when the shop opened, and September 2023, the end of the data. A later one would change the shop's current date."""
# Names of the official files first, then those of the pre-release and of the site's sample.
_USER = ("user_id", "userId")
_ITEM = ("parent_asin", "parentAsin")
_TIME = ("timestamp", "sort_timestamp", "sortTimestamp")
_ORDER = ("rating", "title", "text", "images", "asin", "parent_asin", "user_id", "timestamp", "helpful_vote", "verified_purchase")  # fmt: skip
_ALIASES = {
    "userId": "user_id",
    "parentAsin": "parent_asin",
    "sort_timestamp": "timestamp",
    "sortTimestamp": "timestamp",
    "helpful_votes": "helpful_vote",
    "helpfulVotes": "helpful_vote",
    "verifiedPurchase": "verified_purchase",
}


class _Review(msgspec.Struct, gc=False):
    """The fields of a review that an order needs."""

    user_id: str
    parent_asin: str
    timestamp: int
    rating: float


class _Rating(msgspec.Struct, gc=False):
    rating: float


_STRICT = msgspec.json.Decoder(_Review)
_VALID = msgspec.json.Decoder(_Rating)


class Chunk(NamedTuple):
    """The good rows of a block, in the order of the file."""

    user: NDArray[np.bytes_]
    """Users as codes of `Ids.user`."""
    item: I64
    time: I64
    rating: NDArray[np.float64]
    line: I64
    """Line numbers, counted from 0 in the part that is read."""
    at: I64
    """The position of each row in the unpacked file."""
    raw: Callable[[int], bytes]
    """A function that returns a row's line by its position."""
    text: Callable[[int], bytes]
    """A function that returns a row's canonical text, equal exactly for equal parsed rows."""


Bad = Callable[[int, str, bytes], None]


class ReviewRows:
    """Reads a file's good rows in chunks. Iterate once; the counts are then complete."""

    def __init__(self, reader: BlockReader, ids: Ids, bad: Bad, limit: int | None = None) -> None:
        self._reader, self._ids, self._bad, self._limit = reader, ids, bad, limit
        self._scanner = Scanner()
        self.repairs = Repairs()
        self.lines = 0
        self.rows = 0
        """Lines that are not blank."""
        self.parsed = 0
        """Rows that needed the parser."""

    def __iter__(self) -> Iterator[tuple[Block, Chunk]]:
        for block in self._reader:
            data = block.data
            if self._limit is not None:
                data = _first_lines(data, self._limit - self.lines)
            if len(data):
                yield block, self._chunk(data, block.at)
            if self._limit is not None and self.lines >= self._limit:
                return

    def _chunk(self, data: memoryview, at: int) -> Chunk:
        found = self._scanner.scan(data)
        starts, ends, user, item, time, stated, sure, checked, others = found
        count, rating = len(ends), stated.astype(np.float64)
        if len(checked) and not self._are_valid(data, starts[checked], ends[checked], stated[checked]):
            others = np.sort(np.concatenate([others, checked]))
        others = np.union1d(others, np.flatnonzero(time > LAST_MS))
        first = self.lines
        self.lines += count
        self.rows += count
        good = None
        if len(others):
            lines = [
                bytes(data[a:b]) for a, b in zip(starts[others].tolist(), ends[others].tolist(), strict=True)
            ]
            if at == 0 and others[0] == 0:
                lines[0] = without_bom(lines[0])
            reviews = self._parse(lines, others, first)
            good = self._place(reviews, others, count, user, item, time, rating)
        where = np.arange(first, first + count)
        if good is not None:
            user, item, time, rating = user[good], item[good], time[good], rating[good]
            where, sure, starts, ends = where[good], sure[good], starts[good], ends[good]

        def raw(row: int) -> bytes:
            return bytes(data[starts[row] : ends[row]])

        def text(row: int) -> bytes:
            line = raw(row)
            return line if sure[row] and b"\x7f" not in line else canonical(line)

        return Chunk(user, item, time, rating, where, starts + at, raw, text)

    def _are_valid(self, data: memoryview, starts: I64, ends: I64, ratings: U8) -> bool:
        """Tell whether the parser accepts all these lines, with these ratings. If not, they must be parsed one by one."""
        self.parsed += len(starts)
        joined = b"\n".join([data[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)])
        if may_need_repair(joined):
            return False
        try:
            rows = _VALID.decode_lines(joined)
        except (msgspec.MsgspecError, RecursionError):
            return False
        stated: list[int] = ratings.tolist()
        return [row.rating for row in rows] == stated

    def _place(
        self,
        reviews: list[_Review | None],
        others: I64,
        count: int,
        user: NDArray[np.bytes_],
        item: I64,
        time: I64,
        rating: NDArray[np.float64],
    ) -> NDArray[np.bool_] | None:
        """Write the parsed rows into the columns; return a mask of the good rows, or `None` if all are good."""
        good = None
        if any(review is None for review in reviews):
            good = np.ones(count, np.bool_)
            good[[at for at, review in zip(others.tolist(), reviews, strict=True) if review is None]] = False
            others = others[[review is not None for review in reviews]]
        kept = [review for review in reviews if review is not None]
        if kept:
            user[others] = self._ids.users([review.user_id for review in kept])
            item[others] = self._ids.items([review.parent_asin for review in kept])
            time[others] = [review.timestamp for review in kept]
            rating[others] = [review.rating for review in kept]
        return good

    def _parse(self, lines: list[bytes], others: I64, first: int) -> list[_Review | None]:
        self.parsed += len(lines)
        joined = b"\n".join(lines)
        if joined.isascii() and not may_need_repair(joined):
            try:
                reviews: list[_Review | None] = list(_STRICT.decode_lines(joined))
            except (msgspec.MsgspecError, RecursionError):
                pass
            else:
                if len(reviews) == len(lines) and all(map(_is_plausible, reviews)):
                    return reviews
        return [self._one(line, first + at) for line, at in zip(lines, others.tolist(), strict=True)]

    def _one(self, line: bytes, number: int) -> _Review | None:
        if not line.strip():
            self.rows -= 1
            return None
        try:
            return parse_review(line, self.repairs)
        except BadLine as error:
            self._bad(number + 1, error.reason, line)
            return None


def _is_plausible(review: _Review | None) -> bool:
    return (
        review is not None
        and FIRST_MS <= review.timestamp <= LAST_MS
        and bool(review.user_id)
        and bool(review.parent_asin)
    )


def parse_review(line: bytes, repairs: Repairs) -> _Review:
    """Parse a row with the strict parser. Raises `BadLine` with the reason if it is none."""
    row = parse_object(line, repairs)
    user, item = _first(row, _USER), _first(row, _ITEM)
    time, rating = _first(row, _TIME), _first(row, ("rating",))
    for name, value in (("user_id", user), ("parent_asin", item), ("timestamp", time), ("rating", rating)):
        if value is None or value == "":
            raise BadLine(f"missing_{name}")
    if isinstance(time, float) and time.is_integer():  # copies that went through a data frame
        time = int(time)
    if not (_is_a(str, user) and _is_a(str, item) and _is_a(int, time) and _is_a((int, float), rating)):
        raise BadLine("wrong_type")
    if not FIRST_MS <= time <= LAST_MS:
        raise BadLine("timestamp_out_of_range")
    try:
        return _Review(user, item, time, float(rating))
    except OverflowError:
        raise BadLine("wrong_type") from None


def _is_a(kind: type | tuple[type, ...], value: object) -> bool:
    """Tell whether a value is of a JSON type: true is no number."""
    return isinstance(value, kind) and not isinstance(value, bool)


def _first(row: JsonObject, names: tuple[str, ...]) -> Any:
    for name in names:
        if row.get(name) is not None:
            return row[name]
    return None


def canonical(line: bytes) -> bytes:
    """Return the line as `json.dumps` would have written it for the official files: one spelling for each parsed row."""
    row = parse_object(without_bom(line), Repairs())
    row = {_ALIASES.get(name, name): _normal_value(value) for name, value in row.items()}
    row["rating"] = float(row["rating"])
    known = {name: row[name] for name in _ORDER if name in row}
    return json.dumps({**known, **{name: row[name] for name in sorted(row)}}).encode()


def _normal_value(value: Any) -> Any:
    """Normalise a value: 3.0 and 3 are one number, and the order of keys does not matter."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_normal_value(item) for item in value]
    if isinstance(value, dict):
        return {name: _normal_value(value[name]) for name in sorted(value)}
    return value


def _first_lines(data: memoryview, lines: int) -> memoryview:
    """Return the first `lines` lines."""
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == 10)
    return data if len(ends) <= lines else data[: int(ends[lines - 1]) + 1]


_WRITTEN = 5_000
"""Reviews passed to the writer at once."""


class ReviewTexts:
    """The texts of reviews in the order of the interactions. It is empty if no reviews are kept."""

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
        """Add the texts on these lines of a file, ascending."""
        ends = np.empty(len(lines), np.int64)
        done = 0
        if len(lines):
            with BlockReader(path, size=block) as reader:
                for _, chunk in ReviewRows(reader, Ids(), _ignore, int(lines[-1]) + 1):
                    for row in np.flatnonzero(np.isin(chunk.line, lines, assume_unique=True)).tolist():
                        self._at += self._spool.write(_pack_line(chunk.raw(row), float(chunk.rating[row])))
                        ends[done] = self._at
                        done += 1
        if done != len(lines):
            raise AssertionError(f"{path}: {len(lines) - done} reviews are not where they were")
        self._ends.append(ends)

    def write(self, writer: ShopWriter, order_ids: I64, advance: Callable[[int], None]) -> int | None:
        """Write the texts; `order_ids` are in the order of addition. Return the number written, `None` if none are kept."""
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


def _pack_line(line: bytes, rating: float) -> bytes:
    row = parse_object(without_bom(line), Repairs())
    title, text = (row.get(name) for name in ("title", "text"))
    return orjson.dumps(
        [rating, plain(title) if isinstance(title, str) else "", plain(text) if isinstance(text, str) else ""]
    )


def _ignore(number: int, reason: str, line: bytes) -> None:
    """Ignore a bad line, which was counted in the first reading."""
