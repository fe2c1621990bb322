"""The one load in progress of a shop on servers. Who does it, into which version, and how far it is.

A load that died is continued by whoever runs the same command: what was acknowledged is recorded after each batch, with the
hash of all rows up to there, so a continuation can tell that it is fed the same rows.
"""

from __future__ import annotations

import os
import re
import socket
import threading
import time
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


# A load on another machine that has not been heard of for so long is dead.
SILENT_SECONDS = 60.0
BEAT_SECONDS = 10.0
# Of the loads of this process that go on: one whose writer was left is dead, although the process lives.
_GOING_ON: set[str] = set()


class StoredRows(TypedDict):
    """The number of stored rows of a kind, and the hash of them all."""

    count: int
    digest: str


class LoadOwner(TypedDict):
    """The process that loads."""

    token: str
    host: str
    pid: int
    beat: float
    """The time of its last sign of life."""


class LoadState(TypedDict):
    version: str
    owner: LoadOwner | None
    """`None` where it stopped before the end."""
    done: dict[str, StoredRows]
    plan: NotRequired[str]
    """The mark of a load by many at once, as earlier versions made. It counts no rows, so it is begun anew."""


class Load:
    """One process's load. Where another died in it, it goes on."""

    def __init__(self, client: Mongo, names: Names) -> None:
        database = client[names.shop]
        # Journalled by most of a replica set: what is recorded as done must not be lost with a server.
        self._there = database.get_collection(MANIFEST, write_concern=WriteConcern("majority", j=True))
        self._names = names
        self._token = uuid.uuid4().hex
        kept = self._there.find_one({"_id": LOAD})
        current = self._there.find_one({"_id": CURRENT}, {"version": 1})
        if kept is not None and current is not None and kept["version"] == current["version"]:
            self._there.delete_one({"_id": LOAD, "version": kept["version"]})
            kept = None
        if kept is not None and "plan" in kept:
            self._take_over(cast(LoadState, kept))
            self.end()
            kept = None
        self.continued = kept is not None
        state = self._begin() if kept is None else self._take_over(cast(LoadState, kept))
        self.version = state["version"]
        self.done = state["done"]
        _GOING_ON.add(self._token)
        self._left = threading.Event()
        threading.Thread(target=self._beat, name="drr-load-beat", daemon=True).start()

    def _beat(self) -> None:
        """Also while an index is built for longer than others wait. That a server is gone, the loading thread finds out."""
        while not self._left.wait(BEAT_SECONDS):
            with suppress(mongo.PyMongoError):
                self._there.update_one(
                    {"_id": LOAD, "owner.token": self._token}, {"$set": {"owner.beat": time.time()}}
                )

    def _owner(self) -> LoadOwner:
        return {"token": self._token, "host": socket.gethostname(), "pid": os.getpid(), "beat": time.time()}

    def _begin(self) -> LoadState:
        state: LoadState = {"version": f"v{uuid.uuid4().hex[:12]}", "owner": self._owner(), "done": {}}
        try:
            self._there.insert_one({"_id": LOAD, **state})
        except mongo.DuplicateKeyError:
            raise ShopError(self._busy()) from None
        return state

    def _take_over(self, kept: LoadState) -> LoadState:
        owner = kept["owner"]
        if owner is not None and _alive(owner):
            raise ShopError(self._busy())
        taken = self._there.find_one_and_update(
            {"_id": LOAD, "owner": owner},
            {"$set": {"owner": self._owner()}},
            return_document=ReturnDocument.AFTER,
        )
        if taken is None:
            raise ShopError(self._busy())
        return cast(LoadState, taken)

    def _busy(self) -> str:
        return f"servers:{self._names.shop}: another load into this shop is running; wait for it, or name another shop"

    def record(self, kind: str, count: int, digest: str) -> None:
        """Record that so many rows of this kind are stored, and the hash of them all."""
        self.done[kind] = {"count": count, "digest": digest}
        self._set({f"done.{kind}": self.done[kind], "owner": self._owner()})

    def hold(self) -> None:
        """Still ours: asked before anything is shown."""
        self._set({"owner": self._owner()})

    def release(self) -> None:
        """Stopped before the end: anyone may continue at once."""
        self._set({"owner": None})

    def _set(self, values: JsonObject) -> None:
        if not self._there.update_one(
            {"_id": LOAD, "owner.token": self._token}, {"$set": values}
        ).matched_count:
            raise ShopError(
                f"servers:{self._names.shop}: another process took this load over; nothing was published"
            )

    def leave(self) -> None:
        """Leave the load: this writer will do no more, whatever reached the servers."""
        _GOING_ON.discard(self._token)
        self._left.set()

    def end(self) -> bool:
        """Over, published or not; whether it was still ours."""
        return bool(self._there.delete_one({"_id": LOAD, "owner.token": self._token}).deleted_count)


def _alive(owner: LoadOwner) -> bool:
    if owner["host"] == socket.gethostname():
        if owner["pid"] == os.getpid():
            return owner["token"] in _GOING_ON
        try:
            os.kill(owner["pid"], 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
    # Also here: the number may be another process's by now.
    return time.time() - float(owner["beat"]) < SILENT_SECONDS


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

    def sweep(self, loading: str, shown: str | None) -> None:
        """Remove what interrupted loads and swaps left; point the alias where it belongs."""
        for version in self._there() - {loading, shown}:
            self.drop(version)
        if shown is not None:
            self.point_alias(shown)

    def tidy(self, shown: str) -> None:
        """Finish a swap that was cut off behind its one update; where there is nothing to do, nothing is written."""
        kept = self._database[MANIFEST].find_one({"_id": LOAD})
        known = {shown, kept and kept["version"]}
        ended = kept is None or kept["version"] != shown
        if ended and self._there() <= known and self._aliased() == [self._names.index(shown)]:
            return
        try:
            load = Load(self._servers.mongo, self._names)
        except ShopError:
            return  # Whoever loads now tidies.
        try:
            self.sweep(load.version, shown)
        finally:
            load.release() if load.continued else load.end()
            load.leave()

    def point_alias(self, version: str) -> None:
        indices = self._servers.search.indices
        wanted = self._names.index(version)
        if not indices.exists(index=wanted):
            return
        others = [name for name in self._aliased() if name != wanted]
        actions: list[JsonObject] = [{"add": {"index": wanted, "alias": self._names.alias}}]
        actions += [{"remove": {"index": name, "alias": self._names.alias}} for name in others]
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
