"""The units that there is money for. None is begun that is expected to cost more than the budget has left.

A unit that is stopped half way by the budget gives nothing yet for what it was paid. So a unit is expected to cost what the finished ones
of its variant cost in the mean, less what it was paid before; those under way count with what they are expected to cost in all. Where
no unit of a variant has finished, one is begun and the others of it wait; where none of the kind has, nothing is begun beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from drr.llm.budget import NOTHING, Limit, SpendAmount
from drr.llm.journal import PaidAnswer
from drr.llm.meter import tokens_of
from drr.study.leases import Moment
from drr.study.ledger import Ledger
from drr.study.spend import Bank
from drr.study.unit import WAY, ClaimTerms, Finished, Kind, Unit


@dataclass(frozen=True)
class CostGroup:
    """Units that may be expected to cost about the same."""

    kind: Kind
    name: str

    @classmethod
    def of(cls, unit: Unit) -> CostGroup:
        return cls(unit.kind, str(unit.spec.get("variant") or unit.spec.get("task") or ""))

    def __str__(self) -> str:
        return self.name or self.kind


@dataclass
class _Finished:
    """The cost of one group's finished units."""

    units: int = 0
    total: SpendAmount = NOTHING

    @property
    def mean(self) -> SpendAmount:
        return SpendAmount(self.total.cost // self.units, self.total.tokens // self.units)

    def add(self, cost: SpendAmount, units: int = 1) -> None:
        self.units += units
        self.total += cost


class Admission:
    """The driver's, for the units of one run. Without a budget it lets everything in."""

    def __init__(self, ledger: Ledger, bank: Bank, units: Sequence[Unit], terms: ClaimTerms) -> None:
        self._ledger = ledger
        self._bank = bank
        self._terms = terms
        self._groups = {unit.key: CostGroup.of(unit) for unit in units}
        self._under_way: set[str] = set()
        self._ended = NOTHING
        """Spending in this run of the units that ended in it."""
        self._before: dict[str, SpendAmount] = {}
        self._settled: set[str] = set()
        self._finished: dict[CostGroup, _Finished] = {}
        if self._is_needed:
            self._before = {key: self._paid(key) for key in ledger.saved.under_way(self._groups)}
            self.look_again()

    @property
    def _is_needed(self) -> bool:
        return self._bank.limit.is_set

    def look_again(self) -> None:
        """Read what has finished: other processes do not tell."""
        if not self._is_needed:
            return
        self._settled = self._ledger.units.settled_among(self._groups, retry_failed=self._terms.retry_failed)
        self._finished = {}
        for kind in {group.kind for group in self._groups.values()}:
            for name, units, cost, tokens in self._ledger.records.costs(kind):
                self._finished.setdefault(CostGroup(kind, name), _Finished()).add(
                    SpendAmount(cost, tokens), units
                )

    def begun(self, key: str) -> None:
        self._under_way.add(key)

    def ended(self, finished: Finished) -> None:
        key = finished.key
        self._under_way.discard(key)
        if not self._is_needed:
            return
        tokens = sum(used["input_tokens"] + used["output_tokens"] for used in finished.usage.values())
        cost = SpendAmount(finished.cost or 0, tokens)
        self._ended += _less(cost, self._before.pop(key, NOTHING))
        if finished.status == "done":
            self._settled.add(key)
            self._finished.setdefault(self._groups[key], _Finished()).add(cost)

    def elsewhere(self) -> set[str]:
        """Units of this run that another process has under way."""
        if not self._is_needed:
            return set()
        now = Moment(self._terms.wall(), self._terms.steady())
        running = self._ledger.leases.running(now, self._terms.lease_s)
        return {k for k, holder in running.items() if holder != self._terms.holder and k in self._groups}

    def choose(self, waiting: Iterable[str], room: int) -> list[str]:
        """The first of these that may be begun now. What has ended before costs nothing, and is always among them."""
        if not self._is_needed:
            return list(islice(waiting, room))
        elsewhere = self.elsewhere()
        committed = self._committed(elsewhere)
        beside = {self._groups[key] for key in self._under_way | elsewhere}
        chosen: list[str] = []
        for key in waiting:
            if len(chosen) == room:
                break
            if key not in self._settled:
                group, cost = self._groups[key], self._expected(key)
                if not self._is_its_turn(group, beside) or not self._fits(committed, cost):
                    continue
                committed += cost
                beside.add(group)
            chosen.append(key)
        return chosen

    def refusal(self, waiting: Collection[str]) -> str:
        """Say why none of these is begun."""
        left = [key for key in waiting if key not in self._settled]
        group = Counter(self._groups[key] for key in left).most_common(1)[0][0]
        known, limit = self._finished.get(group), self._bank.limit
        mean = self._mean_of(group)
        why = (
            f"mean of {known.units} finished"
            if known
            else "the dearest variant known, none of it has finished"
        )
        spare = _less(SpendAmount(limit.cost or 0, limit.tokens or 0), self._committed(set()))
        rest = sum((self._expected(key) for key in left), NOTHING)
        largest = self._bank.largest
        reserve = "" if largest == NOTHING else f" and holds up to {self._amount_text(largest)} for a call"
        return (
            f"the budget of {limit} leaves {self._amount_text(spare)}, less than a unit of {group} needs, which is expected to cost "
            f"{self._amount_text(mean)} ({why}){reserve}; the {len(left)} units left are expected to cost {self._amount_text(rest)}"
        )

    def _amount_text(self, amount: SpendAmount) -> str:
        limit = self._bank.limit
        return str(
            Limit(
                None if limit.cost is None else amount.cost, None if limit.tokens is None else amount.tokens
            )
        )

    def _is_its_turn(self, group: CostGroup, beside: Collection[CostGroup]) -> bool:
        """Tell whether a group may begin. Of a group of unknown cost one goes ahead; of a kind of unknown cost, it goes alone."""
        if group in self._finished:
            return True
        known = any(other.kind == group.kind for other in self._finished)
        return group not in beside if known else not beside

    def _fits(self, committed: SpendAmount, cost: SpendAmount) -> bool:
        """Tell whether the cost fits, with room for what its last call may take. What is not known yet is judged call by call."""
        return not self._finished or self._bank.limit.holds(committed + cost + self._bank.largest)

    def _expected(self, key: str) -> SpendAmount:
        """Estimate what is still to be paid for a unit."""
        return _less(self._mean_of(self._groups[key]), self._before.get(key, NOTHING))

    def _mean_of(self, group: CostGroup) -> SpendAmount:
        """Average a group's cost. What is not known is taken to cost as much as the dearest that is."""
        if group in self._finished:
            return self._finished[group].mean
        means = [one.mean for other, one in self._finished.items() if other.kind == group.kind]
        return SpendAmount(
            max((one.cost for one in means), default=0), max((one.tokens for one in means), default=0)
        )

    def _committed(self, elsewhere: Collection[str]) -> SpendAmount:
        """Sum what will have been spent at most when all that is under way has ended."""
        own = sum((self._expected(key) for key in self._under_way), self._ended)
        return sum((self._expected(key) for key in elsewhere), self._bank.foreseen(own))

    def _paid(self, key: str) -> SpendAmount:
        """Sum what was paid for answers that the unit will be given again."""
        paid = NOTHING
        for text in self._ledger.saved.of_unit(key, WAY).values():
            if b"\n" not in text:  # a search's hits
                continue
            answer = PaidAnswer.read(text.decode("utf-8"))
            tokens = tokens_of(answer.message)
            paid += SpendAmount(answer.cost or 0, 0 if tokens is None else tokens.total)
        return paid


def _less(amount: SpendAmount, other: SpendAmount) -> SpendAmount:
    return amount - amount.at_most(other)
