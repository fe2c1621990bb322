"""Grades an answer point by point, against the truth about its question and what its tools returned.

Picks, figures and refusals come from the form; without one, picks come from the list under a heading `Picks`. Each counts in full only
where the report's own lists say the same (`report_lists`). Prose is never read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from drr.env.checkable import (
    ExpectedFact,
    ShoppingNeed,
    brands,
    detail,
    same_figure,
)
from drr.env.entities import Product
from drr.env.json_object import JsonObject
from drr.env.points import JointRule, PointTruth, RightPick
from drr.eval.rewards.answer_forms import AnswerForm, FormPoint, PointsForm
from drr.eval.rewards.rewarded import Rewarded


class GradedPoints(NamedTuple):
    """The points that an answer got right."""

    asked: int
    """Number of points of the question."""
    right: Mapping[int, bool]
    """Right points, with whether the report says them too."""
    stated: int
    """Number of products, figures and refusals that the answer states."""
    true: int
    """Number of them that are right, each taken by itself, and that the report does not contradict."""
    sources: Mapping[int, Collection[str]]
    """Addresses that hold each right point. A refusal has none."""


def graded_points(answer: Rewarded) -> GradedPoints:
    """Return the points of an answer, graded."""
    return (_Joint(answer) if answer.truth.points else _Apart(answer)).graded()


@dataclass(frozen=True)
class _Apart:
    """An answer to a question whose needs and facts stand apart: its form has the picks of all needs together."""

    answer: Rewarded

    def graded(self) -> GradedPoints:
        facts = dict(enumerate(self.answer.truth.facts, len(self.answer.truth.needs) + 1))
        figures, refusals = self._figures(facts), self._refusals()
        met = {} if self.breaks_budget else self.met
        right = {point: self._lists(chosen) for point, chosen in met.items()}
        lists = self.answer.lists
        right |= {
            point: same_figure(facts[point].value, lists.figures.get(point))
            for point, holds in figures.items()
            if holds
        }
        # Who refuses every point must not be paid for those that were to be refused.
        if right:
            right |= {point: point in lists.refusals for point, holds in refusals.items() if holds}
        sources: dict[int, Collection[str]] = {
            point: set[str]().union(*map(self.answer.pages, chosen)) for point, chosen in met.items()
        }
        sources |= {
            point: self.answer.holders(facts[point].value, facts[point].sources)
            for point, holds in figures.items()
            if holds
        }
        true = len(self._right_picks()) + sum(figures.values()) + sum(refusals.values())
        true -= self._contradictions({point for point, holds in figures.items() if holds})
        stated = len(self.answer.picks) + len(figures) + len(refusals)
        asked = len(self.answer.truth.needs) + len(facts)
        return GradedPoints(asked, right, stated, max(0, true), sources)

    @property
    def _form(self) -> AnswerForm:
        return self.answer.form if isinstance(self.answer.form, AnswerForm) else AnswerForm()

    def _lists(self, chosen: Collection[str]) -> bool:
        return set(chosen) <= set(self.answer.listed)

    @cached_property
    def met(self) -> dict[int, list[str]]:
        """Return the right picks of each need that is met, by point. Empty where the answer picks more than was asked for."""
        found: dict[int, list[str]] = {}
        # Scarce needs choose first, so that an easier one does not take their only product.
        free = self._counted
        for point, need in self._wanted:
            chosen = [one for one in free if one in need.products][: need.picks]
            if len(chosen) == need.picks:
                found[point] = chosen
                free = [one for one in free if one not in chosen]
        return found

    def _right_picks(self) -> list[str]:
        """Return all right picks, including those of needs that ask for more picks than were right."""
        found = [one for chosen in self.met.values() for one in chosen]
        for point, need in self._wanted:
            if point not in self.met:
                free = [one for one in self._counted if one not in found]
                found += [one for one in free if one in need.products][: need.picks]
        return found

    @property
    def _wanted(self) -> list[tuple[int, ShoppingNeed]]:
        """Return the needs that can be met, by point, those with the fewest fitting products first."""
        needs = [(point, one) for point, one in enumerate(self.answer.truth.needs, 1) if one.refusal is None]
        return sorted(needs, key=lambda one: len(one[1].products))

    @property
    def _counted(self) -> list[str]:
        """Return the picks that a tool returned. Empty where the answer picks more than was asked for."""
        most = sum(need.picks for need in self.answer.truth.needs)
        picks = self.answer.picks
        # Else a list of the whole shop would meet every need.
        return [] if len(picks) > most else [one for one in picks if one in self.answer.prices]

    @property
    def breaks_budget(self) -> bool:
        """Tell whether nothing shows that the picks keep within the budget. It binds all needs."""
        truth = self.answer.truth
        if truth.budget is None or all(need.refusal for need in truth.needs):
            return False
        pieces = {one: need.quantity or 1 for need in truth.needs for one in need.products}
        chosen = [RightPick(product=one, pieces=pieces.get(one, 1)) for one in self.answer.picks]
        return not _costs_at_most(truth.budget, chosen, self.answer.prices)

    def _refusals(self) -> dict[int, bool]:
        """Map refused points to whether the refusal is right. A point refused for two reasons is wrong."""
        wanted = {point: need.refusal for point, need in enumerate(self.answer.truth.needs, 1)}
        found: dict[int, bool] = {}
        for one in self._form.refusals:
            found[one.point] = wanted.get(one.point) == one.reason and found.get(one.point, True)
        return found

    def _figures(self, facts: Mapping[int, ExpectedFact]) -> dict[int, bool]:
        """Map the points of stated figures to whether the figure is right. A point with two different figures is wrong."""
        found: dict[int, bool] = {}
        for one in self._form.figures:
            fact = facts.get(one.point)
            right = (
                fact is not None
                and same_figure(fact.value, one.value)
                and bool(self.answer.holders(fact.value, fact.sources))
            )
            found[one.point] = right and found.get(one.point, True)
        return found

    def _contradictions(self, right: Collection[int]) -> int:
        """Count what the report's lists say otherwise than the form. A figure that is wrong in the form is not counted again."""
        stated = {one.point: one.value for one in self._form.figures if one.point in right}
        others = set(self.answer.listed) - set(self.answer.picks)
        return len(others) + self.answer.lists.other_figures(stated) + self.answer.prices_beside()


