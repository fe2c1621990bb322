"""Writes a shop onto servers: new collections and a new index beside the old ones, published by one document.

If a shop of this name exists and is not to be replaced, nothing is written: the rows are only hashed, so that the same
load a second time changes nothing and a different one is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, NoReturn, Self, TypeVar

import pymongo
from drr.env.content import (
    ContentHash,
    OrderColumns,
    ReviewRow,
    ReviewsHash,
    UserRow,
    batched,
    check_ascending,
    check_order_batch,
)
from drr.env.entities import Product
from drr.env.errors import ServerFailure, ShopError
from drr.env.json_object import JsonObject
from drr.env.languages import known_language
from drr.env.manifest import completed_manifest, parse_manifest, with_seal
from drr.env.servers import index
from drr.env.servers.connect import Servers, client_versions
from drr.env.servers.documents import (
    Parts,
    SearchParts,
    order_documents,
    plain,
    product_document,
    review_document,
    storable_value,
    user_document,
)
from drr.env.servers.load import KINDS, REVIEWS, Load, Names, StoredBatches, Versions, names_of
from drr.env.servers.opening import check_set, index_meta
from drr.env.servers.sending import Document, Sending
from drr.env.servers.store import INDEXES
from drr.env.settings import Settings
from drr.env.shop import Manifest

# How many are sent at a time: a request costs as much as a hundred documents, and more than these are no cheaper.
BATCH = 1000
# Elasticsearch takes no longer ones.
_LONGEST_ID = 512
# Indexing and counting hundreds of millions takes longer than any other call.
_PATIENCE = 3600.0
_OTHER = "an unfinished load of other data was found there"
_IDENTITY = ("content_hash", "recipe", "reviews")
"""The fields of a manifest that are equal if two loads are the same."""
T = TypeVar("T")


class ServersWriter:
    def __init__(self, spec: str, settings: Settings, *, replace: bool = False) -> None:
        self._spec, self._names, self._shards = spec, names_of(spec), settings.elasticsearch_shards
        self._servers = Servers(settings)
        self._hash, self._reviews = ContentHash(), ReviewsHash()
        self._categories: Counter[str] = Counter()
        self._parts = SearchParts(settings)
        self._product_ids, self._user_ids = list[str](), list[str]()
        self._published = False
        # None where the rows are only hashed.
        self._sending: Sending | None = None
        try:
            self._server_versions = self._servers.versions()
            with self._servers.speaking():
                self._versions = Versions(self._servers, self._names)
                self._current = self._versions.shown()
                if replace or self._current is None:
                    self._begin(replace)
        except BaseException:
            self._close()
            raise

    def _begin(self, replace: bool) -> None:
        load = Load(self._versions, self._names)
        # Another load may have been shown between the first look and this one's beginning.
        self._current = load.shown
        if self._current is not None and not replace:
            if not load.continued:
                load.end()
            return
        self._sending = Sending(self._servers, self._names, load)
        name = self._names.index(load.version)
        if not self._servers.search.indices.exists(index=name):
            if load.done:
                self._discard(load, "the index of an unfinished load is gone")
            index.create_index(self._servers, name, self._shards)

    def _discard(self, load: Load, reason: str) -> NoReturn:
        """Remove an unfinished load that cannot be continued, so that the next attempt begins afresh."""
        with self._servers.speaking():
            _remove(self._versions, load)
        raise ShopError(f"{self._spec}: {reason}; it was removed, so run the same command again")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the load. One that a server or the user stopped stays and may be continued; one that was refused is removed."""
        stopped = isinstance(value, KeyboardInterrupt | ServerFailure)
        try:
            if self._sending and not self._published and not stopped:
                self._sending.close()
                # If the servers cannot be reached now, the next load sweeps.
                with suppress(ShopError), self._servers.speaking():
                    _remove(self._versions, self._sending.load)
        finally:
            self._close()

    def _close(self) -> None:
        if self._sending:
            self._sending.close()
        self._servers.close()

    def write_products(self, products: Iterable[Product], language: str | None = None) -> int:
        def hashed() -> Iterator[tuple[list[Product], list[Parts]]]:
            last = ""
            for batch in batched(products, BATCH):
                ids = [product.product_id for product in batch]
                last = check_ascending(last, ids, "products")
                _check_lengths(ids)
                self._product_ids += ids
                self._categories.update(product.category for product in batch)
                self._hash.add_products(batch)
                # Also of what is stored already: the lexicon is of all.
                yield batch, self._parts.of(batch) if self._sending else []

        self._parts.language = known_language(language)
        return self._write(
            "products",
            hashed(),
            lambda made: [product_document(product) for product in made[0]],
            lambda made: [index.document(product, *parts) for product, parts in zip(*made, strict=True)],
        )

    def write_users(self, batches: Iterable[Sequence[UserRow]]) -> int:
        def hashed() -> Iterator[list[UserRow]]:
            last = ""
            for batch in batched((row for rows in batches for row in rows), BATCH):
                ids = [row.user_id for row in batch]
                last = check_ascending(last, ids, "users")
                self._user_ids += ids
                self._hash.add_users(batch)
                yield batch

        return self._write("users", hashed(), lambda rows: [user_document(row) for row in rows])

    def write_orders(self, batches: Iterable[OrderColumns]) -> int:
        def hashed() -> Iterator[OrderColumns]:
            last: tuple[int, int, int] | None = None
            for columns in _sliced(batches):
                last = check_order_batch(last, columns, len(self._product_ids), len(self._user_ids))
                self._hash.add_orders(columns)
                yield columns

        return self._write(
            "orders", hashed(), lambda columns: order_documents(columns, self._product_ids, self._user_ids)
        )

    def write_reviews(self, batches: Iterable[Sequence[ReviewRow]]) -> int:
        """Write the reviews, after the orders. A review of an unknown order is refused."""

        def hashed() -> Iterator[list[ReviewRow]]:
            self._reviews.begin()
            for batch in batched((row for rows in batches for row in rows), BATCH):
                self._reviews.add(batch)
                yield batch

        return self._write(REVIEWS, hashed(), self._reviewed)

    def _reviewed(self, rows: Sequence[ReviewRow]) -> list[JsonObject]:
        assert self._sending is not None
        with self._servers.speaking():
            return _reviews_of(self._sending.collection("orders"), rows)

    def _write(
        self,
        kind: str,
        hashed: Iterable[T],
        records: Callable[[T], Sequence[Document]],
        searched: Callable[[T], Sequence[JsonObject]] = lambda _: (),
    ) -> int:
        """Send the batches that no earlier attempt stored. Each batch has been hashed before."""
        reached = StoredBatches(batches=0, digest="")
        sending = self._sending
        done = sending.load.done.get(kind, reached) if sending else reached
        for number, batch in enumerate(hashed, 1):
            if sending is None:
                continue
            reached = StoredBatches(batches=number, digest=self._digest(kind))
            if number > done["batches"]:
                sending.send(kind, records(batch), searched(batch), reached)
            elif number == done["batches"] and reached != done:
                self._discard(sending.load, _OTHER)
        if sending is not None:
            sending.wait()
            if reached["batches"] < done["batches"]:
                self._discard(sending.load, _OTHER)
            with self._servers.speaking(), pymongo.timeout(_PATIENCE):
                sending.load.record(kind, reached)
                for keys in INDEXES.get(kind, ()):
                    sending.collection(kind).create_index(keys)
        return self._reviews.count if kind == REVIEWS else self._hash.counts[kind]

    def _digest(self, kind: str) -> str:
        kept = self._reviews.kept()
        return kept.sha256 if kept and kind == REVIEWS else self._hash.prefix(kind)

    def publish(self, manifest: Manifest) -> Manifest:
        own = {**manifest.versions, **self._server_versions, **client_versions()}
        rest = {"backend": "servers", "versions": self._parts.versions(own)}
        kept = self._reviews.kept()
        manifest = completed_manifest(manifest, self._spec, "nothing was published", self._hash, kept, **rest)
        if self._sending is None:
            return self._unchanged(manifest)
        load = self._sending.load
        with self._servers.speaking(), pymongo.timeout(_PATIENCE):
            if kept is None:  # an earlier attempt may have kept some
                self._sending.collection(REVIEWS).drop()
            sizes = _finish(self._servers, self._names, self._sending, manifest)
        manifest = with_seal(manifest.model_copy(update={"sizes": sizes}))
        with self._servers.speaking():
            load.hold()
            self._versions.show(
                {
                    "version": load.version,
                    "manifest": storable_value(manifest.model_dump(mode="json")),
                    "categories": storable_value(dict(self._categories)),
                    "lexicon": self._parts.lexicon(),
                    "weights": self._parts.weights(),
                }
            )
            # All the rest is tidying, and the next load does what is left of it.
            self._published = True
            self._versions.sweep()
        return manifest

    def _unchanged(self, manifest: Manifest) -> Manifest:
        """Return the manifest of the existing shop, if it is the one that would have been written. Raises `ShopError` otherwise."""
        assert self._current is not None
        there = parse_manifest(plain(self._current["manifest"]), self._spec)
        if any(getattr(there, part) != getattr(manifest, part) for part in _IDENTITY):
            raise ShopError(
                f"{self._spec}: there is a shop already, of other data; give another name, or --replace"
            )
        with self._servers.speaking():
            check_set(self._servers, self._names, self._current["version"], there, self._spec)
            self._versions.sweep()
        return there


