"""One record, several lengths: the same figures and the same unknowns in each, and a place for each field of the evidence."""

from __future__ import annotations

import re
from typing import Any

import pytest
from drr.env.entities import Order, Product
from drr.env.records.lines import fact_lines, joined_with_spans
from drr.env.records.listing import product_page
from drr.env.records.product import product_evidence, product_markdown, product_row
from drr.env.records.shopper import order_evidence, order_page, order_row
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases

ADDRESS = "user://u1/orders/1"


def product(**fields: Any) -> Product:
    known: dict[str, Any] = {
        "product_id": "B0",
        "product_url": "http://ecommerce.example/B0",
        "title": "Feeder",
        "features": ["Holds six pounds."],
        "description": ["For small birds."],
        "price": 1234.5,
        "store": "Acme",
        "categories": ["Pet Supplies", "Birds"],
        "category": "Pet_Supplies",
        "details": {"Weight": "4 pounds", "Ranks": {"Birds": 12}, "Colors": ["red", "blue"]},
        "average_rating": 4.5,
        "rating_number": 2067,
        "bought_together": ["B1", "B2"],
    }
    return Product(**known | fields)


def every_layout(one: Product) -> list[str]:
    order = Order(
        order_id="1", product_id="B0", user_id="u1", order_date="2022-02-22T06:07:21.735", quantity=1
    )
    return [
        product_row(one),
        product_page(one).text,
        product_page(one, "short").text,
        product_markdown(one),
        product_evidence(one).text,
        order_row(order, one),
        order_page(order, one, None, ADDRESS),
        order_evidence(order, one),
    ]


@given(st.one_of(st.none(), st.floats(0.01, 99_999).map(lambda value: round(value, 2))))
def test_every_length_says_the_same_price_or_that_it_is_unknown(price: float | None) -> None:
    for text in every_layout(product(price=price)):
        if price is None:
            assert re.search(r"price:? unknown", text, re.I) and "$" not in text
        else:
            assert re.findall(r"\$([\d,]+\.\d\d)", text) == [f"{price:,.2f}"]


@pytest.mark.parametrize(("rating", "number"), [(4.5, 2067), (4.0, 1), (4.5, None), (None, None), (None, 12)])
def test_every_length_of_a_listing_says_its_stars_or_none(rating: float | None, number: int | None) -> None:
    one = product(average_rating=rating, rating_number=number, features=[], description=[], details={})
    texts = [product_row(one), product_page(one).text, product_markdown(one), product_evidence(one).text]
    for text in texts:
        said = re.search(r"([\d.]+)(?:/| of | out of )5", text)
        assert (None if said is None else said[1]) == (None if rating is None else f"{rating:g}")


FIELDS = cases("env", "FIELDS")


def test_the_evidence_says_where_it_states_each_field() -> None:
    text, places = product_evidence(product())
    assert {field: text[start:end] for field, (start, end) in places.items()} == FIELDS
    bare = product(average_rating=None, rating_number=None, store=None, bought_together=None, price=None)
    text, places = product_evidence(bare)
    assert places.keys() == FIELDS.keys() - {"average_rating", "rating_number", "store", "bought_together"}
    assert text[slice(*places["price"])] == "Price: unknown"


@given(st.lists(st.tuples(st.sampled_from("abc"), st.one_of(st.none(), st.text(max_size=8)))))
def test_a_place_is_that_of_the_first_line_of_its_field(rows: list[tuple[str, str | None]]) -> None:
    text, places = joined_with_spans(rows)
    assert text == "\n".join(line for _, line in rows if line)
    firsts: dict[str, str] = {}
    for field, line in rows:
        if line:
            firsts.setdefault(field, line)
    assert {field: text[start:end] for field, (start, end) in places.items()} == firsts


def test_any_record_reads_as_one_fact_a_line_without_what_is_unknown() -> None:
    record = {
        "order_id": "1",
        "note": None,
        "tags": [],
        "parts": [{"name": "a"}, {"name": "b"}],
        "of": {"x": 1},
    }
    assert fact_lines(record).splitlines() == ["order id: 1", "parts, name: a", "parts, name: b", "of, x: 1"]
