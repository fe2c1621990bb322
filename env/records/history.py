"""All orders of a shopper as the evidence beside a whole report. A row each, oldest first, and how often each product."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from drr.env.entities import Order, Product
from drr.env.records.lines import cell, day, price
from drr.env.records.product import path, title

_TITLE = 90
_HEAD = "number | day | quantity x product | price today | status | product id | order id | categories"


def history_evidence(orders: Sequence[Order], products: Mapping[str, Product], total: int) -> str:
    """Set the newest of `total` orders into text; where some are left out, nothing is counted."""
    if not orders:
        return "No orders."
    older = total - len(orders)
    rows = [
        _row(number, order, products.get(order.product_id))
        for number, order in enumerate(sorted(orders, key=lambda one: one.order_date), older + 1)
    ]
    if older:
        summary = f"{total} orders; the newest {len(orders)} of them are listed here, so nothing can be counted from this list."
        return "\n".join([summary, _HEAD, *rows])
    times = Counter(order.product_id for order in orders)
    items = Counter[str]()
    for order in orders:
        items[order.product_id] += order.quantity
    often = [f"{key}: {n} orders, {items[key]} items" for key, n in times.most_common() if n > 1]
    summary = f"{len(orders)} orders of {len(times)} different products, {items.total()} items in all."
    return "\n".join(
        [summary, *(["Ordered more than once: " + "; ".join(often)] if often else []), _HEAD, *rows]
    )


def _row(number: int, order: Order, product: Product | None) -> str:
    name = "a product that is no longer listed" if product is None else title(product, _TITLE)
    cost = "price unknown" if product is None else price(product.price)
    kinds = "categories unknown" if product is None else path(product, cell)
    return (
        f"{number} | {day(order.order_date)} | {order.quantity} x {name} | {cost} | {order.order_status}"
        f" | {order.product_id} | {order.order_id} | {kinds}"
    )
