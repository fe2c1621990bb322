"""What a report says of one reader's orders in series, in tables and beside a name: the one figure that does not fit the others is wrong."""

from __future__ import annotations

from datetime import date
from itertools import islice

import pytest
from drr.env.entities import User
from drr.env.statistics import Share, UserStatistics
from drr.eval.checks import Subject, check_report

from benchmarks.planted import Scene
from tests.rules.test_persons import MONTHS, an_order, status


def known_of(scene: Scene) -> tuple[User, UserStatistics, list[Share]]:
    """A reader with orders in at least four categories, each of another count than zero."""
    for user in scene.users:
        known = scene.shop.store.statistics(user.user_id)
        if known is not None and len(known.by_category) >= 4 and known.days_since_last_order:
            return user, known, list(islice(known.by_category, 4))
    raise AssertionError("the sample shop has no such reader")


def spelt(share: Share) -> str:
    return share.name.replace("_and_", " and ").replace("_", " ")


@pytest.mark.parametrize(
    "form",
    [
        "{c[0]} orders went to {n[0]}, {c[1]} to {n[1]} and {c[2]} to {n[2]}.",
        "By kind: {n[0]}: {c[0]} · {n[1]}: {c[1]} · {n[2]}: {c[2]}.",
        "| Category | Orders |\n|---|---|\n| {n[0]} | {c[0]} |\n| {n[1]} | {c[1]} |\n| {n[2]} | {c[2]} |\n",
    ],
)
def test_one_count_of_a_series_that_is_not_of_its_part(scene: Scene, form: str) -> None:
    user, _, parts = known_of(scene)
    names, counts = [spelt(one) for one in parts], [one.orders for one in parts]
    assert status(form.format(n=names, c=counts), "statistics", scene, user) == "pass"
    for at in range(3):
        wrong = [count + 11 * (number == at) for number, count in enumerate(counts)]
        assert status(form.format(n=names, c=wrong), "statistics", scene, user) == "fail"


def test_a_series_of_which_most_is_something_else_is_left_alone(scene: Scene) -> None:
    user, _, parts = known_of(scene)
    names, counts = [spelt(one) for one in parts], [one.orders + 11 for one in parts]
    text = "In the plan {c[0]} go to {n[0]}, {c[1]} to {n[1]} and {c[2]} to {n[2]}."
    assert status(text.format(n=names, c=counts), "statistics", scene, user) != "fail"


def test_the_first_order_and_those_of_a_year(scene: Scene) -> None:
    user, known, _ = known_of(scene)
    assert known.first_order is not None
    first, year = date.fromisoformat(known.first_order[:10]), scene.shop.manifest.as_of[:4]
    of_year = next((one.orders for one in known.by_year if one.name == year), 0)
    text = "You have {all} orders, the first in {month} {year}; {now} of them this year."
    said = {"all": known.orders, "month": MONTHS[first.month - 1], "year": first.year, "now": of_year}
    assert status(text.format(**said), "statistics", scene, user) == "pass"
    assert status(text.format(**{**said, "year": first.year + 7}), "statistics", scene, user) == "fail"
    assert status(text.format(**{**said, "now": of_year + 5}), "statistics", scene, user) == "fail"


