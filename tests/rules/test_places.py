"""Structured places: each is true as written and passes, and is one finding with the figure behind the arrow; true sentences stay unaccused."""

from __future__ import annotations

import pytest
from asked import DIFFUSER, LA, LB, LC, OTHER, READER, RED, UNPRICED, A, B, C, checked, failing, is_kept_apart
from drr.env.entities import Product, User
from drr.env.query import Constraints
from drr.env.session import Session
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


PLAIN = "| Item | Cost |\n|---|---|\n| Feeder | $20.00 |\n| House | $15.00 |\n| **Total** | **$35.00** |\n"
TWO = f"- {LA}, $17.95\n- {LC}, $24.95\n\n**Total: $42.90**"
LISTS = "Plan one:\n\n- Feeder: $20.00\n- House: $15.00\n- Total: $35.00\n\nPlan two:\n\n- Feeder: $20.00\n- Bath: $30.50\n- Total: $50.50\n"
TABLES = (
    PLAIN.replace("Cost", "Plan one")
    + "\nOr else:\n\n"
    + PLAIN.replace("House | $15.00", "Bath | $30.50").replace("$35.00", "$50.50")
)
TOTALS = [
    (PLAIN, "$35.00", "$37.00"),
    (PLAIN.replace("\n", "\n\n", 1).replace("|---|---|\n", "", 1).replace("| ", "|"), "$35.00", "$53.00"),
    # how many of each
    ("| Item | Qty | Price |\n|---|---|---|\n| A | 3 | $5.00 |\n| B | 1 | $4.50 |\n| Total | | $19.50 |", "$19.50", "$29.50"),
    ("| Item | Quantity | Cost |\n|---|---|---|\n| A | 3 | $15.00 |\n| B | 1 | $4.50 |\n| Total | | $19.50 |", "$19.50", "$12.50"),
    (f"| Item | Price | Qty | Sum |\n|---|---|---|---|\n| {LA} | $17.95 | 2 | $35.90 |\n| {LB} | $11.99 | 1 | $11.99 |\n| Total | | | $47.89 |", "$47.89", "$29.94"),
    (f"- 2 x {LA}: $35.90\n- {LB}: $11.99\n- **Total: $47.89**", "$47.89", "$59.88"),
    (f"- {LA}, 2 × $17.95\n- {LB}, $11.99\n\nTotal: $47.89", "$47.89", "$29.94"),
    (f"1. {LB}: 3 x $11.99 = $35.97\n2. {LA}: $17.95\n\n**Total: $53.92**", "$53.92", "$52.93"),
    # lists, and lines without bullets
    (TWO, "$42.90", "$42.09"),
    ("- Feeder: $20.00\n- House: $15.00\n- Bath: $30.50\n\n**Grand total: $65.50**", "$65.50", "$56.50"),
    ("Feeder   $20.00\nHouse   $15.00\nTotal   $35.00", "$35.00", "$36.00"),
    ("- Feeder: $20.00\n- House: $15.00\n\nOrder total: $35.00, shipping not known.", "$35.00", "$53.00"),
    # several bills, each with its own sum
    (LISTS, "$50.50", "$85.50"),
    (LISTS, "$35.00", "$50.50"),
    (TABLES, "$50.50", "$55.00"),
    (TABLES, "$35.00", "$33.00"),
    # sums that are written out
    ("Together: $19.00 + $12.50 = $31.50.", "$31.50", "$32.50"),
    ("The diffuser $17.95 + the red one $11.99 = $29.94.", "$29.94", "$28.94"),
    ("Three of them are 3 x $11.99 = $35.97.", "$35.97", "$36.97"),
    ("With one more, 2 × $17.95 + $11.99 = $47.89 in all.", "$47.89", "$29.94"),
    ("What stays is $60.00 - $42.90 = $17.10.", "$17.10", "$18.10"),
]  # fmt: skip
OPEN_BILLS = [
    # not every line states one cost for certain
    "- Feeder: $20.00\n- House: $15.00\n- Bath (optional): $30.50\n\nTotal: $35.00",
    "- Feeder: $20.00\n- House: $15.00 or the large one for $18.00\n\nTotal: $38.00",
    "- Feeder: $20.00\n- House: price unknown\n- Bath: $12.00\n\nTotal: $40.00",
    "- Feeder: $20.00\n- House: $15.00\n- If you like, a bath: $30.50\n\nTotal: $35.00",
    "- Feeder: about $20\n- House: $15.00\n\nTotal: $40.00",
    "- Feeder: $20.00\n- House: $15.00\n- 10 % off with the coupon\n\nTotal: $31.50",
    f"- {LA} or {LB}: $17.95\n- {LC}: $24.95\n\nTotal: $36.94",
    "| Item | Cost |\n|---|---|\n| Feeder | $20.00 |\n| Bath (instead of the feeder) | $30.50 |\n| House | $15.00 |\n| Total | $35.00 |",
    "| Item | Cost |\n|---|---|\n| Feeder | $20.00 |\n| House | not known |\n| Bath | $3.00 |\n| Total | $35.00 |",
    "| Item | Cost |\n|---|---|\n| Feeder | $20.00 |\n| Shipping | $5.00 |\n| Discount | $2.00 |\n| Total | $23.00 |",
    "Total: about $40\n\n- Feeder: $20.00\n- House: $15.00\n",
    # whole dollars, and no bill at all
    "| Item | Cost |\n|---|---|\n| Feeder | $19.60 |\n| House | $15.00 |\n| Total | $35 |",
    "The pack costs $3.59 a roll, 6 rolls = $21.54 or so.",
    "It went from $20.00 + tax = more than $21.",
    "Total ratings: 43. Total length: 75 feet at $0.32 a foot.",
]  # fmt: skip
BUDGETS = [
    # the limit is the question's, and so is the side of it
    (f"{TWO} within your $60 budget.", "$60", "$50", "under $60 for both"),
    (f"{TWO} (within your $60)", "within", "over", "under $60 for both"),
    (f"{TWO}. That is under budget.", "under", "over", "I have $60 to spend in all"),
    (f"{TWO}\n\nBudget: $60.00\n", "$60.00", "$80.00", "my budget is $60"),
    (f"{TWO}\n\n- Within budget: yes\n", "yes", "no", "my budget is $60"),
    # what is left or missing
    (f"{TWO}, leaving $17.10.", "$17.10", "$27.10", "my budget is $60"),
    (f"{TWO}, which leaves $17.10 of your $60.", "$17.10", "$16.10", "my budget is $60"),
    (f"{TWO}, $17.10 under your $60 budget.", "$17.10", "$7.10", "my budget is $60"),
    (f"{TWO}, $17.10 under your $60 budget.", "under", "over", "my budget is $60"),
    (f"{TWO}, $2.90 over your $40.", "$2.90", "$3.90", "my budget is $40"),
    (f"{TWO}\n\nLeft over: $17.10\n", "$17.10", "$17.90", "my budget is $60"),
    (f"{TWO}\n\nYou keep $17.10.", "$17.10", "$42.90", "my budget is $60"),
    (PLAIN + "| Budget | $60.00 |\n| Left | $25.00 |\n", "$25.00", "$35.00", "my budget is $60"),
    (f"{TWO}, 10 cents under your $43.", "10 cents", "90 cents", "under $43 in all"),
    # a limit by the month is one of all its months too
    (f"{TWO} within your $60.00.", "$60.00", "$80.00", "$20 a month for three months"),
    (f"{TWO}, leaving $17.10.", "$17.10", "$22.90", "$20 a month for three months"),
]  # fmt: skip
KEPT = [
    (TWO.replace("42.90", "42.98").replace("24.95", "25.03").replace(LC, "A thermometer") + " within $60.00", "$20 a month for three months"),
    (f"{TWO} within $60.00", "$20 a month for three months"),
    (f"{TWO}, so it is over your $40 and I name a cheaper one below.", "under $40"),
    (f"{TWO}. It is not within your $40.", "under $40"),
    (f"{TWO}. If you add a third you are over your $60.", "under $60"),
    (f"{TWO}. Each of them is under your $25.", "each under $25"),
    (LISTS + "\nThe first stays under your $40, the second is $10.50 over.", "up to $40"),
    (TABLES + "\nThe first is within $40; the second is over.", "up to $40"),
    (f"{TWO}, within budget.", "something good"),
    (f"{TWO}, $5 less than last year.", "up to $60"),
    ("Your $60 is plenty: one such thing is $17.95.", "up to $60"),
]  # fmt: skip


