"""What a shop knows about one shopper's history. One function computes it for every backend."""

from __future__ import annotations

from pydantic import BaseModel


class Share(BaseModel):
    """Orders and known spend under one name (a category, a year, a store)."""

    name: str
    orders: int
    spend: float | None
    """`None` where no price is known."""


class UserStatistics(BaseModel):
    """Money is in dollars to the cent; cancelled orders count as orders and not as spend."""

    user_id: str
    orders: int
    items: int
    spend: float | None
    orders_without_price: int
    first_order: str | None
    last_order: str | None
    days_since_last_order: int | None
    """Counted to the shop's `as_of`."""
    mean_price: float | None
    price_quartiles: tuple[float, float, float] | None
    by_category: list[Share]
    by_year: list[Share]
    favourite_stores: list[Share]
    by_status: dict[str, int]
