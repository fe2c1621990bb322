"""Structured places: each is true as written and passes, and is one finding with the figure behind the arrow; true sentences stay unaccused."""

from __future__ import annotations

import pytest
from asked import DIFFUSER, LA, LB, LC, RED, UNPRICED, A, B, C, checked, failing, is_kept_apart
from drr.env.entities import Product
from drr.env.shop import Shop

from tests.cases import each

TABLE = f"| Item | Price | Rating | Ratings |\n|---|---|---|---|\n| {LA} | $17.95 | 4.3 | 71 |\n| {LB} | $11.99 | 4.2 | 28 |\n"
COLUMNS = f"| | {LA} | {LC} |\n|---|---|---|\n| Price | $17.95 | $24.95 |\n| Rating | 4.3 / 5 | 4.9 / 5 |\n| Number of ratings | 71 | 26 |\n"
KEYED = f"### {LC}\n\n| Field | Value |\n|---|---|\n| Price | $24.95 |\n| Rating | 4.9 (26 ratings) |\n| Response Time | 2 seconds |\n"
LABELS = f"**{LA}**\n\n- Price: $17.95\n- Rating: 4.3 (71 ratings)\n- Capacity: 300 ml\n- Color: Dark Wood\n"
MARKS = (
    "Brightpulse Ultrasonic Essential Oil Diffuser [1], $17.95, 4.3 stars (71 ratings).\n\n"
    f"Maplehand Folding Instant-Read Meat Thermometer: $24.95 [2].\n\n## Sources\n\n[1] Brightpulse diffuser: {A}\n[2] Maplehand thermometer: {C}\n"
)
PLACES = [
    # the same row of a table
    ("price", TABLE, "$11.99", "$12.99"),
    ("price", TABLE, "$17.95", "$11.99"),
    ("rating", TABLE, "| 4.2 |", "| 4.4 |"),
    ("rating", TABLE, "| 28 |", "| 82 |"),
    ("price", f"| Id | USD |\n|:--|--:|\n| {DIFFUSER} | 17.95 |\n| {RED} | 11.99 |\n", "11.99", "19.99"),
    ("price", f"|Price|What|\n|--|--|\n|**$17.95**|{LA}|\n|**$11.99**|{LB}|", "$11.99", "$11.90"),
    ("rating", f"| What | Stars (ratings) |\n|---|---|\n| {LA} | 4.3 (71) |\n| {LB} | ★ 4.2 (28) |", "(28)", "(71)"),
    ("rating", f"| What | Avg | n |\n|---|---|---|\n| {LA} | 4.3 | 71 |\n| {LB} | 4.2 | 28 |", "| 71 |", "| 17 |"),
    # products as columns
    ("price", COLUMNS, "$24.95", "$17.95"),
    ("rating", COLUMNS, "4.3 / 5", "4.9 / 5"),
    ("rating", COLUMNS, "| 26 |", "| 62 |"),
    # key and value under a heading that is the product
    ("price", KEYED, "$24.95", "$25.95"),
    ("rating", KEYED, "(26 ratings)", "(28 ratings)"),
    ("product_claims", KEYED, "2 seconds", "4 seconds"),
    # the same list item
    ("price", f"- {LA}, $17.95, quiet\n- {LB} — $11.99", "$11.99", "$17.95"),
    ("price", f"1. {LA}: 4.3 stars, $17.95\n2. **{LB}** | $11.99 | 4.2/5", "$17.95", "$17.59"),
    ("rating", f"1. {LA}: 4.3 stars, $17.95\n2. **{LB}** | $11.99 | 4.2/5", "4.2/5", "4.8/5"),
    ("rating", f"* {LA} – $17.95 – 4.3★ (71 reviews)", "71 reviews", "81 reviews"),
    ("price", f"- Diffuser, {A}, $17.95\n- Thermometer ({RED}), $11.99", "$17.95", "$18.95"),
    # the same parenthesis
    ("price", f"Take {LA} ($17.95, 4.3 stars) or {LB} ($11.99).", "$11.99", "$13.99"),
    ("rating", f"Take {LA} ($17.95, 4.3 stars) or {LB} ($11.99).", "4.3", "3.4"),
    ("price", f"The oil diffuser ({A}, $17.95) and the red one ({B}, $11.99).", "$17.95", "$11.95"),
    ("rating", f"It is {LB} (rated 4.2 from 28 ratings).", "28", "38"),
    # a labelled line below
    ("price", LABELS, "$17.95", "$15.97"),
    ("rating", LABELS, "4.3 (", "4.6 ("),
    ("rating", LABELS, "(71 ratings)", "(70 ratings)"),
    ("product_claims", LABELS, "300 ml", "500 ml"),
    ("product_claims", LABELS, "Dark Wood", "Silver"),
    ("price", f"**{LB}**\nPrice: $11.99\nAverage rating: 4.2\nReviews: 28\n", "$11.99", "$19.99"),
    ("rating", f"**{LB}**\nPrice: $11.99\nAverage rating: 4.2\nReviews: 28\n", "Reviews: 28", "Reviews: 280"),
    ("price", f"1. {LC}\n   - **Price:** $24.95\n   - **Brand:** Maplehand\n", "$24.95", "$29.45"),
    ("product_claims", f"1. {LC}\n   - **Price:** $24.95\n   - **Brand:** Maplehand\n", "Maplehand\n", "Bramwick\n"),
    # the sentence right behind
    ("price", f"{LA}. It costs $17.95.", "$17.95", "$71.95"),
    ("price", f"Look at {LB}. This one is $11.99 and folds.", "$11.99", "$12.99"),
    ("rating", f"I would take {LC}. It is rated 4.9 out of 5.", "4.9", "4.5"),
    ("rating", f"I would take {LC}. It has 26 ratings.", "26", "62"),
    ("price", f"The pick is {LC}. It reads in 2 seconds. It costs $24.95.", "$24.95", "$29.95"),
    # a mark that leads to an entry
    ("price", MARKS, "$17.95", "$17.05"),
    ("rating", MARKS, "71 ratings", "17 ratings"),
    ("price", MARKS, "$24.95", "$24.59"),
    # stars and their number side by side, of no product at all
    ("rating", "One of the diffusers has 4.3 stars from 71 ratings; Brightpulse makes it.", "71", "73"),
]  # fmt: skip
TRUE = [
    # several of one, and sums
    f"Two of them ({LA}) come to $35.90.",
    f"- 3 × {LB}: $35.97",
    f"| Item | Qty | Price |\n|---|---|---|\n| {LB} | 4 | $47.96 |\n",
    f"{LA} and {LB}: $29.94 together.",
    f"Buy {LA} with {LB} for $29.94.",
    f"- {LA} + {LB}, $29.94",
    # costs per unit, discounts, saved money
    f"- {LA}: 300 ml, $0.06 per ml",
    f"| Item | Price | Per ml |\n|---|---|---|\n| {LA} | $17.95 | $0.06 |\n",
    f"- {LC}, $22.46 with 10% off",
    f"- {LC}: $19.96 on sale last month",
    f"With a $5 coupon {LC} is $19.95.",
    # another shop's product, another product's figures
    f"{LA} is fine. Elsewhere such a thing costs $31.40 ([a test]({'https://example.org/test'})).",
    f"{LA} against the Fernhollow, which is $39.50 and has 4.8 stars there.",
    f"{LA} is cheaper than {LC} by $7.00.",
    f"{LB} costs $5.96 less than {LA}.",
    f"{LA}: $7.00 less than {LC}.",
    f"{LC} has 0.6 stars more than {LA}, and $12.96 is the price of that.",
    f"They are $11.99 and $24.95, in this order: {LB}, {LC}.",
    f"For $24.95 {LC} is dear; for $11.99 there is {LB}.",
    f"Pay $11.99 for {LB}, $24.95 for {LC}.",
    # `It` that means something else
    f"{LA} is quiet. It would cost $40 to rent one.",
    f"I like {LA} better than a Fernhollow. It costs $39.50.",
    f"Your budget is $60, so {LA} fits. It leaves $42.05.",
    f"{LA} and {LB} fit well. It costs $29.94 in all.",
    f"Shipping to you stays open for {LA}. It is $5 in most places.",
    # what is not known, or only about
    f"- [Deskwright Laminator]({UNPRICED}): price unknown",
    f"| Item | Price |\n|---|---|\n| [Deskwright Laminator]({UNPRICED}) | $30.00 |\n| {LB} | n/a |\n",
    f"- {LA}: about 70 ratings, around $18",
    f"- {LA}: 4 stars, $18",
    f"- {LA}: more than 50 ratings; aim for $20 at most",
    # not of the thing above
    f"**{LA}**\n\n- Price: $17.95\n\nWhat to look for:\n\n- Price: $20 to $40 is usual\n- Rating: 4.5 or more\n",
    f"- {LA}, $17.95\n- Filters for it cost $6.50 a month\n",
    f"| Item | Old price | Price |\n|---|---|---|\n| {LA} | $21.00 | $17.95 |\n",
    f"| Plan | Item | Plan total |\n|---|---|---|\n| one | {LA} | $35.90 |\n",
    # the same fact in other words
    f"**{LA}**\n\n- Color: wood, dark\n- Capacity: 300 ml (10 oz)\n- Item Weight: 0.84 lb\n- Noise: not stated\n",
    f"**{LC}**\n\n- Accuracy: within 0.5 degrees\n- Brand: maplehand\n",
]  # fmt: skip


