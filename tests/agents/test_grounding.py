"""A question of a shopper's own words is read beside what the shop has."""

from __future__ import annotations

from drr.env.source import Source
from drr.offline.agents import question as offline_question
from drr.offline.agents.choice import candidates, choose, relevance
from drr.offline.agents.grounding import grounded, wide_searches
from drr.offline.agents.memory import MadeCall, Memory, SeenOrder, SeenProduct
from drr.offline.agents.question import Asked
from drr.offline.agents.reading import take
from drr.tools.base import ToolAnswer

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


def test_what_is_owned_is_not_what_is_sought() -> None:
    task, memory = seen(
        PILLOW,
        "Brams Silky Satin Pillowcase, with Envelope Closure, for Side Sleepers",
        "Copper Cooling Memory Foam Pillow, for Neck Pain, for Side Sleepers",
    )
    assert grounded(task, memory).needs == ("foam pillow",)


def test_a_short_question_that_names_no_thing_means_things_for_what_it_names() -> None:
    task, memory = seen(
        BIRDS,
        "Calm Squirrel-Proof Bird Feeder, for Outside Hanging",
        "Green Heated Bird Bath, for Yards",
        "Oak Garden Rake, for Yards without Birds",
    )
    assert set(grounded(task, memory).needs) == {"bird feeder", "bird bath"}


def test_a_long_question_that_names_nothing_of_the_shop_gets_no_guess() -> None:
    text = f"{PILLOW.split('.')[0]}. Nothing helps, mornings are a misery, my shoulders ache, friends laugh, doctors shrug and mattresses sag."
    task, memory = seen(text, "Loaf Instant-Read Meat Thermometer, for Mornings")
    assert grounded(task, memory).needs == task.needs


def bought(memory: Memory, *titles: str) -> None:
    for number, title in enumerate(titles):
        memory.orders[f"o{number}"] = SeenOrder(
            f"o{number}", "2022-01-01", "Delivered", 1, title, f"A{number}"
        )


def test_what_was_bought_is_known_by_its_makers_name() -> None:
    task, memory = seen(
        "The Hearthcat from January 2022 has begun to hum and one of the cats has stopped going near it. What would you take?",
        "Kind Easy-Clean Cat Water Fountain, with Filters",
        "Muddy Sturdy Cat Tree, for Large Cats",
    )
    bought(memory, "Hearthcat Ceramic Cat Water Fountain, Quiet", "Loaf Round Dutch Oven")
    assert grounded(task, memory).needs == ("water fountain",)


def test_what_is_told_as_had_gives_way_to_what_is_asked_for() -> None:
    text = "I have two massage guns that live in a drawer. Are compression socks of any use at all, and not tape?"
    titles = ("Bright Percussion Massage Gun", "Wren Compression Socks, for Runners", "Tern Kinesiology Tape")
    task, memory = seen(text, *titles)
    assert grounded(task, memory).needs == ("compression socks",)
    task, memory = seen("I had two massage guns. Which of them would you keep?", *titles)
    assert grounded(task, memory).needs == ("massage guns",), (
        "where nothing else is named it is what the question is about"
    )


def test_what_nobody_wants_more_of_is_not_sought() -> None:
    text = "I own seven flashlights, so please don't sell me another. Is a carbon monoxide alarm worth it?"
    task, memory = seen(text, "Gauge LED Flashlight", "Kiln Carbon Monoxide Alarm, Digital")
    assert grounded(task, memory).needs == ("carbon monoxide alarm",)


def test_a_verb_names_no_thing_and_a_kit_is_how_things_are_packed() -> None:
    text = "I can wrap it myself. Is there a caulk finishing tool with enough packets in it?"
    task, memory = seen(
        text,
        "Hush Hair Towel Wrap, for Long Hair",
        "Plumb Caulk Finishing Tool Kit",
        "Row Seed Starting Tray Kit",
    )
    assert grounded(task, memory).needs == ("caulk finishing tool",)


def test_where_no_thing_is_named_it_is_what_several_sentences_find() -> None:
    task, memory = seen(
        "The cellar flooded twice this year, both times at night. Nobody hears anything down there. What will wake me?",
        "Meadow Water Leak Detector, for Basements, loud",
        "Gauge Slim Night Light, for Hallways",
    )
    leak, light = (product.url for product in memory.products.values())
    for search in wide_searches(task)[:2]:
        memory.found[search] = [leak, light]
    assert grounded(task, memory).needs == ("leak detector",)


def test_what_is_named_as_wanted_and_not_sold_stays_to_be_said() -> None:
    task, memory = seen("I need a bird bath and a surf board rack.", "Green Heated Bird Bath")
    assert grounded(task, memory).needs == ("bird bath", "surf board rack")


def test_nothing_costs_nothing() -> None:
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


def test_a_sub_problem_is_left_as_it_was_put() -> None:
    task, memory = seen(
        "Find bird feeder in this shop's catalogue. Compare the best two.", "Green Bird Bath, for Yards"
    )
    assert grounded(task, memory) == task


def test_what_no_longer_serves_may_be_bought_anew() -> None:
    order = SeenOrder(
        "user://a/orders/1", "2023-01-08", "Delivered", 1, "Wood Banneton Proofing Basket, 9 Inch", "B9"
    )
    for words, needs in (("are too small now", True), ("are lovely", False)):
        text = f"The two round baskets I have for my sourdough {words}, moving up from 750 g loaves to a kilo. What do bakers use?"
        task, memory = seen(text, "Clear Rattan Proofing Basket, for Home Bakers")
        memory.orders[order.url] = order
        assert ("proofing basket" in grounded(task, memory).needs) is needs


def test_a_pillow_is_no_pillowcase_and_a_gardener_wants_something_for_the_garden() -> None:
    assert relevance("pillow", product(1, "Brams Satin Pillowcase, with Zipper")) == 0
    assert relevance("gardener", product(2, "Oak Garden, for Yards")) > 0
    assert relevance("stairs", product(3, "Oat Baby Safety Gate, for Stairs and Doorways")) == 0


def test_what_was_bought_comes_last_unless_it_is_asked_for_again() -> None:
    for text, first in (
        ("I need a bird bath and a rake.", "http://shop.example/B1"),
        ("A bird bath again, please.", "http://shop.example/B0"),
    ):
        task, memory = seen(text, "Green Heated Bird Bath", "Oak Plain Bird Bath")
        memory.orders["o"] = SeenOrder("o", "2022-01-01", "Delivered", 1, "Green Heated Bird Bath", "B0")
        assert candidates(task, "bird bath", memory)[0].url == first


def test_the_limit_gives_up_the_dearest_and_keeps_the_rest() -> None:
    task, memory = seen(
        "I need a proofing basket, a dutch oven and a kitchen scale for under $45.",
        "Clear Rattan Proofing Basket", "Loaf Round Dutch Oven", "Holly Kitchen Scale", prices=(19.0, 40.0, 14.0),
    )  # fmt: skip
    basket = choose(task, memory)
    assert [pick.need for pick in basket.picks] == ["proofing basket", "kitchen scale"]
    assert basket.dropped == ("dutch oven",)
