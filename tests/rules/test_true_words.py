"""True sentences that were once accused, with other words for the same, and their false twins: means, sides of a limit denied, orders since a day, a rest held against a price, what `it` is, courtesy."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

SHOP = "http://ecommerce.example"
SCALES = f"""| Scale | Limit | Price |
|---|---|---|
| [Hollyleaf Slim]({SHOP}/B0KIDTK82F) | 2 kg | $10.49 |
| [Hollyline Large-Platform]({SHOP}/B0YHTPJ4GY) | 2 kg | $13.99 |
| [Clearair Labs Rechargeable]({SHOP}/B03K9UBT76) | 5 kg | $13.99 |
| [Loafwell Large-Platform]({SHOP}/B0UW99G68U) | 15 kg | $29.99 |
"""
GATES = f"The [Oatie Hardware-Mounted Baby Safety Gate]({SHOP}/B0Q7E0V2BA) is $46.99, so it sits within $60.\n\nThe [Pipkin Auto-Close Gate]({SHOP}/B08W6K2DK3) is taller, but at $61.99 it {{}}."
CHEAP_GATE = f"The [Pipkin Auto-Close Gate]({SHOP}/B08W6K2DK3), 36 inches, costs $61.99.\n\nThe [Oatie Hardware-Mounted Baby Safety Gate]({SHOP}/B0Q7E0V2BA) is the short one, and at $46.99 it {{}}."
FIRST_ORDER = f"Your first order, dated April 19, 2019, was the Steadyhand Compact Smart Plug four-pack ({SHOP}/B0KBK6HRNT), delivered. {{}}"
BUYER = "AGBKNPXQJRXK3ZMVY8NGZRMUST6W"
"""Eight orders, the first on April 19, 2019."""
FEEDER = f"For $100 I suggest the [Calmgate Squirrel-Proof feeder]({SHOP}/B03B10MKCT) at $56.99 and a bag of [Bluestem safflower]({SHOP}/B0FSMBQWAI) at $29.99: $86.98, with $13.02 left. The suet cakes are [Fielder's]({SHOP}/B06832IX1X). {{}}"
MATS = f"""You've stood on the [Gridline Ergonomic mat]({SHOP}/B0C85Q5MDG) and the [Papershed Anti-Fatigue mat]({SHOP}/B0RA2DOWL8). The Papershed at $75.99 is $12.96 cheaper than the Gridline at $88.95.

