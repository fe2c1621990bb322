"""Labelled details: what says the same in other words is open, and another brand, figure, color or material is found."""

from __future__ import annotations

import pytest
from asked import DIFFUSER, failing
from drr.env.entities import Product
from drr.env.shop import Shop

FORMS = (
    "### [{title}]({url})\n- {label}: {value}\n",
    "- [{title}]({url}), {label}: {value}\n",
    "- **{title}** [1]\n  - **{label}:** {value}\n\n## Sources\n[1] {title}: {url}\n",
    "| Product | {label} |\n|---|---|\n| [{title}]({url}) | {value} |\n",
)
KNIFE, GRILL = "B00Z8XOFRV", "B00T8GZO7E"
"""`Northloft`, `Black Handle`; `Larkspur & Loam`, `Woven Steel Pads`, `0.85 pounds`."""


def claims(shop: Shop, product_id: str, label: str, value: str) -> list[dict[str, list[str]]]:
    product = shop.store.product(product_id)
    assert isinstance(product, Product)
    known = {"title": product.title, "url": product.product_url, "label": label, "value": value}
    return [failing(form.format(**known), shop=shop) for form in FORMS]


@pytest.mark.parametrize(
    ("product_id", "label", "value"),
    [
        (KNIFE, "Brand", "Zenthera"),
        (KNIFE, "Brand", "Everworks"),
        (KNIFE, "Maker", "Stonepan Kitchen"),
        (KNIFE, "Color", "Purple"),
        (GRILL, "Material", "Stoneware"),
        (GRILL, "Item Weight", "3.2 pounds"),
        (GRILL, "Item Weight", "2.9 kg"),
        (GRILL, "Item Weight", "5 lb"),
        (GRILL, "Item Weight", "1.386 g"),
    ],
)
def test_another_value_of_a_detail_is_found(
    rules_shop: Shop, product_id: str, label: str, value: str
) -> None:
    for told in claims(rules_shop, product_id, label, value):
        assert set(told) == {"product_claims"} and len(told["product_claims"]) == 1


@pytest.mark.parametrize(
    ("product_id", "label", "value"),
    [
        (KNIFE, "Brand", "NORTHLOFT"),
        (KNIFE, "Brand", "Northloft Cutlery Co."),
        (KNIFE, "Brand", "North Loft"),
        (KNIFE, "Brand", "a small maker of knives"),
        (KNIFE, "Color", "black"),
        (KNIFE, "Color", "Midnight"),
        (KNIFE, "Color", "schwarz"),
        (GRILL, "Material", "metal"),
        (GRILL, "Material", "Steel"),
        (GRILL, "Material", "Stahl"),
        (GRILL, "Item Weight", "13.6 ounces"),
        (GRILL, "Item Weight", "0.39 kg"),
        (GRILL, "Item Weight", "roughly 1 pound"),
        (GRILL, "Item Weight", "2 pounds in its box"),
        (GRILL, "Item Weight", "386 g"),
        (GRILL, "Item Weight", "0.386 kg"),
        (DIFFUSER, "Capacity", "10 oz"),
    ],
)
def test_a_detail_in_other_words_is_not_accused(
    rules_shop: Shop, product_id: str, label: str, value: str
) -> None:
    assert claims(rules_shop, product_id, label, value) == [{}] * len(FORMS)
