"""Rule: the limits of the question hold for the computed cost."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator

from drr.env.query import Constraints
from drr.eval.checks.base import Check, CheckTally, Span, Subject, unverifiable
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.facts import prices_in
from drr.eval.checks.mentions import Mention, Mentions
from drr.eval.checks.money.around import is_hinted
from drr.eval.checks.money.fits import FitClaims, only_amount
from drr.eval.checks.money.generous.telling import add_told
from drr.eval.checks.money.generous.verdicts import generous_verdicts
from drr.eval.checks.money.ledger import MoneyLedger, ledger_of
from drr.eval.checks.money.limit_sides import hold_sides
from drr.eval.checks.money.packs import record_divisors
from drr.eval.checks.money.parts import SumPart
from drr.eval.checks.money.past_orders import PastOrders
from drr.eval.checks.money.phrases import OPTIONAL
from drr.eval.checks.money.sums import Cost, Sums, sums_of

_EXACT = 0.005
_PLAN = re.compile(
    r"\b(?:plan|set ?up|kit|bundle|complete|whole|everything|all (?:of )?(?:it|them)|together|total|sanctuary|routine|design|furnish|outfit|equip|build|stock|spending|over the next|altogether|in all|phase|starter|overhaul|refresh)\b",
    re.I,
)

_WHICH = re.compile(r"\b(?:which|what(?:['’]s|\sis))\b", re.I)
_OF_EACH = re.compile(
    r"\b[a-z]{2,24}[^\Ws]s(?:\s(?:that\s)?(?:costing|cost|priced))?\s(?:under|below|beneath|up to|at most|less than|cheaper than|for under|for less than)\s(?:US)?\$",
    re.I,
)
"""A limit right behind things in the plural: `thermometers under $25`."""


def budget(subject: Subject, mentions: Mentions) -> Check:
    """The limits of the question hold for the computed cost."""
    demands = subject.demands
    if demands is None:
        return _of_its_own(subject, mentions, "no question and no budget were given")
    limits = (demands.total_max, demands.total_min, demands.item_max, demands.item_min, demands.month_max)
    if all(limit is None for limit in limits) and only_amount(subject.query) is None:
        return _of_its_own(subject, mentions, "the question names no budget")
    sums, ledger = sums_of(mentions), ledger_of(mentions)
    asked = [one for one in (demands.total_max, demands.item_max, demands.month_max) if one is not None]
    fits = FitClaims(mentions, ledger, asked)
    grands = sums.grands(_is_of_orders(mentions))
    grand = _grand(grands, fits)
    if not grands and _asks_for_a_plan(subject) and not _names_totals(ledger):
        grand = sums.listed()
    if grand is not None and _asks_which(subject):
        grand = grand._replace(bound=Certainty.INFERRED)
    held = _Limits(demands, sums, grand, fits)
    held.hold_total()
    held.hold_months()
    held.hold_items(_item_costs(subject, mentions, fits), _said_for_each(ledger, demands.item_max or 0.0))
    for said in fits.claims():
        held.hold("limit_verdict", said.span, said.holds, said.why, said.bound, said.doubt)
    hold_sides(held.tally, mentions, ledger, fits.limits)
    add_told(held.tally, generous_verdicts(subject, mentions))
    return held.tally.check(
        "the report gives no cost to hold against the budget",
        computed=grand.value if grand else None,
        limit=held.total_max,
    )


def _of_its_own(subject: Subject, mentions: Mentions, nothing: str) -> Check:
    """Without a budget of the question: what the report says itself of limits."""
    tally = CheckTally()
    add_told(tally, generous_verdicts(subject, mentions))
    return tally.check(nothing) if tally.accused else unverifiable(nothing)


def _is_of_orders(mentions: Mentions) -> Callable[[Cost], bool]:
    """Whether a total tells what was ordered before: no limit is on that."""
    past = PastOrders(mentions)
    return lambda cost: past.come_to(cost.value, cost.span)


def _grand(grands: Iterable[Cost], fits: FitClaims) -> Cost | None:
    """What the plan costs: the largest total that the report does not own to be over the limit, or only to be possible; of several it is not certain which is the plan's."""
    found = [cost for cost in grands if not fits.owned_at(cost.span)]
    if not found:
        return None
    dearest = max(found, key=lambda cost: cost.value)
    if fits.would_be(dearest.span):
        return dearest._replace(bound=Certainty.INFERRED)
    several = len({round(cost.value, 2) for cost in found}) > 1
    return dearest._replace(bound=Certainty.INFERRED) if several else dearest


def _names_totals(ledger: MoneyLedger) -> bool:
    """Whether the report itself says what things cost together, or what they leave: what it lists is then no plan in one."""
    return any(entry.figure.cue.kind in ("total", "rest") for entry in ledger.entries)


def _said_for_each(ledger: MoneyLedger, limit: float) -> set[str]:
    """The packs of which the report rightly says that each thing in them costs no more than a limit."""
    each = [one.figure for one in ledger.entries if one.figure.cue.kind == "unit" and not one.figure.cue.per]
    each = [one for one in each if one.value <= limit + _EXACT]
    return {
        one.product_id
        for one in ledger.play.all
        for many in record_divisors(one.product, "", frozenset())
        if many > 1 and any(figure.holds(one.price / many) for figure in each)
    }


def _asks_which(subject: Subject) -> bool:
    """Whether the question asks which of several things under a limit: each may cost so much."""
    query = subject.query or ""
    return bool(_OF_EACH.search(query) and _WHICH.search(query)) and _PLAN.search(query) is None


def _asks_for_a_plan(subject: Subject) -> bool:
    return subject.query is not None and _PLAN.search(subject.query) is not None


