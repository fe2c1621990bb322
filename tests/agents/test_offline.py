"""The script that plays the agents searches by words, lists what it found, and reads no question; every variant goes through its graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from drr.agents import brief as briefs
from drr.agents.base import AnswerRecord
from drr.agents.brief import (
    CallEvidence,
    PlanRequest,
    ReportRequest,
    ResearchRequest,
    SynthesisRequest,
)
from drr.agents.registry import PAPER
from drr.app.cli import main
from drr.citations.parse import parse
from drr.env.session import Session
from drr.env.shop import Shop
from drr.eval.rewards.answer_forms import AnswerForm, PointsForm
from drr.offline.agents.found import Found, SeenProduct, parts_of, words_of
from drr.offline.agents.policies import agent_policy, summariser_policy
from drr.offline.agents.source_list import UNREAD, report
from drr.tools.base import context_for
from drr.tools.registry import call as call_tool
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from tests.agents.garden import ANNA, BEN, CountingWeb
from tests.agents.garden import Ask as Ask
from tests.cases import cases

ALL = [*PAPER, "hybrid-react+profile", "hybrid-react+profile+ws"]
CALLS: list[tuple[str, dict[str, Any]]] = cases("agents", "CALLS")


def body(record: AnswerRecord) -> str:
    return record.report.split("## Sources")[0]


def test_a_question_is_searched_by_its_words_and_within_its_price_limits() -> None:
    question = "Find me a quiet bird feeder for at most $40, please. What did I buy in 2021? Ok?"
    assert parts_of(question)[0].endswith("please.")
    assert {"quiet", "bird", "feeder"} <= {*words_of(question)} and "2021" not in words_of(question)
    bound = [{"function": {"name": name}} for name in ("product_catalog_search", "finalize")]
    turn = agent_policy([], {"brief": ResearchRequest(question), "tools": bound})
    first = turn.tool_calls[0]["args"]
    assert first["max_price"] == 40 and "feeder" in first["query"] and "min_price" not in first


@pytest.mark.long
@pytest.mark.parametrize("name", ALL)
async def test_every_variant_lists_what_it_found_with_prices_stars_and_links(ask: Ask, name: str) -> None:
    record = await ask(name)
    assert record.rule_written and UNREAD in record.report
    for said in ("Cedar bird house", "$24.95", "4.5"):
        assert said in body(record)
    assert record.fabricated == [] and record.dangling == []
    assert len(parse(record.report).references) >= 4
    for word in ("Total", "best", "recommend"):
        assert word not in body(record).split("Ignore all")[0]
    for secret in ("Anna", "Ortiz", "post.example", "Daniel Plains", "657", "73019"):
        assert secret not in body(record)


@pytest.mark.long
@pytest.mark.parametrize("name", PAPER)
async def test_a_form_is_handed_in_where_one_is_asked_for(ask: Ask, name: str) -> None:
    for form, kind in ((True, AnswerForm), ("points", PointsForm)):
        record = await ask(name, form=form)
        assert record.form is not None and kind.model_validate_json(record.form) == kind()
    assert (await ask(name)).form is None


@pytest.mark.long
async def test_each_graph_is_gone_through(ask: Ask) -> None:
    records = {name: await ask(name) for name in PAPER}
    assert {c.researcher for c in records["hybrid-react"].tool_calls} >= {"r1", "r2"}
    tokens = {name: r.usage["agent"]["input_tokens"] for name, r in records.items()}
    assert tokens["plan-to-function"] < tokens["react"]
    for name in ("plan-to-function", "react"):
        named = [c.name for c in records[name].tool_calls]
        assert {"get_user_orders", "product_catalog_search", "get_product_details", "web_search"} <= {*named}
    assert all("summariser" in records[name].usage for name in PAPER if name.endswith("+ws"))


@pytest.mark.long
@pytest.mark.parametrize("name", ["plan-to-function", "react+ws", "hybrid-react+profile+ws"])
async def test_no_rule_of_the_checks_fails(
    ask: Ask, shop: Shop, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    question = "Do you sell sunflower seed for less than $15, and when did I last buy it?"
    record = await ask(name, question)
    path = tmp_path / "report.md"
    path.write_text(record.report, encoding="utf-8")
    main(["check", str(path), "--shop", shop.spec, "--user", ANNA, "--query", question, "--json"])
    rules = json.loads(capsys.readouterr().out)["rules"]
    assert {rule: found["evidence"] for rule, found in rules.items() if found["status"] == "fail"} == {}
    assert {"in_catalogue", "price"} <= {rule for rule, found in rules.items() if found["status"] == "pass"}


async def test_orders_are_listed_that_share_most_words_and_are_one_s_own(ask: Ask) -> None:
    when = "When did I last buy sunflower seed?"
    own, other = [body(await ask("react", when, user_id=user)) for user in (ANNA, BEN)]
    assert "2022-06-12: Black oil sunflower seed" in own and "Stone bird bath, 1 ordered" not in own
    assert "2022-06-12" not in other and "2022-06-19" in other


async def test_the_script_reads_briefs_and_records_and_no_prompt() -> None:
    """The same brief, schemas and records give the same message; no prompt and no rendered text goes in."""
    brief = ResearchRequest("Find a quiet grinder under $40 for my dog.")
    tools = [{"function": {"name": name}} for name in ("reason", "product_catalog_search", "finalize")]
    first = agent_policy([SystemMessage("any prompt at all")], {"tools": tools, "brief": brief})
    assert agent_policy([HumanMessage("another")], {"tools": tools, "brief": brief}) == first
    assert {c["name"] for c in first.tool_calls} == {"reason", "product_catalog_search"}
    unthinking = agent_policy([HumanMessage("another")], {"tools": tools[1:], "brief": brief})
    assert {c["name"] for c in unthinking.tool_calls} == {"product_catalog_search"}

    def plan(references: bool, question: str = "A bird feeder under $40", files: tuple[str, ...] = ()) -> str:
        return agent_policy([], {"brief": PlanRequest(question, references, files=files)}).text

    assert "$2.items[0]" in plan(True) and "items[0]" not in plan(False)
    planned = plan(False, "See my orders 2022.csv: is it due?", ("my orders 2022.csv", "a.pdf"))
    calls = [one for one in json.loads(planned)["calls"] if one["tool"] == "read_file"]
    told = [json.loads(one["arguments"])["name"] for one in calls]
    assert told == ["my orders 2022.csv"]
    assert "no part to play" in agent_policy([HumanMessage("A bird feeder")], {}).text
    assert "no page" in summariser_policy([HumanMessage("A bird feeder")], {}).text


@pytest.mark.parametrize("text", ["", "?!", "x" * 20_000, "# Question\n", "\x00", "buy " * 3000, "$" * 500])
def test_any_text_gets_an_answer(text: str) -> None:
    for brief in (
        PlanRequest(text, True), ResearchRequest(text), briefs.SupervisorRequest(text), SynthesisRequest(text, ()), ReportRequest(text),
    ):  # fmt: skip
        message = agent_policy([HumanMessage(text)], {"brief": brief})
        assert message.text or message.tool_calls
    assert summariser_policy([], {"brief": briefs.PageSummaryRequest(text, text, text)}).text


def test_what_a_shop_lacks_is_unknown_and_never_0() -> None:
    lamp = SeenProduct("http://shop.example/1", "Lamp", None, 4.5, None)
    assert lamp.details == "price unknown, rated 4.5/5 from an unknown number of ratings"
    assert lamp._replace(price=9.0, rating=None).details == "$9.00, rating unknown"


async def test_what_was_answered_is_listed_and_no_more(shop: Shop, web: CountingWeb) -> None:
    context = context_for(Session(shop, ANNA), web)
    given = [await call_tool(name, arguments, context) for name, arguments in CALLS]
    evidence = tuple(CallEvidence(name, args, got) for (name, args), got in zip(CALLS, given, strict=True))
    calls = [
        {"name": name, "args": args, "id": f"c{n}", "type": "tool_call"}
        for n, (name, args) in enumerate(CALLS)
    ]
    replies = [ToolMessage("read", tool_call_id=f"c{n}", artifact=answer) for n, answer in enumerate(given)]
    found = Found.of_conversation([AIMessage(content="", tool_calls=calls), *replies])
    assert found == Found.of(evidence)
    assert [one.date for one in found.orders.values()] == ["2022-06-12", "2022-04-15"]
    assert "https://birds.example/oklahoma" in found.parts
    for product in found.products.values():
        record = shop.store.product(product.product_id)
        assert record is not None
        assert (product.price, product.rating) == (record.price, record.average_rating)
    failed = Found.of([CallEvidence("get_product_details", {"product_id": "B0NOTHERE1"}, None)])
    assert len(failed.calls) == 1 and not failed.products
    question = "Find a bird house."
    told = agent_policy([], {"brief": SynthesisRequest(question, evidence)}).text
    reporting = ReportRequest(question, researched=(SynthesisRequest(question, evidence),))
    whole = agent_policy([], {"brief": reporting}).text
    assert all(one.title in text for one in found.products.values() for text in (told, whole))
    assert "price unknown" in told and whole == report(question, found)
