"""The limiter, the budget and the prices: arithmetic that must hold under concurrency."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from drr.llm.budget import Budget, Limit, MemoryPurse, OverBudget, SpendAmount, load_prices
from drr.llm.calls import Limiter, Retries
from drr.llm.factory import Models, ModelSettings
from drr.llm.failures import ModelFailure, ModelSetupError
from drr.llm.meter import PICO, Meter, Tokens
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage

from tests.cases import table
from tests.wire import Fail, FastClock, Request, Say, Wire

SONNET = "anthropic:claude-sonnet-5-5"


async def test_the_limiter_holds_halves_recovers_and_forgets_who_left() -> None:
    limiter, running, most = Limiter(3), 0, 0

    async def call() -> None:
        nonlocal running, most
        async with limiter.slot():
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            running -= 1

    await asyncio.gather(*(call() for _ in range(50)))
    assert most == 3
    assert limiter.running == 0
    clock = FastClock()
    limiter = Limiter(16, clock.clock)
    started = clock.clock.now()
    for _ in range(10):
        limiter.pushed_back(started, 5)
    assert limiter.allowed == 8
    async with limiter.slot():
        pass
    assert clock.slept
    assert sum(clock.slept) == pytest.approx(5, abs=0.5)
    limiter.pushed_back(clock.clock.now(), 1)
    assert limiter.allowed == 4
    for _ in range(500):
        limiter.answered()
    assert limiter.allowed == 16
    clock = FastClock()
    limiter = Limiter(2, clock.clock)
    for _ in range(20):
        await clock.clock.sleep(1)
        limiter.pushed_back(clock.clock.now(), 1)
    assert limiter.allowed == 1
    async with limiter.slot():
        assert limiter.running == 1
    limiter = Limiter(1)
    entered = asyncio.Event()

    async def hold() -> None:
        async with limiter.slot():
            entered.set()
            await asyncio.sleep(0.01)

    holder = asyncio.create_task(hold())
    await entered.wait()
    waiters = [asyncio.create_task(hold()) for _ in range(5)]
    await asyncio.sleep(0)
    for waiter in waiters[:4]:
        waiter.cancel()
    await asyncio.gather(holder, *waiters, return_exceptions=True)
    assert limiter.running == 0
    async with asyncio.timeout(20):
        await hold()


async def test_all_roles_of_a_provider_share_one_limiter() -> None:
    running = most = 0

    def script(request: Request) -> Say:
        nonlocal running, most
        running += 1
        most = max(most, running)
        import time

        time.sleep(0.02)
        running -= 1
        return Say("ok")

    with Wire(script) as wire:
        made = Models(ModelSettings({"default": SONNET}, base_url=wire.url, concurrency=2))
        roles = [made.unit(Meter()).role(name) for name in ("agent", "judge", "summariser")] * 3
        await asyncio.gather(*(role.reply([HumanMessage("x")]) for role in roles))
        await made.aclose()
    assert most <= 2
    assert len(wire.requests) == 9


async def test_a_429_slows_the_others_down_too() -> None:
    clock = FastClock()
    replies = [Fail(429, "rate_limit_error", headers={"retry-after": "10"}), *[Say("ok")] * 20]
    with Wire(replies) as wire:
        made = Models(ModelSettings({"default": SONNET}, base_url=wire.url, concurrency=4), clock=clock.clock)
        await made.role("agent").reply([HumanMessage("x")])
        assert made._shared.limits.of("anthropic").allowed < 4
        await made.aclose()


def test_retry_waits_grow_and_stay_bounded() -> None:
    retries = Retries(longest_s=30)
    failure = ModelFailure("server", "x")
    waits = [retries.wait(failure, tried, 1.0) for tried in range(1, 12)]
    assert waits == sorted(waits)
    assert waits[0] == 1.0
    assert waits[-1] == 30


# -- prices


def test_prices_are_exact_and_long_prompts_cost_more() -> None:
    price = load_prices().of(SONNET)
    assert price is not None
    assert price.cost(Tokens(1_000_000, 0)) == 2 * PICO
    assert price.cost(Tokens(1_000_000, 1_000_000, cache_read=500_000, cache_write=250_000)) == round(
        (0.25 * 2 + 0.5 * 0.1 + 0.25 * 2.5 + 10) * PICO
    )
    price = load_prices().of("anthropic:claude-haiku-5-5")
    assert price is not None
    assert price.cost(Tokens(100_000, 0)) == round(0.1 * PICO / 10)
    assert price.cost(Tokens(100_001, 0)) == 100_001 * 500_000


def test_a_price_file_replaces_and_adds_and_keeps_its_date(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(
        'date = "2027-01-01"\n[models."openai:mine"]\ninput = 1\noutput = 2\n[models.offline]\ninput = 3\noutput = 4\n'
    )
    prices = load_prices(file)
    assert prices.date_of("openai:mine") == "2027-01-01"
    assert prices.date_of(SONNET) == load_prices().date
    assert prices.of("nobody:knows") is None
    mine = prices.of("offline")
    assert mine is not None
    assert mine.cost(Tokens(1, 1)) == 7_000_000


@table("llm", "a_bad_price_file_is_named")
def test_a_bad_price_file_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(ModelSetupError, match=r"prices\.toml"):
        load_prices(file)


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_no_call_costs_more_than_its_upper_estimate(fresh: int, read: int, write: int, output: int) -> None:
    for name in ("anthropic:claude-haiku-5-5", SONNET, "offline"):
        price = load_prices().of(name)
        assert price is not None
        tokens = Tokens(fresh + read + write, output, read, write)
        assert price.cost(tokens) <= price.at_most(tokens.input, output)


# -- budget


async def test_a_budget_counts_what_is_in_flight() -> None:
    budget = Budget(Limit(cost=1_000))
    spent = 0
    refused = 0

    async def call() -> None:
        nonlocal spent, refused
        try:
            held = await budget.reserve(SpendAmount(cost=90))
        except OverBudget:
            refused += 1
            return
        await asyncio.sleep(0)
        budget.settle(held, Tokens(1, 1), 70)
        spent += 70

    await asyncio.gather(*(call() for _ in range(40)))
    assert spent <= 1_000
    assert spent > 1_000 - 90
    assert refused
    budget = Budget(Limit(tokens=100))
    first = await budget.reserve(SpendAmount(tokens=80))
    second = asyncio.create_task(budget.reserve(SpendAmount(tokens=80)))
    await asyncio.sleep(0)
    assert not second.done()
    budget.settle(first, Tokens(10, 5), 0)
    assert (await second).tokens == 80
    with pytest.raises(OverBudget):
        await Budget(Limit(tokens=10)).reserve(SpendAmount(tokens=11))
    with pytest.raises(OverBudget, match=r"budget of \$0\.01 .* up to \$0\.05"):
        await Budget(Limit.of(usd=0.01)).reserve(SpendAmount(PICO // 20, 700))


def offline(budget: Budget, limit: Limit | None, meter: Meter) -> Any:
    made = Models(ModelSettings({"default": "offline"}, max_tokens=50), budget=budget)
    return made.unit(meter, cap=limit).role("agent", lambda messages, arguments: AIMessage("x" * 40))


async def test_the_cap_of_a_unit_is_its_own() -> None:
    purse, meter = MemoryPurse(), Meter()
    role = offline(Budget(Limit(tokens=10_000), purse), Limit(tokens=150), meter)
    for _ in range(20):
        try:
            await role.reply([HumanMessage("hello there")])
        except OverBudget as stop:
            assert stop.scope == "unit"
            break
    else:
        pytest.fail("the cap did not hold")
    assert 0 < meter.tokens <= 150
    assert purse.spent.tokens == meter.tokens
    assert purse.reserved == SpendAmount()


async def test_failed_calls_give_back_and_cut_ones_are_paid() -> None:
    purse = MemoryPurse()
    with Wire([Fail(400, "invalid_request_error", "no")]) as wire:
        settings = ModelSettings({"default": SONNET}, base_url=wire.url)
        made = Models(settings, budget=Budget(Limit.of(usd=5), purse))
        with pytest.raises(ModelFailure):
            await made.role("agent").reply([HumanMessage("x")])
        await made.aclose()
    assert purse.reserved == SpendAmount()
    assert purse.spent == SpendAmount()
    # The one that was cut, and the one that was then asked for with room for more.
    purse = MemoryPurse()
    with Wire([Say("half", stop_reason="max_tokens")] * 2) as wire:
        made = Models(
            ModelSettings({"default": SONNET}, base_url=wire.url), budget=Budget(Limit.of(usd=5), purse)
        )
        with pytest.raises(ModelFailure):
            await made.role("agent").reply([HumanMessage("x")])
        await made.aclose()
    assert purse.spent == SpendAmount(cost=2 * (100 * 2_000_000 + 20 * 10_000_000), tokens=2 * 120)


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        (Limit.of(usd=25), "$25.00"), (Limit.of(usd=0.05), "$0.05"), (Limit.of(usd=0.0001), "$0.0001"),
        (Limit.of(usd=1.5, tokens=2_000), "$1.50 and 2,000 tokens"), (Limit(), "no limit"),
    ],
)  # fmt: skip
def test_a_limit_is_told_as_it_was_given(limit: Limit, told: str) -> None:
    assert str(limit) == told
