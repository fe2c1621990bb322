"""Counts of own orders to which nothing comes, days on which nothing was ordered, and places that the reader's address is not."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from drr.wording.states import STATES

from benchmarks.planted import Scene
from tests.rules.test_histories import known_of
from tests.rules.test_persons import status
from tests.rules.test_readings import link, misread, often, orders_of, spoken_day


@pytest.mark.parametrize(
    "form",
    [
        "Your record holds {n} orders dating back some years.",
        "**At a glance.** Across {n} orders you mostly buy for the house.",
        "- Account active\n- {n} orders all told",
        "Order history: {n} orders.",
    ],
)
def test_a_count_of_orders_is_that_of_something(scene: Scene, form: str) -> None:
    user, known, _ = known_of(scene)
    assert not misread(form.format(n=known.orders), scene, user)
    assert misread(form.format(n=known.orders + 41), scene, user)


@pytest.mark.parametrize(
    "form",
    [
        "Across at least {n} orders you mostly buy for the house.",
        "In a year you would have placed {n} orders.",
        "Other shoppers here placed {n} orders.",
        "Together with the household these come to {n} orders.",
        "You placed some orders. It took {n} hours.",
    ],
)
def test_a_bound_a_plan_others_and_a_sum_are_left_alone(scene: Scene, form: str) -> None:
    user, known, _ = known_of(scene)
    assert not misread(form.format(n=known.orders + 41), scene, user)


def test_what_other_counts_come_to_is_left_alone(scene: Scene) -> None:
    user, known, _ = known_of(scene)
    n = known.orders + 41
    assert not misread(f"You see {n - 30} here and 30 there. That was {n} orders.", scene, user)


def test_a_count_over_the_list_that_it_is_the_sum_of_is_left_alone(scene: Scene) -> None:
    user, known, _ = known_of(scene)
    n = known.orders + 41
    rows = f"| Kind | Orders |\n| --- | --- |\n| this | {n - 30} |\n| that | 30 |"
    assert not misread(f"Your record holds {n} orders:\n\n- this: {n - 30}\n- that: 30\n", scene, user)
    assert not misread(f"Your record holds {n} orders:\n\n{rows}\n", scene, user)
    assert misread(f"Your record holds {n} orders:\n\n- this: 30\n- that: 20\n", scene, user)


@pytest.mark.parametrize("form", ["The {link} was yours on {day}.", "You bought the {link} in {month}."])
def test_a_day_beside_a_thing_is_one_of_an_order(scene: Scene, form: str) -> None:
    user, _, _ = known_of(scene)
    product, _ = often(scene, user)
    days = {date.fromisoformat(one.order_date[:10]) for one, _ in orders_of(scene, user)}
    months = {(day.year, day.month) for day in days}
    placed = next(
        date.fromisoformat(one.order_date[:10])
        for one, each in orders_of(scene, user)
        if each.product_id == product.product_id
    )
    free = next(
        day
        for back in range(0, 4000, 27)
        if ((day := max(days) - timedelta(back)).year, day.month) not in months
    )
    for day, wrong in ((placed, False), (free, True)):
        told = form.format(link=link(product), day=spoken_day(day), month=f"{day:%B %Y}")
        text = f"Your orders, read through. {told}"
        assert bool(misread(text, scene, user)) == wrong, text
    text = f"Your orders, read through. The {link(product)} was delivered on {spoken_day(free)}."
    assert not misread(text, scene, user)


class TestTheReadersPlace:
    def test_a_street_goes_on_with_its_city(self, scene: Scene) -> None:
        user = scene.users[0]
        for city, expected in ((user.address.city, False), ("Quillhaven", True)):
            text = f"Your parcel goes to {user.address.address1}, {city}, as ever."
            assert (status(text, "profile_facts", scene, user) == "fail") == expected

    def test_a_zip_code_behind_his_state_is_his(self, scene: Scene) -> None:
        user = scene.users[0]
        other = f"{(int(user.address.zip[:5]) + 1) % 100_000:05d}"
        for code, expected in ((user.address.zip[:5], False), (other, True)):
            text = f"It ships to {user.address.city}, {user.address.state} {code}."
            assert (status(text, "profile_facts", scene, user) == "fail") == expected

    def test_a_place_behind_his_name_is_his(self, scene: Scene) -> None:
        user = scene.users[0]
        state = STATES[user.address.state]
        other = next(one for one in sorted(STATES.values()) if one != state and " " not in one)
        called = f"{user.first_name} {user.last_name}"
        right = f"The file says {called}, {user.address.city}, {state}."
        assert status(right, "profile_facts", scene, user) != "fail"
        wrong = f"The file says {called}, Quillhaven, {other}."
        assert status(wrong, "profile_facts", scene, user) == "fail"
        assert status(f"Made in Quillhaven, {other}.", "profile_facts", scene, user) != "fail"

    def test_a_state_that_is_told_him_is_his(self, scene: Scene) -> None:
        user = scene.users[0]
        state = STATES[user.address.state]
        other = next(one for one in sorted(STATES.values()) if one != state and " " not in one)
        assert status(f"To {other}, {user.first_name}.", "profile_facts", scene, user) == "fail"
        assert status(f"To {state}, {user.first_name}.", "profile_facts", scene, user) != "fail"
        assert status(f"Leaf blowers sell in {other}.", "profile_facts", scene, user) != "fail"
