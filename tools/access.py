"""Whose data a session may touch, what an id may look like, and which ids were probably meant."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product as combinations
from typing import Annotated, TypeVar
from urllib.parse import urlsplit

from pydantic import Field, StringConstraints

from env.entities import Product, User
from tools.base import ToolContext, ToolError
from tools.render import one_line

UserId = Annotated[
    str | None,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=64),
    Field(description="Whose data. Leave out for the user of this session."),
]

_TWINS = {"O": "O0", "0": "0O", "I": "I1", "1": "1I", "L": "L1"}
# 2**6 lookups at most: an error may cost a little, a flood of O's may not cost a lot.
_SWAPS = 6
_Found = TypeVar("_Found")


def owner(ctx: ToolContext, user_id: str | None) -> User:
    """The user a call is about. Another's data is refused whether or not that other exists."""
    session = ctx.session
    if user_id is None:
        if session.user_id is None:
            raise ToolError(
                "not_allowed", "This session belongs to no user, so there is no user data to read."
            )
        user_id = session.user_id
    elif user_id != session.user_id and not session.open_access:
        raise ToolError(
            "not_allowed",
            "This session may read only its own user's data; leave user_id out to ask about that user.",
        )
    user = session.user(user_id)
    if user is None:
        raise ToolError("not_found", f"No user {one_line(user_id, 64)!r} in this shop.")
    return user


def product_id_in(ctx: ToolContext, given: str) -> str:
    """The id itself, or the last step of a product's address."""
    prefix = ctx.session.shop.shop_url.rstrip("/") + "/"
    if given.startswith(prefix) or "://" in given:
        return urlsplit_last(given)
    return given


def urlsplit_last(address: str) -> str:
    try:
        return urlsplit(address).path.rstrip("/").rsplit("/", 1)[-1]
    except ValueError:
        return address


def spellings(identifier: str) -> list[str]:
    """The other ids that `identifier` becomes when O and 0, I and 1 are taken for each other, or its case is mended."""
    upper = identifier.upper()[:64]
    swappable = [k for k, letter in enumerate(upper) if letter in _TWINS]
    if len(swappable) > _SWAPS:
        swappable = swappable[:_SWAPS]
    letters = [_TWINS[c] if k in swappable else c for k, c in enumerate(upper)]
    return [s for s in map("".join, combinations(*letters)) if s != identifier]


def near_products(ctx: ToolContext, product_id: str) -> list[Product]:
    return ctx.session.shop.store.products(spellings(product_id))[:3]


def near(identifier: str, lookup: Callable[[str], _Found | None]) -> list[_Found]:
    """Up to three things that exist under a slightly different id."""
    found = (lookup(spelling) for spelling in spellings(identifier))
    return [thing for thing in found if thing is not None][:3]
