"""Links whose words name somebody else than who makes the thing, and prices in a cell that sums of others happen to explain."""

from __future__ import annotations

import pytest
from drr.env.entities import Product
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report, urls_in
from drr.eval.checks.makers import makers_of

from benchmarks.planted import Scene


def _status(shop: Shop, text: str, rule: str) -> str:
    return check_report(Subject(text, query="", user_id=None, shop=shop, returned=urls_in(text)))[rule].status


def _two(scene: Scene) -> tuple[Product, Product]:
    """Two priced things of makers whose names are one word, and no word of the other's record."""
    for one in scene.products:
        for other in scene.products:
            name = other.store or ""
            told = f"{one.title} {' '.join(makers_of(one))}".casefold()
            if name.isalpha() and (one.store or "").isalpha() and name.casefold() not in told:
                return one, other
    raise AssertionError("the sample has no such two")


def test_a_link_that_begins_with_another_maker_is_of_another_thing(scene: Scene) -> None:
    one, other = _two(scene)
    for form in (
        "There is [{}]({}) for a try.",
        "Take the [{} Everyday Helper, 8 Inches]({}), it is sold here.",
    ):
        right, wrong = (form.format(maker, one.product_url) for maker in (one.store, other.store))
        assert _status(scene.shop, right, "name_matches_id") != "fail", right
        assert _status(scene.shop, wrong, "name_matches_id") == "fail", wrong


def test_a_link_of_one_word_that_nobody_is_called_by_accuses_nobody(scene: Scene) -> None:
    one, _ = _two(scene)
    for word in ("Here", "Helper", "Cheapest"):
        assert _status(scene.shop, f"See [{word}]({one.product_url}).", "name_matches_id") != "fail", word


OF_A_PAGE = [
    "The Product Page Here",
    "View Product Details Here",
    "Shop Listing Page",
    "See The Item",
    "The Shop's Listing",
    "View Product on the Shop's Page",
    "Link to Item 2",
]


@pytest.mark.parametrize("form", ["See [{}]({}).", "- **[{}]({})**: a good one", "1. [{}]({})"])
@pytest.mark.parametrize("words", OF_A_PAGE)
def test_a_link_that_speaks_of_its_page_alone_names_nothing(scene: Scene, words: str, form: str) -> None:
    one, _ = _two(scene)
    text = f"The {one.title} is sold.\n\n" + form.format(words, one.product_url)
    assert _status(scene.shop, text, "name_matches_id") != "fail"


@pytest.mark.parametrize("lead", ["View the {}", "{} Product Page", "See the {} Listing Here"])
def test_another_things_name_among_such_words_is_still_wrong(scene: Scene, lead: str) -> None:
    one, other = _two(scene)
    for product, status in ((one, "pass"), (other, "fail")):
        name = " ".join(product.title.replace(",", "").split()[:4])
        text = f"See [{lead.format(name)}]({one.product_url})."
        found = _status(scene.shop, text, "name_matches_id")
        assert (found == "fail") == (status == "fail"), text


def test_no_sum_explains_a_price_in_the_cell_of_its_own_row(scene: Scene) -> None:
    """What the price of the first is wrong by is the difference of the two others."""
    one, other, third = [product for product in scene.products if product.price][:3]
    gap = round(abs((other.price or 0) - (third.price or 0)), 2)
    for price, status in ((one.price or 0.0, "pass"), ((one.price or 0.0) + gap, "fail")):
        rows = "\n".join(
            f"| {product.product_id} | {product.title} | ${said:.2f} |"
            for product, said in ((one, price), (other, other.price), (third, third.price))
        )
        text = f"| id | thing | price |\n|---|---|---|\n{rows}\n"
        assert _status(scene.shop, text, "price") == status, text


SHOPPED = "| Thing | Pick | Price |\n|---|---|---|\n{}\n\n[5] http://ecommerce.example/B00C07Q3GI"
"""Greenmantle's path lights, six of them."""


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("| Path lights, 6 | Greenmantle Warm-White [5] | $21.00 |", "| Lampwick lights, 6 | Greenmantle Warm-White [5] | $21.00 |"),
        ("| Border lights, 6 | Greenmantle Warm-White [5] | $21.00 |", "| Zorblat lights, 6 | Warm-White [5] | $21.00 |"),
        ("- **Path lights, 6**: Greenmantle Warm-White [5], $21.00", "- **Lampwick lights, 6**: Greenmantle Warm-White [5], $21.00"),
        ("- Border lights, 6 pack: Greenmantle Warm-White [5], $21.00", "- Zorblat lights, 6 pack: Warm-White [5], $21.00"),
        ("- Path lights, 6 pack [5], $21.00", "- Zorblat lights, 6 pack [5], $21.00"),
    ],
)  # fmt: skip
def test_a_kind_of_thing_beside_its_maker_is_no_maker(rules_shop: Shop, right: str, wrong: str) -> None:
    assert _status(rules_shop, SHOPPED.format(right), "name_matches_id") != "fail"
    assert _status(rules_shop, SHOPPED.format(wrong), "name_matches_id") == "fail"
