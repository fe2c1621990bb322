"""Solves a specification over the whole shop, exactly. A tie stops it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import nsmallest
from typing import NamedTuple

from drr.env.checkable import Constraint, detail, meets_constraint
from drr.env.entities import Product
from drr.env.points import JointRule, PointTruth, RightPick, Status
from drr.env.statistics import cents
from drr.env.text import category_key
from drr.querygen.joined.specification import Specification
from drr.querygen.shelves import Shelves

LEAST_SETS = 12
"""The smallest number of sets that keep rules and budget."""


class Undecided(Exception):
    """The shop gives a specification no unique answer."""


class Offer(NamedTuple):
    """A product that fits a point, as the joint choice weighs it."""

    product: Product
    stars: int
    """Tenths of a star."""
    cost: int
    """Cents for all pieces."""


class _Set(NamedTuple):
    """Offers by place, with their stars and cost."""

    stars: int
    cost: int
    chosen: dict[int, Offer]


class Solution(NamedTuple):
    points: list[PointTruth]
    rules: list[JointRule]
    given_up: int
    """The number of concessions that it takes."""


def maker(product: Product) -> str | None:
    """Return the key of a product's maker, its store."""
    return category_key(product.store or "") or None


@lru_cache(100_000)
def rule_value(product: Product, name: str) -> str | None:
    """Return what a joint rule compares; `None` where the listing does not tell it."""
    found = maker(product) if name == "Brand" else detail(product, name)
    return found.casefold() if found else None


def _meets(product: Product, wanted: Constraint) -> bool | None:
    if wanted.kind == "brand_is":
        return None if maker(product) is None else maker(product) == category_key(str(wanted.value))
    return meets_constraint(product, wanted, ())


def fits(product: Product, demands: Sequence[Sequence[Constraint]]) -> bool | None:
    """Tell whether a product surely meets one demand of each list; `None` where an unknown value leaves it open."""
    found = [[_meets(product, one) for one in ways] for ways in demands]
    sure = [True if True in one else None if None in one else False for one in found]
    sure.append(None if product.price is None or product.average_rating is None else True)
    return False if False in sure else None if None in sure else True


def _front(found: Iterable[_Set]) -> Iterator[_Set]:
    """Yield what nothing surpasses, the most stars first. Of equals two are kept, which tell a tie."""
    before: list[_Set] = []
    for one in sorted(found, key=lambda one: (-one.stars, one.cost)):
        if not before or one.cost < before[-1].cost or [x[:2] for x in before].count(one[:2]) == 1:
            before = [*before[-1:], one]
            yield one


def _cheapest(found: Iterable[_Set]) -> Iterator[_Set]:
    yield from nsmallest(LEAST_SETS, found, key=lambda one: one.cost)


_Cut = Callable[[Iterable[_Set]], Iterator[_Set]]


@dataclass
class Choice:
    """The joint choice of one offer for each point: exact, group by group of those that a rule binds."""

    offers: Sequence[Sequence[Offer]]
    rules: Sequence[tuple[Sequence[int], str]]
    """Places of the offers that share a value, and its name. No place is bound twice."""
    known: dict[object, list[_Set]]
    """The sets of groups met before."""

    def best(self, budget: int | None) -> list[list[Offer]]:
        """Return the sets with the most stars at the least cost, at most two of them."""
        paid = [one for one in self._sets(_front) if budget is None or one.cost <= budget]
        return [[one.chosen[at] for at in sorted(one.chosen)] for one in paid if one[:2] == paid[0][:2]]

    def cheapest(self) -> list[int]:
        """Return the costs of the cheapest sets that keep the rules, at most `LEAST_SETS` of them."""
        return [one.cost for one in self._sets(_cheapest)]

    def _sets(self, cut: _Cut) -> list[_Set]:
        bound, found = {place for places, _ in self.rules for place in places}, [_Set(0, 0, {})]
        alone = [([place], "") for place in range(len(self.offers)) if place not in bound]
        for places, name in [*alone, *self.rules]:
            found = list(cut(_both(one, own) for one in found for own in self._group(places, name, cut)))
        return found

    def _group(self, places: Sequence[int], name: str, cut: _Cut) -> list[_Set]:
        """Return the sets of offers that share a value, if one is named."""
        key = (cut, name, *((place, id(self.offers[place])) for place in places))
        if key not in self.known:
            lots = [defaultdict[str | None, list[_Set]](list) for _ in places]
            for place, of_value in zip(places, lots, strict=True):
                for one in self.offers[place]:
                    value = rule_value(one.product, name) if name else ""
                    of_value[value].append(_Set(one.stars, one.cost, {place: one}))
            found = list[_Set]()
            for value in [one for one in lots[0] if one is not None]:
                sets = [_Set(0, 0, {})]
                for of_value in lots:
                    own = list(cut(of_value[value]))
                    sets = list(cut(_both(one, other) for one in sets for other in own))
                found += sets
            self.known[key] = list(cut(found))
        return self.known[key]