The [Tallyho Paper Anti-Fatigue mat]({SHOP}/B0E8918DG3) is $52.95 for 32 x 20 inches. {{}}"""


def failed(shop: Shop, text: str, query: str = "", user_id: str | None = None) -> list[str]:
    found = check_report(Subject(text, query=query, user_id=user_id, shop=shop))
    return [f"{name}: {one.evidence[0]}" for name, one in found.items() if one.status == "fail"]


@pytest.mark.parametrize(
    ("said", "right", "wrong"),
    [
        ("The four average {} (rounded).", "$17.12", "$19.12"),
        ("The average price of the four is {}.", "$17.12", "$16.12"),
        ("Averaged, the four cost {}.", "$17.12", "$19.12"),
        ("That averages out to {} a scale.", "$17.12", "$19.12"),
        ("The average of the cheaper three is {}.", "$12.82", "$15.12"),
        ("The two Large-Platforms average {}.", "$21.99", "$24.99"),
        ("| **Average** | 6 kg | **{}** |", "$17.12", "$19.12"),
    ],
)
def test_a_mean_of_prices_in_sight_is_a_reading_of_an_amount(
    rules_shop: Shop, said: str, right: str, wrong: str
) -> None:
    text = f"{SCALES}{'' if said.startswith('|') else chr(10)}{said}"
    assert failed(rules_shop, text.format(right)) == []
    assert failed(rules_shop, text.format(wrong)) != []


@pytest.mark.parametrize(
    "verb", ["doesn't fit", "won't fit", "can't quite fit", "no longer fits", "fails to stay", "refuses to slip", "is nowhere near", "is anything but", "isn't quite"]
)  # fmt: skip
def test_what_is_denied_to_be_within_a_limit_is_over_it(rules_shop: Shop, verb: str) -> None:
    query = "A safety gate for a 34 inch opening, budget $60."
    assert failed(rules_shop, GATES.format(f"{verb} under $60"), query) == []
    assert failed(rules_shop, CHEAP_GATE.format(f"{verb} under $60"), query) != []


@pytest.mark.parametrize("verb", ["isn't over", "doesn't go beyond", "is far from over", "never goes past"])
def test_what_is_denied_to_be_over_a_limit_is_within_it(rules_shop: Shop, verb: str) -> None:
    query = "A safety gate for a 34 inch opening, budget $60."
    assert failed(rules_shop, CHEAP_GATE.format(f"{verb} $60"), query) == []
    assert failed(rules_shop, GATES.format(f"{verb} $60"), query) != []


LITTERS = f"The [Hearthcat]({SHOP}/B0GWWTJBXZ) at $33.99 and the [Sparrowdell]({SHOP}/B0PGFVAP73) at $32.99"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (f"Neither {LITTERS.replace('The', 'the').replace(' and ', ' nor ')} stays below $30.", f"Both {LITTERS.replace('The', 'the')} stay below $30."),
        (f"Neither of the two, {LITTERS.replace('The', 'the')}, fits under $30.", f"{LITTERS} fit under $30."),
    ],
)  # fmt: skip
def test_neither_is_denied_however_long_the_names_are(rules_shop: Shop, right: str, wrong: str) -> None:
    assert failed(rules_shop, right, "Cat litter below $30?") == []
    assert failed(rules_shop, wrong, "Cat litter below $30?") != []


@pytest.mark.parametrize("said", ["is not heavy and", "isn't tall but", "is neither tall nor wide and"])
def test_what_another_clause_denies_is_no_verdict_denied(rules_shop: Shop, said: str) -> None:
    text = f"The [Oatie Hardware-Mounted Baby Safety Gate]({SHOP}/B0Q7E0V2BA) at $46.99 {said} {{}} $60."
    assert failed(rules_shop, text.format("stays within"), "A safety gate, budget $60.") == []
    assert failed(rules_shop, text.format("is over"), "A safety gate, budget $60.") != []


@pytest.mark.parametrize(
    "said",
    [
        "Since then there have been {} more orders, the last on September 18, 2022.",
        "After that came {} other orders.",
        "It was followed by {} more orders.",
        "You have placed {} orders since April 19, 2019.",
    ],
)
def test_orders_since_a_day_that_was_named_are_counted_from_it(rules_shop: Shop, said: str) -> None:
    for many, holds in (("seven", True), ("nine", False)):
        accused = failed(rules_shop, FIRST_ORDER.format(said.format(many)), user_id=BUYER)
        assert any(one.startswith("statistics") for one in accused) is not holds


GARDENER = "AFH8DLIGEQGE6U25PDVLI1PL946J"
"""24 orders, three of them soaker hoses."""
HOSE = f"Your first soaker hose was the [Oriole House Flat]({SHOP}/B037IVZVMJ) of October 16, 2016. Since then you've placed eighteen orders, {{}} of them more soaker hoses."


def test_things_since_a_day_are_counted_from_it(rules_shop: Shop) -> None:
    assert failed(rules_shop, HOSE.format("two"), user_id=GARDENER) == []
    assert failed(rules_shop, HOSE.format("five"), user_id=GARDENER) != []


def test_so_many_more_times_is_no_quantity(rules_shop: Shop) -> None:
    since = f"That was the [Larkbrook]({SHOP}/B0FZINT2SY) on September 7, 2020. Since then you have ordered {{}}: earplugs on July 8, 2021, the [Copperline shop light]({SHOP}/B0W5G8NM5I) on August 20, 2021 and magnesium on September 18, 2022."
    assert failed(rules_shop, since.format("three more times"), user_id=BUYER) == []
    assert failed(rules_shop, since.format("three of it"), user_id=BUYER) != []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("That is just short of the $13.99 box of suet cakes, which would take you to $100.97.", "That is just short of the $9.99 box of suet cakes, which would take you to $100.97."),
        ("What is left is just under the $13.99 the suet cakes cost, so you would land at $100.97.", "With them you land at $100.97, under your $100."),
    ],
)  # fmt: skip
def test_what_is_left_is_held_against_a_price(rules_shop: Shop, right: str, wrong: str) -> None:
    query = "What would round out my birding things for $100?"
    assert failed(rules_shop, FEEDER.format(right), query) == []
    assert failed(rules_shop, FEEDER.format(wrong), query) != []


@pytest.mark.parametrize(
    "said",
    [
        "Per square inch that's about 8.3 cents against about 9.7 for the Papershed, and with 4.9 stars it's also the {} rated of the three.",
        "It costs $23.04 less than the Papershed, and it is the {} rated of the three.",
        "Next to the Papershed it is $23.04 cheaper; it's the {} rated of the three too.",
    ],
)
def test_what_another_is_only_set_beside_is_not_spoken_of(rules_shop: Shop, said: str) -> None:
    assert failed(rules_shop, MATS.format(said.format("best"))) == []
    assert failed(rules_shop, MATS.format(said.format("worst"))) != []


@pytest.mark.parametrize(
    "said",
    [
        "Let me think this through with you.",
        "Let me think out loud for a moment.",
        "Let me start by saying that your pot is fine.",
        "Let me first thank you for the detail.",
        "Let me check the arithmetic: 3 times $4.00 is $12.00.",
    ],
)
def test_what_is_said_to_the_reader_is_no_thought_left_in(said: str) -> None:
    text = "Bread people come back, and you do. {}\n\nThe round one is 6 quarts."
    assert check_report(Subject(text.format(said)))["process_text"].status == "pass"
    plan = f"{said} The user wants a pot, so I need to look at prices."
    assert check_report(Subject(text.format(plan)))["process_text"].status == "fail"


@pytest.mark.parametrize(
    "said",
    ["Let me think about this step by step.", "Let me check the catalog first.", "Let me find some options for you.", "Let me think with you in mind; I need to check the orders."],
)  # fmt: skip
def test_a_plan_is_one_without_another_beside_it(said: str) -> None:
    assert check_report(Subject(f"A pot.\n\n{said}\n\nSix quarts."))["process_text"].status == "fail"


SUNSCREENS = f"My shortlist:\n\n* [Kindred Curl Sheer]({SHOP}/B0MFQIS5YH) – 5 oz, $15.00\n* [Glossline Tinted]({SHOP}/B0RU6RRJN4) – 5 oz, $18.99\n* [Botanary Tinted]({SHOP}/B0WGUKW3N9) – 8 oz, $21.99\n\n"


@pytest.mark.parametrize(
    ("text", "query", "right", "wrong"),
    [
        # what is out is not offered
        (f"{SUNSCREENS}Botanary would be the best value, but {{}}.", "mineral sunscreen under $20", "that one is out", "that one is large"),
        # a limit without a sign
        (f"[Cleanser]({SHOP}/B0K19BBE4M) ($13.49) and [lotion]({SHOP}/B0CA2S7J2H) ($14.99). Basket: $28.48. That leaves {{}}.", "face wash and lotion for less than 30 together", "$1.52", "$3.52"),
    ],
)  # fmt: skip
def test_what_is_out_and_a_limit_without_a_sign(
    rules_shop: Shop, text: str, query: str, right: str, wrong: str
) -> None:
    assert failed(rules_shop, text.format(right), query) == []
    assert failed(rules_shop, text.format(wrong), query) != []
