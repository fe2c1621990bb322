"""Structured places: each is true as written and passes, and is one finding with the figure behind the arrow; true sentences stay unaccused."""

from __future__ import annotations

import asked
import pytest
from asked import LA, LB, LC, OTHER, READER, UNPRICED, A, B, C, checked, failing, is_kept_apart
from drr.env.entities import User
from drr.env.query import Constraints
from drr.env.session import Session
from drr.env.shop import Shop

from tests.cases import cases, each

TABLE = f"| Item | Price | Rating | Ratings |\n|---|---|---|---|\n| {LA} | $17.95 | 4.3 | 71 |\n| {LB} | $11.99 | 4.2 | 28 |\n"
COLUMNS = f"| | {LA} | {LC} |\n|---|---|---|\n| Price | $17.95 | $24.95 |\n| Rating | 4.3 / 5 | 4.9 / 5 |\n| Number of ratings | 71 | 26 |\n"
KEYED = f"### {LC}\n\n| Field | Value |\n|---|---|\n| Price | $24.95 |\n| Rating | 4.9 (26 ratings) |\n| Response Time | 2 seconds |\n"
LABELS = f"**{LA}**\n\n- Price: $17.95\n- Rating: 4.3 (71 ratings)\n- Capacity: 300 ml\n- Color: Dark Wood\n"
MARKS = (
    "Brightpulse Ultrasonic Essential Oil Diffuser [1], $17.95, 4.3 stars (71 ratings).\n\n"
    f"Maplehand Folding Instant-Read Meat Thermometer: $24.95 [2].\n\n## Sources\n\n[1] Brightpulse diffuser: {A}\n[2] Maplehand thermometer: {C}\n"
)
PLACES = cases("rules", "STRUCTURED_PLACES", vars(asked), globals())
TRUE = cases("rules", "TRUE", vars(asked), globals())


@pytest.mark.parametrize(("rule", "text", "right", "wrong"), PLACES)
def test_a_value_in_a_structured_place_is_its_product_s(
    rules_shop: Shop, rule: str, text: str, right: str, wrong: str
) -> None:
    is_kept_apart(rules_shop, rule, text, right, wrong)


@each("text", TRUE)
def test_what_may_be_true_is_not_accused(rules_shop: Shop, text: str) -> None:
    assert failing(text, shop=rules_shop, query="something for the kitchen, up to $60") == {}


def test_a_price_that_names_its_product_in_words_is_found_before_the_mark(rules_shop: Shop) -> None:
    text = f"**The one to take: Brightpulse Ultrasonic Essential Oil Diffuser (Dark Wood), $17.95, rated 4.3/5 by 71 buyers** [1]. Well.\n\n[1]: {A}\n"
    is_kept_apart(rules_shop, "price", text, "$17.95", "$15.95")
    is_kept_apart(rules_shop, "rating", text, "by 71", "by 17")
    table = f"| Item | Unit price today | Quantity |\n|---|---|---|\n| {LA} | $17.95 | 1 |\n"
    is_kept_apart(rules_shop, "price", table, "$17.95", "$15.95")


def test_the_records_that_these_cases_stand_on(rules_shop: Shop) -> None:
    products = filter(None, (rules_shop.store.product(url.rpartition("/")[2]) for url in (A, B, C, UNPRICED)))
    *found, unpriced = ((one.price, one.average_rating, one.rating_number) for one in products)
    assert found == [(17.95, 4.3, 71), (11.99, 4.2, 28), (24.95, 4.9, 26)] and unpriced[0] is None


def test_a_finding_shows_what_is_said_and_what_is_true(rules_shop: Shop) -> None:
    text = f"- {LA}: $19.95, 4.8 stars (72 ratings)\n- Color: Silver\n- Capacity: 500 ml\n"
    assert failing(text, shop=rules_shop) == {
        "price": ["Price: $19.95; record: $17.95"],
        "rating": ["Rating: 4.8; record: 4.3", "Number of ratings: 72; record: 71"],
        "product_claims": ["Capacity: 500 ml; record: 300 ml"],
    }


