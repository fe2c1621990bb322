"""Plan-to-Function: one structured planning turn, the calls in order, one report (section 5.2 of the paper)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from drr.agents.plan_to_function import resolve
from drr.llm.role import Policy
from langchain_core.messages import AIMessage, BaseMessage

from tests.agents.garden import Ask, Asked
from tests.cases import table

REPORT = "Buy the cedar house [1].\n\n## Sources\n\n[1] Cedar bird house: http://ecommerce.example/B0HOUSE001"


def planning(*calls: tuple[str, dict[str, Any] | str]) -> Policy:
    def policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        if "response_schema" not in arguments:
            return AIMessage(REPORT)
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
    assert [call.name for call in record.tool_calls] == [
        "product_catalog_search",
        "get_user_orders",
        "calculator",
    ]
    evidence = str(writer[0][-1].text)
    assert (
        evidence.index("## Call 1: product_catalog_search")
        < evidence.index("## Call 2: get_user_orders")
        < evidence.index("## Call 3: calculator")
    )
    assert "1 + 2 = 3" in evidence
    assert record.report == REPORT and record.stop_reason == "planned"


async def test_the_planner_reads_the_schemas_of_all_nine(ask: Ask, asked: Asked) -> None:
    await ask("plan-to-function", policy=planning())
    system = str(asked.requests[0][0][0].text)
    for name in ("product_catalog_search", "update_user_profile", "calculator", "web_search"):
        assert f"### {name}\n" in system
    assert '"min_price"' in system


async def test_a_plan_without_calls_still_ends_with_a_report(ask: Ask, asked: Asked) -> None:
    record = await ask("plan-to-function", policy=planning())
    assert record.report == REPORT and record.tool_calls == []
    assert "Nothing was found." in str(asked.requests[1][0][-1].text)


async def test_a_reference_takes_what_an_earlier_call_returned(ask: Ask) -> None:
    policy = planning(
        ("product_catalog_search", {"query": "cedar bird house"}),
        ("get_product_details", {"product_id": "$1.items[0].product_id"}),
        ("calculator", {"expression": "$1.items[0].price * 2"}),
    )
    record = await ask("plan-to-function", policy=policy, references=True)
    assert record.tool_calls[1].arguments == {"product_id": "B0HOUSE001"}
    assert record.tool_calls[2].result == "24.95 * 2 = 49.9"
    assert all(call.ok for call in record.tool_calls)


async def test_an_unresolvable_reference_is_a_failed_call_and_the_rest_runs(ask: Ask) -> None:
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


async def test_without_references_a_reference_is_plain_text(ask: Ask, asked: Asked) -> None:
    policy = planning(
        ("product_catalog_search", {"query": "bird house"}),
        ("get_product_details", {"product_id": "$1.items[0].product_id"}),
    )
    record = await ask("plan-to-function", policy=policy, references=False)
    assert record.tool_calls[1].error is not None and record.tool_calls[1].error.kind == "not_found"
    assert "$K.PATH" not in str(asked.requests[0][0][0].text)


async def test_an_argument_that_the_substitution_made_wrong_is_refused_by_the_tool(ask: Ask) -> None:
    policy = planning(
        ("product_catalog_search", {"query": "bird house"}),
        ("product_catalog_search", {"query": "feeder", "limit": "$1.items[0].title"}),
    )
    record = await ask("plan-to-function", policy=policy, references=True)
    assert record.tool_calls[1].error is not None and record.tool_calls[1].error.kind == "invalid"


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


async def test_a_plan_that_is_too_long_is_cut_and_says_so(ask: Ask) -> None:
    policy = planning(*[("calculator", {"expression": f"{n} + 1"}) for n in range(5)])
    from drr.agents.base import Limits

    record = await ask("plan-to-function", policy=policy, limits=Limits(planned_calls=3))
    assert record.stop_reason == "tool_call_limit" and record.report == REPORT
    assert sum(call.ok for call in record.tool_calls) == 3 and len(record.tool_calls) == 5
    assert [call.kind for call in record.tool_calls].count("api") == 3


@table("agents", "money_is_no_reference_and_a_whole_reference_keeps_its_type")
def test_money_is_no_reference_and_a_whole_reference_keeps_its_type(value: Any, expected: Any) -> None:
    assert resolve(value, [{"items": [{"price": 1.0}, {"price": 9.5}], "total": 2}]) == expected


def test_an_unknown_value_is_no_value() -> None:
    with pytest.raises(LookupError, match="unknown"):
        resolve("$1.price", [{"price": None}])
