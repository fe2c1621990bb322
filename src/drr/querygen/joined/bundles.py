"""Draws bundles: needs with joint rules, a budget, and what may be given up for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from random import Random

from drr.env.checkable import Constraint
from drr.env.points import JointRule
from drr.env.statistics import cents
from drr.querygen.joined.deciding import DECIDING, FirstRows, answer, lighter, many, shortcuts
from drr.querygen.joined.needs import Dropped, JoinedNeedDraw, Kind, NeedGroup, Tells, no_order
from drr.querygen.joined.solving import Undecided
from drr.querygen.joined.specification import Concession, JoinedNeed, Specification
from drr.querygen.shelves import rounded

LOADS = (1, 2, 4, 6, 9, 12)
"""The points of a question, by level."""
REFUSED = 0.22
"""The share of points without an answer, from level 2 on."""
_CONCEDED, _ORDERS = 3, 4


def _within(of: Specification, limit: float) -> Specification:
    """Return the bundle within a limit: the budget of all, or the price of one single piece."""
    if len(of.needs) > 1 or of.needs[0].pieces > 1:
        return of.model_copy(update={"budget": limit})
    price = Constraint(kind="price_max", value=limit)
    return of.with_need(1, constraints=[*of.needs[0].constraints, price])


@dataclass
class BundleDraw(JoinedNeedDraw):
    """A drawer of bundles over one shop."""

    first: FirstRows

    def draw(
        self, rng: Random, load: int, unmet: int, tells: Tells = no_order, errand: Set[str] = frozenset()
    ) -> Specification:
        """Return a bundle of so many needs, some unmet, that passes all checks of its form. Raises `Dropped` or `Undecided`.

        Its kinds are of these departments, of any if none is given.
        """
        kinds = [kind for kind, one in self.kinds.items() if not errand or one in errand]
        refused = set(rng.sample(range(1, load + 1), unmet))
        needs, groups, used = dict[int, JoinedNeed](), list[NeedGroup](), set[Kind]()
        points = [at for at in range(1, load + 1) if at not in refused]
        while points:
            size, free = rng.choice((1, 2, 2, 3)), [kind for kind in kinds if kind not in used]
            group, drawn = self.group(rng, points[:size], free, load, tells)
            points = points[size:]
            groups.append(group)
            used.update(group.kinds)
            needs |= drawn
        for at in refused:
            needs[at] = self.refused(rng, [one for one in kinds if one not in used])
            used.add(tuple(needs[at].category))
        of = self._pruned(self._hidden(rng, needs, groups, tells))
        if sum(one.kind == "brand_is" for need in of.needs for one in need.constraints) > 1:
            raise Dropped("two makers are named")
        right = self.solver.solve(of)
        for why in shortcuts(of, right, self.solver):
            raise Dropped(why)
        alike = {at for rule in of.rules if rule.same == "Brand" for at in rule.points}
        picked = [pick.product for at in alike for pick in right.points[at - 1].picks]
        if not {self.shelves.products[one].store for one in picked} <= self.shelves.makers:
            raise Dropped("one maker who is none")
        return of

    def _hidden(
        self, rng: Random, needs: dict[int, JoinedNeed], groups: Sequence[NeedGroup], tells: Tells
    ) -> Specification:
        """Return the bundle with budget and concessions, redrawn until no right pick stands among first rows."""
        rules = [JointRule(points=one.points, same=one.shared) for one in groups if one.shared]
        for _ in range(5 * len(groups) + 15):
            of = Specification(needs=[needs[at] for at in sorted(needs)], rules=rules)
            try:
                limited = self._limited(rng, of)
                seen = self.first.show(limited, self.solver.solve(limited))
            except (Dropped, Undecided):
                limited, seen = of, rng.choice(groups).points
            if not seen:
                return limited
            for one in groups:
                if set(seen).intersection(one.points):
                    needs |= self.needs(rng, one, len(needs), tells)
        raise Dropped("no budget decides, or a pick stands among first rows")

    def _limited(self, rng: Random, of: Specification) -> Specification:
        """Return the bundle with a budget, and where it can be with what must be given up for it."""
        points = self.solver.answered(of)
        ways = [one for at in points for one in self._concessions(of, at)]
        drawn = [rng.sample(ways, len(ways)) for _ in range(_ORDERS)]
        orders = [[*{one.point: one for one in order}.values()] for order in drawn]
        most = min(_CONCEDED, len(points) // 2)
        tries = [one[:count] for one in orders for count in range(min(most, len(one)), 0, -1)]
        for conceded in [*tries, []]:
            eased, count = of.model_copy(update={"concessions": conceded}), len(conceded)
            best = self.solver.choice(eased, count).best(None)
            costs = self.solver.choice(eased, count).cheapest()
            dear = sum(one.cost for one in best[0]) if best else 0
            high = min([dear, *(self.solver.choice(eased, count - 1).cheapest()[:1] if count else [])])
            for part in (0.9, 0.75, 0.6, 0.4) if best else ():
                limit = rounded((costs[0] + part * (high - costs[0])) / 100, high / 100)
                if costs[0] < cents(limit) < high and many(costs, limit):
                    return _within(eased, limit)
        raise Dropped("no budget decides")

    def _concessions(self, of: Specification, at: int) -> Iterator[Concession]:
        """Yield what may be given up of a need, so that it costs less."""
        cheapest = min(one.cost for one in self.solver.offers(of, at, 0))
        for one in of.needs[at - 1].constraints:
            known = [x.demand for x in self.attributes(tuple(of.needs[at - 1].category))]
            others = [x for x in known if x.name == one.name]
            for instead in (None, *others) if one.kind == "attribute" else ():
                way = Concession(point=at, constraint=one, instead=instead)
                eased = self.solver.offers(of.model_copy(update={"concessions": [way]}), at, 1)
                if min(x.cost for x in eased) < 0.85 * cheapest:
                    yield way

    def _pruned(self, of: Specification) -> Specification:
        """Return the bundle without demands that decide nothing, as far as too many do. Each need keeps one of its own."""
        right = answer(of, self.solver.solve)
        while True:
            found = list(lighter(of))
            idle = [one for one in found if answer(one, self.solver.solve) == right]
            if len(found) - len(idle) >= DECIDING * len(found):
                return of
            spare = [one for one in idle if all(need.constraints for need in one.needs)]
            if not spare:
                raise Dropped("a need without a demand")
            of = spare[0]
