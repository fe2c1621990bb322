"""Records spending in the ledger: an account for each run, all of them under the one budget of the study."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from operator import add
from typing import NamedTuple

from drr.llm.budget import NOTHING, Limit, SpendAmount, Verdict, budget_verdict
from drr.study.database import Database
from drr.study.form import naming_errors, of
from drr.study.holders import is_dead, lost_spending_name


class Account(NamedTuple):
    """The account of one writer, or of all together. `cost` and `tokens` cover answers with a known usage."""

    cost: int = 0
    tokens: int = 0
    unpriced: int = 0
    """The number of calls whose cost is unknown, including running ones."""
    reserved_cost: int = 0
    """The cost reserved for running calls of living processes."""
    reserved_tokens: int = 0
    doubted_cost: int = 0
    """The cost that may have been billed: calls that were running in dead processes, and calls without a known end."""
    doubted_tokens: int = 0

    @property
    def most_cost(self) -> int:
        """Return the highest cost that can have been spent."""
        return self.cost + self.doubted_cost + self.reserved_cost

    @property
    def most_tokens(self) -> int:
        return self.tokens + self.doubted_tokens + self.reserved_tokens


class Accounts:
    def __init__(self, db: Database) -> None:
        self.db = db

    def put(self, worker: str, account: Account) -> None:
        with self.db.writing() as db:
            self.put_within(db, worker, account)

    @staticmethod
    def put_within(db: sqlite3.Connection, worker: str, account: Account) -> None:
        *counts, cost, tokens = account
        db.execute("INSERT OR REPLACE INTO spending VALUES (?, ?, ?, ?, ?, ?)", (worker, *counts))
        if cost or tokens:  # stored like the reservations of a dead writer, and kept after this one
            db.execute(
                "INSERT OR REPLACE INTO spending VALUES (?, 0, 0, 0, ?, ?)",
                (lost_spending_name(worker), cost, tokens),
            )

    def total(self, besides: str | None = None) -> Account:
        whole = Account()
        rows = self.db.rows(
            "SELECT worker, cost, tokens, unpriced, reserved_cost, reserved_tokens FROM spending"
        )
        for worker, *counts in rows:
            with naming_errors("what was spent"):
                amounts = [of(amount, int) for amount in counts]
            if besides is not None and worker in (besides, lost_spending_name(besides)):
                continue
            one = Account(*amounts)
            # Nobody heard how the calls of a dead process ended, so they may have been billed.
            if is_dead(worker):
                cost, tokens = one.reserved_cost, one.reserved_tokens
                one = Account(one.cost, one.tokens, one.unpriced, doubted_cost=cost, doubted_tokens=tokens)
            whole = Account(*map(add, whole, one))
        return whole


class LedgerPurse:
    """The account of one writer, kept in the ledger. Reserved amounts are on disk before use, and spending follows as soon as it is known.

    Calls that cost nothing are not reserved; they are written with the next reserved call, or by `flush`.
    """

    def __init__(
        self, accounts: Accounts, worker: str, asked: Callable[[SpendAmount], None] = lambda amount: None
    ) -> None:
        self._accounts = accounts
        self._worker = worker
        self._asked = asked
        self._now = Account()
        self._written = Account()

    def reserve(self, amount: SpendAmount, limit: Limit) -> Verdict:
        now = self._now
        self._asked(amount)
        with self._accounts.db.writing() as db:
            others = self._accounts.total(besides=self._worker)  # of earlier runs: nobody else writes
            verdict = budget_verdict(
                SpendAmount(
                    others.most_cost + now.cost + now.doubted_cost,
                    others.most_tokens + now.tokens + now.doubted_tokens,
                ),
                SpendAmount(now.reserved_cost, now.reserved_tokens),
                amount,
                limit,
            )
            # Written before the call begins: a kill during the call must not hide what it may have cost.
            if verdict == "granted":
                self._now = self._written = now._replace(
                    unpriced=now.unpriced + amount.unpriced,
                    reserved_cost=now.reserved_cost + amount.cost,
                    reserved_tokens=now.reserved_tokens + amount.tokens,
                )
                self._accounts.put_within(db, self._worker, self._now)
        return verdict

    def record_spending(
        self,
        reserved: SpendAmount,
        spent: SpendAmount,
        doubted: SpendAmount = NOTHING,
    ) -> None:
        now = self._now
        self._now = Account(
            now.cost + spent.cost,
            now.tokens + spent.tokens,
            now.unpriced + (spent + doubted - reserved).unpriced,
            now.reserved_cost - reserved.cost,
            now.reserved_tokens - reserved.tokens,
            now.doubted_cost + doubted.cost,
            now.doubted_tokens + doubted.tokens,
        )
        # A call that reserved nothing cost nothing, so losing it to a kill loses no money.
        if reserved != NOTHING:
            self.flush()

    @property
    def account(self) -> Account:
        return self._now

    @property
    def unwritten(self) -> bool:
        return self._now != self._written

    def flush(self) -> None:
        if self.unwritten:
            self._accounts.put(self._worker, self._now)
            self._written = self._now


class Bank:
    """The money of a run: one limit and one account, from which calls of workers are granted amounts."""

    def __init__(self, accounts: Accounts, holder: str, limit: Limit) -> None:
        self.limit = limit
        self.largest = NOTHING
        """The largest amount that a call of this run asked to reserve."""
        self.own = LedgerPurse(accounts, holder, self.asked)
        self._accounts = accounts

    def asked(self, amount: SpendAmount) -> None:
        """Record an amount that a call asked to reserve."""
        self.largest = SpendAmount(
            max(self.largest.cost, amount.cost), max(self.largest.tokens, amount.tokens)
        )

    def foreseen(self, own: SpendAmount) -> SpendAmount:
        """Return the highest possible total spending if this run's units cost `own`."""
        self.own.flush()
        total, mine = self._accounts.total(), self.own.account
        return SpendAmount(
            total.most_cost - mine.reserved_cost + max(0, own.cost - mine.cost),
            total.most_tokens - mine.reserved_tokens + max(0, own.tokens - mine.tokens),
        )

    def flush(self) -> None:
        """Write the spending to disk, before the records of the units that spent it."""
        self.own.flush()
