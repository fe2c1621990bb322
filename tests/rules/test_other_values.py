"""What is said of a product in words and measures, against the one value that its record has of the same thing."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

PEN, SHREDDER, SALT, HARNESS = "B0VEX4YW48", "B0A38OH74O", "B06UHGMJJS", "B0S9ZQC831"
"""A black pen that is filled with an eyedropper; a shredder of level P-4; a salt with eucalyptus; a harness with aluminum buckles."""
PURIFIER, SHEARS, SHOPLIGHT, FIREPIT = "B08VDHA5O6", "B09ACHD7U0", "B0OSIJ00YJ", "B0YYJ92BZ9"
"""22 dB; 7.5 ounces; 3200 lumens; 33 pounds."""
URL = "http://ecommerce.example/"


def status(shop: Shop, text: str) -> str:
    return check_report(Subject(text, shop=shop))["product_claims"].status


@pytest.mark.parametrize(
    ("text", "true", "false"),
    [
        (f"The Birchford pen ({URL}{PEN}) is extra fine, {{}}, and costs $12.99.", "black", "green"),
        (f"The Foolscap shredder ({URL}{SHREDDER}), {{}}, cuts 18 sheets.", "P-4", "P-5"),
        (f"You know the Oakbalm {{}} Epsom salt, five pounds ({URL}{SALT}).", "eucalyptus", "lavender"),
        (f"The blue Tailfield harness ({URL}{HARNESS}) has {{}} buckles.", "aluminum", "plastic"),
    ],
)
def test_a_rivals_value_is_not_this_products(rules_shop: Shop, text: str, true: str, false: str) -> None:
    assert status(rules_shop, text.format(true)) != "fail"
    assert status(rules_shop, text.format(false)) == "fail"


@pytest.mark.parametrize(
    "text",
    [
        f"The Birchford pen ({URL}{PEN}) is extra fine, not green.",
        f"The Birchford pen ({URL}{PEN}) is extra fine, and a green one costs more.",
        f"The Foolscap shredder ({URL}{SHREDDER}) cuts coarser than P-5.",
        f"If it is to be green, the Birchford pen ({URL}{PEN}) is none for you; is it green?",
        f"The blue Tailfield harness ({URL}{HARNESS}) has no plastic buckles.",
    ],
)
def test_what_a_thing_is_not_and_what_another_is_accuses_nobody(rules_shop: Shop, text: str) -> None:
    assert status(rules_shop, text) != "fail"


@pytest.mark.parametrize(
    ("text", "true", "false"),
    [
        (f"The Tidewell purifier ({URL}{PURIFIER}) hums at {{}} and is black.", "22 dB", "32 dB"),
        (f"The Bluestem shears ({URL}{SHEARS}) are lighter at {{}} and sharp.", "7.5 ounces", "8.5 ounces"),
        (f"The Lampwick light ({URL}{SHOPLIGHT}) gives {{}} of light.", "3200 lumens", "5200 lumens"),
        (
            f"[Emberyard Compact Smokeless Fire Pit]({URL}{FIREPIT}). It weighs {{}}.",
            "33 pounds",
            "23 pounds",
        ),
    ],
)
def test_the_only_figure_of_its_unit_is_held_against_the_record(
    rules_shop: Shop, text: str, true: str, false: str
) -> None:
    assert status(rules_shop, text.format(true)) != "fail"
    assert status(rules_shop, text.format(false)) == "fail"


@pytest.mark.parametrize(
    "text",
    [
        f"The Lampwick light ({URL}{SHOPLIGHT}) has 1800 lumens more than mine.",
        f"Two of the Lampwick light ({URL}{SHOPLIGHT}) give 6400 lumens.",
        f"The Lampwick light ({URL}{SHOPLIGHT}) will do instead of 5200 lumens.",
        f"The Lampwick light ({URL}{SHOPLIGHT}) makes about 53 lumens per watt.",
        f"Would the Lampwick light ({URL}{SHOPLIGHT}) do with 5200 lumens?",
        f"The Emberyard fire pit ({URL}{FIREPIT}) is nineteen flat.",
    ],
)
def test_what_is_worked_out_or_anothers_accuses_nobody(rules_shop: Shop, text: str) -> None:
    assert status(rules_shop, text) != "fail"


SET_AGAINST = [
    (f"The Foolscap shredder ({URL}{SHREDDER}) is {{}}, where the old one of mine was {{}}.", "P-4", "P-5"),
    (f"The blue Tailfield harness ({URL}{HARNESS}) has {{}} buckles, whereas yours are {{}}.", "aluminum", "plastic"),
    (f"You know the Oakbalm {{}} Epsom salt ({URL}{SALT}), of five pounds unlike our {{}}.", "eucalyptus", "lavender"),
    (f"The Birchford pen ({URL}{PEN}) writes extra fine, {{}}, while my sister's is {{}}.", "black", "green"),
]  # fmt: skip
"""A value of the thing, and one of something that is set against it."""


@pytest.mark.parametrize(("text", "own", "other"), SET_AGAINST)
def test_what_a_clause_says_of_something_else_accuses_nobody(
    rules_shop: Shop, text: str, own: str, other: str
) -> None:
    assert status(rules_shop, text.format(own, other)) != "fail"
    assert status(rules_shop, text.format(other, own)) == "fail"


def test_a_grade_before_a_clause_that_names_another_is_not_of_that(rules_shop: Shop) -> None:
    text = f"With the Foolscap ({URL}{SHREDDER}) left out, my pick is the finest of all (level {{}}, where the Foolscap has {{}})."
    assert status(rules_shop, text.format("P-5", "P-4")) != "fail"
    assert status(rules_shop, text.format("P-5", "P-3")) == "fail"


def test_a_clause_of_the_thing_itself_is_of_that(rules_shop: Shop) -> None:
    text = f"The blue Tailfield harness ({URL}{HARNESS}) weighs little while having {{}} buckles."
    assert status(rules_shop, text.format("aluminum")) != "fail"
    assert status(rules_shop, text.format("plastic")) == "fail"
