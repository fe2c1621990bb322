"""What a report says of its reader, of his orders and of several products at once: accused only where nothing explains it."""

from __future__ import annotations

from datetime import date

import pytest
from drr.env.entities import Order, Product, User
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

from benchmarks.planted import Scene

MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


def status(report: str, rule: str, scene: Scene, user: User | None = None) -> str:
    subject = Subject(report, shop=scene.shop, user_id=(user or scene.users[0]).user_id)
    return check_report(subject)[rule].status


def pair(scene: Scene) -> tuple[Product, Product]:
    """Two products of different makers with ratings that are far apart."""
    one = next(p for p in scene.products if p.store and p.average_rating and p.rating_number)
    other = next(
        p
        for p in scene.products
        if p.store and p.store != one.store and abs((p.average_rating or 0) - (one.average_rating or 0)) > 0.3
    )
    return one, other


class TestRatingsOfSeveral:
    @pytest.mark.parametrize("off", [0.0, 0.8])
    def test_products_may_be_the_columns(self, scene: Scene, off: float) -> None:
        one, other = pair(scene)
        assert one.average_rating and other.average_rating
        said = one.average_rating - off
        table = (
            f"| | {one.store} | {other.store} |\n|---|---|---|\n| Page | {one.product_url} | {other.product_url} |\n"
            f"| Stars | {said:.1f} ({one.rating_number}) | {other.average_rating} |\n"
        )
        assert status(table, "rating", scene) == ("fail" if off else "pass")

    def test_a_rating_belongs_to_whom_it_fits_of_those_that_are_named(self, scene: Scene) -> None:
        one, other = pair(scene)
        text = "Between {} ({}) and {} ({}) the votes decide: {:.1f} stars against {:.1f}."
        named = one.store, one.product_url, other.store, other.product_url
        assert one.average_rating and other.average_rating
        assert (
            status(text.format(*named, one.average_rating, other.average_rating), "rating", scene) == "pass"
        )
        wrong = next(
            x / 10
            for x in range(11, 50)
            if all(abs(x / 10 - y) > 0.1 for y in (one.average_rating, other.average_rating))
            and abs(x / 10 - abs(one.average_rating - other.average_rating)) > 0.1
        )
        assert status(text.format(*named, wrong, other.average_rating), "rating", scene) == "fail"

    def test_a_mark_to_reach_is_no_rating(self, scene: Scene) -> None:
        one, _ = pair(scene)
        assert (
            status(f"{one.store}'s ({one.product_url}) is the only one above 1.3 stars.", "rating", scene)
            != "fail"
        )


def an_order(scene: Scene) -> tuple[User, Order, Product]:
    """Of a reader with a short history, an order of a product that was bought once."""
    for user in scene.users:
        orders = scene.shop.store.orders(user.user_id, limit=100).items
        for order in orders:
            product = scene.shop.store.product(order.product_id)
            once = sum(one.product_id == order.product_id for one in orders) == 1
            if once and product and product.store and order.order_status == "Delivered":
                return user, order, product
    raise AssertionError("no such order")


def free_day(shop: Shop, user: User) -> date:
    taken = {one.order_date[:10] for one in shop.store.orders(user.user_id, limit=500).items}
    return next(
        day for day in (date(2020, month, 9) for month in range(1, 13)) if day.isoformat() not in taken
    )


