"""Injected faults over the wire, to the real client: each ends as what it was, none silently, none tried twice over."""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass
from email.utils import formatdate

import pytest
from drr.llm.calls import Retries
from drr.llm.factory import Models, ModelSettings
from drr.llm.failures import FATAL, TRANSIENT, ModelFailure
from drr.llm.meter import Meter
from langchain_core.messages import HumanMessage

from benchmarks.results import record, table
from tests.wire import Cut, EndEarly, ErrorEvent, Fail, FastClock, Garbage, Hang, Reply, Say, Wire

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
    record(
        "Endurance: faults of a provider",
        table(("faults injected on the wire", "other than the right typed outcome"), [(f"{injected:,}", 0)]),
    )


async def test_retry_after_is_waited_for_and_capped() -> None:
    for asked, least, most in (("7", 7, 8), ("3600", 90, 92)):
        clock = FastClock()
        with Wire([Fail(429, "rate_limit_error", headers={"retry-after": asked}), Say("good")]) as wire:
            made = models(wire, clock, streaming=False)
            assert await outcome(made, Meter()) == ("good", None)
            await made.aclose()
        assert len(clock.slept) == 1
        assert least <= clock.slept[0] <= most


async def test_retry_after_is_read_in_each_of_its_forms() -> None:
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


async def test_a_deadline_ends_the_retries() -> None:
    clock = FastClock()
    with Wire(lambda request: Fail(429, "rate_limit_error", headers={"retry-after": "50"})) as wire:
        settings = ModelSettings({"default": MODEL}, base_url=wire.url, deadline_s=120)
        made = Models(settings, clock=clock.clock, retries=Retries(attempts=50))
        got, _ = await outcome(made, Meter())
        await made.aclose()
    assert got == "rate_limited"
    assert len(wire.requests) == 3
    assert sum(clock.slept) < 120


async def test_a_deadline_that_cuts_a_try_short_is_named_after_what_came_before_it() -> None:
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
