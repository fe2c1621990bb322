"""What agents know of citations: checked against the ledger, which knows what tools returned, and set right as asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from drr.agents.evidence import EvidenceLedger
from drr.env.source import Source
from langchain_core.messages import AIMessage, BaseMessage

from tests.agents.garden import ANNA, Ask, Asked, call, scripted, turn


def test_the_ledger_keeps_each_text_of_an_address_once_in_the_order_of_the_actors() -> None:
    ledger = EvidenceLedger()
    row, page = (Source(url="http://s.example/1", type="product", seen=text) for text in ("row", "page"))
    late = Source(url="http://s.example/2", type="product", seen="first researcher's")
    ledger.add("r2", [row, page, row])
    ledger.add("r1", [late])
    kept = ledger.sources(lambda actor: int(actor[1:]))
    assert [s.seen for s in kept] == ["first researcher's", "row", "page"]
    assert ledger.knows("http://s.example/1/") and not ledger.knows("http://s.example/3")


async def test_the_product_of_an_order_was_shown_with_it(ask: Ask) -> None:
    report = "You had it [1].\n\n## Sources\n\n[1] Seed: http://ecommerce.example/B0SEED0001"
    policy = scripted(turn(call("get_user_orders", 1)), turn(call("finalize", 2)), AIMessage(report))
    record = await ask("react", policy=policy)
    assert record.fabricated == []


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


async def test_off_measures_what_was_written(ask: Ask) -> None:
    record = await ask("react", policy=citing())
    assert record.report == record.raw_report == MADE_UP
    assert [one.url for one in record.fabricated] == ["https://made.example/up"]
    assert record.removed_citations == []


async def test_remove_repairs_and_keeps_the_raw_report(ask: Ask) -> None:
    record = await ask("react", policy=citing(), citation_repair="remove")
    assert record.raw_report == MADE_UP and "made.example" not in record.report
    assert record.report.startswith("Fine [1], not fine.")
    assert [one.url for one in record.fabricated] == ["https://made.example/up"]
    assert record.removed_citations == ["https://made.example/up"]


async def test_ask_lets_the_model_mend_it_in_a_fresh_conversation(ask: Ask, asked: Asked) -> None:
    fixed = "Fine [1].\n\n## Sources\n\n[1] Seed: http://ecommerce.example/B0SEED0001"
    record = await ask("react", policy=citing(fixed), citation_repair="ask")
    assert record.report == fixed and record.raw_report == MADE_UP
    assert record.removed_citations == ["https://made.example/up"]
    assert len(asked.requests[-1][0]) == 2


async def test_a_mend_that_makes_up_another_address_is_found_out(ask: Ask) -> None:
    worse = "Fine [1].\n\n## Sources\n\n[1] Seed: https://other.example/made"
    record = await ask("react", policy=citing(worse), citation_repair="ask")
    assert [one.url for one in record.fabricated] == ["https://made.example/up", "https://other.example/made"]
    assert "other.example" not in record.report


async def test_a_mend_that_fails_leaves_the_report_and_a_note(ask: Ask) -> None:
    record = await ask("react", policy=citing(""), citation_repair="ask")
    assert record.report == MADE_UP and record.notes == ["citations not repaired: malformed"]


async def test_other_users_records_are_never_evidence(ask: Ask) -> None:
    policy = scripted(
        turn(call("get_order_details", 1, order_id="1000000000000010"), call("get_user_orders", 2)),
        turn(call("finalize", 3)),
        AIMessage("x"),
    )
    record = await ask("react", policy=policy)
    assert {s.url.split("/")[2] for s in record.sources if s.type == "user"} == {ANNA}
