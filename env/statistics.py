"""What a shop knows about one shopper's history. One function computes it for every backend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from pydantic import BaseModel

from env.entities import ORDER_STATUSES, OrderStatus, iso_from_ms

FAVOURITES = 10
_CENT = Decimal("0.01")


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


class Purchase(NamedTuple):
    """One order as statistics see it: what was bought, when, and what is known of it."""

    timestamp_ms: int
    quantity: int
    status: OrderStatus
    price: float | None
    category: str
    store: str | None


def user_statistics(user_id: str, purchases: Sequence[Purchase], as_of: str) -> UserStatistics:
    """Sums in whole cents, so they are exact and the same in every order of addition.

    Spend is price times quantity over orders that were not cancelled and whose price is known. The mean and the quartiles
    are of the unit prices of those orders, one value an order; a quartile between two values is interpolated linearly.
    Shares come with the most orders first, then by name; years by year.
    """
    paid = [(p, cents(p.price) * p.quantity) for p in purchases if _is_spend(p)]
    prices = sorted(cents(p.price) for p, _ in paid)
    times = [p.timestamp_ms for p in purchases]
    first, last = (min(times), max(times)) if times else (None, None)
    return UserStatistics(
        user_id=user_id,
        orders=len(purchases),
        items=sum(p.quantity for p in purchases),
        spend=_dollars(sum(amount for _, amount in paid)) if paid else None,
        orders_without_price=sum(p.price is None for p in purchases),
        first_order=None if first is None else iso_from_ms(first),
        last_order=None if last is None else iso_from_ms(last),
        days_since_last_order=None
        if last is None
        else (date.fromisoformat(as_of) - date.fromisoformat(iso_from_ms(last)[:10])).days,
        mean_price=_dollars(_half_up(sum(prices), len(prices))) if prices else None,
        price_quartiles=_quartiles(prices) if prices else None,
        by_category=_shares(purchases, lambda p: p.category),
        by_year=sorted(_shares(purchases, lambda p: iso_from_ms(p.timestamp_ms)[:4]), key=lambda s: s.name),
        favourite_stores=_shares(purchases, lambda p: p.store)[:FAVOURITES],
        by_status={
            status: count
            for status in ORDER_STATUSES
            if (count := sum(p.status == status for p in purchases))
        },
    )


def cents(price: float | None) -> int:
    """Of a price as it is written: 1.005 is 101 cents, although its binary value is a little less."""
    return int(Decimal(repr(price)).quantize(_CENT, ROUND_HALF_UP).scaleb(2))


def _is_spend(purchase: Purchase) -> bool:
    return purchase.price is not None and purchase.status != "Cancelled"


def _dollars(amount: int) -> float:
    return amount / 100


def _half_up(numerator: int, denominator: int) -> int:
    return (2 * numerator + denominator) // (2 * denominator)


def _quartiles(ordered: Sequence[int]) -> tuple[float, float, float]:
    def at(quarter: int) -> float:
        whole, rest = divmod((len(ordered) - 1) * quarter, 4)
        above = ordered[min(whole + 1, len(ordered) - 1)]
        return _dollars(_half_up(ordered[whole] * (4 - rest) + above * rest, 4))

    return at(1), at(2), at(3)


def _shares(purchases: Sequence[Purchase], name_of: Callable[[Purchase], str | None]) -> list[Share]:
    orders: Counter[str] = Counter()
    spend: dict[str, int] = {}
    for purchase in purchases:
        name = name_of(purchase)
        if name is None:
            continue
        orders[name] += 1
        if _is_spend(purchase):
            spend[name] = spend.get(name, 0) + cents(purchase.price) * purchase.quantity
    return [
        Share(name=name, orders=count, spend=_dollars(spend[name]) if name in spend else None)
        for name, count in sorted(orders.items(), key=lambda item: (-item[1], item[0]))
    ]
