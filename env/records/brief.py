"""A product or a purchase within a sentence: what tells it apart, on one line."""

from __future__ import annotations

from drr.env.entities import Order, Product
from drr.env.records.lines import day, price
from drr.env.records.product import title

TITLE = 90


def offer(product: Product) -> str:
    """Say what is for sale, and for how much."""
    return f"{title(product, TITLE)} ({product.product_id}, {price(product.price)})"


def purchase(order: Order, product: Product) -> str:
    """Say what was bought, and when."""
    return f"{title(product, TITLE)}, ordered {day(order.order_date)}"
