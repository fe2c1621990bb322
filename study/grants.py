"""A budget in portions. A worker in another process is granted one, spends of it, and gives back what it does not need.

What a worker holds is reserved in its account, so that what is granted and what is spent never exceed the limit together.
As soon as somebody has to wait, nobody keeps what no call in flight needs, and grants are of single calls.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from drr.llm.budget import NOTHING, Limit, SpendAmount, Verdict
from drr.study.spend import Bank

PORTION = 8
"""So many calls of the size asked for are granted at once, while there is plenty."""


@dataclass(frozen=True)
class GrantRequest:
    """A worker needs room for a call; what it still had, and was too little, comes back with the question."""

    need: SpendAmount
    returned: SpendAmount


@dataclass(frozen=True)
class Grant:
    need: SpendAmount
    portion: SpendAmount | None
    """Portion of at least the amount needed; `None`: there is no room, and there will be none."""


@dataclass(frozen=True)
class Spent:
    """A call ended: so much of the worker's grants is no longer held, and so much was really spent."""

    freed: SpendAmount
    spent: SpendAmount
    doubted: SpendAmount = NOTHING
    """So much may have been spent, and nobody knows."""


@dataclass(frozen=True)
class Recall:
    """Give back what no call in flight needs, now and after every call."""


class GrantPurse:
    """The worker's side. Its answers come later: until then a reservation waits."""

    def __init__(self, tell: Callable[[GrantRequest | Spent], None]) -> None:
        self.in_hand = SpendAmount()
        """Granted, and needed by no call in flight."""
        self._tell = tell
        self._asked: set[SpendAmount] = set()
        self._refused: set[SpendAmount] = set()
        self._recalled = False

    def reserve(self, amount: SpendAmount, limit: Limit) -> Verdict:
        if self._recalled and amount in self._asked:
            return "wait"  # what comes for another's call is not taken: what was asked for here would come for nobody
        if self.in_hand.covers(amount):
            self.in_hand -= amount
            return "granted"
        if amount in self._refused:
            self._refused.remove(amount)
            return "refused"
        if amount not in self._asked:
            self._asked.add(amount)
            returned, self.in_hand = self.in_hand, SpendAmount()
            self._tell(GrantRequest(amount, returned))
        return "wait"

    def settle(
        self,
        reserved: SpendAmount,
        spent: SpendAmount,
        doubted: SpendAmount = NOTHING,
    ) -> None:
        freed = reserved if self._recalled else reserved.at_most(spent + doubted)
        self.in_hand += reserved - freed
        if freed != NOTHING or spent != NOTHING or doubted != NOTHING:
            self._tell(Spent(freed, spent, doubted))

    def granted(self, grant: Grant) -> None:
        self._asked.discard(grant.need)
        if grant.portion is None:
            self._refused.add(grant.need)
        else:
            self.in_hand += grant.portion

    def recall(self) -> None:
        self._recalled = True
        self.give_back()

    def give_back(self) -> None:
        returned, self.in_hand = self.in_hand, SpendAmount()
        if returned != SpendAmount():
            self._tell(Spent(returned, SpendAmount()))


class Grants:
    """The driver's side, for all the workers of a pool. `tell` reaches a worker by its name."""

    def __init__(self, bank: Bank, tell: Callable[[str, Grant | Recall], None]) -> None:
        self._bank = bank
        self._tell = tell
        self._workers: set[str] = set()
        self._waiting: list[tuple[str, SpendAmount]] = []
        self._tight = not bank.limit.is_set
        """Grants are of single calls: without a limit too, where what a dead worker held would only blur what it spent."""
        self._closed = False

    def join(self, worker: str) -> None:
        self._workers.add(worker)
        if self._tight:
            self._tell(worker, Recall())

    def hear(self, worker: str, message: GrantRequest | Spent) -> None:
        purse = self._bank.account(worker)
        if isinstance(message, GrantRequest):
            purse.settle(message.returned, SpendAmount())
            if not self._closed:
                self._waiting.append((worker, message.need))
        else:
            purse.settle(message.freed, message.spent, message.doubted)
        self.look_again()

    def leave(self, worker: str, *, died: bool) -> None:
        """A worker that died returns nothing: what it held counts as spent, and who waits is answered by that."""
        self._workers.discard(worker)
        self._waiting = [(name, need) for name, need in self._waiting if name != worker]
        if died:
            self._bank.lose(worker)
        self.look_again()

    def close(self) -> None:
        """Nobody begins a call any more. A grant that came after its worker had given all back would stay reserved."""
        self._closed = True
        self._waiting.clear()

    def remind(self) -> None:
        """Remind the desk that who waits may wait for a grant that no call needs any more. It was cancelled meanwhile, or recalled late."""
        self.look_again()
        if self._waiting:
            for worker in sorted(self._workers):
                account = self._bank.account(worker).account
                if account.reserved_cost or account.reserved_tokens:
                    self._tell(worker, Recall())

    def look_again(self) -> None:
        """Answer everyone who can be; other processes draw on the budget too, and do not tell.

        An account is judged by what is written of the others: who has to wait looks again when all that came back is.
        """
        self._go_through()
        if self._waiting and self._bank.unwritten:
            self._bank.flush()
            self._go_through()

    def _go_through(self) -> None:
        waiting, self._waiting = self._waiting, []
        for worker, need in waiting:
            if not self._answer(worker, need):
                self._waiting.append((worker, need))
                self._recall()

    def _answer(self, worker: str, need: SpendAmount) -> bool:
        """False if it is neither granted nor refused yet."""
        purse, limit = self._bank.account(worker), self._bank.limit
        self._bank.asked(need)
        plenty = need.times(PORTION)
        if not self._tight and purse.reserve(plenty, limit) == "granted":
            self._tell(worker, Grant(need, plenty))
            return True
        verdict = purse.reserve(need, limit)
        if verdict != "wait":
            self._tell(worker, Grant(need, need if verdict == "granted" else None))
        return verdict != "wait"

    def _recall(self) -> None:
        if not self._tight:
            self._tight = True
            for worker in sorted(self._workers):
                self._tell(worker, Recall())
