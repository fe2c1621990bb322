"""Solves references to a shopper's orders over the shop's records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from drr.env.checkable import detail
from drr.env.entities import Order, Product
from drr.env.points import PointTruth
from drr.env.statistics import cents
from drr.querygen.joined.solving import Undecided
from drr.querygen.joined.specification import OrderCondition, OrderFigure, Specification, TakenDemand

RANKS = ("first", "last", "pause")
"""Conditions that choose one of the orders that meet the others."""


def day(order: Order) -> int:
    return date.fromisoformat(order.order_date[:10]).toordinal()


def to_former_home(order: Order) -> bool:
    return bool(order.slip and order.slip.address and not order.slip.recipient)


@dataclass
class History:
    """The orders of one shopper, the newest first, and what can be asked of them."""

    user: str
    orders: Sequence[Order]
    products: Mapping[str, Product]
    _known: dict[tuple[OrderCondition, ...], list[Order]] = field(default_factory=dict)

    @cached_property
    def related(self) -> Mapping[str, set[str]]:
        """Return the ids of the orders that others of the history make what they are, by condition."""
        of_product, of_kind = defaultdict[str, list[Order]](list), defaultdict[str, list[Order]](list)
        for one in reversed(self.orders):
            of_product[one.product_id].append(one)
            of_kind[self._product(one).categories[-1]].append(one)
        again = {
            found[1].order_id
            for found in of_product.values()
            if len(found) == 2 and to_former_home(found[0]) and not (found[1].slip and found[1].slip.address)
        }
        given_up = set[str]()
        for found in of_kind.values():
            makers = [self._product(one).store for one in found]
            left = {one for one in makers if makers.count(one) > 1 and makers[-1] != one}
            if None not in makers and len(left) == 1:
                given_up |= {one.order_id for one, made in zip(found, makers, strict=True) if made in left}
        return {"again": again, "given_up": given_up}

    def _product(self, order: Order) -> Product:
        return self.products[order.product_id]

    def holds(self, order: Order, condition: OrderCondition) -> bool:
        """Tell whether an order meets a condition that is no rank."""
        if condition.what in self.related:
            return order.order_id in self.related[condition.what]
        found = {
            "kind": self._product(order).categories[-1],
            "maker": self._product(order).store,
            "year": order.order_date[:4],
            "status": order.order_status,
            "recipient": order.slip.recipient if order.slip else None,
            "former_home": "" if to_former_home(order) else None,
        }
        return found[condition.what] == condition.value

    def left(self, chain: Sequence[OrderCondition]) -> list[Order]:
        """Return the orders that meet all conditions."""
        if tuple(chain) not in self._known:
            plain = [one for one in chain if one.what not in RANKS]
            found = [order for order in self.orders if all(self.holds(order, one) for one in plain)]
            for what in [one.what for one in chain if one.what in RANKS]:
                ranked = {one.order_id: self._rank(one, what) for one in found}
                best = min((rank for rank in ranked.values() if rank is not None), default=None)
                found = [one for one in found if best is not None and ranked[one.order_id] == best]
            self._known[tuple(chain)] = found
        return self._known[tuple(chain)]

    def _rank(self, order: Order, what: str) -> int | None:
        if what in ("first", "last"):
            return day(order) if what == "first" else -day(order)
        gap = self.gap(order, of_product=False)
        return None if gap is None else -gap

    def gap(self, order: Order, *, of_product: bool) -> int | None:
        """Return the days since the order before, of the same product if that is asked."""
        before = [
            day(one)
            for one in self.orders
            if one.order_date < order.order_date and (not of_product or one.product_id == order.product_id)
        ]
        return day(order) - max(before) if before else None

    def one(self, chain: Sequence[OrderCondition]) -> Order | None:
        """Return the order that the conditions leave. Raises `Undecided` where they leave two."""
        left = self.left(chain)
        if len(left) > 1:
            raise Undecided("conditions leave two orders")
        return left[0] if left else None

    def point(self, of: OrderFigure) -> PointTruth:
        """Return the answer to a figure. Raises `Undecided`."""
        order = self.one(of.order)
        if not order:
            return PointTruth(status="nothing_fits")
        price, gap = self._product(order).price, self.gap(order, of_product=True)
        if of.what == "total" and price is None:
            return PointTruth(status="cannot_be_told")
        if of.what == "days_again" and gap is None:
            raise Undecided("no order before of the same product")
        figures = {
            "date": order.order_date[:10],
            "total": order.quantity * cents(price or 0) / 100,
            "days_again": gap,
        }
        return PointTruth(figure=figures[of.what], sources=[f"user://{self.user}/orders/{order.order_id}"])

    def resolved(self, of: Specification) -> Specification:
        """Return the specification with the values that orders tell. Raises `Undecided`."""
        return of.resolved([self._value(one) for one in of.taken])

    def _value(self, of: TakenDemand) -> str:
        order = self.one(of.order)
        found = order and self.value_of(order, of.name)
        if not found:
            raise Undecided("an order tells no value")
        return found

    def value_of(self, order: Order, name: str) -> str | None:
        """Return a value of the product of an order; `Brand` stands for the maker."""
        product = self._product(order)
        return product.store if name == "Brand" else detail(product, name)
