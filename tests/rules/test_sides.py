"""Which of two has more: wrong only where it is the other way round for every two that may be meant."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

from benchmarks.planted import Scene

RAMPS = {
    "n": "http://ecommerce.example/B0GCEZYDRS",
    "a": "http://ecommerce.example/B0IV6OQ3WJ",
    "w": "http://ecommerce.example/B0CN7MD7IK",
}
"""Nuzzleworth: $41.00, 4.8 stars of 27 raters, 42 inches; Ashwell: $51.99, 4.5 of 38, 42 inches; Whiskerwell: $113.99, 2.6 of 23, 62 inches."""
OPENING = (
    "I looked at three dog ramps: the [Nuzzleworth]({n}), the [Ashwell]({a}), and the [Whiskerwell]({w}).\n\n"
)


def is_accused(said: str, shop: Shop) -> bool:
    check = check_report(Subject((OPENING + said).format(**RAMPS), query="A ramp, please.", shop=shop))
    return any(one.kind in ("side", "comparison") for one in check["product_claims"].accused)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("The Nuzzleworth is cheaper than the Ashwell.", "The Ashwell is cheaper than the Nuzzleworth."),
        ("Of these the Whiskerwell is the dearer one.", "Of these the Nuzzleworth is the dearer one."),
        ("The Ashwell is better rated than the Whiskerwell.", "The Whiskerwell is better rated than the Ashwell."),
        ("The Whiskerwell has fewer ratings.", "The Ashwell has fewer ratings."),
        ("The Whiskerwell is longer.", "The Ashwell, as it happens, is longer than the Whiskerwell."),
        ("The Whiskerwell is $62.00 dearer.", "The Whiskerwell is $62.00 cheaper."),
        ("It costs $10.99 more than the Nuzzleworth.", "It costs $10.99 less than the Nuzzleworth."),
        ("The dearer one is the Whiskerwell.", "The cheaper one is the Whiskerwell."),
    ],
)  # fmt: skip
def test_what_is_the_other_way_round_is_wrong(scene: Scene, right: str, wrong: str) -> None:
    assert not is_accused(right, scene.shop), right
    assert is_accused(wrong, scene.shop), wrong


@pytest.mark.parametrize(
    "said",
    [
        "The Ashwell is dearer than the Nuzzleworth but cheaper than the Whiskerwell.",
        "The Whiskerwell was cheaper last year.",
        "The Whiskerwell is cheaper elsewhere.",
        "The Whiskerwell is cheaper than a new car.",
        "The Whiskerwell is cheaper than three Ashwells.",
        "The Whiskerwell is cheaper than two Ashwells and a Nuzzleworth together.",
        "Two of the Nuzzleworth are cheaper than the Whiskerwell.",
        "The Whiskerwell isn't cheaper than the Ashwell.",
        "Is the Whiskerwell cheaper?",
        "If the Whiskerwell is cheaper next week, take it.",
        "The Whiskerwell is cheaper than it was.",
        "The Whiskerwell is no longer cheaper than the Ashwell.",
        "Whether the Whiskerwell is better rated I leave open.",
        "The Ashwell has more ratings than either.",
        "The Whiskerwell is better rated than its 2.4-star predecessor.",
        "Better rated than the Whiskerwell is the Ashwell.",
        "Cheaper than the Ashwell is only the Nuzzleworth.",
        "What would make the Whiskerwell cheaper is a sale.",
        "The Whiskerwell costs $72.99 more than the Nuzzleworth.",
        "The Nuzzleworth is $72.99 cheaper than the Whiskerwell.",
        "The Nuzzleworth costs $10.99 less.",
        "The Ashwell is $10.99 more, the Whiskerwell $72.99 more.",
        "For $10.99 more you get the Ashwell.",
        "The Nuzzleworth leaves you $10.99 more for treats.",
        "With the Nuzzleworth you have $10.99 more.",
        "The Ashwell costs $10.99 more than the Nuzzleworth and $62.00 less than the Whiskerwell.",
        "The Whiskerwell, $62.00 dearer than the Ashwell, is 20 inches longer.",
        "Next to a $150 ramp of last year the Whiskerwell is cheaper.",
        "The shop next door asks $140; the Whiskerwell is cheaper.",
        "I paid $130 for mine, so the Whiskerwell is cheaper.",
        "The heavier dog needs the Nuzzleworth.",
        "The Whiskerwell is shorter than my car.",
        "The Whiskerwell is lighter than the Nuzzleworth.",
        "The Whiskerwell is the shorter wait, I am told.",
        "The Whiskerwell takes longer to unfold.",
        "The Ashwell's mat is longer than the Whiskerwell's.",
        "The Whiskerwell's warranty is shorter.",
        "The Whiskerwell is the cheaper way to reach a truck's bed.",
        "With a coupon the Whiskerwell would be cheaper.",
        "The Whiskerwell in red is cheaper, says [a page](https://ramps.example).",
        "Delivered by Rampart, the Whiskerwell is cheaper.",
        "The Ashwell and the Nuzzleworth are cheaper than the Whiskerwell.",
        "The Whiskerwell is longer than the Ashwell, which is cheaper.",
        "The Nuzzleworth is the cheaper, and the Ashwell the dearer of the first two.",
        "Neither the Whiskerwell nor the Ashwell is cheaper than the Nuzzleworth.",
    ],
)
def test_what_may_be_so_in_some_meaning_accuses_nobody(scene: Scene, said: str) -> None:
    assert not is_accused(said, scene.shop), said


def test_a_thing_without_a_maker_is_named_behind_another_name(scene: Scene) -> None:
    """No rule raises: its record gives no store."""
    things = [one for one in scene.products if not (one.store or "").strip()]
    assert things
    for one in things:
        title = one.title.split(",")[0]
        text = f"I looked at [this]({one.product_url}). The Glossline {title} is the cheaper one."
        assert "product_claims" in check_report(Subject(text, query="Which?", shop=scene.shop))


PRUNERS = "The [Bluestem Bypass](http://ecommerce.example/B09ACHD7U0) is $28.99 and cuts up to 0.75 inches. The [Loamworks Ratchet](http://ecommerce.example/B0NZPSG98L) is $19.99 and cuts 0.6 inches. "


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("The Loamworks has the far longer record, 488 ratings to 61.", "The Loamworks is the far longer one."),
        ("The Loamworks has the much longer track record.", "The Loamworks is the much longer tool."),
        ("The Loamworks has the far longer history in the shop.", "The Loamworks is longer."),
        ("The Loamworks is longer in the shop: 488 ratings to 61.", "The Loamworks is longer than the Bluestem."),
    ],
)  # fmt: skip
def test_what_no_record_measures_is_no_side(rules_shop: Shop, right: str, wrong: str) -> None:
    for said, is_wrong in ((right, False), (wrong, True)):
        check = check_report(Subject(PRUNERS + said, query="Which pruners, please?", shop=rules_shop))
        assert any(one.kind == "side" for one in check["product_claims"].accused) is is_wrong, said
