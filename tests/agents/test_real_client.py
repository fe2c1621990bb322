"""The graphs through the real Anthropic client against a local server that speaks its wire protocol."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from drr.agents.base import AnswerRecord
from drr.agents.brief import ResearchRequest
from drr.agents.plan_to_function import CallPlan
from drr.agents.registry import variant
from drr.agents.runner import AgentOptions, load_prompts, run_variant, schemas
from drr.env.session import Session
from drr.env.shop import Shop
from drr.env.shop_world import ShopWorld
from drr.llm.calls import Retries
from drr.llm.factory import Models
from drr.llm.failures import ModelFailure
from drr.llm.meter import Meter
from drr.llm.models import ModelSettings
from drr.tools.base import context_for
from drr.tools.registry import call as call_tool
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from pydantic import SecretStr

from tests.agents.garden import ANNA, CountingWeb, call
from tests.wire import Fail, Request, Say, Wire

REPORT = "Take it [1].\n\n## Sources\n\n[1] Cedar bird house: http://ecommerce.example/B0HOUSE001"

PLAN = (
    '{"plan": "p", "calls": [{"tool": "product_catalog_search", "arguments": "{\\"query\\": \\"house\\"}"}]}'
)


def texts(request: Request) -> str:
    return json.dumps(request.body["messages"])


def names(request: Request) -> list[str]:
    return [tool["name"] for tool in request.body.get("tools", ())]


def turns(request: Request) -> int:
    return sum(message["role"] == "assistant" for message in request.body["messages"])


async def run(
    wire: Wire, name: str, shop: Shop, web: CountingWeb, *, streaming: bool = False, **options: Any
) -> AnswerRecord:
    meter = Meter()
    settings = ModelSettings(
        {"default": "anthropic:claude-sonnet-5-5"},
        base_url=wire.url,
        keys={"anthropic": SecretStr("sk-test-000000000000")},
        streaming=streaming,
    )
    models = Models(settings, retries=Retries(attempts=1)).unit(meter)
    try:
        return await run_variant(
            variant(name), "Which bird house suits bluebirds?", world=ShopWorld(Session(shop, ANNA), web),
            models={"agent": models.role("agent"), "summariser": models.role("summariser")}, meter=meter,
            prompts=load_prompts(), options=AgentOptions(**options),
        )  # fmt: skip
    finally:
        await models.aclose()


JudgingResults = Callable[..., Awaitable[tuple[AnswerRecord, list[Request]]]]


@pytest.fixture
def ran(shop: Shop, web: CountingWeb) -> JudgingResults:
    """Run a variant against a script: its record, and the requests as they came."""

    async def answer(script: Any, name: str = "react", **options: Any) -> tuple[AnswerRecord, list[Request]]:
        with Wire(script) as wire:
            return await run(wire, name, shop, web, **options), wire.requests

    return answer


def react(request: Request) -> Say:
    searches = [("reason", {"thought": "look"}), ("product_catalog_search", {"query": "house"})]
    script = [
        Say(calls=searches, thinking=True),
        Say("Opening it.", calls=[("get_product_details", {"product_id": "B0HOUSE001"})], thinking=True),
        Say(calls=[("finalize", {})], thinking=True),
        Say(REPORT),
    ]
    return script[turns(request)]


async def test_a_record_is_the_same_streamed(ran: JudgingResults) -> None:
    whole, streamed = [(await ran(react, streaming=streaming))[0] for streaming in (False, True)]

    def timeless(record: AnswerRecord) -> str:
        return re.sub(r'("(?:seconds|started_at)": )[\d.e-]+', r"\1", record.model_dump_json(indent=1))

    assert timeless(whole) == timeless(streamed)


@pytest.mark.parametrize("streaming", [False, True])
async def test_successive_requests_of_react_only_append(ran: JudgingResults, streaming: bool) -> None:
    """Signed thinking blocks are valid only while system, tools and earlier messages stay as they were."""
    record, requests = await ran(react, streaming=streaming)
    assert record.report == REPORT and record.stop_reason == "finalized" and not record.rule_written
    assert record.models == {"agent": "anthropic:claude-sonnet-5-5"}
    bodies = [request.body for request in requests]
    assert len(bodies) == 4
    for before, after in itertools.pairwise(bodies):
        assert after["messages"][: len(before["messages"])] == before["messages"]
        assert after["system"] == before["system"] and after["tools"] == before["tools"]
    assert '"type": "thinking"' in texts(requests[-1])
    for body in bodies:
        assert not {"temperature", "top_p", "top_k", "tool_choice"} & set(body)
    assert record.usage["agent"]["calls"] == 4 and record.usage["agent"]["input_tokens"] == 400
    blocks = [b for m in bodies[-1]["messages"] if isinstance(m["content"], list) for b in m["content"]]
    asked = [block["id"] for block in blocks if block["type"] == "tool_use"]
    assert asked == [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"] and len(asked) == 4


async def test_plans_and_page_summaries_are_plain_requests(ran: JudgingResults) -> None:
    calls = [{"tool": "product_catalog_search", "arguments": '{"query": "bird house"}'}]
    said = [Say(json.dumps({"plan": "search", "calls": calls})), Say(REPORT)]
    record, (first, second) = await ran(said, "plan-to-function")
    assert first.body["output_config"]["format"]["type"] == "json_schema"
    assert "tools" not in first.body and "tools" not in second.body and "tool_choice" not in first.body
    assert "Cedar bird house" in texts(second) and record.report == REPORT
    record, _ = await ran(hybrid, "hybrid-react+ws")
    assert record.report == REPORT and record.failures == []
    assert record.usage["summariser"]["calls"] > 0
    assert any(s.seen == "A summary of the page." for s in record.sources)
    assert record.models["summariser"] == "anthropic:claude-sonnet-5-5"


def hybrid(request: Request) -> Say:
    if "launch_researcher" in names(request):
        launches = [("launch_researcher", {"sub_problem": problem}) for problem in ("houses", "seed")]
        return Say(calls=[("finalize", {})]) if turns(request) else Say(calls=launches, thinking=True)
    if names(request):
        search = ("web_search", {"query": str(request.body["messages"][0]["content"])})
        return Say(calls=[("finalize", {}) if turns(request) else search])
    if "<page " in texts(request):
        return Say("A summary of the page.")
    return Say("## Findings\n\nFound.") if "# Sub-problem" in texts(request) else Say(REPORT)


@pytest.mark.parametrize(
    ("fault", "kind"), [(Fail(500), "server"), (Say("half", stop_reason="max_tokens"), "truncated")]
)
async def test_without_a_report_the_unit_fails_typed(ran: JudgingResults, fault: Any, kind: str) -> None:
    with pytest.raises(ModelFailure) as raised:
        await ran(lambda request: react(request) if turns(request) < 2 and names(request) else fault)
    assert raised.value.kind == kind


@pytest.mark.parametrize(
    ("fault", "stop"),
    [
        (Say("half", stop_reason="max_tokens"), "truncated"),
        (Say("I cannot", stop_reason="refusal"), "refused"),
        (Fail(529, "overloaded_error"), "outage"),
        (Fail(400, "invalid_request_error", "thinking blocks are wrong"), "rejected"),
        (Fail(400, "invalid_request_error", "prompt is too long: 300000 tokens > 200000 maximum"), "context_limit"),
    ],
)  # fmt: skip
async def test_a_turn_that_fails_late_leads_to_a_report(ran: JudgingResults, fault: Any, stop: str) -> None:
    """Written by the same model in a fresh conversation; the record says why the research ended."""

    def script(request: Request) -> Any:
        if not names(request):
            return Say(REPORT)
        return fault if turns(request) == 2 else react(request)

    record, requests = await ran(script)
    assert (record.report, record.stop_reason) == (REPORT, stop)
    assert stop == "context_limit" or any("broken off" in note for note in record.notes)
    assert len(requests[-1].body["messages"]) == 1 and "Cedar bird house" in texts(requests[-1])


@pytest.mark.parametrize("variant", ["react", "plan-to-function", "hybrid-react"])
async def test_one_refusal_of_a_first_turn_or_of_a_report_is_asked_again(
    ran: JudgingResults, variant: str
) -> None:
    """Each conversation's first request is refused once."""
    refused: set[str] = set()

    def script(request: Request) -> Any:
        said = json.dumps([names(request), "output_config" in request.body, texts(request)])
        if turns(request) == 0 and said not in refused:
            refused.add(said)
            return Say("I cannot", stop_reason="refusal")
        if request.body.get("output_config"):
            return Say(PLAN)
        return react(request) if variant == "react" else hybrid(request)

    record, _ = await ran(script, variant)
    assert record.report == REPORT and record.stop_reason in ("finalized", "planned") and not record.failures
    assert any("asked once more" in note for note in record.notes)