def test_stars_and_their_number_that_no_product_has_say_so(rules_shop: Shop) -> None:
    told = failing("The best of them has 4.3 stars (7,431 ratings).", shop=rules_shop)
    assert told == {"rating": ["Rating: 4.3 from 7,431; record: no product has both figures"]}


@pytest.mark.parametrize(
    ("text", "rule", "why"), cases("rules", "test_what_is_not_decided_says_why", vars(asked), globals())
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
OTHER_PLAN = PLAIN.replace("House | $15.00", "Bath | $30.50").replace("$35.00", "$50.50")
TABLES = PLAIN.replace("Cost", "Plan one") + "\nOr else:\n\n" + OTHER_PLAN
TOTALS = cases("rules", "TOTALS", vars(asked), globals())
OPEN_BILLS = cases("rules", "OPEN_BILLS", vars(asked), globals())
KEPT = cases("rules", "KEPT", vars(asked), globals())


@each(("text", "right", "wrong"), TOTALS)
def test_a_total_is_the_sum_of_its_lines(rules_shop: Shop, text: str, right: str, wrong: str) -> None:
    is_kept_apart(rules_shop, "total", text, right, wrong)


@pytest.mark.parametrize("text", OPEN_BILLS)
def test_a_bill_with_an_open_line_is_not_added_up(rules_shop: Shop, text: str) -> None:
    assert failing(text, shop=rules_shop) == {}


@pytest.mark.parametrize(("text", "query"), KEPT)
def test_a_budget_that_may_be_kept_is_not_accused(rules_shop: Shop, text: str, query: str) -> None:
    assert failing(text, shop=rules_shop, query=query) == {}


def test_a_total_over_the_limit_of_the_whole_is_wrong_where_the_report_does_not_name_it(
    rules_shop: Shop,
) -> None:
    for query in ("two things, no more than $40 in total", "my budget is $40", "$40 all in"):
        told = failing(TWO, shop=rules_shop, query=query)
        assert told == {"budget": ["Total: $42.90; limit: $40.00"]}, query
    for query in (
        "both for under $40",
        "my budget is $40, or $30 for one",
        "Her budget is $40; I pay what it takes",
        "My neighbour never pays more than $40 in total; I pay what it takes",
        "She has a budget of $40",
        "my budget is $40 a month",
        "$40 in total for each of us",
    ):
        assert failing(TWO, shop=rules_shop, query=query) == {}, query
    for said in ("This is above the $40 that you named.", "You pay $2.90 too much."):
        assert failing(f"{said}\n\n{TWO}", shop=rules_shop, query="$40 in total") == {}, said
    assert failing(TWO, shop=rules_shop, constraints=Constraints(total_max=42.90)) == {}
    given = Constraints(total_max=40)
    assert failing(TWO, shop=rules_shop, query="She never pays above $40", constraints=given) == {}
    assert set(failing(TWO, shop=rules_shop, constraints=Constraints(total_max=42.80))) == {"budget"}


PHASES = """## A bird sanctuary under \\$300

**Phase 1 Total: \\$128.96**

Phase\tItems\tCost\tTimeline
1\tFeeders\t\\$129\tMonth 1
2\tHouses\t\\$85\tMonth 2
<b>Total</b>\t\t<b>\\$330</b>\t<b>3 months</b>

Note: Start with one feeder (\\$37), bringing your total closer to \\$300.
"""


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (PHASES, "fail"),
        (PHASES.replace("330", "298"), "pass"),
        (PHASES.replace("closer to", "no lower than"), "unverifiable"),
        ("## Total: $330.00\n\nA plan.", "fail"),
        ("Do not take all of it. Total: $330.00", "unverifiable"),
        ("Take all of it. Total: $330.00", "fail"),
        ("- Total: $330.00\n\nThis does not fit your $300.", "unverifiable"),
    ],
)
def test_a_total_that_a_row_a_heading_or_a_label_presents_is_held_against_the_limit(
    text: str, status: str
) -> None:
    """The paper's own example has a plan under $300 whose table ends with $330."""
    query = "Design a sanctuary and keep my total spending under $300 over the next three months."
    assert checked(text, query=query)["budget"].status == status