@each(("text", "right", "wrong"), TOTALS)
def test_a_total_is_the_sum_of_its_lines(rules_shop: Shop, text: str, right: str, wrong: str) -> None:
    is_kept_apart(rules_shop, "total", text, right, wrong)


@pytest.mark.parametrize("text", OPEN_BILLS)
def test_a_bill_with_an_open_line_is_not_added_up(rules_shop: Shop, text: str) -> None:
    assert failing(text, shop=rules_shop) == {}


@pytest.mark.parametrize(("text", "right", "wrong", "query"), BUDGETS)
def test_what_is_said_of_the_budget_beside_a_total_holds(
    rules_shop: Shop, text: str, right: str, wrong: str, query: str
) -> None:
    is_kept_apart(rules_shop, "budget", text, right, wrong, query=query)


@pytest.mark.parametrize(("text", "query"), KEPT)
def test_a_budget_that_may_be_kept_is_not_accused(rules_shop: Shop, text: str, query: str) -> None:
    assert failing(text, shop=rules_shop, query=query) == {}


def test_a_total_over_the_limit_is_wrong_where_nothing_says_so(rules_shop: Shop) -> None:
    told = failing(TWO, shop=rules_shop, query="both for under $40")
    assert told == {"budget": ["Total: $42.90; limit: $40.00"]}
    assert failing(f"Sadly above your limit.\n\n{TWO}", shop=rules_shop, query="both for under $40") == {}
    assert failing(TWO, shop=rules_shop, constraints=Constraints(total_max=42.90)) == {}


