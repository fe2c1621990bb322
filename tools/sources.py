"""The citable part of an answer: the address, the words the model saw, and the record behind them.

Built without validation, which would cost more than the store does; a test holds them to what validation accepts.
"""

from __future__ import annotations

from drr.env.entities import Order, Product, User
from drr.env.json_object import JsonObject
from drr.env.source import Source

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
