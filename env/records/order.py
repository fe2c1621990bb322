"""An order as a row of a history, as the page a tool gives, and as the evidence a judge is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drr.env.entities import Order, Product, User
from drr.env.records.lines import day, dollars, price
from drr.env.records.product import TITLE, maker, rating, title
from drr.env.records.user import person, place


def order_row(order: Order, product: Product | None) -> str:
    what = (
        f"{order.quantity} x {title(product, 80)} | {price(product.price)}"
        if product
        else f"{order.quantity} x a product no longer in this shop"
    )
    return f"{day(order.order_date)} {order.order_status}: {what} | order {order.order_id}, product {order.product_id}"


def order_page(order: Order, product: Product | None, user: User | None, address: str) -> str:
    lines = [f"{address} | placed {order.order_date[:16].replace('T', ' ')} UTC | {order.order_status}"]
    if product is None:
        lines.append(f"{order.quantity} x product {order.product_id}, no longer in this shop; price unknown")
    else:
        lines.append(
            f"{order.quantity} x {title(product, TITLE)} | {price(product.price)}{_in_all(order, product)} | {rating(product)}"
            f" | {maker(product)} | {product.product_url}"
        )
    lines.append("Customer unknown." if user is None else f"Customer: {person(user)}; ships to {place(user)}")
    return "\n".join(lines)


def _in_all(order: Order, product: Product) -> str:
    if product.price is None or order.quantity == 1:
        return ""
    cents = round(product.price * 100) * order.quantity
    return f" each, ${cents // 100:,}.{cents % 100:02d} in all"


def order_evidence(order: Order, product: Product | None) -> str:
    name = product.title if product else "a product that is no longer listed"
    cost = price(None) if product is None or product.price is None else f"{dollars(product.price)} each"
    return (
        f"Order {order.order_id}: {order.quantity} x {name} ({order.product_id}), {cost}, "
        f"placed {day(order.order_date)}, {order.order_status}"
    )


def orders_evidence(orders: Sequence[Order], products: Mapping[str, Product]) -> str:
    return (
        "\n".join(order_evidence(order, products.get(order.product_id)) for order in orders) or "No orders."
    )
