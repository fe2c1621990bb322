"""Bills: what a coupon, a gift card, a tax or shipping adds or takes is signed wherever sums are made, and is no product's price."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

A, B = "http://ecommerce.example/B09248YNC1", "http://ecommerce.example/B07X4L3M14"
"""$17.95 and $11.99, $29.94 together."""


def failed(shop: Shop, text: str) -> set[str]:
    found = check_report(Subject(text, shop=shop))
    return {
        name for name in ("price", "total", "product_claims", "outside_shop") if found[name].status == "fail"
    }


def table(label: str, amount: str, total: str, between: str = "") -> str:
    items = f"| [Diffuser]({A}) | $17.95 |\n| [Thermometer]({B}) | $11.99 |"
    return (
        f"| item | price |\n|---|---|\n{items}\n{between}| {label} | {amount} |\n| **Total** | **{total}** |"
    )


TAKEN = [
    ("Coupon", "-$5.40"),
    ("Coupon", "−$5.40"),
    ("Discount", "$-5.40"),
    ("coupon", "–$5.40"),
    ("Coupon SAVE10", "($5.40)"),
    ("Less coupon", "$5.40"),
    ("Gift card", "-$5.40"),
    ("18% off", "-$5.40"),
]


@pytest.mark.parametrize(("label", "amount"), TAKEN)
def test_what_a_table_takes_off_is_taken_off(rules_shop: Shop, label: str, amount: str) -> None:
    assert failed(rules_shop, table(label, amount, "$24.54")) == set()
    assert "total" in failed(rules_shop, table(label, amount, "$35.34"))


@pytest.mark.parametrize("label", ["Together", "**All of it**", "Altogether", "Both", "All two", "The lot"])
def test_a_last_row_that_takes_all_together_is_their_sum(rules_shop: Shop, label: str) -> None:
    rows = f"| item | price |\n|---|---|\n| [Diffuser]({A}) | $17.95 |\n| [Thermometer]({B}) | $11.99 |\n| {label} | {{}} |"
    assert failed(rules_shop, rows.format("$29.94")) == set()
    assert "total" in failed(rules_shop, rows.format("$27.94"))


def test_a_row_of_several_may_hold_what_all_of_them_cost(rules_shop: Shop) -> None:
    """Its column is headed `price` only; what is no multiple of a price is one that is to be taken so often."""
    rows = "| item | quantity | price |\n|---|---|---|\n| Diffuser | 2 | {} |\n| Thermometer | 1 | $11.99 |\n| Total | | {} |\n"
    linked = f"I took the [diffuser]({A}) at $17.95 and the [thermometer]({B}).\n\n{rows}"
    assert failed(rules_shop, linked.format("$35.90", "$47.89")) == set()
    assert failed(rules_shop, linked.format("$17.95", "$47.89")) == set()
    assert "total" in failed(rules_shop, linked.format("$35.90", "$49.89"))


def test_a_subtotal_is_not_added_again(rules_shop: Shop) -> None:
    between = "| Subtotal | $29.94 |\n"
    assert failed(rules_shop, table("Coupon", "-$5.40", "$24.54", between)) == set()
    assert "total" in failed(rules_shop, table("Coupon", "-$5.40", "$35.34", between))


@pytest.mark.parametrize(
    ("label", "amount", "total"),
    [
        ("Tax (8%)", "$2.40", "$32.34"),
        ("Shipping", "$5.00", "$34.94"),
        ("Shipping", "free", "$29.94"),
        ("10% off", "10%", "$26.95"),
        ("You save", "$3.00", "$29.94"),
        ("You save", "$3.00", "$26.94"),
    ],
)
def test_a_line_of_a_bill_is_no_products_price(rules_shop: Shop, label: str, amount: str, total: str) -> None:
    assert failed(rules_shop, table(label, amount, total)) == set()


@pytest.mark.parametrize(
    ("items", "line", "right", "wrong"),
    [
        (1, "Coupon: -$5.40", "$12.55", "$23.35"),
        (2, "Coupon: -$5.40", "$24.54", "$35.34"),
        (2, "Coupon (-$5.40)", "$24.54", "$35.34"),
        (2, "You save: $5.40", "$24.54", "$39.94"),
    ],
)
def test_what_a_list_takes_off_is_taken_off(
    rules_shop: Shop, items: int, line: str, right: str, wrong: str
) -> None:
    bought = [f"- [Diffuser]({A}): $17.95", f"- [Thermometer]({B}): $11.99"][:items]
    report = "\n".join([*bought, f"- {line}", "", "**Total: {total}**"])
    assert failed(rules_shop, report.format(total=right)) == set()
    assert "total" in failed(rules_shop, report.format(total=wrong))


def test_a_total_before_the_coupon_adds_nothing_wrongly(rules_shop: Shop) -> None:
    text = f"| item | price |\n|---|---|\n| [Diffuser]({A}) | $17.95 |\n| Total before coupon | $17.95 |\n| Coupon | -$5.40 |\n| Total | $12.55 |"
    assert failed(rules_shop, text) == set()
