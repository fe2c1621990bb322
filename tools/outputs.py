"""A tool's answer for a program: its sources, its data, and the JSON Schema of the two.

Sources are built without validation, which would cost more than the store does; a test holds them to what validation accepts.
"""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from drr.env.entities import Order, Product, User
from drr.env.json_object import JsonObject
from drr.env.source import Source
from drr.tools.base import ToolAnswer
from pydantic import Field, TypeAdapter
from typing_extensions import TypedDict


class ProductRecord(Product):
    """A product as the shop keeps it."""

    id_: str = Field(alias="_id")


class UserRecord(User):
    """A shopper as the shop keeps them."""

    id_: str = Field(alias="_id")


class AnswerSource(TypedDict):
    """An address that may be cited, and the hash of the words that were shown of it."""

    url: str
    type: str
    title: str | None
    sha256: str


def cited(answer: ToolAnswer) -> list[AnswerSource]:
    return [
        {"url": source.url, "type": source.type, "title": source.title, "sha256": source.sha256}
        for source in answer.sources
    ]


def structured(answer: ToolAnswer) -> JsonObject:
    """An answer as `output_schema` describes it."""
    return {"data": answer.data, "sources": cited(answer)}


@cache
def output_schema(data: Any) -> JsonObject:
    """Describe answers whose `data` is of this type. Open, because data may grow."""
    answer = cast(Any, TypedDict)("Answer", {"data": data, "sources": list[AnswerSource]})
    return cast(JsonObject, plain(TypeAdapter(answer).json_schema(mode="serialization")))


def plain(part: Any, names: bool = False) -> Any:
    """A schema without titles, which repeat the names, and open."""
    if isinstance(part, dict):
        dropped = () if names else ("title", "additionalProperties")
        kept = {key: value for key, value in part.items() if key not in dropped}
        if not names and isinstance(extra := part.get("additionalProperties"), dict):
            kept["additionalProperties"] = extra
        return {key: plain(value, key in ("properties", "$defs")) for key, value in kept.items()}
    return [plain(item) for item in part] if isinstance(part, list) else part


_FIELDS = frozenset(Source.model_fields)


def _source(url: str, kind: str, title: str, seen: str, record: JsonObject) -> Source:
    """Make a source as `model_construct` does, without its look at every field."""
    source = Source.__new__(Source)
    values = {
        "url": url,
        "type": kind,
        "title": title,
        "seen": seen,
        "page": None,
        "page_status": None,
        "record": record,
    }
    _set(source, "__dict__", values)
    _set(source, "__pydantic_fields_set__", set(_FIELDS))
    _set(source, "__pydantic_extra__", None)
    _set(source, "__pydantic_private__", None)
    return source


_set = object.__setattr__


def product_record(product: Product) -> JsonObject:
    """`product.document()` without its deep copy: the entity is frozen and was read for this one answer."""
    return {"_id": product.product_id, **product.__dict__}


def order_record(order: Order) -> JsonObject:
    return {"_id": order.order_id, **order.__dict__}


def user_record(user: User) -> JsonObject:
    return {"_id": user.user_id, **user.__dict__, "address": dict(user.address.__dict__)}


def product_source(product: Product, seen: str) -> Source:
    return _source(product.product_url, "product", product.title, seen, product_record(product))


def order_sources(address: str, order: Order, product: Product | None, seen: str) -> list[Source]:
    """The order, and the product it names: what an answer says of a product may be cited as the product's."""
    title = f"Order {order.order_id}: {product.title}" if product else f"Order {order.order_id}"
    record = {
        **order_record(order),
        "product_url": product.product_url if product else None,
        "product_title": product.title if product else None,
        "product_price": product.price if product else None,
    }
    found = [_source(address + order.order_id, "user", title, seen, record)]
    return found if product is None else [*found, product_source(product, seen)]


def profile_source(user: User, address: str, seen: str) -> Source:
    return _source(address, "user", f"Profile of {user.first_name} {user.last_name}", seen, user_record(user))


def statistics_source(address: str, seen: str, record: JsonObject) -> Source:
    return _source(address, "user", "Order statistics", seen, record)
