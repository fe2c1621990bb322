"""What one sentence says of its reader's orders so plainly that one reading is left: true as it stands, false with one figure changed."""

from __future__ import annotations

from collections import Counter
from datetime import date

import pytest
from drr.env.entities import Order, User
from drr.eval.checks import Subject, check_report

from benchmarks.planted import Scene
from tests.rules.test_histories import known_of, spelt
from tests.rules.test_persons import MONTHS, status


def orders_of(scene: Scene, user: User) -> list[Order]:
    return list(scene.shop.store.orders(user.user_id, limit=500).items)


def spoken(iso: str) -> str:
    day = date.fromisoformat(iso[:10])
    return f"{MONTHS[day.month - 1]} {day.day}, {day.year}"


def kinds(text: str, rule: str, scene: Scene, user: User) -> set[str | None]:
    check = check_report(Subject(text, shop=scene.shop, user_id=user.user_id))[rule]
    return {one.kind for one in check.accused}


@pytest.mark.parametrize(
    "form",
    [
        "You like the garden: {n} of your {m} orders on record went there, roughly {p}% of everything you bought.",
        "About {p}% of your orders ({n} of {m}) were for the garden.",
        "That is {n} of your {m} orders for the garden and the shed, so {p} percent.",
        "Out of {m} orders, {n} ({p}%) are for the garden.",
    ],
)
def test_a_share_beside_its_count(scene: Scene, form: str) -> None:
    user = scene.users[0]
    for n, m, p in ((18, 24, 75), (7, 9, 78)):
        assert "own_part" not in kinds(form.format(n=n, m=m, p=p), "statistics", scene, user)
        assert "own_part" in kinds(form.format(n=n, m=m, p=p - 25), "statistics", scene, user)


@pytest.mark.parametrize(
    "text",
    [
        "18 of your 24 orders went to the garden, and the rest, 25%, to the kitchen.",
        "18 of your 24 orders went to the garden, 60% of what you spent.",
        "18 of your 24 orders went to the garden, more than 70%.",
        "18 of your 24 orders are priced, 7 of them soap, about 29%.",
        "18 of your 24 orders went to the garden, nearly 80%.",
    ],
)
def test_a_share_of_something_else_or_on_the_side_that_is_said(scene: Scene, text: str) -> None:
    assert "own_part" not in kinds(text, "statistics", scene, scene.users[0])


@pytest.mark.parametrize(
    ("text", "true", "false"),
    [
        (
            "You ordered it on May 3, 2020 and again on August 3, 2021, {} months apart; a pack lasts a year.",
            "fifteen",
            "five",
        ),
        ("It came in May 2020 and once more in August 2021, about {} months later.", "15", "25"),
        ("Two parcels, May 3, 2021 and May 12, 2021, {} days between them.", "nine", "nineteen"),
        ("Nothing came between December 2019 and April 2022, a lull of some {} months.", "28", "18"),
        ("Two kits, bought {} months apart (March 2018, December 2019).", "twenty-one", "nine"),
        ("Two lamps, {} years to the day, 7 July 2020 and 7 July 2022.", "two", "four"),
    ],
)
def test_a_gap_beside_its_two_days(scene: Scene, text: str, true: str, false: str) -> None:
    user = scene.users[0]
    assert "own_between" not in kinds(text.format(true), "order_facts", scene, user)
    assert "own_between" in kinds(text.format(false), "order_facts", scene, user)


def test_what_is_not_so_is_held_to_nothing(scene: Scene) -> None:
    for text in (
        "If May 3, 2021 and May 12, 2021, nineteen days apart, were both refill days, the pack is too small.",
        "Would 18 of your 24 orders, about 50%, be too many for the garden?",
    ):
        for rule in ("order_facts", "statistics"):
            assert not {"own_part", "own_between"} & kinds(text, rule, scene, scene.users[0]), text


def test_a_gap_of_three_days_may_lie_between_any_two(scene: Scene) -> None:
    text = "On May 3, 2019, May 3, 2020 and August 3, 2021, 27 months apart at the ends, you bought soap."
    assert "own_between" not in kinds(text, "order_facts", scene, scene.users[0])


@pytest.mark.parametrize(
    "text",
    [
        "You bought soap between May 2019 and May 2021, a gap of three months to the orders before.",
        "Nine months apart, May 2019, March 2020 and May 2021 were your days of soap.",
        "After May 2019 and June 2019, a pause of two years and a month followed.",
    ],
)
def test_a_gap_that_need_not_lie_between_two_days(scene: Scene, text: str) -> None:
    assert "own_between" not in kinds(text, "order_facts", scene, scene.users[0])


def test_long_number_words_are_counts_as_figures_are(scene: Scene) -> None:
    user, known, _ = known_of(scene)
    assert not kinds(f"You have placed {known.orders} orders.", "statistics", scene, user)
    for said in ("eight hundred and seventy-seven", "877"):
        assert kinds(f"You have placed {said} orders.", "statistics", scene, user)


def test_a_state_of_some_of_all_orders_in_words(scene: Scene) -> None:
    user = next(
        one
        for one in scene.users
        if (orders := orders_of(scene, one)) and all(each.order_status == "Delivered" for each in orders)
    )
    for form in ("Two of your {} orders were {}.", "Two of your {} orders are still marked {}."):
        assert "own_state" in kinds(form.format("nine", "cancelled"), "order_facts", scene, user)
        assert "own_state" in kinds(form.format("9", "cancelled"), "order_facts", scene, user)
    assert "own_state" not in kinds("None of your nine orders was cancelled.", "order_facts", scene, user)


