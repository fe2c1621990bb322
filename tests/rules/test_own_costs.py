"""A cost per unit beside the price of one thing, and the odd one of a column of costs: right by any number of that thing, wrong by those of others."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

from benchmarks.planted import Scene

URL = "http://ecommerce.example/"
SOFTSNOUT, NUZZLEWORTH, EVERWORKS = f"{URL}B06Q3E1MLX", f"{URL}B0BYK40KXC", f"{URL}B06L7H1MN6"
"""Pads: Softsnout, 80 for $24.99; Nuzzleworth, 80 for $16.49; Everworks, 150 for $38.99."""
FIRST = f"- [Softsnout, 80 Count]({SOFTSNOUT}): $24.99, about 31 cents a pad\n"
TWO = FIRST + f"- [Nuzzleworth, 80 Count]({NUZZLEWORTH}): $16.49, about 21 cents\n"
HEAD = "| Pads | Price | Count | A pad |\n|---|---|---|---|\n"
ROWS = f"| [Softsnout]({SOFTSNOUT}) | $24.99 | 80 | 31.2 cents |\n| [Nuzzleworth]({NUZZLEWORTH}) | $16.49 | 80 | 20.6 cents |\n"


def accused(shop: Shop, text: str, kind: str) -> list[str]:
    check = check_report(Subject(text, query="Which of these should I buy?", shop=shop))["product_claims"]
    return [one.why for one in check.accused if one.kind == kind]


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (f"The [Everworks]({EVERWORKS}) is $38.99 for 150, {{}} a pad.", "about 26 cents", "about 36 cents"),
        (f"The [Everworks]({EVERWORKS}), $38.99, works out at {{}} per pad.", "26 cents", "31 cents"),
        (TWO + f"- [Everworks, 150 Count]({EVERWORKS}): $38.99, {{}}", "about 26 cents", "about 49 cents"),
        (FIRST + f"\nThe [Everworks]({EVERWORKS}) costs {{}} a pad ($38.99).", "26 cents", "48.7 cents"),
        (f"Two boxes of [Everworks pads]({EVERWORKS}) at $38.99 make $77.98, so {{}} a pad.", "26 cents", "32 cents"),
        (f"The [Everworks]({EVERWORKS}) is $38.99, so $33.99 with your coupon, or {{}} a pad.", "about 22.7 cents", "about 18.2 cents"),
        (f"The [Everworks]({EVERWORKS}) is $38.99, {{}} per hundred pads.", "about $25.99", "about $29.99"),
        (TWO + f"- [Everworks, 150 Count]({EVERWORKS}): $38.99, so {{}} for ten pads", "$2.60", "$3.60"),
    ],
)  # fmt: skip
def test_a_cost_that_the_price_beside_it_does_not_come_to_is_wrong(
    scene: Scene, text: str, right: str, wrong: str
) -> None:
    assert not accused(scene.shop, text.format(right), "own_cost"), right
    assert accused(scene.shop, text.format(wrong), "own_cost"), wrong


@pytest.mark.parametrize(
    "said",
    [
        f"The [Everworks]({EVERWORKS}) is $38.99, against 31 cents a pad for the Softsnout.",
        f"The [Everworks]({EVERWORKS}) is $38.99, and 5 cents a pad less than the Softsnout.",
        f"The [Softsnout]({SOFTSNOUT}) is $24.99 and the [Everworks]({EVERWORKS}) $38.99; that is 31 cents a pad and 26.",
        f"The [Everworks]({EVERWORKS}) is $38.99, which leaves you 61 cents.",
        f"The [Everworks]({EVERWORKS}) is $38.99. If you use five a day, that is about $1.30 a day.",
        f"The [Everworks]({EVERWORKS}) is $38.99, while the usual store sells at 40 cents a pad.",
        f"The [Everworks]({EVERWORKS}) is $38.99, to $5.01 below your $44.",
        f"You have ten percent off: the [Everworks]({EVERWORKS}) is $38.99, so 23.4 cents a pad.",
        f"With your $5 coupon: [Everworks]({EVERWORKS}), $38.99, about 23 cents a pad.",
        f"The [Everworks]({EVERWORKS}) is $38.99, or $7.80 for 30 pads.",
        TWO + f"- [Everworks, 150 Count]({EVERWORKS}): $38.99 -> $35.09",
        f"The [Nuzzleworth]({NUZZLEWORTH}) is $16.49, the bigger [Everworks]({EVERWORKS}) 26 cents a pad.",
    ],
)
def test_an_amount_of_something_else_is_no_cost_of_it(scene: Scene, said: str) -> None:
    assert not accused(scene.shop, said, "own_cost")


@pytest.mark.parametrize(
    ("table", "right", "wrong"),
    [
        (HEAD + ROWS + f"| [Everworks]({EVERWORKS}) | $38.99 | 150 | {{}} |", "26.0 cents", "36.0 cents"),
        (HEAD + ROWS + f"| [Everworks]({EVERWORKS}) | $38.99 | 150 | {{}} |", "about 26 cents", "about 31 cents"),
        ("| Lamp | Watts | Lumens | Lumens per watt |\n|---|---|---|---|\n| A | 60 | 3,200 | 53 |\n| B | 32 | 5,500 | 172 |\n| C | 42 | 8,000 | {} |", "190", "110"),
        ("| Lamp | Price | Lumens | Price per 1,000 lumens |\n|---|---|---|---|\n| A | $36.99 | 3,200 | $11.56 |\n| B | $79.99 | 8,000 | $10.00 |\n| C | $87.99 | 5,500 | {} |", "$16.00", "$12.00"),
        ("| | A | B | C |\n|---|---|---|---|\n| Price | $19.99 | $25.95 | $15.99 |\n| Bags | 200 | 200 | 80 |\n| A bag | 10.0¢ | 13.0¢ | {} |", "20.0¢", "16.0¢"),
    ],
)  # fmt: skip
def test_the_odd_figure_of_a_column_is_wrong(scene: Scene, table: str, right: str, wrong: str) -> None:
    text = f"What they cost, worked out:\n\n{table}"
    assert not accused(scene.shop, text.format(right), "odd_ratio"), right
    assert accused(scene.shop, text.format(wrong), "odd_ratio"), wrong


@pytest.mark.parametrize(
    "table",
    [
        "| Lamp | Price | Pack | Per light |\n|---|---|---|---|\n| A | $28.00 | 4 | $7.00 |\n| B | $30.00 | 8 | $4.75 |",
        "| Lamp | Price | Pack | Per light |\n|---|---|---|---|\n| A | $28.00 | 4 | $7.00 |\n| B | $30.00 | 8 | $3.75 |\n| C | $20.00 | 2 + 3 | $4.00 |",
        "| Oil | Price | Size | Unit cost |\n|---|---|---|---|\n| A | $28.00 | 4 | $7.00 |\n| B | $30.00 | 8 | $3.75 |\n| C | $20.00 | 5 | $2.00 per 100 ml |",
        "| Lamp | Price | Pack | Days | A day |\n|---|---|---|---|---|\n| A | $28.00 | 4 | 7 | $4.00 |\n| B | $30.00 | 8 | 3 | $10.00 |\n| C | $20.00 | 5 | 8 | $4.00 |",
        "| Lamp | Price | Pack | Rank | Total |\n|---|---|---|---|---|\n| A | $28.00 | 4 | 1 | $7.00 |\n| B | $30.00 | 8 | 2 | $3.75 |\n| C | $20.00 | 5 | 3 | $9.00 |",
    ],
)
def test_columns_that_two_others_do_not_explain_are_left(scene: Scene, table: str) -> None:
    assert not accused(scene.shop, f"What they cost:\n\n{table}", "odd_ratio")
