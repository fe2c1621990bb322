"""Draws points on which records disagree, as pairs of questions that differ in one point."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from random import Random

from drr.env.checkable import detail, parse_figure
from drr.querygen.joined.bundles import REFUSED
from drr.querygen.joined.deciding import DECIDING, FirstRows
from drr.querygen.joined.needs import Dropped, Kind
from drr.querygen.joined.solving import Solution, Undecided
from drr.querygen.joined.specification import Record, Specification, StatedPoint
from drr.querygen.joined.stated import OF_ORDERS, OF_PRODUCTS, REFUSALS, UNTOLD, Outcome, StatedTruth
from drr.wording.currency import DOLLARS

_REDRAWS = 60
_SHELF = 5
"""The most products among which a point asks for one; each may have to be opened and searched for."""
_AGAINST = 0.7
"""The share of answers that differ from what the listing says."""


@dataclass
class StatedDraw:
    """A drawer of such questions over one shop."""

    truth: StatedTruth
    first: FirstRows

    @cached_property
    def contested(self) -> dict[str, list[str]]:
        """Return the names of values on which pages differ from the listing, by product that pages name."""
        found: dict[str, list[str]] = {}
        for product in self.truth.shelves.products.values():
            rows = self.truth.rows(product) if product.store else ()
            stating = {pair for row in rows if row.shape != "offer" for pair in row.cells.items()}
            if rows:
                names = {name for name, value in stating if value != detail(product, name)}
                found[product.product_id] = sorted(names)
        return found

    @cached_property
    def makers(self) -> dict[tuple[Kind, str], list[str]]:
        """Return the makers of such products by kind and name of the value. A kind with one of them has no twins."""
        found: dict[tuple[Kind, str], dict[str, None]] = {}
        for product_id, names in self.contested.items():
            product = self.truth.shelves.products[product_id]
            for name in names:
                found.setdefault((tuple(product.categories[-2:]), name), {})[str(product.store)] = None
        return {key: list(makers) for key, makers in found.items() if len(makers) > 1}

    @cached_property
    def units(self) -> dict[tuple[Kind, str], str]:
        """Return the unit of each value for which all listings of a kind state a number of one unit."""
        found: dict[tuple[Kind, str], set[str]] = {}
        for product in self.truth.shelves.products.values():
            for name, value in self.truth.shelves.stated(product):
                number, _, unit = value.partition(" ")
                known = unit if parse_figure(number) is not None else ""
                found.setdefault((tuple(product.categories[-2:]), name), set()).add(known)
        return {key: units.pop() for key, units in found.items() if len(units) == 1 and "" not in units}

    def draw(self, rng: Random, user: str, load: int) -> list[Specification]:
        """Return a pair of questions. Raises `Dropped`."""
        refusals = int(2 * REFUSED * load + rng.random()) * (load > 1)
        here = refusals // 2 + refusals % 2 * rng.choice((0, 1))
        odd, more = refusals % 2 == 1, 2 * here > refusals
        wanted = [self._wanted(rng, at < here) for at in range(load)]
        wanted[-1] = wanted[-1] if odd else "along"
        rng.shuffle(wanted)
        points = list[StatedPoint]()
        for one in wanted:
            points.append(self._point(rng, user, one, points))
        # The twin refuses what is answered here, or the other way; else its record differs from the listing.
        named = [
            at for at, one in enumerate(wanted) if ((one in REFUSALS) == more if odd else one == "along")
        ]
        for at in rng.sample(named, len(named)):
            rest = [*points[:at], *points[at + 1 :]]
            other = self._wanted(rng, not more) if odd else "against"
            with suppress(Dropped):
                rest.insert(at, self._point(rng, user, other, rest, points[at]))
                made = [Specification(stated=one) for one in (points, rest)]
                if all(self.deciding(one, user) >= DECIDING for one in made):
                    return rng.sample(made, 2)
        raise Dropped("no twin whose conditions decide")

    def deciding(self, of: Specification, user: str) -> float:
        """Return the share of conditions that decide."""
        found = [decides for one in of.stated for decides in self.truth.decides(one, user)]
        return sum(found) / len(found) if found else 1.0

    def _wanted(self, rng: Random, refused: bool) -> Outcome:
        return rng.choice(REFUSALS) if refused else "against" if rng.random() < _AGAINST else "along"

    def _point(
        self,
        rng: Random,
        user: str,
        wanted: Outcome,
        beside: Sequence[StatedPoint],
        like: StatedPoint | None = None,
    ) -> StatedPoint:
        """Return a point of this sort about another kind or order than those beside it. A given one lends its record. Raises `Dropped`."""
        taken = [self._about(one, user) for one in beside]
        ways: list[tuple[Record, bool]] = [(by, True) for by in OF_PRODUCTS]
        ways += [(by, False) for by in OF_ORDERS]
        ways += [("offers", False)] * (self.truth.references.shop.manifest.money == DOLLARS)
        ways = [(like.by, bool(like.category))] * len(ways) if like else rng.sample(ways, len(ways))
        for by, picks in (way for way in ways for _ in range(_REDRAWS)):
            of = self._product(rng, by, like) if picks else self._figure(rng, by, user)
            with suppress(Undecided):
                if of and self._about(of, user) not in taken and self._holds(of, user, wanted):
                    return of
        raise Dropped(f"no point of the sort {wanted}")

    def _about(self, of: StatedPoint, user: str) -> list[str]:
        return of.category or [one.order_id for one in self.truth.references.left(user, of.order)]

    def _holds(self, of: StatedPoint, user: str, wanted: Outcome) -> bool:
        """Tell whether a point is of this sort, all conditions decide, and no plain search shows the pick first. What no record tells may need no rule."""
        if self.truth.outcome(of, user) != wanted:
            return False
        rule, *rest = self.truth.decides(of, user)
        right = Solution([self.truth.point(of, user)], [], 0)
        known = rule or wanted == "cannot_be_told"
        return known and all(rest) and not self.first.show(Specification(stated=[of]), right)

    def _product(self, rng: Random, by: Record, like: StatedPoint | None) -> StatedPoint | None:
        kind, name = (tuple(like.category), like.name or "") if like else rng.choice(list(self.makers))
        makers = rng.sample(self.makers[kind, name], rng.choice((1, 2)))
        shelf = [one for one in self.truth.shelves.of(kind) if one.store in makers]
        stating = {row.cells.get(name) for one in shelf for row in self.truth.rows(one)}
        values = sorted({*filter(None, stating.union(detail(one, name) for one in shelf))} - {UNTOLD})
        if len(shelf) > _SHELF or not values or any(", " in one for one in values):
            return None
        return StatedPoint(by=by, name=name, category=list(kind), makers=makers, value=rng.choice(values))

    def _figure(self, rng: Random, by: Record, user: str) -> StatedPoint | None:
        found = [one for one in self.truth.references.orders(user) if one.product_id in self.contested]
        order = rng.choice(found) if found else None
        names = self.contested[order.product_id] if order and by != "offers" else [""]
        if order is None or not names:
            return None
        name, kind = rng.choice(names), self.truth.shelves.products[order.product_id].categories[-2:]
        unit = "" if by == "offers" else self.units.get((tuple(kind), name))
        chain = [] if unit is None else self.truth.references.chain_of(rng, user, order)
        return StatedPoint(by=by, name=name or None, unit=unit or "", order=chain) if chain else None
