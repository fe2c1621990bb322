"""The specification of a question whose points bind one another. Code runs it, and a writer words it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

from drr.env.checkable import Constraint
from drr.env.points import JointRule
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, model_validator


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class JoinedNeed(_Part):
    """One product to be bought in so many pieces."""

    category: list[str] = Field(min_length=1)
    """The last steps of a category path."""
    constraints: list[Constraint] = Field(default_factory=list)
    """Demands that the listing decides: `price_max`, `rating_min`, `ratings_min`, `brand_is`, `attribute`."""
    pieces: int = Field(1, ge=1)


class Concession(_Part):
    """A demand that may be given up, in whole or for another value."""

    point: int
    constraint: Constraint
    instead: Constraint | None = None
    """The value that will do too; `None` where any will."""


class OrderCondition(_Part):
    """A condition on an order of the asker. An order counts whatever became of it."""

    what: Literal["kind", "year", "status", "recipient", "former_home", "again", "first", "last"]
    """The property of the order.

    `again`: its product was ordered exactly twice, and this is the second time.
    `first`, `last`: the earliest, or the latest, of the orders that meet the other conditions.
    """
    value: str = ""
    """The kind, year, status or recipient; empty for all else."""


class OrderFigure(_Part):
    """A figure of the one order that conditions leave."""

    what: Literal["date", "total", "days_again"]
    """The day of the order, its pieces at today's price, or the days since the order before of the same product."""
    order: list[OrderCondition] = Field(min_length=1)


Record = Literal["sheet", "newest", "tested"]


class StatedPoint(_Part):
    """A product of some makers, or a figure about the product of one order, by the record that counts."""

    by: Record
    """The record that counts: the maker's newest data sheet (`sheet`), the newest of data sheet and measurement (`newest`), or a laboratory's
    measurement (`tested`)."""
    name: str
    """The name of the value in the details."""
    category: list[str] = Field(default_factory=list)
    """The last two steps of the category path of the product that is asked for; empty where a figure is."""
    makers: list[str] = Field(default_factory=list)
    """The makers of which the product may be; none where a figure is asked for."""
    value: str | None = None
    """The value that the product must have; none where a figure is asked for."""
    unit: str = ""
    """The unit of the figure, as details write it behind the number."""
    order: list[OrderCondition] = Field(default_factory=list)
    """The conditions that single out the order whose product the figure is about."""


class TakenDemand(_Part):
    """A demand of a need whose value is that of a product in an order of the asker."""

    point: int
    name: str
    """The name of the detail; `Brand` stands for the maker."""
    order: list[OrderCondition]
    """Conditions that leave one order."""


class Specification(_Part):
    """The points of a question, numbered from 1, and what binds them.

    Of all sets of picks that keep the rules and the budget, that with the highest sum of stars is right; of equals, the cheapest one. Demands
    are given up in the stated order, and no more of them than it takes.
    """

    needs: list[JoinedNeed] = Field(default_factory=list)
    figures: list[OrderFigure] = Field(default_factory=list)
    """Figures of the asker's history. Their points follow the needs."""
    stated: list[StatedPoint] = Field(default_factory=list)
    """Points on which records disagree. They follow the figures."""
    taken: list[TakenDemand] = Field(default_factory=list)
    rules: list[JointRule] = Field(default_factory=list)
    """Details or makers that several needs share, each bound by one rule at most. No rule states a total, which `budget` does."""
    budget: FiniteFloat | None = None
    """The most that all pieces of all needs may cost together."""
    concessions: list[Concession] = Field(default_factory=list)

    @model_validator(mode="after")
    def _check_points(self) -> Self:
        bound = [point for rule in self.rules for point in rule.points]
        if len(set(bound)) < len(bound):
            raise ValueError("a point is bound twice")
        named = bound + [one.point for one in self.concessions] + [one.point for one in self.taken]
        if any(not 1 <= point <= len(self.needs) for point in named):
            raise ValueError("a rule or a concession names a point that is not there")
        return self

    def resolved(self, values: Sequence[str]) -> Specification:
        """Return the specification with these values of the orders in place of its taken demands."""
        found = self.model_copy(update={"taken": []})
        for one, value in zip(self.taken, values, strict=True):
            named = {"kind": "brand_is"} if one.name == "Brand" else {"kind": "attribute", "name": one.name}
            demand = Constraint.model_validate({**named, "value": value})
            found = found.with_need(one.point, constraints=[*found.needs[one.point - 1].constraints, demand])
        return found

    def with_need(self, point: int, **changes: Any) -> Specification:
        """Return the specification with a need changed."""
        needs = list(self.needs)
        needs[point - 1] = needs[point - 1].model_copy(update=changes)
        return self.model_copy(update={"needs": needs})

    def wanted(self, point: int, given_up: int) -> list[list[Constraint]]:
        """Return the demands on a point after so many concessions. Of each list one demand must be met."""
        found = [[one] for one in self.needs[point - 1].constraints]
        for one in self.concessions[:given_up]:
            if one.point == point:
                found = [
                    [*ways, *([one.instead] if one.instead else [])] if one.constraint in ways else ways
                    for ways in found
                    if one.instead or one.constraint not in ways
                ]
        return found
