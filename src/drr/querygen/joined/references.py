"""Solves and draws references to orders of a long history: for figures, and for the values of needs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from itertools import combinations
from random import Random
from typing import Literal, NamedTuple, get_args

from drr.env.checkable import Constraint, detail
from drr.env.entities import Order, Product
from drr.env.points import PointTruth
from drr.env.shop import Shop
from drr.env.statistics import cents
from drr.querygen.joined.needs import Dropped, JoinedNeedDraw, Tells
from drr.querygen.joined.solving import Undecided
from drr.querygen.joined.specification import OrderCondition, OrderFigure, Specification, TakenDemand
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
RANKS = ("first", "last")
"""Conditions that choose one of the orders that meet the others."""


def day(order: Order) -> int:
    return date.fromisoformat(order.order_date[:10]).toordinal()


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

    def holds(self, order: Order, condition: OrderCondition) -> bool:
        """Tell whether an order meets a condition that is no rank."""
        slip = order.slip
        found = {
            "kind": self.products[order.product_id].categories[-1],
            "year": order.order_date[:4],
            "status": order.order_status,
            "recipient": slip.recipient if slip else None,
            "former_home": "" if slip and slip.address and not slip.recipient else None,
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
        price, same = self.products[order.product_id].price, order.product_id
        before = [x for x in self.orders if x.product_id == same and x.order_date < order.order_date]
        if of.what == "total" and price is None:
            return PointTruth(status="cannot_be_told")
        if of.what == "days_again" and not before:
            raise Undecided("no order before of the same product")
        figures = {
            "date": order.order_date[:10],
            "total": order.quantity * cents(price or 0) / 100,
            "days_again": day(order) - max(map(day, before), default=0),
        }
        return PointTruth(figure=figures[of.what], sources=[f"user://{self.user}/orders/{order.order_id}"])

    def resolved(self, of: Specification) -> Specification:
        """Return the specification with the values that orders tell. Raises `Undecided`."""
        orders = [self.one(one.order) for one in of.taken]
        known = zip(orders, of.taken, strict=True)
        values = [self.value_of(own, one.name) if own else None for own, one in known]
        if not all(values):
            raise Undecided("an order tells no value")
        return of.resolved([*filter(None, values)])

    def value_of(self, order: Order, name: str) -> str | None:
        """Return a value of the product of an order; `Brand` stands for the maker."""
        product = self.products[order.product_id]
        return product.store if name == "Brand" else detail(product, name)


class JoinedDraft(NamedTuple):
    """A question in the making: its chance, shopper and departments, and the kinds, orders and picks that are used."""

    rng: Random
    user: str
    errand: Set[str]
    used: set[str]


@dataclass
class ReferenceDraw:
    """A drawer of references over the histories of one shop."""

    shop: Shop
    drawer: JoinedNeedDraw
    _histories: dict[str, History] = field(default_factory=dict)

    @property
    def shelves(self) -> Shelves:
        return self.drawer.shelves

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

    def figures(self, draft: JoinedDraft, count: int, refused: int) -> list[OrderFigure]:
        """Return figures, each of another unused order, so many of them without an answer. Raises `Dropped`.

        They are of different sorts, and of orders of the errand's departments where the history has them.
        """
        unknown = set(draft.rng.sample(range(count), refused))
        sorts = draft.rng.sample(get_args(_Sort), count)
        return [self._figure(draft, what, known=at not in unknown) for at, what in enumerate(sorts)]

    def _figure(self, draft: JoinedDraft, what: _Sort, *, known: bool) -> OrderFigure:
        rng, history, products = draft.rng, self.history(draft.user), self.shelves.products
        own = [one for one in history.orders if products[one.product_id].categories[0] in draft.errand]
        for number in range(_REDRAWS):
            if 3 * number == 2 * _REDRAWS or (what == "days_again" and not known):
                what = "date"  # a day can be asked of any order
            among = own if own and 3 * number < 2 * _REDRAWS else history.orders
            among = [one for one in among if one.order_id in history.again] if what == "days_again" else among
            chain = self.chain_of(rng, rng.choice(among), again=what == "days_again") if among else []
            if not known and what == "date":  # of two orders: perhaps none meets the conditions together
                others = self.facts(rng.choice(history.orders))[1:]
                chain = [next((x for x in others if x.what == one.what), one) for one in chain]
            if not chain or (named := {one.order_id for one in history.left(chain)}) & draft.used:
                continue
            figure = OrderFigure(what=what, order=chain)
            with suppress(Undecided):
                if (history.point(figure).status == "answered") == known:
                    draft.used.update(named)
                    return figure
        raise Dropped("no figure of this history")

    def chain_of(self, rng: Random, order: Order, *, again: bool = False) -> list[OrderCondition]:
        """Return the fewest conditions that leave one order: its kind, and one or two more; none where it takes others."""
        history = self.history(order.user_id)
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

    # -- values of needs

    def teller(self, user: str) -> Tells:
        """Return a test of whether an order of a shopper tells the value of a demand."""
        return lambda kind, one: bool(self._telling(user, kind, one))

    def anchored(self, draft: JoinedDraft, of: Specification, count: int) -> Specification:
        """Return the same bundle with at most so many of its demands taken from unused orders."""
        conceded = [(one.point, one.constraint) for one in of.concessions]
        stated = [(at, one) for at, need in enumerate(of.needs, 1) for one in need.constraints]
        rng, taken = draft.rng, list[TakenDemand]()
        drawn = rng.sample(stated, len(stated))
        for at, one in sorted(drawn, key=lambda one: one[1].kind != "brand_is"):
            if len(taken) == count or (at, one) in conceded or at in (x.point for x in taken):
                continue
            orders = self._telling(draft.user, of.needs[at - 1].category, one)
            for order in rng.sample(orders, len(orders)):
                if order.order_id not in draft.used and (chain := self.chain_of(rng, order)):
                    taken.append(TakenDemand(point=at, name=one.name or "Brand", order=chain))
                    of = of.with_need(at, constraints=[x for x in of.needs[at - 1].constraints if x != one])
                    draft.used.add(order.order_id)
                    break
        if any(one.kind == "brand_is" for need in of.needs for one in need.constraints):
            raise Dropped("a maker whom no order tells")
        return of.model_copy(update={"taken": sorted(taken, key=lambda one: one.point)})

    def _telling(self, user: str, category: Sequence[str], demand: Constraint) -> list[Order]:
        """Return the orders whose product has the value of a demand."""
        kind, history, found = tuple(category), self.history(user), list[Order]()
        for one in history.orders if demand.kind in ("attribute", "brand_is") else ():
            own = tuple(self.shelves.products[one.product_id].categories[-2:])
            if history.value_of(one, demand.name or "Brand") == demand.value:
                may = demand.kind == "brand_is" and own in self.drawer.kinds
                if own == kind or (may and self.drawer.share("Brand", kind, own)):
                    found.append(one)
        return found
