"""Makes key points from the shop's records: purchases that touch the question, and products within its limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from drr.env.entities import Order, Product
from drr.env.query import Constraints, Fact, Query
from drr.env.records.lines import priced
from drr.env.records.shopper import offer_line, purchase
from drr.env.shop import SearchRequest, Shop
from drr.env.text import tokens
from drr.eval.tasks.key_points import PointRow, Weight
from drr.wording.currency import DOLLARS, Currency
from drr.wording.states import STATES

_MONEY = {
    "total_max": "What it recommends costs at most {} together.",
    "total_min": "What it recommends costs at least {} together.",
    "item_max": "Each thing that it recommends costs at most {}.",
    "item_min": "Each thing that it recommends costs at least {}.",
    "month_max": "What it recommends costs at most {} a month.",
}


def points_of_demands(wanted: Constraints, currency: Currency = DOLLARS) -> Iterator[PointRow]:
    """Yield points without ids, one for each demand of the question that code can read."""
    limits = {name: limit for name in _MONEY if (limit := getattr(wanted, name)) is not None}
    for name, limit in limits.items():
        row = _point(_MONEY[name].format(priced(limit, currency)))
        if len(limits) == 1 and name in ("total_max", "item_max"):
            cast("dict[str, object]", row)[name] = limit
        yield row
    if wanted.months is not None:
        yield _point(f"What it recommends is planned for {wanted.months} months.", f"{wanted.months} months")
    if wanted.deadline is not None:
        yield _point(f"It keeps to the time that was asked for: {wanted.deadline}.", wanted.deadline)
    if wanted.count is not None:
        yield _point(f"It gives as many as were asked for: {wanted.count}.")
    for thing in wanted.exclusions:
        yield _point(f"Nothing that it recommends is or has what was ruled out: {thing}.")
    if wanted.region is not None:
        yield _point(f"It takes account of the place: {wanted.region}.", wanted.region, "okay")


def _point(text: str, gist: str = "", weight: Weight = "vital") -> PointRow:
    """Build a point. A demand to leave something out has no gist, because no word of a report shows that it is met."""
    return {"id": "", "text": text, "weight": weight, "origin": "constraint", "gist": gist}


_ORDERS = 1000
_NAMED, _TOUCHING = 6, 3
"""Most purchases that become points: of those the question is known to refer to, and of those found by code."""
_PRODUCTS = 200
_EXAMPLES = 4
_LISTS = re.compile(r"[,;|(\[]|\s[-\u2013\u2014]\s")
_FOR = re.compile(r"\s(?:for|with)\s", re.I)
_AGAIN = "reorder"
"""The intent of a question to buy again, as query generation names it."""
_NO_PURCHASE = ("Cancelled", "Returned")


def of_shopper(shop: Shop, query: Query, wanted: Constraints) -> Iterator[PointRow]:
    """Yield points about the shopper, without ids. Vital are purchases that the question's facts list and its text names; the others are `okay`."""
    orders = shop.store.orders(query.user_id, limit=_ORDERS).items
    ids = list(dict.fromkeys(order.product_id for order in orders))
    products = {product.product_id: product for product in shop.store.products(ids)}
    asked = frozenset(tokens(query.query))
    known = [order for order in orders if order.product_id in products]
    for order in _latest(order for order in known if _is_named(order, query.facts_used))[:_NAMED]:
        product = products[order.product_id]
        yield _point_of_purchase(order, product, "vital" if _is_asked_for(asked, product) else "okay")
    if not query.facts_used:
        kept = _latest(order for order in known if order.order_status not in _NO_PURCHASE)
        for order in [one for one in kept if _touches(asked, products[one.product_id])][:_TOUCHING]:
            yield _point_of_purchase(order, products[order.product_id], "okay")
    yield from _point_of_home(shop, query, wanted)


def _latest(orders: Iterable[Order]) -> list[Order]:
    """Keep the latest order of each product. The orders come newest first."""
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


def _is_asked_for(asked: frozenset[str], product: Product) -> bool:
    """Tell whether the question has the product's maker, or all words of the product's name."""
    maker = frozenset(tokens(product.store or ""))
    return bool(maker and maker <= asked) or frozenset(tokens(_name(product))) <= asked


def _touches(asked: frozenset[str], product: Product) -> bool:
    """Tell whether the question has all words of the product's category and one more of its title."""
    kind = frozenset(tokens(product.categories[-1])) if product.categories else frozenset[str]()
    return bool(kind) and kind <= asked and bool((frozenset(tokens(product.title)) - kind) & asked)


