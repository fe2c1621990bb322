"""What is told of the orders of a reader and was once accused though it is right: each text is true with the first words and false with the second."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import RULES, Subject, check_report
from drr.eval.checks.mentions import Mentions

SHOP = "http://ecommerce.example"
PARENT = "AHPWPH02AZHN0WSJPRANXQEW5G5J"
"""Eight orders, all of things for babies, $255.85 at the prices of today."""
CARRIER, GATE, KIT, OTHER_KIT = (
    f"{SHOP}/{one}" for one in ("B053OQA6HR", "B0Q7E0V2BA", "B07JAOFF14", "B0GFMXQX2N")
)
"""$50.99 and $46.99, both of 2017; kits of locks at $18.99 and $35.99."""
REFILLS, NOISE, SHEARS = (f"{SHOP}/{one}" for one in ("B06GV2003U", "B0ERGOWE2U", "B09ACHD7U0"))
"""$17.99, $19.49, $28.99: never ordered."""
MECHANIC = "AG522CIPK61VKCD8JCLSUOIH1RG0"
"""Twelve orders, one of them of a socket set of 66 pieces."""
SOCKETS = f"{SHOP}/B0EMR4SHD0"
HOUSEHOLD = "AE9MX5XBHSKVTIBMOBSO5DPOYRZC"
"""Six orders: a purifier at $180.99, twice a filter at $63.99, another at $37.95, two things without a price."""
PURIFIER = f"{SHOP}/B0BWKPACJQ"
CLERK = "AE8CJB3IE34RMWG9BUUOH7IKUTBG"

BOUGHT = f"- 2005-12-31 and 2013-08-25 [refill bags]({SHOP}/B0RZ6VOITI), $23.95\n- 2016-04-14 [teething toys]({SHOP}/B0JLLFWLGO), $14.99\n- 2017-02-04 [carrier]({CARRIER}), $50.99\n- 2017-12-26 [safety gate]({GATE}), $46.99\n- 2019-02-24 [locks kit]({KIT}), $18.99\n- 2020-02-18 [video monitor]({SHOP}/B0DUMFSJLE), $40.00\n- 2020-10-10 [locks kit]({OTHER_KIT}), $35.99\n"
PICKS = f"## Picks\n1. [Mellow Moth refills]({REFILLS}), $17.99\n2. [Bluestem shears]({SHEARS}), $28.99\n\n"
PLAN = f"{PICKS}The two come to $46.98."
BABY = "Go through my baby orders and suggest two things for under {} together."


def check(shop: Shop, text: str, user_id: str, query: str | None = None) -> dict[str, str]:
    found = check_report(Subject(text, query=query, user_id=user_id, shop=shop))
    return {name: one.evidence[0] for name, one in found.items() if one.status == "fail"}


@pytest.mark.parametrize(
    "told",
    [
        f"## The record\nYour account lists eight orders, all Baby Products. At today's prices they total $255.85.\n\n{BOUGHT}",
        f"## The record\n{BOUGHT}\n## Sums\nEight orders, all priced, $255.85 in total and $31.98 on average.",
        f"## The record\n{BOUGHT}\n## Figures\nAll eight orders carry a price. The two kits of locks cost $54.98 together.",
        f"## The record\n2017 was the dearest year of your orders: [carrier]({CARRIER}) and [gate]({GATE}), $97.98 in all.",
        f"## The record\nYou bought two kits of locks, the [Hushabee]({KIT}) and the [Truehaven]({OTHER_KIT}), which come to $54.98 together.",
        f"## The record\n| Order of | Item | Price |\n|---|---|---|\n| 2017-02-04 | [Silverfold carrier]({CARRIER}) | $50.99 |\n| 2017-12-26 | [Oatie gate]({GATE}) | $46.99 |\n| | Total | $97.98 |\n\nThese are the two orders of 2017.",
    ],
)
def test_what_was_ordered_before_breaks_no_limit_and_a_plan_beside_it_does(
    rules_shop: Shop, told: str
) -> None:
    for text in (f"{told}\n\n{PICKS}", f"{told}\n\n{PLAN}"):
        assert check(rules_shop, text, PARENT, BABY.format("$50")) == {}
    assert "budget" in check(rules_shop, f"{told}\n\n{PLAN}", PARENT, BABY.format("$40"))


def test_a_wrong_sum_of_orders_is_accused_as_before(rules_shop: Shop) -> None:
    text = f"## The record\nYour account lists eight orders. At today's prices they total {{}}.\n\n{PLAN}"
    for right, wrong in (("$255.85", "$275.85"), ("$255.85", "$205.85")):
        assert check(rules_shop, text.format(right), PARENT, BABY.format("$50")) == {}
        assert check(rules_shop, text.format(wrong), PARENT, BABY.format("$50")) != {}


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Restock what I ordered, below $50 in all.", "## Your orders again\n- [Hushabee kit]({}), $18.99\n- [Truehaven kit]({}), $35.99\n\nThe two come to {}."),
        ("Two kits of locks, below $50 in all.", "You know both from your orders.\n\n- [Hushabee kit]({}), $18.99\n- [Truehaven kit]({}), $35.99\n\nThe two come to {}."),
        ("Two kits of locks, below $50 in all.", "## Plan\n- [Hushabee kit]({}), $18.99\n- [Truehaven kit]({}), $35.99\n\nThe two come to {}. Both are in your orders."),
    ],
)  # fmt: skip
def test_what_was_ordered_before_and_is_to_be_ordered_again_has_a_limit(
    rules_shop: Shop, query: str, text: str
) -> None:
    assert "budget" in check(rules_shop, text.format(KIT, OTHER_KIT, "$54.98"), PARENT, query)
    assert check(rules_shop, text.format(KIT, OTHER_KIT, "$54.98"), PARENT, query.replace("$50", "$60")) == {}


PAIRS = [
    # a number of an order is one with zeros at its head
    ("order_facts", HOUSEHOLD, None, f"The [Kettle & Quay purifier]({PURIFIER}) is order {{}} of June 2021.", "27941087778620", "27941087778621"),
    # what a department comes to is no offer
    ("outside_shop", HOUSEHOLD, None, f"| Department | Sum |\n|---|---|\n| {{}} | $165.93 |\n| Home & Kitchen | $180.99 |\n\nThe latter is the [Kettle & Quay purifier]({PURIFIER}).", "Tools & Home Improvement", "Toolwright Homely Improver"),
    # so much dearer than what was ordered and nobody names
    ("total", HOUSEHOLD, None, f"The [Kettle & Quay purifier]({PURIFIER}) of June 2021 is {{}} dearer than your next most costly item.", "$117.00", "$107.00"),
    ("total", HOUSEHOLD, None, f"The [Kettle & Quay purifier]({PURIFIER}) at $180.99 costs {{}} more than anything else you ordered.", "$117.00", "$107.00"),
    ("price", HOUSEHOLD, None, f"The [Kettle & Quay purifier]({PURIFIER}) is the dearest thing in your history, {{}} ahead of the next.", "$117.00", "$107.00"),
    ("price", HOUSEHOLD, None, f"Between the [Kettle & Quay purifier]({PURIFIER}) and the second dearest of your orders lie {{}}.", "$117.00", "$107.00"),
    ("outside_shop", HOUSEHOLD, None, f"| Department | Sum |\n|---|---|\n| {{}} (3 of 4) | $165.93 |\n| Home & Kitchen (1 of 2) | $180.99 |\n\nThe latter is the [Kettle & Quay purifier]({PURIFIER}).", "Tools and Home Improvement", "Toolwright Homely Improver"),
    # what something ordered costs, called by its kind
    ("figures", PARENT, "Something for the baby, at most $30.", f"Your carrier at $50.99 was above $30, your teething toys at {{}} under it. The [Mellow Moth refills]({REFILLS}) at $17.99 fit too.", "$14.99", "$13.99"),
    # what goes with neither of two is held against the sums
    ("budget", CLERK, "Office things that are missing. Limit $35.", f"I would take the [Plainfold stand]({SHOP}/B0Q37N2Z0L) at $32.99 or the [Standwell]({SHOP}/B0YQ4U91AQ) at $26.99. A pack of [Stoneware markers]({SHOP}/B0HZ3TFV20), $11.00, would go with {{}} inside $35.", "neither", "both"),
    ("budget", CLERK, "Office things that are missing. Limit $35.", f"I would take the [Plainfold stand]({SHOP}/B0Q37N2Z0L) at $32.99 or the [Standwell]({SHOP}/B0YQ4U91AQ) at $26.99. With the [Stoneware markers]({SHOP}/B0HZ3TFV20), $11.00, {{}} inside $35.", "neither stays", "both stay"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "user_id", "query", "text", "right", "wrong"), PAIRS)
def test_what_is_true_of_orders_accuses_nobody_and_its_false_twin_does(
    rules_shop: Shop, rule: str, user_id: str, query: str | None, text: str, right: str, wrong: str
) -> None:
    assert check(rules_shop, text.format(right), user_id, query) == {}
    assert rule in check(rules_shop, text.format(wrong), user_id, query)


def test_the_pieces_of_a_set_are_not_how_often_it_was_ordered(rules_shop: Shop) -> None:
    """By the rule itself, before its accusations are weighed."""
    line = "- 2017-09-25 [Ironfold socket set]({}), {} pieces, $33.95"
    for pieces, accused in ((1, False), (66, False), (64, True)):
        subject = Subject(line.format(SOCKETS, pieces), user_id=MECHANIC, shop=rules_shop)
        found = RULES["order_facts"].check(subject, Mentions(subject))
        assert any(one.kind == "order_count" for one in found.accused) is accused