def _remove(versions: Versions, load: Load) -> None:
    """Remove a load and everything that it stored, unless another process owns it by now."""
    if load.end():
        versions.drop(load.version)


def _reviews_of(orders: Any, rows: Sequence[ReviewRow]) -> list[JsonObject]:
    """Return the documents of reviews. Raises `ShopError` for a review of no order."""
    documents = [review_document(row) for row in rows]
    wanted = {one["_id"] for one in documents}
    there = orders.find({"_id": {"$in": list(wanted)}}, {"_id": 1})
    if lost := wanted - {one["_id"] for one in there}:
        raise ShopError(f"reviews: one is of the order {min(lost)}, which was not written")
    return documents


def _finish(servers: Servers, names: Names, sending: Sending, manifest: Manifest) -> dict[str, int]:
    """Finish the index and check the counts. Return the sizes on the servers' disks."""
    version = sending.load.version
    collections = {kind: sending.collection(kind) for kind in (*KINDS, REVIEWS)}
    there = {kind: one.count_documents({}) for kind, one in collections.items()}
    meta = index_meta(names, version, manifest.content_hash)
    there["documents in the index"] = index.finish_index(servers, names.index(version), meta)
    reviews = 0 if manifest.reviews is None else manifest.reviews.count
    written = {**manifest.counts, REVIEWS: reviews, "documents in the index": manifest.counts["products"]}
    for kind, count in there.items():
        if count != written[kind]:
            reason = f"{count:,} {kind} are there and {written[kind]:,} were written"
            raise ShopError(f"servers:{names.shop}: {reason}; nothing was published")
    return _sizes(servers, [collections[kind] for kind in KINDS], names.index(version))


