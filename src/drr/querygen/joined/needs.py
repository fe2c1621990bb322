"""Draws the needs of joined questions: groups that share a value, and needs that nothing meets."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import NamedTuple

from drr.env.checkable import Constraint
from drr.env.points import JointRule
from drr.querygen.drawing import AbsentKind, absent_kinds
from drr.querygen.joined.solving import Solver
from drr.querygen.joined.specification import JoinedNeed, Specification
from drr.querygen.shelves import FittingBits, KindTable, Shelves

SHELF = 60
"""The smallest number of products of a kind that is asked for."""
WORDS = Path(__file__).parent.parent / "checkable.toml"
_PIECES = (1, 1, 1, 1, 2, 3)
_FEW = range(3, 16)
"""The products from which one of a maker, or none, is chosen."""
_SPARE = 1.3
"""The kinds of an errand's departments, for each point."""
_SHARED = ("Brand", "Color", "Color", "Material")
_REDRAWS, _TRIES = 40, 6
_FROM_ORDERS = 0.8
"""The share of needs with a demand that an order of the shopper tells."""
_OF_A_MAKER = 0.25
"""The share of those needs that are to be by the maker of the order."""
Kind = tuple[str, ...]
Tells = Callable[[Kind, Constraint], bool]
"""A test of whether an order of the shopper tells the value of a demand on a kind."""


class Dropped(Exception):
    """A draft fails a check, by the reason."""


def no_order(*_: object) -> bool:
    return False


def round_ratings(table: KindTable) -> list[FittingBits]:
    """Return the numbers of ratings that people ask for."""
    return [one for one in table.demands("ratings_min") if float(one.demand.value or 0) % 50 == 0]


class NeedGroup(NamedTuple):
    """Points that a rule binds, with their kinds and what the picks share."""

    points: list[int]
    kinds: list[Kind]
    shared: str | None