def test_nothing_since_the_last_order_says_nothing_of_the_first(scene: Scene) -> None:
    user, known, _ = known_of(scene)
    assert known.last_order is not None
    text = f"Nothing in your account since {known.last_order[:10]}, so check the card."
    assert status(text, "statistics", scene, user) != "fail"


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("The {maker} ({url}) joined the household on {day}.", "fail"),
        ("| {day} | [{maker}]({url}) | one |", "fail"),
        ("The {maker} ({url}) was reviewed on {day}.", "pass"),
        ("The {maker} ({url}) arrived on {day}.", "pass"),
        ("Nobody bought the {maker} ({url}) on {day}.", "pass"),
    ],
)
def test_a_day_that_is_an_orders_but_for_its_month(scene: Scene, form: str, expected: str) -> None:
    user, order, product = an_order(scene)
    placed = date.fromisoformat(order.order_date[:10])
    others = {one.order_date[:10] for one in scene.shop.store.orders(user.user_id, limit=500).items}
    near = next(
        one
        for month in range(1, 13)
        if month != placed.month and (one := placed.replace(day=min(placed.day, 28), month=month)) < placed
        and one.isoformat() not in others
    )  # fmt: skip
    for day, wanted in ((placed, {"pass", "unverifiable"}), (near, {expected} if expected == "fail" else {"pass", "unverifiable"})):  # fmt: skip
        said = f"{MONTHS[day.month - 1]} {day.day}, {day.year}"
        text = form.format(maker=product.store, url=product.product_url, day=said)
        assert status(text, "order_facts", scene, user) in wanted, text


@pytest.mark.parametrize(
    "form", ["It came to be in {} ([order]({})).", "One kettle, {} ({}): fine.", "Again, {}, {}."]
)
def test_a_month_before_the_address_of_its_order(scene: Scene, form: str) -> None:
    user, order, _ = an_order(scene)
    placed = date.fromisoformat(order.order_date[:10])
    address = f"user://{user.user_id}/orders/{order.order_id}"
    right, wrong = MONTHS[placed.month - 1], MONTHS[placed.month % 12]
    for month, expected in ((right, "pass"), (wrong, "fail")):
        assert status(form.format(f"{month} {placed.year}", address), "order_facts", scene, user) == expected
        assert status(form.format(f"{month} of that year", address), "order_facts", scene, user) == expected


def test_a_day_before_orders_that_are_cited_together_may_be_of_any(scene: Scene) -> None:
    user, _, _ = an_order(scene)
    newest = scene.shop.store.orders(user.user_id, limit=500).items
    some = list({one.order_date[:7]: one for one in newest}.values())[:3]
    days = [date.fromisoformat(one.order_date[:10]) for one in some]
    assert len(days) == 3
    said = " and ".join(f"{MONTHS[one.month - 1]} {one.year}" for one in days)
    cited = ", ".join(f"user://{user.user_id}/orders/{one.order_id}" for one in some)
    assert status(f"Three times: {said} ({cited}).", "order_facts", scene, user) != "fail"
    months = {one.order_date[:7] for one in newest}
    free = next(f"{year}-{month:02}" for year in range(2001, 2030) for month in range(1, 13) if f"{year}-{month:02}" not in months)  # fmt: skip
    wrong = f"{MONTHS[int(free[5:]) - 1]} {free[:4]}"
    assert status(f"Three times, the last in {wrong} ({cited}).", "order_facts", scene, user) == "fail"


def test_measures_of_what_was_bought_are_no_quantity(scene: Scene) -> None:
    user, order, product = an_order(scene)
    address = f"user://{user.user_id}/orders/{order.order_id}"
    text = f"You ordered the {product.store} modular bed, 4 x 4 feet ({address})."
    assert status(text, "order_facts", scene, user) != "fail"


def test_a_quiet_account_is_quiet_since_its_last_order(scene: Scene) -> None:
    user, known, _ = known_of(scene)
    assert known.last_order is not None
    last = date.fromisoformat(known.last_order[:10])
    for year, expected in ((last.year, "pass"), (last.year - 30, "fail")):
        text = f"Your account has been quiet since {MONTHS[last.month - 1]} {year}."
        assert status(text, "statistics", scene, user) == expected


def test_an_order_is_no_page_that_is_quoted(scene: Scene) -> None:
    user, order, product = an_order(scene)
    text = f'You wrote down "{order.order_date[:10]}: {product.store}, quantity {order.quantity}" (user://{user.user_id}/orders/{order.order_id}).'
    assert status(text, "numbers_in_evidence", scene, user) != "fail"


