"""What a role does on the wire and off it: what is sent, what is metered, how structured answers are read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal

import pytest
from drr.llm.factory import Models
from drr.llm.failures import ModelFailure, ModelSetupError
from drr.llm.meter import Meter
from drr.llm.models import ModelSettings
from drr.llm.role import Unreadable, parse_json_answer
from drr.llm.thinking import Style, shared_system_message
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from pydantic import BaseModel, Field, SecretStr

from tests.cases import table
from tests.wire import Fail, FastClock, Request, Say, Script, Wire

SONNET = "anthropic:claude-sonnet-5-5"


class Verdict(BaseModel):
    label: Literal["yes", "no"]
    score: float = Field(ge=0, le=1)


def models(wire: Wire, name: str = SONNET, **changes: Any) -> Models:
    base = wire.url + ("/v1" if name.startswith("openai") else "")
    settings = ModelSettings({"default": name}, base_url=base, timeout_s=10, **changes)
    return Models(settings, clock=FastClock().clock)


@asynccontextmanager
async def served(script: Script, name: str = SONNET, **changes: Any) -> AsyncIterator[tuple[Wire, Models]]:
    """A server, and models that ask it until the block ends."""
    with Wire(script) as wire:
        made = models(wire, name, **changes)
        try:
            yield wire, made
        finally:
            await made.aclose()


async def test_requests_carry_what_they_must_and_the_form_that_is_asked_for() -> None:
    async with served([Say("hello")], max_tokens=321) as (wire, made):
        await made.role("agent").reply([SystemMessage("be brief"), HumanMessage("hi")], tools=[lookup])
    body = wire.requests[0].body
    assert body["model"] == "claude-sonnet-5-5"
    assert body["max_tokens"] == 321
    assert body["cache_control"] == {"type": "ephemeral"}
    assert [tool["name"] for tool in body["tools"]] == ["lookup"]
    assert not {"temperature", "top_p", "top_k", "tool_choice"} & set(body)
    async with served([Say('{"label": "yes", "score": 0.5}')]) as (wire, made):
        verdict = await made.role("judge").structured([HumanMessage("judge")], Verdict)
    assert verdict == Verdict(label="yes", score=0.5)
    form = wire.requests[0].body["output_config"]["format"]
    assert form["type"] == "json_schema"
    assert set(form["schema"]["properties"]) == {"label", "score"}


class Opened(BaseModel):
    cached: list[str]
    """Of the system prompt, the blocks with a mark behind them."""
    end: bool
    """Whether the end of the request is marked."""


def _opened(request: Request) -> Opened:
    system = request.body.get("system", [])
    blocks = [] if isinstance(system, str) else system
    marked = [block["text"] for block in blocks if "cache_control" in block]
    assert "cache_control" not in json.dumps(request.body["messages"])
    assert "".join(b["text"] for b in blocks) in ("", *(f"{PROMPT}user {k}" for k in (1, 2, 3)))
    return Opened(cached=marked, end="cache_control" in request.body)


PROMPT = "Answer briefly, whoever asks.\n"


async def test_only_what_is_read_again_is_written_to_the_providers_cache() -> None:
    def system(user: int) -> BaseMessage:
        return shared_system_message(f"{PROMPT}user {user}", len(PROMPT))

    async with served(lambda request: Say("hello")) as (wire, made):
        role = made.role("agent")
        for user in (1, 2, 3):
            await role.reply([system(user), HumanMessage("hi")])
        await role.reply([system(1), HumanMessage("hi")], tools=[lookup])
        await role.reply([SystemMessage("be brief"), HumanMessage("hi")])
    one, two, three, tools, plain = map(_opened, wire.requests)
    assert (one.cached, one.end) == ([], False), "it may be the only one of its kind"
    assert (two.cached, two.end) == (three.cached, three.end) == ([PROMPT], False)
    assert (tools.cached, tools.end) == ([PROMPT], True)
    assert (plain.cached, plain.end) == ([], False)


@pytest.mark.parametrize(
    ("name", "style", "sent"),
    [
        ("claude-sonnet-5-5", Style("low", None), {"output_config": {"effort": "low"}}),
        ("claude-sonnet-5-5", Style("max", "adaptive"), {"output_config": {"effort": "max"}, "thinking": {"type": "adaptive"}}),
        ("claude-haiku-4-5", Style("low", "2000"), {"thinking": {"type": "enabled", "budget_tokens": 2000}}),
        ("claude-haiku-4-5", Style(None, "off"), {"thinking": {"type": "disabled"}}),
        ("claude-sonnet-5-5", Style(), {}),
    ],
)  # fmt: skip
async def test_effort_and_thinking_are_sent_if_taken(name: str, style: Style, sent: dict[str, Any]) -> None:
    async with served(
        [Say("hello"), Say('{"label": "yes", "score": 1}')], f"anthropic:{name}", style=style
    ) as (wire, made):
        await made.role("agent").reply([HumanMessage("hi")])
        await made.role("agent").structured([HumanMessage("hi")], Verdict)
    plain, formed = (request.body for request in wire.requests)
    assert {key: plain[key] for key in ("output_config", "thinking") if key in plain} == sent
    assert formed["output_config"].get("effort") == sent.get("output_config", {}).get("effort")
    assert "format" in formed["output_config"]


@pytest.mark.parametrize(
    ("name", "style", "told"),
    [
        ("claude-opus-4-5", Style("max", None), "takes the efforts low, medium, high"),
        ("claude-opus-5-5", Style(None, "off"), "cannot be turned off"),
        ("claude-sonnet-5-5", Style(None, "off"), "disabled"),
        ("claude-sonnet-5-5", Style(None, "2000"), "adaptive"),
    ],
)
def test_what_a_model_does_not_take_is_told_before_any_call(name: str, style: Style, told: str) -> None:
    with Wire([]) as wire, pytest.raises(ModelSetupError, match=told):
        models(wire, f"anthropic:{name}", style=style).role("agent")


def lookup(name: str) -> str:
    """Look a thing up."""
    return name


async def test_usage_is_counted_once_or_unknown() -> None:
    usage = {
        "input_tokens": 1_000,
        "cache_read_input_tokens": 10_000,
        "cache_creation_input_tokens": 2_000,
        "output_tokens": 500,
    }
    for streaming, short_end in ((False, False), (True, False), (True, True)):
        meter = Meter()
        said = Say("hello", usage=usage, short_end=short_end)
        async with served([said], streaming=streaming) as (_, made):
            await made.unit(meter).role("agent").reply([HumanMessage("hi")])
        told = meter.as_json()["agent"]
        assert told["input_tokens"] == 13_000
        assert (told["cache_read_tokens"], told["cache_write_tokens"]) == (10_000, 2_000)
        assert told["output_tokens"] == 500
        expected = (1_000 * 2 + 10_000 * 0.1 + 2_000 * 2.5 + 500 * 10) / 1e6
        assert told["cost_usd"] == pytest.approx(expected, abs=1e-12)
    meter = Meter()
    async with served([Say("hello")], "openai:local-model") as (_, made):
        await made.unit(meter).role("agent").reply([HumanMessage("hi")])
        assert made.unpriced(["agent"]) == ["openai:local-model"]
    told = meter.as_json()["agent"]
    assert (told["input_tokens"], told["output_tokens"], told["cost_usd"]) == (100, 20, None)


@pytest.mark.parametrize("name", [SONNET, "openai:gpt-5-mini"])
@pytest.mark.parametrize(
    "usage",
    [{"input_tokens": 0}, {"input_tokens": 0, "output_tokens": 0}, {"output_tokens": -20}, {"input_tokens": -100},
     {"output_tokens": 0}],
)  # fmt: skip
async def test_usage_that_cannot_be_is_unknown(name: str, usage: dict[str, int]) -> None:
    """A request has words, and so has this answer."""
    for streaming in (False, True):
        meter = Meter()
        async with served([Say("hello", usage=usage)], name, streaming=streaming) as (_, made):
            await made.unit(meter).role("agent").reply([HumanMessage("hi")])
        told = meter.as_json()["agent"]
        assert (told["unmetered"], told["input_tokens"], told["output_tokens"]) == (1, 0, 0)
        assert meter.cost is None


@pytest.mark.parametrize("streaming", [False, True])
async def test_openai_compatible_servers_answer_and_call_tools(streaming: bool) -> None:
    async with served(
        [Say("", [("lookup", {"name": "kettle"})])], "openai:local-model", streaming=streaming
    ) as (wire, made):
        reply = await made.role("agent").reply([HumanMessage("hi")], tools=[lookup])
    assert [(call["name"], call["args"]) for call in reply.tool_calls] == [("lookup", {"name": "kettle"})]
    assert "temperature" not in wire.requests[0].body
    assert wire.requests[0].path == "/v1/chat/completions"


@table("llm", "a_bad_answer_is_asked_for_once_more_and_never_mended")
async def test_a_bad_answer_is_asked_for_once_more_and_never_mended(bad: str) -> None:
    good = '{"label": "no", "score": 0.25}'
    for replies, requests in (([Say(bad), Say(good)], 2), ([Say(bad), Say(bad), Say(good)], 2)):
        async with served(replies) as (wire, made):
            role = made.role("judge")
            if len(replies) == 2:
                assert await role.structured([HumanMessage("judge")], Verdict) == Verdict(
                    label="no", score=0.25
                )
                again = wire.requests[1].body["messages"]
                assert [message["role"] for message in again] == ["user", "assistant", "user"]
                assert again[1]["content"] in (bad, [{"type": "text", "text": bad}])
            else:
                with pytest.raises(ModelFailure) as failed:
                    await role.structured([HumanMessage("judge")], Verdict)
                assert failed.value.kind == "malformed"
        assert len(wire.requests) == requests


@table("llm", "a_complete_document_is_read")
def test_a_complete_document_is_read(text: str) -> None:
    assert parse_json_answer(text, Verdict) == Verdict(label="yes", score=1)


def test_a_deep_document_is_refused_and_not_a_crash() -> None:
    with pytest.raises(Unreadable):
        parse_json_answer("[" * 100_000, Verdict)


@pytest.mark.parametrize("streaming", [True, False])
@pytest.mark.parametrize("name", [SONNET, "openai:gpt-6"])
async def test_an_answer_that_was_cut_is_paid_for_and_asked_for_once_more_with_room_for_more(
    name: str, streaming: bool
) -> None:
    meter = Meter()
    with Wire(
        [Say('{"label": "yes", ', stop_reason="max_tokens"), Say('{"label": "no", "score": 1}')]
    ) as wire:
        made = Models(
            ModelSettings({"default": name}, base_url=wire.url, max_tokens=300, streaming=streaming)
        )
        verdict = await made.unit(meter).role("judge").structured([HumanMessage("judge")], Verdict)
        await made.aclose()
    assert verdict.label == "no"
    room = [
        request.body.get("max_tokens") or request.body["max_completion_tokens"] for request in wire.requests
    ]
    assert room == [300, 600]
    told = meter.as_json()["judge"]
    assert (told["raised"], told["calls"], told["unmetered"]) == (1, 2, 0)
    assert (told["input_tokens"], told["output_tokens"]) == (200, 40)


async def test_answers_cut_twice_and_rooms_too_large_are_truncated() -> None:
    async with served(lambda request: Say('{"label": "yes", "score": 0.5}', stop_reason="max_tokens")) as (
        wire,
        made,
    ):
        with pytest.raises(ModelFailure) as failed:
            await made.role("judge").structured([HumanMessage("judge")], Verdict)
    assert failed.value.kind == "truncated"
    assert len(wire.requests) == 2
    with Wire(
        [Say("half", stop_reason="max_tokens"), Fail(400, "invalid_request_error", "max_tokens: too many")]
    ) as wire:
        made = models(wire)
        with pytest.raises(ModelFailure) as failed:
            await made.role("agent").reply([HumanMessage("x")])
        await made.aclose()
    assert failed.value.kind == "truncated"


async def test_rules_answer_the_form_and_their_bugs_are_raised() -> None:
    def policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        assert set(arguments["response_schema"]["properties"]) == {"label", "score"}
        return AIMessage('{"label": "no", "score": 0}')

    role = Models(ModelSettings({"default": "offline"})).role("judge", policy)
    assert role.rule_written
    assert await role.structured([HumanMessage("judge")], Verdict) == Verdict(label="no", score=0)

    def policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        raise AttributeError("a bug")

    role = Models(ModelSettings({"default": "offline"})).role("agent", policy)
    with pytest.raises(AttributeError, match="a bug"):
        await role.reply([HumanMessage("x")])


async def test_each_role_has_its_model_and_its_own_line_in_the_meter() -> None:
    def script(request: Request) -> Say:
        return Say(request.body["model"])

    meter = Meter()
    with Wire(script) as wire:
        roles = {"default": SONNET, "judge": "anthropic:claude-haiku-5-5"}
        made = Models(ModelSettings(roles, base_url=wire.url))
        unit = made.unit(meter)
        agent = await unit.role("agent").reply([HumanMessage("x")])
        judge = await unit.role("judge").reply([HumanMessage("x")])
        await made.aclose()
    assert (agent.text, judge.text) == ("claude-sonnet-5-5", "claude-haiku-5-5")
    assert {role: used["model"] for role, used in meter.as_json().items()} == {
        "agent": SONNET,
        "judge": "anthropic:claude-haiku-5-5",
    }


def test_two_event_loops_can_use_the_same_models() -> None:
    with Wire(lambda request: Say("hello")) as wire:
        made = models(wire)

        async def ask() -> str:
            reply = await made.role("agent").reply([HumanMessage("x")])
            await made.aclose()
            return reply.text

        assert [asyncio.run(ask()) for _ in range(3)] == ["hello"] * 3


async def test_a_cancelled_call_leaves_its_place_to_others() -> None:
    started = asyncio.Event()

    async with served(lambda request: Say("hello"), concurrency=1) as (_, made):

        async def first() -> None:
            async with made._shared.limits.of("anthropic").slot():
                started.set()
                await asyncio.sleep(60)

        holder = asyncio.create_task(first())
        await started.wait()
        waiter = asyncio.create_task(made.role("agent").reply([HumanMessage("x")]))
        await asyncio.sleep(0)
        waiter.cancel()
        holder.cancel()
        await asyncio.gather(waiter, holder, return_exceptions=True)
        reply = await made.role("agent").reply([HumanMessage("x")])
    assert reply.text == "hello"


def test_names_keys_and_packages_are_checked_first(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("gpt-5", "anthropic:", "mystery:model", ""):
        with pytest.raises(ModelSetupError, match="not a model's name"):
            Models(ModelSettings({"default": name or " "})).check(["agent"])
    with pytest.raises(ModelSetupError, match="ANTHROPIC_API_KEY"):
        Models(ModelSettings({"default": SONNET})).check(["agent"])
    with pytest.raises(ModelSetupError, match="no key"):
        Models(ModelSettings({"default": SONNET}, base_url="https://models.example")).check(["agent"])
    for local in ("http://127.0.0.1:9", "http://localhost:9", "http://[::1]:9"):
        Models(ModelSettings({"default": SONNET}, base_url=local)).check(["agent"])
    import sys

    for package, name in (("langchain_openai", "openai:x"), ("langchain_ollama", "ollama:x")):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(ModelSetupError, match=r"pip install langchain-"):
            Models(ModelSettings({"default": name}, base_url="http://127.0.0.1:9")).check(["agent"])


async def test_the_environment_redirects_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with Wire([Say("right")]) as wire, Wire([Say("wrong")]) as other:
        for name in ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_URL"):
            monkeypatch.setenv(name, other.url)
        monkeypatch.setenv("LANGSMITH_GATEWAY", "true")
        monkeypatch.setenv("ANTHROPIC_API_KEY", "from-the-environment")
        made = models(wire, keys={"anthropic": SecretStr("given")})
        reply = await made.role("agent").reply([HumanMessage("x")])
        await made.aclose()
    assert reply.text == "right"
    headers = json.dumps(dict(wire.requests[0].headers))
    assert "given" in headers
    assert "from-the-environment" not in headers


async def test_keys_are_in_no_repr_and_no_failure() -> None:
    key = "sk-ant-api03-planted-Secret-0123456789"
    async with served(
        lambda request: Fail(401, "authentication_error", f"invalid key {key}"),
        keys={"anthropic": SecretStr(key)},
    ) as (_, made):
        role = made.role("agent")
        shown = [
            repr(made), repr(made.settings), repr(role), repr(made._shared.chat(SONNET, made._shared.server_of("agent", "anthropic"))), str(made.redact),
        ]  # fmt: skip
        with pytest.raises(ModelFailure) as failed:
            await role.reply([HumanMessage("x")])
    shown += [str(failed.value), repr(failed.value)]
    assert failed.value.__cause__ is None
    assert failed.value.__suppress_context__
    assert not [text for text in shown if key in text or "planted" in text]
    assert "[hidden]" in str(failed.value)


@pytest.mark.parametrize("streaming", [False, True])
async def test_half_a_character_of_a_model_can_be_sent_back(streaming: bool) -> None:
    with Wire([Say("half \ud83d", [("lookup", {"name": "\udc00 \ud83d\ude00"})]), Say("fine")]) as wire:
        role = models(wire, streaming=streaming).role("agent")
        asked: list[BaseMessage] = [HumanMessage("x")]
        reply = await role.reply(asked, tools=[lookup])
        assert reply.text == "half \ufffd"
        assert reply.tool_calls[0]["args"] == {"name": "\ufffd \U0001f600"}
        answer = ToolMessage("found", tool_call_id=reply.tool_calls[0]["id"] or "")
        assert (await role.reply([*asked, reply, answer], tools=[lookup])).text == "fine"
        await role._shared.aclose()  # type: ignore[attr-defined]
