"""Figures by what stands beside them: series of ratings, measures by their heads, days of orders, parts of a history."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

SHOP = "http://ecommerce.example"
EXTENDED = "AED9PJUU1018ZBSDPV42QQZEVPUL"
"""Ordered a Lampwick shelf on 2020-09-21 and a Hammerstead one on 2018-10-26."""
PETS = "AEKVULKUG3BFCDCDMF4C2TT6ERK5"
"""65 orders, 42 of them Pet Supplies."""


def status(report: str, rule: str, shop: Shop, user_id: str | None = None) -> str:
    return check_report(Subject(report, shop=shop, user_id=user_id))[rule].status


@pytest.mark.parametrize(
    ("last", "expected"),
    [("4.0", "pass"), ("4.4", "fail"), ("a steep price", "pass"), ("a 4.5 inch heel", "pass")],
)
def test_the_odd_one_of_a_series_of_ratings(rules_shop: Shop, last: str, expected: str) -> None:
    text = (
        f"In order of rating: Northloft's blade ({SHOP}/B00Z8XOFRV) holds 5.0, Salt & Sill's ({SHOP}/B03G4722GE) follows "
        f"at 4.8 and Maplehand's ({SHOP}/B05D703OR8) ends the list with {last}."
    )
    assert status(text, "rating", rules_shop) == expected


def test_a_count_is_one_of_ratings_as_those_beside_it_are(rules_shop: Shop) -> None:
    text = "The [Wrendell Percussion Massage Gun]({0}/B01G72RT1S) has 131, against 31 for [Steadyhand's mini]({0}/B0PL09JVN0) and {1} for the [Sparrowroot]({0}/B0DKS26SVB)."
    said = "Of ratings speak first. "
    assert status(said + text.format(SHOP, 53), "rating", rules_shop) == "fail"
    assert status(said + text.format(SHOP, 23), "rating", rules_shop) != "fail"


@pytest.mark.parametrize(("stars", "expected"), [("3.2★", "pass"), ("4.2★", "fail"), ("4.2 ⭐", "fail")])
def test_a_star_may_stand_right_behind_its_figure(rules_shop: Shop, stars: str, expected: str) -> None:
    text = f"At the bottom is [Tumblefox Plug-In]({SHOP}/B0LZYW1ZEP) with {stars} despite its price."
    assert status(text, "rating", rules_shop) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("keeps the gap between rail and mattress below 2.4 inches", "pass"),
        ("keeps the gap between rail and mattress below 4.2 inches", "fail"),
        ("stands well where the wall is 4.2 inches away", "pass"),
    ],
)
def test_a_measure_is_held_against_the_one_of_the_same_words(
    rules_shop: Shop, said: str, expected: str
) -> None:
    text = f"The [Oxbow Home Folding Bed Rail]({SHOP}/B0ZM22SRVE) costs $43.99. It {said}."
    assert status(text, "product_claims", rules_shop) == expected


@pytest.mark.parametrize(
    ("said", "fails"),
    [
        ("Earlier: Hammerstead 4 ft laminated (2018-10-26), Lampwick 10 ft wire (2020-09-21).", False),
        ("Earlier: Hammerstead 4 ft laminated (2018-10-26), Lampwick 10 ft wire (2022-09-21).", True),
        ("Earlier: 2018-10-26 (Hammerstead 4 ft), 2020-09-21 (Lampwick wire).", False),
        ("Lampwick 10 ft wire, September 2020.", False),
        ("Lampwick 10 ft wire, September 2021.", True),
        ("Lampwick published a guide in September 2021.", False),
        ("Not from Lampwick, September 2021.", False),
    ],
)
def test_a_day_beside_what_was_ordered_is_its_day(rules_shop: Shop, said: str, fails: bool) -> None:
    links = f"[a]({SHOP}/B0H5B3UITS) [b]({SHOP}/B066BWXPNE)"
    assert (status(f"{said}\n\n{links}", "order_facts", rules_shop, EXTENDED) == "fail") is fails


@pytest.mark.parametrize(
    ("said", "fails"),
    [
        ("65 orders. 42 pet. The rest is for the house.", False),
        ("65 orders. 24 pet. The rest is for the house.", True),
        ("Of your 65 orders a whopping 52 are pet stuff.", True),
        ("Of your 65 orders, 52 pet bowls could be filled.", False),
        ("In the last 40 orders 30 were for pets.", False),
    ],
)
def test_one_word_may_name_a_part_of_the_history(rules_shop: Shop, said: str, fails: bool) -> None:
    assert (status(said, "statistics", rules_shop, PETS) == "fail") is fails


def test_what_would_be_alters_no_record_but_what_would_not_be_so(rules_shop: Shop) -> None:
    link = f"[Purrdale's Non-Slip]({SHOP}/B0YU0JYXRF)"
    assert status(f"If your pup inhales kibble, {link} holds 4 cups.", "product_claims", rules_shop) == "fail"
    assert status(f"If {link} held 4 cups, it would do.", "product_claims", rules_shop) != "fail"


@pytest.mark.parametrize(("more", "fails"), [("$26", False), ("$22", True), ("$26.01", False)])
def test_a_difference_is_one_to_the_price_beside_it(rules_shop: Shop, more: str, fails: bool) -> None:
    text = (
        f"The Birchford pen ({SHOP}/B0VEX4YW48) is $12.99. If you switch, the Plainfold is {more} more at $39.00 "
        f"({SHOP}/B0U6IMAPT7)."
    )
    assert (status(text, "total", rules_shop) == "fail") is fails


@pytest.mark.parametrize(
    ("each", "fails"), [("$4.25", False), ("$4.95", True), ("four or five dollars", False)]
)
def test_a_cost_per_unit_is_of_the_price_before_it(rules_shop: Shop, each: str, fails: bool) -> None:
    text = (
        f"The Plumbright filter 12-pack ({SHOP}/B0MNAO084I) costs $50.99, so {each} per filter. "
        f"The Meadowcraft ({SHOP}/B0RMLHIYBS) costs $63.99."
    )
    assert (status(text, "price", rules_shop) == "fail") is fails
