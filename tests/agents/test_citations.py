"""What agents know of citations: checked against the ledger, which knows what tools returned, and set right as asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from drr.agents.base import AnswerRecord, CitationRepair
from drr.agents.evidence import EvidenceLedger
from drr.citations.parse import parse
from drr.env.shop import Shop
from drr.env.source import Source
from langchain_core.messages import AIMessage, BaseMessage

from tests.agents.garden import ANNA, Ask, Asked, CountingWeb, call, scripted, turn
from tests.agents.test_real_client import run
from tests.wire import Request, Say, Wire

CITATION_REPAIRS: tuple[CitationRepair, ...] = get_args(CitationRepair)


def test_the_ledger_keeps_each_text_of_an_address_once_in_the_order_of_the_actors() -> None:
    ledger = EvidenceLedger()
    row, page = (Source(url="http://s.example/1", type="product", seen=text) for text in ("row", "page"))
    late = Source(url="http://s.example/2", type="product", seen="first researcher's")
    ledger.add("r2", [row, page, row])
    ledger.add("r1", [late])
    kept = ledger.sources(lambda actor: int(actor[1:]))
    assert [s.seen for s in kept] == ["first researcher's", "row", "page"]
    assert ledger.knows("http://s.example/1/") and not ledger.knows("http://s.example/3")


async def test_sources_are_of_the_shopper_alone(ask: Ask) -> None:
    report = "You had it [1].\n\n## Sources\n\n[1] Seed: http://ecommerce.example/B0SEED0001"
    policy = scripted(turn(call("get_user_orders", 1)), turn(call("finalize", 2)), AIMessage(report))
    record = await ask("react", policy=policy)
    assert record.fabricated == []
    policy = scripted(
        turn(call("product_catalog_search", 1, query="seed")),
        turn(call("finalize", 2)),
        AIMessage("Fine [1].\n\n## Sources\n\n[1] Sunflower seed (B0SEED0001)"),
    )
    record = await ask("react", policy=policy, citation_repair="remove")
    assert record.report == f"Fine [1].\n\n## Sources\n\n[1] Sunflower seed ({HOME}/B0SEED0001)"
    assert record.fabricated == [] and record.removed_citations == [] and record.dangling == []
    policy = scripted(
        turn(call("get_order_details", 1, order_id="1000000000000010"), call("get_user_orders", 2)),
        turn(call("finalize", 3)),
        AIMessage(MADE_UP),
    )
    record = await ask("react", policy=policy)
    assert {s.url.split("/")[2] for s in record.sources if s.type == "user"} == {ANNA}


MADE_UP = "Fine [1], not fine [2].\n\n## Sources\n\n[1] Seed: http://ecommerce.example/B0SEED0001\n[2] X: https://made.example/up"


def citing(fixed: str | None = None) -> Any:
    def otherwise(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        text = str(messages[-1].text)
        assert "https://made.example/up" in text and "http://ecommerce.example/B0SEED0001" in text
        return AIMessage(fixed or "")

    return scripted(
        turn(call("product_catalog_search", 1, query="seed")),
        turn(call("finalize", 2)),
        AIMessage(MADE_UP),
        otherwise=otherwise,
    )


async def test_a_report_is_mended_as_asked_for(ask: Ask, asked: Asked) -> None:
    record = await ask("react", policy=citing())
    assert record.report == record.raw_report == MADE_UP
    assert [one.url for one in record.fabricated] == ["https://made.example/up"]
    assert record.removed_citations == []
    record = await ask("react", policy=citing(), citation_repair="remove")
    assert record.raw_report == MADE_UP and "made.example" not in record.report
    assert record.report.startswith("Fine [1], not fine.")
    assert [one.url for one in record.fabricated] == ["https://made.example/up"]
    assert record.removed_citations == ["https://made.example/up"]
    fixed = "Fine [1].\n\n## Sources\n\n[1] Seed: http://ecommerce.example/B0SEED0001"
    record = await ask("react", policy=citing(fixed), citation_repair="ask")
    assert record.report == fixed and record.raw_report == MADE_UP
    assert record.removed_citations == ["https://made.example/up"]
    assert len(asked.requests[-1][0]) == 2
    worse = "Fine [1].\n\n## Sources\n\n[1] Seed: https://other.example/made"
    record = await ask("react", policy=citing(worse), citation_repair="ask")
    assert [one.url for one in record.fabricated] == ["https://made.example/up", "https://other.example/made"]
    assert "other.example" not in record.report
    record = await ask("react", policy=citing(""), citation_repair="ask")
    assert record.report == MADE_UP and record.notes == ["citations not repaired: empty"]


BY_ID = "Fine [1], fed before [2], not seen [3].\n\nSources: [1] B0FEEDER01 \u00b7 [2] B0SEED0001 \u00b7 [3] B0UNSEEN01\n"
HOME = "http://ecommerce.example"


def by_id(request: Request) -> Say:
    """The model's side: a search and a look at the orders, then a report whose list gives ids alone; asked to mend it, it leaves ids."""
    told = json.dumps(request.body["messages"])
    if "# Wrong" in told:
        assert f"{HOME}/B0UNSEEN01" in told
        return Say("Fine [1], fed before [2].\n\n[1] B0FEEDER01\n[2] B0SEED0001")
    script = [
        Say(calls=[("product_catalog_search", {"query": "panorama feeder"}), ("get_user_orders", {})]),
        Say(calls=[("finalize", {})]),
        Say(BY_ID.strip()),
    ]
    return script[sum(message["role"] == "assistant" for message in request.body["messages"])]


async def test_products_by_id_get_their_addresses(shop: Shop, web: CountingWeb) -> None:
    reports: dict[str, AnswerRecord] = {}
    for setting in CITATION_REPAIRS:
        with Wire(by_id) as wire:
            reports[setting] = await run(wire, "react", shop, web, citation_repair=setting)
    assert {one.raw_report for one in reports.values()} == {BY_ID.strip()}
    for one in reports.values():
        assert [extra.url for extra in one.fabricated] == [f"{HOME}/B0UNSEEN01"] and one.dangling == []
    assert reports["off"].report == BY_ID.strip() and reports["off"].removed_citations == []
    listed = f"[1] {HOME}/B0FEEDER01\n[2] {HOME}/B0SEED0001"
    assert reports["remove"].report == f"Fine [1], fed before [2], not seen.\n\nSources:\n{listed}\n"
    assert reports["ask"].report == f"Fine [1], fed before [2].\n\n{listed}"
    for setting in ("remove", "ask"):
        assert reports[setting].removed_citations == [f"{HOME}/B0UNSEEN01"]
        assert {source.url for source in parse(reports[setting].report).sources} == {
            f"{HOME}/B0FEEDER01",
            f"{HOME}/B0SEED0001",
        }
