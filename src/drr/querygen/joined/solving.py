"""Solves a specification over the whole shop, exactly. A tie stops it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import nsmallest
from itertools import combinations
from typing import NamedTuple

from drr.env.checkable import Constraint, brands, detail, meets_constraint
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
    """The joint choice of one offer for each point: exact, part by part of those that rules bind together."""

    offers: Sequence[Sequence[Offer]]
    rules: Sequence[tuple[Sequence[int], str, bool]]
    """Places of the offers, the name that is compared, and whether all must share it or none."""
    known: dict[object, list[_Set]]
    """The sets of parts met before."""

    def best(self, budget: int | None) -> list[list[Offer]]:
        """Return the sets with the most stars at the least cost, at most two of them."""
        paid = [one for one in self._sets(_front) if budget is None or one.cost <= budget]
        return [[one.chosen[at] for at in sorted(one.chosen)] for one in paid if one[:2] == paid[0][:2]]

    def cheapest(self) -> list[int]:
        """Return the costs of the cheapest sets that keep the rules, at most `LEAST_SETS` of them."""
        return [one.cost for one in self._sets(_cheapest)]

    def _sets(self, cut: _Cut) -> list[_Set]:
        parts = [{place} for place in range(len(self.offers))]
        for places, _, _ in self.rules:
            bound = set[int]().union(*(part for part in parts if part.intersection(places)))
            parts = [*(part for part in parts if not part & bound), bound]
        found = [_Set(0, 0, {})]
        for part in parts:
            found = list(cut(_both(one, own) for one in found for own in self._part(sorted(part), cut)))
        return found

    def _part(self, part: Sequence[int], cut: _Cut) -> list[_Set]:
        rules = [rule for rule in self.rules if rule[0][0] in part]
        key = (cut, *((place, id(self.offers[place])) for place in part), str(rules))
        if key not in self.known:
            found = [_Set(0, 0, {})]
            for place in part:
                found = list(self._wider(found, place, [rule for rule in rules if place in rule[0]], cut))
            self.known[key] = list(cut(found))
        return self.known[key]

    def _wider(
        self,
        sets: Sequence[_Set],
        place: int,
        rules: Sequence[tuple[Sequence[int], str, bool]],
        cut: _Cut,
    ) -> Iterator[_Set]:
        """Yield the sets with an offer more that keeps the rules. Each group of equal values is cut first."""
        groups = defaultdict[tuple[str | None, ...], list[_Set]](list)
        for one in self.offers[place]:
            values = tuple(rule_value(one.product, name) for _, name, _ in rules)
            groups[values].append(_Set(one.stars, one.cost, {place: one}))
        kept = {values: list(cut(group)) for values, group in groups.items() if None not in values}
        for chosen in sets:
            others = [
                {rule_value(one.product, name) for at, one in chosen.chosen.items() if at in places}
                for places, name, _ in rules
            ]
            for values, group in kept.items():
                if all(
                    other <= {own} if same else own not in other
                    for own, other, (_, _, same) in zip(values, others, rules, strict=True)
                ):
                    yield from (_both(chosen, one) for one in group)


def _both(one: _Set, other: _Set) -> _Set:
    return _Set(one.stars + other.stars, one.cost + other.cost, {**one.chosen, **other.chosen})


@dataclass
class Solver:
    """A solver of specifications over one shop."""

    shelves: Shelves
    _offers: dict[str, list[Offer]] = field(default_factory=dict)
    _status: dict[str, Status] = field(default_factory=dict)
    _known: dict[object, list[_Set]] = field(default_factory=dict)

    def status(self, of: Specification, point: int) -> Status:
        """Return the outcome of a point by itself, with all that may be given up."""
        need, demands = of.needs[point - 1], of.wanted(point, len(of.concessions))
        key = f"{need.category}{demands}"
        if key not in self._status:
            shelf = self.shelves.of(need.category)
            found = {fits(one, demands) for one in shelf}
            empty: Status = "not_sold" if not shelf else "cannot_be_told" if None in found else "nothing_fits"
            self._status[key] = "answered" if True in found else empty
        return self._status[key]

    def offers(self, of: Specification, point: int, given_up: int) -> list[Offer]:
        """Return what surely fits a point, the most stars first."""
        need, demands = of.needs[point - 1], of.wanted(point, given_up)
        key = f"{need.category}{need.pieces}{demands}"
        if key not in self._offers:
            found = [
                Offer(one, round(10 * one.average_rating), need.pieces * cents(one.price))
                for one in self.shelves.of(need.category)
                if one.price is not None and one.average_rating is not None and fits(one, demands)
            ]
            self._offers[key] = sorted(found, key=lambda one: (-one.stars, one.cost, one.product.product_id))
        return self._offers[key]

    def answered(self, of: Specification) -> list[int]:
        return [point for point in range(1, len(of.needs) + 1) if self.status(of, point) == "answered"]

    def choice(self, of: Specification, given_up: int) -> Choice:
        """Return the joint choice of all points that can be answered."""
        points = self.answered(of)
        rules = [
            ([points.index(point) for point in rule.points if point in points], name, same)
            for rule in of.rules
            for name, same in ((rule.same, True), (rule.differ, False))
            if name
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
        for rule in of.rules:
            named = [brands(picks[at].product) for at in rule.points if at in picks]
            if rule.differ == "Brand" and any(one & other for one, other in combinations(named, 2)):
                raise Undecided("a brand of the details makes two makers one")
        bound = [
            rule.model_copy(update={"points": [one for one in rule.points if one in points]})
            for rule in of.rules
        ]
        if of.budget is not None:
            bound.append(JointRule(points=points, total_max=of.budget))
        return Solution(truths, bound, given_up)
