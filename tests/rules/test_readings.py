"""Figures of the reader's own orders, read as generously as their words allow: wrong only where nothing that is named near them comes to them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date
from itertools import combinations, islice, pairwise

import pytest
from drr.env.entities import Order, Product, User
from drr.eval.checks import Subject
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.person.readings.counted import misread_counts, misread_orders

from benchmarks.planted import Scene
from tests.rules.test_histories import known_of, spelt
from tests.rules.test_persons import MONTHS, status


def orders_of(scene: Scene, user: User) -> list[tuple[Order, Product]]:
    placed = scene.shop.store.orders(user.user_id, limit=2_000).items
    products = {one.product_id: one for one in scene.shop.store.products([one.product_id for one in placed])}
    return sorted(
        ((one, products[one.product_id]) for one in placed if one.product_id in products),
        key=lambda pair: pair[0].order_date,
    )


def often(scene: Scene, user: User) -> tuple[Product, int]:
    """What the reader ordered most often, and how often."""
    found = orders_of(scene, user)
    product_id, count = Counter(one.product_id for one, _ in found).most_common(1)[0]
    return next(product for _, product in found if product.product_id == product_id), count


def misread(report: str, scene: Scene, user: User) -> list[str]:
    """What the generous readers alone hold to be wrong."""
    mentions = Mentions(Subject(report, shop=scene.shop, user_id=user.user_id))
    return [one.why for one in (*misread_counts(mentions), *misread_orders(mentions))]


def link(product: Product) -> str:
    return f"[{' '.join(product.title.split()[:3])}]({product.product_url})"


@pytest.mark.parametrize(
    "form",
    [
        "You have bought the {link} {n} times.",
        "The {link} alone shows up {n} times in your orders.",
        "The {link} costs less than most; you have ordered it {n} times.",
    ],
)
def test_how_often_a_thing_was_ordered(scene: Scene, form: str) -> None:
    user, _, _ = known_of(scene)
    product, count = often(scene, user)
    assert count > 1
    assert status(form.format(link=link(product), n=count), "order_facts", scene, user) != "fail"
    assert status(form.format(link=link(product), n=count + 40), "order_facts", scene, user) == "fail"


@pytest.mark.parametrize(
    "form",
    [
        "If you had bought the {link} {n} times, it would have paid.",
        "Other shoppers bought the {link} {n} times.",
        "Have you bought the {link} {n} times?",
        "You rated the {link} {n} times.",
        "The {link} is {n} times the price of what you ordered.",
    ],
)
def test_what_is_not_said_of_own_orders_is_left_alone(scene: Scene, form: str) -> None:
    user, _, _ = known_of(scene)
    product, count = often(scene, user)
    assert not misread(form.format(link=link(product), n=count + 40), scene, user)


@pytest.mark.parametrize(
    "form",
    [
        "You placed {all} orders here. {name} leads with {n} orders.",
        "- Orders: {all}\n- Main category: {name} ({n} orders, a good part)\n",
        "Of your {all} orders, {n} are {name}, exactly as I thought.",
    ],
)
def test_how_many_orders_a_part_has(scene: Scene, form: str) -> None:
    user, known, parts = known_of(scene)
    for part in parts[:2]:
        said = form.format(all=known.orders, name=spelt(part), n=part.orders)
        assert status(said, "statistics", scene, user) != "fail"
        wrong = form.format(all=known.orders, name=spelt(part), n=part.orders + known.orders + 3)
        assert status(wrong, "statistics", scene, user) == "fail"


def several(scene: Scene, least: int) -> tuple[User, Product, list[date]]:
    """A reader, and what he ordered on some days of different months that lie apart."""
    for user in scene.users:
        by_product: dict[str, list[tuple[Order, Product]]] = {}
        for one, product in orders_of(scene, user):
            by_product.setdefault(one.product_id, []).append((one, product))
        for found in by_product.values():
            days = sorted({date.fromisoformat(one.order_date[:10]) for one, _ in found})
            if len(days) == least == len(found) and all((b - a).days > 40 for a, b in pairwise(days)):
                return user, found[0][1], days
    raise AssertionError("the sample shop has no such reader")


def spoken_day(day: date) -> str:
    return f"{MONTHS[day.month - 1]} {day.day}, {day.year}"


@pytest.mark.parametrize(
    "form",
    [
        "You ordered the {link} on {first} and again {n} days later.",
        "The {link} came twice in your orders, on {first} and {last}, just {n} days apart.",
        "Your two orders of the {link} are {n} days apart.",
    ],
)
def test_days_between_two_orders(scene: Scene, form: str) -> None:
    user, product, (first, last) = several(scene, 2)
    said = {"link": link(product), "first": spoken_day(first), "last": spoken_day(last)}
    gap = (last - first).days
    assert not misread(form.format(n=gap, **said), scene, user)
    assert misread(form.format(n=gap + 11, **said), scene, user)
    left = form.format(n=gap + 11, **said).removesuffix(".") + ", if the second had not been returned?"
    assert not misread(left, scene, user)


@pytest.mark.parametrize(
    "form",
    [
        "You ordered the {link} in {0}, {1} and {2}.",
        "You have had the {link} three times ({0}, {1} and {2}).",
        "## Your {link}\n\n- {0}\n- {1}\n- {2}\n",
    ],
)
def test_the_one_day_of_a_list_that_is_no_order_of_the_thing(scene: Scene, form: str) -> None:
    user, product, days = several(scene, 3)
    months = [f"{MONTHS[day.month - 1]} {day.year}" for day in days]
    assert not misread(form.format(*months, link=link(product)), scene, user)
    for at in range(3):
        wrong = [
            f"{MONTHS[day.month - 1]} 1993" if n == at else month
            for n, (day, month) in enumerate(zip(days, months, strict=True))
        ]
        assert misread(form.format(*wrong, link=link(product)), scene, user)
    of_several = form.replace("You", "Of all three you").replace("##", "## Both of")
    assert (
        not misread(of_several.format("March 1993", *months[1:], link=link(product)), scene, user)
        or "- " in form
    )


def test_nothing_for_years_until(scene: Scene) -> None:
    user, product, days = several(scene, 2)
    placed = [date.fromisoformat(one.order_date[:10]) for one, _ in orders_of(scene, user)]
    before = max((day for day in placed if day < days[1]), default=days[0])
    text = "Your account was busy once. Then nothing for {n} days, until the {link} on {day}."
    said = {"link": link(product), "day": spoken_day(days[1])}
    assert not misread(text.format(n=(days[1] - before).days, **said), scene, user)
    assert misread(text.format(n=(days[1] - placed[0]).days + 900, **said), scene, user)


def test_a_day_in_a_column_of_own_orders(scene: Scene) -> None:
    user, product, days = several(scene, 2)
    table = "| Thing | Price | Ordered |\n|---|---|---|\n| {link} | - | {day} |\n"
    assert not misread(table.format(link=link(product), day=spoken_day(days[0])), scene, user)
    assert misread(table.format(link=link(product), day="May 4, 1993"), scene, user)
    assert not misread(
        table.replace("Ordered", "Tested").format(link=link(product), day="May 4, 1993"), scene, user
    )


def test_a_kind_of_thing_is_counted_by_titles_and_shelves(scene: Scene) -> None:
    user, known, _ = known_of(scene)
    shelves = Counter(product.categories[-1] for _, product in orders_of(scene, user))
    shelf, count = next(
        (name, count) for name, count in shelves.most_common() if name.endswith("s") and " " in name
    )
    text = f"You placed {known.orders} orders. {shelf} lead with {{n}} orders."
    assert status(text.format(n=count), "statistics", scene, user) != "fail"
    assert status(text.format(n=count + known.orders + 3), "statistics", scene, user) == "fail"


def test_with_a_price_is_not_without_one(scene: Scene) -> None:
    user, known = next(
        (user, known)
        for user in scene.users
        if (known := scene.shop.store.statistics(user.user_id)) is not None
        and 5 < known.orders_without_price < known.orders - 5
        and 2 * known.orders_without_price != known.orders
    )
    priced = known.orders - known.orders_without_price
    text = f"You have {known.orders} orders on record. Only {{n}} of them carry a known price."
    assert status(text.format(n=priced), "statistics", scene, user) != "fail"
    assert status(text.format(n=known.orders_without_price), "statistics", scene, user) == "fail"


def test_a_word_that_restricts_leaves_fewer(scene: Scene) -> None:
    """How many of them were `for the cabin` nobody knows, but not more than there are."""
    user, known, parts = known_of(scene)
    part = max(parts, key=lambda one: one.orders)
    text = f"Of your {known.orders} orders, {{n}} orders of {spelt(part)} went to the cabin."
    assert not misread(text.format(n=part.orders - 1), scene, user)
    assert misread(text.format(n=part.orders + known.orders + 1), scene, user)


def test_a_state_that_no_order_is_in(scene: Scene) -> None:
    user, known, _ = known_of(scene)
    assert not known.by_status.get("Cancelled")
    text = f"You placed {known.orders} orders, {known.orders - 1} delivered and one cancelled."
    assert status(text, "order_facts", scene, user) == "fail"
    assert status(f"You placed {known.orders} orders, none cancelled.", "order_facts", scene, user) != "fail"
    assert status("Both of your orders are marked Cancelled.", "order_facts", scene, user) == "fail"
    left = "Neither of your orders is marked Cancelled, and if one is marked Cancelled, write to us."
    assert status(left, "order_facts", scene, user) != "fail"


def test_the_eighth_of_fewer(scene: Scene) -> None:
    user, _, _ = known_of(scene)
    product, count = next((product, count) for product, count in [often(scene, user)] if 2 <= count <= 6)
    form = "It was your {nth} order of the {link}, and a good one."
    words = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"]
    assert status(form.format(nth=words[count - 1], link=link(product)), "order_facts", scene, user) != "fail"
    assert status(form.format(nth="twelfth", link=link(product)), "order_facts", scene, user) == "fail"
    ahead = f"Another one would be your twelfth order of the {link(product)}."
    assert status(ahead, "order_facts", scene, user) != "fail"


def test_a_year_that_is_said_to_be_empty(scene: Scene) -> None:
    user, known, _ = known_of(scene)
    full = known.by_year[0].name
    text = "Here are your years. Nothing at all was ordered in {year}."
    assert status(text.format(year=1996), "statistics", scene, user) != "fail"
    assert status(text.format(year=full), "statistics", scene, user) == "fail"


def test_the_year_before_and_the_year_after(scene: Scene) -> None:
    user, known, _ = known_of(scene)
    by_year = {int(one.name): one.orders for one in known.by_year}
    year = next(one for one in by_year if one + 1 in by_year)
    text = "You placed {n} orders in {year}, against {m} the year after."
    said = {"year": year, "n": by_year[year], "m": by_year[year + 1]}
    assert status(text.format(**said), "statistics", scene, user) != "fail"


def test_a_count_that_one_reading_bears_out_is_accused_by_no_other(scene: Scene) -> None:
    """`three orders for the Oat & Ember drill` was held against all orders of its maker."""
    user, _, _ = known_of(scene)
    product, count = often(scene, user)
    for said in (
        f"You have put in {count} orders for the {link(product)}.",
        f"Your {count} 2022 orders of the {link(product)} are long gone.",
        f"{count * 3} orders, three things, each of them {count} times: the {link(product)} too.",
    ):
        assert status(said, "statistics", scene, user) != "fail", said


def test_the_two_may_be_what_was_named_before(scene: Scene) -> None:
    user, _, _ = known_of(scene)
    found = orders_of(scene, user)
    (first, a), (then, b) = next(
        pair
        for pair in pairwise(found)
        if pair[0][1].product_id != pair[1][1].product_id and pair[1][0].order_date > pair[0][0].order_date
    )
    days = (date.fromisoformat(then.order_date[:10]) - date.fromisoformat(first.order_date[:10])).days
    told = f"The {link(a)} and the {link(b)} would do. They are both in stock.\n\nYou ordered the two items {{}} days apart."
    assert not misread(told.format(days), scene, user)


def test_the_year_of_a_day_is_no_count_of_delivered_orders(scene: Scene) -> None:
    user, _, _ = known_of(scene)
    order, product = orders_of(scene, user)[0]
    day = date.fromisoformat(order.order_date[:10])
    for said in (
        f"{MONTHS[day.month - 1]} {day.day}, {day.year}",
        f"{MONTHS[day.month - 1]} {day.year}",
        f"{day.year}",
    ):
        text = f"Your order of the {link(product)} from {said} was delivered."
        assert not misread(text, scene, user), text


@dataclass(frozen=True)
class Told:
    """What is so of one reader's orders."""

    total: int
    year: int
    of_year: int
    before: int
    link: str
    times: int
    in_year: int
    thing_year: int

    @property
    def share(self) -> int:
        return round(100 * self.of_year / self.total)

    @property
    def fraction(self) -> str:
        share = self.of_year / self.total
        return "a little over half" if share > 0.56 else "under a third" if share < 0.32 else "about half"


