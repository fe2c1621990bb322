"""The statistics of a user's orders, as the page a tool gives, and as the evidence a judge is shown."""

from __future__ import annotations

from collections.abc import Iterable

from drr.env.records.lines import count, day, dollars, fact_lines, listed, one_line, price
from drr.env.statistics import FAVOURITES, Share, UserStatistics


def statistics_page(stats: UserStatistics, address: str) -> str:
    """Categories and stores are cut at six, biggest first; how much of the spend is unknown is never left out."""
    if not stats.orders:
        return f"No orders yet.\n{address}"
    stores = stats.favourite_stores
    return "\n".join(
        [
            f"{count(stats.orders)} orders, {count(stats.items)} items, {day(stats.first_order)} to {day(stats.last_order)}"
            + _recency(stats),
            f"Spend: {dollars(stats.spend)}; {_unpriced(stats)}",
            *_item_price(stats),
            *_shares("By category", stats.by_category),
            *_shares("By year", stats.by_year, most=30),
            *_shares("Favourite stores", stores, least="at least " if len(stores) == FAVOURITES else ""),
            "Status: " + ", ".join(f"{name} {count(number)}" for name, number in stats.by_status.items()),
            address,
        ]
    )


def _recency(stats: UserStatistics) -> str:
    if stats.days_since_last_order is None:
        return ""
    return f", the last {count(stats.days_since_last_order)} days ago"


def _unpriced(stats: UserStatistics) -> str:
    text = f"{count(stats.orders_without_price)} of {count(stats.orders)} orders have no known price"
    some = 0 < stats.orders_without_price < stats.orders
    return text + " and are not in it" if some else text


def _item_price(stats: UserStatistics) -> list[str]:
    if stats.mean_price is None:
        return []
    quartiles = (
        "; quartiles " + ", ".join(price(quarter) for quarter in stats.price_quartiles)
        if stats.price_quartiles
        else ""
    )
    return [f"Item price: mean {price(stats.mean_price)}{quartiles}"]


def _shares(label: str, shares: Iterable[Share], most: int = 6, least: str = "") -> list[str]:
    rows = [
        f"{one_line(s.name.replace('_', ' '), 50)} {count(s.orders)} ({dollars(s.spend, 'no known spend')})"
        for s in shares
    ]
    return listed(label, rows, most, "; ", least)


def statistics_evidence(stats: UserStatistics) -> str:
    return fact_lines(stats.model_dump(exclude={"user_id"}))