@dataclass
class JoinedNeedDraw:
    """A drawer of needs over one shop."""

    solver: Solver

    @property
    def shelves(self) -> Shelves:
        return self.solver.shelves

    @cached_property
    def kinds(self) -> dict[Kind, str]:
        """Return the kinds that can be asked for, each with its department."""
        paths = {tuple(one.categories) for one in self.shelves.products.values() if len(one.categories) > 1}
        return {path[-2:]: path[0] for path in sorted(paths) if len(self.shelves.of(path[-2:])) >= SHELF}

    @cached_property
    def absent(self) -> list[AbsentKind]:
        """Return kinds that the shop lacks, each with one that lends it values. They are the same in all its questions."""
        listed = tomllib.loads(WORDS.read_text(encoding="utf-8"))["absent"]
        rng = Random(f"absent:{len(self.shelves.products)}")
        return absent_kinds(rng, list(self.kinds), listed, self.shelves)

    def errand(self, rng: Random, points: int, known: Sequence[str]) -> set[str]:
        """Return as few departments as such a question takes. Those from which the shopper has ordered more are likelier."""
        found, many = set[str](), Counter(self.kinds.values())
        for one in dict.fromkeys(rng.sample(known, len(known))):
            if sum(many[x] for x in found) <= _SPARE * points:
                found.add(one)
        return found

    def group(
        self, rng: Random, points: list[int], free: Sequence[Kind], load: int, tells: Tells
    ) -> tuple[NeedGroup, dict[int, JoinedNeed]]:
        """Return kinds of these and needs for points, with what a rule makes them share. Raises `Dropped`."""
        if len(free) < len(points):
            raise Dropped("too few kinds of an errand")
        wanted = [*rng.sample(_SHARED, len(_SHARED) if len(points) > 1 else 0), None]
        for shared in [one for one in wanted for _ in range(_TRIES)]:
            first = rng.choice(free)
            alike = [kind for kind in free if self.share(shared, kind, first)]
            if len(alike) >= len(points):
                group = NeedGroup(points, rng.sample(alike, len(points)), shared)
                with suppress(Dropped):
                    return group, self.needs(rng, group, load, tells)
        raise Dropped("no group of needs")

    def share(self, shared: str | None, kind: Kind, other: Kind) -> bool:
        """Tell whether two kinds may share a maker, as kinds side by side do, or have two values in common."""
        if shared == "Brand":
            return kind[0] == other[0]
        ends = self.attributes(kind), self.attributes(other)
        one, two = ({x.demand.value for x in end if x.demand.name == shared} for end in ends)
        return shared is None or (self.kinds[kind] == self.kinds[other] and len(one & two) > 1)

    def needs(self, rng: Random, group: NeedGroup, load: int, tells: Tells) -> dict[int, JoinedNeed]:
        """Return needs of a group that some sets meet."""
        for _ in range(_TRIES):
            drawn = [self._need(rng, kind, group.shared, load, tells) for kind in group.kinds]
            rule = JointRule(points=list(range(1, len(drawn) + 1)), same=group.shared)
            of = Specification(needs=drawn, rules=[rule])
            if not group.shared or len(self.solver.choice(of, 0).cheapest()) >= 8:
                return dict(zip(group.points, drawn, strict=True))
        raise Dropped("no needs of this group")

    def attributes(self, kind: Kind) -> list[FittingBits]:
        return self.shelves.table(kind).demands("attribute")

    def _need(self, rng: Random, kind: Kind, shared: str | None, load: int, tells: Tells) -> JoinedNeed:
        table, pieces = self.shelves.table(kind), rng.choice(_PIECES)
        span = range(30, 120) if load == 1 else range(24, 90) if shared else range(10, 60)
        wide = [one for one in self.attributes(kind) if one.demand.name != shared]
        free = [one for one in wide if one.fit.bit_count() in span]
        made = load > 1 and not shared and rng.random() < _OF_A_MAKER
        makers = [one for one in table.demands("brand_is") if one.demand.value in self.shelves.makers]
        taken, limits = rng.random() < _FROM_ORDERS, round_ratings(table)
        among = makers if made and makers else wide
        known = [one for one in among if tells(kind, one.demand)] if taken else []
        for _ in range(_REDRAWS):
            two = rng.random() < 0.5 and len(wide) > 1
            asked = rng.sample(wide, 2) if two else rng.sample(free, min(1, len(free)))
            asked = [rng.choice(known), *asked[1:]] if known else asked
            asked += rng.sample(limits, 1) if limits and rng.random() < 0.4 else []
            names = [one.demand.name or one.demand.kind for one in asked]
            few = _FEW if "brand_is" in names else span
            if asked and len(set(names)) == len(names) and table.right(asked, None).bit_count() in few:
                stated = [one.demand for one in asked]
                return JoinedNeed(category=list(kind), constraints=stated, pieces=pieces)
        raise Dropped("no need of this kind")

    def refused(self, rng: Random, kinds: Sequence[Kind]) -> JoinedNeed:
        """Return a need that nothing surely fits: its kind is not sold, or few of it have such stars."""
        pieces, unsure = rng.choice(_PIECES), rng.random() < 0.5
        absent = [one for one in self.absent if one.lender in kinds]
        if absent and rng.random() < 0.25:
            named = rng.choice(absent)
            one = rng.choice(self.shelves.table(named.lender).demands("rating_min")).demand
            return JoinedNeed(category=list(named.category), constraints=[one], pieces=pieces)
        for _ in range(10 * _REDRAWS):
            kind = rng.choice(kinds)
            drawn, table = self.attributes(kind), self.shelves.table(kind)
            limits = [*table.demands("rating_min"), *round_ratings(table)]
            limits = [one for one in limits if one.fit.bit_count() in _FEW]
            if not limits or not drawn:
                continue
            asked = rng.sample(drawn, min(2, len(drawn)))
            if len({one.demand.name for one in asked}) < len(asked):
                continue
            stated = [one.demand for one in (*asked, rng.choice(limits))]
            need = JoinedNeed(category=list(kind), constraints=stated, pieces=pieces)
            wanted = "cannot_be_told" if unsure else "nothing_fits"
            if self.solver.status(Specification(needs=[need]), 1) == wanted:
                return need
        raise Dropped("no refusal")