@dataclass(frozen=True)
class _Joint:
    """An answer to a question whose points bind one another: its form answers each point by itself."""

    answer: Rewarded

    def graded(self) -> GradedPoints:
        stated = [*self._form.points]
        counts = Counter(one.point for one in stated)
        once = {one.point: one for one in stated if counts[one.point] == 1}
        truth = dict(enumerate(self.answer.truth.points, 1))
        kept = {point for point in once if self._keeps_rules(point, once)}
        right = {
            point: self._says(point, truth[point])
            for point, one in once.items()
            if point in kept and point in truth and self._is_right(one, truth[point])
        }
        # As above: refusals alone are not paid.
        if not any(truth[point].status == "answered" for point in right):
            right = {}
        true = sum(self._true(one, truth[one.point]) for one in once.values() if one.point in truth)
        count = sum(len(one.picks) or 1 for one in once.values()) + len(counts) - len(once)
        sources = {point: self._sources(truth[point]) for point in right}
        return GradedPoints(
            len(truth),
            right,
            count,
            max(0, true - self.answer.prices_beside()),
            {p: s for p, s in sources.items() if s},
        )

    @property
    def _form(self) -> PointsForm:
        return self.answer.form if isinstance(self.answer.form, PointsForm) else PointsForm()

    def _picked(self, one: FormPoint) -> list[RightPick]:
        ids = self.answer.ids(pick.product for pick in one.picks)
        return [RightPick(product=i, pieces=p.pieces) for i, p in zip(ids, one.picks, strict=True)]

    def _is_right(self, one: FormPoint, truth: PointTruth) -> bool:
        if one.status != truth.status or (one.figure is None) != (truth.figure is None):
            return False
        if truth.figure is not None:
            return not one.picks and self._is_figure(one.figure, truth)
        picked = self._picked(one)
        return _same_picks(picked, truth) and all(pick.product in self.answer.records for pick in picked)

    def _is_figure(self, given: object, truth: PointTruth) -> bool:
        wanted = truth.figure
        return (
            wanted is not None
            and same_figure(wanted, given)
            and bool(self.answer.holders(wanted, truth.sources))
        )

    def _true(self, one: FormPoint, truth: PointTruth) -> int:
        """Count the right statements about a point that the report does not contradict."""
        if one.picks:
            # One piece too many is a wrong statement, as it is bought.
            listed, named = set(self._listed(one.point)), set(self._picked(one))
            right = {pick for pick in named & set(truth.picks) if pick.product in self.answer.records}
            return max(0, len(right) - len(listed - named))
        if not self._is_right(one, truth):
            return 0
        return 1 - (self.answer.lists.other_figures({one.point: one.figure}) if one.figure is not None else 0)

    def _listed(self, point: int) -> list[RightPick]:
        listed = self.answer.lists.pointed_picks.get(point, ())
        return [RightPick(product="".join(self.answer.ids([one.url])), pieces=one.pieces) for one in listed]

    def _says(self, point: int, truth: PointTruth) -> bool:
        """Tell whether the report's lists say what the form says of a right point."""
        lists = self.answer.lists
        if truth.figure is not None:
            return same_figure(truth.figure, lists.figures.get(point))
        return _same_picks(self._listed(point), truth) if truth.picks else point in lists.refusals

    def _sources(self, truth: PointTruth) -> set[str]:
        if truth.figure is not None:
            return self.answer.holders(truth.figure, truth.sources)
        return set[str]().union(*(self.answer.pages(pick.product) for pick in truth.picks))

    def _keeps_rules(self, point: int, stated: Mapping[int, FormPoint]) -> bool:
        """Tell whether the picks keep every rule that binds a point. A pick that no tool returned shows that of no rule."""
        for rule in self.answer.truth.rules:
            if point in rule.points:
                picked = [self._whole(one, self._picked(stated[one])) for one in rule.points if one in stated]
                if not self._keeps(rule, picked):
                    return False
        return True

    def _whole(self, point: int, picked: Sequence[RightPick]) -> list[RightPick]:
        """Return picks with at least the pieces that are asked for, so that too few of them rescue no budget."""
        wanted = {one.product: one.pieces for one in self.answer.truth.points[point - 1].picks}
        return [
            one.model_copy(update={"pieces": max(one.pieces, wanted.get(one.product, 1))}) for one in picked
        ]

    def _keeps(self, rule: JointRule, picked: Sequence[Sequence[RightPick]]) -> bool:
        every = [one for picks in picked for one in picks]
        if not every:
            return True
        if rule.total_max is not None and not _costs_at_most(rule.total_max, every, self.answer.prices):
            return False
        if not all(one.product in self.answer.records for one in every):
            return False
        right = {one.product for point in rule.points for one in self.answer.truth.points[point - 1].picks}
        if right.issuperset(one.product for one in every):  # of right picks, every two keep the rule
            return True
        products = [_product(self.answer.records[one.product]) for one in every]
        return not rule.same or all(_shares(*pair, rule.same) for pair in combinations(products, 2))


