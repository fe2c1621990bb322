"""Keeps the versions of a shop on servers: the one that is shown, and the load in progress.

If a load was interrupted, running the same command continues it: the number of acknowledged batches is recorded, with
the hash of all rows in them, so a continued load can check that it gets the same rows.
"""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict, cast

from drr.env.errors import Misuse, ShopError
from drr.env.json_object import JsonObject
from drr.env.servers.connect import Servers
from drr.env.shop import SERVERS
from pymongo import ReturnDocument, WriteConcern
from pymongo import errors as mongo

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,47}")
RESERVED = {"admin", "local", "config"}
KINDS = ("products", "users", "orders")
REVIEWS = "reviews"
"""The collection that exists only if reviews are kept."""
MANIFEST = "manifest"
CURRENT, LOAD = "current", "load"
_VERSION = re.compile(r"v[0-9a-f]{12}")


@dataclass(frozen=True)
class Names:
    shop: str

    @property
    def indices(self) -> str:
        """Return the pattern that matches the indices of all versions."""
        return self.index("v*")

    def index(self, version: str) -> str:
        return f"{self.shop}-products-{version}"


def collection_name(kind: str, version: str) -> str:
    return f"{kind}_{version}"


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


class ShownVersion(TypedDict):
    """The document that names the version which is opened; its values are as `drr.env.servers.documents.storable_value` writes them."""

    version: str
    manifest: JsonObject
    categories: JsonObject
    lexicon: NotRequired[bytes]
    """The packed lexicon; shops of earlier versions have none."""
    weights: NotRequired[bytes]
    """The weights of the offline embedder, if the shop has its vectors."""


class Versions:
    def __init__(self, servers: Servers, names: Names) -> None:
        self._search, self._names = servers.search, names
        self._database = servers.mongo[names.shop]
        # Journalled by most of a replica set: no fail-over undoes what is recorded as done, or shown.
        self.documents = self._database.get_collection(
            MANIFEST, write_concern=WriteConcern("majority", j=True)
        )

    def shown(self) -> ShownVersion | None:
        """Return the document of the shown version, or `None` if no shop of this name is shown."""
        return cast("ShownVersion | None", self.documents.find_one({"_id": CURRENT}))

    def show(self, document: ShownVersion) -> None:
        """Make a version the shown one, by replacing one document."""
        self.documents.replace_one({"_id": CURRENT}, {**document}, upsert=True)

    def drop(self, version: str) -> None:
        for kind in (*KINDS, REVIEWS):
            self._database.drop_collection(collection_name(kind, version))
        self._search.indices.delete(index=self._names.index(version), ignore_unavailable=True)

    def sweep(self) -> None:
        """Remove the leftovers of interrupted loads and swaps.

        Both documents are read after the list of versions: a version that neither of them names is left over.
        """
        there = self._existing_versions()
        load = self.documents.find_one({"_id": LOAD})
        shown = self.documents.find_one({"_id": CURRENT}, {"version": 1})
        named = {shown["version"]} if shown else set()
        # A load that was shown is over; one that an earlier version of this program began is begun anew.
        if load and (load["version"] in named or "token" not in load):
            self.documents.delete_one({"_id": LOAD, "version": load["version"]})
        elif load:
            named.add(load["version"])
        for version in there - named:
            self.drop(version)

    def _existing_versions(self) -> set[str]:
        """Return the versions of which any collection or index exists."""
        parts = [name.partition("_") for name in self._database.list_collection_names()]
        found = {version for kind, _, version in parts if kind in (*KINDS, REVIEWS)}
        indices = self._search.indices.get(
            index=self._names.indices, expand_wildcards="all", features="aliases"
        )
        found |= {name.removeprefix(self._names.index("")) for name in indices}
        return {version for version in found if _VERSION.fullmatch(version)}


class Load:
    """A load in progress. No process locks it: the one that began last owns it, and an earlier one stops at its next record."""

    def __init__(self, versions: Versions, names: Names) -> None:
        self._documents: Any = versions.documents
        self._taken = f"servers:{names.shop}: another process loads this shop now; nothing was published"
        self._token = uuid.uuid4().hex
        versions.sweep()
        self.continued = self._documents.find_one({"_id": LOAD}) is not None
        if not self.continued:
            version = f"v{uuid.uuid4().hex[:12]}"
            begun = {"_id": LOAD, "version": version, "token": self._token, "done": {}}
            try:
                self._documents.insert_one(begun)
            except mongo.DuplicateKeyError:  # somebody else began it just now
                self.continued = True
        state = self._documents.find_one_and_update(
            {"_id": LOAD}, {"$set": {"token": self._token}}, return_document=ReturnDocument.AFTER
        )
        # Another load may have been shown since the sweep.
        self.shown = versions.shown()
        if state is None or (self.shown and self.shown["version"] == state["version"]):
            raise ShopError(self._taken)
        self.version: str = state["version"]
        self.done: dict[str, StoredBatches] = state["done"]

    def record(self, kind: str, stored: StoredBatches) -> None:
        """Record how much of this kind is stored."""
        self._set({f"done.{kind}": stored})

    def hold(self) -> None:
        """Raise an error unless this process still owns the load; called before anything is shown."""
        self._set({"token": self._token})

    def _set(self, values: JsonObject) -> None:
        mine = {"_id": LOAD, "token": self._token}
        if not self._documents.update_one(mine, {"$set": values}).matched_count:
            raise ShopError(self._taken)

    def end(self) -> bool:
        """End the load, published or not. Return whether this process still owned it."""
        return bool(self._documents.delete_one({"_id": LOAD, "token": self._token}).deleted_count)