async def test_a_report_that_is_refused_is_written_in_a_fresh_conversation(ran: JudgingResults) -> None:
    def refusing(request: Request) -> Any:
        if "The research is over" in texts(request):
            return Say("I cannot", stop_reason="refusal")
        return react(request) if names(request) else Say(REPORT)

    record, _ = await ran(refusing)
    assert (record.report, record.stop_reason) == (REPORT, "finalized")
    assert any("fresh conversation" in note for note in record.notes)


async def test_a_planner_that_cannot_plan_leaves_no_answer(shop: Shop, web: CountingWeb) -> None:
    def script(request: Request) -> Any:
        return Say("no", stop_reason="refusal") if request.body.get("output_config") else Say(REPORT)

    with Wire(script) as wire, pytest.raises(ModelFailure, match="its research ended as refused") as raised:
        await run(wire, "plan-to-function", shop, web)
    assert raised.value.kind == "no_research"
    assert "Nothing was found" in texts(wire.requests[-1])


@pytest.mark.parametrize("name", ["anthropic:claude-sonnet-5-5", "openai:gpt-6"])
async def test_records_and_briefs_are_no_byte_of_a_request(shop: Shop, web: CountingWeb, name: str) -> None:
    """What a stand-in is handed along never reaches a provider."""
    context = context_for(Session(shop, ANNA), web)
    found = await call_tool("product_catalog_search", {"query": "bird house"}, context)
    asked = AIMessage(content="", tool_calls=[call("product_catalog_search", 1, query="bird house")])
    plan = '{"plan": "p", "calls": []}'
    with Wire(lambda request: Say("Fine." if request.body.get("tools") else plan)) as wire:
        models = Models(ModelSettings({"default": name}, base_url=wire.url), retries=Retries(attempts=1))
        role = models.role("agent")
        for artifact, brief in ((None, None), (found, ResearchRequest("Which bird house?"))):
            reply = ToolMessage(found.text, tool_call_id="c1", artifact=artifact)
            await role.reply([HumanMessage("Which?"), asked, reply], tools=schemas(), brief=brief)
            await role.structured([HumanMessage("Plan it.")], CallPlan, brief=brief)
        await models.aclose()
    sent = [(r.headers["Content-Length"], json.dumps(r.body)) for r in wire.requests]
    assert len(sent) == 4 and sent[:2] == sent[2:]


