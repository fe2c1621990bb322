"""Sends batches to both servers, in order, one while the next is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from drr.env.errors import ShopError
from drr.env.json_object import JsonObject
from drr.env.servers import index
from drr.env.servers.connect import Servers
from drr.env.servers.load import Load, Names, StoredBatches, collection_name
from pymongo import ReplaceOne, WriteConcern
from pymongo import errors as mongo

# A record waits for the server's journal, so it is made after so many batches. What is searched too takes longer, and a
# record is made of each.
RECORDED = 10
_DUPLICATE = 11000
Document = Mapping[str, Any]


class Sending:
    def __init__(self, servers: Servers, names: Names, load: Load) -> None:
        self._servers, self.load = servers, load
        self._index = names.index(load.version)
        self._database = servers.mongo[names.shop]
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="drr-load")
        self._under_way: Future[None] | None = None

    def close(self) -> None:
        self._thread.shutdown()

    def collection(self, kind: str) -> Any:
        # What is recorded as stored must be with most of a replica set before, or a fail-over leaves a record of nothing.
        return self._database.get_collection(
            collection_name(kind, self.load.version), write_concern=WriteConcern("majority")
        )

    def send(
        self, kind: str, records: Sequence[Document], searched: Sequence[JsonObject], reached: StoredBatches
    ) -> None:
        """Send a batch in the background. `reached` is recorded once both servers acknowledged the batch."""
        self.wait()
        self._under_way = self._thread.submit(self._send, kind, records, searched, reached)

    def wait(self) -> None:
        """Wait for the batch on its way, and raise its failure if any. No batch is sent after a missing one."""
        if self._under_way is not None:
            sent, self._under_way = self._under_way, None
            with self._servers.speaking():
                sent.result()

    def _send(
        self, kind: str, records: Sequence[Document], searched: Sequence[JsonObject], reached: StoredBatches
    ) -> None:
        try:
            if self.load.continued:  # some of them may be there already
                replaced = [ReplaceOne({"_id": one["_id"]}, one, upsert=True) for one in records]
                self.collection(kind).bulk_write(replaced, ordered=False)
            else:
                self.collection(kind).insert_many(records, ordered=False)
        except mongo.BulkWriteError as error:
            raise _refused_document(kind, records, error) from error
        if searched:
            index.bulk_write(self._servers, self._index, searched)
        if searched or reached["batches"] % RECORDED == 0:
            self.load.record(kind, reached)


def _refused_document(kind: str, documents: Sequence[Document], error: mongo.BulkWriteError) -> Exception:
    """Return an error about the refused document. A duplicate is named only if there is no other fault."""
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