@pytest.mark.parametrize(("rule", "text", "right", "wrong"), PLACES)
def test_a_value_in_a_structured_place_is_its_product_s(
    rules_shop: Shop, rule: str, text: str, right: str, wrong: str
) -> None:
    is_kept_apart(rules_shop, rule, text, right, wrong)


@each("text", TRUE)
def test_what_may_be_true_is_not_accused(rules_shop: Shop, text: str) -> None:
    assert failing(text, shop=rules_shop, query="something for the kitchen, up to $60") == {}


def test_the_records_that_these_cases_stand_on(rules_shop: Shop) -> None:
    found = [rules_shop.store.product(url.rpartition("/")[2]) for url in (A, B, C, UNPRICED)]
    assert [
        (one.price, one.average_rating, one.rating_number) for one in found[:3] if isinstance(one, Product)
    ] == [(17.95, 4.3, 71), (11.99, 4.2, 28), (24.95, 4.9, 26)]
    assert isinstance(found[3], Product) and found[3].price is None


def test_a_finding_shows_what_is_said_and_what_is_true(rules_shop: Shop) -> None:
    text = f"- {LA}: $19.95, 4.8 stars (72 ratings)\n- Color: Silver\n"
    assert failing(text, shop=rules_shop) == {
        "price": ["Price: $19.95; record: $17.95"],
        "rating": ["Rating: 4.8; record: 4.3", "Number of ratings: 72; record: 71"],
        "product_claims": ["Color: Silver; record: Dark Wood"],
    }


