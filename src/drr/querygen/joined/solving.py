"""Solves a specification over the whole shop, exactly. A tie stops it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple, TypeVar

from drr.env.checkable import Constraint, brands, detail, meets_constraint
from drr.env.entities import Product
from drr.env.points import JointRule, PointTruth, RightPick, Status
from drr.env.statistics import cents
from drr.env.text import category_key
from drr.querygen.joined.specification import Specification
from drr.querygen.shelves import Shelves

_MOST_STEPS = 200_000


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
    chosen: Any
    """The offers: in order for a part, by place for a whole."""


class Solution(NamedTuple):
    points: list[PointTruth]
    rules: list[JointRule]
    given_up: int
    """The number of concessions that it takes."""


def maker(product: Product) -> str | None:
    """Return the key of a product's maker, its store."""
    return category_key(product.store or "") or None


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


W = TypeVar("W", Offer, _Set)


def _front(found: Iterable[W]) -> Iterator[W]:
    """Yield what nothing surpasses, the most stars first. Of equals all are kept."""
    best: W | None = None
    for one in sorted(found, key=lambda one: (-one.stars, one.cost)):
        if best is None or one.cost < best.cost or (one.stars, one.cost) == (best.stars, best.cost):
            best = one
            yield one


@dataclass
class Choice:
    """The joint choice of one offer for each point: exact, part by part of those that rules bind together."""

    offers: Sequence[Sequence[Offer]]
    rules: Sequence[tuple[Sequence[int], str, bool]]
    """Places of the offers, the name that is compared, and whether all must share it or none."""
    keys: Sequence[str]
    """A key for the offers of each place."""
    known: dict[object, list[_Set]]
    """The sets of parts met before."""
    steps: int = 0
    _values: dict[tuple[str, str], str | None] = field(default_factory=dict)

    def best(self, budget: int | None) -> list[list[Offer]]:
        """Return the sets with the most stars at the least cost, at most two of them. Branches that cannot reach the best are left out."""
        parts = self._parts
        least = [min((cost for _, cost, _ in part), default=0) for part in parts]
        most = [max((stars for stars, _, _ in part), default=0) for part in parts]
        found: list[_Set] = []

        def deeper(place: int, stars: int, cost: int, chosen: dict[int, Offer]) -> None:
            if place == len(parts):
                if not found or (stars, -cost) >= (found[0].stars, -found[0].cost):
                    keep = [one for one in found if (one.stars, one.cost) == (stars, cost)]
                    found[:] = [*keep, _Set(stars, cost, chosen)][:2]
                return
            for one in parts[place]:
                self._step()
                low = cost + one.cost + sum(least[place + 1 :])
                high = stars + one.stars + sum(most[place + 1 :])
                if (budget is None or low <= budget) and not (
                    found and (high, -low) < (found[0].stars, -found[0].cost)
                ):
                    deeper(place + 1, stars + one.stars, cost + one.cost, {**chosen, **one.chosen})

        if all(parts):
            deeper(0, 0, 0, {})
        return [[one.chosen[place] for place in sorted(one.chosen)] for one in found]

    def cheapest(self) -> int | None:
        """Return the cost of the cheapest set; `None` where no set keeps the rules."""
        return sum(min(one.cost for one in part) for part in self._parts) if all(self._parts) else None

    def sets(self, budget: int | None, most: int) -> int:
        """Count the sets that keep rules and budget, up to a number."""
        cheap = [sorted(offers, key=lambda one: one.cost) for offers in self.offers]
        rest = [sum(offers[0].cost for offers in cheap[place:]) for place in range(len(cheap) + 1)]
        walk = self._walk(
            cheap, range(len(cheap)), lambda place, cost: budget is None or cost + rest[place] <= budget
        )
        return sum(1 for _ in zip(range(most), walk, strict=False))

    @cached_property
    def _parts(self) -> list[list[_Set]]:
        """Return the sets of each part that rules bind together, the most stars first, without those that another surpasses."""
        parts = [{place} for place in range(len(self.offers))]
        for places, _, _ in self.rules:
            bound = [part for part in parts if part.intersection(places)]
            parts = [part for part in parts if part not in bound] + [set[int]().union(*bound)] * bool(bound)
        return [self._part(sorted(part)) for part in parts]

    def _part(self, part: Sequence[int]) -> list[_Set]:
        bound = [
            (*map(part.index, places), name, same) for places, name, same in self.rules if places[0] in part
        ]
        key = (*(self.keys[place] for place in part), *bound)
        if key not in self.known:
            walk = self._walk([self._unsurpassed(place) for place in part], part, lambda *_: True)
            sets = [_Set(sum(x.stars for x in one), sum(x.cost for x in one), one) for one in walk]
            self.known[key] = list(_front(sets))
        return [one._replace(chosen=dict(zip(part, one.chosen, strict=True))) for one in self.known[key]]

    def _unsurpassed(self, place: int) -> list[Offer]:
        """Return the offers of a place that none of the same values in its rules surpasses."""
        names = [name for places, name, _ in self.rules if place in places]
        groups = dict[tuple[str | None, ...], list[Offer]]()
        for one in self.offers[place]:
            groups.setdefault(tuple(self._value(one, name) for name in names), []).append(one)
        return [one for group in groups.values() for one in _front(group)]

    def _step(self) -> None:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise Undecided("the choice is too wide")

    def _walk(
        self, lists: Sequence[Sequence[Offer]], places: Sequence[int], within: Callable[[int, int], bool]
    ) -> Iterator[list[Offer]]:
        """Yield the sets of offers for these places that keep the rules."""

        shared = [
            (place, name, [one for one in others if one < place])
            for others, name, same in self.rules
            if same
            for place in others
        ]
        ties = {place: (name, before[-1]) for place, name, before in shared if before}
        sorted_out = dict[int, dict[str | None, list[Offer]]]()
        for place, offers in zip(places, lists, strict=True):
            for one in offers if place in ties else ():
                values = sorted_out.setdefault(place, {})
                values.setdefault(self._value(one, ties[place][0]), []).append(one)

        def deeper(chosen: list[Offer], cost: int) -> Iterator[list[Offer]]:
            if len(chosen) == len(lists):
                yield chosen
                return
            place, offers = places[len(chosen)], lists[len(chosen)]
            if place in ties:
                name, before = ties[place]
                offers = sorted_out.get(place, {}).get(self._value(chosen[places.index(before)], name), [])
            for one in offers:
                self._step()
                if not within(len(chosen) + 1, cost + one.cost):
                    return
                if self._keeps(chosen, places, one):
                    yield from deeper([*chosen, one], cost + one.cost)

        return deeper([], 0)

    def _keeps(self, chosen: Sequence[Offer], places: Sequence[int], new: Offer) -> bool:
        for bound, name, same in self.rules:
            if places[len(chosen)] in bound:
                own = self._value(new, name)
                others = [
                    self._value(one, name) for one, at in zip(chosen, places, strict=False) if at in bound
                ]
                if own is None or any((own == other) != same for other in others):
                    return False
        return True

    def _value(self, offer: Offer, name: str) -> str | None:
        key = (offer.product.product_id, name)
        if key not in self._values:
            self._values[key] = rule_value(offer.product, name)
        return self._values[key]


@dataclass
class Solver:
    """A solver of specifications over one shop."""

    shelves: Shelves
    _offers: dict[str, list[Offer]] = field(default_factory=dict)
    _status: dict[str, Status] = field(default_factory=dict)
    _parts: dict[object, list[_Set]] = field(default_factory=dict)
    _values: dict[tuple[str, str], str | None] = field(default_factory=dict)

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
        keys = [
            f"{of.needs[at - 1].category}{of.needs[at - 1].pieces}{of.wanted(at, given_up)}" for at in points
        ]
        return Choice(
            offers, [rule for rule in rules if len(rule[0]) > 1], keys, self._parts, _values=self._values
        )

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