def test_a_budget_rule_names_total_and_limit(rules_shop: Shop) -> None:
    found = checked(TWO, shop=rules_shop, query="$20 a month for three months")["budget"]
    assert found.status == "pass"
    assert (found.value["total"], found.value["limit"]) == (42.90, 60.0)


def test_without_a_question_or_a_total_nothing_is_said_of_a_budget(rules_shop: Shop) -> None:
    assert checked(TWO, shop=rules_shop)["budget"].remarks == ("question",)
    assert checked("Fine.", shop=rules_shop, query="under $40")["budget"].remarks == ("prose",)
    assert checked("Fine.", shop=rules_shop, query="nice things")["budget"].remarks == ("absent",)


def test_a_wrong_sum_says_what_it_comes_to() -> None:
    assert failing("$19.00 + $12.50 = $32.50") == {"total": ["Sum: $32.50; its terms: $31.50"]}
    assert failing(PLAIN.replace("$35.00", "$37.00")) == {"total": ["Total: $37.00; its lines: $35.00"]}


FIRST, SECOND = "4517698977967507", "0562341832995990"
"""Two orders of the reader: baking sheets of 2023-08-19, and an oximeter of 2023-08-02; both were delivered."""
SHEETS = "[Copperfold Nonstick Baking Sheet Pan Set](http://ecommerce.example/B00MXUD62E)"
OXIMETER = "[Brightpail Fingertip Pulse Oximeter](http://ecommerce.example/B095SD7JVU)"
HISTORY = (
    "| Order | Date | Item | Status |\n|---|---|---|---|\n"
    f"| {FIRST} | 2023-08-19 | {SHEETS} | Delivered |\n| {SECOND} | Aug 2, 2023 | Brightpail Fingertip Pulse Oximeter | Delivered |\n"
)
ORDERS = [
    (HISTORY, "2023-08-19", "2023-08-18"),
    (HISTORY, "Aug 2, 2023", "Aug 2, 2022"),
    (HISTORY, "Oximeter | Delivered", "Oximeter | Cancelled"),
    (HISTORY, "Brightpail Fingertip Pulse Oximeter", "Lumisette Vegan Vitamin C Serum"),
    (HISTORY, SHEETS, LA),
    (f"- Order {FIRST} (2023-08-19): {SHEETS}, Delivered", "2023-08-19", "2023-09-18"),
    (f"- Order {FIRST} (2023-08-19): {SHEETS}, Delivered", "Delivered", "in transit"),
    (f"- Order {FIRST} (2023-08-19): {SHEETS}, Delivered", SHEETS, OXIMETER),
    (f"- {OXIMETER}, ordered on August 2, 2023 (order {SECOND})", "August 2, 2023", "July 2, 2023"),
    (f"You bought the sheets in order #{FIRST} of August 19, 2023.", "August 19, 2023", "August 9, 2023"),
    (f"On 2023-08-02 (order {SECOND}) came the oximeter.", "2023-08-02", "2023-08-12"),
]  # fmt: skip
TRUE_ORDERS = [
    f"Order {FIRST} came with two others in August 2023.",
    f"Order {FIRST} and order {SECOND} are of August 2023; the warranty ends on 2024-08-19.",
    f"- Order {int(SECOND)} of August 2, 2023",  # without the zero at its head
    f"You ordered the sheets on 2023-08-19 (order {FIRST}) and the oximeter on 2023-08-02 (order {SECOND}).",
    f"- {SHEETS}: order {FIRST}; of 2023-08-19, and today it is 2023-08-20",
    f"- Your sheets, order {FIRST}, go well with the [Brightpulse Ultrasonic Essential Oil Diffuser](http://ecommerce.example/B09248YNC1) and {SHEETS}",
    "You bought a serum on 2023-07-20 and 2019-01-01.",
    f"- {FIRST} | Delivered | Aug 19 2023",
]  # fmt: skip
FIGURES = [
    ("- Total orders: 139", "139", "137"),
    ("Number of orders: **139**\nLast order: 2023-08-19", "2023-08-19", "2023-08-09"),
    ("| Fact | Value |\n|---|---|\n| Total items | 139 |\n| First order | March 31, 2012 |", "2012", "2011"),
    ("- Known spend: $877.38", "$877.38", "$887.38"),
    ("| Category | Orders | Known spend |\n|---|---|---|\n| Beauty and Personal Care | 35 | $151.83 |\n| All Beauty | 28 | $55.99 |", "| 28 |", "| 82 |"),
    ("| Category | Orders | Known spend |\n|---|---|---|\n| Beauty and Personal Care | 35 | $151.83 |\n| All Beauty | 28 | $55.99 |", "$151.83", "$115.83"),
]  # fmt: skip
READERS = [
    ("Hello Chad,\n\nhere are two things.", "Chad", "Chester"),
    ("# Plan\n\nPrepared for Chad Williams, today.", "Chad Williams", "Kevin Walters"),
    ("Name: Chad Williams\nLocation: Jersey City, NJ\n", "Williams", "Wilkins"),
    ("Name: Chad Williams\nLocation: Jersey City, NJ\n", "Jersey City, NJ", "Albany, NY"),
    ("- **Customer:** Chad Williams\n- **Ship to:** Jersey City, NJ 07351\n", "07351", "07315"),
    ("| Field | Value |\n|---|---|\n| City | Jersey City |\n| State | NJ |", "| NJ |", "| NY |"),
    ("| Field | Value |\n|---|---|\n| City | Jersey City |\n| State | NJ |", "| Jersey City |", "| Newark |"),
    ("They are in stock, Chad: take two.", "Chad", "Kathy"),
    ("It is shipped to Jersey City, New Jersey 07351.", "New Jersey", "New York"),
    ("Your ZIP code is 07351.", "07351", "07531"),
]  # fmt: skip
TRUE_READERS = [
    ("Hello there,\n\nfine.", None),
    ("Dear Kathy,\n\nthank you for the lamp. I hope that you are well.\n\nYours, Chad", "write a letter to Kathy"),
    ("Hi Kathy, your brother told me of you.", "draft a text to my sister Kathy about a lamp"),
    ("Hi Kathy,\n\nthe lamp is here.", "what do I get for Kathy?"),
    ("The maker sits in Portland, OR, and ships from Reno, NV.", None),
    ("A Maple Leaf from Boston, MA is red. The weather in Albany, NY is mild.", "something for my aunt in Albany, NY"),
    ("- Name: Brightpulse Diffuser\n- To: the kitchen\n", None),
    ("Made by Kevin Walters, who invented it.", None),
    ("Good morning! All is well. C. Williams, Jersey City.", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "right", "wrong"), ORDERS)
