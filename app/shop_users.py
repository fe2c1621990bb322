"""Users worth asking for: with enough orders to say something of them, drawn by seed, the most telling first."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypedDict

from drr.env.profile import themes_of

if TYPE_CHECKING:
    from drr.env.shop import Shop

_READ = 200
"""Orders of each that are looked at."""
_THEMES = 3


class ListedUser(TypedDict):
    user_id: str
    orders: int
    latest: str | None
    """Day of the newest order."""
    themes: list[str]
    """What most of the orders are about, by the words of titles; empty where no theme is known."""


def listed_users(shop: Shop, count: int, *, seed: int, min_orders: int) -> list[ListedUser]:
    drawn = shop.store.sample_users(count, seed=seed, min_orders=min_orders)
    return sorted(
        (_listed(shop, user) for user in drawn), key=lambda user: (-user["orders"], user["user_id"])
    )


def _listed(shop: Shop, user_id: str) -> ListedUser:
    page = shop.store.orders(user_id, limit=_READ)
    titles = {one.product_id: one.title for one in shop.store.products([o.product_id for o in page.items])}
    found = Counter(theme for order in page.items for theme in themes_of(titles.get(order.product_id, "")))
    return {
        "user_id": user_id,
        "orders": page.total,
        "latest": max((order.order_date[:10] for order in page.items), default=None),
        "themes": [name.replace("_", " ") for name, _ in found.most_common(_THEMES)],
    }
