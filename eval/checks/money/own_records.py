"""What a shopper's own records say in money: statistics, and the prices of what was ordered."""

from __future__ import annotations

from collections.abc import Iterable

from drr.eval.checks.base import Subject

_MOST_ORDERS = 400


def statistics_in_money(subject: Subject) -> list[float]:
    """Every amount of the shopper's statistics."""
    shop, user_id = subject.shop, subject.user_id
    known = shop.store.statistics(user_id) if shop is not None and user_id is not None else None
    return [] if known is None else list(_floats(known.model_dump()))


def prices_ordered(subject: Subject) -> list[float]:
    """What that costs which the shopper ordered."""
    if subject.shop is None or subject.user_id is None:
        return []
    orders = subject.shop.store.orders(subject.user_id, limit=_MOST_ORDERS).items
    found = (subject.product(product_id) for product_id in dict.fromkeys(one.product_id for one in orders))
    return [one.price for one in found if one is not None and one.price is not None]


def _floats(value: object) -> Iterable[float]:
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, float):
            yield one
        elif isinstance(one, dict):
            stack += one.values()
        elif isinstance(one, (list, tuple)):
            stack += one