def told_of(scene: Scene, user: User) -> Told:
    placed = [(one, product) for one, product in orders_of(scene, user)]
    years = Counter(int(one.order_date[:4]) for one, _ in placed)
    year, of_year = years.most_common(1)[0]
    product, times = often(scene, user)
    own = Counter(int(one.order_date[:4]) for one, each in placed if each.product_id == product.product_id)
    thing_year, in_year = own.most_common(1)[0]
    before = sum(count for each, count in years.items() if each < year)
    total = scene.shop.store.orders(user.user_id, limit=2_000).items
    return Told(len(total), year, of_year, before, link(product), times, in_year, thing_year)


TRUE_OF_PARTS = [
    "Busiest year: **{t.year}**, with {t.of_year} orders.",
    "Your busiest year was {t.year}, with {t.of_year} orders.",
    "Your {t.total} orders peaked in {t.year}, when you placed {t.of_year}.",
    "You have {t.total} orders. Of these, {t.of_year} of the {t.total} fall in {t.year}.",
    "Of your {t.total} orders, {t.of_year} were placed in {t.year}, {t.share}% of all.",
    "You placed {t.of_year} of your {t.total} orders, about {t.share}%, in {t.year}.",
    "You placed {t.of_year} orders, or {t.share} percent, in {t.year}.",
    "By {t.year} you had {t.before} orders, and then {t.of_year} more came.",
    "The {t.link} you ordered {t.times} times, {t.in_year} of them in {t.thing_year}.",
    "Of your {t.total} orders {t.times} are for the {t.link}; {t.in_year} of the {t.times} fall in {t.thing_year}.",
    "{t.of_year} of the {t.total}, {t.fraction}, are of {t.year}.",
    "You ordered {t.total} times; in your busiest year, {t.year}, {t.of_year} of them, the {t.link} among these.",
    "All three orders of that week are marked delivered; you have {t.total} in all.",
    "Every one of those orders is delivered, all {t.total} of them.",
    "| | First | Second | Third |\n|---|---|---|---|\n| Your orders | 3 (2014, 2016, 2020) | 1 (2020) | 2 |\n\nYou have {t.total} orders.",
    "One of the eight is no tool; 7 of the 8 here are in your price range of {t.year}.",
    "Nine of the ten above come from your {t.total} orders, the other is new.",
    "Three of the five gift ideas are in your history of {t.total} orders.",
    "Two of them in {t.year} would have been enough, of your {t.of_year} orders then.",
    "Your {t.total} orders: a 25% coupon would not apply to any.",
    "You spent more in {t.year}, 60% of it on the {t.link}, over {t.of_year} orders.",
    "In {t.year}, twice in spring and often later, you ordered: {t.of_year} orders.",
    "Since {t.year}, with {t.of_year} orders in that year, it went down.",
    "If {t.of_year} of the 20 next orders were for it, that would be a lot.",
]


