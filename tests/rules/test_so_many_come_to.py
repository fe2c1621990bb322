"""What so many of one thing, and what several things named right before, come to: wrong only where nothing near them does."""

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
    "e": "http://ecommerce.example/B06L7H1MN6",
}
"""Ramps: Nuzzleworth: $41.00; Ashwell: $51.99; Whiskerwell: $113.99. Pads: Softsnout, 80 for $24.99; Everworks, 150 for $38.99."""
ONE = "The [Nuzzleworth ramp]({n}) is $41.00 today. "
TWO = "The [Nuzzleworth]({n}) is $41.00 and the [Ashwell]({a}) $51.99.\n\n"
TABLE = "| Ramp | Price |\n|---|---|\n| [Nuzzleworth]({n}) | $41.00 |\n| [Ashwell]({a}) | $51.99 |\n| [Whiskerwell]({w}) | $113.99 |\n\n"
PADS = "- [Softsnout, 80 Count]({s}): $24.99\n- [Everworks, 150 Count]({e}): $38.99\n\n"


def is_accused(said: str, shop: Shop) -> bool:
    check = check_report(Subject(said.format(**THINGS), query="What would you take?", shop=shop))
    return any(one.kind in ("counted", "summed") for one in check["product_claims"].accused)


@pytest.mark.parametrize(
    ("opening", "right", "wrong"),
    [
        (ONE, "Two of them cost $82.00.", "Two of them cost $86.00."),
        (ONE, "Three of these would come to $123.00.", "Three of these would come to $128.00."),
        (TWO, "Two of the [Ashwell]({a}) would cost $103.98.", "Two of the [Ashwell]({a}) would cost $108.98."),
        (PADS, "Three packs will do, at $74.97.", "Three packs will do, at $79.97."),
        (PADS, "- Two boxes: $77.98", "- Two boxes: $71.98"),
        (TWO, "Both together: $92.99.", "Both together: $96.99."),
        (TWO, "The pair comes to $92.99.", "The pair comes to $98.99."),
        (TWO, "Together they cost $92.99.", "Together they cost $82.99."),
        (TABLE, "Those three add up to $206.98.", "Those three add up to $216.98."),
        (TABLE, "The first two? Both would come to $92.99.", "The first two? Both would come to $90.99."),
        (PADS, "All told: $63.98.", "All told: $65.98."),
    ],
)  # fmt: skip
def test_what_so_many_come_to_is_held_against_them(
    scene: Scene, opening: str, right: str, wrong: str
) -> None:
    assert not is_accused(opening + right, scene.shop), right
    assert is_accused(opening + wrong, scene.shop), wrong


@pytest.mark.parametrize(
    ("opening", "said"),
    [
        (ONE, "Two of them with a coupon would cost $70.00."),
        (ONE, "Two of them and a leash would cost $99.00."),
        (ONE, "Three of them at $41.00 each."),
        (TWO, "Both cost less than $60.00."),
        (TWO, "Both together, minus the coupon: $80.00."),
        (TWO, "Together they save you $10.99."),
        (TABLE, "Two of the three together: $154.99."),
        (TABLE, "Two of the first and one of the second together: $133.99."),
        (PADS, "The 80 Count and two of the Everworks: together $102.97."),
        (PADS, "The three Tidewells are $53.97."),
        (PADS, "One jug, two packs: $60.97."),
    ],
)  # fmt: skip
def test_what_may_be_of_more_or_of_others_is_left(scene: Scene, opening: str, said: str) -> None:
    assert not is_accused(opening + said, scene.shop), said
