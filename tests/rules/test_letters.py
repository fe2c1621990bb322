"""Who a text greets, what whole packages hold and by what a cost is counted: what is true of them accuses nobody."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

from benchmarks.planted import Scene

NOTES, SUPPLEMENT, MARKERS, OTHER_MARKERS = "B0YM1JCPTL", "B0ESJWP1OZ", "B0HZ3TFV20", "B057UC0VLA"


def url(product_id: str) -> str:
    return f"http://ecommerce.example/{product_id}"


def greeted(scene: Scene, text: str, question: str) -> str:
    user = scene.users[0]
    said = text.replace("{me}", user.first_name)
    subject = Subject(said, query=question, shop=scene.shop, user_id=user.user_id)
    return check_report(subject)["profile_facts"].status


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Which kettle?", "Dear Ottoline,\n\nthere are three kettles with a price."),
        ("Which pads for a puppy?", "Hi Barnaby! These pads are the cheapest."),
        ("Write me a letter about hoses", "Dear Ottoline, you asked for a letter."),
        ("Tell me the two best kettles", "Hello Barnaby, there are two."),
        ("Do I own a drill?", "You do, Kimberly, and it is a good one."),
        ("Is there a kettle below $40?", "Yes, Kimberly: there are two."),
    ],
)
def test_a_letter_to_the_reader_greets_him_by_his_name(scene: Scene, question: str, text: str) -> None:
    assert greeted(scene, text, question) == "fail"
    for name in ("Ottoline", "Barnaby", "Kimberly"):
        text = text.replace(name, "{me}")
    assert greeted(scene, text, question) == "pass"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Write to the plumber about my hoses", "Dear Ottoline, the hose leaks."),
        ("Draft a birthday card for my sister", "Dear Ottoline, many happy returns."),
        ("Reply to Barnaby about the kettles", "Hi Barnaby, there are three."),
        ("Explain to my dad which drill to get", "Hello Barnaby, take the small one."),
        ("Which kettle is quiet?", "Dear Ottoline, I have owned this kettle for years; do buy it."),
        ("Which kettle is quiet?", "Dear Ottoline, mine is the steel one."),
        ("Which kettle is quiet?", "Dear Ottoline, take the steel one.\n\nYours, {me}"),
        ("Which kettle is quiet?", "Dear Neighbour, take the steel one."),
        ("Does it talk to the phone?", "Yes, Bluetooth: it has that."),
        ("How does the cuff close?", "Well, Velcro: it closes with that."),
        ("Is the lid of glass?", "No, Bakelite, as the page says."),
        ("What is it called?", "You did, Ottoline, and it was the small one."),
    ],
)
def test_who_is_greeted_in_a_letter_to_others_is_not_the_reader(
    scene: Scene, question: str, text: str
) -> None:
    assert greeted(scene, text, question) == "unverifiable"


def failed(shop: Shop, text: str) -> set[str]:
    """The rules that accuse anything."""
    checks = check_report(Subject(text, shop=shop))
    return {name for name, check in checks.items() if check.status == "fail"}


@pytest.mark.parametrize(
    ("text", "true", "false"),
    [
        (f"The [Clasp & Tab notes, 24 Pads]({url(NOTES)}) hold {{}} sheets.", "1,680", "1,960"),
        (f"In one box of the [Clasp & Tab notes]({url(NOTES)}) there are {{}} sheets.", "1,680", "2,380"),
    ],
)
def test_what_a_whole_package_holds_is_its_number_times_its_measure(
    rules_shop: Shop, text: str, true: str, false: str
) -> None:
    assert not failed(rules_shop, text.format(true))
    assert failed(rules_shop, text.format(false)) == {"product_claims"}


@pytest.mark.parametrize(
    ("text", "true", "false"),
    [
        (
            f"The [Brackenpaw chews]({url(SUPPLEMENT)}) are $32.99 for 90 pieces of 900 mg. Counted by 300 mg, the Brackenpaw costs about {{}} cents.",
            "12.2",
            "18.5",
        ),
        (
            f"- [Stoneware Markers]({url(MARKERS)}): $11.00\n\nNotes:\n\n- **Markers.** Many colors, about {{}} cents a marker. The [pack of Standwell]({url(OTHER_MARKERS)}) is $16.99.",
            "92",
            "58",
        ),
    ],
)
def test_a_cost_is_counted_by_what_its_sentence_says_and_may_be_of_what_was_named_above(
    rules_shop: Shop, text: str, true: str, false: str
) -> None:
    assert "price" not in failed(rules_shop, text.format(true))
    assert "price" in failed(rules_shop, text.format(false))


@pytest.mark.parametrize(
    "text",
    [
        "Prices of what is left: $18.00, $24.00, $30.60; mean $24.20.",
        "What you may buy has an average price of $24.20: $18.00, $24.00 and $30.60.",
        "Three items at $18.00, $24.00, $90.00 have a median price of $24.00.",
        "Of what you had three have a price: $18.00, $24.00 and $30.60. On average such an item costs $24.20.",
        "At today's prices the three that you ordered average $24.20.",
        "The average price of both items that you ordered is $24.20.",
    ],
)
def test_the_mean_of_a_list_is_not_that_of_the_readers_orders(scene: Scene, text: str) -> None:
    said = [text, "The average price of your orders is $61.35."]
    some = [Subject(one, shop=scene.shop, user_id=scene.users[0].user_id) for one in said]
    assert [check_report(one)["statistics"].status == "fail" for one in some] == [False, True]
