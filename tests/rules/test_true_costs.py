"""Costs per unit and multiples that were once accused though they are right: each text is true with the first words and false with the second."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

LARGE, SMALL = "http://ecommerce.example/B0ZB8UM8FV", "http://ecommerce.example/B0OGUJ9ZZB"
"""100 liters of bedding for $24.99, and 30 for $18.99."""
HOPPER, PROOF = "http://ecommerce.example/B0KJ1FNMCV", "http://ecommerce.example/B03B10MKCT"
"""Feeders for 2.6 pounds at $28.00 and for 6.5 pounds at $56.99."""
SEED, SUET = "http://ecommerce.example/B0FSMBQWAI", "http://ecommerce.example/B06832IX1X"
"""40 pounds for $29.99, and ten cakes for $13.99."""
BOTTLE, JUG = "http://ecommerce.example/B0OA47KBWB", "http://ecommerce.example/B07N32JGDK"
SPRAYS = f"The [Cleanmere]({BOTTLE}) bottle of 32 ounces is $13.99. For $6.00 more the [Brightpail]({JUG}) "
"""128 ounces for $19.99."""
SHORT, LONG = "http://ecommerce.example/B04W7YFEQ6", "http://ecommerce.example/B0XZIS43J3"
HOSES = f"The [Fielder's]({LONG}), 75 feet, costs $23.99; the [Rowanyard]({SHORT}), 25 feet, is $18.49. "
"""32 and 74 cents a foot."""
LIGHTS = (
    "| | [Lampwick](http://ecommerce.example/B0OSIJ00YJ) | [Truemere](http://ecommerce.example/B05QKZS3G6) | [Copperline Tools](http://ecommerce.example/B0W5G8NM5I) |\n|---|---|---|---|\n"
    "| lumens | 3200 | 8000 | 5500 |\n| watts | 60 | 42 | 32 |\n| lumens per watt | 53 | 190 | 172 |\n| price | $36.99 | $79.99 | $87.99 |\n\n"
)
LIGHTS_IN_ROWS = (
    "| light | lumens | watts | lumens per watt |\n|---|---|---|---|\n| [Lampwick](http://ecommerce.example/B0OSIJ00YJ) | 3200 | 60 | 53 |\n| [Truemere](http://ecommerce.example/B05QKZS3G6) | 8000 | 42 | 190 |\n"
    "| [Copperline Tools](http://ecommerce.example/B0W5G8NM5I) | 5500 | 32 | 172 |\n\n"
)
ALARMS = (
    "| | Meadowcraft Wi-Fi (B0TAYFMBIZ) | Meadowcraft Loud-Alarm (B0PMLTVDON) | Watchlight Wi-Fi (B042O3OZ86) |\n|---|---|---|---|\n"
    "| pack | 3 | 5 | 6 |\n| price | $28.00 | $52.99 | $71.99 |\n\n"
)
AWAY = "Test the old ones first, and let them stand for a day where they are. " * 8
BASKET = f"The [Fielder's suet]({SUET}), 10 cakes, is $13.99.\n\n1. [Bluestem]({SEED}) seed: $29.99\n2. Suet, two packs: $27.98\n\n"


def failed(shop: Shop, text: str) -> list[str]:
    found = check_report(Subject(text, shop=shop))
    return [f"{name}: {one.evidence[0]}" for name, one in found.items() if one.status == "fail"]


PAIRS = [
    # costs per unit of two items are held against each other
    (f"* Unit cost of the [Pawhaven]({LARGE}): $24.99 / 100 L = about 25¢ a liter.\n* Small bag, [Everworks]({SMALL}): $18.99, about 63¢ a liter, roughly {{}} as much.", "2.5 times", "4.5 times"),
    (f"* [Pawhaven 100 liters]({LARGE}), $24.99: 25¢ a liter\n* [Everworks 30 liters]({SMALL}), $18.99: 63¢ a liter, about {{}} as much as the Pawhaven", "2.5 times", "3.9 times"),
    # of what a table tells of both under one head
    (f"{LIGHTS}The [Truemere](http://ecommerce.example/B05QKZS3G6) gives {{}} the light per watt of the Lampwick.", "3.6 times", "4.6 times"),
    (f"{LIGHTS_IN_ROWS}The [Truemere](http://ecommerce.example/B05QKZS3G6) gives {{}} the light per watt of the Lampwick.", "3.6 times", "4.6 times"),
    # of the measure that stands right before it, and of none that is named
    (f"The [Bluestem Hopper]({HOPPER}), copper, 2.6 pounds, is $28.00. For more birds the [Calmgate]({PROOF}) takes 6.5 pounds, exactly {{}} as much, for $56.99.", "two and a half times", "four times"),
    (f"The [Bluestem Hopper]({HOPPER}) is for 2.6 pounds at $28.00. The [Calmgate]({PROOF}) fits 6.5 pounds: about {{}} as much, at $56.99.", "2.5 times", "3.6 times"),
    # what a thing holds is so many times as much, with how much that is right before it, and what it costs is not
    (f"{SPRAYS}holds 128 fl oz, {{}} as much.", "four times", "twice"),
    (f"{SPRAYS}holds 128 fl oz ({{}} as much).", "almost four times", "almost twice"),
    (f"{SPRAYS}holds at least {{}} as much as the Cleanmere.", "four times", "six times"),
    (f"{SPRAYS}holds one gallon, {{}} as much.", "four times", "six times"),
    (f"{SPRAYS}holds 128 fl oz and costs {{}} as much as the Cleanmere.", "1.4 times", "three times"),
    (f"{SPRAYS}holds 128 fl oz, {{}} the price of the Cleanmere.", "1.4 times", "twice"),
    # of costs that `foot for foot` counts, and of the two that stand right behind it in their order
    (f"{HOSES}Foot for foot the Rowanyard costs {{}} as much.", "more than twice", "more than three times"),
    (f"{HOSES}Foot for foot the Rowanyard costs {{}} as much: about 74 cents against 32.", "more than twice", "less than half"),
    (f"{HOSES}Foot for foot, the Rowanyard is {{}} the price: 74 cents against 32.", "more than twice", "more than four times"),
    (f"{HOSES}The Rowanyard costs {{}} as much, $0.74 against 32 cents.", "more than twice", "half"),
    # what a list above calls by a word of the sentence is spread too
    (f"{BASKET}Assume one cake a week. A 40-pound Bluestem bag then lasts 20 weeks; two suet packs also last 20 weeks, {{}} a week.", "about $1.40", "about $1.90"),
    (f"{BASKET}The two packs of suet last 20 weeks, {{}} a week.", "$1.40", "$1.85"),
    # several things together by how many they are together
    (f"{ALARMS}| way | alarms | cost |\n|---|---|---|\n| A: 3 + 5 | 8 | $80.99 |\n| C: 3 + 6 | 9 | $99.99 |\n\n{AWAY}\n\n- per alarm: A {{}}, C $11.11", "$10.12", "$12.82"),
    (f"{ALARMS}- A, 8 alarms: $80.99\n- C, 9 alarms: $99.99\n\n{AWAY}\n\n- per alarm: A $10.12, C {{}}", "$11.11", "$13.31"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "right", "wrong"), PAIRS)
def test_costs_and_multiples_that_are_right_accuse_nobody_and_their_false_twins_do(
    rules_shop: Shop, text: str, right: str, wrong: str
) -> None:
    assert failed(rules_shop, text.format(right)) == []
    assert failed(rules_shop, text.format(wrong)) != []


def test_so_many_and_a_half_times_is_half_more_in_digits_and_in_words(rules_shop: Shop) -> None:
    pens = "A [Birchford](http://ecommerce.example/B0VEX4YW48) is $12.99. Take {} for ${:,.2f}: that is {} the price of one."
    for many, cost, said in ((4.5, 58.455, "4 and a half times"), (4.5, 58.455, "four and a half times")):
        found = check_report(Subject(pens.format("some", cost, said), shop=rules_shop))["product_claims"]
        assert not [one for one in found.accused if one.kind == "multiple"], many
    found = check_report(Subject(pens.format("some", 25.98, "four and a half times"), shop=rules_shop))
    assert [one for one in found["product_claims"].accused if one.kind == "multiple"]