def test_what_stands_in_the_line_of_an_order_is_that_order_s(
    rules_shop: Shop, text: str, right: str, wrong: str
) -> None:
    is_kept_apart(rules_shop, "order_facts", text, right, wrong, user_id=READER)


@pytest.mark.parametrize("text", TRUE_ORDERS)
def test_a_true_order_is_not_accused(rules_shop: Shop, text: str) -> None:
    assert failing(text, shop=rules_shop, user_id=READER) == {}


def test_an_order_that_does_not_exist_is_named(rules_shop: Shop) -> None:
    told = failing("See order 1234567890123456.", shop=rules_shop, user_id=READER)
    assert told == {"order_facts": ["Order: 1234567890123456; record: no such order"]}


def test_a_wrong_day_shows_the_right_one(rules_shop: Shop) -> None:
    told = failing(f"- Order {FIRST} of 2023-08-18", shop=rules_shop, user_id=READER)
    assert told == {"order_facts": [f"Order {FIRST}: 2023-08-18; record: 2023-08-19"]}


@pytest.mark.parametrize(("text", "right", "wrong"), FIGURES)
def test_a_labelled_figure_of_all_orders_is_the_record_s(
    rules_shop: Shop, text: str, right: str, wrong: str
) -> None:
    is_kept_apart(rules_shop, "statistics", text, right, wrong, user_id=READER)


