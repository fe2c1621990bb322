"""True sentences of lists, counts and differences: a name is of its own id, and a figure of what it is said of."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

from benchmarks.planted import Scene
from tests.rules.test_details import accused
from tests.rules.test_histories import known_of
from tests.rules.test_persons import status
from tests.rules.test_readings import link, orders_of

BOWLS = (
    ("Ashwell 1 cup", "$9.99", "B0UTZBDBD5"),
    ("Purrdale 2 cups", "$12.99", "B0YU0JYXRF"),
    ("Gillwater 2 cups", "$17.00", "B0VQYMEY0E"),
    ("Trailhound 6 cups", "$21.99", "B0YCFPKUCE"),
)
SHIFTED = tuple((BOWLS[place - 1][0], *rest) for place, (_, *rest) in enumerate(BOWLS))
"""The same, each by the name of the one before it."""
ASHWELL, PURRDALE = (f"http://ecommerce.example/{BOWLS[place][2]}" for place in (0, 1))


def failing(shop: Shop, text: str) -> set[str]:
    return {name for name, check in check_report(Subject(text, shop=shop)).items() if check.status == "fail"}


@pytest.mark.parametrize("marks", ["()", "[]", "  "], ids=["parentheses", "brackets", "bare"])
@pytest.mark.parametrize(
    ("lead", "form", "joint", "read"),
    [
        ("", "- {name}, wide: {price}, 4.8 {id}", "\n", True),
        ("", "* **{name}**: {price} {id}", "\n\n", True),
        ("", "1. {name}, {price} {id}", "\n", True),
        ("", "- {name} {id}", "\n", True),
        ("", "— {name} {price} {id}", "\n", False),
        ("Bowls: ", "{name}, {price} {id}", "; ", False),
        ("Bowls: ", "{name} {price} {id}", ", ", False),
        ("Bowls: ", "{name} {price} {id}", " — ", False),
        ("Bowls: ", "{name} {price} {id}", " -> ", False),
        ("| Bowl | Price | Id |\n|---|---|---|\n", "| {name} | {price} | {id} |", "\n", True),
        ("| Bowl | Price |\n|---|---|\n", "| {name} {id} | {price} |", "\n", True),
    ],
)
def test_the_id_that_ends_an_item_is_its_own(
    rules_shop: Shop, lead: str, form: str, joint: str, marks: str, read: bool
) -> None:
    def told(bowls: tuple[tuple[str, ...], ...]) -> str:
        items = (
            form.format(name=name, price=price, id=f"{marks[0]}{key}{marks[1]}".strip())
            for name, price, key in bowls
        )
        return f"{lead}{joint.join(items)}\n"

    assert failing(rules_shop, told(BOWLS)) == set()
    if read:
        assert "name_matches_id" in failing(rules_shop, told(SHIFTED))


@pytest.mark.parametrize("form", ["{id}: {name}, {price}", "{id} is the {name} at {price}", "{id} — {name}"])
def test_a_name_behind_an_id_that_leads_is_of_that_id(rules_shop: Shop, form: str) -> None:
    def told(bowls: tuple[tuple[str, ...], ...]) -> str:
        return "\n".join("- " + form.format(name=name, price=price, id=key) for name, price, key in bowls)

    assert failing(rules_shop, told(BOWLS)) == set()
    assert "name_matches_id" in failing(rules_shop, told(SHIFTED))


def test_a_day_from_which_orders_are_counted_is_of_none_of_them(scene: Scene) -> None:
    user, _, _ = known_of(scene)
    orders = orders_of(scene, user)
    first = min(one.order_date[:10] for one, _ in orders)
    then = {each.product_id for one, each in orders if one.order_date.startswith(first)}
    later = next(each for _, each in orders if each.product_id not in then)
    for count in (f"{len(orders)} since", f"{len(orders)} of them since", "these many times since"):
        true = f"Your own orders point the way: {count} {first}, and among them the {link(later)}."
        assert status(true, "order_facts", scene, user) != "fail"
    assert status(f"You ordered the {link(later)} on {first}.", "order_facts", scene, user) == "fail"
    assert (
        status(f"Your order of {first} brought you the {link(later)}.", "order_facts", scene, user) == "fail"
    )


@pytest.mark.parametrize("more", ["quieter", "lower", "louder", "warmer", "higher"])
def test_by_how_much_a_thing_is_more_is_no_figure_of_its_own(rules_shop: Shop, more: str) -> None:
    known = "The [Tailfield]({tail}) is "
    assert accused(f"{known}10 dB {more}, 40 against 50, and I would take it.", rules_shop) == []
    assert accused(f"{known}40 dB, and I would take it.", rules_shop) == []
    assert accused(f"{known}10 dB, and I would take it.", rules_shop) == ["10 dB"]


@pytest.mark.parametrize(
    "form",
    [
        "The Purrdale for the Ashwell costs $3.00 {side}.",
        "The Purrdale instead of the Ashwell is $3.00 {side}.",
        "The Purrdale bowl in place of the Ashwell bowl costs $3.00 {side}.",
        f"The [Purrdale]({PURRDALE}) for the [Ashwell]({ASHWELL}) costs $3.00 {{side}}.",
        "Swapping the Ashwell for the Purrdale costs $3.00 {side}.",
        "The Purrdale costs $3.00 {side}.",
    ],
)
def test_one_for_another_is_said_of_the_one(rules_shop: Shop, form: str) -> None:
    known = f"The Ashwell bowl costs $9.99 ({ASHWELL}), the Purrdale bowl $12.99 ({PURRDALE}).\n\n"
    assert failing(rules_shop, known + form.format(side="more")) == set()
    assert "product_claims" in failing(rules_shop, known + form.format(side="less"))
