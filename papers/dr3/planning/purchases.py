"""The other purchases, and what was paid: the orders of a shopper as his order history shows them."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from drr.env.entities import Order, Product
from drr.env.shop import SearchRequest, Shop
from drr.papers.dr3.case import BoughtItem, NamedThing
from drr.papers.dr3.planning.kinds import is_same_sort, kind_of, thing_of
from drr.papers.dr3.planning.scene import CaseScene

SHOWN = 40
"""Most orders of one shopper, the newest, that an order history shows."""
EVEN = (0.2, 0.4, 0.5, 0.6, 0.8, 0.9)
"""Cents of which a share that is asked for is seldom a part of one."""
_ENDS = (0.29, 0.49, 0.59, 0.79, 0.95, 0.99, *EVEN)


def paid_for(
    product: Product, rng: Random, usual: float | None = None, ends: tuple[float, ...] = _ENDS
) -> str:
    """Near the catalogue's price and never equal to it: what was paid stands in the drawer alone. Without one, near what such things cost."""
    listed = product.price or usual or Random(product.product_id).choice((9, 14, 19, 27, 34, 46, 62))
    while True:
        paid = max(2.0, listed * rng.uniform(0.88, 1.1)) // 1 + rng.choice(ends)
        if paid != listed:
            return f"${paid:,.2f}"


def usual_price(shop: Shop, product: Product, thing: NamedThing) -> float | None:
    """The middle price of what the catalogue calls so."""
    if product.price is not None:
        return None
    page = shop.catalog.search(SearchRequest(query=thing.noun, category=product.category, limit=15))
    found = sorted(
        one.price
        for one in shop.store.products(page.product_ids)
        if one.price is not None and is_same_sort(one, thing)
    )
    return found[len(found) // 2] if found else None


def history(shop: Shop, user_id: str, owned: Order, scene: CaseScene) -> tuple[BoughtItem, ...]:
    """List what was bought, without other orders of the same product. It must be plain which one is asked
    about; and the list must be a person's: nobody buys six heating pads in half a year."""
    lines = []
    until = (scene.today + timedelta(days=1)).isoformat()
    orders = shop.store.orders(user_id, until=until, limit=SHOWN).items
    if owned.order_id not in {order.order_id for order in orders}:
        orders = [*orders[: SHOWN - 1], owned]
    products = {one.product_id: one for one in shop.store.products([order.product_id for order in orders])}
    had = {sort_of(products[owned.product_id]): [owned.placed_at.date()]}
    for order in orders:
        product = products.get(order.product_id)
        own = order.order_id == owned.order_id
        if product is None or (order.product_id == owned.product_id and not own):
            continue
        if not own and not _bought_again(sort_of(product), order.placed_at.date(), had):
            continue
        price = scene.paid if own else paid_for(product, Random(f"{scene.paid}/{order.order_id}"))
        day: date = order.placed_at.date()
        lines.append(
            BoughtItem(
                order_id=order.order_id,
                day=day,
                title=" ".join(product.title.split()),
                quantity=1 if own else order.quantity,
                status="Delivered" if own else order.order_status,
                price=price,
            )
        )
    return tuple(lines)


AGAIN, _USED_UP_AGAIN = 1_100, 18
"""Days after which somebody buys the like of what lasts, and of what is used up."""


def sort_of(product: Product) -> tuple[str, bool]:
    """Return what a person would call it, and whether it is used up."""
    thing = thing_of(product, Random(product.product_id))
    noun = thing.noun if thing is not None else product.title
    kind = kind_of(noun)
    return kind.ending or noun.split()[-1].casefold(), kind.is_used_up


def _bought_again(sort: tuple[str, bool], day: date, had: dict[tuple[str, bool], list[date]]) -> bool:
    days = had.setdefault(sort, [])
    apart = _USED_UP_AGAIN if sort[1] else AGAIN
    if any(abs((day - other).days) < apart for other in days):
        return False
    days.append(day)
    return True
