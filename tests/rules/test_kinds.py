"""Counts of own orders by the kind of thing that is ordered: true as they stand, false with one count changed."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

import pytest
from drr.env.entities import User
from drr.eval.checks import Subject, check_report

from benchmarks.planted import Scene
from tests.rules.test_readings import orders_of


class Kind(NamedTuple):
    """What a reader ordered most, as titles call it, and what next."""

    user: User
    name: str
    count: int
    other: str
    others: int
    orders: int
    year: str
    """In which most of the first were ordered, and how many."""
    then: int


def called(title: str) -> str:
    """The last two words of a title's first part."""
    return " ".join(re.split(r",|\(|\s[—–-]\s|\s(?:for|with|by|in|to|of)\s", title)[0].split()[-2:]).lower()


def plural(name: str) -> str:
    return name if name.endswith("s") else name + ("es" if name.endswith(("ch", "sh", "x")) else "s")


@pytest.fixture(scope="module")
def kind(first_scene: Scene) -> Kind:
    return next(_kinds(first_scene))


def _kinds(scene: Scene):
    for user in scene.users:
        placed = orders_of(scene, user)
        known = scene.shop.store.statistics(user.user_id)
        names = Counter(called(product.title) for _, product in placed).most_common(2)
        if known is None or known.orders != len(placed) or len(names) < 2 or names[1][1] < 3:
            continue
        (name, count), (other, others) = names
        years = Counter(one.order_date[:4] for one, product in placed if called(product.title) == name)
        year, then = years.most_common(1)[0]
        titles = [product.title for _, product in placed]
        if any(
            sum(set(one.split()) <= set(_folded(title)) for title in titles) != many for one, many in names
        ):
            continue
        if any(
            re.search(r"\d+\s(?:pack|count|piece)|set of", one, re.I)
            for one in titles
            if called(one) in (name, other)
        ):
            continue
        if then < count and count + others < len(placed) - 6 and not re.search(r"\d", name + other):
            yield Kind(user, plural(name), count, plural(other), others, len(placed), year, then)


def _folded(title: str) -> list[str]:
    words = re.findall(r"[a-z]+", title.lower())
    return [*words, *(one.removesuffix("s") for one in words)]


def accused(text: str, scene: Scene, kind: Kind, query: str | None = None) -> set[str | None]:
    check = check_report(Subject(text, query=query, shop=scene.shop, user_id=kind.user.user_id))["statistics"]
    return {one.kind for one in check.accused}


def told(form: str, kind: Kind, more: int = 0) -> str:
    return form.format(
        n=kind.count + more,
        k=kind.name,
        K=kind.name.capitalize(),
        o=kind.other,
        i=kind.others,
        m=kind.orders,
        b=kind.count + kind.others,
        r=kind.orders - kind.count,
        y=kind.year,
        t=kind.then,
    )


@pytest.mark.parametrize(
    "form",
    [
        "Of your {m} orders, {n} are {k} and {i} are {o}.",
        "{n} of your {m} orders were {k}, more than anything else.",
        "Your account holds {m} orders, {n} of them {k}.",
        "You have {m} orders on file. The largest group is {k} with {n}.",
        "What your orders are, by kind:\n- {k}: {n}\n- {o}: {i}",
        "Your orders at a glance: {k} {n}, {o} {i}.",
        "Here is your history.\n\n**{K}.** {n} orders.",
        "Among your {m} orders: {n} {k} and {i} {o}.",
    ],
)
def test_a_count_beside_the_kind_that_it_is_of(first_scene: Scene, kind: Kind, form: str) -> None:
    assert "own_kind" not in accused(told(form, kind), first_scene, kind)
    assert "own_kind" in accused(told(form, kind, more=4), first_scene, kind)


def test_fewer_than_there_are_of_all_orders(first_scene: Scene, kind: Kind) -> None:
    text = "Of your {m} orders, {n} are {k}."
    assert "own_kind" in accused(told(text, kind, more=-1), first_scene, kind)


def test_a_count_that_answers_the_question(first_scene: Scene, kind: Kind) -> None:
    text, query = "{n} of your {m} orders.", f"How often did I buy {kind.name}?"
    assert "own_kind" not in accused(told(text, kind), first_scene, kind, query)
    assert "own_kind" in accused(told(text, kind, more=4), first_scene, kind, query)
    wider = f"How often did I buy {kind.name} and things like them?"
    assert "own_kind" not in accused(told(text, kind, more=4), first_scene, kind, wider)


@pytest.mark.parametrize(
    "form",
    [
        "{K} and {o} make up {b} of your {m} orders.",
        "Of your {m} orders, {t} are {k} of {y}.",
        "In {y} you placed some of your {m} orders, {t} of them {k}.",
        "Everything but the {k}: {r} orders.",
        "Apart from {k}, {r} orders are on file.",
        "Of your {m} orders, {r} are not {k}.",
        "Your orders hold {n} {k}. With one more you have bought {s} {k}.",
        "For the next of your orders, as planned:\n- {k}: {s}",
        "The shop has {s} {k}; your orders hold {n}.",
        "I compared {s} {k} with those of your orders.",
        "You have {m} orders on file. The only ones that last are {k} with {s} years of use.",
        "From your orders, my picks:\n- {k}: {s} points\n- {o}: {i} points",
    ],
)
def test_a_part_of_them_more_than_them_or_something_else(first_scene: Scene, kind: Kind, form: str) -> None:
    text = told(form.replace("{s}", str(kind.count + 4)), kind)
    assert "own_kind" not in accused(text, first_scene, kind), text


def test_counts_that_leave_a_kind_out_are_of_the_others(first_scene: Scene, kind: Kind) -> None:
    for form in ("Everything but the {k}: {r} orders.", "Apart from {k}, {r} orders are on file."):
        assert not accused(told(form, kind), first_scene, kind)


def test_a_share_of_two_counts_that_are_said_whatever_else_is(first_scene: Scene, kind: Kind) -> None:
    text = "More than you might expect: 13 of your 30 orders, or about {p}%, are of one kind."
    assert "own_part" not in accused(text.format(p=43), first_scene, kind)
    assert "own_part" in accused(text.format(p=34), first_scene, kind)
