"""Answers from the records to the six things. Nothing is picked that another listing beats in price and rating."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import product as combinations

from drr.env.text import tokens
from drr.offline.agents.account import Unread, has_stretch
from drr.offline.agents.asks import Asked, ShopErrand
from drr.offline.agents.memory import Memory, SeenOrder, SeenProduct
from drr.offline.agents.pages import for_machines
from drr.offline.agents.phrases import PHRASES, content_words

_BREAK = re.compile(r",| [-–—] |[(\[:|/]| for | with ", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:no|non|not|without|anti)[ -][\w-]+|\b[\w-]+[ -](?:free|proof|resistant|repellent)\b", re.IGNORECASE
)
_DENIALS = frozenset(tokens("no non not without anti free proof resistant repellent"))
_TWO_KINDS = re.compile(r"s(?: &| and|,) [^>]*\Z")
"""A category of kinds that have their own plurals: "Bathing Tubs & Seats", and not "Shower & Bath Seats"."""
_SHOUT = re.compile(r"^\s*【[^】]{0,40}】\s*")
_MOST_COMBINED = 6


def cents(price: float | None) -> Decimal:
    return Decimal(0) if price is None else Decimal(str(price)).quantize(Decimal("0.01"))


@lru_cache(maxsize=8192)
def named(thing: str, title: str, path: str = "", store: str = "", *, ends: bool = True) -> bool:
    """Tell whether a listing is the thing. Its name or category ends as the thing does; all other words stand there too."""
    words = content_words(thing) or tokens(thing) or [""]
    title = affirmed(_SHOUT.sub("", title), words)
    head = next((part for part in _BREAK.split(title) if part.strip()), title)
    kind = "" if _TWO_KINDS.search(path) else path.rpartition(" > ")[2]
    if not has_words(words, f"{store} {title}", path):
        return False
    return any(PHRASES.ends(part, words[-1]) if ends else words[-1] in tokens(part) for part in (head, kind))


def affirmed(title: str, words: Sequence[str]) -> str:
    """Leave out what a name denies, "latex-free" and "squirrel-proof", unless the words deny something too."""
    return title if _DENIALS.intersection(words) else _DENIED.sub(" ", title)


def has_words(words: Collection[str], title: str, path: str) -> bool:
    """Tell whether the name or category of a listing has all of some words."""
    return {*tokens(title), *tokens(path)}.issuperset(words)


def is_named(ask: ShopErrand, product: SeenProduct, *, ends: bool = True, by_kind: bool = True) -> bool:
    """Tell whether a listing goes by a name, or with `by_kind` its category. A category is no reason to pick it."""
    title, store = product.title.removeprefix(product.store or ""), product.store or ""
    path = product.path if by_kind else f"{product.path} > "
    return named(ask.thing, title, path, store, ends=ends) and not for_machines(product.title)


def listings(ask: ShopErrand, memory: Memory) -> list[SeenProduct]:
    """List what an errand is about: listings within its limits, best first; of two, both."""
    if ask.kind == "which":
        every = [[one for one in sides(thing, memory) if _meets(ask, one)] for thing in ask.things]
        return [found[0] for found in every if found]
    if not ask.seeks:
        return []
    found = [one for one in memory.products.values() if _fits(ask, one)]
    return sorted(_nearest(ask, found, memory), key=lambda one: _rank(ask, one))


def _nearest(ask: ShopErrand, found: Sequence[SeenProduct], memory: Memory) -> Sequence[SeenProduct]:
    """Keep those that have the thing as it stands, where any listing has. A cordless nail drill is no cordless drill."""
    standing = [one for one in memory.products.values() if _as_it_stands(ask, one)]
    return [one for one in found if one in standing] if standing else found


def _as_it_stands(ask: ShopErrand, product: SeenProduct) -> bool:
    return f" {' '.join(tokens(ask.thing))} " in f" {' '.join(tokens(f'{product.title} > {product.path}'))} "


def _fits(ask: ShopErrand, product: SeenProduct) -> bool:
    return is_named(ask, product, by_kind=False) and _meets(ask, product) and keeps_limits(ask, product)


def _meets(ask: ShopErrand, product: SeenProduct) -> bool:
    return all(has_stretch(affirmed(product.title, tokens(one)), one) for one in ask.conditions)


def keeps_limits(ask: ShopErrand, product: SeenProduct) -> bool:
    """Tell whether a listing keeps the limits; one of unknown price keeps none of price."""
    most, least, price = ask.most, ask.limits.least, product.price
    if price is None and (most is not None or least is not None or ask.order == "price_asc"):
        return False
    rated_enough = ask.rating is None or (product.rating is not None and product.rating >= ask.rating)
    within = price is None or (least or 0.0) <= price <= (price if most is None else most)
    return rated_enough and within


def _rank(ask: ShopErrand, product: SeenProduct) -> tuple[bool, float, float, float, str]:
    """Rank by what is asked for, then by the other figures: no other is better in both. An unknown price comes last."""
    price = float("inf") if product.price is None else product.price
    unknown, rating, votes = product.price is None, -(product.rating or 0), -(product.ratings or 0)
    match ask.order:
        case "price_asc":
            return unknown, price, rating, votes, product.url
        case "popularity":
            return unknown, votes, rating, price, product.url
    return unknown, rating, price, votes, product.url


def settled(asked: Asked, memory: Memory) -> Asked:
    """Leave open all that is sought beside what was not made out. It may hold conditions, or ask which of two."""
    lost = [ask for ask in asked.asks if not _is_made_out(ask, memory)]
    unread = {ask: [Unread((one.sentence,), firm=True) for one in lost if one != ask] for ask in asked.asks}
    asks = [replace(ask, unread=ask.unread.with_all(unread[ask])) if ask.seeks else ask for ask in asked.asks]
    return replace(asked, asks=tuple(asks))


def _is_made_out(ask: ShopErrand, memory: Memory) -> bool:
    if ask.kind == "which":
        return len(listings(ask, memory)) > 1
    return not (ask.seeks and ask.unread.stretches) or is_known(ask, memory)


def unjudged(ask: ShopErrand, memory: Memory) -> list[SeenProduct]:
    """List what the search returned of a thing, else what has its words. Of two, both."""
    if not ask.seeks:
        return listings(replace(ask, unread=Unread()), memory)
    denied = {word for one in ask.unread.stretches for word in content_words(PHRASES.denied(one))}
    found = [
        one
        for one in memory.products.values()
        if keeps_limits(ask, one) and denied.isdisjoint(tokens(f"{one.title} {one.store}"))
    ]
    exact = _nearest(ask, [one for one in found if is_named(ask, one)], memory)
    exact = exact or [one for one in found if is_named(ask, one, ends=False)]
    exact = exact or [one for one in found if has_words(tokens(ask.thing), one.title, "")]
    ranked = exact if ask.order == "rating" else sorted(exact, key=lambda one: _rank(ask, one))
    return sorted(ranked, key=lambda one: -sum(has_stretch(one.title, some) for some in ask.unread.stretches))


def outside(ask: ShopErrand, memory: Memory) -> list[SeenProduct]:
    """Listings that are the thing, but not within the limits; the cheapest first."""
    known = [one for one in memory.products.values() if is_named(ask, one, by_kind=False)]
    found = [one for one in known if not _fits(ask, one)]
    return sorted(_nearest(ask, found, memory), key=lambda one: (one.price is None, one.price or 0, one.url))


def sides(thing: str, memory: Memory) -> list[SeenProduct]:
    """List the listings that bear a name; those with a known price and most ratings first."""
    words, is_name = set(tokens(thing)), any(word[0].isupper() for word in thing.split())
    ask = ShopErrand("find", (" ".join(word for word in thing.split() if word[0].islower()) or thing,))
    found = [one for one in memory.products.values() if words <= {*tokens(one.title), *tokens(one.path)}]
    found = [one for one in found if is_named(ask, one) or is_name]
    found += [one for one in memory.products.values() if one.product_id == thing]
    return sorted(found, key=lambda one: (one.price is None, -(one.ratings or 0), one.url))


def is_unsold(ask: ShopErrand, memory: Memory) -> bool:
    """Tell whether a search for a thing's last word found nothing. It knows other words, and mends slips."""
    return ask.kind == "sold" and ask.thing.split()[-1] in memory.found_none


