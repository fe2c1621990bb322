"""Computes the content hash of a shop: of products, users, orders and `as_of`, the same on every backend.

Each kind is hashed in its one order (products and users by id; orders by user, newest first, then order id), so it does
not matter in which order records arrived or in which batches they are handed over. `product_url` is left out: it
depends on a setting of the reader, not on the shop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson
from drr.env.entities import RECORDED_STATUSES, Address, KeptReview, Order, Product, Slip, User, ms_from_iso
from drr.env.errors import ShopError
from pydantic import BaseModel, ConfigDict

# Big enough that a call costs nothing, small enough that nobody notices the memory.
BATCH = 10_000


class SlipRow(NamedTuple):
    recipient: str | None = None
    address1: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    country: str | None = None
    sold_as: str | None = None


class OrderColumns(NamedTuple):
    """A batch of orders in columns. `product` and `user` are positions among the products and users already written."""

    order_id: Sequence[int]
    product: Sequence[int]
    user: Sequence[int]
    timestamp_ms: Sequence[int]
    quantity: Sequence[int]
    status: Sequence[int]
    """Positions in `drr.env.entities.RECORDED_STATUSES`."""
    slips: Mapping[int, SlipRow] = MappingProxyType({})
    """The slips of the orders that have one, by order id."""

    @property
    def numbers(self) -> tuple[Sequence[int], ...]:
        """Return the columns of numbers, without the slips."""
        return (self.order_id, self.product, self.user, self.timestamp_ms, self.quantity, self.status)


class UserRow(NamedTuple):
    user_id: str
    email: str
    first_name: str
    last_name: str
    phone_number: str
    address1: str
    city: str
    state: str
    zip: str
    country: str = "US"
    account_status: str = "active"


def product_fields(product: Product) -> list[Any]:
    """Return every field of a product except its address, in the order of hashing."""
    return [
        product.product_id,
        product.title,
        product.features,
        product.description,
        product.price,
        product.store,
        product.categories,
        product.details,
        product.bought_together,
        product.average_rating,
        product.rating_number,
        product.main_category,
        product.category,
    ]


def product_bytes(products: Sequence[Product]) -> bytes:
    rows = orjson.dumps([product_fields(p) for p in products], option=orjson.OPT_SORT_KEYS)
    return rows[1:-1] + b"," if products else b""


def user_bytes(rows: Sequence[UserRow]) -> bytes:
    return orjson.dumps([tuple(row) for row in rows])[1:-1] + b"," if rows else b""


def order_bytes(columns: OrderColumns) -> bytes:
    """Return the bytes of a batch of orders for hashing. Products and users are given by position; their own hashes tie each position to an id."""
    import numpy as np

    return np.stack([np.asarray(column, dtype="<i8") for column in columns.numbers], axis=1).tobytes()


def slip_bytes(columns: OrderColumns) -> bytes:
    slips = columns.slips
    rows = [(number, *slips[number]) for number in map(int, columns.order_id) if number in slips]
    return orjson.dumps(rows)[1:-1] + b"," if rows else b""


def _latest(columns: OrderColumns) -> int:
    import numpy as np

    return int(np.max(columns.timestamp_ms))


class ContentHash:
    """The running content hash of a shop that is being written or read; call `digest` at the end."""

    def __init__(self) -> None:
        self._products, self._users, self._orders = sha256(), sha256(), sha256()
        self._slips: Any = None
        """The hash of the slips; `None` while no order has one, so that such shops keep the hash that they always had."""
        self.counts = {"products": 0, "users": 0, "orders": 0}
        self.last_order_ms: int | None = None

    def add_products(self, products: Sequence[Product]) -> None:
        self._add("products", product_bytes(products), len(products))

    def add_users(self, rows: Sequence[UserRow]) -> None:
        self._add("users", user_bytes(rows), len(rows))

    def add_orders(self, columns: OrderColumns) -> None:
        if not len(columns.order_id):
            return
        self._add("orders", order_bytes(columns), len(columns.order_id))
        if columns.slips:
            self._slips = self._slips or sha256()
            self._slips.update(slip_bytes(columns))
        latest = _latest(columns)
        self.last_order_ms = latest if self.last_order_ms is None else max(latest, self.last_order_ms)

    def _add(self, kind: str, rows: bytes, count: int) -> None:
        self._of(kind).update(rows)
        self.counts[kind] += count

    def prefix(self, kind: str) -> str:
        """Return the hash of all rows of this kind so far. A continued load checks by it that it gets the same rows."""
        digest: str = self._of(kind).hexdigest()
        return digest

    def _of(self, kind: str) -> Any:
        return {"products": self._products, "users": self._users, "orders": self._orders}[kind]

    def digest(self, as_of: str) -> str:
        parts = [h.hexdigest() for h in (self._products, self._users, self._orders)]
        if self._slips is not None:
            parts.append(self._slips.hexdigest())
        return sha256(orjson.dumps(["drr-content-1", *parts, as_of])).hexdigest()


def as_of_from(last_order_ms: int | None) -> str:
    """Return the day after the last order as a date; 1970-01-01 for a shop without orders."""
    from datetime import UTC, datetime, timedelta

    if last_order_ms is None:
        return "1970-01-01"
    last = datetime.fromtimestamp(last_order_ms / 1000, UTC).date()
    return (last + timedelta(days=1)).isoformat()


def user_row(user: User) -> UserRow:
    a = user.address
    return UserRow(
        user.user_id,
        user.email,
        user.first_name,
        user.last_name,
        user.phone_number,
        a.address1,
        a.city,
        a.state,
        a.zip,
        a.country,
        user.account_status,
    )


class Columns:
    """Converts orders, which name their product and user by id, into columns of positions.

    Orders arrive sorted by user id like the users themselves, so users are found by walking along; only product ids need a
    table.
    """

    def __init__(self, product_ids: Iterable[str], user_ids: Sequence[str]) -> None:
        self._product = {product_id: k for k, product_id in enumerate(product_ids)}
        self._users = user_ids
        self._at = 0

    def __call__(self, orders: Sequence[Order]) -> OrderColumns:
        status = {name: k for k, name in enumerate(RECORDED_STATUSES)}
        users: list[int] = []
        for order in orders:
            while self._users[self._at] != order.user_id:
                self._at += 1
            users.append(self._at)
        return OrderColumns(
            [int(o.order_id) for o in orders],
            [self._product[o.product_id] for o in orders],
            users,
            [ms_from_iso(o.order_date) for o in orders],
            [o.quantity for o in orders],
            [status[o.order_status] for o in orders],
            {int(o.order_id): slip_row(o.slip) for o in orders if o.slip is not None},
        )


def slip_row(slip: Slip) -> SlipRow:
    a, row = slip.address, SlipRow(recipient=slip.recipient, sold_as=slip.sold_as)
    if a is None:
        return row
    return row._replace(address1=a.address1, city=a.city, state=a.state, zip=a.zip, country=a.country)


def slip_of(row: SlipRow) -> Slip:
    recipient, address1, city, state, code, country, sold_as = row
    address = None
    if address1 is not None:
        address = Address.model_validate(
            {"address1": address1, "city": city, "state": state, "zip": code, "country": country}
        )
    return Slip(recipient=recipient, address=address, sold_as=sold_as)


def batched(items: Iterable[Any], size: int = BATCH) -> Iterator[list[Any]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def check_ascending(last: str, ids: list[str], kind: str) -> str:
    """Return the last of the ids, after checking that they ascend from the last batch. Every writer requires this order."""
    for one in ids:
        if one <= last:
            raise ShopError(
                f"{kind}: {one!r} comes after {last!r}; they are written in the order of their ids, each once"
            )
        last = one
    return last


def check_order_batch(
    last: tuple[int, int, int] | None, columns: OrderColumns, products: int, users: int
) -> tuple[int, int, int]:
    """Check that a batch of orders is sorted and names only products and users already written. Return its last sort key."""
    import numpy as np

    order_id, product, user, ts, *_ = (np.asarray(c, dtype=np.int64) for c in columns.numbers)
    if product.min() < 0 or product.max() >= products or user.min() < 0 or user.max() >= users:
        raise ShopError("orders: one names a product or user that was not written")
    if last is not None:
        user, ts, order_id = (
            np.concatenate(([a], b)) for a, b in zip(last, (user, ts, order_id), strict=True)
        )
    du, dt, di = np.diff(user), np.diff(ts), np.diff(order_id)
    if not np.all((du > 0) | ((du == 0) & ((dt < 0) | ((dt == 0) & (di > 0))))):
        raise ShopError("orders: they are written by user, then newest first, then order id, each once")
    return int(user[-1]), int(ts[-1]), int(order_id[-1])


class ReviewsKept(BaseModel):
    """The manifest's entry about the reviews that the shop keeps."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    count: int
    sha256: str
    """The hash of each review's rating, title and text, by order; the shop's content hash does not cover these."""


