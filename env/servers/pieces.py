"""The loading of a shop onto servers by many at once. Workers store pieces in any order, and one driver hashes them in order.

A piece is stored when both servers acknowledged all of it; then the driver records its name and hash in the load, so that a load
that was cut off goes on with the pieces that are missing. Storing a piece again changes nothing: ids are those of the records.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any

import pymongo
from drr.env.content import ContentHash, batched
from drr.env.entities import Product
from drr.env.errors import Misuse, ShopError
from drr.env.servers import index
from drr.env.servers.connect import Servers
from drr.env.servers.documents import SearchParts, product_document
from drr.env.servers.load import LOAD, MANIFEST, collection, names_of
from drr.env.servers.sending import SENDING, store
from drr.env.servers.store import INDEXES
from drr.env.servers.writer import PRODUCTS, ServersWriter, check_lengths
from drr.env.settings import Settings
from drr.env.shop import Manifest
from pymongo import WriteConcern

_SENT = 1000
_PATIENCE = 3600.0
_KINDS = ("products", "users", "orders")


class PiecesWriter(ServersWriter):
    """The driver's: begins the load, records its pieces, publishes. `plan` says which pieces there are and of what."""

    def __init__(self, spec: str, settings: Settings, *, replace: bool, plan: str) -> None:
        if settings.search == "hybrid":
            raise Misuse(
                "--pool ray: vectors for --search hybrid are made by one process, in one order; leave --pool out"
            )
        super().__init__(names_of(spec), settings, replace=replace, plan=plan)

    @property
    def hashed(self) -> ContentHash:
        return self._hash

    @property
    def version(self) -> str | None:
        """The version that workers write into. `None`: nothing is to be written, the shop is there."""
        return None if self._load is None else self._load.version

    @property
    def pieces(self) -> int:
        """The number of pieces that an earlier attempt stored."""
        return 0 if self._load is None else len(self._load.pieces)

    def stored(self, name: str) -> str | None:
        return None if self._load is None else self._load.pieces.get(name)

    def record(self, name: str, digest: str) -> None:
        if self._load is not None and self._load.pieces.get(name) != digest:
            with self._servers.speaking():
                self._load.record_pieces({name: digest})

    def add_words(self, words: Counter[str], categories: Counter[str]) -> None:
        self._parts.words.update(words)
        self._categories.update(categories)

    def publish(self, manifest: Manifest) -> Manifest:
        if self._load is not None:
            with self._servers.speaking(), pymongo.timeout(_PATIENCE):
                for kind in _KINDS:
                    for keys in INDEXES[kind]:
                        self._sending.collection(kind).create_index(keys)
        return super().publish(manifest)


class PieceStore:
    """A worker's: what it stores lies beside the shop that is shown. `version` `None`: it stores nothing and says what it would."""

    def __init__(self, spec: str, settings: Settings, version: str | None) -> None:
        self._names, self._version, self._settings = names_of(spec), version, settings
        self._servers = Servers(settings)
        self._threads = ThreadPoolExecutor(SENDING, thread_name_prefix="drr-piece")
        self._under_way: deque[Future[None]] = deque()
        try:
            self._servers.versions()
            self._check()
        except BaseException:
            self._leave()
            raise

    def _check(self) -> None:
        """Both servers are those on which the driver began the load."""
        if self._version is None:
            return
        with self._servers.speaking():
            load = self._servers.mongo[self._names.shop][MANIFEST].find_one({"_id": LOAD})
            there = self._servers.search.indices.exists(index=self._names.index(self._version))
        wrong = [
            where
            for where, right in (
                ("MongoDB", load is not None and load["version"] == self._version),
                ("Elasticsearch", bool(there)),
            )
            if not right
        ]
        if wrong:
            names = " and ".join(f"{where} at {self._servers.shown[where]}" for where in wrong)
            raise ShopError(
                f"{names}: not where this load was begun; name the same servers in this node's environment"
            )

    def __enter__(self) -> PieceStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    def _leave(self) -> None:
        self._threads.shutdown(cancel_futures=True)
        self._servers.close()

    def write_products(self, products: Sequence[Product], *, known: bool) -> Counter[str]:
        parts = SearchParts(self._settings)
        for batch in batched(products, PRODUCTS):
            check_lengths([product.product_id for product in batch])
            made = parts.of(batch)
            if known:
                continue
            searched = [index.document(p, *one) for p, one in zip(batch, made, strict=True)]
            self._send("products", [product_document(p) for p in batch], searched)
        self.wait()
        return parts.words

    def write(self, kind: str, documents: Sequence[Mapping[str, Any]]) -> None:
        for batch in batched(documents, _SENT):
            self._send(kind, batch, ())

    def _send(
        self, kind: str, documents: Sequence[Mapping[str, Any]], searched: Sequence[index.IndexRow]
    ) -> None:
        version = self._version
        assert version is not None
        self.wait(SENDING - 1)
        database = self._servers.mongo[self._names.shop]
        there = database.get_collection(collection(kind, version), write_concern=WriteConcern("majority"))

        def send() -> None:
            # Whoever began this piece before may have died in it.
            store(there, kind, documents, again=True)
            if searched:
                index.bulk(self._servers, self._names.index(version), searched)

        self._under_way.append(self._threads.submit(send))

    def wait(self, left: int = 0) -> None:
        """Wait until no more than so many batches are on their way; a failure is raised here."""
        while len(self._under_way) > left:
            with self._servers.speaking():
                self._under_way.popleft().result()

    @property
    def writes(self) -> bool:
        return self._version is not None