def test_a_budget_rule_names_total_and_limit(rules_shop: Shop) -> None:
    found = checked(TWO, shop=rules_shop, constraints=Constraints(month_max=20, months=3))["budget"]
    assert found.status == "pass"
    assert (found.value["total"], found.value["limit"]) == (42.90, 60.0)


def test_without_a_question_or_a_total_nothing_is_said_of_a_budget(rules_shop: Shop) -> None:
    assert checked(TWO, shop=rules_shop)["budget"].remarks == ("question",)
    assert checked("Fine.", shop=rules_shop, query="$40 in all")["budget"].remarks == ("prose",)
    assert checked("Fine.", shop=rules_shop, query="nice things")["budget"].remarks == ("absent",)
    assert checked(TWO, shop=rules_shop, query="under $40")["budget"].remarks == ("limit_not_understood",)


@pytest.mark.parametrize(
    "text",
    [
        "- Feeder: $20.00\n- House: $15.00\n- Pole: $9.00 (you have it)\n- Total: $35.00",
        "- Feeder: $20.00\n- House: $15.00\n- Pole: $9.00, which you already own\n- Total: $35.00",
        "- Feeder: $20.00\n- House: $15.00\n- ~~Pole: $9.00~~\n- Total: $35.00",
        "- Feeder: $20.00\n- House: $15.00\n- Pole: $9.00 (optional)\n- Total: $35.00",
        "- Feeder: $22.95\n- with a pole: $48.95\n- Total: $48.95",
        "- Feeder: $20.00\n- House: $15.00\n- Total: ~~$39.00~~ $35.00",
        "| Item | Cost |\n|---|---|\n| Feeder | $22.95 |\n| with a pole | $48.95 |\n| Total | $48.95 |",
    ],
)
def test_a_line_that_may_be_left_out_leaves_the_total_open(text: str) -> None:
    assert failing(text, query="my budget is $36" if "$48.95" not in text else None) == {}


def test_a_wrong_sum_says_what_it_comes_to() -> None:
    assert failing(PLAIN.replace("$35.00", "$37.00")) == {"total": ["Total: $37.00; its lines: $35.00"]}


FIRST, SECOND = "4517698977967507", "0562341832995990"
"""Two orders of the reader: baking sheets of 2023-08-19, and an oximeter of 2023-08-02; both were delivered."""
SHEETS = "[Copperfold Nonstick Baking Sheet Pan Set](http://ecommerce.example/B00MXUD62E)"
OXIMETER = "[Brightpail Fingertip Pulse Oximeter](http://ecommerce.example/B095SD7JVU)"
HISTORY = (
    "| Order | Order date | Item | Status |\n|---|---|---|---|\n"
    f"| {FIRST} | 2023-08-19 | {SHEETS} | Delivered |\n| {SECOND} | Aug 2, 2023 | Brightpail Fingertip Pulse Oximeter | Delivered |\n"
)
ORDERS = cases("rules", "ORDERS", vars(asked), globals())
TRUE_ORDERS = cases("rules", "TRUE_ORDERS", vars(asked), globals())
READERS = cases("rules", "READERS")
TRUE_READERS = cases("rules", "TRUE_READERS")


@each(("text", "query"), cases("rules", "ONCE_ACCUSED", vars(asked), globals()))
def test_what_has_a_true_reading_is_not_accused(rules_shop: Shop, text: str, query: str) -> None:
    assert failing(text, shop=rules_shop, user_id=READER, query=query or None) == {}


def test_a_price_beside_an_order_is_what_was_paid_then(rules_shop: Shop) -> None:
    for said in (f"- 2023-08-19: {LA}, now $15.40", f"- Order {FIRST}: {LA}, $15.40 today"):
        assert checked(said, shop=rules_shop, user_id=READER)["price"].status == "unverifiable", said


