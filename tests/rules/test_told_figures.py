"""What a text says of figures that stand in it themselves: wrong only where those turn it round, right in whatever form it is put."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

from benchmarks.planted import Scene

THINGS = {
    "n": "http://ecommerce.example/B0GCEZYDRS",
    "a": "http://ecommerce.example/B0IV6OQ3WJ",
    "w": "http://ecommerce.example/B0CN7MD7IK",
    "s": "http://ecommerce.example/B06Q3E1MLX",
    "z": "http://ecommerce.example/B0BYK40KXC",
    "e": "http://ecommerce.example/B06L7H1MN6",
}
"""Ramps: Nuzzleworth: $41.00, 4.8 stars of 27; Ashwell: $51.99, 4.5 of 38; Whiskerwell: $113.99, 2.6 of 23, 62 inches to their 42. Pads: Softsnout, 80 for $24.99; Nuzzleworth, 80
for $16.49; Everworks, 150 for $38.99."""
RAMPS = "I looked at three dog ramps: the [Nuzzleworth]({n}) at $41.00, the [Ashwell]({a}) at $51.99, and the [Whiskerwell]({w}) at $113.99.\n\n"
PADS = "- [Softsnout, 80 Count]({s}): $24.99, about 31 cents a pad\n- [Everworks, 150 Count]({e}): $38.99, about 26 cents a pad\n\n"
KINDS = {"multiple", "told_side", "told_cost"}


def is_accused(said: str, shop: Shop) -> bool:
    check = check_report(Subject(said.format(**THINGS), query="What would you take?", shop=shop))
    return any(one.kind in KINDS for one in check["product_claims"].accused)


@pytest.mark.parametrize(
    ("opening", "right", "wrong"),
    [
        (RAMPS, "It moves 300 gallons an hour instead of 80, which is 3.75 times the flow.", "It moves 300 gallons an hour instead of 80, which is 5.5 times the flow."),
        (RAMPS, "At 120 watts against 40, it has three times the draw.", "It has five times the draw: 120 watts against 40."),
        (RAMPS, "It holds 6 quarts rather than 2, so three times the room.", "It holds 6 quarts rather than 2, so twice the room."),
        (RAMPS, "The Nuzzleworth costs $41.00. That is a bit over a third of what the Whiskerwell lists at ($113.99).", "The Nuzzleworth costs $41.00. That is about two thirds of what the Whiskerwell lists at ($113.99)."),
        (PADS, "By price it is 26 cents a pad against 31 cents a pad, so less than twice the rate.", "By price it is 26 cents a pad against 31 cents a pad, so more than twice the rate."),
        (PADS, "Per pad the 80-count is dearer.", "Per pad the 80-count is cheaper."),
        (PADS, "So the Everworks is the thriftier of the pair.", "So the Softsnout is the thriftier of the pair."),
        (PADS, "The Softsnout is dearer per pad than the Everworks.", "The Everworks is dearer per pad than the Softsnout."),
        (PADS, "In the end, the 150-count is the cheapest by the pad.", "In the end, the 80-count is the cheapest by the pad."),
        (RAMPS, "The Nuzzleworth is the better rated of the two: 4.8 stars against 4.5.", "The Ashwell is the better rated of the two: 4.5 stars against 4.8."),
        (RAMPS, "Of its two leashes the short one is the lighter: 12 ounces against 16 ounces.", "Of its two leashes the short one is the lighter: 16 ounces against 12 ounces."),
        (RAMPS, "The Ashwell is dearer, $51.99 against $41.00.", "The Nuzzleworth is dearer, $41.00 against $51.99."),
    ],
)  # fmt: skip
def test_what_the_figures_beside_it_turn_round_is_wrong(
    scene: Scene, opening: str, right: str, wrong: str
) -> None:
    assert not is_accused(opening + right, scene.shop), right
    assert is_accused(opening + wrong, scene.shop), wrong


@pytest.mark.parametrize(
    ("opening", "said"),
    [
        (RAMPS, "It would move 300 gallons an hour instead of 80, five times the flow of a garden hose."),
        (RAMPS, "For that you get 24 sounds instead of 8 and twice the run time."),
        (RAMPS, "It has not quite twice the area (782 against 416 square inches) at nearly three times the price."),
        (RAMPS, "It runs 4 hours rather than 2, and you have ordered it three times."),
        (RAMPS, "Half of what you buy costs between $20.00 and $40.00."),
        (RAMPS, "It is half a dollar cheaper: $18.49 against $18.99."),
        (RAMPS, "The Ashwell is lower rated, 4.5 to 4.8, and so the Nuzzleworth is better liked, 4.8 to 4.5."),
        (RAMPS, "The gate opens wider (29 to 57 inches)."),
        (RAMPS, "Of its two leashes the short one is the lighter: 12 ounces against 1 pound."),
        (RAMPS, "Is it the better rated: 4.5 against 4.8?"),
        (PADS, "The Everworks costs the most per box and the least per pad."),
        (PADS, "The 80-count is the cheapest by the box."),
        (PADS, "With a coupon the 80-count would be the cheapest by the pad."),
        (PADS, "Per pad the 80-count is not cheaper."),
        (PADS, "The Softsnout is cheaper per pad than a box of diapers."),
    ],
)  # fmt: skip
def test_what_may_be_true_is_left(scene: Scene, opening: str, said: str) -> None:
    assert not is_accused(opening + said, scene.shop), said


@pytest.mark.parametrize(
    ("query", "right", "wrong"),
    [
        ("A ramp under $45", "The [Nuzzleworth]({n}) at $41.00 fits under $45; the [Ashwell]({a}), $51.99, does not.", "The [Nuzzleworth]({n}) at $41.00 fits under $45; the [Ashwell]({a}), $51.99, does as well."),
        ("A ramp under $45", "The [Ashwell]({a}) at $51.99 is out of bounds.", "The [Ashwell]({a}) at $51.99 is within bounds."),
        ("Two ramps, $100 in all", "- With the [Ashwell]({a}): $41.00 + $51.99 = **$92.99**, which fits the $100", "- With the [Ashwell]({a}): $41.00 + $51.99 = **$92.99**, which is over the $100"),
    ],
)  # fmt: skip
def test_a_verdict_is_held_against_the_cost_beside_it(
    scene: Scene, query: str, right: str, wrong: str
) -> None:
    for said, expected in ((right, "pass"), (wrong, "fail")):
        text = f"Two ramps: [Nuzzleworth]({{n}}), $41.00. {said}"
        check = check_report(Subject(text.format(**THINGS), query=query, shop=scene.shop))
        assert (check["budget"].status == "fail") is (expected == "fail"), said
