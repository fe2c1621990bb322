"""Finds the user whom a command names in a shop."""

from __future__ import annotations

from drr.env.errors import Misuse
from drr.env.shop import Shop
from drr.wording.excerpt import excerpt


def user_in(shop: Shop, user: str) -> str:
    """Return the id of a user. Where a shop's people are invented, its own number of a person stands for that one. Raises `Misuse` for nobody."""
    if shop.store.user(user):
        return user
    own = ""
    if shop.manifest.recipe.get("people") == "invented":
        from drr.data_ingest.catalogue.people import invented_id, people_key

        if shop.store.user(found := invented_id(people_key(), user)):
            return found
        own = ", and numbers of your own need the people.key of its ingest"
    raise Misuse(
        f"no user {excerpt(user, 60)!r} in {shop.spec}; `drr shop users {shop.spec}` names some{own}"
    )
