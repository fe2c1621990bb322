"""Batches sent to both servers, in order, while the next is made."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from drr.env.errors import ShopError
from drr.env.servers import index
from drr.env.servers.connect import Servers
from drr.env.servers.load import Load, Names, collection
from pymongo import ReplaceOne, WriteConcern
from pymongo import errors as mongo

# A record waits for the server's journal, so it is made after so many batches.
RECORDED = 10
_WAITING = 1
_DUPLICATE = 11000
Document = Mapping[str, Any]


class Sending:
    """`load` is set when one begins; before that nothing may be sent."""

    def __init__(self, servers: Servers, names: Names) -> None:
        self.load: Load | None = None
        self._servers, self._names = servers, names
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="drr-load")
        self._under_way: deque[Future[None]] = deque()
        self._failed = False

    def close(self) -> None:
        self._thread.shutdown(cancel_futures=True)

    def collection(self, kind: str) -> Any:
        assert self.load is not None
        database = self._servers.mongo[self._names.shop]
        # What is recorded as stored must be with most of a replica set before, or a fail-over leaves a record of nothing.
        return database.get_collection(
            collection(kind, self.load.version), write_concern=WriteConcern("majority")
        )

    def send(
        self,
        kind: str,
        records: Sequence[Document],
        searched: Sequence[index.IndexRow] = (),
        reached: tuple[int, str] | None = None,
    ) -> None:
        """Hand a batch over. `reached`: its number and the hash of all up to it, recorded once it is acknowledged."""
        self.wait(_WAITING)
        self._under_way.append(self._thread.submit(self._send, kind, records, searched, reached))

    def wait(self, left: int = 0) -> None:
        """Wait until no more than so many batches are on their way; a failure is raised here."""
        while len(self._under_way) > left:
            with self._servers.speaking():
                self._under_way.popleft().result()

    def _send(
        self,
        kind: str,
        records: Sequence[Document],
        searched: Sequence[index.IndexRow],
        reached: tuple[int, str] | None,
    ) -> None:
        assert self.load is not None
        if self._failed:  # nothing behind a batch that is missing counts as stored
            return
        self._failed = True
        try:
            if self.load.continued:  # some of them may be there already
                self.collection(kind).bulk_write(
                    [ReplaceOne({"_id": one["_id"]}, one, upsert=True) for one in records], ordered=False
                )
            else:
                self.collection(kind).insert_many(records, ordered=False)
        except mongo.BulkWriteError as error:
            raise _refused(kind, records, error) from error
        if searched:
            index.bulk(self._servers, self._names.index(self.load.version), searched)
        if reached is not None:
            self.load.record(kind, *reached)
        self._failed = False


def _refused(kind: str, documents: Sequence[Document], error: mongo.BulkWriteError) -> Exception:
    """Say which document is wrong; that one occurs twice only where nothing else is."""
    failed = error.details["writeErrors"]
    others = [one for one in failed if one["code"] != _DUPLICATE]
    if failed and not others:
        return ShopError(
            f"{kind}: {documents[failed[0]['index']]['_id']} occurs twice; ids are unique in a shop"
        )
    if not others:
        (first, *_) = error.details["writeConcernErrors"]
        return mongo.OperationFailure(first.get("errmsg", ""), first["code"])
    return mongo.OperationFailure(
        f"{len(others)} of {len(documents)} {kind} were refused, the first {documents[others[0]['index']]['_id']}: "
        f"{others[0].get('errmsg', '')}",
        others[0]["code"],
    )