def is_known(ask: ShopErrand, memory: Memory) -> bool:
    """Tell whether a listing goes by the name of a thing."""
    if ask.kind == "which":
        return bool(unjudged(ask, memory))
    return any(is_named(ask, one) for one in memory.products.values())


def purchases(ask: ShopErrand, memory: Memory) -> list[SeenOrder]:
    """List the orders that an errand is about, the latest first. What goes back is the first thing that goes by its name here."""
    if ask.kind not in ("bought", "spent", "return"):
        return []
    kept = sorted((one for one in memory.orders.values() if one.kept), key=lambda one: one.date, reverse=True)
    if ask.period is not None:
        period = ask.period.on(memory.today)
        kept = [one for one in kept if period is not None and period.covers(one.date)]
    if not ask.thing:
        return kept
    found: list[SeenOrder] = []
    for one in (replace(ask, things=(thing,)) for thing in ask.things):
        titles = {
            product.product_id: product.title
            for product in memory.products.values()
            if is_named(one, product)
        }
        found = [order for order in kept if order.product_id in titles or named(one.thing, order.title)]
        if found or titles:
            break
    return [
        order
        for order in found
        if all(
            has_stretch(f"{order.title} {titles.get(order.product_id, '')}", one) for one in ask.conditions
        )
    ]


