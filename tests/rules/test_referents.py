"""Of whom a figure speaks: the same things said as ten writers would say them, and what must stay open."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject
from drr.eval.checks.cast import Cast, cast_of
from drr.eval.checks.mentions import Mentions

SHOP = "http://ecommerce.example"
A, B = "B07S8I0N1E", "B0CYRCWPGO"
"""A Whiskerwell Step-In harness and a Pawhaven Padded one."""
LINKS = f" ({SHOP}/{A} and {SHOP}/{B})"


def cast(text: str, shop: Shop) -> Cast:
    subject = Subject(text, shop=shop)
    return cast_of(subject, Mentions(subject))


@pytest.mark.parametrize(
    ("text", "figure", "whose"),
    [
        (
            f"The Whiskerwell ({SHOP}/{A}; nylon; 77) is fine, the Pawhaven ({SHOP}/{B}; mesh; 88) too.",
            "77",
            A,
        ),
        (
            f"The Whiskerwell ({SHOP}/{A}; nylon; 77) is fine, the Pawhaven ({SHOP}/{B}; mesh; 88) too.",
            "88",
            B,
        ),
        (f"The Whiskerwell ({SHOP}/{A}) is nylon at 77, the Pawhaven ({SHOP}/{B}) mesh at 88.", "88", B),
        (f"If you adopt a Maine Coon, the Pawhaven ({SHOP}/{B}) takes 40 and is 77.", "77", B),
        ("It is 77 for the Whiskerwell and 88 for the Pawhaven." + LINKS, "77", A),
        ("It is 77 for the Whiskerwell and 88 for the Pawhaven." + LINKS, "88", B),
        ("Some 66 people rated the Pawhaven, only 77 the Whiskerwell." + LINKS, "77", A),
        ("The Whiskerwell and the Pawhaven are pink. I would take the latter, with its 77." + LINKS, "77", B),
        ("The Whiskerwell is pink. It has 77 owners." + LINKS, "77", A),
        ("- Pawhaven: six dollars less than the Whiskerwell, but only 77 tall\n\n" + LINKS, "77", B),
    ],
)
def test_a_figure_is_of_what_its_place_says(rules_shop: Shop, text: str, figure: str, whose: str) -> None:
    read = cast(text, rules_shop)
    at = read.body.index(figure)
    meant = read.meant_at(at, at + len(figure))
    assert meant.certain
    assert meant.only == whose


@pytest.mark.parametrize(
    "text",
    [
        "The Whiskerwell and the Pawhaven score 77 and 88." + LINKS,
        "The Whiskerwell is pink, and the evening costs 77." + LINKS,
        "The Whiskerwell is 66 against 77." + LINKS,
        "With the Whiskerwell you would still be at 88, and you spend 77." + LINKS,
        "Take the Whiskerwell (66 versus 77)." + LINKS,
    ],
)
def test_what_may_be_of_two_things_is_not_certain(rules_shop: Shop, text: str) -> None:
    read = cast(text, rules_shop)
    at = read.body.index("77")
    assert not read.meant_at(at, at + 2).certain


def test_what_is_named_without_an_address_explains_and_is_not_accused(rules_shop: Shop) -> None:
    """The Tidewell skillet is sold at this shop with 3.6 stars; the report links a scale of the same maker only."""
    text = f"The Whiskerwell ({SHOP}/{A}) is fine. Tidewell's dual-handle skillet has a 3.6 average, the Whiskerwell its 4.6."
    read = cast(text, rules_shop)
    at = read.body.index("3.6")
    meant = read.meant_at(at, at + 3)
    assert read.unlinked
    assert not meant.products