_UNKNOWN: JsonObject = {"features": [], "description": [], "categories": [], "details": {}, "category": ""}


def _product(record: JsonObject) -> Product:
    """Return a product of what is known of it; a row of a search lacks its details."""
    known = {name: record[name] for name in Product.model_fields if name in record}
    return Product.model_validate({**_UNKNOWN, **known})


def _shares(one: Product, other: Product, name: str) -> bool:
    """Tell whether two products have the same maker, or the same value of a detail."""
    if name == "Brand":
        return bool(brands(one) & brands(other))
    values = [detail(product, name) for product in (one, other)]
    return None not in values and len({str(value).casefold() for value in values}) == 1


def _same_picks(picked: Sequence[RightPick], truth: PointTruth) -> bool:
    if truth.in_order:
        return list(picked) == truth.picks
    return Counter((one.product, one.pieces) for one in picked) == Counter(
        (one.product, one.pieces) for one in truth.picks
    )


def _costs_at_most(limit: float, picked: Sequence[RightPick], prices: Mapping[str, float | None]) -> bool:
    """Tell whether the pieces cost no more than a limit. What has no known price shows nothing."""
    known = [one.pieces * price for one in picked if (price := prices.get(one.product)) is not None]
    return bool(known) and len(known) == len(picked) and sum(known) <= limit + 0.005