def test_the_state_of_the_order_that_is_linked_with_its_day(scene: Scene) -> None:
    user, one = next(
        (user, order)
        for user in scene.users
        for order in orders_of(scene, user)
        if order.order_status == "Delivered"
    )
    link = f"[No-Fuss thing]({scene.shop.shop_url.rstrip('/')}/{one.product_id})"
    text = f"By the shop's record the **{link}**, ordered on {spoken(one.order_date)}, is marked {{}}."
    assert status(text.format("delivered"), "order_facts", scene, user) == "pass"
    assert "order_state" in kinds(text.format("cancelled"), "order_facts", scene, user)
    for unsaid in (
        f"If the {link}, ordered on {spoken(one.order_date)}, was cancelled, the record would say so.",
        f"The {link}, ordered on {spoken(one.order_date)}, was shipped two days later.",
        f"The {link}, ordered on {spoken(one.order_date)}, is returned to the shop free of charge.",
    ):
        assert status(unsaid, "order_facts", scene, user) != "fail", unsaid


@pytest.mark.parametrize(
    "form",
    [
        "{n} of your {m} orders on record are in {part}.",
        "**{part}:** {n} of your {m} orders.",
    ],
)
def test_a_part_of_all_orders_by_its_category(scene: Scene, form: str) -> None:
    user, known, parts = known_of(scene)
    part = parts[0]
    said = {"m": known.orders, "part": spelt(part)}
    assert status(form.format(n=part.orders, **said), "statistics", scene, user) == "pass"
    wrong = max(2, part.orders - 3) if part.orders > 5 else part.orders + 3
    assert "own_part" in kinds(form.format(n=wrong, **said), "statistics", scene, user)


def test_a_part_that_more_words_make_smaller_is_left_alone(scene: Scene) -> None:
    user, known, parts = known_of(scene)
    text = f"2 of your {known.orders} orders are in {spelt(parts[0])} by a maker you know."
    assert "own_part" not in kinds(text, "statistics", scene, user)


@pytest.mark.parametrize(
    "form",
    [
        "You like it here: {n} of your orders fell in {y}.",
        "Your record for {y} holds {n} orders.",
        "Your other years were slow. In {y} you placed {n}.",
        "Your best year is another one; the runner-up, {y}, has {n} orders.",
    ],
)
def test_more_orders_than_a_year_has(scene: Scene, form: str) -> None:
    user, known, _ = known_of(scene)
    year = known.by_year[0]
    many = sum(one.quantity for one in orders_of(scene, user) if one.order_date.startswith(year.name))
    assert "own_part" not in kinds(form.format(n=year.orders, y=year.name), "statistics", scene, user)
    assert "own_part" in kinds(form.format(n=many + 3, y=year.name), "statistics", scene, user)
    whole = f"{year.orders} of your {known.orders} orders fell in {year.name}."
    assert "own_part" not in kinds(whole, "statistics", scene, user)


def test_what_was_ordered_only_once(scene: Scene) -> None:
    user, often, day = next(
        (user, key, next(one.order_date for one in orders if one.product_id == key))
        for user in scene.users
        if (orders := orders_of(scene, user))
        for key, many in Counter(one.product_id for one in orders).items()
        if many >= 2 and not any(one.quantity > 1 for one in orders)
    )
    url = f"{scene.shop.shop_url.rstrip('/')}/{often}"
    text = f"You have the [thing]({url}), ordered {{}} ({spoken(day)})."
    assert "own_part" in kinds(text.format("once"), "statistics", scene, user)
    smaller = f"You have the [thing]({url}), ordered once ({spoken(day)}) in black."
    assert "own_part" not in kinds(smaller, "statistics", scene, user)


def shares_of_no_count(text: str, scene: Scene) -> list[str]:
    """What is said of shares that no count makes; the reader has 139 orders."""
    user = scene.users[1]
    assert len(orders_of(scene, user)) == 139
    check = check_report(Subject(text, shop=scene.shop, user_id=user.user_id))["statistics"]
    return [one.why for one in (*check.accused, *check.doubted) if "no count in sight" in one.why]


@pytest.mark.parametrize(
    ("text", "true", "false"),
    [
        ("Of your 139 orders 35 are soaps. That is roughly {} of everything.", "25 percent", "45 percent"),
        ("- Orders in all: 139\n- Soap of all sorts: 35, so about {}", "25%", "45%"),
        ("Seventy, out of 139 orders in all, so {} of everything you have bought.", "half", "a quarter"),
        ("70 times, {} of your 139 orders: soap above all.", "half", "a fifth"),
        ("80 orders of soap so far, which is {} of your 139.", "more than half", "less than half"),
        ("35 orders of soap so far, which is {} of your 139.", "one in four", "one in two"),
        ("You placed 139 orders, 20 of them soap and 15 balm. Together that is {}.", "25%", "45%"),
    ],
)
def test_a_share_away_from_its_count(scene: Scene, text: str, true: str, false: str) -> None:
    assert not shares_of_no_count(text.format(true), scene)
    assert shares_of_no_count(text.format(false), scene)


@pytest.mark.parametrize(
    "text",
    [
        "A third of your 139 orders went to the garden.",
        "Of your 139 orders 35 are soaps. Coffee things make 41% of the total.",
        "Of your 139 orders 35 are soaps, and coffee things make 41% of the total.",
        "Of your 139 orders 35 are soaps, with another 41% of them for the garden.",
        "Of your 139 orders 35 are soaps, 41% of what you spent.",
        "Of your 139 orders 35 are soaps. That is half as many as in 2019.",
        "139 days and 35 soaps later, that is a third.",
        "Of your 139 orders 35 are soaps, so about 75% are none.",
    ],
)
def test_a_share_that_may_be_of_something_else(scene: Scene, text: str) -> None:
    assert not shares_of_no_count(text, scene)
