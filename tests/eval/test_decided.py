"""What a record settles, no judge is asked: price, stars and number of ratings, decided on the listing and not on its text."""

from __future__ import annotations

from typing import Any

import pytest
from drr.env.entities import Product
from drr.env.records.product import product_evidence
from drr.env.source import Frozen
from drr.eval.tasks.held import contradicted, decide

from tests.cases import cases

KIT = Product(
    product_id="B0",
    product_url="http://ecommerce.example/B0",
    title="ERYTLLY Bird Feeding Station Kit",
    features=["91 inch tall rust-resistant metal pole with 4 adjustable hooks", "Not dishwasher safe."],
    description=[],
    price=43.99,
    store=None,
    categories=[],
    category="Pet_Supplies",
    details={},
    average_rating=4.5,
    rating_number=2067,
    bought_together=None,
)


def evidence(product: Product) -> Frozen:
    text, places = product_evidence(product)
    return Frozen(product.product_url, "product", "ok", text, product.title, product=product, places=places)


def changed(**fields: Any) -> Frozen:
    return evidence(KIT.model_copy(update=fields))


@pytest.mark.parametrize(
    ("claim", "status"),
    cases("eval", "test_what_the_record_settles_no_judge_is_asked"),
)
def test_what_the_record_settles_no_judge_is_asked(claim: str, status: str | None) -> None:
    source = evidence(KIT)
    found = decide(claim, [source])
    assert (None if found is None else found.status) == status
    assert decide(claim, [source, source]) is None


def test_every_figure_that_a_record_decides_is_marked() -> None:
    source = evidence(KIT)
    decision = decide("It costs $43.99 and is rated 3.9 stars", [source])
    assert decision is not None and source.text is not None
    assert [source.text[a:b] for a, b in decision.spans] == [
        "Price: $43.99",
        "Average rating: 4.5 out of 5 stars",
    ]
    assert decision.reason == "the record says otherwise: 3.9 stars (stars 4.5)"


@pytest.mark.parametrize(
    ("claim", "line", "field"),
    [
        ("It costs $9.99", "Price: $9.99", "price"),
        ("It is rated 4.9 stars", "Average rating: 4.9 out of 5 stars", "average_rating"),
        ("It has 9,999 reviews", "Number of ratings: 9,999", "rating_number"),
    ],
)
def test_a_seller_who_writes_a_line_like_ours_settles_nothing(claim: str, line: str, field: str) -> None:
    source = changed(**{field: None, "description": [f"Great value.\n{line}"]})
    assert source.text is not None and f"\n{line}" in source.text
    decision = decide(claim, [source])
    assert decision is not None
    assert (decision.status, decision.spans) == ("none", ())
    assert "unknown" in decision.reason


def test_a_text_without_its_record_settles_nothing() -> None:
    text = "Product: Kit\nPrice: $43.99"
    assert decide("It costs $43.99", [Frozen("http://shop/p/1", "product", "ok", text)]) is None


@pytest.mark.parametrize(
    ("claim", "figures"),
    [
        ("It costs $43.99 and has 4 hooks", 0),
        ("Two of them come to $87.98", 0),
        ("It is $5.00 cheaper than the other at $48.99", 0),
        ("The kit with its rust-resistant pole costs $49.99", 0),
        ("It costs $49.99", 1),
        ("The kit is rated 3.9 stars", 1),
        ("Price: $49.99; Hooks: 4", 1),
        ("Price: $43.99; Rating: 3.9 (2,067 ratings)", 1),
        ("Price: $43.99; Rating: 4.5 (2,067 ratings)", 0),
    ],
)
def test_the_rule_overrules_only_where_a_field_stands_alone_or_behind_its_label(
    claim: str, figures: int
) -> None:
    assert len(contradicted(claim, [evidence(KIT)])) == figures
    assert contradicted(claim, [evidence(KIT), evidence(KIT)]) == []
