"""Draws references to orders that conditions single out of a long history: for figures, and for the values of needs."""

from __future__ import annotations

from collections.abc import Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from random import Random
from typing import Literal, get_args

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
_REDRAWS, _USERS = 60, 1000
_OF_SEVERAL = {"year", "first", "last"}
"""Conditions one of which people add to another."""
_LONG = 0.3
"""The share of orders for which a second condition beside the kind is tried where one does not do."""
_COMMON = "Delivered"
"""The status by which nobody names an order."""
_Sort = Literal["date", "total", "days_again"]


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

    def departments(self, user: str) -> list[str]:
        """Return the department of each order of a shopper."""
        return [self.shelves.products[one.product_id].categories[0] for one in self.history(user).orders]

    @cached_property
    def users(self) -> list[str]:
        """Return shoppers with a long history."""
        found = self.shop.store.sample_users(_USERS, seed=0, min_orders=HISTORY[0])
        return [one for one in found if len(self.history(one).orders) in HISTORY]

    def figures(
        self, rng: Random, user: str, count: int, refused: int, used: set[str], errand: Set[str]
    ) -> list[OrderFigure]:
        """Return figures, each of another unused order, so many of them without an answer. Raises `Dropped`.

        They are of different sorts, and of orders of the errand's departments where the history has them.
        """
        unknown, sorts = set(rng.sample(range(count), refused)), rng.sample(get_args(_Sort), count)
        return [
            self._figure(rng, user, what, used, errand, known=at not in unknown)
            for at, what in enumerate(sorts)
        ]

    def _figure(
        self,
        rng: Random,
        user: str,
        what: _Sort,
        used: set[str],
        errand: Set[str],
        *,
        known: bool,
    ) -> OrderFigure:
        history = self.history(user)
        own = [one for one in history.orders if self.shelves.products[one.product_id].categories[0] in errand]
        for number in range(_REDRAWS):
            if 3 * number == 2 * _REDRAWS or (what == "days_again" and not known):
                what = "date"  # a day can be asked of any order
            among = own if own and 3 * number < 2 * _REDRAWS else history.orders
            among = [one for one in among if one.order_id in history.again] if what == "days_again" else among
            chain = self.chain_of(rng, user, rng.choice(among), again=what == "days_again") if among else []
            if not known and what == "date":
                chain = self._broken(rng, user, chain)
            if not chain or (named := {one.order_id for one in history.left(chain)}) & used:
                continue
            figure = OrderFigure(what=what, order=chain)
            with suppress(Undecided):
                if (history.point(figure).status == "answered") == known:
                    used |= named
                    return figure
        raise Dropped("no figure of this history")

    def chain_of(self, rng: Random, user: str, order: Order, *, again: bool = False) -> list[OrderCondition]:
        """Return the fewest conditions that leave one order: its kind, and one or two more; none where it takes others."""
        history = self.history(user)
        kind, *facts = self.facts(order)
        facts += [OrderCondition(what="first"), OrderCondition(what="last")]
        drawn = [OrderCondition(what="again")] if again else rng.sample(facts, len(facts))
        counts = (1, 2) if rng.random() < _LONG else (1,)
        for more in [one for count in counts for one in combinations(drawn, count)]:
            chain = [kind, *more]
            if len(more) == 2 and not _OF_SEVERAL & {one.what for one in more}:
                continue
            rest = [[other for other in chain if other != one] for one in chain]
            if history.left(chain) == [order] and all(history.left(one) != [order] for one in rest):
                return chain
        return []

    def facts(self, order: Order) -> list[OrderCondition]:
        """Return the plain conditions that an order meets, its kind first."""
        product, history = self.shelves.products[order.product_id], self.history(order.user_id)
        found = [
            OrderCondition(what="kind", value=product.categories[-1]),
            OrderCondition(what="year", value=order.order_date[:4]),
            OrderCondition(what="status", value=order.order_status),
            OrderCondition(what="recipient", value=(order.slip and order.slip.recipient) or ""),
            OrderCondition(what="former_home"),
        ]
        return [one for one in found if history.holds(order, one) and one.value != _COMMON]

    def _broken(self, rng: Random, user: str, chain: Sequence[OrderCondition]) -> list[OrderCondition]:
        """Return conditions of two orders that perhaps no order meets together: the kind is of the first."""
        others = self.facts(rng.choice(self.history(user).orders))[1:]
        return [next((x for x in others if x.what == one.what), one) for one in chain]

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
        drawn = rng.sample(stated, len(stated))
        for at, one in sorted(drawn, key=lambda one: one[1].kind != "brand_is"):
            if len(taken) == count or (at, one) in conceded or at in (x.point for x in taken):
                continue
            orders = self._telling(user, needs[at - 1].category, one, drawer)
            for order in rng.sample(orders, len(orders)):
                if order.order_id not in used and (chain := self.chain_of(rng, user, order)):
                    taken.append(TakenDemand(point=at, name=one.name or "Brand", order=chain))
                    rest = [x for x in needs[at - 1].constraints if x != one]
                    needs[at - 1] = needs[at - 1].model_copy(update={"constraints": rest})
                    used.add(order.order_id)
                    break
        if any(one.kind == "brand_is" for need in needs for one in need.constraints):
            raise Dropped("a maker whom no order tells")
        return of.model_copy(update={"needs": needs, "taken": sorted(taken, key=lambda one: one.point)})

    def _telling(
        self, user: str, category: Sequence[str], demand: Constraint, drawer: JoinedNeedDraw
    ) -> list[Order]:
        """Return the orders whose product has the value of a demand."""
        kind, history, found = tuple(category), self.history(user), list[Order]()
        for one in history.orders if demand.kind in ("attribute", "brand_is") else ():
            own = tuple(self.shelves.products[one.product_id].categories[-2:])
            if history.value_of(one, demand.name or "Brand") == demand.value:
                near = demand.kind == "brand_is" and own in drawer.kinds and drawer.share("Brand", kind, own)
                if own == kind or near:
                    found.append(one)
        return found
