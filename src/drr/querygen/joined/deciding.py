"""Checks that a specification asks for no more than decides, and that shortcuts miss its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import get_args

from drr.env.session import Session
from drr.env.shop import Shop, Sort
from drr.env.statistics import cents
from drr.env.web.base import WebSearch
from drr.querygen.joined.solving import LEAST_SETS, Solution, Solver, Undecided
from drr.querygen.joined.specification import Specification
from drr.tools.base import context_for
from drr.tools.registry import call_sync

DECIDING = 0.8
"""The smallest share of demands without which the answer is another one."""
FIRST_ROWS = 10
"""The first results of a plain search, in any order, among which no right pick may stand."""


def lighter(of: Specification) -> Iterator[Specification]:
    """Yield the specification without each of its demands: constraints, conditions, rules, budget and concessions."""
    for point, need in enumerate(of.needs, 1):
        for one in need.constraints:
            conceded = [x for x in of.concessions if (x.point, x.constraint) != (point, one)]
            rest = of.with_need(point, constraints=[x for x in need.constraints if x != one])
            yield rest.model_copy(update={"concessions": conceded})
        if need.pieces > 1:
            yield of.with_need(point, pieces=1)
    for name in ("taken", "figures"):
        parts = getattr(of, name)
        for at, whole in enumerate(parts):
            for one in whole.order:
                part = whole.model_copy(update={"order": [x for x in whole.order if x != one]})
                yield of.model_copy(update={name: [*parts[:at], part, *parts[at + 1 :]]})
    for name in ("rules", "concessions", "taken"):
        whole = getattr(of, name)
        for place in range(len(whole)):
            yield of.model_copy(update={name: [*whole[:place], *whole[place + 1 :]]})
    if of.budget is not None:
        yield of.model_copy(update={"budget": None})


def decides(of: Specification, solve: Callable[[Specification], Solution]) -> list[bool]:
    """Tell of each demand whether a product, a figure or a refusal of the answer is another without it."""
    right = answer(of, solve)
    return [answer(one, solve) != right for one in lighter(of)]


def answer(of: Specification, solve: Callable[[Specification], Solution]) -> list[object] | None:
    """Return what is picked and told; `None` where nothing or more than one set is right."""
    try:
        points = solve(of).points
    except Undecided:
        return None
    return [(one.status, one.figure, [pick.product for pick in one.picks]) for one in points]


def shortcuts(of: Specification, right: Solution, solver: Solver) -> Iterator[str]:
    """Yield why a joint choice is too easy: few sets, or a shortcut that finds the right one."""
    if not many(solver.choice(of, right.given_up).cheapest(), of.budget):
        yield "few affordable sets"
    overlooked = of  # by one who does not see what things may cost
    for at, need in enumerate(of.needs, 1):
        rest = [one for one in need.constraints if one.kind != "price_max"]
        overlooked = overlooked.with_need(at, constraints=rest)
    choice = solver.choice(overlooked, right.given_up)
    chosen = [pick.product for one in right.points for pick in one.picks]
    best = [offers[0] for offers in choice.offers]
    cheapest = [min(offers, key=lambda one: (one.cost, -one.stars)) for offers in choice.offers]
    if chosen in [[one.product.product_id for one in way] for way in (best, cheapest)]:
        yield "a greedy choice is right"


def many(costs: Sequence[int], budget: float | None) -> bool:
    """Tell whether so many sets as it takes keep the budget."""
    return len(costs) == LEAST_SETS and (budget is None or costs[-1] <= cents(budget))


@dataclass
class FirstRows:
    """The products that plain searches for a kind show first."""

    shop: Shop
    web: WebSearch
    _known: dict[tuple[str, ...], list[frozenset[str]]] = field(default_factory=dict)

    def show(self, of: Specification, right: Solution) -> list[int]:
        """Return the points whose picks stand there, if one order shows more than a quarter of all picks."""
        kinds = [getattr(one, "category", []) for one in (*of.needs, *of.figures, *of.stated)]
        picks = [(at, one.picks[0].product) for at, one in enumerate(right.points, 1) if one.picks]
        orders = zip(*(self._orders(kinds[at - 1]) for at, _ in picks), strict=True)
        found = [[at for (at, pick), rows in zip(picks, one, strict=True) if pick in rows] for one in orders]
        most = max(found, key=len, default=[])
        return most if 4 * len(most) > len(picks) else []

    def _orders(self, category: list[str]) -> list[frozenset[str]]:
        """Return the first products of a search for a kind, in each order."""
        key = tuple(category)
        if key not in self._known:
            ctx = context_for(Session(self.shop, None), self.web)
            asked = {"query": category[-1], "limit": FIRST_ROWS}
            shelf = {**asked, "category": " > ".join(category), "match": "any"}
            answers = [
                call_sync("product_catalog_search", one, ctx)
                for one in (asked, *({**shelf, "sort": order} for order in get_args(Sort)))
            ]
            self._known[key] = [frozenset(row["product_id"] for row in one.data["items"]) for one in answers]
        return self._known[key]
