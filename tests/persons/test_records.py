"""What follows from orders by rule: said where the orders are enough, and not where they are not."""

from __future__ import annotations

import pytest
from drr.env.entities import Address
from drr.papers.pdr.person import private_data_kinds
from drr.papers.pdr.records import PurchasedProduct, ShopperHistory, derive_attributes

from tests.cases import cases
from tests.persons.shopper import ANNA, bought, history, thing

CHEW = thing("P1", "Fetchwell soft dog chews", 11.0, "Hip & Joint Care")
LEAD = thing("P2", "Fetchwell reflective dog leash", 14.0, "Leashes")
LAMP = thing("P3", "Brightbeam solar lantern", 90.0, "Lanterns", "Brightbeam")
PEN = thing("P4", "Inkly ballpoint, blue", 3.0, "Pens", "Inkly")


def said(of: ShopperHistory) -> dict[str, str]:
    return {one.attribute.id: one.attribute.statement for one in derive_attributes(of)}


def test_a_household_with_a_dog_is_known_by_its_orders() -> None:
    found = {
        one.attribute.id: one
        for one in derive_attributes(history(bought(CHEW, [300, 200, 100]), bought(PEN, [50])))
    }
    dog = found["pets-dogs"]
    assert dog.attribute.basis == "records"
    assert len(dog.orders) == 3 and {g.product_id for g in dog.attribute.evidence} == {"P1"}


@pytest.mark.parametrize(
    "lines",
    [
        [bought(CHEW, [300, 200])],
        [bought(CHEW, [300]), bought(LEAD, [300]), bought(CHEW, [300], first=7)],
        [bought(CHEW, [300, 200, 100], "Returned")],
        [bought(CHEW, [30, 20, 10]), bought(PEN, range(100, 140))],
    ],
    ids=["too few", "one day, as for a gift", "all sent back", "a small share of many"],
)
def test_too_little_is_no_trait(lines: list[list[PurchasedProduct]]) -> None:
    assert "pets-dogs" not in said(history(*lines))


def test_what_is_bought_again_has_its_rhythm() -> None:
    statements = said(history(bought(CHEW, [10, 52, 94, 136]), bought(LAMP, [700])))
    assert statements["replenishment-hip-and-joint-care"] == "reorders hip and joint care about every 6 weeks"
    assert "replenishment-lanterns" not in statements


def test_dear_things_bought_once_are_owned() -> None:
    statements = said(history(bought(CHEW, [10, 52, 94]), bought(LAMP, [400])))
    assert statements["goods-lanterns"] == "owns lanterns already"
    assert "goods-hip-and-joint-care" not in statements


def test_a_wide_spread_names_the_dear_orders_though_none_is_dearer_than_the_quartile() -> None:
    """It named none where the dearest things cost the same, and the file that was just made failed its own check."""
    found = {
        one.attribute.id: one
        for one in derive_attributes(history(bought(PEN, [5, 6, 4, 3]), bought(LAMP, [7, 8, 9])))
    }
    assert {ground.product_id for ground in found["price_spread-wide"].attribute.evidence} == {"P3"}


def test_the_price_level_is_of_the_middle_half() -> None:
    statements = said(history(bought(CHEW, [5, 6, 4]), bought(LEAD, [7, 8]), bought(LAMP, [9])))
    assert (
        statements["price_level-medium"] == "pays medium prices: half of all purchases cost from $11 to $14"
    )


def test_no_price_is_no_level() -> None:
    unknown = thing("P9", "Fetchwell dog bowl", None)
    assert not any(key.startswith("price") for key in said(history(bought(unknown, range(1, 9)))))


def test_returns_count_from_two() -> None:
    lines = [bought(CHEW, [10, 52, 94]), bought(LAMP, [20], "Returned")]
    assert "returns-often" not in said(history(*lines))
    statements = said(history(*lines, bought(LEAD, [30], "Returned")))
    assert statements["returns-often"] == "sends back 2 of 5 orders"


def test_a_place_is_the_state_alone() -> None:
    assert said(history()) == {"place-oklahoma": "lives in Oklahoma"}
    abroad = ANNA.model_copy(update={"address": Address(address1="1 Rue", city="Lyon", state="ARA", zip="6")})
    assert said(history(user=abroad)) == {}


@pytest.mark.parametrize(("text", "kind"), cases("persons", "test_what_names_the_shopper_is_told"))
def test_what_names_the_shopper_is_told(text: str, kind: str) -> None:
    assert kind in private_data_kinds(text, ANNA)


def test_a_plain_statement_discloses_nothing() -> None:
    assert private_data_kinds("comes back to the brand Nestwell", ANNA) == []


def test_brands_that_are_spelled_alike_keep_ids_of_their_own() -> None:
    one, other = (
        [
            bought(thing(f"{store}{n}", "Ballpoint", 3.0, "Pens", store), [n + 1, n + 9, n + 20])
            for n in range(2)
        ]
        for store in ("Nest-Well", "Nest Well")
    )
    ids = [each.attribute.id for each in derive_attributes(history(*one, *other))]
    assert len([key for key in ids if key.startswith("brands-nest-well")]) == 2
    assert len(set(ids)) == len(ids)
