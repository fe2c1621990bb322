"""A worker's part of a shared ingest: it reads files, joins a range of users, stores products and orders.

Each job is a function of the files and of what other jobs left, so whoever does it, and however often, leaves the same.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
from drr.data_ingest.ingest import FileReading, GatheredFiles, gather_category, in_text_order
from drr.data_ingest.orders import (
    ID_SPACE,
    ClashingRow,
    UserTable,
    order_bases,
    profiles,
    sort_rows,
    statuses,
    user_table,
)
from drr.data_ingest.packing import I64, U64, USER_WIDTH, Ids
from drr.data_ingest.products import make_product, parse_stored
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
from drr.env.content import order_bytes, product_fields, user_bytes
from drr.env.copy import PieceKeeper
from drr.env.progress import Quiet, collector_off
from drr.env.shop import Input, OrderColumns, UserRow
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
    """Codes in the order in which interactions count them."""
    firsts: list[int]
    """The first row of each part of the products, among the kept in the order of their ids."""
    bad: Counter[str]
    bad_lines: bytes


class UserRows(NamedTuple):
    """Interactions of a category with users of a range, in the order of the file."""

    user: NDArray[np.bytes_]
    item: I64
    time: I64
    odd: dict[bytes, str]


@dataclass
class IngestBench:
    """`keeper`: where it stores."""

    plan: SpreadPlan
    keeper: PieceKeeper
    space: int = ID_SPACE

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
        return (read, met, *lines, *_by_range(plan, found, gathered.ids))

    def products(
        self, number: int, stored: str | None, lines: tuple[bytes, I64]
    ) -> tuple[Stored, tuple[bytes, I64]]:
        """Part: each product as it is hashed, and where each ends."""
        blob, ends = lines
        notes: Counter[str] = Counter()
        category = self.plan.pairs[number].category
        starts = [0, *ends.tolist()[:-1]]
        products = [
            make_product(parse_stored(blob[a:b]), category, notes)
            for a, b in zip(starts, ends.tolist(), strict=True)
        ]
        rows = [orjson.dumps(product_fields(one), option=orjson.OPT_SORT_KEYS) for one in products]
        packed = b"".join(rows)
        digest = sha256(packed).hexdigest()
        words: Counter[str] = Counter()
        if self.keeper.writes:
            words = self.keeper.write_products(products, known=digest == stored)
        return Stored(len(products), digest, words, notes), (packed, ends_of(rows))

    def meet(self, table: ItemTable, tries: Mapping[str, int], *parts: UserRows) -> tuple[Any, ...]:
        """Parts: for each slice of numbers the e-mail addresses and the order ids that fall into it."""
        rows = _range(table, parts)
        addresses = profiles().addresses(rows.hashes, _tries(rows, tries))
        numbers = self._bases(rows) % np.uint64(self.space)
        newest = int(rows.time.max()) if len(rows.time) else 0
        slices = np.uint64(self.plan.slices)
        cut = [
            (addresses[addresses % slices == k], numbers[numbers % slices == k])
            for k in np.arange(slices, dtype=np.uint64)
        ]
        return (RangeMet(len(rows.users.codes), len(rows.time), newest), *cut)

    def clashes(self, *parts: tuple[U64, U64]) -> dict[int, Clashes]:
        """Find by range what occurs there and a second time anywhere."""
        twice = [_twice(np.concatenate(column)) for column in zip(*parts, strict=True)]
        found = {}
        for number, columns in enumerate(parts):
            here = [np.unique(c[np.isin(c, two)]).tolist() for c, two in zip(columns, twice, strict=True)]
            if any(here):
                found[number] = Clashes(*here)
        return found

    def taken(self, wanted: list[int], *parts: tuple[U64, U64]) -> list[int]:
        """Choose those of these order ids that some row has."""
        asked = np.array(wanted, np.uint64)
        found: list[int] = asked[np.isin(asked, np.concatenate([ids for _, ids in parts]))].tolist()
        return found

    def twins(
        self, table: ItemTable, tries: Mapping[str, int], wanted: Clashes, *parts: UserRows
    ) -> tuple[list[TwinUser], list[ClashingRow]]:
        """Find who and what has these addresses and order ids."""
        rows = _range(table, parts)
        addresses = profiles().addresses(rows.hashes, _tries(rows, tries))
        at = np.flatnonzero(np.isin(addresses, np.array(wanted.addresses, np.uint64)))
        texts = rows.ids.user_texts(rows.users.codes[at])
        users = [TwinUser(*two) for two in zip(addresses[at].tolist(), texts, strict=True)]
        base = self._bases(rows)
        numbers = base % np.uint64(self.space)
        at = np.flatnonzero(np.isin(numbers, np.array(wanted.ids, np.uint64)))
        people = rows.ids.user_texts(rows.users.codes[rows.users.position[at]])
        things = rows.items.item_texts(rows.codes[rows.item[at]])
        columns = (at, numbers[at], base[at], rows.time[at])
        found = zip(*(c.tolist() for c in columns), people, things, strict=True)
        return users, [ClashingRow(row, n, b, ((who, what), when)) for row, n, b, when, who, what in found]

    def orders(
        self,
        table: ItemTable,
        first_user: int,
        tries: Mapping[str, int],
        redrawn: Mapping[int, int],
        newest: int,
        stored: str | None,
        *parts: UserRows,
    ) -> tuple[Any, ...]:
        """Stores users and orders of a range. Parts: both as they are hashed."""
        with collector_off():
            rows = _range(table, parts)
            ids = rows.ids.user_texts(rows.users.codes)
            people = profiles().rows(ids, rows.hashes, _tries(rows, tries))
            numbers = (self._bases(rows) % np.uint64(self.space)).astype(np.int64)
            for row, number in redrawn.items():
                numbers[row] = number
            order = sort_rows(rows.users.position, rows.time, numbers)
            recipe = self.plan.recipe
            status = statuses(recipe.statuses, recipe.seed, numbers, rows.time, newest=newest)
            columns = OrderColumns(
                *(
                    column[order]
                    for column in (
                        numbers,
                        rows.item,
                        rows.users.position,
                        rows.time,
                        np.ones_like(rows.time),
                        status,
                    )
                )  # type: ignore[arg-type]
            )
            users_hashed = user_bytes(people)
            orders_hashed = order_bytes(columns._replace(user=np.asarray(columns.user) + first_user))  # type: ignore[arg-type]
            digest = sha256(users_hashed + orders_hashed).hexdigest()
            if self.keeper.writes and digest != stored:
                self._store(people, columns, ids, rows)
        met = Stored(len(people), digest, Counter(), Counter())
        return met, users_hashed, orders_hashed

    def _store(self, people: list[UserRow], columns: OrderColumns, ids: list[str], rows: _Range) -> None:
        from drr.env.servers.documents import order_documents, user_document

        for first in range(0, len(people), _SENT):
            self.keeper.write("users", [user_document(one) for one in people[first : first + _SENT]])
        items, at = np.unique(np.asarray(columns.product), return_inverse=True)
        products = rows.items.item_texts(rows.codes[items])
        columns = columns._replace(product=at)  # type: ignore[arg-type]
        for first in range(0, len(rows.time), _SENT):
            batch = OrderColumns(*(column[first : first + _SENT] for column in columns))
            self.keeper.write("orders", order_documents(batch, products, ids))
        self.keeper.wait()

    def _bases(self, rows: _Range) -> U64:
        hashes = rows.items.item_hashes(rows.codes[rows.item])
        return order_bases(rows.hashes[rows.users.position], hashes, rows.time)


def _by_range(plan: SpreadPlan, found: Interactions, ids: Ids) -> Iterator[UserRows]:
    bounds = np.array([one.encode() for one in plan.bounds], np.bytes_)
    if not len(bounds):
        where = np.zeros(len(found.item), np.int64)
    elif ids.only_official_users:
        where = np.searchsorted(bounds, found.user, side="right")
    else:
        texts = np.array([text.encode() for text in ids.user_texts(found.user)], np.bytes_)
        where = np.searchsorted(bounds, texts, side="right")
    for number in range(plan.ranges):
        rows = np.flatnonzero(where == number)
        user = found.user[rows]
        yield UserRows(user, found.item[rows], found.time[rows], ids.odd_users(user))


def _range(table: ItemTable, parts: Sequence[UserRows]) -> _Range:
    """`parts`: of every category, in their order."""
    ids = Ids()
    none = np.empty(0, f"S{USER_WIDTH}")
    user = np.concatenate([*(ids.adopted_users(one.user, one.odd) for one in parts), none])
    item = np.concatenate([places[one.item] for places, one in zip(table.places, parts, strict=True)])
    users = user_table(user, ids)
    items = Ids()
    codes = items.adopted_items(table.codes, table.odd)
    time = np.concatenate([one.time for one in parts])
    return _Range(ids, users, ids.user_hashes(users.codes), item, time, items, codes)


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


_SENT = 5_000


class ItemTable(NamedTuple):
    """All products of the shop, for every worker."""

    codes: I64
    """Codes in the order of the ids, in the driver's table."""
    odd: dict[int, str]
    places: list[I64]
    """Places of each category's kept products among all."""


class RangeMet(NamedTuple):
    users: int
    orders: int
    newest: int
    """0 where there is no order."""


class Clashes(NamedTuple):
    """Numbers that occur more than once."""

    addresses: list[int]
    ids: list[int]


class TwinUser(NamedTuple):
    """One whose e-mail address another has too."""

    address: int
    user_id: str


class Stored(NamedTuple):
    """A piece that is stored."""

    rows: int
    digest: str
    words: Counter[str]
    notes: Counter[str]


class _Range(NamedTuple):
    """The rows of a range of users, put together."""

    ids: Ids
    users: UserTable
    hashes: U64
    item: I64
    time: I64
    items: Ids
    codes: I64
    """Codes of all products in the table `items`."""


def _tries(rows: _Range, tries: Mapping[str, int]) -> NDArray[np.uint8]:
    drawn = np.zeros(len(rows.users.codes), np.uint8)
    if tries:
        known = {text: at for at, text in enumerate(rows.ids.user_texts(rows.users.codes)) if text in tries}
        for text, at in known.items():
            drawn[at] = tries[text]
    return drawn


def _twice(numbers: U64) -> U64:
    ranked = np.sort(numbers)
    return np.unique(ranked[1:][ranked[1:] == ranked[:-1]])
