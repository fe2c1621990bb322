"""A count of own orders beside several parts that the text joins is of all of them: `eleven orders in pet supplies and office products`."""

from __future__ import annotations

import pytest
from drr.env.entities import User
from drr.eval.checks import Subject, check_report

from benchmarks.planted import Scene
from tests.rules.test_histories import known_of, spelt

RULES = ("statistics", "order_facts", "figures")


def accused(text: str, scene: Scene, user: User) -> set[str]:
    """The rules that read own orders and find something wrong."""
    checks = check_report(Subject(text, query="What have I bought?", shop=scene.shop, user_id=user.user_id))
    return {name for name in RULES if checks[name].status == "fail"}


@pytest.mark.parametrize(
    "form",
    [
        "You have {n} orders in {a} and {b}.",
        "{n} orders went to {a} or {b}.",
        "Of your {m} orders, {n} are in {a}, {b}.",
        "{n} of your {m} orders are for {a} and for {b}.",
        "{a} and {b}: {n} of your {m} orders.",
    ],
)
def test_a_count_of_two_categories(scene: Scene, form: str) -> None:
    user, known, parts = known_of(scene)
    one, other = parts[0], parts[1]
    said = {"m": known.orders, "a": spelt(one), "b": spelt(other)}
    assert not accused(form.format(n=one.orders + other.orders, **said), scene, user)
    turned = {**said, "a": said["b"], "b": said["a"]}
    assert not accused(form.format(n=one.orders + other.orders, **turned), scene, user)


def test_a_count_that_no_part_of_the_list_and_not_all_of_it_comes_to(scene: Scene) -> None:
    user, _, parts = known_of(scene)
    one, other = parts[0], parts[1]
    text = f"You have {one.orders + other.orders + 3} orders in {spelt(one)} and {spelt(other)}."
    assert accused(text, scene, user)


def test_a_list_that_goes_on_with_what_is_not_understood(scene: Scene) -> None:
    user, known, parts = known_of(scene)
    more = known.orders - 1
    assert not accused(f"You have {more} orders in {spelt(parts[0])} and whatnot.", scene, user)


def test_a_clause_behind_a_part_joins_nothing_to_it(scene: Scene) -> None:
    user, _, parts = known_of(scene)
    many = parts[0].orders + 3
    assert accused(f"You have {many} orders in {spelt(parts[0])}, and you like them.", scene, user)
