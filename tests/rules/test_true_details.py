"""Figures that are no details of the thing beside them: they name another thing, say what is used, repeat the question, or tell how many are bought. Each has a
twin that is false."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

URL = "http://ecommerce.example/"
ASIDE = "\n\n".join(["I looked at what the shop lists, and left aside what it has no price for. " * 4] * 6)
"""Which says nothing of any thing."""
HOSES = (
    f"You ordered five of the [Fielder's 75-foot]({URL}B0XZIS43J3) at $23.99 and three of the [Rowanyard 25-foot]({URL}B04W7YFEQ6) "
    f"at $18.49.\n\n{ASIDE}\n\n## Advice\n"
)
SHEETS = (
    f"The [Foldaway 60-load sheets]({URL}B0U160XN60) came on 2020-09-15 and 2022-01-26. The [Harrow Medical 120-load]({URL}B0EBJS673T) "
    f"is $3.00 more.\n\n{ASIDE}\n\n## Advice\n"
)
ARMS = f"Two arms have a price: [Papershed Heavy-Duty]({URL}B030R3NXWL) at $34.95 and [Inkmere Single]({URL}B0WI9Y8L4C) at $46.99. "
"""They carry 14.3 and 19.8 pounds."""
SPRAY, CHEWS = f"[Linenfield spray]({URL}B0XFYRPOAF)", f"[Muddy Otter dental chews]({URL}B08FMH50QP)"
"""A bottle of 16 fluid ounces that weighs 0.71 pounds, and 14 chews for $16.99: each ordered five times by `TWICE_FIVE`."""
GARDENER, WASHER = "AE40VIKDGWU7ENHOYJ4NB86G4X0P", "AHVXFLMVPOP419IF1IZ3RKUYYQLW"
TWICE_FIVE, WRITER = "AE1XW61DRNJSF02O61YZW91EP797", "AE8CJB3IE34RMWG9BUUOH7IKUTBG"


def accused(shop: Shop, text: str, query: str, user_id: str) -> set[str]:
    checks = check_report(Subject(text, query=query, user_id=user_id, shop=shop))
    return {text[slice(*one.span)].strip() for one in checks["product_claims"].accused}


@pytest.mark.parametrize(
    "said",
    [
        "Stay with the Fielder's 75-foot and drop the {}.",
        "Stay with the Fielder's 75-foot and give those old {} hoses away.",
        "With the Fielder's 75-foot you need no second hose, and the {} can go.",
        "The Fielder's 75-foot costs less per foot, so the {} hose should go.",
    ],
)
def test_another_thing_is_called_by_its_figure(rules_shop: Shop, said: str) -> None:
    query = "What should I stop buying, please?"
    assert accused(rules_shop, HOSES + said.format("25-foot"), query, GARDENER) == set()
    assert accused(rules_shop, HOSES + said.format("40-foot"), query, GARDENER) == {"40-foot"}


def test_what_a_thing_is_said_to_have_is_its_detail_whatever_another_has(rules_shop: Shop) -> None:
    query = "What should I stop buying, please?"
    said = "The Fielder's 75-foot has a 25-foot reach."
    assert accused(rules_shop, HOSES + said, query, GARDENER) == {"25-foot"}
    assert accused(rules_shop, SHEETS + "The Harrow Medical box holds 60 loads.", query, WASHER) == {
        "60 loads"
    }


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("Go back to the Harrow Medical sheets: by your own rhythm ({} in 525 days) a box lasts three years.", "45 loads"),
        ("Go back to the Harrow Medical sheets at $13.99: at {} every 525 days a box lasts three years.", "45 loads"),
    ],
)  # fmt: skip
def test_what_is_used_in_a_time_is_of_the_thing_that_was_used(
    rules_shop: Shop, said: str, wrong: str
) -> None:
    query = "A plain report on my household supplies, please."
    assert accused(rules_shop, SHEETS + said.format("60 loads"), query, WASHER) == set()
    assert accused(rules_shop, SHEETS + said.format(wrong), query, WASHER) == {wrong}


@pytest.mark.parametrize(
    "said",
    [
        f"You ordered the {SPRAY} five times between December 2016 and February 2021: {{}}, $49.95 at today's $9.99.",
        f"The {SPRAY} came in five orders: {{}}.",
    ],
)
def test_so_much_of_each_order_comes_to_so_much_of_all(rules_shop: Shop, said: str) -> None:
    query = "Which of my repeat purchases could be cheaper?"
    assert accused(rules_shop, said.format("80 ounces"), query, TWICE_FIVE) == set()
    assert accused(rules_shop, said.format("70 ounces"), query, TWICE_FIVE) == {"70 ounces"}


@pytest.mark.parametrize(
    "said",
    [
        f"{CHEWS}, $16.99: February 2018 to August 2021, {{}} at today's price $84.95.",
        f"{CHEWS}: {{}} for $84.95.",
        f"You ordered the {CHEWS} five times; {{}} at $16.99 come to $84.95.",
    ],
)
def test_as_many_packs_as_were_ordered_are_bought(rules_shop: Shop, said: str) -> None:
    query = "Chews and stain spray: how often, how much?"
    assert accused(rules_shop, said.format("five packs"), query, TWICE_FIVE) == set()
    assert accused(rules_shop, said.format("six packs"), query, TWICE_FIVE) == {"six packs"}


def test_what_a_box_holds_is_not_bought(rules_shop: Shop) -> None:
    query = "Chews and stain spray: how often, how much?"
    said = f"{CHEWS}, a box of five packs for $16.99."
    assert accused(rules_shop, said, query, TWICE_FIVE) == {"five packs"}


def test_a_figure_of_the_question_is_the_readers(rules_shop: Shop) -> None:
    query = "Show me a monitor arm under $50 that carries 15 pounds"
    said = ARMS + "Only the Inkmere clears your {}: its limit is 19.8, that of the Papershed 14.3."
    assert accused(rules_shop, said.format("15 pounds"), query, WRITER) == set()
    assert accused(rules_shop, said.format("17 pounds"), query, WRITER) == {"17 pounds"}
    assert accused(rules_shop, said.format("15 pounds"), "Show me a monitor arm under $50", WRITER) == {
        "15 pounds"
    }