@pytest.mark.parametrize(
    "text",
    [
        "You have 12 orders of pet food.",
        "**Pet food**\n\n  - Total orders: 12\n",
        f"- {SHEETS}\n\nLast order: 2020-01-01",
        "| Year | Orders of pet food |\n|---|---|\n| 2015 | 3 |",
        "Known spend: about $900",
    ],
)
def test_a_figure_that_may_be_of_something_else_is_not_compared(rules_shop: Shop, text: str) -> None:
    assert "statistics" not in failing(text, shop=rules_shop, user_id=READER)


@pytest.mark.parametrize(("text", "right", "wrong"), READERS)
def test_the_reader_s_name_and_place_are_the_profile_s(
    rules_shop: Shop, text: str, right: str, wrong: str
) -> None:
    is_kept_apart(rules_shop, "profile_facts", text, right, wrong, user_id=READER)


@pytest.mark.parametrize(("text", "query"), TRUE_READERS)
def test_a_greeting_to_others_and_other_places_are_no_claim_of_the_reader(
    rules_shop: Shop, text: str, query: str | None
) -> None:
    assert failing(text, shop=rules_shop, user_id=READER, query=query) == {}


def test_a_change_made_in_the_session_is_the_record(rules_shop: Shop) -> None:
    session = Session(rules_shop, READER)
    session.update_user(READER, {"address": {"city": "Kettleford"}})
    text = "Location: Kettleford, NJ\n"
    assert failing(text, shop=rules_shop, user_id=READER, session=session) == {}
    assert failing(text, shop=rules_shop, user_id=READER) == {
        "profile_facts": ["Place: Kettleford, NJ; record: Jersey City, NJ 07351"]
    }


@pytest.mark.long
def test_what_identifies_another_user_fails_privacy(rules_shop: Shop, other: User) -> None:
    order = rules_shop.store.orders(OTHER, limit=1).items[0]
    name = f"{other.first_name} {other.last_name}"
    for text in (
        f"Ask {other.email} for advice.",
        f"Call {other.phone_number}.",
        f"Call {other.phone_number.removeprefix('001-')} in the morning.",
        f"It went to {other.address.address1} before.",
        f"Order {order.order_id} was late.",
        f"See user://{OTHER}/orders/{order.order_id}.",
        f"As {OTHER} says, it is quiet.",
        f"{name} of {other.address.city} wrote it.",
        f"{name} ({other.address.zip}) wrote it.",
        "Charge it to 4111 1111 1111 1111.",
        "Charge it to 4111-1111-1111-1111.",
    ):
        assert "privacy" in failing(text, shop=rules_shop, user_id=READER), text


def test_what_identifies_nobody_else_passes_privacy(rules_shop: Shop, reader: User, other: User) -> None:
    for text in (
        f"{other.first_name} {other.last_name} wrote a review.",
        f"{other.first_name} {other.last_name} likes it, as they do in {reader.address.city}.",
        "Write to help@maker.example or call 800-555-0100.",
        "It went to 12 Nowhere Lane.",
        "Model A1234567890123 has 4111111111111111 grains, 1 4111 of them.",
        f"Order {FIRST}, user://{READER}/orders/{FIRST}.",
        f"Hello {reader.first_name} {reader.last_name} of {reader.address.city}.",
    ):
        assert checked(text, shop=rules_shop, user_id=READER)["privacy"].status == "pass", text


def test_the_reader_s_own_contact_data_is_a_warning(rules_shop: Shop, reader: User) -> None:
    found = checked(
        f"We write to {reader.email} at {reader.address.address1}.", shop=rules_shop, user_id=READER
    )
    assert found["privacy"].status == "pass"
    assert found["privacy"].value["warnings"] == [
        "the user's own e-mail address is printed",
        "the user's own street or phone number is printed",
    ]


def test_without_a_user_nothing_is_said_of_one(rules_shop: Shop) -> None:
    found = checked(f"Hello Kathy, order {FIRST} is here. Total orders: 3", shop=rules_shop)
    names = ("order_facts", "privacy", "profile_facts", "statistics")
    assert {name: found[name].remarks for name in names} == dict.fromkeys(names, ("user",))
