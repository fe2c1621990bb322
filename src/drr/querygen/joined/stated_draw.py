"""Draws points on which records disagree, and twins that differ in one of them."""

from __future__ import annotations

from collections.abc import Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from random import Random

from drr.env.checkable import detail, parse_figure
from drr.querygen.joined.deciding import FirstRows
from drr.querygen.joined.needs import Dropped, Kind
from drr.querygen.joined.solving import Solution, Undecided
from drr.querygen.joined.specification import Record, Specification, StatedPoint
from drr.querygen.joined.stated import RECORDS, UNTOLD, Outcome, StatedTruth
from drr.wording.figures import UNITS

_REDRAWS, _ROUNDS = 60, 3
_SHELF = 5
"""The most products among which a point asks for one; each may have to be opened and searched for."""
_LISTED: Record = "sheet"
"""The record that counts for what no laboratory measures, such as a material or a number of pieces."""
_AGAINST = 0.7
"""The share of answers that differ from what the listing says."""


def wanted(rng: Random, *, refused: bool) -> Outcome:
    """Return a sort of answer."""
    if refused:
        return "cannot_be_told" if rng.random() < 0.5 else "nothing_fits"
    return "against" if rng.random() < _AGAINST else "along"


def _measured(unit: str) -> bool:
    """Tell whether a laboratory would measure a value of this unit."""
    known = UNITS.named(unit)
    return known is not None and known.kind != "count"


@dataclass
class StatedDraw:
    """A drawer of such points over one shop."""

    truth: StatedTruth
    first: FirstRows

    @cached_property
    def contested(self) -> dict[str, list[str]]:
        """Return the names of values on which pages differ from the listing, by product that pages name."""
        found: dict[str, list[str]] = {}
        for product in self.truth.shelves.products.values():
            if rows := self.truth.rows(product) if product.store in self.truth.shelves.makers else ():
                stating = {pair for row in rows for pair in row.cells.items()}
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

    def draw(
        self,
        rng: Random,
        user: str,
        sorts: Sequence[Outcome],
        twins: Sequence[Outcome],
        used: set[str],
        errand: Set[str],
        most: tuple[int, int],
    ) -> list[list[StatedPoint]]:
        """Return points of these sorts by one rule, and one of each sort of twins: a list for each twin. Raises `Dropped`.

        Of all, no more than `most` ask for products, all of the errand's departments, and for figures.
        """
        for by in rng.sample(_ROUNDS * RECORDS, _ROUNDS * len(RECORDS)):
            about = {*used}
            with suppress(Dropped):
                points = [self._point(rng, user, by, sort, about, errand) for sort in sorts]
                other = list[StatedPoint]()
                for sort in twins:
                    other.append(self._point(rng, user, by, sort, about, errand, next(iter(other), None)))
                asked = [bool(one.category) for one in (*points, *other[:1])]
                if asked.count(True) > most[0] or asked.count(False) > most[1]:
                    continue
                at = rng.randint(0, len(points))
                return [[*points[:at], one, *points[at:]] for one in other] or [points]
        raise Dropped("no points on which records disagree")

    def _point(
        self,
        rng: Random,
        user: str,
        by: Record,
        sort: Outcome,
        used: set[str],
        errand: Set[str],
        like: StatedPoint | None = None,
    ) -> StatedPoint:
        """Return a point of this sort about an unused kind or order; a given one lends its kind. Raises `Dropped`."""
        ways = [bool(like.category)] if like else rng.sample((True, False), 2)
        for picks in (way for way in ways for _ in range(_REDRAWS)):
            of = self._product(rng, by, errand, like) if picks else self._figure(rng, by, user)
            with suppress(Undecided):
                about = self._about(of, user) if of else set()
                about -= {*like.category[-1:]} if like else set()
                if of and not about & used and self._holds(of, user, sort):
                    used |= about
                    return of
        raise Dropped(f"no point of the sort {sort}")

    def _about(self, of: StatedPoint, user: str) -> set[str]:
        """Return the kind that a point is about, its order, and its right pick."""
        picks = [one.product for one in self.truth.point(of, user).picks]
        left = [] if of.category else self.truth.references.history(user).left(of.order)
        kinds = (self.truth.shelves.products[one.product_id].categories[-1] for one in left)
        return {*picks, *of.category[-1:], *kinds, *(one.order_id for one in left)}

    def _holds(self, of: StatedPoint, user: str, sort: Outcome) -> bool:
        """Tell whether a point is of this sort, all conditions decide, and no plain search shows the pick first. What no record tells may need no rule."""
        if self.truth.outcome(of, user) != sort:
            return False
        rule, *rest = self.truth.decides(of, user)
        right = Solution([self.truth.point(of, user)], [], 0)
        known = rule or sort == "cannot_be_told"
        return known and all(rest) and not self.first.show(Specification(stated=[of]), right)

    def _product(
        self, rng: Random, by: Record, errand: Set[str], like: StatedPoint | None
    ) -> StatedPoint | None:
        own = [one for one in self.makers if self.truth.shelves.of(one[0])[0].categories[0] in errand]
        if not own:
            return None
        kind, name = (tuple(like.category), like.name) if like else rng.choice(own)
        makers = rng.sample(self.makers[kind, name], rng.choice((1, 2)))
        shelf = [one for one in self.truth.shelves.of(kind) if one.store in makers]
        stating = {row.cells.get(name) for one in shelf for row in self.truth.rows(one)}
        values = sorted({*filter(None, stating.union(detail(one, name) for one in shelf))} - {UNTOLD})
        if len(shelf) > _SHELF or not values or any(", " in one for one in values):
            return None
        if by != _LISTED and not all(_measured(one.partition(" ")[2]) for one in values):
            return None
        return StatedPoint(by=by, name=name, category=list(kind), makers=makers, value=rng.choice(values))

    def _figure(self, rng: Random, by: Record, user: str) -> StatedPoint | None:
        found = [
            one for one in self.truth.references.history(user).orders if self.contested.get(one.product_id)
        ]
        if not found:
            return None
        order = rng.choice(found)
        name, kind = (
            rng.choice(self.contested[order.product_id]),
            self.truth.shelves.products[order.product_id].categories[-2:],
        )
        unit = self.units.get((tuple(kind), name))
        apt = unit is not None and (by == _LISTED or _measured(unit))
        chain = self.truth.references.chain_of(rng, user, order) if apt else []
        return StatedPoint(by=by, name=name, unit=unit or "", order=chain) if chain else None
