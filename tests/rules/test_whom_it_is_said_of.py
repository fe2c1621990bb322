"""Comparisons and multiples of what `it`, an apposition, a value beside it or a number of things stands for: right ones pass, and turned round they fail."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

from benchmarks.planted import Scene

THINGS = {
    "n": "http://ecommerce.example/B0GCEZYDRS",
    "a": "http://ecommerce.example/B0IV6OQ3WJ",
    "w": "http://ecommerce.example/B0CN7MD7IK",
    "d": "http://ecommerce.example/B0QVTKTBJI",
    "h": "http://ecommerce.example/B0A11WJC77",
    "s": "http://ecommerce.example/B06Q3E1MLX",
    "z": "http://ecommerce.example/B0BYK40KXC",
    "e": "http://ecommerce.example/B06L7H1MN6",
}
"""Ramps: Nuzzleworth: $41.00, 4.8 stars of 27; Ashwell: $51.99, 4.5 of 38; Whiskerwell: $113.99, 2.6 of 23, 62 inches to their 42. Drills: Watchlight, 3.84 pounds, $71.00; Safehollow,
4.69 pounds, $59.99. Pads: Softsnout, 80 for $24.99; Nuzzleworth, 80 for $16.49; Everworks, 150 for $38.99."""
RAMPS = "I looked at three dog ramps: the [Nuzzleworth]({n}) at $41.00, the [Ashwell]({a}) at $51.99, and the [Whiskerwell]({w}) at $113.99.\n\n"
LIST = "- [Nuzzleworth]({n}), $41.00\n- [Ashwell]({a}), $51.99\n- [Whiskerwell]({w}), $113.99, the X of the three\n"
PADS = "Three boxes of pads: [Softsnout, 80 Count]({s}) at $24.99, [Nuzzleworth, 80 Count]({z}) at $16.49, [Everworks, 150 Count]({e}) at $38.99.\n\n"
DRILLS = "Two drills are left, the [Watchlight]({d}) and the [Safehollow]({h}).\n\n"
KINDS = {"superlative", "comparison", "side", "multiple"}


def is_accused(said: str, shop: Shop) -> bool:
    check = check_report(Subject(said.format(**THINGS), query="What would you take?", shop=shop))
    return any(one.kind in KINDS for one in check["product_claims"].accused)


@pytest.mark.parametrize(
    ("opening", "right", "wrong"),
    [
        (RAMPS, "The Whiskerwell folds in the middle. It is also the dearest of the three.", "The Whiskerwell folds in the middle. It is also the cheapest of the three."),
        (RAMPS, "The Nuzzleworth costs $10.99 less than the Ashwell, and it is also the best rated of the three.", "The Nuzzleworth costs $10.99 less than the Ashwell, and it is also the lowest rated of the three."),
        (RAMPS, "My own choice is the Nuzzleworth, the best rated of the three.", "My own choice is the Nuzzleworth, the worst rated of the three."),
        (RAMPS, "Not so good for your back is the dearest of the three at $113.99.", "Not so good for your back is the cheapest of the three at $113.99."),
        (RAMPS, "In this round the Ashwell, between the Nuzzleworth and the rest, is the middle one; the Whiskerwell is the lowest rated of the three.", "In this round the Ashwell is the best rated of the three."),
        (DRILLS, "The Safehollow turns faster. It is heavier than the Watchlight.", "The Safehollow turns faster. It is lighter than the Watchlight."),
        (DRILLS, "Set against the Watchlight (B0QVTKTBJI, $71.00), the Safehollow (B0A11WJC77, $59.99) is $11.01 cheaper and slightly heavier.", "Set against the Watchlight (B0QVTKTBJI, $71.00), the Safehollow (B0A11WJC77, $59.99) is $11.01 cheaper and slightly lighter."),
        (DRILLS, "The Watchlight is dearer by $11.01 than the Safehollow.", "The Watchlight is cheaper by $11.01 than the Safehollow."),
        (RAMPS, "The Whiskerwell, which you ordered in June 2018, costs more than twice what the Ashwell does.", "The Whiskerwell, which you ordered in June 2018, costs more than three times what the Ashwell does."),
        (RAMPS, "So the Whiskerwell costs close to three times the Nuzzleworth.", "So the Whiskerwell costs close to five times the Nuzzleworth."),
        (PADS, "Pad for pad, your Softsnout of May 2019 costs about one and a half times as much as the Nuzzleworth.", "Pad for pad, your Softsnout of May 2019 costs about three times as much as the Nuzzleworth."),
        (RAMPS, "The Ashwell has 38 ratings, more than one and a half times the crowd.", "The Ashwell has 38 ratings, more than twenty times the crowd."),
    ],
)  # fmt: skip
def test_whom_it_is_said_of_may_stand_before(scene: Scene, opening: str, right: str, wrong: str) -> None:
    assert not is_accused(opening + right, scene.shop), right
    assert is_accused(opening + wrong, scene.shop), wrong


def test_what_an_item_says_is_of_the_thing_that_it_begins_with(scene: Scene) -> None:
    assert not is_accused(LIST.replace("X", "dearest"), scene.shop)
    assert is_accused(LIST.replace("X", "cheapest"), scene.shop)


@pytest.mark.parametrize(
    "said",
    [
        "The cheapest of them is the Nuzzleworth at $41.00; the dearest, the Whiskerwell, says 2.6 stars.",
        "The Whiskerwell costs $62.00 more than the Ashwell and $72.99 more than the cheapest of the three.",
        "Though it is the cheaper by far, the Nuzzleworth is the better rated.",
        "Take the Ashwell. It beats the Whiskerwell and is $62.00 cheaper.",
        "Replace the Whiskerwell with the Ashwell. It costs $10.99 more.",
        "The Nuzzleworth is the best. The dearer ones are the Ashwell and the other; it is the dearest of the three.",
        "A ramp and a rail: it is the cheapest of the three.",
        "Three times the Ashwell, five times the Nuzzleworth, once the Whiskerwell: so you bought.",
    ],
)
def test_where_it_may_be_another_nobody_is_accused(scene: Scene, said: str) -> None:
    assert not is_accused(RAMPS + said, scene.shop)


def test_the_reader_called_by_name_is_nobody_else(scene: Scene) -> None:
    user = scene.users[0]
    for word, expected in (("dearer", False), ("cheaper", True)):
        text = (
            f"Of the two, {user.first_name}, the [Ashwell]({{a}}) is {word} than the [Nuzzleworth]({{n}})."
        ).format(**THINGS)
        check = check_report(
            Subject(text, query="What would you take?", user_id=user.user_id, shop=scene.shop)
        )
        assert any(one.kind in KINDS for one in check["product_claims"].accused) is expected


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("The Ashwell has the most ratings, 38, though not the best.", "The Ashwell has the most ratings, 83, though not the best."),
        ("By number of ratings the Ashwell leads, 38 against 27 and 23.", "By number of ratings the Ashwell leads, 38 against 27 and 19."),
        ("By ratings the order is Ashwell (38), Nuzzleworth (27), Whiskerwell (23).", "By ratings the order is Ashwell (38), Nuzzleworth (72), Whiskerwell (23)."),
        ("They rest on 27 and 38 ratings.", "They rest on 27 and 380 ratings."),
    ],
)  # fmt: skip
def test_a_number_of_ratings_among_others_is_somebodys(scene: Scene, right: str, wrong: str) -> None:
    def is_nobodys(said: str) -> bool:
        check = check_report(Subject((RAMPS + said).format(**THINGS), query="A ramp?", shop=scene.shop))
        return any(one.kind == "nowhere" for one in check["product_claims"].accused)

    assert not is_nobodys(right)
    assert is_nobodys(wrong)


@pytest.mark.parametrize(
    "said",
    [
        "It draws 1500 watts instead of 1200, and 38 ratings stand behind the Ashwell.",
        "The Ashwell has 11 ratings more than the Nuzzleworth, 38 to 27, and 65 and 23 are two numbers of ratings.",
        "Between 2016 and 2019 you left no ratings.",
        "If the Ashwell had more ratings, say 380 against 27, I would take it.",
        "Elsewhere it has 380 ratings against 27 [1].\n\n[1] https://ramps.example/most",
    ],
)
def test_a_number_that_may_be_of_something_else_is_left_alone(scene: Scene, said: str) -> None:
    check = check_report(Subject((RAMPS + said).format(**THINGS), query="A ramp?", shop=scene.shop))
    assert not any(one.kind == "nowhere" for one in check["product_claims"].accused)


LISTED = "Three pads: [Softsnout 8 Inch]({s}) at $24.99, [Nuzzleworth]({z}) at $16.49 and [Everworks]({e}) at $38.99"
ROWS = "| Pad | Price |\n|---|---|\n| [Softsnout]({s}) | $24.99 |\n| [Nuzzleworth]({z}) | $16.49 |\n| [Everworks]({e}) | $38.99 |\n\n"


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        (LISTED + ", $26.82 on average.", False),
        (LISTED + ", $29.82 on average.", True),
        (LISTED + ". The average price is about $26.82.", False),
        (LISTED + ". The average price is about $29.31.", True),
        (LISTED + ". The average price is about $27.11.", True),
        (LISTED + ". The average price is about $26.83.", False),
        (LISTED.replace("[Soft", "two [Soft") + ". Sum $105.46, mean $26.37.", False),
        (LISTED + ". The average of the first and the last is $31.99.", False),
        (LISTED + ". Without the last the average is $20.74.", False),
        (ROWS + "The prices average $26.82.", False),
        (ROWS + "The prices average $20.62.", True),
        ("Median of the three: $24.99. " + LISTED + ".", False),
    ],
)
def test_a_mean_of_a_list_is_that_of_the_list(scene: Scene, said: str, wrong: bool) -> None:
    check = check_report(Subject(said.format(**THINGS), query="Pads, please.", shop=scene.shop))
    assert any(one.kind == "mean_told" for one in check["product_claims"].accused) is wrong
