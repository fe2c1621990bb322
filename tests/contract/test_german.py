"""Forty queries of each of two German shops, on every catalogue: what they find, graded by hand over products whose names are
compounds or not. The second shop's queries are by somebody who knew the catalogue and not the search."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log2
from pathlib import Path
from typing import Any

import pytest
from drr.env.copy import copy_shop
from drr.env.entities import Product
from drr.env.manifest import has_fields, search_of
from drr.env.progress import Quiet
from drr.env.session import Session
from drr.env.settings import Settings
from drr.env.shop import Manifest, SearchRequest, Shop, check_shop, open_shop, shop_writer
from drr.env.shop_world import ShopWorld
from drr.env.web.sandbox import Sandbox

Rows = dict[str, list[dict[str, Any]]]


def _read(name: str) -> Rows:
    return json.loads((Path(__file__).parents[1] / "data" / f"{name}.json").read_text(encoding="utf-8"))


_DATA = _read("german")
_FRESH = _read("german_household")
_DEPTH = 10


def _products(data: Rows) -> list[Product]:
    fields: dict[str, Any] = {"product_url": "", "description": []}
    rows = sorted(data["products"], key=lambda row: row["id"])
    return [
        Product.model_validate(
            {
                **fields,
                "product_id": row["id"],
                "title": row["title"],
                "features": row["features"],
                "price": row["price"],
                "store": row["store"],
                "details": row.get("details", {}),
                "categories": row["path"],
                "category": row["path"][0],
            }
        )
        for row in rows
    ]


def write_german(
    spec: str, settings: Settings, language: str | None, data: Rows = _DATA, **recipe: Any
) -> Manifest:
    with shop_writer(spec, settings) as writer:
        writer.write_products(iter(_products(data)), language)
        writer.write_users([])
        writer.write_orders([])
        recipe |= {} if language is None else {"language": language}
        return writer.publish(Manifest(backend="", as_of="", content_hash="", counts={}, recipe=recipe))


def ndcg(found: Sequence[str], grades: Mapping[str, int]) -> float:
    """Return nDCG@10 with a gain of 2^grade - 1."""

    def gain(values: Sequence[int]) -> float:
        return sum((2**grade - 1) / log2(place + 2) for place, grade in enumerate(values[:_DEPTH]))

    return gain([grades.get(one, 0) for one in found]) / gain(sorted(grades.values(), reverse=True))


def scores(shop: Shop, data: Rows = _DATA) -> dict[str, float]:
    """Return nDCG@10 of each query."""
    return {
        row["query"]: ndcg(
            shop.catalog.search(SearchRequest(row["query"], limit=_DEPTH)).product_ids, row["grades"]
        )
        for row in data["queries"]
    }


@pytest.fixture(scope="module")
def german_spec(spec_of: Callable[[str], str], settings: Settings) -> str:
    spec = spec_of("german")
    write_german(spec, settings, "de")
    return spec


@pytest.fixture(scope="module")
def german(german_spec: str, settings: Settings) -> Iterator[Shop]:
    with open_shop(german_spec, settings) as opened:
        yield opened


def _found(shop: Shop, query: str, **asked: Any) -> list[str]:
    return shop.catalog.search(SearchRequest(query, **asked)).product_ids


@pytest.fixture(scope="module")
def household(spec_of: Callable[[str], str], settings: Settings) -> Iterator[Shop]:
    spec = spec_of("household")
    write_german(spec, settings, "de", _FRESH)
    with open_shop(spec, settings) as opened:
        yield opened


def test_forty_german_queries_find_what_they_mean(german: Shop) -> None:
    found = scores(german)
    assert len(found) == 40
    mean = sum(found.values()) / len(found)
    assert mean >= 0.95, {query: round(score, 2) for query, score in found.items() if score < 1}


def test_forty_queries_by_fresh_eyes_find_what_they_mean(household: Shop) -> None:
    found = scores(household, _FRESH)
    assert len(found) == 40
    mean = sum(found.values()) / len(found)
    assert mean >= 0.85, {query: round(score, 2) for query, score in found.items() if score < 1}


def test_every_catalogue_finds_the_same_in_the_same_order(
    german: Shop, household: Shop, tmp_path: Path
) -> None:
    for number, (shop, data) in enumerate([(german, _DATA), (household, _FRESH)]):
        folder = str(tmp_path / str(number))
        write_german(folder, Settings(), "de", data)
        with open_shop(folder, Settings()) as beside:
            for row in data["queries"]:
                for search in ("fields", "plain"):
                    asked = SearchRequest(row["query"], search=search)
                    page, other = shop.catalog.search(asked), beside.catalog.search(asked)
                    assert (page.product_ids, page.total, page.notes) == (
                        other.product_ids,
                        other.total,
                        other.notes,
                    ), row["query"]


def test_a_thing_is_found_by_what_ends_in_its_name(household: Shop) -> None:
    """The catalogue has neither the word before these ends nor, of most, the end by itself."""
    lamps = _found(household, "Lampe")
    assert {"HH-040", "HH-041", "HH-042", "HH-043", "HH-049"} <= set(lamps)
    # Two words that the catalogue writes as one come before other things of the kind.
    assert _found(household, "schuh bürste")[0] == "HH-016"
    # A compound that few products have comes first, and other things of the kind behind it.
    pans = _found(household, "Bratpfanne")
    assert pans[0] == "HH-060" and {"HH-061", "HH-062"} <= set(pans)
    # Pots come before pans, whose shelf is that of pots too.
    assert _found(household, "Töpfe")[:2] == ["HH-063", "HH-065"]
    assert _found(household, "gusseiserne Pfanne")[0] == "HH-060"
    assert _found(household, "Düse für Parkettboden")[:2] == ["HH-034", "HH-035"]


def test_a_compound_is_found_by_its_parts_and_its_parts_by_the_compound(german: Shop) -> None:
    for query in ("Kaffeemühle", "KAFFEEMÜHLEN", "Mühle für Kaffee", "Mühlen für den Kaffee", "Kaffee Mühle"):
        assert {"K01", "K02", "K03"} <= set(_found(german, query)), query
    # Its parts are words of the catalogue, its whole is none; a linking letter belongs to the stem.
    page = german.catalog.search(SearchRequest("Puppenwagen"))
    assert page.product_ids[0] == "S02"
    assert page.notes == ('for "puppenwagen": puppen wagen',)
    # Of a word whose end alone the catalogue has, that end is searched.
    page = german.catalog.search(SearchRequest("xyzwagen"))
    assert set(page.product_ids) == {"S01", "S02"}
    assert page.notes == ('for "xyzwagen": wagen',)
    assert _found(german, "xyzwgn") == []
    assert _found(german, "kaffee" * 20_000) == []


def test_shelves_and_brands_are_filtered_by_words_of_the_same_language(german: Shop) -> None:
    assert set(_found(german, "Mühle", category="Gewürzmühle")) <= {"G01", "G02", "G03"}
    assert _found(german, "Mühle", category="Gewürzmühle") == _found(german, "Mühle", category="Gewürzmühlen")
    assert _found(german, "Kaffeemühle", brand="graef") == ["K01"]
    assert _found(german, "Becher", category="Küche > Kaffee & Tee") == ["K10", "K11"]


def test_an_index_with_fewer_names_is_still_searched_by_fields(german: Shop) -> None:
    versions = german.manifest.versions
    older = german.manifest.model_copy(update={"versions": {**versions, "fields": "1"}})
    assert versions["fields"] == "2" and has_fields(german.manifest) and not has_fields(older)
    assert search_of(older, Settings()) == "fields"
    assert search_of(older.model_copy(update={"versions": {}}), Settings()) == "plain"


def test_the_language_of_an_index_is_checked_copied_and_stands_in_the_key(
    german: Shop, german_spec: str, settings: Settings, tmp_path: Path
) -> None:
    assert list(check_shop(german_spec, settings)) == []
    key = ShopWorld(Session(german, None), Sandbox([])).key_fields()["search"]
    assert key["name"] == "fields" and key["words"].startswith("1.de.")
    copy = str(tmp_path / "copy")
    with shop_writer(copy, Settings()) as writer:
        assert copy_shop(german, writer, Quiet()).versions["text"] == german.manifest.versions["text"]
    with open_shop(copy, Settings()) as copied:
        assert _found(copied, "Kaffeemühle") == _found(german, "Kaffeemühle")


@pytest.mark.parametrize("language", ["en", None])
def test_a_shop_of_no_other_language_is_searched_as_an_english_one(
    language: str | None, spec_of: Callable[[str], str], settings: Settings
) -> None:
    spec = spec_of(f"german-{language or 'none'}")
    assert write_german(spec, settings, language).versions["text"] == "1"
    with open_shop(spec, settings) as shop:
        assert "words" not in ShopWorld(Session(shop, None), Sandbox([])).key_fields()["search"]
        assert _found(shop, "Kaffeemühle") == ["K01", "K02"]
        assert _found(shop, "Mühle") == ["G03", "K03"]
        assert _found(shop, "Pfannen") == ["T06", "T04", "T05"]


@pytest.fixture(scope="module")
def euros(spec_of: Callable[[str], str], settings: Settings) -> Iterator[Shop]:
    spec = spec_of("euros")
    write_german(spec, settings, "de", currency="EUR", rate=1)
    with open_shop(spec, settings) as opened:
        yield opened


@pytest.mark.parametrize(
    ("limit", "least", "most", "note"),
    [
        ("unter 30 euro", None, 30, "price up to 30,00 €"),
        ("bis 30 Euro", None, 30, "price up to 30,00 €"),
        ("maximal 30,50 €", None, 30.5, "price up to 30,50 €"),
        ("unter 1.299 €", None, 1299, "price up to 1.299,00 €"),
        ("under €30", None, 30, "price up to 30,00 €"),
        ("up to 30 EUR", None, 30, "price up to 30,00 €"),
        ("ab 20 €", 20, None, "price from 20,00 €"),
        ("von 20 bis 40 €", 20, 40, "price from 20,00 € to 40,00 €"),
        ("30 €", None, None, "an amount is no limit by itself: pass max_price"),
        ("under $30", None, None, "an amount is no limit by itself: pass max_price"),
    ],
)
def test_a_limit_in_words_is_one_of_the_shops_currency_and_no_word(
    euros: Shop, limit: str, least: float | None, most: float | None, note: str
) -> None:
    page = euros.catalog.search(SearchRequest(f"Kaffeemühle {limit}", limit=_DEPTH))
    asked = SearchRequest("Kaffeemühle", limit=_DEPTH, min_price=least, max_price=most)
    plain = euros.catalog.search(asked)
    assert note in page.notes
    assert (page.product_ids, page.total) == (plain.product_ids, plain.total)
    assert page.request is not None and (page.request.min_price, page.request.max_price) == (least, most)
