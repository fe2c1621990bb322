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

RANKS = ("first", "last")
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
    def again(self) -> set[str]:
        """Return the ids of the orders that are the second of two of one product."""
        of_product = defaultdict[str, list[Order]](list)
        for one in self.orders:
            of_product[one.product_id].append(one)
        return {found[0].order_id for found in of_product.values() if len(found) == 2}

    def _product(self, order: Order) -> Product:
        return self.products[order.product_id]

    def holds(self, order: Order, condition: OrderCondition) -> bool:
        """Tell whether an order meets a condition that is no rank."""
        found = {
            "kind": self._product(order).categories[-1],
            "year": order.order_date[:4],
            "status": order.order_status,
            "recipient": order.slip.recipient if order.slip else None,
            "former_home": "" if to_former_home(order) else None,
            "again": "" if order.order_id in self.again else None,
        }
        return found[condition.what] == condition.value

    def left(self, chain: Sequence[OrderCondition]) -> list[Order]:
        """Return the orders that meet all conditions."""
        if tuple(chain) not in self._known:
            plain = [one for one in chain if one.what not in RANKS]
            found = [order for order in self.orders if all(self.holds(order, one) for one in plain)]
            for what in [one.what for one in chain if one.what in RANKS]:
                days = [day(one) for one in found]
                best = (min if what == "first" else max)(days, default=None)
                found = [one for one in found if day(one) == best]
            self._known[tuple(chain)] = found
        return self._known[tuple(chain)]

    def gap(self, order: Order) -> int | None:
        """Return the days since the order before of the same product."""
        before = [
            day(one)
            for one in self.orders
            if one.order_date < order.order_date and one.product_id == order.product_id
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
        price, gap = self._product(order).price, self.gap(order)
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
