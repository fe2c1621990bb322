"""What is told of the orders of a reader in words that were once read as other ones: each text is true with the first words and false with the others."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report
from drr.eval.checks.considered.own_weighing import own_wrong
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.person.readings.said import COUNT

from tests.rules.test_true_orders import check

SHOP = "http://ecommerce.example"
READER = "AGN4E79ULDUF1BIJRNFWNK9EIM13"
"""Eleven orders, three of them of 2021."""
CLERK = "AFVPX4ZJK7WLFVTOAKS6P0C9MUIN"
"""Eight orders, five of them office products and three of these of 2022."""
GARDENER = "AGIG0JIX901YMDKKCOV2C0BE4J8D"
"""Eleven orders: compost tumblers in December 2020 and July 2022, socks in October 2018."""
BIRDER = "AHOLC81ZUCRWJ8M0ZUTSVVQZH2PY"
"""Six orders: twice bird seed, a feeder, a birdhouse whose record speaks of no bird, two other things."""
MOTHER = "AHNOF1VA8M8R53AL2BH0HXA5FOOU"
"""Jennifer: sixteen orders, eight of them baby products."""
HOUSEHOLD = "AF1PAWAC71XJO62PXXNQC6YA31Q4"
"""74 orders: thirteen of trash bags, seven of cloths, five of sheets."""

TUMBLERS = f"Five of your eleven orders are for the garden: a heated bird bath in January 2016 [1], and compost tumblers in December 2020 [2] and {{}}.\n\n## Sources\n[1] {SHOP}/B0AD9BKBW1\n[2] {SHOP}/B0FSB3OLB0"
OFFICE = "Five of your eight orders are office products. Three of the {} 2022."
SUM = "Thirteen of your 74 orders were trash bags, seven microfiber cloths and five detergent sheets; together that is {} orders."

PAIRS = [
    # a month at the end of a sentence is of no year that begins the next
    ("order_facts", READER, "You bought Plainfold sticky notes (B04SC36BJN) and the Rowanyard suet feeder (B0MHZKFF8Y) in {} had two orders.", ["November. 2017", "November 2021. 2017"], ["November 2017. It", "Nov. 2017. It"]),
    # a part of a part, named or said before
    ("statistics", CLERK, OFFICE, ["five office orders fell in"], ["six office orders fell in", "seven office orders fell in"]),
    ("statistics", CLERK, OFFICE, ["five are Office Products of"], ["six are Office Products of", "seven are Office Products of"]),
    # what is named beside the first of two days marks that day
    ("order_facts", GARDENER, TUMBLERS, ["July 2022"], ["October 2018", "June 2022"]),
    # whom or what things are for is counted by no record
    ("statistics", BIRDER, "{} of your six orders are for birds.", ["Four"], []),
    ("statistics", BIRDER, "{} of your six orders are for bird seed.", ["Two"], ["Three", "Four"]),
    # a share of all orders, whoever they are said to be of
    ("statistics", MOTHER, "Baby products make up 8 of Jennifer's 16 orders, exactly {}.", ["half"], ["a third"]),
    # what some counts come to together
    ("statistics", HOUSEHOLD, SUM, ["25"], ["27", "23", "24"]),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "user_id", "text", "right", "wrong"), PAIRS)
def test_what_is_true_of_own_orders_accuses_nobody_and_its_false_twins_do(
    rules_shop: Shop, rule: str, user_id: str, text: str, right: list[str], wrong: list[str]
) -> None:
    for words in right:
        assert check(rules_shop, text.format(words), user_id) == {}
    for words in wrong:
        assert rule in check(rules_shop, text.format(words), user_id)


MASK = f"""You've got three pillowcases of the same kind already (Bramstead Silky Satin: October 2016, December 2020, March 2021), so a mask, surely. Quietpetal's, the one you ordered on 27 July 2015, is $17.00 for two with ear plugs and a pouch: {SHOP}/B03TAB5GQF.
That's $8.50 a mask. Kaya Bloom gives you three for $26.99 ({SHOP}/B08XJWJK10), so $9.00 each, nearly. 4.8 versus 4.5, 29 ratings versus 28. Quietpetal it is: {{}}, dusty pink."""
SOAK = f"Within $60 I'd pair the Tern & Tansy Epsom soak you bought twice in the winter of {{}} ({SHOP}/B0W68IX58L, $13.99 for 10 pounds) with the Hollis heating pad ({SHOP}/B07ZZH2SAH, $43.95), which you've had in February 2020 and December 2022."