def _sizes(servers: Servers, collections: Sequence[Any], index_name: str) -> dict[str, int]:
    """Return the bytes used on the servers' disks. A serverless index tells no size, so there is no total then."""
    records = 0
    for stored in collections:
        stats = stored.database.command("collStats", stored.name)
        records += int((stats.get("storageSize") or stats["size"]) + stats.get("totalIndexSize", 0))
    if servers.serverless:
        return {"mongodb": records}
    shards = servers.search.indices.stats(index=index_name, metric="store")
    searched = int(shards["_all"]["primaries"]["store"]["size_in_bytes"])
    return {"mongodb": records, "elasticsearch": searched, "total": records + searched}


def _check_lengths(ids: Sequence[str]) -> None:
    for one in ids:
        if len(one) > _LONGEST_ID // 4 and len(one.encode()) > _LONGEST_ID:
            raise ShopError(f"products: {one[:40]}... is longer than an id may be, {_LONGEST_ID} bytes")


def _sliced(batches: Iterable[OrderColumns]) -> Iterator[OrderColumns]:
    """Yield the columns as arrays, a batch at a time."""
    import numpy as np

    for columns in batches:
        arrays: list[Any] = [np.asarray(column, dtype=np.int64) for column in columns.numbers]
        for first in range(0, len(arrays[0]), BATCH):
            part = OrderColumns(*(array[first : first + BATCH] for array in arrays))
            there = map(int, part.order_id) if columns.slips else ()
            yield part._replace(slips={one: columns.slips[one] for one in there if one in columns.slips})