class _Limits:
    """The limits of a question, and what was found of the costs held against them."""

    def __init__(self, demands: Constraints, sums: Sums, grand: Cost | None, fits: FitClaims) -> None:
        self.tally = CheckTally()
        self._demands = demands
        self._sums = sums
        self._grand = grand
        self._fits = fits

    @property
    def total_max(self) -> float | None:
        demands = self._demands
        if demands.total_max is None and demands.month_max is not None and demands.months is not None:
            return demands.month_max * demands.months
        return demands.total_max

    def hold_total(self) -> None:
        limit, floor, grand = self.total_max, self._demands.total_min, self._grand
        if limit is not None and grand is not None:
            self._at_most(
                grand, limit, f"the plan costs ${grand.value:,.2f}, asked was at most ${limit:,.2f}"
            )
        elif limit is not None:
            others_fit = any(part.value <= limit for part in self._sums.parts)
            for part in self._sums.parts:
                if self._is_no_cost(part) or self._fits.owned_at((part.start, part.end)):
                    continue
                if part.value > limit and others_fit and not self._fits.recommends((part.start, part.end)):
                    self.tally.unclear(f"${part.value:,.2f} is over ${limit:,.2f}, but may only be named")
                    continue
                if not part.optional and (part.value <= limit or not self._is_owned(part)):
                    span = part.start, part.end
                    advised = self._fits.recommends(span) and self._fits.owner_at(part.start) is not None
                    advised = advised and not self._fits.is_hinted(span[0])
                    cost = Cost(part.value, span, Certainty.ADJOINED if advised else Certainty.INFERRED)
                    self._at_most(cost, limit, f"${part.value:,.2f} is over ${limit:,.2f}")
        if floor is not None and grand is not None:
            self._at_least(grand, floor, f"${grand.value:,.2f} is less than ${floor:,.2f}")

    def hold_months(self) -> None:
        limit, grand = self._demands.month_max, self._grand
        if limit is None:
            return
        asked = f"asked was at most ${limit:,.2f} a month"
        phases = self._sums.phases()
        months = {label: cost for label, cost in phases.items() if label.startswith("month")} or phases
        for label, cost in months.items():
            self._at_most(cost, limit, f"{label} costs ${cost.value:,.2f}, {asked}")
        if not months and grand is not None and self._demands.months is None:
            self._at_most(grand, limit, f"the plan costs ${grand.value:,.2f}, {asked}")

    def hold_items(self, costs: Iterator[tuple[str, Cost]], for_each: Collection[str]) -> None:
        """A limit on each thing may be one on each of a pack, where the report says what that is."""
        limit, floor = self._demands.item_max, self._demands.item_min
        if limit is None and floor is None:
            return
        for product_id, cost in costs:
            if self._fits.owned(product_id):
                continue
            said = f"{product_id} costs ${cost.value:,.2f}, asked was"
            if limit is not None and product_id not in for_each:
                self._at_most(cost, limit, f"{said} at most ${limit:,.2f} each")
            if floor is not None:
                self._at_least(cost, floor, f"{said} at least ${floor:,.2f} each")

    def _is_no_cost(self, part: SumPart) -> bool:
        """Whether an amount is over the limit, and of none of the products that its line offers."""
        entry = self._fits.entry_at(part.start)
        if entry is None or part.value <= (self.total_max or 0) or entry.owner is not None:
            return False
        return not entry.figure.exact and not self._fits.is_priced_beside(entry.figure)

    def _is_owned(self, part: SumPart) -> bool:
        """Whether the report says itself that a part is over the limit."""
        owner = self._fits.owner_at(part.start)
        return self._fits.owned_at((part.start, part.end)) or (owner is not None and self._fits.owned(owner))

    def _at_most(self, cost: Cost, limit: float, why: str) -> None:
        self.hold("limit_broken", cost.span, cost.value <= limit + _EXACT, why, cost.bound)

    def _at_least(self, cost: Cost, floor: float, why: str) -> None:
        self.hold("limit_broken", cost.span, cost.value >= floor - _EXACT, why, cost.bound)

    def hold(
        self, kind: str, span: Span, holds: bool, why: str, bound: Certainty, doubt: str | None = None
    ) -> None:
        if holds:
            self.tally.ok()
        else:
            self.tally.accuse(kind, span, why, bound, doubt)


def _item_costs(subject: Subject, mentions: Mentions, fits: FitClaims) -> Iterator[tuple[str, Cost]]:
    """What each product that is offered costs: by the catalogue, else as said; at its first place."""
    told: set[str] = set()
    for mention in mentions.mentions:
        if mention.product_id in told:
            continue
        cost = _item_cost(subject, mentions, mention)
        if cost is not None:
            told.add(mention.product_id)
            line = mentions.layout.lines[max(bisect_right(mentions.layout.starts, mention.start) - 1, 0)]
            advised = mention.own and (line.kind in ("item", "row", "title") or fits.recommends(cost.span))
            advised = advised and not is_hinted(mentions, ledger_of(mentions), cost.span[0])
            yield (
                mention.product_id,
                cost._replace(bound=Certainty.ADJOINED if advised else Certainty.INFERRED),
            )


def _item_cost(subject: Subject, mentions: Mentions, mention: Mention) -> Cost | None:
    if OPTIONAL.search(mentions.plain[mention.start : mention.end]):
        return None
    prices = prices_in(mentions, mention)
    product = subject.product(mention.product_id)
    if product is not None and product.price is not None and (prices or mention.own):
        return Cost(product.price, (mention.start, mention.end))
    return Cost(prices[0].value, (prices[0].start, prices[0].end)) if prices else None
