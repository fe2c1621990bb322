"""What a shopper's own records say in money: statistics, and the prices of what was ordered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from drr.env.entities import Order
from drr.eval.checks.base import Subject

_MOST_ORDERS = 400


def statistics_in_money(subject: Subject) -> list[float]:
    """Every amount of the shopper's statistics."""
    shop, user_id = subject.shop, subject.user_id
    known = shop.store.statistics(user_id) if shop is not None and user_id is not None else None
    return [] if known is None else list(_floats(known.model_dump()))


def prices_ordered(subject: Subject) -> list[float]:
    """What that costs which the shopper ordered."""
    found = (subject.product(key) for key in dict.fromkeys(one.product_id for one in _orders(subject)))
    return [one.price for one in found if one is not None and one.price is not None]


class OrderedSums:
    """What the shopper's orders come to at the prices of today: `those five purchases come to $249.95`."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject

    @cached_property
    def prices(self) -> list[float]:
        """What each thing costs that was ordered."""
        return prices_ordered(self._subject)

    @cached_property
    def _priced(self) -> dict[str, tuple[int, float, str]]:
        """Of each product with a price: how often it was ordered, what it costs, of which kind it is."""
        often = Counter(one.product_id for one in _orders(self._subject))
        known = {key: product for key in often if (product := self._subject.product(key)) is not None}
        return {
            key: (often[key], one.price, one.categories[-1] if one.categories else one.category)
            for key, one in known.items()
            if one.price is not None
        }

    def of(self, named: Iterable[str]) -> float | None:
        """All orders of some products together; nothing where fewer than two orders have a price."""
        paid = [self._priced[key] for key in dict.fromkeys(named) if key in self._priced]
        return sum(many * price for many, price, _ in paid) if sum(one[0] for one in paid) > 1 else None

    @cached_property
    def by_kind(self) -> list[float]:
        """All orders of each kind of thing."""
        kinds: dict[str, list[str]] = {}
        for key, (_, _, kind) in self._priced.items():
            kinds.setdefault(kind, []).append(key)
        return [whole for some in kinds.values() if (whole := self.of(some)) is not None]


def _orders(subject: Subject) -> Sequence[Order]:
    if subject.shop is None or subject.user_id is None:
        return []
    return subject.shop.store.orders(subject.user_id, limit=_MOST_ORDERS).items


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
