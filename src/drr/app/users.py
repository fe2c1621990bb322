"""Finds the users whom commands and questions name in a shop."""

from __future__ import annotations

from collections.abc import Sequence

from drr.env.errors import Misuse
from drr.env.query import Query, query_id
from drr.env.shop import Shop
from drr.wording.excerpt import excerpt


def _id_of(shop: Shop, user: str) -> str | None:
    if shop.store.user(user):
        return user
    if shop.manifest.recipe.get("people") == "invented":
        from drr.data_ingest.catalogue.people import invented_id, people_key

        if shop.store.user(found := invented_id(people_key(), user)):
            return found
    return None


def user_in(shop: Shop, user: str) -> str:
    """Return the id of a user. Where a shop's people are invented, its own number of a person stands for that one. Raises `Misuse` for nobody."""
    if found := _id_of(shop, user):
        return found
    invented = shop.manifest.recipe.get("people") == "invented"
    own = ", and numbers of your own need the people.key of its ingest" if invented else ""
    raise Misuse(
        f"no user {excerpt(user, 60)!r} in {shop.spec}; `drr shop users {shop.spec}` names some{own}"
    )


def by_ids(shop: Shop, queries: Sequence[Query]) -> list[Query]:
    """Return the questions with the ids of users in place of the shop's own numbers. Who is nobody there stays as given."""
    found = []
    for query in queries:
        if (user := _id_of(shop, query.user_id) or query.user_id) != query.user_id:
            is_default = query.id == query_id(query.query, query.user_id)
            own = {"user_id": user, "id": query_id(query.query, user) if is_default else query.id}
            query = query.model_copy(update=own)
        found.append(query)
    return found
