"""Draws references to orders that conditions single out of a long history: for figures, and for the values of needs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from random import Random

from drr.env.checkable import Constraint
from drr.env.entities import Order
from drr.env.shop import Shop
from drr.querygen.joined.histories import History
from drr.querygen.joined.needs import Dropped, JoinedNeedDraw, Tells
from drr.querygen.joined.solving import Undecided
from drr.querygen.joined.specification import (
    OrderCondition,
    OrderFigure,
    Specification,
    TakenDemand,
)
from drr.querygen.shelves import Shelves

HISTORY = range(40, 121)
"""The numbers of orders of a shopper who is asked about."""
_REDRAWS, _CHAINS, _USERS = 60, 5, 1000
_PLAIN = ("kind", "maker", "year", "status", "recipient", "former_home")


@dataclass
class ReferenceDraw:
    """A drawer of references over the histories of one shop."""

    shop: Shop
    shelves: Shelves
    _histories: dict[str, History] = field(default_factory=dict)

    def history(self, user: str) -> History:
        if user not in self._histories:
            found = self.shop.store.orders(user).items
            known = [one for one in found if one.product_id in self.shelves.products]
            self._histories[user] = History(user, known, self.shelves.products)
        return self._histories[user]

    @cached_property
    def users(self) -> list[str]:
        """Return shoppers with a long history."""
        found = self.shop.store.sample_users(_USERS, seed=0, min_orders=HISTORY[0])
        return [one for one in found if len(self.history(one).orders) in HISTORY]

    def figures(self, rng: Random, user: str, count: int, refused: int, used: set[str]) -> list[OrderFigure]:
        """Return figures, each of another unused order, so many of them without an answer. Raises `Dropped`."""
        unknown = set(rng.sample(range(count), refused))
        return [self._figure(rng, user, used, known=at not in unknown) for at in range(count)]

    def _figure(self, rng: Random, user: str, used: set[str], *, known: bool) -> OrderFigure:
        history = self.history(user)
        again = [one for one in history.orders if history.gap(one, of_product=True) is not None]
        for _ in range(_REDRAWS):
            what = rng.choice(("date", "total", "days_again"))
            among = again if known and what == "days_again" else history.orders
            chain = self._chain(rng, user, among, plain=not known)
            if not known and what != "total":
                chain = self._broken(rng, user, chain)
            if not chain or (named := {one.order_id for one in history.left(chain)}) & used:
                continue
            figure = OrderFigure.model_validate({"what": what, "order": chain})
            with suppress(Undecided):
                if (history.point(figure).status == "answered") == known:
                    used |= named
                    return figure
        raise Dropped("no figure of this history")

    def _chain(self, rng: Random, user: str, among: Sequence[Order], *, plain: bool) -> list[OrderCondition]:
        """Return conditions that leave one of these orders, none of which can be spared. Half of them say what it is among others."""
        related = [{one} for found in self.history(user).related.values() for one in sorted(found)]
        for _ in range(_REDRAWS):
            rare = rng.choice(related) if related and not plain and rng.random() < 0.5 else None
            orders = [one for one in among if not rare or one.order_id in rare]
            if orders and (chain := self.chain_of(rng, user, rng.choice(orders), plain=plain)):
                return chain
        return []

    def chain_of(self, rng: Random, user: str, order: Order, *, plain: bool = True) -> list[OrderCondition]:
        """Return such conditions for one order; none where the draw fails."""
        history = self.history(user)
        facts = [one for one in self.facts(order) if rng.random() < 0.7]
        own = [OrderCondition(what=what) for what in ("again", "given_up") if not plain]
        proper = self.shelves.products[order.product_id].store in self.shelves.makers
        own = [one for one in own if history.holds(order, one) and (proper or one.what == "again")]
        chain = [*own[:1], *(one for one in facts if not own or one.what in ("kind", "year"))]
        if own and own[0].what == "given_up":
            chain = list(dict.fromkeys([*self.facts(order)[:1], *chain]))
        if not plain and rng.random() < 0.6 and (ranks := self._ranks(rng, history, order, chain)):
            chain = ranks
        for one in sorted(rng.sample(chain, len(chain)), key=lambda one: one.what not in _PLAIN):
            rest = [other for other in chain if other != one]
            chain = rest if one not in own and history.left(rest) == [order] else chain
        names = {one.what for one in chain}
        apt = "kind" in names if "given_up" in names else len(chain) > 1 or "pause" in names
        return chain if apt and history.left(chain) == [order] else []

    def _ranks(
        self, rng: Random, history: History, order: Order, chain: Sequence[OrderCondition]
    ) -> list[OrderCondition] | None:
        """Return the conditions with a rank by which the order is the only one; without conditions that idle beside it."""
        again = [one for one in chain if one.what == "again"]
        years = [one for one in chain if one.what == "year" and rng.random() < 0.5]
        rest = [one for one in chain if one.what in ("kind", "maker", "recipient", "given_up")]
        ways = [(again, "last")] if again else [(years, "pause"), (rest, "last"), (rest, "first")]
        for stated, what in rng.sample(ways, len(ways)):
            found = [*stated, OrderCondition.model_validate({"what": what})]
            if (stated or what == "pause") and history.left(found) == [order]:
                return found
        return None

    def facts(self, order: Order) -> list[OrderCondition]:
        """Return the plain conditions that an order meets, its kind first."""
        product, history = self.shelves.products[order.product_id], self.history(order.user_id)
        found = [
            OrderCondition(what="kind", value=product.categories[-1]),
            *(
                [OrderCondition(what="maker", value=product.store)]
                if product.store in self.shelves.makers
                else ()
            ),
            OrderCondition(what="year", value=order.order_date[:4]),
            OrderCondition(what="status", value=order.order_status),
            OrderCondition(what="recipient", value=(order.slip and order.slip.recipient) or ""),
            OrderCondition(what="former_home"),
        ]
        return [one for one in found if history.holds(order, one)]

    def _broken(self, rng: Random, user: str, chain: Sequence[OrderCondition]) -> list[OrderCondition]:
        """Return conditions of two orders that no order meets together, though some meet all but one."""
        other = rng.choice(self.facts(rng.choice(self.history(user).orders)))
        return [other if one.what == other.what else one for one in chain]

    # -- values of needs

    def teller(self, user: str, drawer: JoinedNeedDraw) -> Tells:
        """Return a test of whether an order of a shopper tells the value of a demand."""
        return lambda kind, one: bool(self._telling(user, kind, one, drawer))

    def anchored(
        self, rng: Random, of: Specification, user: str, count: int, drawer: JoinedNeedDraw, used: set[str]
    ) -> Specification:
        """Return the same bundle with at most so many of its demands taken from unused orders."""
        conceded = [(one.point, one.constraint) for one in of.concessions]
        stated = [(at, one) for at, need in enumerate(of.needs, 1) for one in need.constraints]
        taken, needs = list[TakenDemand](), list(of.needs)
        for at, one in rng.sample(stated, len(stated)):
            if len(taken) == count or (at, one) in conceded or at in (x.point for x in taken):
                continue
            orders = self._telling(user, needs[at - 1].category, one, drawer)
            for order in _CHAINS * rng.sample(orders, len(orders)):
                chain = self.chain_of(rng, user, order, plain=rng.random() < 0.4)
                idle = "maker" in (x.what for x in chain) and one.kind == "brand_is"
                if chain and not idle and order.order_id not in used:
                    taken.append(TakenDemand(point=at, name=one.name or "Brand", order=chain))
                    rest = [x for x in needs[at - 1].constraints if x != one]
                    needs[at - 1] = needs[at - 1].model_copy(update={"constraints": rest})
                    used.add(order.order_id)
                    break
        return of.model_copy(update={"needs": needs, "taken": sorted(taken, key=lambda one: one.point)})

    def _telling(
        self, user: str, category: Sequence[str], demand: Constraint, drawer: JoinedNeedDraw
    ) -> list[Order]:
        """Return the orders whose product has the value of a demand."""
        kind, history, found = tuple(category), self.history(user), list[Order]()
        for one in history.orders if demand.kind in ("attribute", "brand_is") else ():
            own = tuple(self.shelves.products[one.product_id].categories[-2:])
            if history.value_of(one, demand.name or "Brand") == demand.value:
                alike = demand.kind == "brand_is" or own == kind
                if alike or (own in drawer.kinds and drawer.share(demand.name, kind, own)):
                    found.append(one)
        return found