@pytest.mark.parametrize(
    ("user_id", "text", "words"),
    [
        ("AFP5LG1UE52OLRATQMYASKB0FY9Z", MASK, "22 momme silk"),
        ("AGW1ORVEWPHYXMCWEEMSH27W3C5O", SOAK, "2018-19"),
    ],
)
def test_a_measure_and_a_winter_are_no_count_of_orders(
    rules_shop: Shop, user_id: str, text: str, words: str
) -> None:
    mentions = Mentions(Subject(text.format(words), shop=rules_shop, user_id=user_id))
    assert [mentions.plain[slice(*one.span)] for one in own_wrong(mentions)] == []


SPRING = "AF73AAZA377EDRDE7RPV69RODTJ1"
"""Bought the Loamworks on 28 April 2016 and on 21 May 2020."""
PRUNER = f"The [Loamworks Ratchet]({SHOP}/B0NZPSG98L) came on 2016-04-28 and again on 2020-05-21, {{}} apart."
SPRING_PLAN = "Look at my orders and make me a plan for spring."
TINKERER = "AH03ICZA0V5FYYATACV8HAS6BN9Y"
"""Bought a set of screwdrivers in 2014, and none in 2013 or 2018."""
KIT = f"1. Meter: you have four, among them the Meadowcraft Auto-Ranging ([B0ENCYMQ4B]({SHOP}/B0ENCYMQ4B)) of June 2019; use that one for temperature.\n2. Light: take the Safehollow Zoomable of 2 September 2023 (B0BFBKCED4, 800 lumens, three AAA batteries).\n3. Small drivers: {{}} is worn, so take the Rivetworks Ratcheting 145 in 1 ([B0F9NLITGP]({SHOP}/B0F9NLITGP)), $44.99."


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("four years and about three weeks", "four years and about seven weeks"),
        ("four years and a bit over three weeks", "four years and a bit over nine weeks"),
        ("four years, 23 days", "four years, 90 days"),
        ("four years and one month less 7 days", "four years and one month less 23 days"),
        ("four years plus 23 days", "four years less 23 days"),
    ],
)
def test_the_parts_of_a_time_are_read_together(rules_shop: Shop, right: str, wrong: str) -> None:
    assert check(rules_shop, PRUNER.format(right), SPRING, SPRING_PLAN) == {}
    assert "days in all" in check(rules_shop, PRUNER.format(wrong), SPRING, SPRING_PLAN)["order_facts"]


@pytest.mark.parametrize(
    "called",
    ["the {} set", "your {} one", "your old {} screwdriver set", "the older set ({})", "the set of {}"],
)
def test_a_thing_is_called_by_the_year_in_which_it_was_bought(rules_shop: Shop, called: str) -> None:
    assert check(rules_shop, KIT.format(called.format(2014)), TINKERER) == {}
    for year in (2013, 2018):
        assert "order_facts" in check(rules_shop, KIT.format(called.format(year)), TINKERER)


def test_the_number_of_an_order_is_no_count() -> None:
    assert [
        found["n"] for found in COUNT.finditer("Order 8838856539317748, 12 of 1,299 and 0012345678.")
    ] == [
        "12",
        "1,299",
    ]


def test_an_entry_that_is_the_id_of_a_product_says_where_to_look(rules_shop: Shop) -> None:
    report = "The box (B0EBJS673T) holds 120 sheets.\n\n## Sources\n- B0NQUDH633\n- B0EBJS673T\n"
    assert check_report(Subject(report, shop=rules_shop))["citation_hygiene"].status == "pass"
