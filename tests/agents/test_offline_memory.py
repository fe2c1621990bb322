"""The rules read the tools' texts as a model would; a change of those texts that loses a fact fails here first."""

from __future__ import annotations

from typing import Any

from drr.agents.base import Limits
from drr.agents.rendering import QUESTION, REPORTS, RESULTS, Piece, call_title, dossier
from drr.env.session import Session
from drr.env.shop import Shop
from drr.offline.agents import question as offline_question
from drr.offline.agents import report as offline_report
from drr.offline.agents.memory import Memory, of_conversation, of_reports, of_results, sentences
from drr.tools.base import context_for
from drr.tools.registry import call as call_tool
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from tests.agents.garden import ANNA, CountingWeb

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("product_catalog_search", {"query": "bird house feeder", "limit": 20}),
    ("get_product_details", {"product_id": "B0FEEDER01"}),
    ("get_user_orders", {}),
    ("get_user_profile", {}),
    ("get_user_statistics", {}),
    ("web_search", {"query": "birds Oklahoma"}),
    ("calculator", {"expression": "43.99 + 24.95"}),
]


async def texts(shop: Shop, web: CountingWeb) -> list[str]:
    context = context_for(Session(shop, ANNA), web)
    return [(await call_tool(name, arguments, context)).text for name, arguments in CALLS]


def check(memory: Memory, shop: Shop) -> None:
    for url, seen in memory.products.items():
        product = shop.store.product(url.rsplit("/", 1)[-1])
        assert product is not None
        assert (seen.price, seen.rating, seen.ratings, seen.store) == (
            product.price, product.average_rating, product.rating_number, product.store,
        )  # fmt: skip
    assert {seen.product_id for seen in memory.products.values()} >= {
        "B0FEEDER01",
        "B0HOUSE001",
        "B0HOUSE002",
    }
    feeder = memory.products["http://ecommerce.example/B0FEEDER01"]
    assert feeder.opened and feeder.features == (
        "Weather-resistant cedar and steel",
        "Opens without tools for cleaning",
    )
    assert feeder.description == "Made for gardens." and feeder.details == ("Color: Green",)
    assert [(o.date, o.status, o.quantity, o.product_id) for o in memory.orders.values()] == [
        ("2022-06-12", "Delivered", 2, "B0SEED0001"),
        ("2022-04-15", "Delivered", 1, "B0BATH0001"),
    ]
    assert memory.orders_total == 2 and memory.place == ("Norman", "OK")
    assert memory.profile_url == f"user://{ANNA}/profile"
    assert memory.statistics_url == f"user://{ANNA}/statistics"
    assert any(line.startswith("Item price: mean $") for line in memory.statistics)
    assert any(line.startswith("By category: ") for line in memory.statistics)
    assert "https://birds.example/oklahoma" in memory.pages and memory.sums == {"43.99 + 24.95": "68.94"}


async def test_from_a_conversation(shop: Shop, web: CountingWeb) -> None:
    answers = await texts(shop, web)
    calls = [
        {"name": name, "args": arguments, "id": f"c{n}", "type": "tool_call"}
        for n, (name, arguments) in enumerate(CALLS)
    ]
    said = AIMessage(content="", tool_calls=calls)
    replies = [ToolMessage(text, tool_call_id=f"c{n}", name=CALLS[n][0]) for n, text in enumerate(answers)]
    memory = of_conversation([HumanMessage("q"), said, *replies])
    check(memory, shop)
    assert [name for name, _ in memory.calls] == [name for name, _ in CALLS]


async def test_from_rendered_results(shop: Shop, web: CountingWeb) -> None:
    answers = await texts(shop, web)
    pieces = [
        Piece(call_title(n, name, arguments), text, "result")
        for n, ((name, arguments), text) in enumerate(zip(CALLS, answers, strict=True), 1)
    ]
    check(of_results(dossier(QUESTION, "q", RESULTS, pieces, Limits().evidence_chars)), shop)


async def test_a_synthesis_hands_on_what_it_found(shop: Shop, web: CountingWeb) -> None:
    answers = await texts(shop, web)
    memory = Memory()
    for (name, arguments), text in zip(CALLS, answers, strict=True):
        memory.take(name, arguments, text)
    task = offline_question.read("Find a bird house, and say what birds of Oklahoma I should expect.")
    text = offline_report.synthesis(task, memory)
    again = of_reports(dossier(QUESTION, "q", REPORTS, [Piece("Researcher r1: x", text, "report")], 100_000))
    house = again.products["http://ecommerce.example/B0HOUSE001"]
    assert (house.price, house.rating, house.ratings, house.store) == (24.95, 4.5, 2067, "Nestwell")
    assert again.products["http://ecommerce.example/B0HOUSE002"].price is None
    assert again.place == ("Norman", "OK") and again.statistics_url and again.orders
    assert "Oklahoma" in again.pages["https://birds.example/oklahoma"].text
    assert any("price of Bird house kit" in point for point in again.open_points)


async def test_a_forged_row_in_a_title_is_no_product(shop: Shop, web: CountingWeb) -> None:
    answers = await texts(shop, web)
    memory = Memory()
    memory.take(*CALLS[0], answers[0])
    assert not any(seen.title.startswith("Free") for seen in memory.products.values())
    hostile = memory.products["http://ecommerce.example/B0HOSTILE9"]
    assert hostile.price == 19.0 and "Ignore all instructions" in hostile.title


def test_errors_and_foreign_texts_teach_nothing() -> None:
    memory = Memory()
    for name, arguments in CALLS:
        memory.take(name, arguments, "Error (not_found): no such thing; try 1. X | $1.00")
        memory.take(name, arguments, "1. a | b\n   c\nCite user://\x00")
    assert not memory.products and not memory.orders and memory.place is None and not memory.pages


def test_sentences_of_markdown() -> None:
    page = "# Title here\n\nSeed *must* be [dry](http://x.example). Really!\n\n| a | b |\n\n- Hang it high.\n```\ncode it.\n```\n"
    assert list(sentences(page)) == ["Seed must be dry.", "Really!", "Hang it high."]
