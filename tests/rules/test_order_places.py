"""Days of orders in items, lists, labels and rows; each is kept apart from a wrong one, and prose stays open."""

from __future__ import annotations

import pytest
from asked import READER, checked, failing, is_kept_apart
from drr.env.shop import Shop

FIRST, DAY, WRONG = "4517698977967507", "August 19, 2023", "August 9, 2023"


@pytest.mark.parametrize(
    "form",
    [
        "- Order {0}: placed on {1}",
        "- Order {0}, placed on {1}: sent as a gift",
        "1. **Order {0}** – placed on {1}, it came late",
        "- Order #{0} (placed {1}): for the bedroom",
        "- {0}: ordered on {1}, 1 piece",
        "**Order {0}**\n- Placed on {1}\n- For the bedroom",
        "- Order {0}\n  - Ordered {1}",
        "### Sheets\n- Order {0}\n- Date of order: {1}",
        "Order number: {0}\nDate placed: {1}",
        "Order {0}: placed on {1}",
        "- Order {0}: placed on {1} (for the bedroom)",
        "- Item: [Copperfold Nonstick Baking Sheet Pan Set](http://ecommerce.example/B00MXUD62E)\n- Order number: {0}\n- Order date: {1}",
        "| Order | Placed on | For |\n|---|---|---|\n| {0} | {1} | the bedroom |",
    ],
)
def test_a_wrong_day_of_an_order_is_found(rules_shop: Shop, form: str) -> None:
    is_kept_apart(rules_shop, "order_facts", form.format(FIRST, DAY), DAY, WRONG, user_id=READER)
    year = DAY.replace("2023", "2021")
    is_kept_apart(rules_shop, "order_facts", form.format(FIRST, DAY), DAY, year, user_id=READER)


@pytest.mark.parametrize(
    "form",
    [
        "Order {0} was placed on {1}, as far as I can see.",
        "Order {0}, placed on {1}, was the first.",
        "- Order {0}: ordered {1} and August 19, 2023",
        "- Order {0}: your mail says placed on {1}",
        "- Order {0}: placed on {1} in another shop",
        "- Order {0}: placed on {1}?",
        "> - Order {0}: placed on {1}",
        "- Order {0}: shipped on {1}",
        "- Order {0} and 0562341832995990: placed on {1}",
    ],
)
def test_a_day_that_may_be_of_another_thing_is_open(rules_shop: Shop, form: str) -> None:
    text = form.format(FIRST, WRONG)
    assert failing(text, shop=rules_shop, user_id=READER) == {}
    assert checked(form.format(FIRST, DAY), shop=rules_shop, user_id=READER)["order_facts"].status != "fail"


def test_a_day_behind_an_order_is_read_in_another_language(rules_shop: Shop) -> None:
    for form in ("- Bestellung {0}: bestellt am {1}", "**Bestellung {0}**\n- Gekauft am {1}\n"):
        right, wrong = (form.format(FIRST, day) for day in ("19. August 2023", "9. August 2023"))
        known = {"shop": rules_shop, "user_id": READER, "language": "de"}
        assert failing(right, **known) == {} and set(failing(wrong, **known)) == {"order_facts"}
