"""So many times, and the first of all: right if any two values, any group in sight make it so; else wrong, whichever were meant."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from drr.env.entities import Product
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

from benchmarks.planted import Scene

PENS = ("B0VEX4YW48", "B0U6IMAPT7")
"""$12.99 and 4.9 stars; $39.00 and 5.0 stars."""


@pytest.fixture
def pens(scene: Scene) -> tuple[Product, ...]:
    found = tuple(one for key in PENS if (one := scene.shop.store.product(key)) is not None)
    assert [one.price for one in found] == [12.99, 39.0]
    return found


def accused(text: str, shop: Shop, kind: str) -> Iterator[str]:
    check = check_report(Subject(text, shop=shop))["product_claims"]
    return (text[slice(*one.span)].strip() for one in check.accused if one.kind == kind)


def report(pens: tuple[Product, ...], said: str) -> str:
    cheap, dear = pens
    return (
        f"Two fountain pens, a fine one and a broad one. The [Birchford]({cheap.product_url}) is $12.99, "
        f"the [Plainfold]({dear.product_url}) $39.00.\n\n{said}"
    )


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("The Plainfold is three times as dear.", "The Plainfold is five times as dear."),
        ("The Birchford costs about a third of what the Plainfold does.", "The Birchford costs about half of what the Plainfold does."),
        ("So the second is just over three times the price of the first.", "So the second is just over four times the price of the first."),
        ("At $12.99 it is 67% cheaper.", "At $12.99 it is 27% cheaper."),
        ("Three of the Birchford come to $38.97, triple the price of one.", "Three of the Birchford come to $38.97, double the price of one."),
    ],
)  # fmt: skip
def test_a_multiple_that_no_two_values_come_to_is_wrong(
    scene: Scene, pens: tuple[Product, ...], right: str, wrong: str
) -> None:
    assert not list(accused(report(pens, right), scene.shop, "multiple")), right
    text = report(pens, wrong)
    found = [*accused(text, scene.shop, "multiple"), *accused(text, scene.shop, "ratio")]
    assert found, wrong


@pytest.mark.parametrize(
    "said",
    [
        "The Plainfold writes five times as long.",
        "You ordered it five times the year before.",
        "A third Plainfold would be one too many.",
        "With refills it might be five times as dear.",
        "Some shops ask five times the price [1].\n\n[1] https://pens.example/prices",
        "Half of the two have a price.",
    ],
)
def test_what_is_of_other_things_is_no_multiple_of_these(
    scene: Scene, pens: tuple[Product, ...], said: str
) -> None:
    assert not list(accused(report(pens, said), scene.shop, "multiple"))


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("Cheapest: Birchford.", "Cheapest: Plainfold."),
        ("The best rated is the Plainfold, by a hair.", "The best rated is the Birchford, by a hair."),
        ("The Plainfold is the dearest of the lot.", "The Birchford is the dearest of the lot."),
    ],
)
def test_a_superlative_of_what_is_first_nowhere_is_wrong(
    scene: Scene, pens: tuple[Product, ...], right: str, wrong: str
) -> None:
    for said, expected in ((right, False), (wrong, True)):
        text = report(pens, said)
        found = [*accused(text, scene.shop, "superlative"), *accused(text, scene.shop, "comparison")]
        assert bool(found) is expected, said


HOSES = ("B04W7YFEQ6", "B0TMT1CLWV")
"""$18.49 and 25 feet long; $18.99 and 50 feet long."""


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("half the length of", False),
        ("half the size of", False),
        ("half the price of", True),
    ],
)
def test_a_multiple_of_a_measure_is_held_against_the_measures_of_the_records(
    scene: Scene, said: str, wrong: bool
) -> None:
    short, long = (one for key in HOSES if (one := scene.shop.store.product(key)) is not None)
    text = f"The [Rowanyard]({short.product_url}) at $18.49 is {said} the [Calmgate]({long.product_url}) at $18.99."
    assert bool(list(accused(text, scene.shop, "multiple"))) is wrong


@pytest.mark.parametrize(
    "said",
    [
        "The Birchford isn't the dearest, of course.",
        "The Birchford is the dearest with a fine nib.",
        "The Birchford is the second dearest.",
        "Which is the dearest? The Birchford has a case.",
        "The Birchford would be the dearest if it had a gold nib.",
        "Per refill the Birchford is the dearest.",
    ],
)
def test_a_superlative_that_is_narrower_or_not_meant_accuses_nobody(
    scene: Scene, pens: tuple[Product, ...], said: str
) -> None:
    assert not list(accused(report(pens, said), scene.shop, "superlative"))


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("With 12 nibs the [Plainfold]({url}) is $3.25 a nib.", False),
        ("With 12 nibs the [Plainfold]({url}) is $2.15 a nib.", True),
        ("With 12 nibs the [Plainfold]({url}) would be $2.15 a nib.", False),
        ("In other shops the [Plainfold]({url}) is $2.15 a nib.", False),
        ("With 12 nibs it is $2.15 a nib.", False),
    ],
)
def test_a_cost_that_no_price_comes_to_by_any_count_is_wrong(
    scene: Scene, pens: tuple[Product, ...], said: str, *, wrong: bool
) -> None:
    text = said.format(url=pens[1].product_url)
    assert bool([*accused(text, scene.shop, "cost_per_unit")]) is wrong


SUNSCREEN, THERMOMETER = "http://ecommerce.example/B01445YYL3", "http://ecommerce.example/B07FRORVT7"


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("The [Kindred Curl]({s}) has SPF 30.", False),
        ("The [Kindred Curl]({s}) has SPF 45.", True),
        ("The [Kindred Curl]({s}) is no SPF 45.", False),
        ("A guide asks for SPF 45; the [Kindred Curl]({s}) will do.", False),
        ("The [Copperfold]({t}) reads to 0.9 degrees.", False),
        ("The [Copperfold]({t}) reads to 1.7 degrees.", True),
        ("The [Copperfold]({t}) would read to 1.7 degrees.", False),
        ("The [Copperfold]({t}) cuts coarser than P-5, like SPF 45.", False),
        ("Your own oven is off by 1.7 degrees; take the [Copperfold]({t}).", False),
    ],
)
def test_what_stands_in_no_record_in_sight_is_wrong(scene: Scene, said: str, *, wrong: bool) -> None:
    text = said.format(s=SUNSCREEN, t=THERMOMETER)
    found = [*accused(text, scene.shop, "nowhere"), *accused(text, scene.shop, "detailed")]
    assert bool(found) is wrong


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("The Plainfold, $39.00, is three times the $12.99 of the Birchford.", "The Plainfold, $39.00, is five times the $12.99 of the Birchford."),
        ("More than double: $12.99 for the Birchford and $39.00 for the Plainfold.", "More than quadruple: $12.99 for the Birchford and $39.00 for the Plainfold."),
        ("You bought the Birchford in 2021; the Plainfold is three times the price of it.", "You bought the Birchford in 2021; the Plainfold is five times the price of it."),
    ],
)  # fmt: skip
def test_a_multiple_of_an_amount_and_one_without_an_object_are_read(
    scene: Scene, pens: tuple[Product, ...], right: str, wrong: str
) -> None:
    assert not list(accused(report(pens, right), scene.shop, "multiple")), right
    assert list(accused(report(pens, wrong), scene.shop, "multiple")), wrong


@pytest.mark.parametrize(
    "said",
    [
        "To more than double, add a spare nib.",
        "Your spending on pens has more than doubled since 2019.",
        "You ordered the Birchford four times the year before the Plainfold.",
        "With nibs and ink the Plainfold might be nearly quadruple.",
        "A page of the web says five times the $30.00 of a plain pen [1].\n\n[1] https://pens.example/prices",
    ],
)
def test_multiples_without_an_object_that_are_of_other_things_accuse_nobody(
    scene: Scene, pens: tuple[Product, ...], said: str
) -> None:
    assert not list(accused(report(pens, said), scene.shop, "multiple")), said


GRINDERS = "The [Tailfield Rechargeable](http://ecommerce.example/B0AKTL95OZ) costs $27.99. A close second is the [Nuzzleworth Quiet](http://ecommerce.example/B08UG29MWT) for $25.99.\n\n"
"""They run for two hours and for four."""


@pytest.mark.parametrize(
    "said",
    [
        "The Tailfield is for a shy dog. Its charge lasts about two hours, {} of what the Nuzzleworth manages.",
        "The Tailfield runs 2 hours on a charge, {} of what the Nuzzleworth does.",
        "The Tailfield costs $27.99 and runs two hours, {} of what the Nuzzleworth gives you.",
    ],
)
def test_a_multiple_of_what_another_has_is_of_the_measure_before_it(rules_shop: Shop, said: str) -> None:
    assert not list(accused(GRINDERS + said.format("half"), rules_shop, "multiple"))
    assert list(accused(GRINDERS + said.format("a third"), rules_shop, "multiple")) == ["a third"]


def test_a_multiple_of_what_another_costs_is_of_prices(rules_shop: Shop) -> None:
    said = GRINDERS + "The Tailfield runs for two hours and is half of what the Nuzzleworth costs."
    assert list(accused(said, rules_shop, "multiple")) == ["half"]


def test_a_time_for_returns_is_no_run_time(rules_shop: Shop) -> None:
    other = GRINDERS.replace("Nuzzleworth Quiet", "Bluestem Bypass").replace("B08UG29MWT", "B09ACHD7U0")
    said = "The Tailfield's charge lasts about two hours, half of what the Bluestem manages."
    assert not list(accused(other + said, rules_shop, "multiple"))