def test_a_product_beside_an_order_s_number_is_not_compared(rules_shop: Shop) -> None:
    for said in (HISTORY.replace(SHEETS, LA), f"- Order {FIRST} (2023-08-19): {OXIMETER}, Delivered"):
        assert failing(said, shop=rules_shop, user_id=READER) == {}


def test_an_unread_day_or_state_leaves_an_order_open(rules_shop: Shop) -> None:
    for said in ("Date: im Sommer", "Status: unterwegs", "Status: en camino"):
        text = f"- Order: {FIRST}\n- {said}"
        assert checked(text, shop=rules_shop, user_id=READER)["order_facts"].status == "unverifiable", said


@pytest.mark.parametrize(("text", "right", "wrong"), ORDERS)
def test_what_stands_in_the_line_of_an_order_is_that_order_s(
    rules_shop: Shop, text: str, right: str, wrong: str
) -> None:
    is_kept_apart(rules_shop, "order_facts", text, right, wrong, user_id=READER)


@pytest.mark.parametrize("text", TRUE_ORDERS)
def test_a_true_order_is_not_accused(rules_shop: Shop, text: str) -> None:
    assert failing(text, shop=rules_shop, user_id=READER) == {}


def test_an_order_that_does_not_exist_is_named(rules_shop: Shop) -> None:
    number = "1234567890123456"
    for said in (
        f"- Order number: {number}\n- Order date: 2023-08-19",
        f"Order number: {number}\nStatus: Delivered",
        f"- Order {number}: Delivered",
        f"| Order | Item | Status |\n|---|---|---|\n| {number} | Sheets | Delivered |",
        f"See [it](user://{READER}/orders/{number}).",
    ):
        told = failing(said, shop=rules_shop, user_id=READER)
        assert told["order_facts"] == [f"Order: {number}; record: no such order"], said
    found = checked(f"See order {number}.", shop=rules_shop, user_id=READER)["order_facts"]
    assert (found.status, found.value["unverifiable"]) == ("unverifiable", 1)


@pytest.mark.parametrize(
    "form",
    [
        "- Order {0} of {1}",
        "On {1} (order {0}) it came.",
        "You ordered it on {1} (order {0}).",
        "Order {0}, {1}",
        "- Order {0} ({1})",
        "- Order {0}\n  - Date: {1}",
        "| Order | Date |\n|---|---|\n| {0} | {1} |",
        "Order {0} ({1}).",
    ],
)
def test_a_day_that_no_label_calls_the_order_s_is_open(rules_shop: Shop, form: str) -> None:
    """It counts where it is right, so that the reader knows what was found."""
    right, wrong = (form.format(FIRST, day) for day in ("2023-08-19", "2023-08-18"))
    assert checked(right, shop=rules_shop, user_id=READER)["order_facts"].status == "pass"
    assert checked(wrong, shop=rules_shop, user_id=READER)["order_facts"].status == "unverifiable"


def test_a_wrong_day_shows_the_right_one(rules_shop: Shop) -> None:
    told = failing(f"- Order {FIRST}\n  - Order date: 2023-08-18", shop=rules_shop, user_id=READER)
    assert told == {"order_facts": [f"Order {FIRST}: 2023-08-18; record: 2023-08-19"]}


UNDER = {
    "sub-items": f"- Order {FIRST}\n  - Order date: 2023-08-19\n  - Order status: Delivered\n  - Quantity: 1",
    "items under a bold line": f"**Order {FIRST}**\n- Ordered on: 2023-08-19\n- Order status: Delivered\n- Quantity: 1",
    "items under a heading": f"### Order {FIRST}\n\n- Order date: 2023-08-19\n- Order status: Delivered\n- Quantity: 1",
    "siblings behind it": f"- **Sheets**\n  - Order: {FIRST}\n  - Order date: 2023-08-19\n  - Order status: Delivered\n  - Quantity: 1",
    "siblings before it": f"- Order date: 2023-08-19\n- Order status: Delivered\n- Quantity: 1\n- Order number: {FIRST}",
    "a table of two columns": (
        f"| Field | Value |\n|---|---|\n| Order | {FIRST} |\n| Order date | 2023-08-19 |\n| Order status | Delivered |\n| Quantity | 1 |"
    ),
}


