"""What a careful reader would not call false is not accused: sums of named things, other things of a maker, conditions, notes in words."""

from __future__ import annotations

import pytest
from drr.env.entities import Product
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

from benchmarks.planted import Scene
from benchmarks.planted_reports import short_title


def failing(shop: Shop, text: str, query: str | None = None) -> set[str]:
    found = check_report(Subject(text, query=query, shop=shop))
    return {name for name, check in found.items() if check.status == "fail"}


@pytest.fixture(scope="module")
def two(rules_shop: Shop) -> tuple[Product, Product]:
    """Of different makers and prices."""
    low, high = Scene.of(rules_shop, seed=5).several(2)
    return low, high


@pytest.mark.parametrize(
    "said",
    [
        "You'd pay ${sum:.2f} for the {low} plus the {high}.",
        "Taking both the {low} and the {high} would come to ${sum:.2f}.",
        "Together, the {low} and the {high} run ${sum:.2f}.",
    ],
)
def test_what_two_named_things_cost_together_is_no_price_of_one(
    rules_shop: Shop, two: tuple[Product, Product], said: str
) -> None:
    low, high = two
    known = "".join(f"The {short_title(one)} ({one.product_url}) costs ${one.price:.2f}. " for one in two)
    both = (low.price or 0) + (high.price or 0)
    names = {"low": short_title(low), "high": short_title(high)}
    assert failing(rules_shop, known + said.format(sum=both, **names)) == set()
    assert "price" in failing(rules_shop, f"The {names['low']} ({low.product_url}) costs ${both:.2f}.")


def test_an_inverted_condition_says_what_would_be(rules_shop: Shop, two: tuple[Product, Product]) -> None:
    one = two[0]
    known = f"The {short_title(one)} ({one.product_url}) costs ${one.price:.2f}. "
    dearer = f"${(one.price or 0) * 1.3:.2f}"
    assert failing(rules_shop, f"{known}Were the {short_title(one)} {dearer}, I would say no.") == set()


def test_an_entry_that_says_in_words_where_to_look_is_cited_rightly(
    rules_shop: Shop, two: tuple[Product, Product]
) -> None:
    known = f"It is good.[^a] The {short_title(two[0])} is at {two[0].product_url}."
    assert failing(rules_shop, f"{known}\n\n[^a]: Your order history.\n") == set()
    assert failing(rules_shop, f"{known}\n\n[^a]:\n") == {"citation_hygiene"}


def test_a_list_that_stands_before_another_section_is_still_one(
    rules_shop: Shop, two: tuple[Product, Product]
) -> None:
    listed = f"## Sources\n\n[1] {two[0].product_url}\n"
    assert failing(rules_shop, f"It is good [1].\n\n{listed}\n## Afterword\n\nThat is all.\n") == set()


def test_what_a_section_calls_too_dear_is_not_advised(rules_shop: Shop) -> None:
    priced = [one for one in Scene.of(rules_shop, seed=5).products if (one.price or 0) > 40]
    one, asked = priced[0], "A gift of at most $30 each"
    line = f"- I recommend the [{short_title(one)}]({one.product_url}) at ${one.price:.2f}.\n"
    assert "budget" in failing(rules_shop, f"## Picks\n\n{line}", asked)
    assert "budget" not in failing(rules_shop, f"## Best (but not under your rules)\n\n{line}", asked)


def test_an_offer_of_nowhere_has_a_name_that_the_catalogue_does_not_know(rules_shop: Shop) -> None:
    assert "outside_shop" in failing(rules_shop, "- Zentrix Pro Trimmer $30\n")
    assert failing(rules_shop, "- Cotton Filter Water, 1 Cup: $3\n") == set()