def _point_of_purchase(order: Order, product: Product, weight: Weight) -> PointRow:
    return {
        "id": "",
        "text": f"It takes account of what the shopper bought: {purchase(order, product)}.",
        "weight": weight,
        "origin": "shopper",
        "gist": "",
        "purchase": {"name": _name(product), "order": order.order_id, "day": order.order_date[:10]},
    }


def _name(product: Product) -> str:
    """Return the title up to where it begins to list features."""
    name = _LISTS.split(product.title, maxsplit=1)[0]
    return name if len(tokens(name)) > 1 else product.title


def _point_of_home(shop: Shop, query: Query, wanted: Constraints) -> Iterator[PointRow]:
    """Yield a point about the shopper's home, where the question relies on it and does not name it."""
    user = shop.store.user(query.user_id)
    if user is None or not any(f.kind == "profile" and f.id.startswith("address.") for f in query.facts_used):
        return
    state = STATES.get(user.address.state, user.address.state)
    home = ", ".join(filter(None, (user.address.city, state)))
    if wanted.region == state or not home:
        return
    yield {
        "id": "",
        "text": f"It takes account of where the shopper lives: {home}.",
        "weight": "okay",
        "origin": "shopper",
        "gist": state,
    }


def of_catalogue(shop: Shop, query: Query, wanted: Constraints) -> Iterator[PointRow]:
    """Yield points without ids, one for each thing that the question is known to need.

    Products that the shopper already has are no examples, except for questions to buy again.
    """
    orders = () if query.intent == _AGAIN else shop.store.orders(query.user_id, limit=_ORDERS).items
    owned = frozenset(order.product_id for order in orders if order.order_status not in _NO_PURCHASE)
    for need in query.needs:
        row = _point_of_need(shop, need, wanted, owned)
        if row is not None:
            yield row


def _point_of_need(shop: Shop, need: str, wanted: Constraints, owned: frozenset[str]) -> PointRow | None:
    caps = [cap for cap in (wanted.item_max, wanted.total_max) if cap is not None]
    cap = min(caps, default=None)
    within = "" if cap is None else f" for at most {priced(cap, shop.manifest.money)}"
    page = shop.catalog.search(_request(need, cap))
    if not page.total:
        if cap is None or not _only_dearer(shop, need):
            return None
        text = f"For the need \u201c{need}\u201d it says that this shop sells nothing{within}."
        return {"id": "", "text": text, "weight": "vital", "origin": "catalogue"}
    found = [
        one
        for one in shop.store.products(page.product_ids)
        if one.product_id not in owned and _is_one(one, need) and _is_kept(one, wanted.exclusions)
    ]
    if not found:
        return None
    such_as = "; ".join(offer_line(one, shop.manifest.money) for one in found[:_EXAMPLES])
    return {
        "id": "",
        "text": f"For the need \u201c{need}\u201d it names a product that this shop sells{within}, such as: {such_as}.",
        "weight": "vital",
        "origin": "catalogue",
        "gist": "",
        "products": sorted(product.product_id for product in found),
    }


def _request(need: str, cap: float | None = None) -> SearchRequest:
    """Build a search by words alone, as questions are checked, so that no ranking decides whether a point is true."""
    least = None if cap is None else 0.01
    return SearchRequest(
        need, match="all", min_price=least, max_price=cap, limit=_PRODUCTS, sort="popularity", search="plain"
    )


def _only_dearer(shop: Shop, need: str) -> bool:
    """Tell whether the shop sells the needed thing and knows the price of every hit."""
    page = shop.catalog.search(_request(need))
    prices = [product.price for product in shop.store.products(page.product_ids)]
    return 0 < page.total <= _PRODUCTS and None not in prices


def _is_one(product: Product, need: str) -> bool:
    """Tell whether a product is the needed thing, by the words of its name and category. The last word must be the thing itself, not a part of it."""
    wanted = tokens(need)
    name, kind = tokens(_FOR.split(_name(product), maxsplit=1)[0]), tokens(" ".join(product.categories[-2:]))
    called = wanted[-1:] == name[-1:] or (bool(wanted) and wanted[-1] in kind)
    return called and frozenset(wanted) <= frozenset([*name, *kind])


def _is_kept(product: Product, exclusions: Sequence[str]) -> bool:
    """Tell whether the product's listing has none of the excluded things."""
    words_kept = frozenset(
        tokens(" ".join([product.title, product.store or "", *product.features, *product.description]))
    )
    return not any(frozenset(tokens(thing)) <= words_kept for thing in exclusions if tokens(thing))