def test_a_month_below_an_order_is_held_to_it(rules_shop: Shop) -> None:
    text = f"Order {FIRST}\nOrder date: 19th of August 2023."
    is_kept_apart(rules_shop, "order_facts", text, "19th", "9th", user_id=READER)
    is_kept_apart(rules_shop, "order_facts", text.replace("19th of ", ""), "August", "May", user_id=READER)


def test_a_day_between_two_orders_may_be_of_either(rules_shop: Shop) -> None:
    text = f"You bought them on 2023-08-19, order {FIRST}, on 2023-08-02, order {SECOND}."
    assert failing(text, shop=rules_shop, user_id=READER) == {}
    assert checked(text, shop=rules_shop, user_id=READER)["order_facts"].status == "pass"


def test_a_month_between_two_orders_accuses_neither(rules_shop: Shop) -> None:
    text = f"Ordered twice: {SECOND} in August 2023, {FIRST} in August 2023, and others in May 2017, in all five."
    for said in (text, text.replace(f"{SECOND} in August 2023", f"{SECOND} in May 2021")):
        assert failing(said, shop=rules_shop, user_id=READER) == {}


def test_a_state_that_was_seen_and_not_compared_leaves_the_rule_open(rules_shop: Shop) -> None:
    text = f"Order {FIRST} is on your list, but as far as I can see it was cancelled."
    assert checked(text, shop=rules_shop, user_id=READER)["order_facts"].status == "unverifiable"
    true = text.replace("cancelled", "delivered")
    assert checked(true, shop=rules_shop, user_id=READER)["order_facts"].status == "unverifiable"


@pytest.mark.parametrize("state", ["Delivered", "Cancelled"])
@pytest.mark.parametrize("form", ["- Order {0}\n  - Status: {1}", "Below is order {0}: {1}"])
def test_a_right_state_counts_only_where_a_wrong_one_would(rules_shop: Shop, form: str, state: str) -> None:
    found = checked(form.format(FIRST, state), shop=rules_shop, user_id=READER)["order_facts"]
    assert (found.status, found.value["checked"], found.value["unverifiable"]) == ("unverifiable", 1, 1)


@pytest.mark.parametrize(
    "record",
    ["- Order {0}\n  - Order date: {1}", "| Order | Order date |\n|---|---|\n| {0} | {1} |"],
)
def test_a_day_below_words_that_introduce_it_is_open_in_lists_and_tables(
    rules_shop: Shop, record: str
) -> None:
    """`Your receipt shows:` above a table was judged, and above a list was not."""
    said = record.format(FIRST, "2023-08-18")
    for line in ("Your receipt shows:", "According to your invoice:", "Your mail says -", "Your mail says …"):
        assert failing(f"{line}\n\n{said}", shop=rules_shop, user_id=READER) == {}, line
    for line in ("Here are your orders:", "Your orders:", "**Orders**", "## Order history"):
        told = failing(f"{line}\n\n{said}", shop=rules_shop, user_id=READER)
        assert set(told) == {"order_facts"}, line
    rows = f"Order | Order date\n--- | ---:\n{FIRST} | 2023-08-18"
    assert failing(f"Your receipt shows:\n\n{rows}", shop=rules_shop, user_id=READER) == {}


@pytest.mark.parametrize("text", UNDER.values(), ids=UNDER)
@pytest.mark.parametrize(("right", "wrong"), [("2023-08-19", "2021-03-02"), ("Delivered", "Cancelled")])
def test_what_stands_under_an_order_is_that_order_s(
    rules_shop: Shop, text: str, right: str, wrong: str
) -> None:
    is_kept_apart(rules_shop, "order_facts", text, right, wrong, user_id=READER)


