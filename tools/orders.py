"""Order management."""

from __future__ import annotations

from typing import Annotated

from drr.env.entities import Order, OrderStatus, Product
from drr.env.json_object import JsonObject
from drr.env.records.lines import one_line
from drr.env.records.order import order_page, order_row
from drr.env.source import Source
from drr.tools.access import UserId, near, owner
from drr.tools.base import ToolAnswer, ToolContext, ToolError
from drr.tools.sources import order_sources, product_record, user_record
from pydantic import Field, StringConstraints
from typing_extensions import TypedDict


def get_user_orders(
    ctx: ToolContext,
    user_id: UserId = None,
    status: Annotated[OrderStatus | None, Field(description="Only orders with this status.")] = None,
    limit: Annotated[int, Field(ge=1, le=100, description="Most orders to return.")] = 20,
    offset: Annotated[int, Field(ge=0, le=1_000_000, description="Orders to skip, for the next page.")] = 0,
) -> ToolAnswer:
    """Get a user's order history, newest first: date, status, quantity, product and its current price in the shop."""
    user = owner(ctx, user_id)
    shop = ctx.session.shop
    page = shop.store.orders(user.user_id, status=status, limit=limit, offset=offset)
    kind = f"{status} orders" if status else "orders"
    if not page.items:
        text = (
            f"No {kind}"
            if not page.total
            else f"No {kind} after the first {offset:,} ({page.total:,} in all)"
        )
        return ToolAnswer(text + f" of {user.user_id}.", (), {"items": [], "total": page.total})
    ids = list(dict.fromkeys(order.product_id for order in page.items))
    products = {product.product_id: product for product in shop.store.products(ids)}
    rows = [order_row(order, products.get(order.product_id)) for order in page.items]
    address = f"user://{user.user_id}/orders/"
    heading = (
        f"{kind[0].upper()}{kind[1:]} {offset + 1}-{offset + len(rows)} of {page.total:,}, newest first, at the shop's"
        f" current prices. Cite {address}<order> and {shop.shop_url.rstrip('/')}/<product>"
    )
    sources: dict[str, Source] = {}
    for order, row in zip(page.items, rows, strict=True):
        for source in order_sources(address, order, products.get(order.product_id), row):
            sources.setdefault(source.url, source)
    return ToolAnswer(
        "\n".join([heading, *rows]),
        list(sources.values()),
        {
            "items": [_item(address, order, products.get(order.product_id)) for order in page.items],
            "total": page.total,
        },
    )


def get_order_details(
    ctx: ToolContext,
    order_id: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=200),
        Field(description="The order's id, as get_user_orders gives it."),
    ],
) -> ToolAnswer:
    """Get one order of the user: date, status, quantity, the product with its current price, and the customer."""
    whose, wanted = _address(order_id)
    session = ctx.session
    store = session.shop.store
    if session.user_id is None and not session.open_access:
        raise ToolError("not_allowed", "This session belongs to no user, so there are no orders to read.")
    order = store.order(_padded(wanted))
    if order is None or (whose is not None and whose.upper() != order.user_id.upper()):
        raise ToolError("not_found", _unknown(ctx, wanted if order is None else order_id))
    if order.user_id != session.user_id and not session.open_access:
        raise ToolError(
            "not_allowed",
            f"Order {order.order_id} is not one of this session's user; get_user_orders lists theirs.",
        )
    product = store.product(order.product_id)
    user = session.user(order.user_id)
    address = f"user://{order.user_id}/orders/"
    text = order_page(order, product, user, address + order.order_id)
    item: OrderData = {
        **_item(address, order, product),
        "customer": None if user is None else user_record(user),
        "product": None if product is None else product_record(product),
    }
    return ToolAnswer(text, order_sources(address, order, product, text), item)


def _address(order_id: str) -> tuple[str | None, str]:
    """The user and the order that `user://USER/orders/ORDER` names; a bare id names no user."""
    user, _, order = order_id.removeprefix("user://").partition("/orders/")
    return (user, order) if order_id.startswith("user://") else (None, order_id)


def _padded(order_id: str) -> str:
    """An order's id has sixteen digits; one that was sent as a number has lost its zeros in front."""
    return order_id.zfill(16) if order_id.isascii() and order_id.isdigit() else order_id


def _unknown(ctx: ToolContext, order_id: str) -> str:
    session = ctx.session

    def own(candidate: str) -> Order | None:
        order = session.shop.store.order(candidate)
        return order if order and (session.open_access or order.user_id == session.user_id) else None

    found = near(order_id, own)
    shown = one_line(order_id, 60)
    if found:
        return f"No order {shown!r}; did you mean {' or '.join(order.order_id for order in found)}?"
    return f"No order {shown!r}; get_user_orders lists the user's orders."


class ListedOrder(TypedDict):
    """An order of a list, as data; of the product what the shop still knows."""

    url: str
    order_id: str
    order_date: str
    order_status: OrderStatus
    quantity: int
    product_id: str
    product_url: str | None
    title: str | None
    price: float | None


class ListedOrders(TypedDict):
    """A user's orders, as data."""

    items: list[ListedOrder]
    total: int


class OrderData(ListedOrder):
    """One order, as data, with the records behind it."""

    customer: JsonObject | None
    product: JsonObject | None


def _item(address: str, order: Order, product: Product | None) -> ListedOrder:
    return {
        "url": address + order.order_id,
        "order_id": order.order_id,
        "order_date": order.order_date,
        "order_status": order.order_status,
        "quantity": order.quantity,
        "product_id": order.product_id,
        "product_url": product.product_url if product else None,
        "title": product.title if product else None,
        "price": product.price if product else None,
    }
