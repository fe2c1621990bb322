"""What is true of a record and is not said in its words: other units, roundings, means, marks, the reader's own things. Each has a twin that is false."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

THINGS = {
    name: f"http://ecommerce.example/{key}"
    for name, key in {
        "ashwell": "B0IV6OQ3WJ",
        "barkwell": "B0U9ERSPCS",
        "whiskerwell": "B0EI2FHHQA",
        "silverfold": "B096BIS0NT",
        "clover": "B0ERGOWE2U",
        "lullaby": "B0TDJZ85JK",
        "pipkin": "B0V2JY44UK",
        "hushabee": "B0UFXR3RD8",
        "alarm": "B0A5ZPFF1M",
        "tidewell": "B0FQLW5BL3",
        "socks": "B0UC00A45K",
    }.items()
}
"""Ramps of 42, 55 and 71 inches for 180, 180 and 150 pounds, the last of 10.65 pounds; noise machines of 4.9, 4.7, 3.9, 4.4 and 4.4 stars, the first
of 20 hours, the second with 19 ratings; an alarm that sounds `within 15 at 400`; a pot of 18.29 pounds; socks of 20-30 mmHg."""


def accused(said: str, shop: Shop) -> list[str]:
    checks = check_report(Subject(said, query="Which one would you take, please?", shop=shop))
    return [
        said[slice(*one.span)].strip()
        for rule in ("rating", "product_claims")
        for one in checks[rule].accused
    ]


@pytest.mark.parametrize(
    ("said", "right", "wrong"),
    [
        ("The five ([Silverfold]({silverfold}), [Cradle & Clover]({clover}), [Lullaby Lane]({lullaby}), [Pipkin]({pipkin}) and [Hushabee]({hushabee})) gathered 127 ratings in all, and their scores average {{}} stars.", "4.5", "4.8"),
        ("I set the bar at 4.0 stars and 20 ratings; the [Cradle & Clover]({clover}), {{}} with 19 ratings, just misses it.", "4.7 stars", "4.3 stars"),
        ("The [Whiskerwell]({whiskerwell}) unfolds to 71 inches, {{}} beyond the [Ashwell]({ashwell}).", "29 inches", "38 inches"),
        ("| | [Ashwell]({ashwell}) | [Barkwell]({barkwell}) | [Whiskerwell]({whiskerwell}) |\n|---|---|---|---|\n| Length | 42 inches | 55 inches | {{}} |", "5.9 feet", "5.2 feet"),
        ("| Ramp | Carries |\n|---|---|\n| [Ashwell]({ashwell}) | 180 lb |\n| [Barkwell]({barkwell}) | 180 lb |\n| [Whiskerwell]({whiskerwell}) | {{}} |", "68 kg", "78 kg"),
        ("| Thing | Weight |\n|---|---|\n| [Tidewell]({tidewell}) | 18.29 lb |\n| [Whiskerwell]({whiskerwell}) | {{}} |", "10.7 lb", "12.7 lb"),
        ("Run time of the [Silverfold]({silverfold}): {{}}, or 20 hours.", "1,200 minutes", "1,500 minutes"),
        ("The [Ironfold]({alarm}) sounds after 60 to 240 minutes at 70 ppm and within 15 minutes at {{}}.", "400 ppm", "450 ppm"),
        ("The [Wrendell]({socks}) presses with {{}}, two grades up from support socks of 8-15 mmHg.", "20-30 mmHg", "35-45 mmHg"),
        ("**[Whiskerwell]({whiskerwell})**\n- Load: up to 150 pounds\n- {{}}: 95 pounds", "My dog's weight", "Item weight"),
    ],
)  # fmt: skip
def test_what_is_true_in_other_words_is_left_and_its_twin_is_not(
    rules_shop: Shop, said: str, right: str, wrong: str
) -> None:
    said = said.format(**THINGS)
    assert accused(said.format(right), rules_shop) == []
    assert accused(said.format(wrong), rules_shop) != []


def test_the_unit_of_a_bare_cell_is_that_of_its_label(rules_shop: Shop) -> None:
    head = "| Thing | Weight (lb) |\n|---|---|\n| [Tidewell]({tidewell}) | 18.29 |\n| [Whiskerwell]({whiskerwell}) | "
    for cell, is_odd in (("10.7", False), ("12.7", True)):
        said = head.format(**THINGS) + f"{cell} |"
        told = check_report(Subject(said, shop=rules_shop))["product_claims"].evidence
        assert any(f"said '{cell}'" in one for one in told) is is_odd
