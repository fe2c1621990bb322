"""True cells and sentences that look like something else: what a dollar buys, what a thing is rated for or fits, shares and ranges of money, lowered prices."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

URL = "http://ecommerce.example/"

DRIVERS = (
    "| set | pieces | price | {head} |\n|---|---|---|---|\n"
    "| Rivetworks Ratcheting (B0F9NLITGP) | 145 | $44.99 | {first} |\n"
    "| Shopfox Lane Pocket (B0AFJRFCIN) | 63 | $20.99 | 3.00 |\n"
    "| Truemere Ratcheting (B0EEH7ENMT) | 49 | $25.00 | 1.96 |\n"
)
PAILS = (
    "| | Nestaway (B0XD9T9ZZT) | Truehaven (B07C5Y4X31) |\n|---|---|---|\n"
    "| bags | 12 Pack | 12 Pack |\n| {} |\n| price | $28.00 | $31.99 |\n"
)
"""4.1 and 4.5 stars, from 20 each."""
FACE = (
    "| item | price | {} |\n|---|---|---|\n"
    "| Ottershore Hydrating Facial Cleanser, 8 Fl Oz (B0K19BBE4M) | $13.49 | 27% |\n"
    "| Lumisette Vegan Vitamin C Serum, 4 Fl Oz (B08KR7KHJZ) | $31.99 | {} |\n"
)
"""The serum has 20 percent of vitamin C."""
LIGHTS = (
    "| light | price | {head} |\n|---|---|---|\n| Kindpaw Clip-On (B07X1FNM8H) | $75.99 | yes |\n"
    "| Hearthcat Clip-On (B09CDTM8AW) | $32.95 | {answer} |\n"
)
BATHS = (
    "The twelve-inch baths fit {} $42.99 {} $45.99. At the bottom stands the resin "
    f"[Greenmantle Heated]({URL}B0AD9BKBW1), in the middle the [Nuthatch Supply Solar Fountain]({URL}B0JVY38ELH) at $44.49, "
    f"and at the top the concrete [Wren & Rill Pedestal]({URL}B0ZJ666RPI)."
)
COUPON = "I have a coupon for 20% off any one compost tumbler. Which one?"
TUMBLERS = (
    "| Tumbler | Size | Price | With coupon |\n|---|---|---|---|\n"
    f"| [Calmgate]({URL}B0FSB3OLB0) | 27 gal | $56.99 | $45.59 |\n"
    f"| [Finchfield]({URL}B0EVPFPNAU) | 50 gal | $180.99 | {{}} |\n\n## Per gallon\n"
    "Without the coupon the Calmgate costs about $2.11 a gallon and the Finchfield about $3.62. "
    "With it the Finchfield still costs about {}.\n"
)


def failing(shop: Shop, text: str, query: str | None = None) -> set[str]:
    found = check_report(Subject(text, query=query, shop=shop))
    return {name for name, check in found.items() if check.status == "fail"}


@pytest.mark.parametrize("head", ["pieces per dollar", "pieces per $", "bits/$", "pieces for each dollar"])
def test_what_a_dollar_buys_is_no_cost(rules_shop: Shop, head: str) -> None:
    assert failing(rules_shop, DRIVERS.format(head=head, first="3.22")) == set()


def test_the_cells_under_a_cost_are_costs(rules_shop: Shop) -> None:
    text = DRIVERS.replace("3.00", "0.33").replace("1.96", "0.51")
    assert failing(rules_shop, text.format(head="dollars per piece", first="0.31")) == set()
    assert failing(rules_shop, text.format(head="dollars per piece", first="0.91"))


@pytest.mark.parametrize(
    "row",
    [
        "diapers rated | 1,080 | 2,160",
        "rated for | 1,080 diapers | 2,160 diapers",
        "diapers rated | 1 | 2",
        "rated | 4.1 | 4.5",
        "stars and ratings | 4.1, 20 | 4.5, 20",
    ],
)
def test_what_something_is_rated_for_is_no_rating(rules_shop: Shop, row: str) -> None:
    assert failing(rules_shop, PAILS.format(row)) == set()


@pytest.mark.parametrize(
    "row", ["rated | 4.7 | 4.5", "buyers rated | 3.1 | 4.5", "stars | 4.6, 20 | 4.5, 20"]
)
def test_a_row_of_ratings_is_read_as_before(rules_shop: Shop, row: str) -> None:
    assert "rating" in failing(rules_shop, PAILS.format(row))


@pytest.mark.parametrize("head", ["share of $50", "% of budget", "part of the limit"])
def test_a_share_of_money_is_not_of_the_thing(rules_shop: Shop, head: str) -> None:
    query = "Face wash and a vitamin C serum, $50 in all please"
    assert failing(rules_shop, FACE.format(head, "64%"), query) == set()


def test_a_share_that_is_of_the_thing_is_held_against_its_record(rules_shop: Shop) -> None:
    text = f"The [Lumisette Vegan Vitamin C Serum]({URL}B08KR7KHJZ) has {{}} vitamin C.\n"
    assert failing(rules_shop, text.format("20%")) == set()
    assert "product_claims" in failing(rules_shop, text.format("64%"))


@pytest.mark.parametrize("head", ["fits 40 inches", "fits the tank", "within 40 inches"])
def test_what_a_thing_fits_is_no_limit_of_money(rules_shop: Shop, head: str) -> None:
    assert failing(rules_shop, LIGHTS.format(head=head, answer="no"), "A light, up to $80") == set()


@pytest.mark.parametrize(
    "head", ["fits $80", "fits your budget", "fits?", "within limit", "under $80?", "Fits 80"]
)
def test_a_head_that_asks_for_the_limit_is_answered_by_the_price(rules_shop: Shop, head: str) -> None:
    assert failing(rules_shop, LIGHTS.format(head=head, answer="yes"), "A light, up to $80") == set()
    assert "budget" in failing(rules_shop, LIGHTS.format(head=head, answer="no"), "A light, up to $80")


@pytest.mark.parametrize("words", [("between", "and"), ("from", "to"), ("anywhere between", "and")])
def test_both_ends_of_a_range_are_no_limit(rules_shop: Shop, words: tuple[str, str]) -> None:
    assert failing(rules_shop, BATHS.format(*words)) == set()


def test_a_limit_behind_fits_is_one(rules_shop: Shop) -> None:
    text = f"The [Wren & Rill Pedestal]({URL}B0ZJ666RPI), $45.99, fits {{}}."
    query = "A pedestal bird bath, at most ${}?"
    assert failing(rules_shop, text.format("the $50"), query.format(50)) == set()
    assert "budget" in failing(rules_shop, text.format("the $40"), query.format(40))


def test_a_lowered_price_has_a_cost_per_unit_too(rules_shop: Shop) -> None:
    assert failing(rules_shop, TUMBLERS.format("$144.79", "$2.90"), COUPON) == set()
    assert "product_claims" in failing(rules_shop, TUMBLERS.format("$144.79", "$2.30"), COUPON)
    saved = TUMBLERS.replace("With coupon", "Saved on four")
    assert "price" in failing(rules_shop, saved.format("$144.79", "$2.90"), COUPON)


def test_a_share_of_the_question_lowers_prices(rules_shop: Shop) -> None:
    assert "price" in failing(rules_shop, TUMBLERS.format("$134.79", "$2.90"), COUPON)
    assert "price" in failing(rules_shop, TUMBLERS.format("$144.79", "$2.90"), "Which compost tumbler?")
