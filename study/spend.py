"""The purse in the ledger: all processes of a study draw on one budget."""

from __future__ import annotations

from drr.llm.budget import Limit, SpendAmount, Verdict, judge
from drr.study.ledger import Ledger


class LedgerPurse:
    """Every reservation is one short transaction; what was spent is written with the next one, or by `flush`."""

    def __init__(self, ledger: Ledger, worker: str) -> None:
        self._ledger = ledger
        self._worker = worker
        self._spent = SpendAmount()
        self._reserved = SpendAmount()
        self._unpriced = 0
        self._written: tuple[int, ...] = (0, 0, 0, 0, 0)

    def reserve(self, amount: SpendAmount, limit: Limit) -> Verdict:
        with self._ledger.writing() as db:
            others = self._ledger.spending(besides=self._worker)
            spent = SpendAmount(others.cost + self._spent.cost, others.tokens + self._spent.tokens)
            reserved = SpendAmount(
                others.reserved_cost + self._reserved.cost, others.reserved_tokens + self._reserved.tokens
            )
            verdict = judge(spent, reserved, amount, limit)
            if verdict == "granted":
                self._reserved = SpendAmount(
                    self._reserved.cost + amount.cost, self._reserved.tokens + amount.tokens
                )
                self._ledger.spend_within(db, self._worker, *self._state())
                self._written = self._state()
        return verdict

    def settle(self, reserved: SpendAmount, spent: SpendAmount, *, priced: bool = True) -> None:
        self._reserved = SpendAmount(
            self._reserved.cost - reserved.cost, self._reserved.tokens - reserved.tokens
        )
        self._spent = SpendAmount(self._spent.cost + spent.cost, self._spent.tokens + spent.tokens)
        self._unpriced += not priced

    def flush(self) -> None:
        state = self._state()
        if state != self._written:
            cost, tokens, unpriced, reserved_cost, reserved_tokens = state
            self._ledger.spend(
                self._worker,
                cost=cost,
                tokens=tokens,
                unpriced=unpriced,
                reserved_cost=reserved_cost,
                reserved_tokens=reserved_tokens,
            )
            self._written = state

    def _state(self) -> tuple[int, int, int, int, int]:
        return (
            self._spent.cost,
            self._spent.tokens,
            self._unpriced,
            self._reserved.cost,
            self._reserved.tokens,
        )