def _both(one: _Set, other: _Set) -> _Set:
    return _Set(one.stars + other.stars, one.cost + other.cost, {**one.chosen, **other.chosen})


@dataclass
class Solver:
    """A solver of specifications over one shop."""

    shelves: Shelves
    _fitting: dict[str, tuple[Status, list[Offer]]] = field(default_factory=dict)
    _known: dict[object, list[_Set]] = field(default_factory=dict)

    def status(self, of: Specification, point: int) -> Status:
        """Return the outcome of a point by itself, with all that may be given up."""
        return self._found(of, point, len(of.concessions))[0]

    def offers(self, of: Specification, point: int, given_up: int) -> list[Offer]:
        """Return what surely fits a point, the most stars first."""
        return self._found(of, point, given_up)[1]

    def _found(self, of: Specification, point: int, given_up: int) -> tuple[Status, list[Offer]]:
        need, demands = of.needs[point - 1], of.wanted(point, given_up)
        key = f"{need.category}{need.pieces}{demands}"
        if key not in self._fitting:
            found = [(one, fits(one, demands)) for one in self.shelves.of(need.category)]
            empty: Status = "cannot_be_told" if None in (sure for _, sure in found) else "nothing_fits"
            offers = [
                Offer(one, round(10 * one.average_rating), need.pieces * cents(one.price))
                for one, sure in found
                if sure and one.price is not None and one.average_rating is not None
            ]
            offers.sort(key=lambda one: (-one.stars, one.cost, one.product.product_id))
            self._fitting[key] = ("answered" if offers else empty if found else "not_sold", offers)
        return self._fitting[key]

    def answered(self, of: Specification) -> list[int]:
        return [point for point in range(1, len(of.needs) + 1) if self.status(of, point) == "answered"]

    def choice(self, of: Specification, given_up: int) -> Choice:
        """Return the joint choice of all points that can be answered."""
        points = self.answered(of)
        rules = [
            ([points.index(at) for at in one.points if at in points], one.same or "") for one in of.rules
        ]
        offers = [self.offers(of, point, given_up) for point in points]
        return Choice(offers, [rule for rule in rules if len(rule[0]) > 1], self._known)

    def solve(self, of: Specification) -> Solution:
        """Return the one right answer. Raises `Undecided` for a tie, or where no set keeps the rules."""
        budget = None if of.budget is None else cents(of.budget)
        for given_up in range(len(of.concessions) + 1):
            found = self.choice(of, given_up).best(budget)
            if len(found) > 1:
                raise Undecided("a tie")
            if found:
                return self._solution(of, found[0], given_up)
        raise Undecided("no set keeps the rules")

    def _solution(self, of: Specification, chosen: Sequence[Offer], given_up: int) -> Solution:
        points = self.answered(of)
        picks = dict(zip(points, chosen, strict=True))
        truths = [
            PointTruth(picks=[RightPick(product=picks[point].product.product_id, pieces=need.pieces)])
            if point in picks
            else PointTruth(status=self.status(of, point))
            for point, need in enumerate(of.needs, 1)
        ]
        bound = [
            rule.model_copy(update={"points": [one for one in rule.points if one in points]})
            for rule in of.rules
        ]
        if of.budget is not None:
            bound.append(JointRule(points=points, total_max=of.budget))
        return Solution(truths, bound, given_up)
