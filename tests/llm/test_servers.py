"""Servers of one's own: what the libraries say of them, how slowly they speak, and where each role's stands."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from drr.llm.calls import Retries
from drr.llm.factory import Models
from drr.llm.failures import ModelFailure
from drr.llm.journal import request_id
from drr.llm.meter import Meter
from drr.llm.models import ModelSettings, chat_model
from drr.llm.text import plain_messages
from langchain_core.messages import AIMessage, HumanMessage
from pydantic import SecretStr

from tests.wire import Fail, FastClock, Garbage, Pace, Request, Say, Wire

SMALL = "openai:small"


def look(name: str) -> str:
    """Look a thing up."""
    return name


async def asked(
    wire: Wire, name: str = SMALL, clock: FastClock | None = None, meter: Meter | None = None, **changes: Any
) -> AIMessage:
    settings = ModelSettings(
        {"default": name}, base_url=wire.url, keys={"anthropic": SecretStr("sk-test-000000000000")}, **changes
    )
    models = Models(settings, clock=(clock or FastClock()).clock)
    try:
        bound = models.unit(meter or Meter())
        return await bound.role("agent").reply([HumanMessage("hello")], tools=[look])
    finally:
        await models.aclose()


async def test_proxies_warn_nobody_and_failures_name_the_host(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from langchain_openai.chat_models import _client_utils

    monkeypatch.setattr(_client_utils, "_proxy_env_warning_emitted", False)
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    with caplog.at_level(logging.WARNING):
        chat_model("openai:small", base_url="http://127.0.0.1:9/v1")
    assert caplog.text == ""
    settings = ModelSettings({"default": "openai:small"}, base_url="http://me:hush@127.0.0.1:9/v1")
    models = Models(settings, retries=Retries(attempts=1))
    with pytest.raises(ModelFailure, match=r"at 127\.0\.0\.1:9") as caught:
        await models.role("agent").reply([HumanMessage("hello")])
    assert caught.value.kind == "connection" and "hush" not in str(caught.value)
    await models.aclose()


@pytest.mark.parametrize("name", [SMALL, "anthropic:claude-sonnet-5-5"])
@pytest.mark.parametrize(
    "said",
    [
        Say("hello there, how are you"),
        Say("two", calls=[("look", {"name": "a kettle"}), ("look", {"name": "b"})], thinking=True),
        Say(calls=[("look", {})]),
        Say("thought of", thinking=True),
    ],
)
async def test_an_answer_and_the_id_of_what_follows_are_the_same_streamed(name: str, said: Say) -> None:
    found = []
    for streaming in (True, False):
        with Wire(lambda request: said, pace=Pace(writes=1e4)) as wire:
            answer = await asked(wire, name, streaming=streaming)
        assert wire.requests[0].streaming is streaming
        follows = [HumanMessage("hello"), answer, HumanMessage("and then?")]
        found.append(
            (plain_messages([answer]), answer.content, answer.tool_calls, request_id(name, "", follows))
        )
    assert found[0] == found[1]


async def test_half_of_an_argument_is_no_call_in_a_stream() -> None:
    def script(request: Request) -> Any:
        return Garbage(stream('{"name": "a ket'), "text/event-stream")

    def stream(arguments: str) -> str:
        call = {
            "index": 0,
            "id": "c",
            "type": "function",
            "function": {"name": "look", "arguments": arguments},
        }
        deltas = [({"role": "assistant", "tool_calls": [call]}, None), ({}, "tool_calls")]
        parts = [{"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "small",
                  "choices": [{"index": 0, "delta": delta, "finish_reason": why}]} for delta, why in deltas]  # fmt: skip
        return "".join(f"data: {json.dumps(part)}\n\n" for part in parts) + "data: [DONE]\n\n"

    with (
        Wire(script) as wire,
        pytest.raises(ModelFailure, match="the arguments of the call of look") as caught,
    ):
        await asked(wire)
    assert caught.value.kind == "malformed" and len(wire.requests) == 2


@pytest.mark.parametrize("name", [SMALL, "anthropic:claude-sonnet-5-5"])
@pytest.mark.parametrize("streaming", [True, False])
async def test_arguments_that_are_no_object_are_read_once_more_or_asked_for_again(
    name: str, streaming: bool
) -> None:
    for arguments, tries in (
        ('{"name": "a kettle"}', 1),
        (["a kettle"], 2),
        ("a kettle", 2),
        (5, 2),
        (None, 2),
    ):
        meter, wrong = Meter(), Say(calls=[("look", arguments)])
        right = Say(calls=[("look", {"name": "a kettle"})])
        with Wire([wrong, right]) as wire:
            answer = await asked(wire, name, meter=meter, streaming=streaming)
        assert [call["args"] for call in answer.tool_calls] == [{"name": "a kettle"}]
        told = meter.as_json()["agent"]
        assert len(wire.requests) == told["calls"] == tries and told["input_tokens"] == 100 * tries
    with (
        Wire([Say(calls=[("look", [])])] * 2) as wire,
        pytest.raises(ModelFailure, match="of look are no JSON object"),
    ):
        await asked(wire, name, streaming=streaming)


async def test_a_slow_answer_is_waited_for_while_tokens_come() -> None:
    with Wire([Say("one two three")], pace=Pace(writes=6)) as wire:
        answer = await asked(wire, idle_s=0.5)
    assert answer.text == "one two three"


async def test_a_stream_on_which_nothing_comes_is_given_up_and_asked_for_again() -> None:
    wire, told = (
        Wire(lambda request: Say("one two three"), pace=Pace(writes=1)),
        r"no token for 0\.3 s; --model-idle",
    )
    with wire, pytest.raises(ModelFailure, match=told) as caught:
        await asked(wire, idle_s=0.3)
    assert caught.value.kind == "timeout"
    assert 1 < len(wire.requests) <= Retries().attempts, "a busy machine may give one up before it arrives"


async def test_an_answer_cut_while_it_was_written_is_not_asked_for_as_it_was() -> None:
    wire, told = (
        Wire([Say("one two three " * 9)], pace=Pace(writes=12)),
        r"written after 0\.4 s .*--model-timeout",
    )
    with wire, pytest.raises(ModelFailure, match=told) as caught:
        await asked(wire, timeout_s=0.4)
    assert caught.value.kind == "timeout" and caught.value.transient
    assert len(wire.requests) == 1


async def test_a_server_that_cannot_stream_is_told_of_by_the_setting() -> None:
    def script(request: Request) -> Any:
        return Garbage("{}") if request.streaming else Say("whole")

    with Wire(script) as wire, pytest.raises(ModelFailure, match="--streaming off"):
        await asked(wire)
    with Wire(script) as wire:
        assert (await asked(wire, streaming=False)).text == "whole"


async def test_a_server_that_is_loading_is_waited_for() -> None:
    loading = [Fail(502, "bad_gateway", "loading"), Fail(503, "unavailable_error", "Loading model")]
    with Wire([*loading, Say("here")]) as wire:
        assert (await asked(wire)).text == "here"
