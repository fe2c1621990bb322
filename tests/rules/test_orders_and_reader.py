"""Order lines, labelled figures of all orders, the reader's name and place, and what would give somebody else away."""

from __future__ import annotations

import pytest
from asked import LA, OTHER, READER, checked, failing, is_kept_apart
from drr.env.entities import User
from drr.env.session import Session
from drr.env.shop import Shop

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
