"""What the rules know: what the tools answered, as records; a shopper's own words beside what the shop has."""

from __future__ import annotations

from typing import Any

from drr.agents.brief import CallEvidence, Condensing
from drr.env.session import Session
from drr.env.shop import Shop
from drr.env.source import Source
from drr.offline.agents import question as offline_question
from drr.offline.agents.choice import candidates, choose, relevance
from drr.offline.agents.grounding import grounded, wide_searches
from drr.offline.agents.memory import MadeCall, Memory, SeenOrder, SeenProduct, sentences
from drr.offline.agents.question import Asked
from drr.offline.agents.reading import condensed, of_conversation, of_evidence, of_researched, take
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


async def test_what_was_answered_is_known_and_no_more(shop: Shop, web: CountingWeb) -> None:
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
    check(of_evidence(await evidence(shop, web)), shop)
    # Titles, features and descriptions are cut where the tool's own text cuts them.
    given = await answers(shop, web)
    memory = of_evidence(CallEvidence(n, a, got) for (n, a), got in zip(CALLS, given, strict=True))
    shown = "\n".join(answer.text for answer in given)
    for product in memory.products.values():
        assert product.title in shown and product.path in shown
        assert all(feature in shown for feature in product.features) and product.description in shown
    assert all(order.title in shown for order in memory.orders.values())
    failed = of_evidence([CallEvidence("get_product_details", {"product_id": "B0NOTHERE1"}, None)])
    assert failed.called("get_product_details") == 1 and not failed.products
    page = "# Title here\n\nSeed *must* be [dry](http://x.example). Really!\n\n| a | b |\n\n- Hang it high.\n```\ncode it.\n```\n"
    assert list(sentences(page)) == ["Seed must be dry.", "Really!", "Hang it high."]


async def test_a_synthesis_hands_on_and_no_seller_forges(shop: Shop, web: CountingWeb) -> None:
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
    memory = of_evidence(await evidence(shop, web))
    assert all(seen.price for seen in memory.products.values() if seen.product_id != "B0HOUSE002")
    assert all(seen.url.startswith("http://ecommerce.example/B0") for seen in memory.products.values())
    assert not any(" | " in seen.title for seen in memory.products.values())


BIRDS = "What would make my yard better for birds, for under $200?"
PILLOW = (
    "Side sleeper here, and my neck is stiff most mornings. I already own more satin pillowcases than any man should, so please not "
    "another one of those; it's the pillow itself that has gone flat. What height suits broad shoulders, and which one would you buy?"
)


def product(number: int, title: str, price: float | None = 20.0, *searches: str) -> SeenProduct:
    store = title.split()[0]
    return SeenProduct(
        f"http://shop.example/B{number}", title, price, 4.5, 80, store, "Home", searches=searches
    )


def seen(text: str, *titles: str, prices: tuple[float, ...] = ()) -> tuple[Asked, Memory]:
    task, memory = offline_question.read(text), Memory()
    for number, title in enumerate(titles):
        price = prices[number] if prices else 20.0
        memory.add_product(product(number, title, price, *wide_searches(task)))
    return task, memory


def test_what_is_sought_is_what_the_shop_has() -> None:
    task, memory = seen(
        PILLOW,
        "Brams Silky Satin Pillowcase, with Envelope Closure, for Side Sleepers",
        "Copper Cooling Memory Foam Pillow, for Neck Pain, for Side Sleepers",
    )
    assert grounded(task, memory).needs == ("foam pillow",)
    task, memory = seen(
        BIRDS,
        "Calm Squirrel-Proof Bird Feeder, for Outside Hanging",
        "Green Heated Bird Bath, for Yards",
        "Oak Garden Rake, for Yards without Birds",
    )
    assert set(grounded(task, memory).needs) == {"bird feeder", "bird bath"}
    text = f"{PILLOW.split('.')[0]}. Nothing helps, mornings are a misery, my shoulders ache, friends laugh, doctors shrug and mattresses sag."
    task, memory = seen(text, "Loaf Instant-Read Meat Thermometer, for Mornings")
    assert grounded(task, memory).needs == task.needs


def bought(memory: Memory, *titles: str) -> None:
    for number, title in enumerate(titles):
        memory.orders[f"o{number}"] = SeenOrder(
            f"o{number}", "2022-01-01", "Delivered", 1, title, f"A{number}"
        )


