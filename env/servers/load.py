"""The one load in progress of a shop on servers. Who does it, into which version, and how far it is.

A load that died is continued by whoever runs the same command: what was acknowledged is recorded after each batch, with the
hash of all rows up to there, so a continuation can tell that it is fed the same rows.
"""

from __future__ import annotations

import os
import socket
import threading
import time
import uuid
from contextlib import suppress
from typing import NotRequired, TypedDict, cast

from drr.env.errors import ShopError
from drr.env.json_object import JsonObject
from drr.env.servers.connect import Mongo
from drr.env.servers.names import CURRENT, LOAD, MANIFEST, Names
from pymongo import ReturnDocument, WriteConcern
from pymongo import errors as mongo

# A load on another machine that has not been heard of for so long is dead.
SILENT_SECONDS = 60.0
BEAT_SECONDS = 10.0
# Of the loads of this process that go on: one whose writer was left is dead, although the process lives.
_GOING_ON: set[str] = set()


class StoredRows(TypedDict):
    """How many rows of a kind are stored, and the hash of them all."""

    count: int
    digest: str


class LoadOwner(TypedDict):
    """The process that loads."""

    token: str
    host: str
    pid: int
    beat: float
    """When it was last heard of."""


class LoadState(TypedDict):
    version: str
    owner: LoadOwner | None
    """`None` where it stopped before the end."""
    done: dict[str, StoredRows]
    plan: NotRequired[str]
    """Of a load by many at once, which counts no rows: what says which pieces there are."""
    pieces: NotRequired[dict[str, str]]
    """Of such a load: the hash of each piece that is stored."""


class Load:
    """`plan`: of a load by many at once. One of another plan, or of one process, is not continued but begun anew."""

    def __init__(self, client: Mongo, names: Names, plan: str | None = None) -> None:
        database = client[names.shop]
        # Journalled by most of a replica set: what is recorded as done must not be lost with a server.
        self._there = database.get_collection(MANIFEST, write_concern=WriteConcern("majority", j=True))
        self._names = names
        self._token = uuid.uuid4().hex
        self._plan = plan
        kept = self._there.find_one({"_id": LOAD})
        current = self._there.find_one({"_id": CURRENT}, {"version": 1})
        if kept is not None and current is not None and kept["version"] == current["version"]:
            self._there.delete_one({"_id": LOAD, "version": kept["version"]})
            kept = None
        if kept is not None and kept.get("plan") != plan:
            self._take_over(cast(LoadState, kept))
            self.end()
            kept = None
        self.continued = kept is not None
        state = self._begin() if kept is None else self._take_over(cast(LoadState, kept))
        self.version = state["version"]
        self.done = state["done"]
        self.pieces = state.get("pieces", {})
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
        if self._plan is not None:
            state["plan"] = self._plan
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

    def record_pieces(self, stored: dict[str, str]) -> None:
        """Record that these pieces are stored, by name with the hash of what is in them."""
        self.pieces |= stored
        self._set({**{f"pieces.{name}": digest for name, digest in stored.items()}, "owner": self._owner()})

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
