"""Grants the budget call by call to workers in other processes. A worker asks before each call and returns the unspent rest.

Granted amounts are reserved in the driver's account, so that grants and spending together never exceed the limit. A worker's
messages arrive in order: before a request the driver has received the spending of all earlier calls.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Generic, TypeVar

from drr.llm.budget import NOTHING, Budget, Limit, SpendAmount, Verdict
from drr.study.spend import Bank

W = TypeVar("W")


@dataclass(frozen=True)
class GrantRequest:
    """A worker's request for the amount that its next call may take."""

    number: int
    amount: SpendAmount


@dataclass(frozen=True)
class Grant:
    """The answer to the request of that number. A refusal is final, because there will be no room later."""

    number: int
    granted: bool


@dataclass(frozen=True)
class Spent:
    """A worker's message on a call that has ended: the amounts freed, spent, and possibly spent."""

    freed: SpendAmount
    spent: SpendAmount = NOTHING
    doubted: SpendAmount = NOTHING


class GrantedBudget(Budget):
    """The budget in a worker, which asks the driver for every amount."""

    def __init__(self, limit: Limit, tell: Callable[[GrantRequest | Spent], None]) -> None:
        super().__init__(limit)
        self._tell = tell
        self._numbers = count()
        self._asked: dict[int, tuple[SpendAmount, asyncio.Future[bool]]] = {}

    async def _wait_for_grant(self, amount: SpendAmount) -> bool:
        number = next(self._numbers)
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._asked[number] = amount, answer
        self._tell(GrantRequest(number, amount))
        try:
            return await answer
        except asyncio.CancelledError:
            # A grant that arrived just before the cancellation would else stay reserved until the run ends.
            if answer.done() and not answer.cancelled() and answer.result():
                self._tell(Spent(amount))
            raise

    def hear(self, grant: Grant) -> None:
        amount, answer = self._asked.pop(grant.number)
        if not answer.done():
            answer.set_result(grant.granted)
        elif grant.granted:  # the call was cancelled meanwhile
            self._tell(Spent(amount))

    def _account(self, reserved: SpendAmount, spent: SpendAmount, doubted: SpendAmount) -> None:
        if (reserved, spent, doubted) != (NOTHING, NOTHING, NOTHING):
            self._tell(Spent(reserved, spent, doubted))


class Grants(Generic[W]):
    """The driver's side of granting, for all workers of a pool. `tell` sends a message to a worker."""

    def __init__(self, bank: Bank, tell: Callable[[W, Grant], None]) -> None:
        self._bank = bank
        self._tell = tell
        self._lent: dict[W, SpendAmount] = {}
        self._waiting: list[tuple[W, GrantRequest]] = []

    def hear(self, worker: W, word: GrantRequest | Spent) -> None:
        if isinstance(word, GrantRequest):
            self._waiting.append((worker, word))
        else:
            self._lent[worker] = self._lent.get(worker, NOTHING) - word.freed
            self._bank.own.record_spending(word.freed, word.spent, word.doubted)
        self._answer()

    def leave(self, worker: W) -> None:
        """Remove a worker that is gone. The amounts that were granted to it count as spent."""
        lent = self._lent.pop(worker, NOTHING)
        self._waiting = [one for one in self._waiting if one[0] != worker]
        # A worker that is gone cannot say how its calls ended, so all that it was lent may have been billed.
        if lent != NOTHING:
            self._bank.own.record_spending(lent, NOTHING, lent)
        self._answer()

    def _answer(self) -> None:
        """Answer each waiting request that can be granted or refused. The others wait until another call has ended."""
        waiting, self._waiting = self._waiting, []
        for worker, word in waiting:
            verdict: Verdict = self._bank.own.reserve(word.amount, self._bank.limit)
            if verdict == "wait":
                self._waiting.append((worker, word))
                continue
            if verdict == "granted":
                self._lent[worker] = self._lent.get(worker, NOTHING) + word.amount
            self._tell(worker, Grant(word.number, verdict == "granted"))
