"""Writing a shop onto servers. A new set of collections and a new index beside the old, shown by one document.

Where a shop of this name exists and is not to be replaced, nothing is written: the rows are only hashed, so that the same
load a second time changes nothing and another one is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

import pymongo
from drr.env.content import ContentHash, ReviewRow, ascending, batched, ordered
from drr.env.entities import Product
from drr.env.errors import ServerFailure, ShopError
from drr.env.manifest import completed, parse_manifest, sealed
from drr.env.servers import index
from drr.env.servers.connect import Servers, client_versions
from drr.env.servers.documents import (
    SearchParts,
    order_documents,
    plain,
    product_document,
    safe,
    user_document,
)
from drr.env.servers.load import (
    KINDS,
    Load,
    Names,
    ShownVersion,
    Versions,
    names_of,
)
from drr.env.servers.opening import check_set, index_meta
from drr.env.servers.sending import RECORDED, Sending
from drr.env.servers.store import INDEXES, SentReviews
from drr.env.settings import Settings
from drr.env.shop import Manifest, OrderColumns, UserRow
from drr.env.text import VERSION as TEXT_VERSION

# How many are sent at a time: a request costs as much as a hundred documents, and more than these are no cheaper.
PRODUCTS, USERS, ORDERS = 1000, 1000, 1000
# Elasticsearch takes no longer ones.
_LONGEST_ID = 512
# Indexing and counting hundreds of millions takes longer than any other call.
_PATIENCE = 3600.0


def shop_writer(spec: str, settings: Settings, *, replace: bool = False) -> ServersWriter:
    return ServersWriter(names_of(spec), settings, replace=replace)


class ServersWriter:
    def __init__(self, names: Names, settings: Settings, *, replace: bool) -> None:
        self._names, self._shards = names, settings.elasticsearch_shards
        self._servers = Servers(settings)
        self._hash = ContentHash()
        self._batches: Counter[str] = Counter()
        self._categories: Counter[str] = Counter()
        self._parts = SearchParts(settings)
        self._product_ids, self._user_ids = list[str](), list[str]()
        self._published = False
        self._sending = Sending(self._servers, names)
        self._reviews = SentReviews(self._sending)
        try:
            self._server_versions = self._servers.versions()
            with self._servers.speaking():
                self._versions = Versions(self._servers, names)
                self._current = self._versions.shown()
                if replace or self._current is None:
                    self._begin(replace)
        except BaseException:
            self._sending.close()
            self._servers.close()
            raise

    @property
    def _load(self) -> Load | None:
        return self._sending.load

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the load. What a server or the user stopped may be continued; what was refused is removed."""
        try:
            self._sending.close()
            stopped = isinstance(value, KeyboardInterrupt | ServerFailure)
            if self._load is not None and not self._published and not stopped:
                # If the servers cannot be reached now, the next load sweeps.
                with suppress(ShopError), self._servers.speaking():
                    if self._load.end():
                        self._versions.drop(self._load.version)
        finally:
            self._servers.close()

    def _begin(self, replace: bool) -> None:
        self._versions.check_alias()
        load = Load(self._servers.mongo, self._names)
        # Another load may have been shown between the first look and this one's beginning.
        self._current = self._versions.shown()
        if self._current is not None and not replace:
            if not load.continued:
                load.end()
            return
        self._sending.load = load
        self._versions.sweep()
        name = self._names.index(load.version)
        if not self._servers.search.indices.exists(index=name):
            if load.done:
                raise ShopError(self._discarded("the index of an unfinished load is gone"))
            index.create(self._servers, name, self._shards)

    def _discarded(self, reason: str) -> str:
        """Remove an unfinished load that cannot be continued, so that the next attempt begins afresh."""
        assert self._load is not None
        self._load.end()
        self._versions.drop(self._load.version)
        self._sending.load = None
        return f"servers:{self._names.shop}: {reason}; it was removed, so run the same command again"

    def write_products(self, products: Iterable[Product]) -> int:
        last = ""
        for batch in batched(products, PRODUCTS):
            ids = [product.product_id for product in batch]
            last = ascending(last, ids, "products")
            self._product_ids += ids
            check_lengths(ids)
            self._categories.update(product.category for product in batch)
            made = self._parts.of(batch) if self._load else []
            self._hash.add_products(batch)
            if self._is_new("products"):
                searched = [index.document(p, *one) for p, one in zip(batch, made, strict=True)]
                reached = self._batches["products"], self._hash.prefix("products")
                self._sending.send("products", [product_document(p) for p in batch], searched, reached)
        return self._ended("products")

    def write_users(self, batches: Iterable[Sequence[UserRow]]) -> int:
        last = ""
        for batch in batched((row for rows in batches for row in rows), USERS):
            last = ascending(last, [row.user_id for row in batch], "users")
            self._user_ids += [row.user_id for row in batch]
            self._hash.add_users(batch)
            if self._is_new("users"):
                self._sending.send("users", [user_document(row) for row in batch], (), self._due("users"))
        return self._ended("users")

    def write_orders(self, batches: Iterable[OrderColumns]) -> int:
        last: tuple[int, int, int] | None = None
        for columns in _sliced(batches, ORDERS):
            last = ordered(last, columns, len(self._product_ids), len(self._user_ids))
            self._hash.add_orders(columns)
            if self._is_new("orders"):
                documents = order_documents(columns, self._product_ids, self._user_ids)
                self._sending.send("orders", documents, (), self._due("orders"))
        return self._ended("orders")

    def write_reviews(self, batches: Iterable[Sequence[ReviewRow]]) -> int:
        with self._servers.speaking():
            return self._reviews.write(batches)

    def _is_new(self, kind: str) -> bool:
        """Count a batch that was just hashed. Tell whether it is to be sent: it is not where an earlier attempt stored it."""
        self._batches[kind] += 1
        done = self._load.done.get(kind) if self._load else None
        if done is None or self._batches[kind] > done["batches"]:
            return self._load is not None
        if self._batches[kind] == done["batches"] and self._hash.prefix(kind) != done["digest"]:
            self._other_data()
        return False

    def _other_data(self) -> None:
        with self._servers.speaking():
            raise ShopError(self._discarded("an unfinished load of other data was found there"))

    def _due(self, kind: str) -> tuple[int, str] | None:
        number = self._batches[kind]
        return None if number % RECORDED else (number, self._hash.prefix(kind))

    def _ended(self, kind: str) -> int:
        self._sending.wait()
        if self._load:
            done = self._load.done.get(kind)
            if done and self._batches[kind] < done["batches"]:
                self._other_data()
            with self._servers.speaking(), pymongo.timeout(_PATIENCE):
                self._load.record(kind, self._batches[kind], self._hash.prefix(kind))
                for keys in INDEXES[kind]:
                    self._sending.collection(kind).create_index(keys)
        return self._hash.counts[kind]

    def publish(self, manifest: Manifest) -> Manifest:
        own = {**manifest.versions, **self._server_versions, **client_versions(), "text": TEXT_VERSION}
        rest = {"backend": "servers", "versions": self._parts.versions(own)}
        where, kept = f"servers:{self._names.shop}", self._reviews.found.kept()
        manifest = completed(manifest, where, "nothing was published", self._hash, kept, **rest)
        if self._load is None:
            assert self._current is not None
            return _unchanged(self._current, manifest, self._servers, self._names, self._versions)
        version = self._load.version
        name = self._names.index(version)
        with self._servers.speaking(), pymongo.timeout(_PATIENCE):
            self._reviews.finish()
            meta = index_meta(self._names, version, manifest.content_hash)
            collections = [self._sending.collection(kind) for kind in KINDS]
            counts = {kind: one.count_documents({}) for kind, one in zip(KINDS, collections, strict=True)}
            counts["documents in the index"] = index.finish(self._servers, name, meta)
            _check_counts(self._names.shop, counts, manifest)
            manifest = sealed(manifest.model_copy(update={"sizes": _sizes(self._servers, collections, name)}))
        with self._servers.speaking():
            self._load.hold()
            self._show(version, manifest)
        return manifest

    def _show(self, version: str, manifest: Manifest) -> None:
        """Once shown, all the rest is tidying, and the next load does what is left of it."""
        self._versions.show(_shown(version, manifest, self._categories, self._parts))
        self._published = True
        assert self._load is not None
        self._load.end()
        self._versions.point_alias(version)
        if self._current:
            self._versions.drop(self._current["version"])


