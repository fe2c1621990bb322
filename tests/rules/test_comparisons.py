"""Two products named in one breath: which is cheaper, better rated, by how much; what names, pronouns and sums in words stand for."""

from __future__ import annotations

import pytest
from drr.env.entities import Product
from drr.env.shop import Shop
from drr.eval.checks import Check, Subject, check_report
from drr.wording.comparisons import COMPARISONS

from benchmarks.planted import Scene

CHEAP, DEAR = "B0VEX4YW48", "B0U6IMAPT7"
"""Two fountain pens of the sample shop: $12.99, 4.9 stars; $39.00, 5.0 stars, a broad nib."""


def check(report: str, rule: str, shop: Shop, query: str | None = None, bar: float | None = None) -> Check:
    return check_report(Subject(report, query=query, shop=shop), bar)[rule]


@pytest.fixture
def pens(scene: Scene) -> tuple[Product, Product]:
    cheap, dear = scene.shop.store.product(CHEAP), scene.shop.store.product(DEAR)
    assert cheap is not None and dear is not None
    return cheap, dear


INTRO = "**{a}** and **{b}** are both fountain pens. {said} [one]({a_url}) [two]({b_url})"


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("The Plainfold is $26.01 more.", "The Plainfold is $22.01 more."),
        ("The Plainfold costs three times as much.", "The Plainfold costs five times as much."),
        (
            "It is a matter of taste and rating: 4.9 against 5.0.",
            "It is a matter of taste and rating: 4.9 against 4.2.",
        ),
    ],
)
def test_a_difference_is_held_against_both_records(
    scene: Scene, pens: tuple[Product, Product], true: str, false: str
) -> None:
    a, b = pens
    for said, expected in ((true, "pass"), (false, "fail")):
        text = INTRO.format(a=_short(a), b=_short(b), said=said, a_url=a.product_url, b_url=b.product_url)
        assert check(text, "product_claims", scene.shop, bar=0.0).status == expected, text


@pytest.mark.parametrize(
    "said",
    [
        "If it were for the nib, the Plainfold would be cheaper.",
        "Per refill, and over a year, the Plainfold is cheaper.",
        "The Plainfold is cheaper than most pens of its kind.",
        "The Plainfold is $5.00 more than you wanted.",
        "The Plainfold gives twice as much writing.",
        "Neither is cheaper.",
    ],
)
def test_what_may_be_of_other_things_accuses_nobody(
    scene: Scene, pens: tuple[Product, Product], said: str
) -> None:
    a, b = pens
    text = INTRO.format(a=_short(a), b=_short(b), said=said, a_url=a.product_url, b_url=b.product_url)
    assert check(text, "product_claims", scene.shop).status != "fail", text


def test_a_price_right_behind_a_name_is_that_products(scene: Scene, pens: tuple[Product, Product]) -> None:
    a, b = pens
    for amount, expected in (("$12.99", "pass"), ("$39.00", "fail")):
        text = f"Take the **{_short(a)}** ({amount}) or the **{_short(b)}** ($39.00). [one]({a.product_url}) [two]({b.product_url})"
        assert check(text, "price", scene.shop).status == expected, text


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("**{a}**, {a_price}. It has an extra fine nib. [see]({a_url})", False),
        ("**{a}**, {a_price}. It has a broad nib. [see]({a_url})", True),
        ("**{a}**, {a_price}. It is no pen with a broad nib. [see]({a_url})", False),
        ("**{a}**, {a_price}. Unlike it, others have a broad nib. [see]({a_url})", False),
    ],
)
def test_a_word_of_a_closed_class_is_held_against_its_field(
    scene: Scene, pens: tuple[Product, Product], text: str, fails: bool
) -> None:
    a, _ = pens
    said = text.format(a=_short(a), a_price=f"${a.price:.2f}", a_url=a.product_url)
    assert (check(said, "product_claims", scene.shop).status == "fail") is fails, said


@pytest.mark.parametrize(
    ("said", "fails"),
    [
        ("a pair would be $25.98.", False),
        ("a pair would be $24.98.", True),
        ("two come to $25.98.", False),
        ("two come to $27.98.", True),
        ("with a 10% code, a saving of $1.30.", False),
        ("with a 10% code, a saving of $2.30.", True),
    ],
)
def test_so_many_of_the_one_thing_and_a_share_of_its_price(
    scene: Scene, pens: tuple[Product, Product], said: str, fails: bool
) -> None:
    text = f"The [{_short(pens[0])}]({pens[0].product_url}) is $12.99; {said}"
    assert (check(text, "total", scene.shop).status == "fail") is fails, text


@pytest.mark.parametrize(
    ("said", "fails"),
    [
        ("| Filling | Eyedropper | Piston |", False),
        ("| Filling | Eyedropper | Eyedropper |", True),
        ("| Why | Eyedropper | Eyedropper |", False),
        ("| Filling | Eyedropper | Magnet |", False),
    ],
)
def test_the_odd_cell_of_a_row_is_wrong_where_the_others_are_as_recorded(
    scene: Scene, pens: tuple[Product, Product], said: str, fails: bool
) -> None:
    a, b = pens
    text = f"| | [{_short(a)}]({a.product_url}) | [{_short(b)}]({b.product_url}) |\n|---|---|---|\n{said}\n"
    assert (check(text, "product_claims", scene.shop).status == "fail") is fails, text


def _short(product: Product) -> str:
    return product.title.split(",")[0]


def test_a_factor_is_read_with_all_its_digits() -> None:
    """`2.08 times the price` was read as eight times."""
    said = "24 x 18 inches, 2.88 times the area for 2.08 times the price."
    assert [one.factor for one in COMPARISONS.factors(said)] == [2.08]
    assert [one.factor for one in COMPARISONS.factors("It costs 2.5 times as much.")] == [2.5]


@pytest.mark.parametrize(("times", "fails"), [("six", False), ("three", False), ("ten", True)])
def test_so_many_times_may_be_of_costs_per_unit(
    scene: Scene, pens: tuple[Product, Product], times: str, fails: bool
) -> None:
    """The pens cost three times as much; by the mile, six times: the line says so."""
    a, b = pens
    text = f"[{_short(a)}]({a.product_url}) at $12.99 writes two miles, so $6.50 a mile; [{_short(b)}]({b.product_url}) at $39.00 writes one, which is $39.00 a mile. Against the {_short(a)} the {_short(b)} costs {times} times as much, $39.00 a mile."
    assert (check(text, "product_claims", scene.shop).status == "fail") is fails
