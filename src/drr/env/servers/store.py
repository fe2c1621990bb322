"""Reads records from MongoDB. Threads share the client; nothing else is kept between calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from heapq import nsmallest
from typing import Any, TypeVar, cast

from drr.env.content import batched
from drr.env.entities import KeptReview, Order, OrderStatus, Product, User, bound_ms, iso_from_ms, ms_from_iso
from drr.env.errors import ShopError
from drr.env.json_object import JsonObject
from drr.env.servers.connect import Servers
from drr.env.servers.documents import order_of, product_of, review_of, user_of
from drr.env.servers.load import CURRENT, KINDS, MANIFEST, REVIEWS, Names, collection_name
from drr.env.shop import IdKind, Manifest, OrderPage
from drr.env.statistics import Purchase, UserStatistics, user_statistics
from drr.env.text import is_text, nearest, person_key, sample_key
from pymongo import ASCENDING, DESCENDING

ORDER_OF_ORDERS = [("user_id", ASCENDING), ("order_date", DESCENDING), ("_id", ASCENDING)]
INDEXES = {
    "users": [
        [("find.email", ASCENDING), ("_id", ASCENDING)],
        [("find.name", ASCENDING), ("_id", ASCENDING)],
    ],
    "orders": [ORDER_OF_ORDERS],
}
_READ = 2000
_ASKED = 500

M = TypeVar("M", bound=Callable[..., Any])
T = TypeVar("T")


def _speaking(method: M) -> M:
    """Wrap a method so that failures of the connection become `ServerFailure`."""

    @wraps(method)
    def call(self: ServersStore, *args: Any, **kwargs: Any) -> Any:
        with self.servers.speaking():
            return method(self, *args, **kwargs)

    return cast("M", call)


class ServersStore:
    def __init__(
        self, servers: Servers, names: Names, version: str, manifest: Manifest, shop_url: str
    ) -> None:
        self.servers, self._names, self._version, self._manifest = servers, names, version, manifest
        self._url = shop_url
        self._database = servers.mongo[names.shop]
        self.there = {kind: self._database[collection_name(kind, version)] for kind in (*KINDS, REVIEWS)}

    def _still_current(self) -> None:
        """Raise an error if the shop was replaced. A dropped collection answers like an empty one, so this runs before a record is called missing."""
        current = self._database[MANIFEST].find_one({"_id": CURRENT}, {"version": 1})
        if current is None or current["version"] != self._version:
            raise ShopError(f"servers:{self._names.shop}: the shop was replaced while open; open it again")

    def _one(self, kind: str, key: str, read: Callable[[JsonObject], T]) -> T | None:
        document = self.there[kind].find_one({"_id": key}) if is_text(key) else None
        if document is None:
            self._still_current()
            return None
        return read(document)

    def _find_records(
        self, kind: str, keys: Iterable[str], fields: dict[str, int] | None = None
    ) -> dict[str, JsonObject]:
        """Find records by their ids; missing ones are left out."""
        wanted = [key for key in dict.fromkeys(keys) if is_text(key)]
        found: dict[str, JsonObject] = {}
        for part in batched(wanted, _ASKED):
            found |= {one["_id"]: one for one in self.there[kind].find({"_id": {"$in": part}}, fields)}
        if len(found) < len(wanted):
            self._still_current()
        return found

    def _read_product(self, document: JsonObject) -> Product:
        return product_of(document, self._url)

    @_speaking
    def product(self, product_id: str) -> Product | None:
        return self._one("products", product_id, self._read_product)

    @_speaking
    def products(self, product_ids: Sequence[str]) -> list[Product]:
        there = self._find_records("products", product_ids)
        found = {product_id: self._read_product(document) for product_id, document in there.items()}
        return [found[product_id] for product_id in product_ids if product_id in found]

    @_speaking
    def user(self, user_id: str) -> User | None:
        return self._one("users", user_id, user_of)

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
        users = [user_of(d) for d in self.there["users"].find(wanted).sort("_id", ASCENDING).limit(limit)]
        if not users:
            self._still_current()
        return users

    @_speaking
    def order(self, order_id: str) -> Order | None:
        return self._one("orders", order_id, order_of)

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
            cursor = (
                self.there["orders"].find(wanted).sort(ORDER_OF_ORDERS[1:]).skip(offset).limit(limit or 0)
            )
            items = [order_of(document) for document in cursor]
        if items and (limit is None or len(items) < limit):
            total = offset + len(items)
        else:
            total = self.there["orders"].count_documents(wanted)
        if total == 0:
            self._still_current()
        return OrderPage(items, total)

    @_speaking
    def statistics(self, user_id: str) -> UserStatistics | None:
        if self.user(user_id) is None:
            return None
        fields = ("order_date", "quantity", "order_status", "product_id")
        orders = list(self.there["orders"].find({"user_id": user_id}, dict.fromkeys(fields, 1)))
        if not orders:
            self._still_current()
        of_product = {"price": 1, "category": 1, "store": 1}
        known = self._find_records("products", (order["product_id"] for order in orders), of_product)
        purchases = [
            Purchase(
                ms_from_iso(order["order_date"]),
                order["quantity"],
                order["order_status"],
                *(known[order["product_id"]][name] for name in of_product),
            )
            for order in orders
        ]
        return user_statistics(user_id, purchases, self._manifest.as_of)

    @_speaking
    def reviews(self, user_id: str) -> list[KeptReview]:
        if self._manifest.reviews is None:
            return []
        orders = self.orders(user_id).items
        found = self._find_records(REVIEWS, (order.order_id for order in orders))
        return [review_of(found[order.order_id], order) for order in orders if order.order_id in found]

    @_speaking
    def near(self, kind: IdKind, key: str, limit: int = 3) -> list[str]:
        if not is_text(key):
            return []
        there = self.there[f"{kind}s"]
        found: list[str] = []
        for compare, direction in (("$gte", ASCENDING), ("$lt", DESCENDING)):
            cursor = there.find({"_id": {compare: key}}, {"_id": 1}).sort("_id", direction).limit(limit)
            found += [document["_id"] for document in cursor]
        return nearest(key, found, limit)

    def iter_products(self) -> Iterator[Product]:
        return map(self._read_product, self._all_documents("products"))

    def iter_users(self) -> Iterator[User]:
        return map(user_of, self._all_documents("users"))

    def iter_users_with_lookup_keys(self) -> Iterator[tuple[User, JsonObject | None]]:
        """Yield each user with the stored keys that look-ups compare."""
        for document in self._all_documents("users"):
            find = document.get("find")
            yield user_of(document), find

    def iter_orders(self) -> Iterator[Order]:
        return map(order_of, self._all_documents("orders", ORDER_OF_ORDERS))

    def iter_reviews(self) -> Iterator[KeptReview]:
        """Yield reviews by order id; the orders of a batch are looked up together."""
        kept = self._manifest.reviews is not None
        for part in batched(self._all_documents(REVIEWS), _ASKED) if kept else ():
            with self.servers.speaking():
                there = self._find_records("orders", (one["_id"] for one in part))
            orders = {key: order_of(document) for key, document in there.items()}
            yield from (review_of(one, orders[one["_id"]]) for one in part if one["_id"] in orders)

    def _all_documents(
        self, kind: str, order: Sequence[tuple[str, int]] = (("_id", ASCENDING),)
    ) -> Iterator[JsonObject]:
        """Yield all documents of a collection. An early end raises an error."""
        seen = 0
        with self.servers.speaking():
            for document in self.there[kind].find({}, batch_size=_READ).sort(order):
                seen += 1
                yield document
            if seen < self._manifest.counts.get(kind, 0):
                self._still_current()

    @_speaking
    def sample_users(self, count: int, *, seed: int, min_orders: int = 1) -> list[str]:
        rows: Iterator[JsonObject]
        if min_orders <= 0:
            rows = self.there["users"].find({}, {"_id": 1}, batch_size=_READ * 10)
        else:
            rows = self.there["orders"].aggregate(
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
