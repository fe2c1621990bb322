"""Names of makers in prose, offers of nowhere, grades and entries of an order book: accused only where nothing explains them."""

from __future__ import annotations

import pytest
from drr.env.entities import Order, Product, User
from drr.env.shop import Shop
from drr.eval.checks import Check, Subject, check_report

from benchmarks.planted import Scene


def check(report: str, rule: str, shop: Shop | None, user: User | None = None) -> Check:
    urls = () if shop else ("http://ecommerce.example",)
    return check_report(Subject(report, shop=shop, user_id=user.user_id if user else None, shop_urls=urls))[
        rule
    ]


class TestMakersInProse:
    SENTENCES = (
        "So the {noun} by {maker} is the one to take ({url}).",
        "{maker}'s {noun} is good, and sturdy ({url}).",
        "- A. {maker} {noun} {url}",
        "The one at {url} is by {maker}.",
    )

    @staticmethod
    def pair(scene: Scene) -> tuple[Product, Product, str]:
        """Two products of different makers, and a word that only the first one's title has."""
        for one in scene.products:
            for other in scene.products:
                nouns = [
                    word
                    for word in one.title.split()[len((one.store or "").split()) :]
                    if word.isalpha() and len(word) > 4 and word not in other.title
                ]
                apart = one.store and other.store and one.store != other.store
                if (
                    apart
                    and nouns
                    and one.title.startswith(one.store or "-")
                    and other.title.startswith(other.store or "-")
                ):
                    return one, other, nouns[0]
        raise AssertionError("no two products")

    @pytest.mark.parametrize("sentence", SENTENCES)
    def test_anothers_name_on_a_thing_is_wrong(self, scene: Scene, sentence: str) -> None:
        one, other, noun = self.pair(scene)
        for maker, expected in ((one.store, False), (other.store, True)):
            text = sentence.format(maker=maker, noun=noun, url=one.product_url)
            assert (check(text, "name_matches_id", scene.shop).status == "fail") is expected, text

    @pytest.mark.parametrize(
        "sentence",
        [
            "{maker}'s {noun} is gone; you could replace it: {url}.",
            "{maker}'s {noun} is dear, while this costs little: {url}.",
        ],
    )
    def test_a_name_that_may_be_of_another_thing_is_none(self, scene: Scene, sentence: str) -> None:
        one, other, noun = self.pair(scene)
        text = sentence.format(maker=other.store, noun=noun, url=one.product_url)
        assert check(text, "name_matches_id", scene.shop).status != "fail", text


class TestOffersOfNowhere:
    @pytest.mark.parametrize(
        "text",
        [
            "The limits stand at https://developer.amazon.com/docs/alexa/limits.html today.",
            "- N. America: $33.60\n- Europe: $12.00\n",
            "| Region | Market |\n|---|---|\n| N. America | $33.60 |\n",
            "- Context Extension - $0.10\n",
            "| Feature | Cost |\n|---|---|\n| Context Extension | $20 |\n",
            "- A: 11.49 + 8.99 + 13.99 = $34.47\n",
            "- Ann · Place: Gulfport, Mississippi · Ceiling $50\n",
        ],
    )
    def test_no_shop_and_no_product(self, scene: Scene, text: str) -> None:
        for shop in (scene.shop, None):
            assert check(text, "outside_shop", shop).status != "fail"

    @pytest.mark.parametrize(
        "text",
        [
            "Buy it at https://www.amazon.co.uk/some-thing instead.",
            "Buy it at https://amazon.com/some-thing instead.",
            "Buy it at https://developer.amazon.com/dp/B0ABCDEFGH instead.",
            "- Zentrix Pro Trimmer $30\n",
            "- Zentrix Trimmer $30\n- The other one: {url}\n",
        ],
    )
    def test_what_another_shop_sells(self, scene: Scene, text: str) -> None:
        text = text.format(url=scene.products[0].product_url)
        assert check(text, "outside_shop", scene.shop).status == "fail"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Let's call them Big and Small.", "pass"),
        ("I'll call it the good one.", "pass"),
        ("Let's call the search tool again.", "fail"),
        ("I will now call the API.", "fail"),
    ],
)
def test_to_call_something_by_a_name_is_no_talk_of_a_tool(text: str, expected: str) -> None:
    assert check(text, "process_text", None).status == expected


class TestEntriesOfAnOrder:
    @staticmethod
    def single(scene: Scene) -> tuple[User, Order]:
        """An order of one piece, delivered, the only one of its day."""
        for user in scene.users:
            orders = scene.shop.store.orders(user.user_id, limit=100).items
            days = [one.order_date[:10] for one in orders]
            for one in orders:
                alone = days.count(one.order_date[:10]) == 1
                if alone and one.quantity == 1 and one.order_status == "Delivered":
                    return user, one
        raise AssertionError("no such order")

    @pytest.mark.parametrize(
        ("entry", "expected"),
        [("qty 1, status Delivered", "pass"), ("qty 1, status Cancelled", "fail"), ("qty 3", "fail")],
    )
    def test_what_follows_without_a_subject_is_of_the_order_that_the_line_begins_with(
        self, scene: Scene, entry: str, expected: str
    ) -> None:
        user, order = self.single(scene)
        text = f"Order {order.order_id}: a thing of yours. Placed {order.order_date[:10]}, {entry}."
        assert check(text, "order_facts", scene.shop, user).status == expected

    @pytest.mark.parametrize(("said", "expected"), [("one piece", "pass"), ("three pieces", "fail")])
    def test_a_day_with_one_order_says_which(self, scene: Scene, said: str, expected: str) -> None:
        user, order = self.single(scene)
        text = f"You ordered it on {order.order_date[:10]}, {said}."
        assert check(text, "order_facts", scene.shop, user).status == expected
