"""The one load in progress of a shop on servers. Into which version it goes, and how far it is.

A load that died is continued by whoever runs the same command: the number of batches that were acknowledged is recorded, with
the hash of all rows in them, so a continuation can tell that it is fed the same rows.
"""

from __future__ import annotations

import re
import uuid
from contextlib import suppress
from dataclasses import dataclass
from typing import NotRequired, TypedDict, cast

from drr.env.errors import Misuse, ShopError
from drr.env.json_object import JsonObject
from drr.env.servers.connect import Mongo, Servers
from drr.env.shop import SERVERS
from pymongo import ReturnDocument, WriteConcern
from pymongo import errors as mongo

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,47}")
RESERVED = {"admin", "local", "config"}
KINDS = ("products", "users", "orders")
COLLECTIONS = (*KINDS, "reviews")
"""Collections of a version; the last only where reviews are kept."""
MANIFEST = "manifest"
CURRENT, LOAD = "current", "load"
VERSION = re.compile(r"v[0-9a-f]{12}")


@dataclass(frozen=True)
class Names:
    shop: str

    @property
    def alias(self) -> str:
        return f"{self.shop}-products"

    def index(self, version: str) -> str:
        return f"{self.shop}-products-{version}"

    def version_of_index(self, index: str) -> str | None:
        head, _, version = index.rpartition("-")
        return version if head == self.alias and VERSION.fullmatch(version) else None


def collection(kind: str, version: str) -> str:
    return f"{kind}_{version}"


def version_of_collection(name: str) -> str | None:
    kind, _, version = name.partition("_")
    return version if kind in COLLECTIONS and VERSION.fullmatch(version) else None


def names_of(spec: str) -> Names:
    name = spec.removeprefix(SERVERS)
    if not _NAME.fullmatch(name) or name in RESERVED:
        raise Misuse(
            f"{spec}: a shop on servers is called servers:NAME, NAME in lower case letters, digits, - and _, "
            "at most 48, the first a letter"
        )
    return Names(name)


class StoredBatches(TypedDict):
    """The number of batches of a kind that both servers acknowledged, and the hash of all rows in them."""

    batches: int
    digest: str


class Load:
    """Nobody holds it: whoever begins last has it, and the one before stops at its next record."""

    def __init__(self, client: Mongo, names: Names) -> None:
        database = client[names.shop]
        # Journalled by most of a replica set: what is recorded as done must not be lost with a server.
        self._there = database.get_collection(MANIFEST, write_concern=WriteConcern("majority", j=True))
        self._names = names
        self._token = uuid.uuid4().hex
        kept = self._there.find_one({"_id": LOAD})
        current = self._there.find_one({"_id": CURRENT}, {"version": 1})
        shown = kept is not None and current is not None and kept["version"] == current["version"]
        # What an earlier version of this program began is begun anew.
        if kept is not None and (shown or "token" not in kept):
            self._there.delete_one({"_id": LOAD, "version": kept["version"]})
            kept = None
        self.continued = kept is not None
        if kept is None:
            with suppress(mongo.DuplicateKeyError):
                self._there.insert_one({"_id": LOAD, "version": f"v{uuid.uuid4().hex[:12]}", "done": {}})
        state = self._there.find_one_and_update(
            {"_id": LOAD}, {"$set": {"token": self._token}}, return_document=ReturnDocument.AFTER
        )
        if state is None:
            raise ShopError(self._taken())
        self.version: str = state["version"]
        self.done: dict[str, StoredBatches] = state["done"]

    def _taken(self) -> str:
        return f"servers:{self._names.shop}: another process loads this shop now; nothing was published"

    def record(self, kind: str, batches: int, digest: str) -> None:
        """Record that so many batches of this kind are stored."""
        self._set({f"done.{kind}": StoredBatches(batches=batches, digest=digest)})

    def hold(self) -> None:
        """Make sure that it is still ours, before anything is shown."""
        self._set({"token": self._token})

    def _set(self, values: JsonObject) -> None:
        if not self._there.update_one({"_id": LOAD, "token": self._token}, {"$set": values}).matched_count:
            raise ShopError(self._taken())

    def end(self) -> bool:
        """Over, published or not; whether it was still ours."""
        return bool(self._there.delete_one({"_id": LOAD, "token": self._token}).deleted_count)


class ShownVersion(TypedDict):
    """The document that makes a version the one which is opened; its values as `drr.env.servers.documents.safe` writes them."""

    version: str
    manifest: JsonObject
    categories: JsonObject
    lexicon: NotRequired[bytes]
    """Shops of before have none."""
    weights: NotRequired[bytes]
    """Weights of the offline embedder, where there are vectors of it."""


class Versions:
    def __init__(self, servers: Servers, names: Names) -> None:
        self._servers = servers
        self._names = names
        self._database = servers.mongo[names.shop]

    def shown(self) -> ShownVersion | None:
        """The manifest document, or `None` where no shop of this name is shown."""
        return cast("ShownVersion | None", self._database[MANIFEST].find_one({"_id": CURRENT}))

    def show(self, document: ShownVersion) -> None:
        """Show a version. The swap is the update of this one document, acknowledged by most of a replica set,
        so that no fail-over undoes it."""
        there = self._database.get_collection(MANIFEST, write_concern=WriteConcern("majority", j=True))
        there.replace_one({"_id": CURRENT}, {**document}, upsert=True)

    def check_alias(self) -> None:
        """`ShopError` where an index bears the name that is to be the shop's alias."""
        indices, alias = self._servers.search.indices, self._names.alias
        if indices.exists(index=alias) and not indices.exists_alias(name=alias):
            raise ShopError(
                f"servers:{self._names.shop}: an index is called {alias}, which is to be this shop's alias; "
                "give another name, or remove that index"
            )

    def drop(self, version: str) -> None:
        for kind in COLLECTIONS:
            self._database.drop_collection(collection(kind, version))
        self._servers.search.indices.delete(index=self._names.index(version), ignore_unavailable=True)

    def sweep(self) -> None:
        """Remove what interrupted loads and swaps left, and point the alias where it belongs.

        Both documents are read after the list: each version in it is named by one of them, or by none and is left over.
        """
        found = self._there()
        there = self._database[MANIFEST]
        loading = there.find_one({"_id": LOAD}, {"version": 1})
        shown = there.find_one({"_id": CURRENT}, {"version": 1})
        if loading is not None and shown is not None and loading["version"] == shown["version"]:
            there.delete_one({"_id": LOAD, "version": shown["version"]})
        for version in found - {one["version"] for one in (loading, shown) if one is not None}:
            self.drop(version)
        if shown is not None:
            self.point_alias(shown["version"])

    def point_alias(self, version: str) -> None:
        indices, wanted, named = self._servers.search.indices, self._names.index(version), self._aliased()
        if named == [wanted] or not indices.exists(index=wanted):
            return
        actions: list[JsonObject] = [{"add": {"index": wanted, "alias": self._names.alias}}]
        actions += [
            {"remove": {"index": name, "alias": self._names.alias}} for name in named if name != wanted
        ]
        indices.update_aliases(actions=actions)

    def _aliased(self) -> list[str]:
        indices, alias = self._servers.search.indices, self._names.alias
        return list(indices.get_alias(name=alias)) if indices.exists_alias(name=alias) else []

    def _there(self) -> set[str]:
        found = {version_of_collection(name) for name in self._database.list_collection_names()}
        indices = self._servers.search.indices.get(
            index=f"{self._names.alias}-v*", expand_wildcards="all", features="aliases"
        )
        found |= {self._names.version_of_index(name) for name in indices}
        return {version for version in found if version is not None}