@pytest.mark.parametrize("name", ["plan-to-function", "react", "hybrid-react+profile"])
async def test_what_all_units_share_stands_before_the_shoppers_own_lines(
    name: str, ran: JudgingResults
) -> None:
    """So that units of other shoppers read tools and instructions from the provider's cache."""

    def script(request: Request) -> Say:
        if "output_config" in request.body:
            return Say(PLAN)
        if "launch_researcher" in names(request) and turns(request) == 0:
            return Say(calls=[("launch_researcher", {"sub_problem": "which house?"})])
        if "product_catalog_search" in names(request) and turns(request) == 0:
            return Say(calls=[("product_catalog_search", {"query": "house"})])
        return Say(REPORT)

    sent = [request for _ in range(2) for request in (await ran(script, name))[1]]
    requests = [request for request in sent if "system" in request.body]
    marked = 0
    for request in requests:
        system = request.body["system"]
        blocks = [{"text": system}] if isinstance(system, str) else system
        own = [ANNA in block["text"] for block in blocks]
        assert own == sorted(own), "the shopper's lines come last"
        for block in blocks:
            if "cache_control" in block:
                marked += 1
                assert ANNA not in block["text"]
                assert len(block["text"]) > 500
        assert ("cache_control" in request.body) == bool(request.body.get("tools"))
    assert (marked > 0) == (name != "plan-to-function"), "the first request of a kind may be the only one"


FORM = '{"picks": ["B0HOUSE001"]}'
ASKED_FOR = "a block of code named `form`"


def handing_in(script: Callable[[Request], Say]) -> Callable[[Request], Say]:
    """Write the form behind the report, as a model does that is asked for it."""

    def said(request: Request) -> Say:
        reply = script(request)
        asked = reply.text == REPORT and ASKED_FOR in json.dumps(request.body)
        return Say(f"{REPORT}\n\n```form\n{FORM}\n```") if asked else reply

    return said


@pytest.mark.parametrize("name", ["react", "plan-to-function", "hybrid-react"])
async def test_a_question_that_code_checks_asks_for_the_form(ran: JudgingResults, name: str) -> None:
    def planned(request: Request) -> Say:
        return Say(PLAN if "output_config" in request.body else REPORT)

    script = {"react": react, "plan-to-function": planned, "hybrid-react": hybrid}[name]
    record, _ = await ran(handing_in(script), name, form=True)
    assert record.form == FORM and record.report.strip() == REPORT
    record, requests = await ran(handing_in(script), name)
    assert record.form is None and ASKED_FOR not in json.dumps([one.body for one in requests])
