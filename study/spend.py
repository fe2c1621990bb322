"""Money in the ledger: an account for each run, all of them under the one budget of the study."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import NamedTuple

from drr.llm.budget import NOTHING, Limit, SpendAmount, Verdict, judge
from drr.study.database import Database
from drr.study.form import of, reading
from drr.study.holders import is_dead, lost


class Account(NamedTuple):
    """A worker's account. What it has spent, what of its grants it has neither spent nor returned, and what it may have spent."""

    cost: int = 0
    tokens: int = 0
    unpriced: int = 0
    """Calls whose cost is unknown, those in flight among them."""
    reserved_cost: int = 0
    reserved_tokens: int = 0
    doubted_cost: int = 0
    doubted_tokens: int = 0
    """Requests of which nobody knows whether they were answered and billed: cut off, timed out, without a word of usage."""


class Spending(NamedTuple):
    """The spending of all workers. `cost` and `tokens` are of answers that came and told what they used."""

    cost: int
    tokens: int
    unpriced: int
    reserved_cost: int
    """Cost reserved in flight in living processes."""
    reserved_tokens: int
    doubted_cost: int
    """May have been billed: what the dead had in flight, and what the living never heard the end of."""
    doubted_tokens: int

    @property
    def most_cost(self) -> int:
        """No more than this was spent."""
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
        if cost or tokens:  # stands like what the dead held, and outlives this worker
            db.execute(
                "INSERT OR REPLACE INTO spending VALUES (?, 0, 0, 0, ?, ?)", (lost(worker), cost, tokens)
            )

    def total(self, besides: str | None = None) -> Spending:
        cost = tokens = unpriced = reserved_cost = reserved_tokens = doubted_cost = doubted_tokens = 0
        rows = self.db.rows(
            "SELECT worker, cost, tokens, unpriced, reserved_cost, reserved_tokens FROM spending"
        )
        for worker, *counts in rows:
            with reading("what was spent"):
                amounts = [of(amount, int) for amount in counts]
            if besides is not None and worker in (besides, lost(besides)):
                continue
            one = Account(*amounts)
            cost, tokens, unpriced = cost + one.cost, tokens + one.tokens, unpriced + one.unpriced
            if not (one.reserved_cost or one.reserved_tokens):
                continue
            if is_dead(worker):
                doubted_cost += one.reserved_cost
                doubted_tokens += one.reserved_tokens
            else:
                reserved_cost += one.reserved_cost
                reserved_tokens += one.reserved_tokens
        return Spending(cost, tokens, unpriced, reserved_cost, reserved_tokens, doubted_cost, doubted_tokens)


class LedgerPurse:
    """One worker's account. What is reserved is on disk before it is used, and what comes of it as soon as it is known.

    What needed no reservation, because it costs nothing, is written with the next that did, or by `flush`.
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
            others = self._accounts.total(besides=self._worker)  # of runs before: nobody else writes now
            verdict = judge(
                SpendAmount(
                    others.most_cost + now.cost + now.doubted_cost,
                    others.most_tokens + now.tokens + now.doubted_tokens,
                ),
                SpendAmount(now.reserved_cost, now.reserved_tokens),
                amount,
                limit,
            )
            if verdict == "granted":
                self._now = self._written = now._replace(
                    unpriced=now.unpriced + amount.unpriced,
                    reserved_cost=now.reserved_cost + amount.cost,
                    reserved_tokens=now.reserved_tokens + amount.tokens,
                )
                self._accounts.put_within(db, self._worker, self._now)
        return verdict

    def settle(
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
    """A run's money: one limit and one account, out of which workers elsewhere are granted what each call may take."""

    def __init__(self, accounts: Accounts, holder: str, limit: Limit) -> None:
        self.limit = limit
        self.largest = NOTHING
        """The most that a call of this run asked to hold."""
        self.own = LedgerPurse(accounts, holder, self.asked)
        self._accounts = accounts

    def asked(self, amount: SpendAmount) -> None:
        """A call asked for this."""
        self.largest = SpendAmount(
            max(self.largest.cost, amount.cost), max(self.largest.tokens, amount.tokens)
        )

    def foreseen(self, own: SpendAmount) -> SpendAmount:
        """Foresee the highest total spend if this run's units cost `own`."""
        self.own.flush()
        total, mine = self._accounts.total(), self.own.account
        return SpendAmount(
            total.most_cost - mine.reserved_cost + max(0, own.cost - mine.cost),
            total.most_tokens - mine.reserved_tokens + max(0, own.tokens - mine.tokens),
        )

    def flush(self) -> None:
        """Send to the disk what was spent, before the records that speak of it."""
        self.own.flush()
