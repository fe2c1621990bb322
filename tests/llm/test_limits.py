"""The limiter, the budget and the prices: arithmetic that must hold under concurrency."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from drr.llm.budget import Budget, Limit, MemoryPurse, OverBudget, SpendAmount, load_prices
from drr.llm.calls import Limiter, Retries
from drr.llm.factory import Models
from drr.llm.failures import FATAL, TRANSIENT, ModelFailure, ModelSetupError
from drr.llm.meter import PICO, Meter, Tokens
from drr.llm.models import ModelSettings
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage

from benchmarks.results import ENDURANCE, row
from tests.cases import table
from tests.wire import Cut, EndEarly, ErrorEvent, Fail, FastClock, Garbage, Hang, Reply, Request, Say, Wire

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


async def test_a_push_back_slows_all_and_waits_grow() -> None:
    clock = FastClock()
    replies = [Fail(429, "rate_limit_error", headers={"retry-after": "10"}), *[Say("ok")] * 20]
    with Wire(replies) as wire:
        made = Models(ModelSettings({"default": SONNET}, base_url=wire.url, concurrency=4), clock=clock.clock)
        await made.role("agent").reply([HumanMessage("x")])
        assert made._shared.limits.of("anthropic").allowed < 4
        await made.aclose()
    retries = Retries(longest_s=30)
    failure = ModelFailure("server", "x")
    waits = [retries.wait(failure, tried, 1.0) for tried in range(1, 12)]
    assert waits == sorted(waits)
    assert waits[0] == 1.0
    assert waits[-1] == 30


# -- prices


def test_price_files_are_exact_and_replace(tmp_path: Path) -> None:
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
        budget.record_spending(held, Tokens(1, 1), 70)
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
    budget.record_spending(first, Tokens(10, 5), 0)
    assert (await second).tokens == 80
    with pytest.raises(OverBudget):
        await Budget(Limit(tokens=10)).reserve(SpendAmount(tokens=11))
    with pytest.raises(OverBudget, match=r"budget of \$0\.01 .* up to \$0\.05"):
        await Budget(Limit.of(usd=0.01)).reserve(SpendAmount(PICO // 20, 700))


def offline(budget: Budget, limit: Limit | None, meter: Meter) -> Any:
    made = Models(ModelSettings({"default": "offline"}, max_tokens=50), budget=budget)
    return made.unit(meter, cap=limit).role("agent", lambda messages, arguments: AIMessage("x" * 40))


async def test_caps_are_of_units_and_failures_are_settled() -> None:
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


ATTEMPTS = 4
MODEL = "anthropic:claude-sonnet-5-5"


@dataclass(frozen=True)
class Fault:
    name: str
    reply: Reply
    kind: str
    billed: bool = False
    """The answer arrived with its usage, so it is paid for."""
    billed_streaming: bool | None = None

    def is_billed(self, streaming: bool) -> bool:
        return self.billed if self.billed_streaming is None or not streaming else self.billed_streaming


FAULTS = [
    Fault("timeout", Hang(), "timeout"),
    Fault("429", Fail(429, "rate_limit_error", "slow down"), "rate_limited"),
    Fault("429 retry-after", Fail(429, "rate_limit_error", "slow down", {"retry-after": "7"}), "rate_limited"),
    Fault("429 retry-after an hour", Fail(429, "rate_limit_error", "later", {"retry-after": "3600"}), "rate_limited"),
    Fault("529", Fail(529, "overloaded_error", "Overloaded"), "overloaded"),
    Fault("500", Fail(500, "api_error", "Internal server error"), "server"),
    Fault("502 of a proxy", Fail(502, "bad_gateway", "bad gateway"), "server"),
    Fault("503", Fail(503, "api_error", "unavailable"), "server"),
    Fault("504", Fail(504, "timeout_error", "gateway timeout"), "timeout"),
    Fault("cut at once", Cut(0), "stream_cut"),
    Fault("cut in the middle", Cut(150), "stream_cut"),
    Fault("cut late", Cut(260), "stream_cut"),
    Fault("ends without stop reason", EndEarly(), "stream_cut", billed=True, billed_streaming=True),
    Fault("error event overloaded", ErrorEvent("overloaded_error", 529), "overloaded"),
    Fault("error event api_error", ErrorEvent("api_error", 500), "server"),
    Fault("html body", Garbage(), "malformed"),
    Fault("not an object", Garbage("[1, 2]"), "malformed"),
    Fault("empty object", Garbage("{}"), "malformed"),
    Fault("text body", Garbage("hello", "text/plain"), "malformed"),
    Fault("null content", Garbage('{"type": "message", "content": null}'), "malformed"),
    Fault("event that is no JSON", Garbage("event: message_start\ndata: {nope\n\n", "text/event-stream"), "malformed"),
    Fault("empty answer", Say(""), "malformed", billed=True),
    Fault("truncation", Say("half a sen", stop_reason="max_tokens"), "truncated", billed=True),
    Fault("truncated tool call", Say("", [("f", {"x": 1})], stop_reason="max_tokens"), "truncated", billed=True),
    Fault("refusal", Say("I cannot", stop_reason="refusal"), "refusal", billed=True),
    Fault("silent refusal", Say("", stop_reason="refusal"), "refusal", billed=True),
    Fault("overflow", Fail(400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000"), "context_overflow"),
    Fault("overflow told as stop reason", Say("x", stop_reason="model_context_window_exceeded"), "context_overflow", billed=True),
    Fault("413", Fail(413, "request_too_large", "Request exceeds the maximum size"), "context_overflow"),
    Fault("401", Fail(401, "authentication_error", "invalid x-api-key"), "bad_key"),
    Fault("403", Fail(403, "permission_error", "not allowed"), "bad_key"),
    Fault("404", Fail(404, "not_found_error", "model: claude-nope"), "unknown_model"),
    Fault("credit", Fail(400, "invalid_request_error", "Your credit balance is too low to access the API"), "no_credit"),
    Fault("402", Fail(402, "billing_error", "payment required"), "no_credit"),
    Fault("400", Fail(400, "invalid_request_error", "temperature: not supported"), "bad_request"),
    Fault("500 for tools", Fail(500, "server_error", "tools param requires --jinja flag"), "bad_request"),
]  # fmt: skip
BY_NAME = {fault.name: fault for fault in FAULTS}


def tries(fault: Fault) -> int:
    return ATTEMPTS if fault.kind in TRANSIENT else 2 if fault.kind == "malformed" else 1


def models(wire: Wire, clock: FastClock, *, streaming: bool, timeout: float = 5.0) -> Models:
    settings = ModelSettings(
        {"default": MODEL}, base_url=wire.url, timeout_s=timeout, deadline_s=3_600, streaming=streaming,
        retry_max_tokens=1,
    )  # fmt: skip
    return Models(settings, clock=clock.clock, retries=Retries(attempts=ATTEMPTS))


def echo(x: int) -> int:
    """A tool."""
    return x


f = echo
f.__name__ = "f"


async def outcome(made: Models, meter: Meter) -> tuple[str, ModelFailure | None]:
    try:
        reply = await made.unit(meter).role("agent").reply([HumanMessage("question")], tools=[f])
    except ModelFailure as failure:
        return failure.kind, failure
    return reply.text, None


async def inject(faults: list[Fault], *, streaming: bool) -> None:
    """The faults in turn and then a good answer; what must come of it is worked out from the faults alone."""
    retried: Counter[str] = Counter()
    expected_requests, expected = 0, "good"
    for tried, fault in enumerate(faults, 1):
        expected_requests += 1
        retried[fault.kind] += 1
        if tried >= ATTEMPTS or (fault.kind not in TRANSIENT and retried[fault.kind] >= tries(fault)):
            expected = fault.kind
            break
    else:
        expected_requests += 1
    clock, meter = FastClock(), Meter()
    hangs = any(isinstance(fault.reply, Hang) for fault in faults)
    with Wire([*(fault.reply for fault in faults), Say("good")]) as wire:
        made = models(wire, clock, streaming=streaming, timeout=0.2 if hangs else 30.0)
        got, failure = await outcome(made, meter)
        await made.aclose()
    told = (got, [fault.name for fault in faults], streaming)
    assert told == (expected, [fault.name for fault in faults], streaming)
    if hangs:  # on a busy machine a try may time out before the server has read it
        assert len(wire.requests) <= expected_requests
    else:
        assert len(wire.requests) == expected_requests
    used = meter.by_role["agent"] if meter.by_role else None
    seen = faults[:expected_requests]
    billed = sum(fault.is_billed(streaming) for fault in seen) + (expected == "good")
    assert (used.calls if used else 0) == billed
    assert len(clock.slept) == expected_requests - 1
    assert all(wait <= 100 for wait in clock.slept), "a retry-after is honoured up to the cap"
    if failure is not None:
        assert failure.transient == (expected in TRANSIENT)
        assert failure.fatal == (expected in FATAL)


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("name", BY_NAME)
async def test_each_fault_without_end_is_named(name: str, streaming: bool) -> None:
    fault = BY_NAME[name]
    await inject([fault] * ATTEMPTS, streaming=streaming)


PASSING = [fault for fault in FAULTS if tries(fault) > 1]


def sequences(count: int, seed: int) -> list[tuple[list[Fault], bool]]:
    """Mixed faults before a good answer, or before one that ends it."""
    chance = random.Random(seed)
    prompt = [fault for fault in FAULTS if not isinstance(fault.reply, Hang)]
    quick = [fault for fault in prompt if fault in PASSING]
    made = []
    for _ in range(count):
        faults = [chance.choice(quick) for _ in range(chance.randint(1, 2))]
        if chance.random() < 0.25:
            faults.append(chance.choice(prompt))
        made.append((faults, chance.random() < 0.5))
    return made


@pytest.mark.long
async def test_mixed_faults_end_in_the_answer_or_in_the_failure_that_ended_them() -> None:
    for faults, streaming in sequences(30, seed=5):
        await inject(faults, streaming=streaming)


@pytest.mark.endurance
async def test_a_thousand_faults() -> None:
    injected = 0
    for faults, streaming in sequences(600, seed=1_000):
        await inject(faults, streaming=streaming)
        injected += len(faults)
    for fault in FAULTS * 3:
        for streaming in (False, True):
            await inject([fault] * ATTEMPTS, streaming=streaming)
            injected += tries(fault)
    assert injected >= 1_000
    row(
        *ENDURANCE,
        ("faults of a provider on the wire", f"{injected:,}", "0 with another than the right typed outcome"),
    )


async def test_retry_after_is_read_waited_for_and_capped() -> None:
    for asked, least, most in (("7", 7, 8), ("3600", 90, 92)):
        clock = FastClock()
        with Wire([Fail(429, "rate_limit_error", headers={"retry-after": asked}), Say("good")]) as wire:
            made = models(wire, clock, streaming=False)
            assert await outcome(made, Meter()) == ("good", None)
            await made.aclose()
        assert len(clock.slept) == 1
        assert least <= clock.slept[0] <= most
    later = formatdate(time.time() + 20, usegmt=True)
    forms = [
        ({"retry-after-ms": "2500"}, 2.5),
        ({"retry-after": later}, 19.5),
        ({"retry-after": "soon"}, 0.75),
    ]
    for headers, about in forms:
        clock = FastClock()
        with Wire([Fail(429, "rate_limit_error", headers=headers), Say("good")]) as wire:
            made = models(wire, clock, streaming=False)
            assert await outcome(made, Meter()) == ("good", None)
            await made.aclose()
        assert clock.slept == [pytest.approx(about, abs=2.0 if about > 10 else 0.2)]


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_server_that_is_not_there_is_a_connection_failure(streaming: bool) -> None:
    clock, meter = FastClock(), Meter()
    with Wire([]) as wire:
        made = models(wire, clock, streaming=streaming)
    got, failure = await outcome(made, meter)
    await made.aclose()
    assert got == "connection"
    assert failure is not None
    assert failure.transient
    assert len(clock.slept) == ATTEMPTS - 1
    assert meter.as_json()["agent"]["calls"] == 0


async def test_a_deadline_ends_retries_by_name() -> None:
    clock = FastClock()
    with Wire(lambda request: Fail(429, "rate_limit_error", headers={"retry-after": "50"})) as wire:
        settings = ModelSettings({"default": MODEL}, base_url=wire.url, deadline_s=120)
        made = Models(settings, clock=clock.clock, retries=Retries(attempts=50))
        got, _ = await outcome(made, Meter())
        await made.aclose()
    assert got == "rate_limited"
    assert len(wire.requests) == 3
    assert sum(clock.slept) < 120
    replies = iter([Fail(529, "overloaded_error", "Overloaded")])
    with Wire(lambda request: next(replies, Hang(5))) as wire:
        models = Models(
            ModelSettings({"default": "anthropic:claude-sonnet-5-5"}, base_url=wire.url, deadline_s=1.5),
            retries=Retries(base_s=0.01),
        )
        with pytest.raises(ModelFailure) as caught:
            await models.role("agent").reply([HumanMessage("q")])
        await models.aclose()
    assert (caught.value.kind, len(wire.requests)) == ("overloaded", 2)
