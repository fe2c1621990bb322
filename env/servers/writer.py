"""Loading a shop onto servers: a new set of collections and a new index beside the old, shown by one document.

Where a shop of this name exists and is not to be replaced, nothing is written: the rows are only hashed, so that the same
load a second time changes nothing and another one is refused.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from types import TracebackType
from typing import Any

import pymongo
from drr.env.content import ContentHash, as_of_from, ascending, batched, ordered
from drr.env.entities import Product
from drr.env.errors import ShopError
from drr.env.manifest import parse_manifest, sealed
from drr.env.servers import index
from drr.env.servers.connect import ServerFailure, Servers, client_versions
from drr.env.servers.documents import order_documents, plain, product_document, safe, user_document
from drr.env.servers.load import Load
from drr.env.servers.names import (
    CURRENT,
    KINDS,
    LOAD,
    MANIFEST,
    Names,
    collection,
    names_of,
    version_of_collection,
)
from drr.env.servers.opening import check_set, index_meta
from drr.env.servers.store import INDEXES
from drr.env.settings import Settings
from drr.env.shop import Manifest, OrderColumns, UserRow
from drr.env.text import VERSION as TEXT_VERSION
from pymongo import ReplaceOne
from pymongo import errors as mongo

# How many are sent at a time: a request costs as much as a hundred documents, and more than these are no cheaper.
PRODUCTS, USERS, ORDERS = 1000, 1000, 1000
# So many batches at once: while a server stores one, the next is already with it.
SENDING = 2
# How far a load is, is recorded after so many: a record waits for the server's journal.
RECORDED = 10_000
# Elasticsearch takes no longer ones.
_LONGEST_ID = 512
_DUPLICATE = 11000
# Indexing and counting hundreds of millions takes longer than any other call.
_PATIENCE = 3600.0


def shop_writer(spec: str, settings: Settings, *, replace: bool = False) -> ServersWriter:
    return ServersWriter(names_of(spec), settings, replace=replace)


class ServersWriter:
    def __init__(self, names: Names, settings: Settings, *, replace: bool) -> None:
        self._names = names
        self._servers = Servers(settings)
        self._shards = settings.elasticsearch_shards
        self._hash = ContentHash()
        self._categories: Counter[str] = Counter()
        self._product_ids: list[str] = []
        self._user_ids: list[str] = []
        self._load: Load | None = None
        self._published = False
        # Batches are on their way to the servers while the next is made.
        self._sender = ThreadPoolExecutor(SENDING, thread_name_prefix="drr-load")
        self._sending: deque[Future[None]] = deque()
        self._stored: dict[str, dict[str, Any]] = {}
        self._recorded: dict[str, int] = {}
        try:
            self._versions = self._servers.versions()
            with self._servers.speaking():
                self._database = self._servers.mongo[names.shop]
                self._current = self._shown()
                if replace or self._current is None:
                    self._begin(replace)
        except BaseException:
            if self._load is not None:
                self._load.leave()
            self._sender.shutdown()
            self._servers.close()
            raise

    def __enter__(self) -> ServersWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """What a server or the user stopped may be continued; what was refused is removed."""
        try:
            self._sender.shutdown(cancel_futures=True)
            if self._load is not None and not self._published:
                # If the servers cannot be reached now, the next load sweeps.
                with suppress(ShopError), self._servers.speaking():
                    if isinstance(value, KeyboardInterrupt | ServerFailure):
                        self._load.release()
                    elif self._load.end():
                        self._drop(self._load.version)
        finally:
            if self._load is not None:
                self._load.leave()
            self._servers.close()

    def _collection(self, kind: str) -> Any:
        assert self._load is not None
        return self._database[collection(kind, self._load.version)]

    def _shown(self) -> dict[str, Any] | None:
        return self._database[MANIFEST].find_one({"_id": CURRENT})

    def _begin(self, replace: bool) -> None:
        indices, alias = self._servers.search.indices, self._names.alias
        if indices.exists(index=alias) and not indices.exists_alias(name=alias):
            raise ShopError(
                f"servers:{self._names.shop}: an index is called {alias}, which is to be this shop's alias; "
                "give another name, or remove that index"
            )
        load = self._load = Load(self._servers.mongo, self._names)
        # Another load may have been shown between the first look and this one's beginning.
        self._current = self._shown()
        if self._current is not None and not replace:
            self._load = None
            load.release() if load.continued else load.end()
            load.leave()
            return
        self._stored = dict(load.done)
        self._recorded = {kind: done["count"] for kind, done in load.done.items()}
        self._sweep(load.version)
        self._prepare(load)

    def _prepare(self, load: Load) -> None:
        name = self._names.index(load.version)
        if not self._servers.search.indices.exists(index=name):
            if load.done:
                raise ShopError(
                    f"servers:{self._names.shop}: {self._discarded('the index of an unfinished load is gone')}"
                )
            index.create(self._servers, name, self._shards)

    def _sweep(self, loading: str) -> None:
        """Remove what interrupted loads and swaps left; point the alias where it belongs."""
        for version in self._versions_there() - {loading, self._current and self._current["version"]}:
            self._drop(version)
        if self._current:
            self._point_alias(self._current["version"])

    def _versions_there(self) -> set[str]:
        found = {version_of_collection(name) for name in self._database.list_collection_names()}
        indices = self._servers.search.indices.get(
            index=f"{self._names.alias}-v*", expand_wildcards="all", features="aliases"
        )
        found |= {self._names.version_of_index(name) for name in indices}
        return {version for version in found if version is not None}

    def _tidy(self, current: dict[str, Any]) -> None:
        """Finish a swap that was cut off behind its one update; where there is nothing to do, nothing is written."""
        kept = self._database[MANIFEST].find_one({"_id": LOAD})
        known = {current["version"], kept and kept["version"]}
        ended = kept is None or kept["version"] != current["version"]
        if (
            ended
            and self._versions_there() <= known
            and self._aliased() == [self._names.index(current["version"])]
        ):
            return
        try:
            load = Load(self._servers.mongo, self._names)
        except ShopError:
            return  # Whoever loads now tidies.
        try:
            self._sweep(load.version)
        finally:
            load.release() if load.continued else load.end()
            load.leave()

    def _drop(self, version: str) -> None:
        for kind in KINDS:
            self._database.drop_collection(collection(kind, version))
        self._servers.search.indices.delete(index=self._names.index(version), ignore_unavailable=True)

    def _discarded(self, reason: str) -> str:
        """An unfinished load that cannot be continued is removed, so that the next attempt begins afresh."""
        assert self._load is not None
        self._load.end()
        self._drop(self._load.version)
        self._load = None
        return f"{reason}; it was removed, so run the same command again"

    def write_products(self, products: Iterable[Product]) -> int:
        last = ""
        for batch in batched(products, PRODUCTS):
            last = ascending(last, [product.product_id for product in batch], "products")
            self._product_ids += (ids := [product.product_id for product in batch])
            for one in ids:
                if len(one) > _LONGEST_ID // 4 and len(one.encode()) > _LONGEST_ID:
                    raise ShopError(
                        f"products: {one[:40]}... is longer than an id may be, {_LONGEST_ID} bytes"
                    )
            self._categories.update(product.category for product in batch)
            fresh = batch[self._fresh("products", len(batch), _adder(self._hash.add_products, batch))]
            if fresh:
                records, searched = [product_document(p) for p in fresh], [index.document(p) for p in fresh]
                self._send("products", records, searched)
        return self._ended("products")

    def write_users(self, batches: Iterable[Sequence[UserRow]]) -> int:
        last = ""
        for batch in batched((row for rows in batches for row in rows), USERS):
            last = ascending(last, [row.user_id for row in batch], "users")
            self._user_ids += [row.user_id for row in batch]
            fresh = batch[self._fresh("users", len(batch), _adder(self._hash.add_users, batch))]
            if fresh:
                self._send("users", [user_document(row) for row in fresh])
        return self._ended("users")

    def write_orders(self, batches: Iterable[OrderColumns]) -> int:
        last: tuple[int, int, int] | None = None
        for columns in _sliced(batches, ORDERS):
            last = ordered(last, columns, len(self._product_ids), len(self._user_ids))
            fresh = self._fresh(
                "orders", len(columns.order_id), _column_adder(self._hash.add_orders, columns)
            )
            documents = order_documents(_part(columns, fresh), self._product_ids, self._user_ids)
            if documents:
                self._send("orders", documents)
        return self._ended("orders")

    def _fresh(self, kind: str, count: int, add: Callable[[slice], None]) -> slice:
        """Hash so many rows; say which of them are not stored yet."""
        done = self._stored.get(kind)
        stored = done["count"] if done else 0
        known = max(0, min(stored - self._hash.counts[kind], count))
        if known:
            add(slice(0, known))
            if done and self._hash.counts[kind] == stored and self._hash.prefix(kind) != done["digest"]:
                self._other_data()
        if known < count:
            add(slice(known, count))
        return slice(known if self._load else count, count)

    def _other_data(self) -> None:
        self._arrived()
        with self._servers.speaking():
            reason = self._discarded("an unfinished load of other data was found there")
        raise ShopError(f"servers:{self._names.shop}: {reason}")

    def _send(
        self, kind: str, records: Sequence[Mapping[str, Any]], searched: Sequence[dict[str, Any]] = ()
    ) -> None:
        """Hand a batch over; it counts as stored when all of it, and of those before it, was acknowledged."""
        load = self._load
        assert load is not None
        count = self._hash.counts[kind]
        due = bool(searched) or count - self._recorded.get(kind, 0) >= RECORDED
        digest = self._hash.prefix(kind) if due else ""

        self._arrived(SENDING - 1)
        before = list(self._sending)

        def send() -> None:
            self._insert(kind, records)
            if searched:
                index.bulk(self._servers, self._names.index(load.version), searched)
            if due:
                for earlier in before:
                    earlier.result()
                load.record(kind, count, digest)

        if due:
            self._recorded[kind] = count

        self._sending.append(self._sender.submit(send))

    def _arrived(self, left: int = 0) -> None:
        """Wait until no more than so many batches are on their way; what failed is raised here."""
        while len(self._sending) > left:
            with self._servers.speaking():
                self._sending.popleft().result()

    def _ended(self, kind: str) -> int:
        self._arrived()
        done = self._stored.get(kind)
        count = self._hash.counts[kind]
        if done and count < done["count"]:
            self._other_data()
        if self._load:
            with self._servers.speaking(), pymongo.timeout(_PATIENCE):
                if count > self._recorded.get(kind, 0):
                    self._load.record(kind, count, self._hash.prefix(kind))
                for keys in INDEXES[kind]:
                    self._collection(kind).create_index(keys)
        return count

    def _insert(self, kind: str, documents: Sequence[Mapping[str, Any]]) -> None:
        """Those of a batch that an interrupted load had already stored are replaced."""
        try:
            self._collection(kind).insert_many(documents, ordered=False)
        except mongo.BulkWriteError as error:
            failed: list[dict[str, Any]] = error.details["writeErrors"]
            unpromised = error.details.get("writeConcernErrors")
            others = [one for one in failed if one["code"] != _DUPLICATE]
            if others:
                raise mongo.OperationFailure(
                    f"{len(others)} of {len(documents)} {kind} were refused, the first {documents[others[0]['index']]['_id']}: "
                    f"{others[0].get('errmsg', '')}",
                    others[0]["code"],
                ) from error
            if failed and not (self._load and self._load.continued):
                raise ShopError(
                    f"{kind}: {documents[failed[0]['index']]['_id']} occurs twice; ids are unique in a shop"
                ) from None
            if unpromised:
                raise mongo.OperationFailure(
                    unpromised[0].get("errmsg", ""), unpromised[0]["code"]
                ) from error
            again = [documents[one["index"]] for one in failed]
            self._collection(kind).bulk_write(
                [ReplaceOne({"_id": d["_id"]}, d) for d in again], ordered=False
            )

    def publish(self, manifest: Manifest) -> Manifest:
        manifest = self._completed(manifest)
        if self._load is None:
            return self._unchanged(manifest)
        version = self._load.version
        name = self._names.index(version)
        with self._servers.speaking(), pymongo.timeout(_PATIENCE):
            meta = index_meta(self._names, version, manifest.content_hash)
            counts = {kind: self._collection(kind).count_documents({}) for kind in KINDS}
            counts["documents in the index"] = index.finish(self._servers, name, meta)
            for kind, count in counts.items():
                expected = manifest.counts.get(kind, manifest.counts["products"])
                if count != expected:
                    reason = f"{count:,} {kind} are there and {expected:,} were written"
                    raise ShopError(f"servers:{self._names.shop}: {reason}; nothing was published")
            manifest = sealed(manifest.model_copy(update={"sizes": self._sizes(name)}))
        with self._servers.speaking():
            self._load.hold()
            self._show(version, manifest)
        return manifest

    def _show(self, version: str, manifest: Manifest) -> None:
        """The swap is the update of one document; all the rest is tidying, and the next load does what is left of it."""
        document = {
            "version": version,
            "manifest": safe(manifest.model_dump(mode="json")),
            "categories": safe(dict(self._categories)),
        }
        self._database[MANIFEST].replace_one({"_id": CURRENT}, document, upsert=True)
        self._published = True
        assert self._load is not None
        self._load.end()
        self._point_alias(version)
        if self._current:
            self._drop(self._current["version"])

    def _point_alias(self, version: str) -> None:
        indices = self._servers.search.indices
        wanted = self._names.index(version)
        if not indices.exists(index=wanted):
            return
        others = [name for name in self._aliased() if name != wanted]
        actions: list[dict[str, Any]] = [{"add": {"index": wanted, "alias": self._names.alias}}]
        actions += [{"remove": {"index": name, "alias": self._names.alias}} for name in others]
        indices.update_aliases(actions=actions)

    def _aliased(self) -> list[str]:
        indices, alias = self._servers.search.indices, self._names.alias
        return list(indices.get_alias(name=alias)) if indices.exists_alias(name=alias) else []

    def _unchanged(self, manifest: Manifest) -> Manifest:
        """The shop that is there, if it is the one that would have been written."""
        spec = f"servers:{self._names.shop}"
        assert self._current is not None
        there = parse_manifest(plain(self._current["manifest"]), spec)
        same = (there.content_hash, there.recipe) == (manifest.content_hash, manifest.recipe)
        if not same:
            raise ShopError(
                f"{spec}: there is a shop already, of other data; give another name, or --replace"
            )
        with self._servers.speaking():
            check_set(self._servers, self._names, self._current["version"], there, spec)
            self._tidy(self._current)
        return there

    def _completed(self, manifest: Manifest) -> Manifest:
        as_of = manifest.as_of or as_of_from(self._hash.last_order_ms)
        digest = self._hash.digest(as_of)
        if manifest.content_hash not in ("", digest):
            raise ShopError(
                f"servers:{self._names.shop}: what was written is not what the manifest says "
                f"(content hash {digest[:12]}, manifest {manifest.content_hash[:12]}); nothing was published"
            )
        versions = {**manifest.versions, **self._versions, **client_versions(), "text": TEXT_VERSION}
        return manifest.model_copy(
            update={
                "backend": "servers",
                "as_of": as_of,
                "content_hash": digest,
                "counts": dict(self._hash.counts),
                "versions": versions,
            }
        )

    def _sizes(self, name: str) -> dict[str, int]:
        records = 0
        for kind in KINDS:
            stats = self._database.command("collStats", self._collection(kind).name)
            records += int((stats.get("storageSize") or stats["size"]) + stats.get("totalIndexSize", 0))
        shards = self._servers.search.indices.stats(index=name, metric="store")
        searched = int(shards["_all"]["primaries"]["store"]["size_in_bytes"])
        return {"mongodb": records, "elasticsearch": searched, "total": records + searched}


def _adder(add: Callable[[list[Any]], None], rows: list[Any]) -> Callable[[slice], None]:
    return lambda part: add(rows[part])


def _column_adder(add: Callable[[OrderColumns], None], columns: OrderColumns) -> Callable[[slice], None]:
    return lambda part: add(_part(columns, part))


def _part(columns: OrderColumns, part: slice) -> OrderColumns:
    return OrderColumns(*(column[part] for column in columns))


def _sliced(batches: Iterable[OrderColumns], size: int) -> Iterator[OrderColumns]:
    """Pieces of at most `size`, as arrays."""
    import numpy as np

    for columns in batches:
        arrays: list[Any] = [np.asarray(column, dtype=np.int64) for column in columns]
        for first in range(0, len(arrays[0]), size):
            yield OrderColumns(*(array[first : first + size] for array in arrays))
