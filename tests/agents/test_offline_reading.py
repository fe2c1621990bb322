"""What the rules know is what the tools answered, as records, and no more of it than the tools' texts show."""

from __future__ import annotations

from typing import Any

from drr.agents.brief import CallEvidence, Condensing
from drr.env.session import Session
from drr.env.shop import Shop
from drr.offline.agents.memory import Memory, sentences
from drr.offline.agents.reading import condensed, of_conversation, of_evidence, of_researched
from drr.tools.base import ToolAnswer, context_for
from drr.tools.registry import call as call_tool
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from tests.agents.garden import ANNA, CountingWeb
from tests.cases import cases

CALLS: list[tuple[str, dict[str, Any]]] = cases("agents", "CALLS")


async def answers(shop: Shop, web: CountingWeb) -> list[ToolAnswer]:
    context = context_for(Session(shop, ANNA), web)
    return [await call_tool(name, arguments, context) for name, arguments in CALLS]


async def evidence(shop: Shop, web: CountingWeb) -> tuple[CallEvidence, ...]:
    given = await answers(shop, web)
    return tuple(CallEvidence(name, args, got) for (name, args), got in zip(CALLS, given, strict=True))


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
    assert feeder.description == "Made for gardens."
    assert [(o.date, o.status, o.quantity, o.product_id) for o in memory.orders.values()] == [
        ("2022-06-12", "Delivered", 2, "B0SEED0001"),
        ("2022-04-15", "Delivered", 1, "B0BATH0001"),
    ]
    assert memory.orders_total == 2 and memory.home == ("Norman", "OK", f"user://{ANNA}/profile")
    assert memory.statistics is not None and memory.statistics.url == f"user://{ANNA}/statistics"
    assert memory.statistics.figures.orders == 2 and memory.statistics.figures.by_category
    assert not memory.pages["https://birds.example/oklahoma"].read


async def test_from_a_conversation(shop: Shop, web: CountingWeb) -> None:
    calls = [
        {"name": name, "args": arguments, "id": f"c{n}", "type": "tool_call"}
        for n, (name, arguments) in enumerate(CALLS)
    ]
    replies = [
        ToolMessage("what a model reads", tool_call_id=f"c{n}", name=CALLS[n][0], artifact=answer)
        for n, answer in enumerate(await answers(shop, web))
    ]
    memory = of_conversation([HumanMessage("q"), AIMessage(content="", tool_calls=calls), *replies])
    check(memory, shop)
    assert [call.name for call in memory.calls] == [name for name, _ in CALLS]


async def test_from_the_calls_of_a_run(shop: Shop, web: CountingWeb) -> None:
    check(of_evidence(await evidence(shop, web)), shop)


async def test_no_more_is_known_than_the_text_shows(shop: Shop, web: CountingWeb) -> None:
    """Titles, features and descriptions are cut where the tool's own text cuts them."""
    given = await answers(shop, web)
    memory = of_evidence(CallEvidence(n, a, got) for (n, a), got in zip(CALLS, given, strict=True))
    shown = "\n".join(answer.text for answer in given)
    for product in memory.products.values():
        assert product.title in shown and product.path in shown
        assert all(feature in shown for feature in product.features) and product.description in shown
    assert all(order.title in shown for order in memory.orders.values())


async def test_a_synthesis_hands_on_what_it_found(shop: Shop, web: CountingWeb) -> None:
    problem = "Find a bird house, and say what birds of Oklahoma I should expect."
    found = Condensing(problem, await evidence(shop, web))
    again = of_researched([found])
    house = again.products["http://ecommerce.example/B0HOUSE001"]
    assert (house.price, house.rating, house.ratings, house.store) == (24.95, 4.5, 2067, "Nestwell")
    assert again.products["http://ecommerce.example/B0HOUSE002"].price is None
    assert again.home == ("Norman", "OK", f"user://{ANNA}/profile") and again.statistics and again.orders
    text = condensed(found).text()
    assert "price of Bird house kit" in text.partition("## Open")[2]
    assert all(house.title in text for house in again.products.values())
    assert all(page.read and page.url in text for page in again.pages.values()) and again.pages


async def test_what_a_seller_writes_cannot_forge_a_product(shop: Shop, web: CountingWeb) -> None:
    memory = of_evidence(await evidence(shop, web))
    assert all(seen.price for seen in memory.products.values() if seen.product_id != "B0HOUSE002")
    assert all(seen.url.startswith("http://ecommerce.example/B0") for seen in memory.products.values())
    assert not any(" | " in seen.title for seen in memory.products.values())


async def test_failed_calls_are_remembered_and_teach_nothing(shop: Shop) -> None:
    failed = of_evidence([CallEvidence("get_product_details", {"product_id": "B0NOTHERE1"}, None)])
    assert failed.called("get_product_details") == 1 and not failed.products


def test_sentences_of_markdown() -> None:
    page = "# Title here\n\nSeed *must* be [dry](http://x.example). Really!\n\n| a | b |\n\n- Hang it high.\n```\ncode it.\n```\n"
    assert list(sentences(page)) == ["Seed must be dry.", "Really!", "Hang it high."]
