"""Figures that a sentence denies, needs, or says of most of a kind are no claims; the same figure said of the thing is."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

THINGS = {
    name: f"http://ecommerce.example/{key}"
    for name, key in {
        "loafwell": "B0DVICV2HB",
        "hearthline": "B0K54RVMYQ",
        "hearthcat": "B0GWWTJBXZ",
        "sparrowdell": "B0PGFVAP73",
        "hollyleaf": "B00IQZ0WLC",
        "quiet_hill": "B0HKQJOR8Q",
        "safehollow": "B0A11WJC77",
        "watchlight": "B0QVTKTBJI",
        "papershed": "B0YN8FJUU6",
        "pineshore": "B0A57A3KAJ",
        "muddy_otter": "B08TEX7YHS",
        "hollyline": "B0YHTPJ4GY",
        "gaugewell": "B0PSNGPRN8",
        "dimmable": "B0E9YDKXDG",
        "copperline": "B0HZHFK9Q8",
        "meadowcraft": "B05OBQ5SA7",
        "greenmantle": "B0AD9BKBW1",
        "tallgrass": "B0FYB2YDQW",
    }.items()
}
"""Kettles of 1200 watts, the first of 1.2 liters, 5 presets, 4.5 stars, $124.99; litters that clump in 30 seconds, the first in bags of 40 pounds; a
humidifier of 6 liters; a blanket of 10 pounds; drills of 4.69 and 3.84 pounds; a shredder of P-5; 252, 1,069 and 203 ratings; night lights of 2, 4, 8
and 2 in a pack for $11.95, $12, $21.99 and $10.99; basins 2.5 and 1.5 inches deep."""


def accused(said: str, shop: Shop) -> list[str]:
    said = said.format(**THINGS)
    checks = check_report(Subject(said, query="Which one would you take, please?", shop=shop))
    return [said[slice(*one.span)].strip() for check in checks.values() for one in check.accused]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("The [Loafwell]({loafwell}) isn't 1500 watts, it's 1200.", "The [Loafwell]({loafwell}) is 1500 watts."),
        ("The [Loafwell]({loafwell}) does not have 6 presets.", "The [Loafwell]({loafwell}) does have 6 presets."),
        ("The [Loafwell]({loafwell}) never was a 1500-watt kettle.", "The [Loafwell]({loafwell}) was a 1500-watt kettle."),
        ("The [Loafwell]({loafwell}) can't hold 1.7 liters.", "The [Loafwell]({loafwell}) can hold 1.7 liters."),
        ("The [Loafwell]({loafwell}) isn't rated 4.9, it's rated 4.5.", "The [Loafwell]({loafwell}) is rated 4.9."),
        ("The [Loafwell]({loafwell}) does not cost $99.99.", "The [Loafwell]({loafwell}) does cost $99.99."),
        ("The [Loafwell]({loafwell}) falls short of 1500 watts.", "The [Loafwell]({loafwell}) runs at 1500 watts."),
        ("There is no 1.7-liter version of the [Loafwell]({loafwell}).", "There is this 1.7-liter kettle, the [Loafwell]({loafwell})."),
        ("Neither the [Loafwell]({loafwell}) nor the [Hearthline]({hearthline}) has 1500 watts.", "Both the [Loafwell]({loafwell}) and the [Hearthline]({hearthline}) have 1500 watts."),
        ("Neither the [Hearthcat]({hearthcat}) nor the [Sparrowdell Unscented]({sparrowdell}) clumps in 15 seconds; both take 30.", "The [Sparrowdell Unscented]({sparrowdell}) clumps in 15 seconds."),
        ("The [Hearthcat]({hearthcat}) doesn't clump in 15 seconds, it takes 30.", "The [Hearthcat]({hearthcat}) clumps in 15 seconds."),
        ("The [Papershed]({papershed}) isn't P-3.", "The [Papershed]({papershed}) is P-3."),
        ("The [Loafwell]({loafwell}) would need 1500 watts to boil that fast.", "The [Loafwell]({loafwell}) has 1500 watts to boil that fast."),
        ("The [Quiet Hill]({quiet_hill}) is a good blanket. For a child of seven you'd need 5 or 6 pounds.", "The [Quiet Hill]({quiet_hill}) is a good blanket. It weighs 6 pounds."),
        ("Most kettles have 1.7 liters; the [Loafwell]({loafwell}) has 1.2.", "The [Loafwell]({loafwell}) has 1.7 liters."),
        ("The [Hollyleaf]({hollyleaf}) uses 300 ml an hour.", "The [Hollyleaf]({hollyleaf}) holds 300 ml."),
        ("The [Safehollow 20V]({safehollow}) is stronger than the [Watchlight]({watchlight}), but heavier by 0.85 pounds.", "The [Safehollow 20V]({safehollow}) is stronger than the [Watchlight]({watchlight}), but weighs 5.69 pounds."),
        ("Don't expect the [Loafwell]({loafwell}) to hold 1.7 liters.", "The [Loafwell]({loafwell}) is able to hold 1.7 liters."),
        ("The [Loafwell]({loafwell}) wasn't designed for 1.7 liters.", "The [Loafwell]({loafwell}) was designed for 1.7 liters."),
        ("The [Loafwell]({loafwell}) refuses to hold 1.7 liters.", "The [Loafwell]({loafwell}) manages to hold 1.7 liters."),
        ("The [Loafwell]({loafwell}) should have been 1.7 liters.", "The [Loafwell]({loafwell}) holds 1.7 liters."),
        ("A 4.8-star kettle it isn't: the [Loafwell]({loafwell}) has 4.5.", "The [Loafwell]({loafwell}) is a 4.8-star kettle."),
        ("The 0.8-liter size isn't offered for the [Loafwell]({loafwell}).", "The [Loafwell]({loafwell}) holds 0.8 liters."),
        ("Compared with a 1500-watt kettle, the [Loafwell]({loafwell}) is slow.", "As a 1500-watt kettle the [Loafwell]({loafwell}) is slow."),
        ("1500 watts would be faster than what the [Loafwell]({loafwell}) has.", "The [Loafwell]({loafwell}) has 1500 watts."),
        ("I wish the [Hearthcat]({hearthcat}) had 50 pounds rather than 40.", "The [Hearthcat]({hearthcat}) has 50 pounds."),
        ("Moving up from the [Gaugewell]({gaugewell}) to the [Copperline]({copperline}) adds 40 lumens.", "The [Copperline]({copperline}) gives 40 lumens, and the [Meadowcraft]({meadowcraft}) stays cheap."),
        ("My neighbor's humidifier has 7 liters. Yours, the [Hollyleaf]({hollyleaf}), has 6.", "The [Hollyleaf]({hollyleaf}) has 7 liters."),
        ("The difference between the [Safehollow 20V]({safehollow}) and the [Watchlight]({watchlight}) is 0.85 pounds.", "The weight of the [Safehollow 20V]({safehollow}) is 5.69 pounds."),
        ("The [Pineshore]({pineshore}) has at least twice the ratings of the [Meadowcraft]({meadowcraft}).", "The [Pineshore]({pineshore}) has at most twice the ratings of the [Meadowcraft]({meadowcraft})."),
        ("The [Papershed]({papershed}) shreds finer (P-5 beats P-3).", "The [Papershed]({papershed}) shreds finer (P-3)."),
    ],
)  # fmt: skip
def test_what_is_denied_needed_or_usual_is_not_said_of_the_thing(
    rules_shop: Shop, right: str, wrong: str
) -> None:
    assert accused(right, rules_shop) == []
    assert accused(wrong, rules_shop) != []


@pytest.mark.parametrize(
    ("said", "right", "wrong"),
    [
        ("The [Muddy Otter]({muddy_otter}) has 4.8 stars from {} ratings.", "over 1,000", "over 3,000"),
        ("The [Muddy Otter]({muddy_otter}) has 4.8 stars from {} ratings.", "over a thousand", "over three thousand"),
        ("The [Muddy Otter]({muddy_otter}) has 4.8 stars, and {} ratings.", "upwards of a thousand", "upwards of four thousand"),
        ("The [Pineshore]({pineshore}) has {} ratings.", "a good 250", "a good 650"),
        ("The [Pineshore]({pineshore}) has 4.0 stars from {} ratings.", "250 or so", "650 or so"),
        ("The [Pineshore]({pineshore}) has 4 stars and {} ratings.", "north of 250", "north of 650"),
        ("The [Hollyline]({hollyline}) is a 4.7-star product with {} ratings.", "a couple of hundred", "five hundred"),
        ("The [Gaugewell]({gaugewell}) (2-pack) and the [Watchlight]({dimmable}) (4-pack) cost about the same, so the Watchlight gives you {} lights.", "twice as many", "five times as many"),
        ("The [Tallgrass]({tallgrass}) is 1.5 at the deepest; the [Greenmantle]({greenmantle}) is {}, so put a stone in.", "2.5", "3.5"),
    ],
)  # fmt: skip
def test_how_exactly_and_of_what_a_figure_is_said(
    rules_shop: Shop, said: str, right: str, wrong: str
) -> None:
    for figure, is_wrong in ((right, False), (wrong, True)):
        text = said.replace("{}", figure)
        assert (accused(text, rules_shop) != []) is is_wrong, text


def test_what_a_record_says_of_a_thing_is_no_others_name(rules_shop: Shop) -> None:
    ramp, other = "http://ecommerce.example/B0IV6OQ3WJ", "http://ecommerce.example/B0J6ON0S4G"
    right = f"If Plastic with Rubber Mat puts you off the [Ashwell]({ramp}), the [Tailfield]({other}) is Aluminum with Grit Tape."
    assert accused(right, rules_shop) == []
    wrong = f"If Kneadwell Original Acupressure Mat Set puts you off the [Ashwell]({ramp}), the [Tailfield]({other}) is better."
    assert accused(wrong, rules_shop) != []


def test_by_how_much_two_things_differ_is_the_price_of_neither(rules_shop: Shop) -> None:
    black, white = "http://ecommerce.example/B04AURU7BW", "http://ecommerce.example/B05YQD15DV"
    said = "You gain a preset, five for four, and {} ([black]({black}), [white]({white}))."
    for amount, is_wrong in (("three dollars", False), ("$3.00", False), ("$13.00", True)):
        text = said.replace("{}", amount).format(black=black, white=white)
        assert (accused(text, rules_shop) != []) is is_wrong


def test_a_limit_far_under_every_price_is_one_of_costs_per_unit(rules_shop: Shop) -> None:
    said = "The [Meadowcraft]({meadowcraft}) is $10.99, i.e. $5.50 a light. The eight-pack from [Copperline]({copperline}), at $21.99, is "
    assert accused(f"{said}under $2.80.", rules_shop) == []
    assert accused(f"{said}under $15.", rules_shop) != []


@pytest.mark.parametrize(
    ("said", "right", "wrong"),
    [
        (
            "The [Fielder's](http://ecommerce.example/B0XZIS43J3) is {0}; the [Rowanyard](http://ecommerce.example/B04W7YFEQ6) is {1}.",
            ("woven polyester", "recycled rubber"),
            ("recycled rubber", "woven polyester"),
        ),
        (
            "The [Clearair](http://ecommerce.example/B0N707GCC5) runs {0} hours and the [Hollyleaf](http://ecommerce.example/B00IQZ0WLC) {1} hours.",
            ("60", "20"),
            ("20", "60"),
        ),
    ],
)
def test_what_two_things_have_is_not_theirs_the_other_way_round(
    rules_shop: Shop, said: str, right: tuple[str, str], wrong: tuple[str, str]
) -> None:
    assert accused(said.format(*right), rules_shop) == []
    assert accused(said.format(*wrong), rules_shop) != []