def spent(orders: Sequence[SeenOrder]) -> Decimal:
    """Add up today's prices of the orders whose price is known."""
    return sum((cents(one.price) * one.quantity for one in orders), Decimal(0))


@dataclass(frozen=True)
class Pick:
    ask: ShopErrand
    product: SeenProduct
    others: tuple[SeenProduct, ...]


@dataclass(frozen=True)
class Basket:
    """One listing for each thing of a group."""

    picks: tuple[Pick, ...]
    limit: float | None
    """Highest cost of all, where several share it."""
    too_dear: bool = False
    """True where no set keeps the limit; these are the cheapest."""

    @property
    def total(self) -> Decimal | None:
        prices = [pick.product.price for pick in self.picks]
        return None if None in prices else sum(map(cents, prices), Decimal(0))


def baskets(asks: Sequence[ShopErrand], memory: Memory) -> list[Basket]:
    """Pick a listing for each thing. Where things share a limit, it is the set that is rated highest within it."""
    groups: dict[int, list[ShopErrand]] = {}
    for ask in asks:
        if ask.seeks and not ask.is_open and listings(ask, memory):
            groups.setdefault(ask.group, []).append(ask)
    return [_basket(group, memory) for group in groups.values()]


def _basket(asks: Sequence[ShopErrand], memory: Memory) -> Basket:
    options = [listings(ask, memory) for ask in asks]
    limit = asks[0].limits.whole if len(asks) > 1 else None
    chosen, too_dear = tuple(found[0] for found in options), False
    if limit is not None:
        sets = list(combinations(*(_worth_having(found)[:_MOST_COMBINED] for found in options)))
        within = [one for one in sets if _cost(one) <= cents(limit)]
        too_dear = not within
        chosen = min(within, key=_least_good) if within else min(sets, key=_cost)
    picks = [
        Pick(ask, one, tuple(other for other in found if other is not one)[:3])
        for ask, one, found in zip(asks, chosen, options, strict=True)
    ]
    return Basket(tuple(picks), limit, too_dear)


def _worth_having(found: Sequence[SeenProduct]) -> list[SeenProduct]:
    """The cheapest first of those that no cheaper one is rated as high as."""
    kept: list[SeenProduct] = []
    for one in sorted(found, key=lambda one: (one.price or 0, -(one.rating or 0))):
        if not kept or (one.rating or 0) > (kept[-1].rating or 0):
            kept.append(one)
    return kept


def _cost(products: Sequence[SeenProduct]) -> Decimal:
    return sum((cents(one.price) for one in products), Decimal(0))


def _least_good(products: Sequence[SeenProduct]) -> tuple[float, Decimal]:
    return -sum(one.rating or 0 for one in products), _cost(products)
