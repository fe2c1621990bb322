"""What agents know of citations: read, checked against the ledger, taken out; the ledger knows what tools returned."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from drr.agents.evidence import EvidenceLedger
from drr.citations.repair import canonical, read, remove, unknown_urls
from drr.env.source import Source
from langchain_core.messages import AIMessage, BaseMessage

from tests.agents.garden import ANNA, Ask, Asked, call, scripted, turn

REPORT = """# Feeders

The Panorama holds six ports [1]. Cats cannot reach it [2][3], and you bought seed before [4, 9].
See also [the guide](https://garden.example/guide) and https://plain.example/page.

| Item | Price |
| --- | --- |
| Panorama [1] | $43.99 |

## Sources

[1] Panorama: http://ecommerce.example/B0FEEDER01
[2] Cats: https://birds.example/cats
[3] Nothing to see
[4] Order: user://ANNA/orders/12
"""


def test_entries_numbers_and_addresses() -> None:
    found = read(REPORT)
    assert found.entries == {
        1: "http://ecommerce.example/B0FEEDER01", 2: "https://birds.example/cats", 3: None, 4: "user://ANNA/orders/12",
    }  # fmt: skip
    assert found.numbers == [1, 2, 3, 4, 9, 1]
    assert found.dangling == [3, 9]
    assert found.urls == [
        "https://garden.example/guide", "https://plain.example/page", "http://ecommerce.example/B0FEEDER01",
        "https://birds.example/cats", "user://ANNA/orders/12",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "listing",
    [
        "## Sources\n1. A: https://a.example/x\n2. B: https://b.example/y",
        "**References**\n- [1] A https://a.example/x\n- [2] B https://b.example/y",
        "Sources:\n[1]: https://a.example/x\n[2]: https://b.example/y",
        "##### Sources\n[1] A - <https://a.example/x>\n\n[2] [B](https://b.example/y)",
        "[1] A: https://a.example/x\n[2] B: https://b.example/y",
    ],
)
def test_forms_of_the_list(listing: str) -> None:
    found = read(f"One [1], two [2].\n\n{listing}\n")
    assert found.entries == {1: "https://a.example/x", 2: "https://b.example/y"} and not found.dangling


def test_code_and_years_are_no_citations() -> None:
    found = read("In [2025] a list:\n```\nx[1] https://code.example\n```\n[text][4]\n")
    assert found.urls == [] and 1 not in found.numbers


def test_removing_takes_marks_links_and_entries_and_leaves_the_sentences() -> None:
    bad = ["https://birds.example/cats/", "https://garden.example/guide", "https://plain.example/page"]
    cleaned = remove(REPORT, bad)
    assert "Cats cannot reach it, and you bought seed before [4]." in cleaned
    assert "See also the guide and." in cleaned
    assert "birds.example" not in cleaned and "[3]" not in cleaned and "[9]" not in cleaned
    assert "| Panorama [1] | $43.99 |" in cleaned and "[1] Panorama: http" in cleaned
    assert read(cleaned).dangling == []


def test_a_report_without_fault_is_left_alone() -> None:
    clean = "All good [1].\n\n## Sources\n\n[1] A: https://a.example/x\n"
    assert remove(clean, []) == clean


def test_two_spellings_of_one_address_are_one() -> None:
    assert canonical("HTTPS://A.example/x/#top.") == canonical("https://a.example/x")
    assert canonical("http://[bad") == "http://[bad"
    known = {canonical("https://a.example/x")}
    found = unknown_urls(
        read("https://a.example/x/ and https://b.example and https://b.example/"),
        lambda u: canonical(u) in known,
    )
    assert found == ["https://b.example"]


@pytest.mark.parametrize(
    "text", ["[" * 50_000, "[1]" * 20_000, "](http://" * 20_000, "\x00[1", "http://" + "(" * 30_000]
)
def test_hostile_reports_cost_little(text: str) -> None:
    started = time.process_time()
    read(text)
    remove(text + "\nhttps://bad.example", ["https://bad.example"])
    assert time.process_time() - started < 20  # only endless work is a failure here


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
