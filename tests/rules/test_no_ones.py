"""Figures and words for what a thing is like: wrong only where nothing that may be meant has them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

from benchmarks.planted import Scene

RAMPS = {
    "n": "http://ecommerce.example/B0GCEZYDRS",
    "a": "http://ecommerce.example/B0IV6OQ3WJ",
    "w": "http://ecommerce.example/B0CN7MD7IK",
}
"""Nuzzleworth: green plywood with carpet, 250 pounds, 42 inches; Ashwell: grey plastic with a rubber mat, 180 pounds, 42 inches; Whiskerwell: black aluminum with grit tape, 180 pounds, 62 inches."""
OPENING = "I looked at three dog ramps: the [Nuzzleworth]({n}), $41.00, the [Ashwell]({a}), $51.99, and the [Whiskerwell]({w}), $113.99.\n\n"


def accused(text: str, shop: Shop) -> Iterator[str]:
    check = check_report(Subject(text, query="A ramp for my dog, please.", shop=shop))["product_claims"]
    return (text[slice(*one.span)].strip() for one in check.accused if one.kind == "nowhere")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("The [Nuzzleworth]({n}) carries dogs up to 250 pounds.", "The [Nuzzleworth]({n}) carries dogs up to 230 pounds."),
        ("The [Ashwell]({a}) is good for 180 pounds.", "The [Ashwell]({a}) is good for 145 pounds."),
        ("The [Whiskerwell]({w}) unfolds to 62 inches.", "The [Whiskerwell]({w}) unfolds to 77 inches."),
        ("The [Whiskerwell]({w}) is made of aluminum.", "The [Whiskerwell]({w}) is made of bamboo."),
        ("**Ashwell** ({a}): 42 inches, 180 pounds.", "**Ashwell** ({a}): 42 inches, 145 pounds."),
    ],
)  # fmt: skip
def test_what_nothing_that_may_be_meant_has_is_wrong(scene: Scene, right: str, wrong: str) -> None:
    for said, expected in ((right, False), (wrong, True)):
        text = (OPENING + said).format(**RAMPS)
        check = check_report(Subject(text, query="A ramp for my dog, please.", shop=scene.shop))
        assert (check["product_claims"].status == "fail") is expected, said


@pytest.mark.parametrize(("feet", "fails"), [("125", False), ("131", True)])
def test_what_figures_in_sight_come_to_without_a_word_may_be_meant(
    scene: Scene, feet: str, fails: bool
) -> None:
    """75 and 50 feet: another reader would have to accuse the sum too."""
    hoses = f"[Fielder's](http://ecommerce.example/B0XZIS43J3) and the [Calmgate](http://ecommerce.example/B0TMT1CLWV) give you {feet} feet"
    check = check_report(Subject(f"The {hoses} of soaker hose for $42.98.", shop=scene.shop))
    assert (check["product_claims"].status == "fail") is fails


@pytest.mark.parametrize(
    "said",
    [
        "The [Nuzzleworth]({n}) carries 70 pounds more than the [Ashwell]({a}).",
        "Two dogs of 125 pounds each are the most that the [Nuzzleworth]({n}) bears.",
        "The [Nuzzleworth]({n}) would carry a dog of 145 pounds with ease.",
        "A dog of 145 pounds is no trouble for the [Nuzzleworth]({n}).",
        "My own dog weighs 87 pounds; the [Nuzzleworth]({n}) bears him.",
        "The [Whiskerwell]({w}) is 20 inches longer.",
        "The [Whiskerwell]({w}), 62 inches, beats the [Ashwell]({a}) by 20 inches.",
        "The step up to the [Whiskerwell]({w}) buys you 20 inches.",
        "The [Whiskerwell]({w}) is 5 feet 2 inches, or 62 inches.",
        "The [Whiskerwell]({w}) is about 60 inches.",
        "Two of the [Ashwell]({a}) end to end make 84 inches.",
        "Two [Ashwell]({a}) ramps reach 84 inches together.",
        "The [Ashwell]({a}) suits tailgates of any height, say 27 inches.",
        "The [Ashwell]({a}) leaves 35 pounds to spare for a dog of 145 pounds.",
        "A guide says 77 inches is best [1]; the [Whiskerwell]({w}) is not quite there.\n\n[1] https://ramps.example/guide",
        "The [Ashwell]({a}) isn't rated for 250 pounds.",
        "Unlike the [Nuzzleworth]({n}), which is good for 250 pounds, the [Ashwell]({a}) stops at 180.",
        "The former, the [Nuzzleworth]({n}), bears 250 pounds, the latter 180 pounds.",
        "The [Ashwell]({a}) is 42 inches; its dearer rival has 62 inches.",
        "It costs more than the [Ashwell]({a}), but is 62 inches.",
        "The [Ashwell]({a}) has 38 ratings and 4.5 stars.",
        "Is the [Ashwell]({a}) good for 145 pounds?",
        "If you want 77 inches, the [Whiskerwell]({w}) is too short.",
        "The [Ashwell]({a}) and the [Nuzzleworth]({n}) are 42 inches each, 84 inches in all.",
        "Over 12 months the [Ashwell]({a}) would be up to 145 pounds of load a day.",
        "Half of the [Whiskerwell]({w}) is 31 inches.",
        "The [Ashwell]({a}) was ordered 145 weeks ago.",
        "You asked for 77 inches at least; the [Whiskerwell]({w}) is 62.",
        "The [Nuzzleworth]({n}) is a Nuzzleworth; their other one takes 150 pounds.",
        "The [Ashwell]({a}) comes with a 2-year warranty, as far as I can see.",
    ],
)
def test_true_figures_of_other_things_accuse_nobody(scene: Scene, said: str) -> None:
    assert not list(accused((OPENING + said).format(**RAMPS), scene.shop)), said


@pytest.mark.parametrize(
    "said",
    [
        "The [Ashwell]({a}) has no carpet, nor is it bamboo.",
        "The [Ashwell]({a}) is plastic, not cedar.",
        "The [Nuzzleworth]({n}) is plywood rather than bamboo.",
        "The [Nuzzleworth]({n}) looks like bamboo.",
        "I'd love one of bamboo, but the [Nuzzleworth]({n}) is plywood.",
        "If you prefer foam, skip the [Nuzzleworth]({n}).",
        "Bamboo people, sorry: the [Nuzzleworth]({n}) is plywood.",
        "Foam is what most guides ask for [1].\n\n[1] https://ramps.example/guide",
        "You have a purple one already; the [Ashwell]({a}) is grey.",
        "The purple one you had is gone, and the [Ashwell]({a}) is grey.",
        "The [Ashwell]({a}) is a plastic ramp with a rubber mat, in grey.",
        "The [Whiskerwell]({w}) is metal.",
        "The [Nuzzleworth]({n}) is wood, with a carpeted top.",
        "Wait and see how the purple one does before the [Ashwell]({a}).",
    ],
)
def test_words_for_what_something_else_is_like_accuse_nobody(scene: Scene, said: str) -> None:
    assert not list(accused((OPENING + said).format(**RAMPS), scene.shop)), said


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("The Whiskerwell is the longest of the three.", "The Ashwell is the longest of the three."),
        ("It is the longest of these: the Whiskerwell beats the others.", "The Nuzzleworth is the longest here."),
    ],
)  # fmt: skip
def test_a_superlative_of_a_measure_is_held_against_the_records(scene: Scene, right: str, wrong: str) -> None:
    for said, expected in ((right, False), (wrong, True)):
        text = (OPENING + said).format(**RAMPS)
        check = check_report(Subject(text, query="A ramp, please.", shop=scene.shop))["product_claims"]
        assert any(one.kind == "superlative" for one in check.accused) is expected, said
