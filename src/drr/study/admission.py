"""Decides which units may begin, so that none is begun that the rest of the budget probably does not pay.

A unit that the budget stops half way gives no result for its cost. So a unit is expected to cost the mean of the finished units
of its variant, less the amount already paid for it; running units count with their whole expected cost. While
no unit of a variant has finished, one begins and the others wait; while no unit of its kind has finished, one unit runs alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from drr.llm.budget import NOTHING, Limit, SpendAmount
from drr.llm.journal import PaidAnswer
from drr.llm.meter import tokens_of
from drr.study.ledger import Ledger
from drr.study.spend import Bank
from drr.study.unit import WAY, FinishedUnit, Kind, Unit


class CostGroup(NamedTuple):
    """A group of units that probably cost the same: one variant, or one task of judging."""

    kind: Kind
    name: str

    @classmethod
    def of(cls, unit: Unit) -> CostGroup:
        return cls(unit.kind, str(unit.spec.get("variant") or unit.spec.get("task") or ""))


class Admission:
    """The check by cost of the units of one run, used by the driver. Without a budget every unit may begin."""

    def __init__(self, ledger: Ledger, bank: Bank, units: Sequence[Unit]) -> None:
        self._ledger = ledger
        self._bank = bank
        self._groups = {unit.key: CostGroup.of(unit) for unit in units}
        self._under_way: set[str] = set()
        self._ended = NOTHING
        """The sum spent in this run on units that have ended."""
        self._before: dict[str, SpendAmount] = {}
        self._finished = Counter[CostGroup]()
        self._cost: dict[CostGroup, SpendAmount] = {}
        """The cost of all finished units by group."""
        if bank.limit.is_set:
            self._before = {key: self._paid_before(key) for key in ledger.saved.under_way(self._groups)}
            for kind in {group.kind for group in self._groups.values()}:
                for name, count, cost, tokens in ledger.records.costs(kind):
                    self._add(CostGroup(kind, name), SpendAmount(cost, tokens), count)

    def _add(self, group: CostGroup, cost: SpendAmount, units: int) -> None:
        self._finished[group] += units
        self._cost[group] = self._cost.get(group, NOTHING) + cost

    def begun(self, key: str) -> None:
        self._under_way.add(key)

    def ended(self, finished: FinishedUnit) -> None:
        key = finished.key
        self._under_way.discard(key)
        if self._bank.limit.is_set:
            tokens = sum(used["input_tokens"] + used["output_tokens"] for used in finished.usage.values())
            cost = SpendAmount(finished.cost or 0, tokens)
            self._ended += _less(cost, self._before.pop(key, NOTHING))
            if finished.status == "done":
                self._add(self._groups[key], cost, 1)

    def choose(self, waiting: Iterable[str], room: int) -> list[str]:
        """Return the first of the waiting units that may begin now, at most `room`."""
        if not self._bank.limit.is_set:
            return list(islice(waiting, room))
        committed = self._committed_total()
        beside = {self._groups[key] for key in self._under_way}
        chosen: list[str] = []
        # A unit that does not fit ends nothing: a cheaper one behind it may still be paid for.
        for key in waiting:
            if len(chosen) == room:
                break
            group, cost = self._groups[key], self._expected_rest(key)
            if self._is_its_turn(group, beside) and self._fits(committed, cost):
                committed += cost
                beside.add(group)
                chosen.append(key)
        return chosen

    def refusal(self, waiting: Collection[str]) -> str:
        """Return a sentence on why none of the waiting units may begin."""

        def text(amount: SpendAmount) -> str:
            cost = None if limit.cost is None else amount.cost
            return str(Limit(cost, None if limit.tokens is None else amount.tokens))

        limit, largest = self._bank.limit, self._bank.largest
        group = Counter(self._groups[key] for key in waiting).most_common(1)[0][0]
        known = self._finished[group]
        why = f"mean of {known} finished" if known else "the dearest variant known, none of it has finished"
        spare = _less(SpendAmount(limit.cost or 0, limit.tokens or 0), self._committed_total())
        rest = sum((self._expected_rest(key) for key in waiting), NOTHING)
        reserve = "" if largest == NOTHING else f" and holds up to {text(largest)} for a call"
        return (
            f"the budget of {limit} leaves {text(spare)}, less than a unit of {group.name or group.kind} needs, which is expected to cost "
            f"{text(self._mean_of(group))} ({why}){reserve}; the {len(waiting)} units left are expected to cost {text(rest)}"
        )

    def _is_its_turn(self, group: CostGroup, beside: Collection[CostGroup]) -> bool:
        """Tell whether a unit of a group may begin. In a group of unknown cost one unit runs first; in a kind of unknown cost it runs alone."""
        if group in self._finished:
            return True
        known = any(other.kind == group.kind for other in self._finished)
        return group not in beside if known else not beside

    def _fits(self, committed: SpendAmount, cost: SpendAmount) -> bool:
        """Tell whether a unit's cost fits the budget, with room for one largest call. While no cost is known, each call is checked instead.

        The room is needed because the most that a call can cost is reserved before the call is sent.
        """
        return not self._finished or self._bank.limit.holds(committed + cost + self._bank.largest)

    def _expected_rest(self, key: str) -> SpendAmount:
        """Return the expected amount still to be paid for a unit."""
        return _less(self._mean_of(self._groups[key]), self._before.get(key, NOTHING))

    def _mean_of(self, group: CostGroup) -> SpendAmount:
        """Return the mean cost of a group's units. An unknown mean is taken to be that of the most expensive known group of the kind."""
        # Too low an estimate would begin a unit that the budget then stops half way.
        known = [group] if group in self._finished else [o for o in self._finished if o.kind == group.kind]
        cost = max((self._cost[one].cost // self._finished[one] for one in known), default=0)
        tokens = max((self._cost[one].tokens // self._finished[one] for one in known), default=0)
        return SpendAmount(cost, tokens)

    def _committed_total(self) -> SpendAmount:
        """Return the highest total that will be spent once all running units have ended."""
        return self._bank.foreseen(sum((self._expected_rest(key) for key in self._under_way), self._ended))

    def _paid_before(self, key: str) -> SpendAmount:
        """Return the amount paid for the saved answers of a unit, which are used again. A saved search is one line, and free."""
        paid = NOTHING
        for text in self._ledger.saved.of_unit(key, WAY).values():
            if b"\n" in text:
                answer = PaidAnswer.read(text.decode("utf-8"))
                tokens = tokens_of(answer.message)
                paid += SpendAmount(answer.cost or 0, 0 if tokens is None else tokens.total)
        return paid


def _less(amount: SpendAmount, other: SpendAmount) -> SpendAmount:
    return amount - amount.at_most(other)
