"""What is true in some meaning of its words is accused by none of the readers that ask for every meaning; what is true in none is."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

AT = "http://ecommerce.example/"
F, K, H, T, D, C, B, P = (
    AT + key
    for key in (
        "B0LZ1UP1A4",  # 24 tablets, $15.99, 3.7 from 67
        "B09X2DHF2S",  # 12 tablets, $13.99, 4.5 from 21
        "B0YVL0TM8B",  # 6 tablets, $8.99, 4.1 from 16
        "B05TDA33AV",  # 4 rolls, $16.95, 4.2 from 31
        "B0Y3TIXVKE",  # 8 lights, $36.00, 4.4 from 161
        "B0HZHFK9Q8",  # 8 lights, $21.99, 4.7 from 18
        "B0IC931BW1",  # 4 x 4 feet, $71.95, 4.9 from 206
        "B0R88JJK81",  # 4 x 4 feet, $75.99, 4.3 from 30
    )
)
COSTS = [
    f"The [Foldaway]({F}) has 24 tablets for $15.99, about 67 cents a tablet; the [Kneadwell]({K}) is $1.17 a tablet.",
    f"The [Foldaway]({F}) is 67¢ apiece, the [Harrow Medical]({H}) $1.50, and the difference of 83 cents a tablet buys nothing.",
    f"Two boxes of the [Foldaway]({F}) come to $31.98, or 67 cents for each of the 48.",
    f"Used once a month, the [Foldaway]({F}) lasts two years: $8.00 a year.",
    f"Half a tablet at a time, the [Foldaway]({F}) costs 33 cents a run.",
    f"Take one [Foldaway]({F}) and one [Kneadwell]({K}), 36 tablets for $29.98: 83 cents each.",
    f"Bought with the [Kneadwell]({K}), three boxes of 12 are $41.97, still $1.17 each.",
    f"| | [Foldaway]({F}) | [Kneadwell]({K}) | [Harrow]({H}) |\n|---|---|---|---|\n| Price | $15.99 | $13.99 | $8.99 |\n| Per tablet | $0.67 | $1.17 | $1.50 |",
    f"| Box | Price | Per 10 tablets |\n|---|---|---|\n| [Foldaway]({F}) | $15.99 | $6.66 |\n| [Kneadwell]({K}) | $13.99 | $11.66 |",
    f"| Box | Count | Price | Each |\n|---|--:|--:|--:|\n| [Foldaway]({F}) | 24 | 15.99 | 0.67 |\n| [Harrow]({H}) | 6 | 8.99 | 1.50 |",
    f"The four rolls of [Sturdiwell]({T}) are $16.95, so $4.24 a roll.",
    f"At seven days a roll the [Sturdiwell]({T}) is $4.24 a week, 61 cents a day.",
    f"Split the [Sturdiwell]({T}) with a friend and it is $8.48 each, rounding up.",
    f"Per light the [Dalenest]({D}) is $4.50 and the [Copperline]({C}) $2.75.",
    f"The [Dalenest]({D}) eight-pack works out to $4.50 a light, which is $1.75 more than the [Copperline]({C}).",
    f"A pair of lights from the [Copperline]({C}) box of eight is worth $5.50.",
    f"With both boxes, 16 lights for $57.99, you pay $3.62 a light: the [Dalenest]({D}) and the [Copperline]({C}).",
    f"Six rooms and eight lights: of the [Copperline]({C}) at $21.99 each room costs $3.67, two lights left over.",
    f"The [Bluestem]({B}) measures 4 x 4 feet at $71.95, $4.50 a square foot. The [Pinedell]({P}), the same size at $75.99: $4.75.",
    f"The [Bluestem]({B}) takes ten cubic feet of soil, so the bed alone is $7.20 per cubic foot of it.",
    f"At $71.95 the [Bluestem]({B}) costs $4.23 for each of its 17 inches of height.",
    f"Two of the [Bluestem]({B}), 32 square feet in all, come to $143.90; that stays $4.50 a square foot.",
    f"Spread over five summers the [Bluestem]({B}) is $14.39 a year.",
    f"A blog reckons that such tablets cost 45 cents each (https://clean.example/tablets). The [Foldaway]({F}) is $15.99.",
    f"Elsewhere a tablet is 30 cents each; the [Foldaway]({F}) costs $15.99.",
    f"If they ever sold 36 in a box, the [Foldaway]({F}) would be 44 cents a tablet.",
    f"Not more than 50 cents a tablet, you said. The [Foldaway]({F}) is $15.99 for 24.",
    f"The [Foldaway]({F}) and the [Harrow]({H}) are 67 cents and $1.50 a tablet.",
    f"Fifty cents a box is not a fortune: the [Foldaway]({F}) is $15.99, and a coupon would make it $15.49.",
    f"Per hundred tablets that is $66.63 for the [Foldaway]({F}).",
    f"For the price of the [Kneadwell]({K}), $13.99, you get 21 tablets of the [Foldaway]({F}) at 67 cents.",
    f"A dozen tablets: $7.99 of the [Foldaway]({F}), $13.99 of the [Kneadwell]({K}).",
    f"The lights of the [Dalenest]({D}) at $4.50 each, and three AAA batteries in every one.",
    f"The [Dalenest]({D}): eight lights, 80 lumens each, $36.00, i.e. 5.6 cents a lumen.",
    f"Cost per star: the [Kneadwell]({K}) $3.11, the [Foldaway]({F}) $4.32.",
    f"- [Foldaway]({F}), 24 count: $15.99\n- per tablet: 67 cents\n- per dozen: $8.00",
    f"The [Harrow]({H}) box of 6 is dearest by the tablet, $1.50 against $1.17 and 67 cents.",
    f"Under 70 cents a tablet only the [Foldaway]({F}) remains.",
    f"What does a tablet cost? 67 cents of the [Foldaway]({F}), well over a dollar elsewhere.",
    f"The [Foldaway]({F}) at 24 and the [Kneadwell]({K}) at 12 to a box: per box of twelve $8.00 and $13.99.",
]  # fmt: skip
RATINGS = [
    f"The [Foldaway]({F}) has 3.7 stars from 67 ratings, the [Kneadwell]({K}) 4.5 from 21.",
    f"On ratings the [Copperline]({C}) wins, 4.7 from 18 people against 4.4, and neither rival has even 40 ratings of five stars.",
    f"The [Foldaway]({F}) and the [Kneadwell]({K}) score 3.7 and 4.5, from 67 and 21 ratings.",
    f"[Copperline]({C}) or [Dalenest]({D})? 4.7 versus 4.4, 18 ratings versus 161.",
    f"A 4.4 that a hundred people agree on is worth more than a 5.0 from eleven; the [Dalenest]({D}) has 161.",
    f"The [Foldaway]({F}) and the [Kneadwell]({K}) have 88 ratings between them.",
    f"All three boxes together have 104 ratings: [Foldaway]({F}), [Kneadwell]({K}), [Harrow]({H}).",
    f"The [Dalenest]({D}) has 161 ratings, 143 more than the [Copperline]({C}).",
    f"The [Dalenest]({D}) was rated by nearly nine times as many as the [Copperline]({C}): 161 to 18.",
    f"The [Bluestem]({B}) is at 4.9 over some 200 ratings.",
    f"The [Bluestem]({B}): 4.9/206. The [Pinedell]({P}): 4.3/30.",
    f"Over 200 people rate the [Bluestem]({B}) 4.9.",
    f"More than 150 ratings stand behind the 4.4 of the [Dalenest]({D}).",
    f"The [Bluestem]({B}) is six tenths of a star ahead of the [Pinedell]({P}), 4.9 to 4.3.",
    f"The rating falls 0.6 stars if you take the [Pinedell]({P}) for the [Bluestem]({B}).",
    f"You asked for at least 4.5 stars and 100 ratings: only the [Bluestem]({B}) does it.",
    f"Anything above 4.0 stars from 50 ratings would do. The [Bluestem]({B}) has 206.",
    f"A review site gives the [Bluestem]({B}) 4.1 stars from 350 testers (https://beds.example/test).",
    f"The [Pinedell]({P}) has 4.3 stars, a 4-foot side and 30 ratings.",
    f"The [Sturdiwell]({T}), 4.2 on 31 ratings, sticks for 7 days.",
    f"31 people rated the [Sturdiwell]({T}); their average is 4.2.",
    f"| Box | Stars | Ratings |\n|---|---|---|\n| [Foldaway]({F}) | 3.7 | 67 |\n| [Kneadwell]({K}) | 4.5 | 21 |",
    f"| Box | Rated |\n|---|---|\n| [Foldaway]({F}) | 3.7 (67) |\n| [Kneadwell]({K}) | 4.5 (21) |",
    f"| | [Foldaway]({F}) | [Kneadwell]({K}) |\n|---|---|---|\n| Rating | 3.7 from 67 | 4.5 from 21 |",
    f"None of the three scores as low as the [Foldaway]({F}), 3.7.",
    f"Of the two the dearer one scores 4.4 to the other's 4.7: [Dalenest]({D}), [Copperline]({C}).",
    f"Four of the five stars would be generous for the [Foldaway]({F}), which has 3.7.",
    f"The mean of [Foldaway]({F}) and [Kneadwell]({K}) is 4.1 stars over 88 ratings.",
    f"Weighted by their numbers, the two lights average 4.4 stars: [Dalenest]({D}), [Copperline]({C}).",
    f"n=161 at 4.4 for the [Dalenest]({D}), n=18 at 4.7 for the [Copperline]({C}).",
    f"18 people make it 4.7: the [Copperline]({C}).",
    f"Its 4.7 comes from 18 ratings only, so the [Copperline]({C}) is the bolder choice.",
    f"The [Copperline]({C}) is 4.7 of 5, on the word of eighteen buyers.",
    f"Eighteen ratings, averaging 4.7, for the [Copperline]({C}).",
    f"Only 30 ratings, but the [Pinedell]({P}) holds at 4.3.",
    f"One fifth of the 161 ratings of the [Dalenest]({D}) would be 32 people.",
    f"I would trust 161 ratings at 4.4 before 18 at 4.7: [Dalenest]({D}), [Copperline]({C}).",
    f"Should the [Copperline]({C}) keep its 4.7 with 100 ratings, take it then.",
    f"The [Dalenest]({D}) rates 4.4, or 88% of the maximum, from 161.",
    f"Both beds are well liked, at 4.9 and 4.3, though by 206 and 30 people: [Bluestem]({B}), [Pinedell]({P}).",
    f"The [Bluestem]({B}) has a 17-inch wall and a 4.9 from 206.",
]  # fmt: skip
EVERY = frozenset(("cost_per_unit", "own_cost", "rated_nowhere"))


def accused(shop: Shop, text: str) -> list[str]:
    """By the readers of every meaning alone."""
    checks = check_report(Subject(text, query="What should I buy?", shop=shop))
    return [
        f"{one.kind}: {one.why}" for check in checks.values() for one in check.accused if one.kind in EVERY
    ]


@pytest.mark.parametrize("text", [*COSTS, *RATINGS])
def test_what_is_true_in_some_meaning_is_left(rules_shop: Shop, text: str) -> None:
    assert accused(rules_shop, text) == []


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (COSTS[0], "67 cents", "97 cents"),
        (COSTS[0], "$1.17", "$1.71"),
        (COSTS[7], "$1.50", "$1.20"),
        (COSTS[10], "$4.24", "$5.24"),
        (COSTS[13], "$4.50", "$5.40"),
        (COSTS[18], "$4.50", "$5.40"),
        (RATINGS[0], "from 67", "from 670"),
        (RATINGS[0], "4.5 from 21", "4.8 from 21"),
        (RATINGS[10], "4.9/206", "4.9/260"),
        (RATINGS[30], "18 people", "38 people"),
        (RATINGS[33], "averaging 4.7", "averaging 3.7"),
    ],
)
def test_what_is_true_in_no_meaning_is_accused(rules_shop: Shop, text: str, right: str, wrong: str) -> None:
    assert right in text
    assert accused(rules_shop, text.replace(right, wrong)) != []
