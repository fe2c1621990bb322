"""Limits end a unit gracefully, with a report from what is known and a recorded reason. Outages end it without one."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from drr.agents.base import AnswerRecord, Limits
from drr.agents.brief import SHORTENED, shorten
from drr.llm.failures import ModelFailure
from langchain_core.messages import AIMessage, BaseMessage

from tests.agents.garden import Ask, Asked, call, turn

REPORT = "What is known [1].\n\n## Sources\n\n[1] Seed: http://ecommerce.example/B0SEED0001"


def restless(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
    """Never finishes by itself; writes when asked to."""
    done = sum(isinstance(m, AIMessage) for m in messages)
    last = str(messages[-1].text)
    if not arguments.get("tools") or "The research is over" in last:
        return AIMessage(REPORT)
    names = [tool["function"]["name"] for tool in arguments["tools"]]
    if "launch_researcher" in names:
        return turn(call("launch_researcher", done, sub_problem=f"part {done}"))
    return turn(call("product_catalog_search", done, query="seed"))


@pytest.mark.parametrize("variant", ["plan-to-function", "react", "hybrid-react"])
async def test_the_time_limit_is_looked_at_before_each_turn(ask: Ask, variant: str) -> None:
    clock = itertools.count(step=1.5)
    record = await ask(variant, limits=Limits(seconds=30), now=lambda: next(clock))
    assert record.stop_reason == "time_limit" and record.report


@pytest.mark.parametrize(
    ("variant", "limits", "reason"),
    [
        ("react", Limits(steps=3), "step_limit"),
        ("react", Limits(tool_calls=2), "tool_call_limit"),
        ("react", Limits(tokens=2_000), "token_limit"),
        ("hybrid-react", Limits(rounds=2, steps=2), "round_limit"),
        ("hybrid-react", Limits(supervisor_steps=2, steps=2), "step_limit"),
        ("hybrid-react", Limits(tokens=2_000), "token_limit"),
    ],
)
async def test_a_limit_ends_with_a_report_and_its_name(
    ask: Ask, variant: str, limits: Limits, reason: str
) -> None:
    record = await ask(variant, policy=restless, limits=limits)
    assert record.stop_reason == reason and record.report == REPORT


async def test_the_writer_is_told_why_the_research_ended(ask: Ask, asked: Asked) -> None:
    await ask("react", policy=restless, limits=Limits(steps=1))
    assert "because the limit of turns is reached" in str(asked.requests[-1][0][-1].text)


async def test_calls_beyond_the_limit_of_one_turn_are_refused_not_run(ask: Ask) -> None:
    def greedy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        if any(isinstance(m, AIMessage) for m in messages):
            return AIMessage(REPORT)
        return turn(*(call("calculator", n, expression=f"{n} + 1") for n in range(6)))

    record = await ask("react", policy=greedy, limits=Limits(tool_calls=4))
    assert [c.ok for c in record.tool_calls] == [True] * 4 + [False] * 2
    assert [c.kind for c in record.tool_calls] == ["api"] * 4 + ["refused"] * 2
    assert record.tool_calls[-1].error is not None and record.tool_calls[-1].error.kind == "not_allowed"


def overflowing(at: int) -> Any:
    """A model whose window is full after `at` turns of a conversation, or over a dossier of more than 900 characters."""

    def policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        done = sum(isinstance(m, AIMessage) for m in messages)
        if done >= at or (not arguments.get("tools") and len(str(messages[-1].text)) > 900):
            raise ModelFailure("context_overflow", "prompt is too long")
        return restless(messages, arguments)

    return policy


async def test_a_full_window_goes_on_in_a_fresh_conversation_over_rendered_findings(
    ask: Ask, asked: Asked
) -> None:
    record = await ask("react", policy=overflowing(3))
    assert record.stop_reason == "context_limit" and record.report == REPORT
    last, bound = asked.requests[-1]
    assert len(last) == 2 and not bound.get("tools") and SHORTENED in str(last[1].text)
    assert any("findings shortened" in note for note in record.notes)
    record = await ask("hybrid-react", policy=overflowing(2), limits=Limits(rounds=1))
    assert record.report == REPORT and record.failures == []  # a researcher hands back its synthesis
    with pytest.raises(ModelFailure) as raised:
        await ask("react", policy=overflowing(0))
    assert raised.value.kind == "context_overflow"


@pytest.mark.parametrize("variant", ["plan-to-function", "react", "hybrid-react"])
@pytest.mark.parametrize("kind", ["overloaded", "bad_key", "refusal", "truncated"])
async def test_an_outage_never_becomes_a_report(ask: Ask, variant: str, kind: Any) -> None:
    def policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        raise ModelFailure(kind, "no answer")

    with pytest.raises(ModelFailure) as raised:
        await ask(variant, policy=policy)
    assert raised.value.kind == kind


async def test_an_empty_report_is_a_failure_not_a_report(ask: Ask) -> None:
    def policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        if arguments.get("tools") and not any(isinstance(m, AIMessage) for m in messages):
            return turn(call("finalize", 1))
        return AIMessage("  \n")

    with pytest.raises(ModelFailure) as raised:
        await ask("react", policy=policy)
    assert raised.value.kind == "empty"


@pytest.mark.parametrize(
    ("lengths", "limit", "kept"),
    [([10, 10], 30, [10, 10]), ([100, 10, 10], 50, [30, 10, 10]), ([50, 50], 20, [10, 10]), ([], 5, [])],
)
def test_the_longest_findings_are_shortened_first(lengths: list[int], limit: int, kept: list[int]) -> None:
    texts = shorten(["x" * length for length in lengths], limit)
    assert [text.count("x") for text in texts] == kept
    assert [text.endswith(SHORTENED) for text in texts] == [
        a != b for a, b in zip(lengths, kept, strict=True)
    ]


@pytest.mark.long
async def test_records_are_plain_data_and_equal_runs_leave_equal_ones(ask: Ask) -> None:
    """Whoever finishes first among researchers; only wall-clock fields may differ."""

    def timeless(record: AnswerRecord) -> dict[str, Any]:
        data = record.model_dump(mode="json", exclude={"seconds"})
        for timed in (*data["tool_calls"], *data["steps"]):
            del timed["seconds"], timed["started_at"]
        for usage in data["usage"].values():
            del usage["seconds"]
        return data

    first, second = [await ask("hybrid-react+ws") for _ in range(2)]
    assert timeless(first) == timeless(second)
    again = AnswerRecord.model_validate_json(first.model_dump_json())
    assert again.model_dump(mode="json") == first.model_dump(mode="json")
