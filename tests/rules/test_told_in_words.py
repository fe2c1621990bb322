"""Comparisons, superlatives and multiples, where the words themselves show what is held against what."""

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
"""Ramps: Nuzzleworth: $41.00, 4.8 stars of 27, 42 inches; Ashwell: $51.99, 4.5 of 38, 42 inches; Whiskerwell: $113.99, 2.6 of 23, 62 inches. Pads: Softsnout, 80 for $24.99;
Everworks, 150 for $38.99."""
RAMPS = "I looked at three dog ramps: the [Nuzzleworth]({n}) at $41.00, the [Ashwell]({a}) at $51.99, and the [Whiskerwell]({w}) at $113.99.\n\n"
TWO = "Two ramps are left: the [Nuzzleworth]({n}) and the [Ashwell]({a}). "
PADS = "- [Softsnout, 80 Count]({s}): $24.99, about 31 cents a pad\n- [Everworks, 150 Count]({e}): $38.99, about 26 cents a pad\n\n"
KINDS = {"multiple", "told_side", "superlative", "side"}


def is_accused(said: str, shop: Shop) -> bool:
    check = check_report(Subject(said.format(**THINGS), query="What would you take?", shop=shop))
    return any(one.kind in KINDS for one in check["product_claims"].accused)


@pytest.mark.parametrize(
    ("opening", "right", "wrong"),
    [
        (RAMPS, "This one is light, and they call it the dearest of the three at $113.99.", "This one is light, and they call it the cheapest of the three at $113.99."),
        (RAMPS, "With 38 ratings the most reviewed of the three.", "With 38 ratings the least reviewed of the three."),
        (PADS, "The last box comes to 35 cents a pad: the highest of the three.", "The last box comes to 35 cents a pad: the lowest of the three."),
        (RAMPS, "Its 2.6 is below the 4.8 of the first.", "Its 2.6 is above the 4.8 of the first."),
        (RAMPS, "It is the thicker one at 4.7 inches against 4.3.", "It is the thicker one at 4.3 inches against 4.7."),
        (RAMPS, "Its average is lower, though: 4.5 against 4.8.", "Its average is lower, though: 4.8 against 4.5."),
        (RAMPS, "The lamp gives 40 lumens against 25, so brighter.", "The lamp gives 25 lumens against 40, so brighter."),
        (RAMPS, "One shredder takes 6 sheets. The other takes 18 sheets, three times as many.", "One shredder takes 6 sheets. The other takes 18 sheets, five times as many."),
        (PADS, "A third box comes to about 78 cents a pad, triple.", "A third box comes to about 78 cents a pad, quadruple."),
        (RAMPS, "One lamp has 20 lumens and one has 40, so it is twice as bright.", "One lamp has 20 lumens and one has 40 lumens, so it is four times as bright."),
        (RAMPS, "- **[Whiskerwell]({w}):** longer by 20 inches", "- **[Whiskerwell]({w}):** shorter by 20 inches"),
        (RAMPS, "The Whiskerwell costs $62.00 more, is 20 inches longer and folds.", "The Whiskerwell costs $62.00 more, is 20 inches shorter and folds."),
        (RAMPS, "Here is the Nuzzleworth. It's $41.00, which is $10.99 less than the Ashwell.", "Here is the Nuzzleworth. It's $41.00, which is $10.99 more than the Ashwell."),
        (RAMPS, "The Ashwell has more raters; the Nuzzleworth folds and is $10.99 cheaper.", "The Ashwell has more raters; the Nuzzleworth folds and is $10.99 dearer."),
        (RAMPS + TWO, "The Nuzzleworth is the cheaper of the two.", "The Ashwell is the cheaper of the two."),
    ],
)  # fmt: skip
def test_what_its_own_words_turn_round_is_wrong(scene: Scene, opening: str, right: str, wrong: str) -> None:
    assert not is_accused(opening + right, scene.shop), right
    assert is_accused(opening + wrong, scene.shop), wrong


@pytest.mark.parametrize(
    ("opening", "said"),
    [
        (RAMPS, "The range runs from the cheapest at $41.00, the dearest the [Whiskerwell]({w})."),
        (RAMPS, "The cheapest of them is the Nuzzleworth at $41.00; the dearest, the Whiskerwell, folds."),
        (RAMPS, "This one is not the cheapest of the three at $113.99."),
        (RAMPS, "It would be the cheapest of the three at $113.99, if it were two."),
        (RAMPS, "Is its 2.6 above the 4.8 of the first?"),
        (RAMPS, "That makes $140.98 together, just over half of your $266.90."),
        (RAMPS, "By the load that is about $1.12 against $2.08, so the dearer bottle is the cheaper wash."),
        (RAMPS, "Its handle is thicker at 1 inch against 20 mm."),
        (RAMPS, "It takes 18 sheets, and you have bought it five times."),
        (PADS, "They cost about 26 cents a pad, and you took them thrice, in 2014, 2015 and 2017."),
        (RAMPS, "If folded it would be three times as long."),
        (RAMPS, "- **[Whiskerwell]({w}):** shorter by 20 inches when folded than without"),
        (RAMPS, "One shredder takes 6 sheets. The other takes 12 sheets, twice as many and then some."),
    ],
)  # fmt: skip
def test_what_may_be_true_is_left(scene: Scene, opening: str, said: str) -> None:
    assert not is_accused(opening + said, scene.shop), said