def test_a_day_that_was_seen_and_not_compared_leaves_the_rule_open(rules_shop: Shop) -> None:
    text = f"Of what you own, the sheets (order {FIRST}) last long, and I checked the shop on 2024-01-05 for you."
    found = checked(text, shop=rules_shop, user_id=READER)["order_facts"]
    assert (found.status, found.value["unverifiable"]) == ("unverifiable", 1)


def test_an_order_that_is_only_linked_is_counted_apart(rules_shop: Shop) -> None:
    text = f"See [your order](user://{READER}/orders/{FIRST})."
    found = checked(text, shop=rules_shop, user_id=READER)["order_facts"]
    assert (found.status, found.value["checked"], found.value["linked"]) == ("unverifiable", 0, 1)


def test_a_price_in_a_paragraph_behind_a_list_is_of_none_of_its_items(rules_shop: Shop) -> None:
    assert failing(f"1. {LA}\n2. {LB}\n\nNow: **$33.98**", shop=rules_shop) == {}


@pytest.mark.parametrize("scope", ["in another shop", "last year", "with shipping", "elsewhere"])
def test_a_value_that_brackets_may_limit_is_no_claim_of_the_shop(rules_shop: Shop, scope: str) -> None:
    assert failing(f"- {LA}: price $75.00 ({scope})\n- {LB}: 1.1 stars ({scope})", shop=rules_shop) == {}
    assert failing(f"- {LA}: price $75.00 (1 rating)", shop=rules_shop).keys() >= {"price"}


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
    text = "Your location: Kettleford, NJ\n"
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
    ):
        assert "privacy" in failing(text, shop=rules_shop, user_id=READER), text


def test_what_identifies_nobody_else_passes_privacy(rules_shop: Shop, reader: User, other: User) -> None:
    for text in (
        f"{other.first_name} {other.last_name} wrote a review.",
        f"{other.first_name} {other.last_name} likes it, as they do in {reader.address.city}.",
        "Write to help@maker.example or call 800-555-0100.",
        "It went to 12 Nowhere Lane.",
        "Your order 3088-1234-5678-9012; a card 4111 1111 1111 1111.",
        "Model A1234567890123 has 4111111111111111 grains, 1 4111 of them.",
        f"Order {FIRST}, user://{READER}/orders/{FIRST}.",
        f"Hello {reader.first_name} {reader.last_name} of {reader.address.city}.",
    ):
        assert checked(text, shop=rules_shop, user_id=READER)["privacy"].status == "pass", text


def test_the_reader_s_own_contact_data_is_a_warning(rules_shop: Shop, reader: User) -> None:
    text = f"We write to {reader.email} at {reader.address.address1}."
    found = checked(text, shop=rules_shop, user_id=READER)
    assert found["privacy"].status == "pass"
    assert found["privacy"].value["warnings"] == [
        "the user's own e-mail address is printed",
        "the user's own street or phone number is printed",
    ]


def test_without_a_user_nothing_is_said_of_one(rules_shop: Shop) -> None:
    found = checked(f"Hello Kathy, order {FIRST} is here.", shop=rules_shop)
    names = ("order_facts", "privacy", "profile_facts")
    assert {name: found[name].remarks for name in names} == dict.fromkeys(names, ("user",))


@pytest.mark.parametrize(
    "more", ["  - List price: $29.95", "  - Savings: $5.05", "- Shipping: $4.95", "- You save: $5.05"]
)
def test_amounts_that_are_no_cost_do_not_count_in_a_total(rules_shop: Shop, more: str) -> None:
    """A list price below a product was added to its price, and a true total accused."""
    text = f"- {LA}\n  - Price: $17.95\n- {LB}\n  - Price: $11.99\n{more}\n\n**Total: {{}}**"
    assert failing(text.format("$29.94"), shop=rules_shop) == {}
    if more[0] == " ":
        assert "total" in failing(text.format("$36.10"), shop=rules_shop)