def test_stars_and_their_number_that_no_product_has_say_so(rules_shop: Shop) -> None:
    told = failing("The best of them has 4.3 stars (7,431 ratings).", shop=rules_shop)
    assert told == {"rating": ["Rating: 4.3 from 7,431; record: no product has both"]}


@pytest.mark.parametrize(
    ("text", "rule", "why"),
    [
        ("Thermometers are useful.", "price", "absent"),
        (f"You may well find {LA} for $3 in spring.", "price", "prose"),
        (f"- [Deskwright Laminator]({UNPRICED}), $30.00", "price", "unrecorded"),
        (f"Many give {LA} five stars.", "rating", "prose"),
    ],
)
def test_what_is_not_decided_says_why(rules_shop: Shop, text: str, rule: str, why: str) -> None:
    found = checked(text, shop=rules_shop)[rule]
    assert (found.status, found.remarks) == ("unverifiable", (why,))


def test_cents_must_be_right_and_whole_dollars_may_be_half_a_dollar_off(rules_shop: Shop) -> None:
    for said, status in (("$17.95", "pass"), ("$18", "pass"), ("$17.96", "fail"), ("$17", "fail")):
        assert checked(f"- {LA}, {said}", shop=rules_shop)["price"].status == status, said


def test_a_table_holds_its_values_without_pipes(rules_shop: Shop) -> None:
    text = f"Item\tPrice\tRating\n{LA}\t$17.95\t4.3\n{LB}\t$11.99\t4.2\n"
    is_kept_apart(rules_shop, "price", text, "$11.99", "$21.99")
