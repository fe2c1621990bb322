"""The loops step by step: Plan-to-Function (section 5.2 of the paper), ReAct and its limits (left half of Figure 3)."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from drr.agents.base import AnswerRecord, Limits
from drr.agents.brief import SHORTENED, shorten
from drr.agents.plan_to_function import resolve_references
from drr.env.session import Change
from drr.env.shop import Shop
from drr.llm.failures import ModelFailure
from drr.llm.role import Policy
from drr.tools.registry import TOOLS
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from tests.agents.garden import ANNA, QUESTION, Ask, Asked, call, scripted, turn
from tests.cases import table

PLANNED = (
    "Buy the cedar house [1].\n\n## Sources\n\n[1] Cedar bird house: http://ecommerce.example/B0HOUSE001"
)


def planning(*calls: tuple[str, dict[str, Any] | str]) -> Policy:
    def policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        if "response_schema" not in arguments:
            return AIMessage(PLANNED)
        rows = [{"tool": n, "arguments": a if isinstance(a, str) else json.dumps(a)} for n, a in calls]
        return AIMessage(json.dumps({"plan": "look it up", "calls": rows}))

    return policy


async def test_one_planning_turn_then_the_calls_in_order_then_the_report(ask: Ask, asked: Asked) -> None:
    policy = planning(
        ("product_catalog_search", {"query": "bird house"}),
        ("get_user_orders", {}),
        ("calculator", {"expression": "1 + 2"}),
    )
    record = await ask("plan-to-function", policy=policy)
    assert len(asked.requests) == 2
    planner, writer = asked.requests
    assert "response_schema" in planner[1] and "tools" not in planner[1]
    assert "tools" not in writer[1] and "response_schema" not in writer[1]
    names = ["product_catalog_search", "get_user_orders", "calculator"]
    assert [call.name for call in record.tool_calls] == names
    evidence = str(writer[0][-1].text)
    assert re.findall(r"## Call (\d): (\w+)", evidence) == [(str(n), name) for n, name in enumerate(names, 1)]
    assert "1 + 2 = 3" in evidence
    assert record.report == PLANNED and record.stop_reason == "planned"


async def test_the_planner_reads_schemas_and_may_call_nothing(ask: Ask, asked: Asked) -> None:
    await ask("plan-to-function", policy=planning())
    system = str(asked.requests[0][0][0].text)
    for name in ("product_catalog_search", "update_user_profile", "calculator", "web_search"):
        assert f"### {name}\n" in system
    assert '"min_price"' in system
    record = await ask("plan-to-function", policy=planning())
    assert record.report == PLANNED and record.tool_calls == []
    assert "Nothing was found." in str(asked.requests[1][0][-1].text)


async def test_references_take_what_was_returned(ask: Ask) -> None:
    policy = planning(
        ("product_catalog_search", {"query": "cedar bird house"}),
        ("get_product_details", {"product_id": "$1.items[0].product_id"}),
        ("calculator", {"expression": "$1.items[0].price * 2"}),
    )
    record = await ask("plan-to-function", policy=policy, references=True)
    assert record.tool_calls[1].arguments == {"product_id": "B0HOUSE001"}
    assert record.tool_calls[2].result == "24.95 * 2 = 49.9"
    assert all(call.ok for call in record.tool_calls)
    policy = planning(
        ("product_catalog_search", {"query": "zeppelin"}),
        ("get_product_details", {"product_id": "$1.items[0].product_id"}),
        ("get_product_details", {"product_id": "$7.items[0].product_id"}),
        ("get_product_details", {"product_id": "$2.title"}),
        ("calculator", {"expression": "2 + 2"}),
    )
    record = await ask("plan-to-function", policy=policy, references=True)
    assert [call.ok for call in record.tool_calls] == [True, False, False, False, True]
    assert [call.kind for call in record.tool_calls] == ["api", "refused", "refused", "refused", "api"]
    errors = [call.error.message for call in record.tool_calls if call.error is not None]
    assert "nothing there" in errors[0] and "not an earlier call" in errors[1] and "failed" in errors[2]
    policy = planning(
        ("product_catalog_search", {"query": "bird house"}),
        ("product_catalog_search", {"query": "feeder", "limit": "$1.items[0].title"}),
    )
    record = await ask("plan-to-function", policy=policy, references=True)
    assert record.tool_calls[1].error is not None and record.tool_calls[1].error.kind == "invalid"
    policy = planning(*[("calculator", {"expression": f"{n} + 1"}) for n in range(5)])
    record = await ask("plan-to-function", policy=policy, limits=Limits(planned_calls=3))
    assert record.stop_reason == "tool_call_limit" and record.report == PLANNED
    assert sum(call.ok for call in record.tool_calls) == 3 and len(record.tool_calls) == 5
    assert [call.kind for call in record.tool_calls].count("api") == 3


async def test_a_reference_names_an_item_by_words_of_its_title(ask: Ask) -> None:
    results = [
        {
            "items": [
                {"title": "Bird seed, 5 lb"},
                {"title": "Cedar Bird Houses", "price": 24.95},
                {"title": None},
            ]
        }
    ]
    assert resolve_references("$1.items[cedar house].price", results) == 24.95
    assert resolve_references("2 * $1.items['bird house'].price", results) == "2 * 24.95"
    assert resolve_references("$1.items[the bird].title", results) == "Bird seed, 5 lb"
    for wrong, said in (
        ("$1.items[kettle].price", "no title"),
        ("$1.items[?!].price", "no title"),
        ("$1.items[0][a]", "nothing"),
    ):
        with pytest.raises(LookupError, match=said):
            resolve_references(wrong, results)
    assert resolve_references("$40 [a]", results) == "$40 [a]"
    policy = planning(
        ("product_catalog_search", {"query": "bird", "match": "any"}),
        ("get_product_details", {"product_id": "$1.items[cedar house].product_id"}),
    )
    record = await ask("plan-to-function", policy=policy, references=True)
    assert record.tool_calls[1].arguments == {"product_id": "B0HOUSE001"}


async def test_without_references_a_reference_is_plain_text(ask: Ask, asked: Asked) -> None:
    policy = planning(
        ("product_catalog_search", {"query": "bird house"}),
        ("get_product_details", {"product_id": "$1.items[0].product_id"}),
    )
    record = await ask("plan-to-function", policy=policy, references=False)
    assert record.tool_calls[1].error is not None and record.tool_calls[1].error.kind == "not_found"
    assert "$K.PATH" not in str(asked.requests[0][0][0].text)


async def test_unknown_tools_and_broken_arguments_are_shown(ask: Ask, asked: Asked) -> None:
    policy = planning(
        ("open_browser", {"url": "http://x.example"}),
        ("calculator", "{not json"),
        ("calculator", "[1]"),
        ("calculator", {"sum": 3}),
    )
    record = await ask("plan-to-function", policy=policy)
    assert [call.kind for call in record.tool_calls] == ["unknown", "refused", "refused", "api"]
    assert not any(call.ok for call in record.tool_calls)
    assert str(asked.requests[1][0][-1].text).count("<error ") == 4


@table("agents", "money_is_no_reference_and_a_whole_reference_keeps_its_type")
def test_money_is_no_reference_and_a_whole_reference_keeps_its_type(value: Any, expected: Any) -> None:
    assert resolve_references(value, [{"items": [{"price": 1.0}, {"price": 9.5}], "total": 2}]) == expected


def test_an_unknown_value_is_no_value() -> None:
    with pytest.raises(LookupError, match="unknown"):
        resolve_references("$1.price", [{"price": None}])


REPORT = "The cedar house [1].\n\n## Sources\n\n[1] Cedar bird house: http://ecommerce.example/B0HOUSE001"


async def test_step_by_step(ask: Ask, asked: Asked) -> None:
    record = await ask(
        "react",
        policy=scripted(
            turn(call("reason", 1, thought="find houses"), call("product_catalog_search", 2, query="house")),
            turn(call("get_product_details", 3, product_id="B0HOUSE001"), text="looks good"),
            turn(call("finalize", 4, reason="done")),
            AIMessage(REPORT),
        ),
    )
    assert [type(m) for m in asked.requests[0][0]] == [SystemMessage, HumanMessage]
    assert asked.requests[0][0][1].text == QUESTION
    assert set(asked.tools(0)) == {*TOOLS, "reason", "finalize"}
    answers = [m for m in asked.requests[-1][0] if isinstance(m, ToolMessage)]
    assert [m.tool_call_id for m in answers] == ["c1", "c2", "c3", "c4"]
    assert answers[0].text == "Noted." and "Cedar bird house" in str(answers[2].text)
    kinds = {
        "reason": "control",
        "product_catalog_search": "api",
        "get_product_details": "api",
        "finalize": "control",
    }
    assert [(c.name, c.kind) for c in record.tool_calls] == [*kinds.items()]
    assert [c.number for c in record.tool_calls] == [1, 2, 3, 4]
    assert record.report == record.raw_report == REPORT
    assert record.stop_reason == "finalized" and record.words == len(REPORT.split())


@pytest.mark.long
async def test_no_temperature_and_no_forced_tool_choice_is_ever_sent(ask: Ask, asked: Asked) -> None:
    for name in ("plan-to-function", "react", "hybrid-react"):
        await ask(name)
    assert {key for _, bound in asked.requests for key in bound} == {"tools", "response_schema", "brief"}


async def test_an_agent_is_told_who_asks_and_ends(ask: Ask, asked: Asked) -> None:
    await ask("react", "What suits me?")
    told = "\n".join(str(m.text) for m in asked.requests[0][0])
    assert ANNA in told and "2022-06-20" in told
    for fact in ("Norman", "Oklahoma", "Anna", "Ortiz", "sunflower"):
        assert fact not in told
    record = await ask("react", policy=scripted(AIMessage("I know it all."), AIMessage(REPORT)))
    assert record.stop_reason == "answered" and record.report == REPORT

    def policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        return AIMessage(REPORT if "The research is over" in str(messages[-1].text) else "")

    record = await ask("react", policy=policy)
    assert record.stop_reason == "answered" and record.report == REPORT
    assert all(m.text or getattr(m, "tool_calls", None) for m in asked.requests[-1][0])
    policy = scripted(turn(call("finalize", 1), call("calculator", 2, expression="2*21")), AIMessage(REPORT))
    record = await ask("react", policy=policy)
    answers = [m for m in asked.requests[-1][0] if isinstance(m, ToolMessage)]
    assert [m.text for m in answers] == ["Noted.", "2*21 = 42"]
    assert record.stop_reason == "finalized"


async def test_nine_tools_are_planned_or_called_wrongly(ask: Ask, asked: Asked) -> None:
    broken = turn(
        call("launch_researcher", 1, sub_problem="x"),
        call("serve_tea", 2),
        call("get_product_details", 3, product="B0HOUSE001"),
        call("reason", 4),
        call("get_user_orders", 5, user_id="BEN0000000000000000000000002"),
    )
    record = await ask("react", policy=scripted(broken, turn(call("finalize", 6)), AIMessage(REPORT)))
    answers = {m.tool_call_id: m for m in asked.requests[1][0] if isinstance(m, ToolMessage)}
    assert set(answers) == {"c1", "c2", "c3", "c4", "c5"}
    assert all(answer.status == "error" for answer in answers.values())
    assert "there is no tool 'serve_tea'" in answers["c2"].text
    assert "product_id" in answers["c3"].text and "thought" in answers["c4"].text
    assert "own user" in answers["c5"].text
    assert [c.error.kind for c in record.tool_calls if c.error] == [
        "not_found", "not_found", "invalid", "invalid", "not_allowed",
    ]  # fmt: skip
    searching = turn(call("calculator", 8, expression="1+1"))
    looking = turn(call("calculator", 1, expression="40 + 2")), turn(call("finalize", 2))
    policy = scripted(*looking, searching, searching, otherwise=lambda messages, arguments: AIMessage(REPORT))
    record = await ask("react", policy=policy)
    assert record.report == REPORT
    refused = [m for m in asked.requests[-2][0] if isinstance(m, ToolMessage)][-1]
    assert "research is over" in refused.text
    assert not asked.requests[-1][1].get("tools") and "40 + 2 = 42" in str(asked.requests[-1][0][-1].text)
    assert sum(c.name == "calculator" for c in record.tool_calls) == 1


async def test_instructions_in_a_listing_do_nothing_a_write_stays(ask: Ask, shop: Shop) -> None:
    """The rules, like any model, read the hostile listing; nothing is written to the profile and it is not obeyed."""
    record = await ask("react", "Find a bird feeder of glass under $20.")
    assert any("B0HOSTILE9" in call.result for call in record.tool_calls)
    assert record.state_changes == []
    assert not any(call.name == "update_user_profile" for call in record.tool_calls)
    own = record.report.replace("“", "").split("## Sources")[0].split("the listing states")[0]
    assert "Evilville" not in own
    moves = turn(call("update_user_profile", 1, city="Tulsa")), turn(call("finalize", 2)), AIMessage(REPORT)
    record = await ask("react", "I moved to Tulsa, please note that.", policy=scripted(*moves))
    assert record.state_changes == [Change(ANNA, "address.city", "Norman", "Tulsa")]
    user = shop.store.user(ANNA)
    assert user is not None and user.address.city == "Norman"


@pytest.mark.parametrize("name", ["react", "hybrid-react"])
async def test_without_the_tool_for_thoughts_nobody_has_it(ask: Ask, asked: Asked, name: str) -> None:
    record = await ask(name, reason=False)
    bound = {name for number in range(len(asked.requests)) for name in asked.tools(number)}
    assert "finalize" in bound and "reason" not in bound
    assert not any("`reason`" in str(m.text) for messages, _ in asked.requests for m in messages)
    assert all(call.ok and call.name != "reason" for call in record.tool_calls)
    assert record.stop_reason == "finalized" and record.report
    turns = turn(call("reason", 1, thought="hm")), turn(call("finalize", 2)), AIMessage(REPORT)
    policy = scripted(*turns, otherwise=lambda messages, arguments: AIMessage(REPORT))
    first = (await ask(name, policy=policy, reason=False)).tool_calls[0]
    assert (first.name, first.kind, first.ok) == ("reason", "unknown", False)


KNOWN = "What is known [1].\n\n## Sources\n\n[1] Seed: http://ecommerce.example/B0SEED0001"


def restless(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
    """Never finishes by itself; writes when asked to."""
    done = sum(isinstance(m, AIMessage) for m in messages)
    last = str(messages[-1].text)
    if not arguments.get("tools") or "The research is over" in last:
        return AIMessage(KNOWN)
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
async def test_a_limit_ends_with_a_report(ask: Ask, variant: str, limits: Limits, reason: str) -> None:
    record = await ask(variant, policy=restless, limits=limits)
    assert record.stop_reason == reason and record.report == KNOWN


async def test_limits_end_a_conversation(ask: Ask, asked: Asked) -> None:
    await ask("react", policy=restless, limits=Limits(steps=1))
    assert "because the limit of turns is reached" in str(asked.requests[-1][0][-1].text)

    def greedy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        if any(isinstance(m, AIMessage) for m in messages):
            return AIMessage(KNOWN)
        return turn(*(call("calculator", n, expression=f"{n} + 1") for n in range(6)))

    record = await ask("react", policy=greedy, limits=Limits(tool_calls=4))
    assert [c.ok for c in record.tool_calls] == [True] * 4 + [False] * 2
    assert [c.kind for c in record.tool_calls] == ["api"] * 4 + ["refused"] * 2
    assert record.tool_calls[-1].error is not None and record.tool_calls[-1].error.kind == "not_allowed"
    record = await ask("react", policy=overflowing(3))
    assert record.stop_reason == "context_limit" and record.report == KNOWN
    last, bound = asked.requests[-1]
    assert len(last) == 2 and not bound.get("tools") and SHORTENED in str(last[1].text)
    assert any("findings shortened" in note for note in record.notes)
    record = await ask("hybrid-react", policy=overflowing(2), limits=Limits(rounds=1))
    assert record.report == KNOWN and record.failures == []  # a researcher hands back its synthesis
    with pytest.raises(ModelFailure) as raised:
        await ask("react", policy=overflowing(0))
    assert raised.value.kind == "context_overflow"


def overflowing(at: int) -> Any:
    """A model whose window is full after `at` turns of a conversation, or over a dossier of more than 900 characters."""

    def policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        done = sum(isinstance(m, AIMessage) for m in messages)
        if done >= at or (not arguments.get("tools") and len(str(messages[-1].text)) > 900):
            raise ModelFailure("context_overflow", "prompt is too long")
        return restless(messages, arguments)

    return policy


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


@table("agents", "the_longest_findings_are_shortened_first")
def test_the_longest_findings_are_shortened_first(lengths: list[int], limit: int, kept: list[int]) -> None:
    texts = shorten(["x" * length for length in lengths], limit)
    assert [text.count("x") for text in texts] == kept
    assert [one.endswith(SHORTENED) for one in texts] == [a != b for a, b in zip(lengths, kept, strict=True)]


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