def test_how_often_as_an_answer(scene: Scene) -> None:
    user, order, product = an_order(scene)
    ordered = [
        one
        for one in scene.shop.store.orders(user.user_id, limit=500).items
        if one.product_id == order.product_id
    ]
    for many, expected in ((len(ordered), "pass"), (len(ordered) + 3, "fail")):
        text = f"Yes, {many} times: {product.product_url}."
        subject = Subject(text, query="Have I bought it before?", shop=scene.shop, user_id=user.user_id)
        assert check_report(subject)["order_facts"].status == expected
        unasked = Subject(text, query="Does it fit?", shop=scene.shop, user_id=user.user_id)
        assert check_report(unasked)["order_facts"].status != "fail"


def test_the_state_of_an_order_in_a_table_by_day(scene: Scene) -> None:
    user, order, product = an_order(scene)
    table = "| Date | Item | Status |\n|---|---|---|\n| {} | {} | {} |\n"
    day = order.order_date[:10]
    assert status(table.format(day, product.store, order.order_status), "order_facts", scene, user) == "pass"
    assert status(table.format(day, product.store, "Cancelled"), "order_facts", scene, user) == "fail"
    counted = f"| Date | Item | Count |\n|---|---|---|\n| {day} | {product.product_url} | quantity {{}} |\n"
    for off, expected in ((0, "pass"), (7, "fail")):
        assert status(counted.format(order.quantity + off), "order_facts", scene, user) == expected
    text = f"One bottle, order {order.order_id}, cancelled."
    assert status(text, "order_facts", scene, user) == "fail"


def test_a_city_that_is_not_the_readers(scene: Scene) -> None:
    user = scene.users[0]
    home = user.address.city
    other = "Tucson" if home != "Tucson" else "Boise"
    said = {
        f"Dear {user.first_name} of {home}, you own one.": "pass",
        f"Dear {user.first_name} of {other}, you own one.": "fail",
        f"It is the one that reached our {other} reader.": "fail",
        f"Fact base: {user.first_name[0]}. {user.last_name} ({other}) ordered one knife.": "fail",
        f"You need less than somebody in {home}, unlike, say, in {other}.": "pass",
        f"You could buy the {other} Terrace lamp.": "unverifiable",
        f"A study in {other} found otherwise (https://a.example/1).": "unverifiable",
        f"You may like what is made in {other}.": "unverifiable",
        f"Hello {home}! Here it is.": "unverifiable",
    }
    assert {text: status(text, "profile_facts", scene, user) for text in said} == said


@pytest.mark.parametrize(
    "form",
    [
        "{n} of your {m} orders are {name}.",
        "Of {m} orders, {n} are {name}.",
        "You have {m} orders on file, and {n} of them went to {name}.",
        "{name} is what you order most: {n} of {m} orders.",
    ],
)
def test_a_part_of_all_orders(scene: Scene, form: str) -> None:
    user, known, parts = known_of(scene)
    told = {"name": spelt(parts[0]), "m": known.orders, "n": parts[0].orders}
    assert status(form.format(**told), "statistics", scene, user) == "pass"
    wrong = next(one for one in range(known.orders - 1, 1, -1) if one not in {p.orders for p in parts})
    assert status(form.format(**{**told, "n": wrong}), "statistics", scene, user) == "fail"


def test_all_orders_by_a_part_that_is_right(scene: Scene) -> None:
    user, known, parts = known_of(scene)
    text = "{name} leads your account with {n} orders out of {m}."
    told = {"name": spelt(parts[0]), "m": known.orders, "n": parts[0].orders}
    assert status(text.format(**told), "statistics", scene, user) == "pass"
    assert status(text.format(**{**told, "m": known.items + 977}), "statistics", scene, user) == "fail"


