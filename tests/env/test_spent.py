"""What was spent counts pieces, and of a cancelled order nothing was spent."""

from __future__ import annotations

from drr.env.records.shopper import statistics_page
from drr.env.statistics import Purchase, UserStatistics, user_statistics

MARCH, JUNE, JULY = 1_741_046_400_000, 1_750_118_400_000, 1_751_414_400_000


def spent(*purchases: Purchase) -> UserStatistics:
    return user_statistics("u", purchases, "2025-12-31")


def test_the_mean_and_the_quartiles_are_of_pieces_and_not_of_orders() -> None:
    trowels = Purchase(MARCH, 2, "Delivered", 12.5, "Garden", "Silva")
    can = Purchase(JUNE, 1, "Delivered", 39.95, "Garden", "Zinco")
    found = spent(trowels, can)
    assert (found.spend, found.items, found.mean_price) == (64.95, 3, 21.65)
    assert found.price_quartiles == (12.5, 12.5, 26.23)
    one_each = [one._replace(quantity=1) for one in (trowels, trowels, can)]
    assert spent(*one_each).price_quartiles == found.price_quartiles
    assert spent(*one_each).mean_price == found.mean_price


def test_a_cancelled_order_of_known_price_spent_nothing_and_is_not_unknown() -> None:
    cancelled = Purchase(JULY, 1, "Cancelled", 24.0, "Garden", "Silva")
    unpriced = Purchase(JUNE, 1, "Delivered", None, "Garden", "Zinco")
    page = statistics_page(spent(cancelled, unpriced), "user://u/statistics")
    assert "Silva 1 ($0.00)" in page and "Zinco 1 (no known spend)" in page
    alone = spent(cancelled)
    assert (alone.spend, alone.mean_price, alone.price_quartiles) == (0.0, None, None)