def test_what_is_had_is_not_sought_unless_it_no_longer_serves() -> None:
    task, memory = seen(
        "The Hearthcat from January 2022 has begun to hum and one of the cats has stopped going near it. What would you take?",
        "Kind Easy-Clean Cat Water Fountain, with Filters",
        "Muddy Sturdy Cat Tree, for Large Cats",
    )
    bought(memory, "Hearthcat Ceramic Cat Water Fountain, Quiet", "Loaf Round Dutch Oven")
    assert grounded(task, memory).needs == ("water fountain",)
    text = "I have two massage guns that live in a drawer. Are compression socks of any use at all, and not tape?"
    titles = ("Bright Percussion Massage Gun", "Wren Compression Socks, for Runners", "Tern Kinesiology Tape")
    task, memory = seen(text, *titles)
    assert grounded(task, memory).needs == ("compression socks",)
    task, memory = seen("I had two massage guns. Which of them would you keep?", *titles)
    assert grounded(task, memory).needs == ("massage guns",), (
        "where nothing else is named it is what the question is about"
    )
    text = "I own seven flashlights, so please don't sell me another. Is a carbon monoxide alarm worth it?"
    task, memory = seen(text, "Gauge LED Flashlight", "Kiln Carbon Monoxide Alarm, Digital")
    assert grounded(task, memory).needs == ("carbon monoxide alarm",)
    order = SeenOrder(
        "user://a/orders/1", "2023-01-08", "Delivered", 1, "Wood Banneton Proofing Basket, 9 Inch", "B9"
    )
    for words, needs in (("are too small now", True), ("are lovely", False)):
        text = f"The two round baskets I have for my sourdough {words}, moving up from 750 g loaves to a kilo. What do bakers use?"
        task, memory = seen(text, "Clear Rattan Proofing Basket, for Home Bakers")
        memory.orders[order.url] = order
        assert ("proofing basket" in grounded(task, memory).needs) is needs


def test_things_are_known_by_their_nouns() -> None:
    text = "I can wrap it myself. Is there a caulk finishing tool with enough packets in it?"
    task, memory = seen(
        text,
        "Hush Hair Towel Wrap, for Long Hair",
        "Plumb Caulk Finishing Tool Kit",
        "Row Seed Starting Tray Kit",
    )
    assert grounded(task, memory).needs == ("caulk finishing tool",)
    task, memory = seen(
        "The cellar flooded twice this year, both times at night. Nobody hears anything down there. What will wake me?",
        "Meadow Water Leak Detector, for Basements, loud",
        "Gauge Slim Night Light, for Hallways",
    )
    leak, light = (product.url for product in memory.products.values())
    for search in wide_searches(task)[:2]:
        memory.found[search] = [leak, light]
    assert grounded(task, memory).needs == ("leak detector",)
    task, memory = seen("I need a bird bath and a surf board rack.", "Green Heated Bird Bath")
    assert grounded(task, memory).needs == ("bird bath", "surf board rack")
    task, memory = seen(
        "Find bird feeder in this shop's catalogue. Compare the best two.", "Green Bird Bath, for Yards"
    )
    assert grounded(task, memory) == task
    assert relevance("pillow", product(1, "Brams Satin Pillowcase, with Zipper")) == 0
    assert relevance("gardener", product(2, "Oak Garden, for Yards")) > 0
    assert relevance("stairs", product(3, "Oat Baby Safety Gate, for Stairs and Doorways")) == 0


def test_what_was_bought_comes_last_and_the_dearest_is_given_up() -> None:
    for text, first in (
        ("I need a bird bath and a rake.", "http://shop.example/B1"),
        ("A bird bath again, please.", "http://shop.example/B0"),
    ):
        task, memory = seen(text, "Green Heated Bird Bath", "Oak Plain Bird Bath")
        memory.orders["o"] = SeenOrder("o", "2022-01-01", "Delivered", 1, "Green Heated Bird Bath", "B0")
        assert candidates(task, "bird bath", memory)[0].url == first
    task, memory = seen(
        "I need a proofing basket, a dutch oven and a kitchen scale for under $45.",
        "Clear Rattan Proofing Basket", "Loaf Round Dutch Oven", "Holly Kitchen Scale", prices=(19.0, 40.0, 14.0),
    )  # fmt: skip
    basket = choose(task, memory)
    assert [pick.need for pick in basket.picks] == ["proofing basket", "kitchen scale"]
    assert basket.dropped == ("dutch oven",)
    url = "http://shop.example/B000000001"
    named = {
        "product_id": "B000000001",
        "product_url": url,
        "title": "Shea Body Lotion",
        "category": "All_Beauty",
    }
    unknown = {"store": None, "categories": [], "average_rating": None, "rating_number": None}
    record = {**named, **unknown, "price": 0.0}
    source = Source(url=url, type="product", title="Shea Body Lotion", seen="Shea Body Lotion", record=record)
    memory = Memory()
    take(memory, MadeCall("product_catalog_search", {"query": "lotion"}), ToolAnswer("", [source], {}))
    assert [one.price for one in memory.products.values()] == [None]
    assert memory.found == {"lotion": [url]}