def test_orders_with_a_known_price(scene: Scene) -> None:
    user, known, _ = known_of(scene)
    priced = known.orders - known.orders_without_price
    text = "{n} of your {m} orders carry a price the shop still knows."
    said = {"m": known.orders, "n": priced}
    assert status(text.format(**said), "statistics", scene, user) != "fail"
    wrong = next(one for one in range(2, known.orders) if one not in (priced, known.orders_without_price))
    assert status(text.format(**{**said, "n": wrong}), "statistics", scene, user) == "fail"


def test_the_busiest_year(scene: Scene) -> None:
    user, known, _ = known_of(scene)
    top = max(known.by_year, key=lambda one: one.orders).name
    text = "Your busiest year was {year}."
    assert status(text.format(year=top), "statistics", scene, user) == "pass"
    assert status(text.format(year=int(top) - 60), "statistics", scene, user) == "fail"
    assert status(f"Your busiest year was not {int(top) - 60}.", "statistics", scene, user) != "fail"


@pytest.mark.parametrize(
    "form",
    [
        "The busiest calendar year was {year}, with most of your orders.",
        "The year with the most orders was {year}.",
        "The peak year is thus {year} for your orders.",
        "There are {n} orders in all. {year} was the peak.",
        "There are {n} orders in all. {year} was the liveliest year.",
    ],
)
def test_the_year_with_most_orders_by_other_names(scene: Scene, form: str) -> None:
    user, known, _ = known_of(scene)
    top = max(known.by_year, key=lambda one: one.orders).name
    assert status(form.format(year=top, n=known.orders), "statistics", scene, user) != "fail"
    assert status(form.format(year=int(top) - 60, n=known.orders), "statistics", scene, user) == "fail"


def test_the_peak_of_something_is_not_that_of_all_orders(scene: Scene) -> None:
    user, known, _ = known_of(scene)
    least = min(known.by_year, key=lambda one: one.orders).name
    text = f"The Drowsy Fox kettle came four times, your other kettles twice. {least} was the peak."
    assert status(text, "statistics", scene, user) != "fail"


def test_a_share_of_all_orders(scene: Scene) -> None:
    user, known, parts = known_of(scene)
    share = round(100 * parts[0].orders / known.orders)
    text = "Your {name} shelf accounts for {n} orders overall, that is {share} percent."
    said = {"name": spelt(parts[0]), "n": parts[0].orders, "share": share}
    assert status(text.format(**said), "statistics", scene, user) != "fail"
    assert status(text.format(**{**said, "share": share + 9}), "statistics", scene, user) == "fail"


def test_days_from_a_day_that_is_said(scene: Scene) -> None:
    user, known, _ = known_of(scene)
    assert known.last_order is not None and known.days_since_last_order is not None
    text = "Your latest order was placed on {day}, that is {days} days ago."
    said = {"day": known.last_order[:10], "days": known.days_since_last_order}
    assert status(text.format(**said), "statistics", scene, user) == "pass"
    assert (
        status(text.format(**{**said, "days": 1 + 3 * said["days"] + 40}), "statistics", scene, user)
        == "fail"
    )


def test_a_count_that_may_be_of_some_orders_accuses_nobody(scene: Scene) -> None:
    """All orders are counted rightly beside it, a day is no count, and from a year on is not that year."""
    user, known, _ = known_of(scene)
    year = known.by_year[0].name
    for text in (
        f"You have placed {known.orders} orders. Soaker hoses lead with 4 orders, then bird baths.",
        "| | one | two |\n|---|---|---|\n| Your orders | 10 Aug 2021 | none |\n",
        f"Since November {year} you have placed 4 orders for kettles.",
    ):
        assert status(text, "statistics", scene, user) != "fail", text
    for wrong in (
        f"You have placed {known.orders + 11} orders in all.",
        f"You have placed {known.orders} orders. Soaker hoses lead with {known.orders + 11} orders, then bird baths.",
        f"Since November {year} you have placed {known.orders + 11} orders for kettles.",
    ):
        assert status(wrong, "statistics", scene, user) == "fail", wrong
