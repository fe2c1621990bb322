"""Days beside own orders that are none of an order: what lies ahead, and the ends of a span of time."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from drr.env.entities import Product, User

from benchmarks.planted import Scene
from tests.rules.test_histories import known_of
from tests.rules.test_persons import status
from tests.rules.test_readings import link, often, orders_of, spoken_day


def ordered_of(scene: Scene) -> tuple[User, Product, date]:
    """A reader, something that he ordered, and a day on which he did."""
    user, _, _ = known_of(scene)
    product, _ = often(scene, user)
    days = (
        one.order_date[:10] for one, each in orders_of(scene, user) if each.product_id == product.product_id
    )
    return user, product, date.fromisoformat(min(days))


def free_months(scene: Scene, user: User) -> tuple[date, date]:
    """Two months without an order, the earlier first."""
    days = {date.fromisoformat(one.order_date[:10]) for one, _ in orders_of(scene, user)}
    taken = {(day.year, day.month) for day in days}
    back = (max(days) - timedelta(27 * step) for step in range(1, 400))
    found = list({(day.year, day.month): day for day in back if (day.year, day.month) not in taken}.values())
    return found[1], found[0]


@pytest.mark.parametrize(
    "form",
    [
        "You ordered the {link} on {day}. Its seal holds nine years from your order, which makes it {ahead}.",
        "Your order of the {link} is from {day}, with a promise of nine years, so write {ahead} in the diary.",
        "You bought the {link} on {day}; {month} is when the seal runs out.",
        "| When | What |\n| --- | --- |\n| {day} | ordered: {link} |\n| {ahead} | its seal runs out |\n",
    ],
)
def test_what_lies_ahead_is_a_plan_or_an_end(scene: Scene, form: str) -> None:
    user, product, day = ordered_of(scene)
    ahead = date.fromisoformat(scene.shop.manifest.as_of) + timedelta(800)
    said = {"link": link(product), "ahead": spoken_day(ahead), "month": f"{ahead:%B %Y}"}
    assert status(form.format(day=spoken_day(day), **said), "order_facts", scene, user) != "fail"
    wrong = form.format(day=spoken_day(day.replace(year=day.year - 30)), **said)
    assert status(wrong, "order_facts", scene, user) == "fail"


@pytest.mark.parametrize(
    "form",
    [
        "You ordered the {link} on {ahead}.",
        "Your order of {ahead} was the {link}.",
        "| Ordered | What |\n| --- | --- |\n| {ahead} | {link} |\n",
    ],
)
def test_nothing_was_bought_on_a_day_that_lies_ahead(scene: Scene, form: str) -> None:
    user, product, _ = ordered_of(scene)
    ahead = date.fromisoformat(scene.shop.manifest.as_of) + timedelta(800)
    text = form.format(link=link(product), ahead=spoken_day(ahead))
    assert status(text, "order_facts", scene, user) == "fail"


@pytest.mark.parametrize(
    "form",
    [
        "You placed a handful of orders between {low} and {high}, the {link} not among them, I think.",
        "From {low} to {high} you ordered next to nothing.",
        "Spring to autumn, that is from early {low} through {high}, your orders were few.",
        "Your orders of {low} – {high} are few.",
    ],
)
def test_the_ends_of_a_span_are_no_days_of_orders(scene: Scene, form: str) -> None:
    user, product, _ = ordered_of(scene)
    low, high = free_months(scene, user)
    said = {"link": link(product), "low": f"{low:%B %Y}", "high": f"{high:%B %Y}"}
    assert status(form.format(**said), "order_facts", scene, user) != "fail"


@pytest.mark.parametrize(
    "form",
    [
        "You ordered the {link} in {low} and in {high}.",
        "Your first and your last order of the {link}: {low} to {high}.",
        "The {link}: ordered first in {low}, and last in {high}.",
        "The {link} came to you time and again from {low} to {high}.",
    ],
)
def test_days_that_are_listed_or_said_to_be_first_and_last_are_of_orders(scene: Scene, form: str) -> None:
    user, product, day = ordered_of(scene)
    _, free = free_months(scene, user)
    said = {"link": link(product), "high": f"{free:%B %Y}"}
    assert status(form.format(low=f"{day:%B %Y}", **said), "order_facts", scene, user) == "fail"