class TestPurchases:
    @pytest.mark.parametrize(
        "sentence",
        [
            "You bought the {maker} one ({url}) on {day}.",
            "On {day} you ordered it: {url}.",
            "- {maker} ({url}), ordered {day}",
            "Your order of {day} was from {maker}.",
        ],
    )
    def test_a_day_without_an_order_is_wrong(self, scene: Scene, sentence: str) -> None:
        user, order, product = an_order(scene)
        placed, free = date.fromisoformat(order.order_date[:10]), free_day(scene.shop, user)
        for day, expected in ((placed, "pass"), (free, "fail")):
            said = f"{MONTHS[day.month - 1]} {day.day}, {day.year}"
            text = sentence.format(maker=product.store, url=product.product_url, day=said)
            assert status(text, "order_facts", scene, user) == expected, text

    def test_a_day_of_something_else_is_none_of_a_purchase(self, scene: Scene) -> None:
        user, _, product = an_order(scene)
        day = free_day(scene.shop, user)
        text = f"You own one ({product.product_url}); prices as of {MONTHS[day.month - 1]} {day.day}, {day.year}."
        assert status(text, "order_facts", scene, user) != "fail"

    @pytest.mark.parametrize(
        ("said", "expected"), [("delivered", "pass"), ("still in transit", "fail"), ("on its way", "fail")]
    )
    def test_the_state_of_an_order(self, scene: Scene, said: str, expected: str) -> None:
        user, order, _ = an_order(scene)
        assert status(f"Your order {order.order_id} is {said}.", "order_facts", scene, user) == expected

    def test_how_often(self, scene: Scene) -> None:
        user, _, product = an_order(scene)
        count = sum(
            (one := scene.shop.store.product(order.product_id)) is not None and one.store == product.store
            for order in scene.shop.store.orders(user.user_id, limit=500).items
        )
        text = f"You have bought from {product.store} {{}} times ({product.product_url})."
        assert status(text.format(count + 4), "order_facts", scene, user) == "fail"


class TestTheReader:
    def test_one_part_of_a_city_and_its_state_is_wrong(self, scene: Scene) -> None:
        user = scene.users[0]
        home = user.address
        other = "OH" if home.state != "OH" else "ME"
        assert status(f"Parcels go to {home.city}, {home.state}.", "profile_facts", scene) == "pass"
        assert status(f"You're down in **{home.city}, {other}**.", "profile_facts", scene) == "fail"
        assert status(f"Your city is Zanesfield, {home.state}.", "profile_facts", scene) == "fail"

    def test_a_place_behind_the_readers_own_name_is_the_readers(self, scene: Scene) -> None:
        user = scene.users[0]
        home = user.address
        said = {
            f"Mr {user.last_name} of Zanesfield, {home.state}, asked.": "fail",
            f"Mr {user.last_name} of {home.city}, {home.state}, asked.": "pass",
            f"Mr Quillon of Zanesfield, {home.state}, asked.": "unverifiable",
            f"You're {user.first_name} Quillon; welcome.": "fail",
            f"You're {user.first_name} {user.last_name}; welcome.": "pass",
            "You are Really Lucky.": "unverifiable",
        }
        assert {text: status(text, "profile_facts", scene) for text in said} == said

    def test_terms_and_months_are_no_places_and_titles_no_names(self, scene: Scene) -> None:
        user = scene.users[0]
        assert status("A State Space Model came to your address in May.", "profile_facts", scene) != "fail"
        assert status(f"Dear Mrs {user.last_name}, here it is.", "profile_facts", scene) == "pass"

    def test_counts_of_parts_stand_beside_their_names(self, scene: Scene) -> None:
        user = scene.users[0]
        known = scene.shop.store.statistics(user.user_id)
        assert known is not None
        first = known.by_category[0]
        name = first.name.replace("_and_", " & ").replace("_", " ")
        for off, expected in ((0, "pass"), (13, "fail")):
            for text in (
                f"Your history holds {known.orders + off} orders.",
                f"Of your {known.orders} orders, {name} leads with {first.orders + off}.",
                f"{name} accounts for {first.orders + off} of them.",
            ):
                assert status(text, "statistics", scene) == expected, text


def test_a_product_in_play_that_is_named_by_its_maker_is_no_offer_of_elsewhere(scene: Scene) -> None:
    one, _ = pair(scene)
    text = f"- {one.store} Heavy Duty: $20\n\nSee {one.product_url}."
    assert status(text, "outside_shop", scene) == "pass"


@pytest.mark.parametrize("label", ["This one", "On the shop", "What I'd wrap"])
def test_a_label_is_no_name(scene: Scene, label: str) -> None:
    one, _ = pair(scene)
    assert status(f"[{label}]({one.product_url}) is good.", "name_matches_id", scene) != "fail"
