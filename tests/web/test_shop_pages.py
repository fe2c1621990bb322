"""Addresses of the shop are the store's, however they are spelt; the rest of the web is not."""

from __future__ import annotations

from typing import Any, cast

import pytest
from drr.env.entities import Product
from drr.env.records.product import product_markdown
from drr.env.shop import Store
from drr.env.web.base import Page, WebHit
from drr.env.web.open import ShopWeb, is_shop_address, product_id_of

from tests.cases import cases

SHOP = "http://ecommerce.example"
NONE = {"price": None, "store": None, "categories": []}
DETAILS = {"Color": "Green", "Rank": {"Birds": 3}}
SAID = {"features": ["Six ports", "Steel"], "description": ["Long.", "Text."], "details": DETAILS, **NONE}
NAMED = {
    "product_id": "B01",
    "product_url": f"{SHOP}/B01",
    "title": "Bird\nfeeder",
    "category": "Pet_Supplies",
}
PRODUCT = Product.model_validate(NAMED | SAID)


class Outside:
    name = "outside"
    content_hash = "abc"

    def __init__(self) -> None:
        self.read_urls: list[str] = []

    async def search(self, query: str, top_k: int) -> list[WebHit]:
        urls = [
            "https://birds.example/",
            "https://www.ecommerce.example/B01",
            "http://ecommerce.example.evil.example/",
        ]
        return [WebHit("t", url, "s") for url in urls]

    async def read(self, url: str) -> Page:
        self.read_urls.append(url)
        return Page(url, url, "ok", None, "outside", "outside/1")


class OneProduct:
    def product(self, product_id: str) -> Product | None:
        return PRODUCT if product_id == "B01" else None


STORE = cast(Store, cast(Any, OneProduct()))
OURS = cases("web", "OURS")
NOT_OURS = cases("web", "NOT_OURS")


@pytest.mark.parametrize("url", OURS)
async def test_the_store_answers_every_spelling(url: str) -> None:
    outside = Outside()
    page = await ShopWeb(outside, SHOP, STORE).read(url)
    assert (page.status, page.final_url, page.reader) == ("ok", f"{SHOP}/B01", "shop/1")
    assert product_id_of(url, SHOP) == "B01"
    assert outside.read_urls == []


@pytest.mark.parametrize("url", NOT_OURS)
async def test_what_only_looks_like_the_shop_is_the_web(url: str) -> None:
    outside = Outside()
    assert (await ShopWeb(outside, SHOP, STORE).read(url)).reader == "outside/1"
    assert outside.read_urls == [url]
    assert not is_shop_address(url, SHOP)
    assert product_id_of(url, SHOP) is None


async def test_unknown_products_and_a_closed_shop_never_reach_the_network() -> None:
    outside = Outside()
    missing = await ShopWeb(outside, SHOP, STORE).read(f"{SHOP}/B99")
    assert (missing.status, missing.reason) == ("unreachable", "the shop has no such product")
    assert (await ShopWeb(outside, SHOP, STORE).read(SHOP)).status == "unreachable"
    closed = await ShopWeb(outside, SHOP).read(f"{SHOP}/B01")
    assert closed.status == "unreachable" and "only an open shop" in (closed.reason or "")
    assert outside.read_urls == []
    web = ShopWeb(Outside(), SHOP, STORE)
    assert [hit.url for hit in await web.search("bird", 5)] == [
        "https://birds.example/",
        "http://ecommerce.example.evil.example/",
    ]
    assert (web.name, web.content_hash) == ("outside", "abc")


def test_the_page_of_a_product_states_every_field_and_every_unknown() -> None:
    text = product_markdown(PRODUCT)
    for line in (
        "# Bird feeder",
        "Product id: B01",
        "Price: unknown",
        "Average rating: not rated; number of ratings: unknown",
        "Store: unknown",
        "Categories: Pet_Supplies",
        "- Six ports",
        "- Color: Green",
        "- Rank: {'Birds': 3}",
        "Long.",
    ):
        assert line in text.splitlines()
