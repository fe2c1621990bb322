"""The marketplace's entities, with the field names of the paper's Listings 1-3. Unknown is `None`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Literal, get_args
from urllib.parse import quote

from drr.env.json_object import JsonObject
from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer

OrderStatus = Literal["Delivered", "Shipped", "Processing", "Cancelled", "Returned"]
ORDER_STATUSES: tuple[OrderStatus, ...] = get_args(OrderStatus)
RecordedStatus = Literal[OrderStatus, "Unknown"]
"""The status of a stored order; that of a shop whose files tell none is unknown."""
RECORDED_STATUSES: tuple[RecordedStatus, ...] = (*ORDER_STATUSES, "Unknown")
AccountStatus = Literal["active", "suspended", "closed"]


class Entity(BaseModel):
    """A record of the shop. It is frozen, because a session's writes go to the session's own overlay and never to a shared record."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Address(Entity):
    address1: str
    city: str
    state: str
    zip: str
    country: str = "US"


class User(Entity):
    user_id: str
    email: str
    first_name: str
    last_name: str
    phone_number: str
    address: Address
    account_status: AccountStatus = "active"

    def document(self) -> JsonObject:
        """Return the user in the paper's JSON form, `_id` first."""
        return {"_id": self.user_id, **self.model_dump()}


class Slip(Entity):
    """The delivery slip of an order: what differs from the shopper's profile and from the product's listing today."""

    recipient: str | None = None
    """The name of the person to whom a gift went; `None` for the shopper."""
    address: Address | None = None
    """The address to which it went; `None` for that of the profile."""
    sold_as: str | None = None
    """The name and the value under which the product was sold."""


class Order(Entity):
    order_id: str
    product_id: str
    user_id: str
    order_date: str
    """ISO 8601 in UTC with milliseconds and no offset, e.g. `2022-02-22T06:07:21.735`."""
    quantity: int = 1
    order_status: RecordedStatus = "Delivered"
    slip: Slip | None = None

    @model_serializer(mode="wrap")
    def _without_slip(self, written: SerializerFunctionWrapHandler) -> JsonObject:
        """Serialise the order. One without a slip has the form that it always had."""
        row: JsonObject = written(self)
        if self.slip is None:
            row.pop("slip", None)
        return row

    @property
    def placed_at(self) -> datetime:
        return datetime.fromisoformat(self.order_date).replace(tzinfo=UTC)

    def document(self) -> JsonObject:
        """Return the order in the paper's JSON form, `_id` first."""
        return {"_id": self.order_id, **self.model_dump()}


class KeptReview(Entity):
    """A shopper's own review of an order. It is kept only if an ingest was asked to keep reviews, and no tool shows it."""

    order_id: str
    user_id: str
    product_id: str
    date: str
    """The date of the review, in the form of `Order.order_date`."""
    rating: float | None
    title: str
    text: str


class Product(Entity):
    product_id: str
    product_url: str
    """`product_address` of the id: filled in by the store on reading, neither stored nor part of the content hash."""
    title: str
    features: list[str]
    description: list[str]
    price: float | None
    store: str | None
    categories: list[str]
    details: JsonObject
    bought_together: list[str] | None = None
    average_rating: float | None = None
    rating_number: int | None = None
    main_category: str | None = None
    category: str
    """The file the product came from, e.g. `Pet_Supplies`; `main_category` is the seller's and often differs."""

    def __hash__(self) -> int:
        """Hash the product, so that results computed from it, such as its words, can be cached by the product."""
        return hash(self.product_id)

    def document(self) -> JsonObject:
        """Return the product in the paper's JSON form, `_id` first."""
        return {"_id": self.product_id, **self.model_dump()}


def product_address(shop_url: str, product_id: str) -> str:
    """Return `{shop_url}/{product_id}`; signs that would end or split an address are written in percent form."""
    return f"{shop_url.rstrip('/')}/{quote(product_id, safe='')}"


def iso_from_ms(timestamp_ms: int) -> str:
    """Format a time in milliseconds as the date of an order."""
    seconds, rest = divmod(timestamp_ms, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC).isoformat()[:19]}.{rest:03d}"


def ms_from_iso(order_date: str) -> int:
    return round(datetime.fromisoformat(order_date).replace(tzinfo=UTC).timestamp() * 1000)


def bound_ms(bound: str) -> int:
    """Return a time limit in milliseconds from an ISO date or date-time, in UTC unless it states an offset. Raises `ValueError` for other text."""
    moment = datetime.fromisoformat(bound)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    # Rounded up: a date-time between two milliseconds lets in what comes after it.
    microseconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    return -(-microseconds // 1000)
