"""The reviews of a shop on servers: a collection that only a shop which keeps them has, by order id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from drr.env.content import batched
from drr.env.entities import KeptReview, Order
from drr.env.errors import ShopError
from drr.env.json_object import JsonObject
from drr.env.reviews import ReviewRow, ReviewsHash
from drr.env.servers.documents import order_of
from drr.env.servers.sending import Sending
from drr.env.shop import Manifest
from pymongo import ASCENDING

COLLECTION = "reviews"
_SENT, _ASKED = 1000, 500


class SentReviews:
    """All are sent again where a load is continued: what was stored before is replaced by itself."""

    def __init__(self, sending: Sending) -> None:
        self._sending = sending
        self.found = ReviewsHash()

    def write(self, batches: Iterable[Sequence[ReviewRow]]) -> int:
        self.found.begin()
        for batch in batched((row for rows in batches for row in rows), _SENT):
            self.found.add(batch)
            if self._sending.load is not None:
                self._sending.send(COLLECTION, [_document(row) for row in batch], (), None)
                self._check_orders([f"{row.order_id:016d}" for row in batch])
        self._sending.wait()
        return self.found.count

    def finish(self) -> None:
        """Finish the reviews. What an earlier load left goes where this one keeps none; else all must be there."""
        there = self._sending.collection(COLLECTION)
        if self.found.kept() is None:
            there.drop()
        elif (count := there.count_documents({})) != self.found.count:
            raise ShopError(
                f"reviews: {count:,} are there and {self.found.count:,} were written; nothing was published"
            )

    def _check_orders(self, ids: list[str]) -> None:
        known = self._sending.collection("orders").count_documents({"_id": {"$in": ids}})
        if known < len(ids):
            there = {one["_id"] for one in self._sending.collection("orders").find({"_id": {"$in": ids}})}
            lost = next(one for one in ids if one not in there)
            raise ShopError(f"reviews: one is of the order {lost}, which was not written")


def _document(row: ReviewRow) -> JsonObject:
    return {"_id": f"{row.order_id:016d}", "rating": row.rating, "title": row.title, "text": row.text}


class StoredReviews:
    """Reviews as a store reads them; nothing where the shop keeps none."""

    def __init__(self, there: Any, manifest: Manifest) -> None:
        self._there, self._kept = there, manifest.reviews is not None

    def of_orders(self, orders: Sequence[Order]) -> list[KeptReview]:
        found: dict[str, JsonObject] = {}
        for part in batched(orders, _ASKED) if self._kept else ():
            wanted = {"_id": {"$in": [order.order_id for order in part]}}
            found |= {one["_id"]: one for one in self._there.find(wanted)}
        return [_review(found[order.order_id], order) for order in orders if order.order_id in found]

    def every(self, orders_there: Any) -> Iterator[KeptReview]:
        """Yield reviews by order id; the orders of a batch are looked up together."""
        if not self._kept:
            return
        for part in batched(self._there.find({}).sort("_id", ASCENDING), _ASKED):
            wanted = {"_id": {"$in": [one["_id"] for one in part]}}
            orders = {one["_id"]: order_of(dict(one)) for one in orders_there.find(wanted)}
            yield from (_review(one, orders[one["_id"]]) for one in part if one["_id"] in orders)


def _review(document: JsonObject, order: Order) -> KeptReview:
    return KeptReview(
        order_id=order.order_id,
        user_id=order.user_id,
        product_id=order.product_id,
        date=order.order_date,
        rating=document["rating"],
        title=document["title"],
        text=document["text"],
    )
