"""What an order is said to hold: another product put together with its number by a verb, an item or a row is wrong."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

USER = "AHLORNXX3M3Y81CAHFOK29F7I6DH"
ORDER = "9656580216964782"
"""Of 13 September 2023, of a kitchen scale."""
SCALE, SHEARS = "http://ecommerce.example/B0YHTPJ4GY", "http://ecommerce.example/B09ACHD7U0"
CITED = f"([order](user://{USER}/orders/{ORDER}))"


def status(shop: Shop, text: str) -> str:
    return check_report(Subject(text, shop=shop, user_id=USER))["order_facts"].status


@pytest.mark.parametrize(
    "text",
    [
        f"Your order {ORDER} was the {{thing}}.",
        f"Order {ORDER} of 13 September 2023 contained the {{thing}}.",
        f"Your orders:\n\n- {ORDER}: {{thing}}\n",
        f"- Order {ORDER} (13 September 2023): {{thing}}",
        f"- {{thing}}, order {ORDER}",
        f"| order | item |\n|---|---|\n| {ORDER} | {{thing}} |",
        f"| order | date | item |\n|---|---|---|\n| {ORDER} | 2023-09-13 | {{thing}} |",
        f"Your order was the {{thing}} {CITED}.",
        f"You bought the {{thing}} in order {ORDER}.",
    ],
)
def test_a_wrong_thing_under_a_right_order_is_wrong(rules_shop: Shop, text: str) -> None:
    right = text.format(thing=f"[Hollyline digital kitchen scale]({SCALE})")
    wrong = text.format(thing=f"[Bluestem Bypass Pruning Shears]({SHEARS})")
    assert (status(rules_shop, right), status(rules_shop, wrong)) == ("pass", "fail")


@pytest.mark.parametrize(
    "text",
    [
        f"After your order {ORDER}, consider the {{shears}}.",
        f"Your order {ORDER} was a scale, and today consider the {{shears}}.",
        f"The {{shears}} goes with your order {ORDER}.",
        f"Your order {ORDER} was not the {{shears}}.",
        f"- In place of {ORDER}: {{shears}}",
        f"Based on order {ORDER}: {{shears}}",
        f"You bought a scale in order {ORDER}; the {{shears}} is for the garden.",
        f"| order | replace with |\n|---|---|\n| {ORDER} | {{shears}} |",
        f"| product | why | from |\n|---|---|---|\n| {{shears}} | you keep a kitchen garden with herbs | {ORDER} |",
        f"1. {{shears}} {CITED}",
        f"You liked the scale {CITED}: the {{shears}} is by another maker.",
    ],
)
def test_what_is_said_beside_an_order_is_not_what_it_held(rules_shop: Shop, text: str) -> None:
    text = text.format(shears=f"[Bluestem Bypass Pruning Shears]({SHEARS})")
    assert status(rules_shop, text) != "fail"
