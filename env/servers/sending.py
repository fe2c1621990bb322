"""Batches sent to the servers while the next is made, acknowledged in the order in which they were handed over."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from drr.env.errors import ShopError
from drr.env.json_object import JsonObject
from drr.env.servers import index
from drr.env.servers.connect import Servers
from drr.env.servers.load import Load, Names, collection
from pymongo import ReplaceOne, WriteConcern
from pymongo import errors as mongo

# So many batches at once: while a server stores one, the next is already with it.
SENDING = 2
# How far a load is, is recorded after so many: a record waits for the server's journal.
RECORDED = 10_000
_DUPLICATE = 11000


class Sending:
    """`load` is set when one begins; before that nothing may be sent."""

    def __init__(self, servers: Servers, names: Names) -> None:
        self.load: Load | None = None
        self._servers = servers
        self._names = names
        self._threads = ThreadPoolExecutor(SENDING, thread_name_prefix="drr-load")
        self._under_way: deque[Future[None]] = deque()
        self._recorded: dict[str, int] = {}

    def begin(self, load: Load) -> None:
        self.load = load
        self._recorded = {kind: done["count"] for kind, done in load.done.items()}

    def close(self) -> None:
        self._threads.shutdown(cancel_futures=True)

    def collection(self, kind: str) -> Any:
        assert self.load is not None
        database = self._servers.mongo[self._names.shop]
        # What is recorded as stored must be with most of a replica set before, or a fail-over leaves a record of nothing.
        return database.get_collection(
            collection(kind, self.load.version), write_concern=WriteConcern("majority")
        )

    def is_due(self, kind: str, count: int) -> bool:
        """Tell whether so many of a kind are worth a record of how far the load is."""
        return count - self._recorded.get(kind, 0) >= RECORDED

    def send(
        self,
        kind: str,
        records: Sequence[Mapping[str, Any]],
        searched: Sequence[index.IndexRow],
        reached: tuple[int, str] | None,
    ) -> None:
        """Hand a batch over; it counts as stored when all of it, and of those before it, was acknowledged.

        `reached` is the count and digest to be recorded then, `None` where none is due.
        """
        load = self.load
        assert load is not None
        self.wait(SENDING - 1)
        before = list(self._under_way)

        def send() -> None:
            self._insert(kind, records)
            if searched:
                index.bulk(self._servers, self._names.index(load.version), searched)
            if reached is not None:
                for earlier in before:
                    earlier.result()
                load.record(kind, *reached)

        if reached is not None:
            self._recorded[kind] = reached[0]
        self._under_way.append(self._threads.submit(send))

    def record_end(self, kind: str, count: int, digest: str) -> None:
        if self.load is not None and count > self._recorded.get(kind, 0):
            self.load.record(kind, count, digest)

    def wait(self, left: int = 0) -> None:
        """Wait until no more than so many batches are on their way; a failure is raised here."""
        while len(self._under_way) > left:
            with self._servers.speaking():
                self._under_way.popleft().result()

    def _insert(self, kind: str, documents: Sequence[Mapping[str, Any]]) -> None:
        store(self.collection(kind), kind, documents, again=bool(self.load and self.load.continued))


def store(there: Any, kind: str, documents: Sequence[Mapping[str, Any]], *, again: bool) -> None:
    """`again`: those of a batch that an interrupted load had already stored are replaced."""
    try:
        there.insert_many(documents, ordered=False)
    except mongo.BulkWriteError as error:
        stored = [documents[one["index"]] for one in _stored_before(kind, documents, error, again=again)]
        there.bulk_write([ReplaceOne({"_id": d["_id"]}, d) for d in stored], ordered=False)


def _stored_before(
    kind: str, documents: Sequence[Mapping[str, Any]], error: mongo.BulkWriteError, *, again: bool
) -> list[JsonObject]:
    """List what the server had already, if that is all that is wrong and an interrupted load explains it."""
    failed: list[JsonObject] = error.details["writeErrors"]
    unpromised = error.details.get("writeConcernErrors")
    others = [one for one in failed if one["code"] != _DUPLICATE]
    if others:
        raise mongo.OperationFailure(
            f"{len(others)} of {len(documents)} {kind} were refused, the first {documents[others[0]['index']]['_id']}: "
            f"{others[0].get('errmsg', '')}",
            others[0]["code"],
        ) from error
    if failed and not again:
        raise ShopError(
            f"{kind}: {documents[failed[0]['index']]['_id']} occurs twice; ids are unique in a shop"
        ) from None
    if unpromised:
        raise mongo.OperationFailure(unpromised[0].get("errmsg", ""), unpromised[0]["code"]) from error
    return failed
