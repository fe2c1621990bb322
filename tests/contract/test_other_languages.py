"""Shops in languages whose grammar the search does not know, on every catalogue: whatever has all words of a query is found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

import pytest
from drr.env.entities import Product
from drr.env.session import Session
from drr.env.settings import Settings
from drr.env.shop import Manifest, SearchPage, SearchRequest, Shop, Sort, open_shop, shop_writer
from drr.env.shop_world import ShopWorld
from drr.env.text import tokens
from drr.env.web.sandbox import Sandbox

_SORTS: tuple[Sort, ...] = ("relevance", "price_asc")
# Brand, the rest of the title, shelf. Names of things stand first, what tells their kinds behind; each list has a word that
# English has too, as one without meaning: "but" is a shoe, and "top" a garment.
_POLISH = (
    ("Łabędź", "Czajnik elektryczny biały", "Czajnik"),
    ("Łabędź", "Czajnik elektryczny 2023", "Czajnik"),
    ("Świt", "Czajnik elektryczny stalowy", "Czajnik"),
    ("Świt", "Czajnik elektryczny z gwarancją", "Czajnik"),
    ("Dąbrowa", "Czajnik elektryczny 1,7 l", "Czajnik"),
    ("Dąbrowa", "Czajnik emaliowany do indukcji", "Czajnik"),
    ("Żubr", "Filtr do ekspresu, czajnik gratis", "Filtry"),
    ("Żubr", "Grill elektryczny stołowy", "Grille"),
    ("Żubr", "Młynek do kawy", "Młynki"),
    ("Żubr", "Młynek do pieprzu", "Młynki"),
    ("Gdańsk Dom", "But skórzany męski", "Obuwie"),
    ("Gdańsk Dom", "Pasek skórzany męski", "Paski"),
)
_CZECH = (
    ("Labuť", "Konvice rychlovarná bílá", "Konvice"),
    ("Labuť", "Konvice rychlovarná 2023", "Konvice"),
    ("Řezáč", "Konvice rychlovarná nerezová", "Konvice"),
    ("Řezáč", "Konvice rychlovarná s termostatem", "Konvice"),
    ("Žižkov", "Konvice rychlovarná 1,7 l", "Konvice"),
    ("Žižkov", "Konvice smaltovaná na indukci", "Konvice"),
    ("Žižkov", "Odvápňovač do kávovaru, konvice zdarma", "Čističe"),
    ("Žižkov", "Pánev rychlovarná keramická", "Pánve"),
    ("Řezáč", "Mlýnek na kávu", "Mlýnky"),
    ("Řezáč", "Mlýnek na pepř", "Mlýnky"),
    ("Dům u Řeky", "Top dámský bavlněný", "Oblečení"),
    ("Dům u Řeky", "Pásek dámský kožený", "Pásky"),
)
_SHOPS = MappingProxyType(
    {
        "pl": (_POLISH, {"currency": "PLN", "rate": 1}),
        "cs-CZ": (_CZECH, {"currency": "CZK", "rate": 1}),
        "xx": (_POLISH, {}),
    }
)


class Case(NamedTuple):
    shop: Shop
    products: list[Product]
    names: dict[str, str]
    """Each product's title without its brand."""

    def search(self, query: str, **asked: object) -> SearchPage:
        return self.shop.catalog.search(SearchRequest(query, limit=50, **asked))  # type: ignore[arg-type]

    def with_words(self, query: str, most: float = 1000) -> set[str]:
        words = set(tokens(query))
        return {
            one.product_id
            for one in self.products
            if words <= set(tokens(one.title)) and one.price is not None and one.price <= most
        }


def _product(number: int, brand: str, name: str, shelf: str) -> Product:
    fields = {"product_url": "", "features": [], "description": [], "details": {}, "category": "Dom"}
    return Product.model_validate(
        {
            **fields,
            "product_id": f"P{number:03d}",
            "title": f"{brand} {name}",
            "store": brand,
            "price": 300.0 - 20 * number,
            "categories": ["Dom", shelf],
        }
    )


@pytest.fixture(scope="module", params=_SHOPS)
def case(request: pytest.FixtureRequest, spec_of: Callable[[str], str], settings: Settings) -> Iterator[Case]:
    language: str = request.param
    rows, recipe = _SHOPS[language]
    products = [_product(number, *row) for number, row in enumerate(rows)]
    spec = spec_of(f"other-{language.casefold()}")
    with shop_writer(spec, settings) as writer:
        writer.write_products(iter(products), language[:2])
        writer.write_users([])
        writer.write_orders([])
        told = {**recipe, "language": language}
        writer.publish(Manifest(backend="", as_of="", content_hash="", counts={}, recipe=told))
    with open_shop(spec, settings) as shop:
        yield Case(shop, products, {one.product_id: row[1] for one, row in zip(products, rows, strict=True)})


@pytest.mark.parametrize("sort", _SORTS)
def test_what_has_both_words_of_a_query_is_found_in_either_order(case: Case, sort: Sort) -> None:
    for product in case.products:
        for first, second in pairwise(case.names[product.product_id].split()):
            for query in (f"{first} {second}", f"{second} {first}"):
                found = case.search(query, sort=sort)
                assert set(found.product_ids) == case.with_words(query), query
                assert product.product_id in found.product_ids
                cheap = case.search(query, sort=sort, max_price=product.price)
                assert set(cheap.product_ids) == case.with_words(query, product.price or 0), query


@pytest.mark.parametrize("sort", _SORTS)
def test_a_word_finds_its_titles_though_it_names_a_shelf_or_a_brand_too(case: Case, sort: Sort) -> None:
    for query in ("Czajnik", "Konvice", "Żubr", "Żižkov", "But", "Top"):
        assert case.with_words(query) == set(case.search(query, sort=sort).product_ids), query


def test_a_whole_title_comes_first(case: Case) -> None:
    for product in case.products:
        assert case.search(product.title).product_ids[0] == product.product_id


def test_fewer_words_are_enough_only_where_nothing_has_all(case: Case) -> None:
    page = case.search(f"{case.products[0].title} qqzzqq")
    assert page.product_ids[0] == case.products[0].product_id
    kettles = "Czajnik gazowy" if case.products[0].store == "Łabędź" else "Konvice plynová"
    page = case.search(kettles)
    assert len(page.product_ids) == 7


def test_such_a_search_stands_in_the_key(case: Case) -> None:
    assert "words" in ShopWorld(Session(case.shop, None), Sandbox([])).key_fields()["search"]
