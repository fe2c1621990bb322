"""Key points that the shop's records make: what the shopper bought that touches the question, and what the shop sells that keeps its limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from drr.env.entities import Order, Product
from drr.env.query import Constraints, Fact, Query
from drr.env.records.brief import offer, purchase
from drr.env.records.lines import dollars
from drr.env.shop import SearchRequest, Shop
from drr.env.text import tokens
from drr.eval.tasks.key_points.rows import PointRow, Weight
from drr.wording.states import STATES

_ORDERS = 1000
_NAMED, _TOUCHING = 6, 3
"""Purchases that make a point: those that the question is known to lean on, and those that code finds."""
_PRODUCTS = 200
_EXAMPLES = 4
_LISTS = re.compile(r"[,;|(\[]|\s[-\u2013\u2014]\s")
_NO_PURCHASE = ("Cancelled", "Returned")


def of_shopper(shop: Shop, query: Query) -> Iterator[PointRow]:
    """Without ids. What the question's writer says it leans on is vital; what only shares its kind is worth having."""
    orders = shop.store.orders(query.user_id, limit=_ORDERS).items
    products = {
        product.product_id: product
        for product in shop.store.products(list(dict.fromkeys(order.product_id for order in orders)))
    }
    known = [order for order in orders if order.product_id in products]
    for order in _latest(order for order in known if _is_named(order, query.facts_used))[:_NAMED]:
        yield _bought(order, products[order.product_id], "vital")
    if not query.facts_used:
        asked = frozenset(tokens(query.query))
        kept = _latest(order for order in known if order.order_status not in _NO_PURCHASE)
        for order in [one for one in kept if _touches(asked, products[one.product_id])][:_TOUCHING]:
            yield _bought(order, products[order.product_id], "okay")
    yield from _home(shop, query)


def _latest(orders: Iterable[Order]) -> list[Order]:
    """Of each product; newest first, as they come."""
    found: dict[str, Order] = {}
    for order in orders:
        found.setdefault(order.product_id, order)
    return list(found.values())


def _is_named(order: Order, facts: Sequence[Fact]) -> bool:
    return any(
        (fact.kind == "order" and fact.id == order.order_id)
        or (fact.kind == "product" and fact.id == order.product_id)
        for fact in facts
    )


def _touches(asked: frozenset[str], product: Product) -> bool:
    """The question has all words of the kind of thing that it is, and one more of its name."""
    kind = frozenset(tokens(product.categories[-1])) if product.categories else frozenset[str]()
    return bool(kind) and kind <= asked and bool((frozenset(tokens(product.title)) - kind) & asked)


def _bought(order: Order, product: Product, weight: Weight) -> PointRow:
    return {
        "id": "",
        "text": f"It takes account of what the shopper bought: {purchase(order, product)}.",
        "weight": weight,
        "origin": "shopper",
        "gist": _name(product),
    }


def _name(product: Product) -> str:
    """A title up to where it begins to list what the thing has."""
    name = _LISTS.split(product.title, maxsplit=1)[0]
    return name if len(tokens(name)) > 1 else product.title


def _home(shop: Shop, query: Query) -> Iterator[PointRow]:
    user = shop.store.user(query.user_id)
    if user is None or not any(f.kind == "profile" and f.id.startswith("address.") for f in query.facts_used):
        return
    state = STATES.get(user.address.state, user.address.state)
    yield {
        "id": "",
        "text": f"It takes account of where the shopper lives: {user.address.city}, {state}.",
        "weight": "okay",
        "origin": "shopper",
        "gist": state,
    }


def of_catalogue(shop: Shop, query: Query, wanted: Constraints) -> Iterator[PointRow]:
    """Without ids; one for each thing that the question is known to need."""
    for need in query.needs:
        row = _stock(shop, need, wanted)
        if row is not None:
            yield row


def _stock(shop: Shop, need: str, wanted: Constraints) -> PointRow | None:
    caps = [cap for cap in (wanted.item_max, wanted.total_max) if cap is not None]
    cap = min(caps, default=None)
    within = "" if cap is None else f" for at most {dollars(cap)}"
    page = shop.catalog.search(_request(need, cap))
    if not page.total:
        if cap is None or not _only_dearer(shop, need):
            return None
        text = f"It says that this shop sells no {need}{within}."
        return {"id": "", "text": text, "weight": "vital", "origin": "catalogue"}
    found = [
        one
        for one in shop.store.products(page.product_ids)
        if _is_one(one, need) and _is_kept(one, wanted.exclusions)
    ]
    if not found:
        return None
    such_as = "; ".join(map(offer, found[:_EXAMPLES]))
    return {
        "id": "",
        "text": f"It names a {need} of this shop{within}, such as: {such_as}.",
        "weight": "vital",
        "origin": "catalogue",
        "gist": "",
        "products": sorted(product.product_id for product in found),
    }


def _request(need: str, cap: float | None = None) -> SearchRequest:
    """By words alone, as questions are checked: the truth of a point hangs on no ranking."""
    least = None if cap is None else 0.01
    return SearchRequest(
        need, match="all", min_price=least, max_price=cap, limit=_PRODUCTS, sort="popularity", search="plain"
    )


def _only_dearer(shop: Shop, need: str) -> bool:
    """The shop sells it, and every price is known."""
    page = shop.catalog.search(_request(need))
    prices = [product.price for product in shop.store.products(page.product_ids)]
    return 0 < page.total <= _PRODUCTS and None not in prices


def _is_one(product: Product, need: str) -> bool:
    """Its name, up to what it is for, and its kind have all words of the need: a part or an aid is not the thing."""
    name = product.title.casefold().partition(" for ")[0]
    kind = product.categories[-1] if product.categories else ""
    return frozenset(tokens(need)) <= frozenset(tokens(f"{name} {kind}"))


def _is_kept(product: Product, exclusions: Sequence[str]) -> bool:
    """Nothing of what was ruled out is in its listing."""
    said = frozenset(
        tokens(" ".join([product.title, product.store or "", *product.features, *product.description]))
    )
    return not any(frozenset(tokens(thing)) <= said for thing in exclusions if tokens(thing))
