"""Records in MongoDB. The client is shared by threads; nothing else is kept between calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from heapq import nsmallest
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from drr.env.content import ReviewRow, ReviewsHash, batched
from drr.env.entities import KeptReview, Order, OrderStatus, Product, User, bound_ms, iso_from_ms, ms_from_iso
from drr.env.errors import ShopError
from drr.env.json_object import JsonObject
from drr.env.servers.connect import Servers
from drr.env.servers.documents import order_of, product_of, user_of
from drr.env.servers.load import CURRENT, MANIFEST, Names, collection
from drr.env.servers.sending import Sending
from drr.env.shop import IdKind, Manifest, OrderPage
from drr.env.statistics import Purchase, UserStatistics, user_statistics
from drr.env.text import is_text, nearest, person_key, sample_key
from pymongo import ASCENDING, DESCENDING
from pymongo import errors as mongo

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
                self._sending.send(COLLECTION, [_document(row) for row in batch])
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


ORDER_OF_ORDERS = [("user_id", ASCENDING), ("order_date", DESCENDING), ("_id", ASCENDING)]
INDEXES = {
    "products": [],
    "users": [
        [("find.email", ASCENDING), ("_id", ASCENDING)],
        [("find.name", ASCENDING), ("_id", ASCENDING)],
    ],
    "orders": [ORDER_OF_ORDERS],
}
_BATCH = 2000
_IN = 500

P = ParamSpec("P")
R = TypeVar("R")


def _speaking(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """A method whose failures on the way to the server are sentences."""

    @wraps(method)
    def call(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(self, *args, **kwargs)
        except mongo.PyMongoError:
            with self.servers.speaking():
                raise

    return cast("Callable[Concatenate[Any, P], R]", call)


class ServersStore:
    def __init__(
        self, servers: Servers, names: Names, version: str, manifest: Manifest, shop_url: str
    ) -> None:
        self.servers, self._names, self._version, self._manifest = servers, names, version, manifest
        self._url = shop_url.rstrip("/") + "/"
        self._database = servers.mongo[names.shop]
        self.products_there = self._database[collection("products", version)]
        self.users_there = self._database[collection("users", version)]
        self.orders_there = self._database[collection("orders", version)]
        self._reviews = StoredReviews(self._database[collection(COLLECTION, version)], manifest)

    def _still_current(self) -> None:
        """A dropped collection answers like an empty one: before something is said to be missing, look."""
        current = self._database[MANIFEST].find_one({"_id": CURRENT}, {"version": 1})
        if current is None or current["version"] != self._version:
            raise ShopError(f"servers:{self._names.shop}: the shop was replaced while open; open it again")

    @_speaking
    def product(self, product_id: str) -> Product | None:
        document = self.products_there.find_one({"_id": product_id}) if is_text(product_id) else None
        if document is None:
            self._still_current()
            return None
        return product_of(document, self._url)

    @_speaking
    def products(self, product_ids: Sequence[str]) -> list[Product]:
        wanted = [product_id for product_id in dict.fromkeys(product_ids) if is_text(product_id)]
        found: dict[str, Product] = {}
        for first in range(0, len(wanted), _IN):
            for document in self.products_there.find({"_id": {"$in": wanted[first : first + _IN]}}):
                product = product_of(document, self._url)
                found[product.product_id] = product
        if len(found) < len(wanted):
            self._still_current()
        return [found[product_id] for product_id in product_ids if product_id in found]

    @_speaking
    def user(self, user_id: str) -> User | None:
        document = self.users_there.find_one({"_id": user_id}) if is_text(user_id) else None
        if document is None:
            self._still_current()
            return None
        return user_of(document)

    @_speaking
    def find_users(
        self, *, email: str | None = None, name: tuple[str, str] | None = None, limit: int = 50
    ) -> list[User]:
        wanted: JsonObject = {}
        if email is not None:
            wanted["find.email"] = person_key(email)
        if name is not None:
            wanted["find.name"] = person_key(*name)
        if not wanted or limit <= 0 or not all(map(is_text, wanted.values())):
            return []
        users = [user_of(d) for d in self.users_there.find(wanted).sort("_id", ASCENDING).limit(limit)]
        if not users:
            self._still_current()
        return users

    @_speaking
    def order(self, order_id: str) -> Order | None:
        document = self.orders_there.find_one({"_id": order_id}) if is_text(order_id) else None
        if document is None:
            self._still_current()
            return None
        return order_of(document)

    @_speaking
    def orders(
        self,
        user_id: str,
        *,
        status: OrderStatus | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> OrderPage:
        if offset < 0 or (limit is not None and limit < 0):
            raise ValueError("limit and offset are not negative")
        wanted = _order_filter(user_id, status, since, until)
        if not is_text(user_id):
            return OrderPage([], 0)
        items: list[Order] = []
        if limit != 0:
            cursor = self.orders_there.find(wanted).sort(ORDER_OF_ORDERS[1:]).skip(offset).limit(limit or 0)
            items = [order_of(document) for document in cursor]
        if items and (limit is None or len(items) < limit):
            total = offset + len(items)
        else:
            total = self.orders_there.count_documents(wanted)
        if total == 0:
            self._still_current()
        return OrderPage(items, total)

    @_speaking
    def statistics(self, user_id: str) -> UserStatistics | None:
        if self.user(user_id) is None:
            return None
        orders = list(
            self.orders_there.find(
                {"user_id": user_id},
                {"_id": 0, "order_date": 1, "quantity": 1, "order_status": 1, "product_id": 1},
            )
        )
        if not orders:
            self._still_current()
        product_ids = list({order["product_id"] for order in orders})
        known: dict[str, JsonObject] = {}
        for first in range(0, len(product_ids), _IN):
            for document in self.products_there.find(
                {"_id": {"$in": product_ids[first : first + _IN]}}, {"price": 1, "category": 1, "store": 1}
            ):
                known[document["_id"]] = document
        if len(known) < len(product_ids):
            self._still_current()
        purchases = []
        for order in orders:
            product = known[order["product_id"]]
            purchases.append(
                Purchase(
                    ms_from_iso(order["order_date"]),
                    order["quantity"],
                    order["order_status"],
                    product["price"],
                    product["category"],
                    product["store"],
                )
            )
        return user_statistics(user_id, purchases, self._manifest.as_of)

    @_speaking
    def reviews(self, user_id: str) -> list[KeptReview]:
        return self._reviews.of_orders(self.orders(user_id).items)

    def iter_reviews(self) -> Iterator[KeptReview]:
        with self.servers.speaking():
            yield from self._reviews.every(self.orders_there)

    @_speaking
    def near(self, kind: IdKind, key: str, limit: int = 3) -> list[str]:
        if not is_text(key):
            return []
        there = {"product": self.products_there, "user": self.users_there, "order": self.orders_there}[kind]
        found: list[str] = []
        for compare, direction in (("$gte", ASCENDING), ("$lt", DESCENDING)):
            cursor = there.find({"_id": {compare: key}}, {"_id": 1}).sort("_id", direction).limit(limit)
            found += [document["_id"] for document in cursor]
        return nearest(key, found, limit)

    def iter_products(self) -> Iterator[Product]:
        for document in self._each(self.products_there, [("_id", ASCENDING)], "products"):
            yield product_of(document, self._url)

    def iter_users(self) -> Iterator[User]:
        for user, _ in self.iter_found_users():
            yield user

    def iter_found_users(self) -> Iterator[tuple[User, JsonObject | None]]:
        """Each with what look-ups compare, as it is stored."""
        for document in self._each(self.users_there, [("_id", ASCENDING)], "users"):
            find = document.get("find")
            yield user_of(document), find

    def iter_orders(self) -> Iterator[Order]:
        for document in self._each(self.orders_there, ORDER_OF_ORDERS, "orders"):
            yield order_of(document)

    def _each(self, there: Any, order: list[tuple[str, int]], kind: str) -> Iterator[JsonObject]:
        """All of a collection; an end that comes too early is an error and not an end."""
        seen = 0
        with self.servers.speaking():
            for document in there.find({}, batch_size=_BATCH).sort(order):
                seen += 1
                yield document
            if seen < self._manifest.counts[kind]:
                self._still_current()

    @_speaking
    def sample_users(self, count: int, *, seed: int, min_orders: int = 1) -> list[str]:
        rows: Iterator[JsonObject]
        if min_orders <= 0:
            rows = self.users_there.find({}, {"_id": 1}, batch_size=_BATCH * 10)
        else:
            rows = self.orders_there.aggregate(
                [
                    {"$group": {"_id": "$user_id", "orders": {"$sum": 1}}},
                    {"$match": {"orders": {"$gte": min_orders}}},
                ],
                allowDiskUse=True,
            )
        keyed = [(sample_key(seed, row["_id"]), row["_id"]) for row in rows]
        if not keyed:
            self._still_current()
        return [user_id for _, user_id in nsmallest(max(count, 0), keyed)]


def _order_filter(
    user_id: str, status: OrderStatus | None, since: str | None, until: str | None
) -> JsonObject:
    wanted: JsonObject = {"user_id": user_id}
    if status is not None:
        wanted["order_status"] = status
    window = {}
    if since is not None:
        window["$gte"] = iso_from_ms(bound_ms(since))
    if until is not None:
        window["$lt"] = iso_from_ms(bound_ms(until))
    if window:
        wanted["order_date"] = window
    return wanted