@pytest.mark.parametrize("form", TRUE_OF_PARTS)
def test_parts_of_orders_that_are_so_in_some_meaning(scene: Scene, form: str) -> None:
    for user in readers(scene):
        text = form.format(t=told_of(scene, user))
        assert not misread(text, scene, user), text
        assert status(text, "statistics", scene, user) != "fail", text


def readers(scene: Scene) -> list[User]:
    """The first four with many orders."""
    return list(islice((user for user in scene.users if len(orders_of(scene, user)) > 20), 4))


@pytest.mark.parametrize(
    ("form", "by"),
    [
        ("Your busiest year was {t.year}, with {n} orders.", 40),
        ("You placed {t.of_year} orders, about {n}%, in {t.year}.", 0),
        ("You placed {t.of_year} of your {t.total} orders, a little under {n}, in {t.year}.", 0),
        ("The {t.link} you ordered {t.times} times, {n} of them in {t.thing_year}.", 30),
    ],
)
def test_parts_of_orders_that_are_so_in_no_meaning(scene: Scene, form: str, by: int) -> None:
    found = []
    for user in readers(scene):
        told = told_of(scene, user)
        wrong = (
            "three quarters"
            if "under" in form
            else min(99, told.share + 37)
            if "%" in form
            else told.in_year + by
        )
        found.append(bool(misread(form.format(t=told, n=wrong), scene, user)))
    assert all(found) if "%" not in form else any(found), found


def test_what_lies_apart_is_named_near_it(scene: Scene) -> None:
    user, _, _ = known_of(scene)
    product, _ = often(scene, user)
    days = sorted(
        {date.fromisoformat(one.order_date[:10]) for one, each in orders_of(scene, user) if each == product}
    )
    gaps = {(b - a).days for a, b in combinations(days, 2)}
    wrong = next(gap for gap in range(3, 400) if not gaps & {gap - 1, gap, gap + 1})
    named = f"The basket holds the {link(product)}, no more."
    assert misread(f"{named} You ordered it twice, {wrong} days apart.", scene, user)
    assert misread(f"Of the {link(product)} you placed two orders {wrong} days apart.", scene, user)
    assert not misread(f"{named} You bought both halves of our list {wrong} days apart.", scene, user)
