"""What is said of own orders, by all signs together: what no reading makes true is accused where its place speaks of orders, whatever words it stands in."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from drr.env.entities import Product, User
from drr.eval.checks import Subject, check_report
from drr.eval.checks.considered.own_said import OwnFigure, OwnKind
from drr.eval.checks.considered.own_signs import OwnSigns
from drr.eval.checks.considered.own_weighing import (
    fitted,
    is_true_of_some,
    own_wrong,
)
from drr.eval.checks.mentions import Mentions

from benchmarks.planted import Scene
from tests.rules.test_histories import known_of
from tests.rules.test_persons import MONTHS
from tests.rules.test_readings import link, often, orders_of


def read(report: str, scene: Scene, user: User) -> Mentions:
    return Mentions(Subject(report, shop=scene.shop, user_id=user.user_id))


def said(report: str, scene: Scene, user: User) -> list[OwnFigure]:
    return OwnSigns(read(report, scene, user)).said


def signs_of(report: str, written: str, scene: Scene, user: User) -> dict[str, float]:
    signs = OwnSigns(read(report, scene, user))
    (one,) = (each for each in signs.said if report[each.start : each.end] == written)
    return signs.of(one)


def placed(scene: Scene, user: User) -> tuple[Product, list[date]]:
    """What the reader ordered most often, and on which days."""
    product, _ = often(scene, user)
    every = orders_of(scene, user)
    return product, [
        date.fromisoformat(one.order_date[:10])
        for one, each in every
        if each.product_id == product.product_id
    ]


def long(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def off_days(scene: Scene, user: User, day: date) -> date:
    """The next day of the same month, or soon after, on which nothing at all was ordered."""
    taken = {one.order_date[:10] for one, _ in orders_of(scene, user)}
    return next(
        later
        for n in range(1, 60)
        if (later := day + timedelta(days=n)).isoformat() not in taken and later.day > 1
    )


@pytest.mark.parametrize(
    ("written", "kind", "value"),
    [
        ("seven", "count", 7),
        ("twice", "times", 2),
        ("fourth", "nth", 4),
        ("3 March 2021", "day", 2021),
        ("May 2020", "month", 2020),
        ("2019", "year", 2019),
        ("July 20", "yearday", 7),
        ("three weeks", "span", 3),
        ("37%", "share", 37),
        ("two thirds", "share", 200 / 3),
        ("Cancelled", "state", 0),
        ("Sunday", "weekday", 6),
    ],
)
def test_what_may_be_said_of_orders_is_read(scene: Scene, written: str, kind: OwnKind, value: float) -> None:
    user, _, _ = known_of(scene)
    (one,) = said(f"Your orders show {written}, as I read them.", scene, user)
    assert (one.kind, one.value) == (kind, pytest.approx(value))


def test_amounts_ratings_and_spoken_years_are_no_counts_of_orders(scene: Scene) -> None:
    user, _, _ = known_of(scene)
    assert not said("You ordered it for $31.50 in twenty twenty, rated 4.5 stars.", scene, user)


@pytest.mark.parametrize(
    "text",
    [
        "You ordered it 14 and 26 December.",
        "You ordered it Dec 8 & 13.",
        "| 7 | a lamp that you ordered |",
        "It gives twice the area of the lamp you ordered.",
        "At 2000 lumens it beats the lamp you ordered.",
    ],
)
def test_days_in_a_row_numbers_of_rows_and_multiples_are_no_counts_of_orders(scene: Scene, text: str) -> None:
    user, _, _ = known_of(scene)
    assert not [one for one in said(text, scene, user) if one.kind in ("count", "times")]


def test_pieces_that_some_orders_come_to_fit_their_count(scene: Scene) -> None:
    """So many orders of a pack of so many."""
    user, _, _ = known_of(scene)
    pack, many = next(
        (product, int(found[1]))
        for _, product in orders_of(scene, user)
        if (found := re.search(r"(?<![\d.])(\d{1,2})[ -](?:Count|Pack|Piece)", product.title))
        and int(found[1]) > 1
    )
    often_so = sum(one.product_id == pack.product_id for one, _ in orders_of(scene, user))
    text = f"You ordered the {link(pack)} often: {{}} pieces by now."
    assert "fits_packs" in signs_of(text.format(many * often_so), str(many * often_so), scene, user)
    assert "fits_packs" not in signs_of(
        text.format(many * often_so + 311), str(many * often_so + 311), scene, user
    )


def test_a_count_of_the_newest_orders_says_which_are_read(scene: Scene) -> None:
    user, _, _ = known_of(scene)
    product, _ = placed(scene, user)
    text = f"The {link(product)} stands among your newest 37 orders."
    (one,) = (each for each in said(text, scene, user) if each.value == 37)
    assert is_true_of_some(one, signs_of(text, "37", scene, user))


def test_a_day_of_nothing_is_accused_and_the_right_one_is_not(scene: Scene) -> None:
    user, _, _ = known_of(scene)
    product, days = placed(scene, user)
    text = "By my reading the {link} left for you on {day}, and that was that."
    right = text.format(link=link(product), day=long(days[0]))
    wrong = text.format(link=link(product), day=long(off_days(scene, user, days[0])))
    assert not [*own_wrong(read(right, scene, user))]
    (one,) = own_wrong(read(wrong, scene, user))
    assert one.said.kind == "day" and one.chance >= fitted().bar
    found = check_report(Subject(wrong, shop=scene.shop, user_id=user.user_id))
    assert any(one.status == "fail" for one in found.values())


def test_signs_tell_a_count_from_that_of_what_stands_beside_it(scene: Scene) -> None:
    user, _, _ = known_of(scene)
    product, days = placed(scene, user)
    text = f"The {link(product)} came to you {{}} times."
    right = signs_of(text.format(len(days)), f"{len(days)} times", scene, user)
    wrong = signs_of(text.format(len(days) + 40), f"{len(days) + 40} times", scene, user)
    assert right["before_is"] == 1.0 and "over_report" not in right
    assert wrong["before_over"] == wrong["over_report"] == 1.0 and "before_is" not in wrong


def test_signs_tell_the_last_from_another_day(scene: Scene) -> None:
    user, _, _ = known_of(scene)
    product, days = placed(scene, user)
    text = f"You ordered the {link(product)}, the last time on {{}}."
    last, first = (signs_of(text.format(long(day)), long(day), scene, user) for day in (days[-1], days[0]))
    assert last["last_is_before"] == 1.0
    assert first["on_sentence"] == first["last_not_before"] == 1.0


@pytest.mark.parametrize(
    "told",
    [
        # the day of the shop's records, and one to come
        "Prices are of {today}.",
        "The guarantee on it ends in May {next_year}.",
    ],
)
def test_days_on_which_nothing_can_have_been_ordered_are_none_of_orders(scene: Scene, told: str) -> None:
    user, _, _ = known_of(scene)
    product, _ = placed(scene, user)
    today = date.fromisoformat(scene.shop.manifest.as_of)
    text = f"You ordered the {link(product)}. " + told.format(today=long(today), next_year=today.year + 1)
    signs = OwnSigns(read(text, scene, user))
    assert signs.said and all(is_true_of_some(one, signs.of(one)) for one in signs.said)


def test_a_report_without_a_reader_has_nothing_said(scene: Scene) -> None:
    assert not OwnSigns(Mentions(Subject("You ordered it three times in May 2020.", shop=scene.shop))).said
