"""Finds the users whom commands and questions name in a shop."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from drr.env.entities import Order
from drr.env.errors import Misuse
from drr.env.query import Query, query_id
from drr.env.shop import Shop, numbers_of
from drr.wording.excerpt import excerpt

_AT_ONCE = 10_000


def id_of(shop: Shop, user: str) -> str | None:
    """Return the id of a user who is named by it, or by the shop's own number; `None` for nobody."""
    if shop.store.user(user):
        return user
    numbers = numbers_of(shop.manifest)
    return found if numbers and shop.store.user(found := numbers.user(user)) else None


def user_in(shop: Shop, user: str) -> str:
    """Return the id of a user. Where a shop's people are invented, its own number of a person stands for that one. Raises `Misuse` for nobody."""
    if found := id_of(shop, user):
        return found
    invented = shop.manifest.recipe.get("people") == "invented"
    own = ", and numbers of your own need the people.key of its ingest" if invented else ""
    raise Misuse(
        f"no user {excerpt(user, 60)!r} in {shop.spec}; `drr shop users {shop.spec}` names some{own}"
    )


def order_in(shop: Shop, number: str) -> Order | None:
    """Return the order of an id, or of the shop's own number. Raises `Misuse` for a number of several lines."""
    numbers, order = numbers_of(shop.manifest), shop.store.order(number)
    if order is not None or numbers is None:
        return order
    every, named = shop.store.iter_orders(), list[Order]()
    while some := list(islice(every, _AT_ONCE)):
        named += numbers.orders(some, [number]).get(number, [])
    if len(named) > 1:
        ids = ", ".join(one.order_id for one in named)
        raise Misuse(f"order {excerpt(number, 60)!r} has {len(named)} lines, each of one product: {ids}")
    return next(iter(named), None)


def by_ids(shop: Shop, queries: Sequence[Query]) -> list[Query]:
    """Return the questions with the ids of users in place of the shop's own numbers. Who is nobody there stays as given."""
    found = []
    for query in queries:
        if (user := id_of(shop, query.user_id) or query.user_id) != query.user_id:
            is_default = query.id == query_id(query.query, query.user_id)
            own = {"user_id": user, "id": query_id(query.query, user) if is_default else query.id}
            query = query.model_copy(update=own)
        found.append(query)
    return found
