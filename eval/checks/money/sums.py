"""All totals of a report, and what its plan costs in all and by phase."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from drr.eval.checks.base import Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.headings import heading_totals
from drr.eval.checks.money.ledger import ledger_of
from drr.eval.checks.money.parts import PricedText, Stated, SumBasket, SumPart, distinct
from drr.eval.checks.money.sections import Sections
from drr.eval.checks.money.tables import LISTED, TableRow, Tables


class Cost(NamedTuple):
    """What a plan or a phase of it costs, and where the report says so."""

    value: float
    span: Span
    bound: Certainty = Certainty.INFERRED
    """Whether the report itself comes to it."""


class Sums:
    """The sums that a report states and those that it could have stated."""

    def __init__(self, mentions: Mentions) -> None:
        self.text = PricedText(mentions)
        basket = SumBasket(self.text)
        tables = Tables(self.text, basket)
        self.parts: list[SumPart] = basket.parts
        self.rows: list[TableRow] = tables.rows
        self.tables: Sequence[Stated] = tables.stated
        self.sections: Sequence[Stated] = Sections(self.text, basket, self.tables).stated
        self.headings: Sequence[Stated] = list(heading_totals(self.text, basket, self.tables, self.sections))
        self._reconcile(mentions)

    @property
    def stated(self) -> list[Stated]:
        return [*self.tables, *self.sections, *self.headings]

    def _reconcile(self, mentions: Mentions) -> None:
        """A total in a sentence or heading that differs from what is nearest may be that of other things."""
        ledger = ledger_of(mentions)
        lone = (one for one in self.tables if one.held_against == LISTED)
        for one in (*lone, *self.sections, *self.headings):
            entry = ledger.by_start.get(one.amount.start)
            if one.agrees is not False or (entry is not None and entry.status == "wrong"):
                continue
            if entry is None:
                one.computed, one.agrees = None, None
            elif entry.status == "explained":
                one.compare(one.amount.value, one.parts, agrees=True)
            elif ledger.play.all or entry.worked_out or entry.figure.elsewhere:
                one.computed, one.agrees = None, None

    def grands(self, is_no_plan: Callable[[Cost], bool] = lambda _: False) -> list[Cost]:
        """What the plan may cost in all, computed; nothing where the report lists no plan."""
        for totals in (self.tables, self.sections):
            whole = [cost for one in totals if one.label is None and (cost := _computed(one))]
            if whole := [cost for cost in whole if not is_no_plan(cost)]:
                return whole
        phases = [cost for one in self.sections if one.label is not None and (cost := _computed(one))]
        if not phases:
            return []
        least = min(cost.bound for cost in phases)
        return [Cost(sum(cost.value for cost in phases), phases[-1].span, least)]

    def listed(self) -> Cost | None:
        """What two or more things that the report lists come to, each counted once."""
        parts = [part for part in distinct(self.parts) if not part.optional]
        if len(parts) < 2:
            return None
        return Cost(sum(part.value for part in parts), (parts[0].start, parts[-1].end))

    def phases(self) -> dict[str, Cost]:
        """The cost of each month or phase, where the report divides the plan."""
        found: dict[str, Cost] = {}
        for one in self.sections:
            if one.label:
                found.setdefault(
                    one.label, _computed(one) or Cost(one.amount.value, one.span, Certainty.CELL)
                )
        for one in self.headings:
            if one.label:
                found.setdefault(one.label, Cost(one.amount.value, one.span, Certainty.CELL))
        for row in self.rows:
            label = row.named_phase or row.numbered_phase
            if label and not row.is_total and row.cost is not None:
                _, amount = row.cost
                found.setdefault(label, Cost(amount.value, (amount.start, amount.end), Certainty.CELL))
        return found


def _computed(one: Stated) -> Cost | None:
    if one.computed is None:
        return None
    return Cost(one.computed, one.span, Certainty.CELL if one.agrees else Certainty.INFERRED)


@lru_cache(maxsize=4)
def sums_of(mentions: Mentions) -> Sums:
    """The sums of a report, worked out once for the rules that ask."""
    return Sums(mentions)
