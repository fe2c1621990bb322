"""Decides whose data a session may access, and suggests likely ids for a wrong one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Annotated, TypeVar

from drr.env.entities import Product, User
from drr.env.records.lines import one_line
from drr.env.web.open import product_id_of
from drr.tools.base import ToolContext, ToolError
from pydantic import Field, StringConstraints

UserId = Annotated[
    str | None,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=64),
    Field(description="Whose data. Leave out for the user of this session."),
]

_TWIN = {"O": "0", "0": "O", "I": "1", "1": "I", "L": "1"}
# An error may cost a little; a flood of O's may not cost a lot.
_MOST_SPELLINGS = 150
_Found = TypeVar("_Found")


def user_of_call(ctx: ToolContext, user_id: str | None) -> User:
    """Return the user that a call is about. Another user's data is refused, whether or not that user exists."""
    session = ctx.session
    if user_id is None:
        if session.user_id is None and session.open_access:
            raise ToolError("invalid", "This session belongs to no user; give the user_id that is meant.")
        if session.user_id is None:
            raise ToolError(
                "not_allowed", "This session belongs to no user, so there is no user data to read."
            )
        user_id = session.user_id
    elif _is_own(ctx, user_id):
        user_id = session.user_id or user_id
    elif not session.open_access:
        raise ToolError(
            "not_allowed",
            "This session may use only its own user's data; leave user_id out to mean that user.",
        )
    user = in_capitals(user_id, session.user)
    if user is None:
        raise ToolError("not_found", f"No user {one_line(user_id, 64)!r} in this shop.")
    return user


def _is_own(ctx: ToolContext, user_id: str) -> bool:
    """Tell whether an id is the session's user, ignoring case; no other user may have exactly this id."""
    own = ctx.session.user_id
    if own is None or user_id == own:
        return user_id == own
    return user_id.upper() == own.upper() and ctx.session.user(user_id) is None


def in_capitals(identifier: str, lookup: Callable[[str], _Found | None]) -> _Found | None:
    """Find a record by its id, else by the id in capitals. Ids of the shop have no small letters."""
    found = lookup(identifier)
    return found if found is not None or identifier == identifier.upper() else lookup(identifier.upper())


def product_id_in(ctx: ToolContext, given: str) -> str:
    """Return a product id, given as it is or as a product's address."""
    if "://" not in given:
        return given
    return product_id_of(given, ctx.session.shop.shop_url) or given


def likely_spellings(identifier: str) -> list[str]:
    """Return the ids that a mistyped `identifier` could mean, by case or by letters confused with digits.

    First all letters are replaced by digits at once, then any one or two places: the slips that people and models make.
    """
    upper = identifier.upper()[:64]
    places = [k for k, letter in enumerate(upper) if letter in _TWIN]
    swaps: list[Sequence[int]] = [
        [k for k in places if upper[k] in "OIL"],
        [],
        *combinations(places, 1),
        *combinations(places, 2),
    ]
    found = dict.fromkeys(_swap_letters(upper, places_of) for places_of in swaps[:_MOST_SPELLINGS])
    found.pop(identifier, None)
    return list(found)


def _swap_letters(text: str, places: Sequence[int]) -> str:
    letters = list(text)
    for place in places:
        letters[place] = _TWIN[letters[place]]
    return "".join(letters)


def near_products(ctx: ToolContext, product_id: str) -> list[Product]:
    return ctx.session.shop.store.products(likely_spellings(product_id))[:3]


def similar_records(identifier: str, lookup: Callable[[str], _Found | None]) -> list[_Found]:
    """Return up to three existing records whose ids differ slightly."""
    found = (lookup(spelling) for spelling in likely_spellings(identifier))
    return [thing for thing in found if thing is not None][:3]