def _unchanged(
    current: ShownVersion, manifest: Manifest, servers: Servers, names: Names, versions: Versions
) -> Manifest:
    """The shop that is there, if it is the one that would have been written."""
    spec = f"servers:{names.shop}"
    there = parse_manifest(plain(current["manifest"]), spec)
    if _identity(there) != _identity(manifest):
        raise ShopError(f"{spec}: there is a shop already, of other data; give another name, or --replace")
    with servers.speaking():
        check_set(servers, names, current["version"], there, spec)
        versions.sweep()
    return there


def _identity(manifest: Manifest) -> tuple[object, ...]:
    """The parts that make two loads the same."""
    return manifest.content_hash, manifest.recipe, manifest.reviews


def _check_counts(shop: str, there: Mapping[str, int], manifest: Manifest) -> None:
    for kind, count in there.items():
        expected = manifest.counts.get(kind, manifest.counts["products"])
        if count != expected:
            reason = f"{count:,} {kind} are there and {expected:,} were written"
            raise ShopError(f"servers:{shop}: {reason}; nothing was published")


def _shown(
    version: str, manifest: Manifest, categories: Mapping[str, int], parts: SearchParts
) -> ShownVersion:
    return {
        "version": version,
        "manifest": safe(manifest.model_dump(mode="json")),
        "categories": safe(dict(categories)),
        **parts.kept(),
    }


def _sizes(servers: Servers, collections: Sequence[Any], index_name: str) -> dict[str, int]:
    """Bytes on the servers' disks. What a serverless index has, nobody is told, so there is no total either."""
    records = 0
    for stored in collections:
        stats = stored.database.command("collStats", stored.name)
        records += int((stats.get("storageSize") or stats["size"]) + stats.get("totalIndexSize", 0))
    if servers.serverless:
        return {"mongodb": records}
    shards = servers.search.indices.stats(index=index_name, metric="store")
    searched = int(shards["_all"]["primaries"]["store"]["size_in_bytes"])
    return {"mongodb": records, "elasticsearch": searched, "total": records + searched}


def check_lengths(ids: Sequence[str]) -> None:
    for one in ids:
        if len(one) > _LONGEST_ID // 4 and len(one.encode()) > _LONGEST_ID:
            raise ShopError(f"products: {one[:40]}... is longer than an id may be, {_LONGEST_ID} bytes")


def _sliced(batches: Iterable[OrderColumns], size: int) -> Iterator[OrderColumns]:
    """Pieces of at most `size`, as arrays."""
    import numpy as np

    for columns in batches:
        arrays: list[Any] = [np.asarray(column, dtype=np.int64) for column in columns]
        for first in range(0, len(arrays[0]), size):
            yield OrderColumns(*(array[first : first + size] for array in arrays))