class ReviewRow(NamedTuple):
    order_id: int
    rating: float | None
    title: str
    text: str


class ReviewsHash:
    """The running hash of kept reviews, added in ascending order of order ids; the batch size does not matter."""

    def __init__(self) -> None:
        self._hash = sha256()
        self._last = -1
        self.count = 0
        self._fed = False

    def add(self, rows: Sequence[ReviewRow]) -> None:
        for row in rows:
            if row.order_id <= self._last:
                raise ShopError(
                    f"reviews: that of order {row.order_id:016d} comes after {self._last:016d}; they are written in "
                    "the order of their orders, one each"
                )
            self._last = row.order_id
            self._hash.update(orjson.dumps(tuple(row)) + b"\n")
        self.count += len(rows)

    def begin(self) -> None:
        """Note that the shop keeps reviews, even if no review follows."""
        self._fed = True

    def kept(self) -> ReviewsKept | None:
        return ReviewsKept(count=self.count, sha256=self._hash.hexdigest()) if self._fed else None


def review_row(review: KeptReview) -> ReviewRow:
    return ReviewRow(int(review.order_id), review.rating, review.title, review.text)


def check_reviews(stated: ReviewsKept | None, there: Iterable[KeptReview]) -> Iterator[str]:
    """Yield a sentence for each way in which the stored reviews differ from the manifest."""
    found = ReviewsHash()
    if stated is not None:
        found.begin()
    try:
        for review in there:
            found.add([review_row(review)])
    except ShopError as error:
        yield str(error)
        return
    if stated is None and found.count:
        yield f"There are {found.count:,} reviews and the manifest says that none are kept."
    elif stated is not None and found.kept() != stated:
        yield f"The {found.count:,} reviews are not the {stated.count:,} that were written: their hash is not the manifest's."
