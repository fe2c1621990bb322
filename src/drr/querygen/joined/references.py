"""Draws and solves figures of orders that conditions single out of a long history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from random import Random

from drr.env.entities import Order, Product
from drr.env.points import PointTruth
from drr.env.shop import Shop
from drr.env.statistics import cents
from drr.querygen.joined.deciding import DECIDING
from drr.querygen.joined.needs import Dropped
from drr.querygen.joined.solving import Undecided
from drr.querygen.joined.specification import OrderCondition, OrderFigure, Specification

HISTORY = range(40, 121)
"""The numbers of orders of a shopper who is asked about."""
REFUSED = 0.22
"""The share of figures that no record tells, from the second level on."""
_REDRAWS, _USERS = 60, 1000


def holds(order: Order, product: Product, condition: OrderCondition) -> bool:
    """Tell whether an order meets a condition."""
    slip = order.slip
    found = {
        "kind": product.categories[-1],
        "maker": product.store,
        "year": order.order_date[:4],
        "status": order.order_status,
        "recipient": slip.recipient if slip else None,
        "former_home": "" if slip and slip.address and not slip.recipient else None,
    }
    return found[condition.what] == condition.value


@dataclass
class ReferenceDraw:
    """A drawer and solver of figures over the histories of one shop."""

    shop: Shop
    products: Mapping[str, Product]
    _orders: dict[str, list[Order]] = field(default_factory=dict)

    def orders(self, user: str) -> list[Order]:
        if user not in self._orders:
            found = self.shop.store.orders(user).items
            self._orders[user] = [one for one in found if one.product_id in self.products]
        return self._orders[user]

    def left(self, user: str, chain: Sequence[OrderCondition]) -> list[Order]:
        """Return the orders that meet all conditions."""
        return [
            one
            for one in self.orders(user)
            if all(holds(one, self.products[one.product_id], condition) for condition in chain)
        ]

    def points(self, of: Specification, user: str) -> list[PointTruth]:
        """Return the answers to all figures. Raises `Undecided` where conditions leave two orders."""
        return [self._point(one, user) for one in of.figures]

    def deciding(self, of: Specification, user: str) -> float:
        """Return the share of conditions without which a point has another answer, or two."""
        found = []
        for one in of.figures:
            right = self._point(one, user)
            for at, chain in enumerate(one.orders):
                for condition in chain:
                    rest = [other for other in chain if other != condition]
                    orders = [*one.orders[:at], rest, *one.orders[at + 1 :]]
                    with suppress(Undecided):
                        found.append(self._point(one.model_copy(update={"orders": orders}), user) != right)
                        continue
                    found.append(True)
        return sum(found) / len(found) if found else 1.0

    def _point(self, of: OrderFigure, user: str) -> PointTruth:
        left = [self.left(user, chain) for chain in of.orders]
        if not all(left):
            return PointTruth(status="nothing_fits")
        if any(len(one) > 1 for one in left):
            raise Undecided("conditions leave two orders")
        orders = [one[0] for one in left]
        days = [date.fromisoformat(one.order_date[:10]) for one in orders]
        price = self.products[orders[0].product_id].price
        sources = [f"user://{user}/orders/{one.order_id}" for one in orders]
        if of.what == "total":
            if price is None:
                return PointTruth(status="cannot_be_told")
            return PointTruth(figure=orders[0].quantity * cents(price) / 100, sources=sources)
        between = float(abs((days[-1] - days[0]).days))
        return PointTruth(figure=between if of.what == "days" else days[0].isoformat(), sources=sources)

    @cached_property
    def users(self) -> list[str]:
        """Return shoppers with a long history."""
        found = self.shop.store.sample_users(_USERS, seed=0, min_orders=HISTORY[0])
        return [one for one in found if len(self.orders(one)) in HISTORY]

    def draw(self, rng: Random, user: str, load: int) -> Specification:
        """Return figures, each of other orders, some without an answer. Raises `Dropped`."""
        refused = set(rng.sample(range(load), int(REFUSED * load + rng.random() * (load > 1))))
        figures, used = list[OrderFigure](), set[str]()
        for at in range(load):
            figures.append(self._figure(rng, user, used, "unknown" if at in refused else "told"))
        of = Specification(figures=figures)
        if self.deciding(of, user) < DECIDING:
            raise Dropped("conditions that decide nothing")
        return of

    def _figure(self, rng: Random, user: str, used: set[str], wanted: str) -> OrderFigure:
        for _ in range(_REDRAWS):
            what = rng.choice(("date", "total", "days"))
            chains = [self._chain(rng, user) for _ in range(1 + (what == "days"))]
            if wanted == "unknown" and what != "total":
                chains[0] = self._broken(rng, user, chains[0])
            figure = OrderFigure(what=what, orders=chains)
            named = {one.order_id for chain in chains for one in self.left(user, chain)}
            apart = len(named) == len(chains) or wanted == "unknown"
            status = self._point(figure, user).status
            if apart and not named & used and (status == "answered") == (wanted == "told"):
                used |= named
                return figure
        raise Dropped("no figure of this history")

    def _chain(self, rng: Random, user: str) -> list[OrderCondition]:
        """Return conditions that leave one order, none of which can be spared."""
        for _ in range(_REDRAWS):
            if chain := self.chain_of(rng, user, rng.choice(self.orders(user))):
                return chain
        raise Dropped("no order stands out")

    def chain_of(self, rng: Random, user: str, order: Order) -> list[OrderCondition]:
        """Return such conditions for one order; none where the draw fails."""
        chain = [one for one in self.facts(order) if rng.random() < 0.7]
        for one in rng.sample(chain, len(chain)):
            rest = [other for other in chain if other != one]
            chain = rest if len(self.left(user, rest)) == 1 else chain
        return chain if len(self.left(user, chain)) == 1 and len(chain) > 1 else []

    def facts(self, order: Order) -> list[OrderCondition]:
        """Return all conditions that an order meets."""
        product = self.products[order.product_id]
        found = [
            OrderCondition(what="kind", value=product.categories[-1]),
            OrderCondition(what="maker", value=product.store or ""),
            OrderCondition(what="year", value=order.order_date[:4]),
            OrderCondition(what="status", value=order.order_status),
            OrderCondition(what="recipient", value=(order.slip and order.slip.recipient) or ""),
            OrderCondition(what="former_home"),
        ]
        return [one for one in found if holds(order, product, one)]

    def _broken(self, rng: Random, user: str, chain: Sequence[OrderCondition]) -> list[OrderCondition]:
        """Return conditions of two orders that no order meets together, though some meet all but one."""
        other = rng.choice(self.facts(rng.choice(self.orders(user))))
        return [other if one.what == other.what else one for one in chain]
