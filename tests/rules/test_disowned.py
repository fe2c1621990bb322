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


def test_a_limit_far_under_every_price_is_one_of_costs_per_unit(rules_shop: Shop) -> None:
    said = "The [Meadowcraft]({meadowcraft}) is $10.99, i.e. $5.50 a light. The eight-pack from [Copperline]({copperline}), at $21.99, is "
    assert accused(f"{said}under $2.80.", rules_shop) == []
    assert accused(f"{said}under $15.", rules_shop) != []
