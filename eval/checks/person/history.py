"""The reader's orders as records: what was ordered, when, and what all orders of a kind have in common."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date
from functools import cached_property, lru_cache
from typing import NamedTuple

from drr.env.entities import Order, Product
from drr.env.shop import Shop
from drr.eval.checks.base import Subject
from drr.eval.checks.makers import makers_of
from drr.eval.checks.mentions import Mentions, brand_differs, similarity, words
from drr.wording.dates import When

_READ = 2_000
"""Orders that are read of one reader."""


class Placed(NamedTuple):
    """An order, and what was ordered where the shop still has it."""

    order: Order
    product: Product | None

    @property
    def day(self) -> date:
        return date.fromisoformat(self.order.order_date[:10])

    def similarity(self, name: str) -> float:
        return similarity(name, self.product.title) if self.product else 0.0


class History:
    """The orders of one reader."""

    def __init__(self, subject: Subject, shop: Shop, user_id: str) -> None:
        self._store = shop.store
        self._user_id = user_id
        page = self._store.orders(user_id, limit=_READ)
        self.whole = page.total <= len(page.items)
        """Whether these are all."""
        self.today = date.fromisoformat(shop.manifest.as_of)
        products = {one.product_id: one for one in subject.products(one.product_id for one in page.items)}
        self.orders = [Placed(order, products.get(order.product_id)) for order in page.items]
        self._by_id: dict[str, Placed | None] = {one.order.order_id: one for one in self.orders}

    def find(self, order_id: str) -> Placed | None:
        """The order of this id, if it is the reader's; also one older than the history that was read."""
        if order_id not in self._by_id:
            order = self._store.order(order_id)
            own = order is not None and order.user_id == self._user_id
            self._by_id[order_id] = (
                Placed(order, self._store.product(order.product_id)) if order and own else None
            )
        return self._by_id[order_id]

    def is_ahead(self, when: When) -> bool:
        """Whether a day or a month lies behind the shop's own date: nothing was ordered then."""
        told = (when.year, when.month or 0, when.day or 0)
        return told > (
            self.today.year,
            self.today.month if when.month else 0,
            self.today.day if when.day else 0,
        )

    def on(self, when: When) -> list[Placed]:
        """The orders that were placed then."""
        return [one for one in self.orders if when.covers(one.order.order_date)]

    def of_products(self, product_ids: Collection[str]) -> list[Placed]:
        """Their orders, in the order of all."""
        places = sorted(at for key in {*product_ids} for at in self._places.get(key, ()))
        return [self.orders[at] for at in places]

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for at, one in enumerate(self.orders):
            found.setdefault(one.order.product_id, []).append(at)
        return found

    def of_makers(self, makers: Collection[str]) -> list[Placed]:
        """The orders of anything by these makers."""
        ids = {one for maker in makers for one in self._by_maker.get(maker, ())}
        return self.of_products(ids)

    @cached_property
    def _by_maker(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for product in {one.order.product_id: one.product for one in self.orders}.values():
            for maker in makers_of(product) if product else ():
                found.setdefault(maker, set()).add(product.product_id if product else "")
        return found

    @property
    def makers(self) -> Iterable[str]:
        """Of everything that was ordered."""
        return self._by_maker

    def best_match(self, name: str) -> float:
        """How much of a product's name the title has that it fits best, among those of the same maker."""
        known = (one for one in self.orders if one.product and not brand_differs(name, one.product))
        return max((one.similarity(name) for one in known), default=0.0)

    def of_name(self, name: str, least: float) -> list[Placed]:
        return [one for one in self.orders if one.product and one.similarity(name) >= least]

    def of_kind(self, kind: Collection[str]) -> list[Placed]:
        """The orders of products whose titles have all these words."""
        return [one for one in self.orders if one.product and set(kind) <= _title_stems(one.product.title)]


@lru_cache(maxsize=4)
def history_of(mentions: Mentions) -> History | None:
    """The orders of a report's reader, read once for the rules that ask; `None` where no reader is known."""
    subject = mentions.subject
    if subject.shop is None or subject.user_id is None:
        return None
    return History(subject, subject.shop, subject.user_id)


def days_of(orders: Iterable[Placed]) -> str:
    """When they were placed, as a finding says it."""
    return ", ".join(sorted({one.order.order_date[:10] for one in orders})[:3])


def stem(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


@lru_cache(maxsize=1024)
def _title_stems(title: str) -> frozenset[str]:
    return frozenset(map(stem, words(title)))
