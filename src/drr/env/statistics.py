"""Computes the statistics of one shopper's order history, with one function for every backend."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from itertools import accumulate
from time import gmtime
from typing import NamedTuple

from drr.env.entities import RECORDED_STATUSES, RecordedStatus, iso_from_ms
from pydantic import BaseModel

FAVOURITES = 10
_CENT = Decimal("0.01")


class Share(BaseModel):
    """Orders and known spend under one name (a category, a year, a store)."""

    name: str
    orders: int
    spend: float | None
    """The known spend; `None` if no price is known."""


class UserStatistics(BaseModel):
    """The statistics of one shopper. Money is in dollars to the cent; cancelled orders count as orders and not as spend."""

    user_id: str
    orders: int
    items: int
    spend: float | None
    orders_without_price: int
    first_order: str | None
    last_order: str | None
    days_since_last_order: int | None
    """Days from the last order to the shop's `as_of`."""
    mean_price: float | None
    price_quartiles: tuple[float, float, float] | None
    by_category: list[Share]
    by_year: list[Share]
    favourite_stores: list[Share]
    by_status: dict[str, int]


class Purchase(NamedTuple):
    """An order for the statistics: the product, the date, and the known price."""

    timestamp_ms: int
    quantity: int
    status: RecordedStatus
    price: float | None
    category: str
    store: str | None


class _Tally:
    """A counter of orders and known spend under each name."""

    def __init__(self) -> None:
        self._orders: dict[str, int] = {}
        self._spend: dict[str, int] = {}

    def add(self, name: str, amount: int | None) -> None:
        self._orders[name] = self._orders.get(name, 0) + 1
        if amount is not None:
            self._spend[name] = self._spend.get(name, 0) + amount

    def shares(self) -> list[Share]:
        spend = self._spend
        return [
            Share(name=name, orders=orders, spend=_dollars(spend[name]) if name in spend else None)
            for name, orders in sorted(self._orders.items(), key=lambda item: (-item[1], item[0]))
        ]


def user_statistics(user_id: str, purchases: Sequence[Purchase], as_of: str) -> UserStatistics:
    """Compute the statistics of a shopper in whole cents, so that sums are exact in any order.

    Spend is price times quantity over orders that were not cancelled and whose price is known; of a cancelled one nothing is spent.
    The mean and the quartiles are of the prices of all pieces of those orders; a quartile between two is interpolated linearly.
    Shares are sorted by most orders, then by name; years by year.
    """
    items = unpriced = total = 0
    pieces = Counter[int]()
    categories, years, stores = _Tally(), _Tally(), _Tally()
    for purchase in purchases:
        items += purchase.quantity
        amount: int | None = None
        if purchase.price is None:
            unpriced += 1
        elif purchase.status == "Cancelled":
            amount = 0
        else:
            price = cents(purchase.price)
            pieces[price] += purchase.quantity
            amount = price * purchase.quantity
            total += amount
        categories.add(purchase.category, amount)
        years.add(str(gmtime(purchase.timestamp_ms // 1000).tm_year), amount)
        if purchase.store is not None:
            stores.add(purchase.store, amount)
    statuses = [purchase.status for purchase in purchases]
    times = [purchase.timestamp_ms for purchase in purchases]
    first, last = (iso_from_ms(min(times)), iso_from_ms(max(times))) if times else (None, None)
    return UserStatistics(
        user_id=user_id,
        orders=len(purchases),
        items=items,
        spend=_dollars(total) if unpriced < len(purchases) else None,
        orders_without_price=unpriced,
        first_order=first,
        last_order=last,
        days_since_last_order=None
        if last is None
        else (date.fromisoformat(as_of) - date.fromisoformat(last[:10])).days,
        mean_price=_dollars(_half_up(total, pieces.total())) if pieces else None,
        price_quartiles=_quartiles(pieces) if pieces else None,
        by_category=categories.shares(),
        by_year=sorted(years.shares(), key=lambda share: share.name),
        favourite_stores=stores.shares()[:FAVOURITES],
        by_status={status: count for status in RECORDED_STATUSES if (count := statuses.count(status))},
    )


def cents(price: float) -> int:
    """Convert a price to cents as it is written. 1.005 is 101 cents, although its binary value is a little less."""
    near = round(price * 100)
    if near / 100 == price:
        return near
    return int(Decimal(repr(price)).quantize(_CENT, ROUND_HALF_UP).scaleb(2))


def _dollars(amount: int) -> float:
    return amount / 100


def _half_up(numerator: int, denominator: int) -> int:
    return (2 * numerator + denominator) // (2 * denominator)


def _quartiles(pieces: Mapping[int, int]) -> tuple[float, float, float]:
    """Return the quartiles of prices, each with its number of pieces."""
    prices = sorted(pieces)
    ends = list(accumulate(pieces[price] for price in prices))

    def at(quarter: int) -> float:
        whole, rest = divmod((ends[-1] - 1) * quarter, 4)
        here, above = (prices[bisect_right(ends, place)] for place in (whole, min(whole + 1, ends[-1] - 1)))
        return _dollars(_half_up(here * (4 - rest) + above * rest, 4))

    return at(1), at(2), at(3)
