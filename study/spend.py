"""Money in the ledger: an account for each worker, all of them under the one budget of the study."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from drr.llm.budget import Limit, SpendAmount, Verdict, judge
from drr.study.database import Database
from drr.study.process import is_dead, lost


class Account(NamedTuple):
    """What one worker has spent since it began, and what it was granted and has neither spent nor returned."""

    cost: int = 0
    tokens: int = 0
    unpriced: int = 0
    """Calls whose cost is unknown."""
    reserved_cost: int = 0
    reserved_tokens: int = 0


class Spending(NamedTuple):
    """Over all workers. What the dead had in flight is in `cost` and `tokens`: it may have been answered and billed."""

    cost: int
    tokens: int
    unpriced: int
    reserved_cost: int
    """In flight in living processes."""
    reserved_tokens: int


class Accounts:
    def __init__(self, db: Database) -> None:
        self.db = db

    def put(self, worker: str, account: Account) -> None:
        with self.db.writing() as db:
            self.put_within(db, worker, account)

    @staticmethod
    def put_within(db: sqlite3.Connection, worker: str, account: Account) -> None:
        db.execute("INSERT OR REPLACE INTO spending VALUES (?, ?, ?, ?, ?, ?)", (worker, *account))

    def lose(self, worker: str) -> None:
        """This worker is gone for certain: what it held is spent at most, and never comes back."""
        with self.db.writing() as db:
            db.execute("UPDATE spending SET worker = ? WHERE worker = ?", (lost(worker), worker))

    def total(self, besides: str | None = None) -> Spending:
        cost = tokens = unpriced = reserved_cost = reserved_tokens = 0
        rows = self.db.rows(
            "SELECT worker, cost, tokens, unpriced, reserved_cost, reserved_tokens FROM spending"
        )
        for worker, *amounts in rows:
            if worker == besides:
                continue
            one = Account(*amounts)
            cost, tokens, unpriced = cost + one.cost, tokens + one.tokens, unpriced + one.unpriced
            if not (one.reserved_cost or one.reserved_tokens):
                continue
            if is_dead(worker):
                cost, tokens = cost + one.reserved_cost, tokens + one.reserved_tokens
            else:
                reserved_cost += one.reserved_cost
                reserved_tokens += one.reserved_tokens
        return Spending(cost, tokens, unpriced, reserved_cost, reserved_tokens)


class LedgerPurse:
    """One worker's account. Every reservation is a short transaction; what was spent is written with the next, or by `flush`."""

    def __init__(self, accounts: Accounts, worker: str) -> None:
        self._accounts = accounts
        self._worker = worker
        self._now = Account()
        self._written = Account()

    def reserve(self, amount: SpendAmount, limit: Limit) -> Verdict:
        now = self._now
        with self._accounts.db.writing() as db:
            others = self._accounts.total(besides=self._worker)
            verdict = judge(
                SpendAmount(others.cost + now.cost, others.tokens + now.tokens),
                SpendAmount(
                    others.reserved_cost + now.reserved_cost, others.reserved_tokens + now.reserved_tokens
                ),
                amount,
                limit,
            )
            if verdict == "granted":
                self._now = self._written = now._replace(
                    reserved_cost=now.reserved_cost + amount.cost,
                    reserved_tokens=now.reserved_tokens + amount.tokens,
                )
                self._accounts.put_within(db, self._worker, self._now)
        return verdict

    def settle(self, reserved: SpendAmount, spent: SpendAmount, *, priced: bool = True) -> None:
        now = self._now
        self._now = Account(
            now.cost + spent.cost,
            now.tokens + spent.tokens,
            now.unpriced + (not priced),
            now.reserved_cost - reserved.cost,
            now.reserved_tokens - reserved.tokens,
        )

    @property
    def unwritten(self) -> bool:
        return self._now != self._written

    def flush(self) -> None:
        if self.unwritten:
            self._accounts.put(self._worker, self._now)
            self._written = self._now


class Bank:
    """The driver's side of money: one limit, its own account, and one for each worker that is not this process."""

    def __init__(self, accounts: Accounts, holder: str, limit: Limit) -> None:
        self.limit = limit
        self.own = LedgerPurse(accounts, holder)
        self._accounts = accounts
        self._workers: dict[str, LedgerPurse] = {}

    def account(self, worker: str) -> LedgerPurse:
        return self._workers.setdefault(worker, LedgerPurse(self._accounts, worker))

    def lose(self, worker: str) -> None:
        """A worker that died returns nothing: what it was granted counts as spent."""
        purse = self._workers.pop(worker, None)
        if purse is not None:
            purse.flush()
            self._accounts.lose(worker)

    @property
    def unwritten(self) -> bool:
        """Whether some account has changed since it was written."""
        return any(purse.unwritten for purse in (self.own, *self._workers.values()))

    def flush(self) -> None:
        """On its way to the disk is what was spent, before the records that tell of it."""
        for purse in (self.own, *self._workers.values()):
            purse.flush()
