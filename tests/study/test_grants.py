"""Money for workers elsewhere: granted and spent never exceed the budget together, everyone is answered, the dead return nothing."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from functools import partial

import pytest
from drr.llm.budget import Limit, OverBudget, SpendAmount
from drr.llm.meter import Tokens
from drr.study.grants import Grant, GrantedBudget, GrantRequest, Grants, Spent
from drr.study.spend import Bank
from drr.study.study import Study


class Post:
    """Workers and their driver in one thread; words arrive in order, and later."""

    def __init__(self, study: Study, limit: Limit) -> None:
        self.study, self.limit = study, limit
        self.bank = Bank(study.ledger.accounts, "driver/1/1/0", limit)
        self.grants = Grants[str](self.bank, self._tell)
        self.budgets: dict[str, GrantedBudget] = {}
        self.highest = 0

    def join(self, *names: str) -> list[GrantedBudget]:
        for name in names:
            self.budgets[name] = GrantedBudget(self.limit, partial(self._say, name))
        return [self.budgets[name] for name in names]

    def die(self, name: str) -> None:
        del self.budgets[name]
        self.grants.leave(name)

    def _tell(self, name: str, grant: Grant) -> None:
        budget = self.budgets[name]
        asyncio.get_running_loop().call_soon(budget.hear, grant)

    def _say(self, name: str, word: GrantRequest | Spent) -> None:
        asyncio.get_running_loop().call_soon(self._hear, name, word)

    def _hear(self, name: str, word: GrantRequest | Spent) -> None:
        if name in self.budgets:
            self.grants.hear(name, word)
        self.bank.flush()
        total = self.study.ledger.accounts.total()
        self.highest = max(self.highest, total.most_tokens)

    async def settled(self) -> None:
        for _ in range(20):
            await asyncio.sleep(0)
        self.bank.flush()


async def call(budget: GrantedBudget, chance: random.Random, most: int) -> str:
    try:
        held = await budget.reserve(SpendAmount(tokens=most))
    except OverBudget:
        return "refused"
    try:
        for _ in range(chance.randint(0, 5)):
            await asyncio.sleep(0)
    except asyncio.CancelledError:
        budget.release(held)
        raise
    budget.record_spending(held, Tokens(chance.randint(1, most), 0), 0)
    return "granted"


@pytest.mark.parametrize("seed", range(6))
async def test_what_is_granted_and_spent_never_exceeds_the_budget_and_everyone_is_answered(
    study: Study, seed: int
) -> None:
    """A third of the calls are gone before their time, one worker dies, and nothing stays reserved."""
    chance, post = random.Random(seed), Post(study, Limit(tokens=4_000))
    workers = post.join("a", "b", "c")
    calls = [asyncio.create_task(call(chance.choice(workers), chance, 100)) for _ in range(90)]
    for task in calls[::3]:
        await asyncio.sleep(0)
        task.cancel()
    async with asyncio.timeout(20):
        how = Counter(str(one) for one in await asyncio.gather(*calls, return_exceptions=True))
    await post.settled()
    assert how["granted"] >= 40 and post.highest <= 4_000
    (budget,) = post.join("d")
    await budget.reserve(SpendAmount(tokens=50))
    before = study.ledger.accounts.total()
    assert before.reserved_tokens + before.doubted_tokens == 50
    post.die("d")
    await post.settled()
    total = study.ledger.accounts.total()
    assert (total.reserved_tokens, total.doubted_tokens) == (0, 50)


async def test_who_waits_is_answered_when_another_call_ends_and_refused_where_it_never_fits(
    study: Study,
) -> None:
    post = Post(study, Limit(tokens=100))
    one, two = post.join("a", "b")
    held = await one.reserve(SpendAmount(tokens=90))
    waits = asyncio.create_task(two.reserve(SpendAmount(tokens=60)))
    await post.settled()
    assert not waits.done()
    one.record_spending(held, Tokens(10, 0), 0)
    assert await waits == SpendAmount(tokens=60)
    with pytest.raises(OverBudget, match="the budget of 100 tokens leaves no room"):
        await one.reserve(SpendAmount(tokens=91))


async def test_what_comes_for_a_call_that_is_gone_goes_back(study: Study) -> None:
    post = Post(study, Limit(tokens=100))
    one, two = post.join("a", "b")
    gone = asyncio.create_task(one.reserve(SpendAmount(tokens=90)))
    await asyncio.sleep(0)
    gone.cancel()
    async with asyncio.timeout(20):
        assert await two.reserve(SpendAmount(tokens=90)) == SpendAmount(tokens=90)
