"""What every catalogue finds by the search `plain`: filters, sorts and totals exactly, ranking within a stated bound of BM25."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product as combinations
from typing import TYPE_CHECKING

import pytest
from drr.env.entities import Product
from drr.env.settings import Settings
from drr.env.shop import SearchRequest, Shop, open_shop
from drr.env.text import category_key, indexed_text, tokens

from tests.cases import cases

if TYPE_CHECKING:
    from tests.contract.conftest import Data

QUERIES = cases("contract", "QUERIES")
SORTS = ("price_asc", "price_desc", "rating", "popularity")


@pytest.fixture(scope="module")
def shop(spec: str, settings: Settings) -> Iterator[Shop]:
    with open_shop(spec, settings.model_copy(update={"search": "plain"})) as opened:
        yield opened


WORDS: dict[str, list[str]] = {}


def _words(product: Product) -> list[str]:
    if product.product_id not in WORDS:
        text = indexed_text(product.title, product.features, product.description)
        WORDS[product.product_id] = text.split(" ")
    return WORDS[product.product_id]


def _passes(product: Product, request: SearchRequest) -> bool:
    words, asked = set(_words(product)), set(tokens(request.query))
    price, rating = product.price, product.average_rating
    keys = {category_key(name) for name in (product.category, *product.categories)}
    return (
        (asked <= words if request.match == "all" else bool(asked & words))
        and (request.min_price is None or (price is not None and price >= request.min_price))
        and (request.max_price is None or (price is not None and price <= request.max_price))
        and (request.min_rating is None or (rating is not None and rating >= request.min_rating))
        and (request.category is None or category_key(request.category) in keys)
    )


def _sort_key(product: Product, sort: str) -> tuple[float, str]:
    value, sign = {
        "price_asc": (product.price, 1),
        "price_desc": (product.price, -1),
        "rating": (product.average_rating, -1),
        "popularity": (product.rating_number, -1),
    }[sort]
    return (math.inf if value is None else sign * value, product.product_id)


def _filters() -> list[dict[str, object]]:
    return [
        {},
        {"max_price": 20.0},
        {"min_price": 5.0},
        {"min_price": 5.0, "max_price": 5.0},
        {"min_price": 0.0, "max_price": 0.0},
        {"min_price": 30.0, "max_price": 10.0},
        {"min_rating": 4.5},
        {"category": "patio lawn AND garden"},
        {"category": "Patio_Lawn_and_Garden", "max_price": 40.0, "min_rating": 3.5},
        {"category": "Feeders", "min_rating": 1.0},
        {"category": "All_Beauty"},
        {"category": "no such place"},
        {"category": "&"},
    ]


@pytest.mark.parametrize("filters", _filters(), ids=str)
def test_filters_and_totals_are_exact(shop: Shop, data: Data, filters: dict[str, object]) -> None:
    for query, match in combinations(QUERIES, ("any", "all")):
        request = SearchRequest(query, limit=1000, match=match, **filters)  # type: ignore[arg-type]
        expected = {p.product_id for p in data.products if _passes(p, request)}
        page = shop.catalog.search(request)
        assert (set(page.product_ids), page.total) == (expected, len(expected)), query
        assert len(page.product_ids) == len(expected)


@pytest.mark.parametrize("sort", SORTS)
def test_sorts_are_exact_unknown_last_ties_by_id(shop: Shop, data: Data, sort: str) -> None:
    for query, filters in combinations(QUERIES, _filters()[:4]):
        request = SearchRequest(query, sort=sort, limit=1000, **filters)  # type: ignore[arg-type]
        matching = [p for p in data.products if _passes(p, request)]
        expected = [p.product_id for p in sorted(matching, key=lambda p: _sort_key(p, sort))]
        page = shop.catalog.search(request)
        assert page.product_ids == expected
        assert page.scores == [None] * len(expected)


def test_pages_of_a_search_fit_together_and_senseless_ones_are_refused(shop: Shop) -> None:
    for sort in ("relevance", *SORTS):
        request = SearchRequest("bird feeder", sort=sort, limit=1000)  # type: ignore[arg-type]
        every = shop.catalog.search(request)
        assert every.total > 30
        for limit, offset in combinations((0, 5, 10), (0, 3, 20, every.total - 3, every.total, 10**9)):
            page = shop.catalog.search(replace(request, limit=limit, offset=offset))
            assert page.product_ids == every.product_ids[offset : offset + limit]
            assert page.scores == every.scores[offset : offset + limit]
            assert page.total == every.total
    for wrong in ({"limit": -1}, {"offset": -1}):
        with pytest.raises(ValueError):
            shop.catalog.search(SearchRequest("bird", **wrong))


def test_relevance_scores_fall_and_equal_ones_go_by_id(shop: Shop) -> None:
    for query in QUERIES:
        page = shop.catalog.search(SearchRequest(query, limit=1000))
        pairs = [
            (-score, product_id)
            for score, product_id in zip(page.scores, page.product_ids, strict=True)
            if score
        ]
        assert len(pairs) == page.total
        assert pairs == sorted(pairs)
    assert shop.catalog.search(SearchRequest("tie")).product_ids == ["B000TIE001", "B000TIE002", "B000TIE003"]


def _bm25(data: Data, query: str, k1: float = 1.2, b: float = 0.75) -> dict[str, float]:
    """The form Lucene has, on the same words."""
    documents = {p.product_id: Counter(_words(p)) for p in data.products}
    lengths = {product_id: sum(words.values()) for product_id, words in documents.items()}
    mean = sum(lengths.values()) / len(lengths)
    scores: dict[str, float] = {}
    for word in dict.fromkeys(tokens(query)):
        holders = [product_id for product_id, words in documents.items() if word in words]
        idf = math.log(1 + (len(documents) - len(holders) + 0.5) / (len(holders) + 0.5))
        for product_id in holders:
            tf = documents[product_id][word]
            norm = k1 * (1 - b + b * lengths[product_id] / mean)
            scores[product_id] = scores.get(product_id, 0) + idf * tf / (tf + norm)
    return scores


def test_relevance_is_bm25_within_the_stated_bound(shop: Shop, data: Data) -> None:
    """Backends keep document lengths in one byte, so near-equal scores may change places."""
    overlaps = []
    for query in [p.title for p in data.products[20::3] if len(tokens(p.title)) > 2]:
        reference = _bm25(data, query)
        best = sorted(reference, key=lambda product_id: (-reference[product_id], product_id))[:10]
        found = shop.catalog.search(SearchRequest(query, limit=10)).product_ids
        worst = reference[best[-1]]
        overlaps.append(sum(reference[p] >= worst * 0.999 for p in found) / len(best))
    assert len(overlaps) > 50
    assert sum(overlaps) / len(overlaps) >= 0.93


@pytest.mark.parametrize("query", ["", "   ", "!!! --- ???", "\u200b", "🐦", "\ud800", '"', "*"])
def test_a_query_without_a_word_finds_nothing(shop: Shop, query: str) -> None:
    assert shop.catalog.search(SearchRequest(query))[:3] == ([], [], 0)
    assert shop.catalog.search(SearchRequest(query, sort="rating", category="Pet_Supplies"))[:3] == (
        [],
        [],
        0,
    )


@pytest.mark.parametrize(
    "query", ["nosuchword", "feeder:bird", 'title:"bird"', "bird AND NOT feeder", "bird~2", "b*rd", "(bird"]
)
def test_a_query_is_words_and_no_language(shop: Shop, data: Data, query: str) -> None:
    request = SearchRequest(query, limit=1000)
    assert set(shop.catalog.search(request).product_ids) == {
        p.product_id for p in data.products if _passes(p, request)
    }


@pytest.mark.parametrize(("query", "same"), cases("contract", "test_spellings_of_one_word_find_the_same"))
def test_spellings_of_one_word_find_the_same(shop: Shop, query: str, same: str) -> None:
    first = shop.catalog.search(SearchRequest(query, limit=1000))
    assert first.total > 0
    assert set(first.product_ids) == set(shop.catalog.search(SearchRequest(same, limit=1000)).product_ids)


def test_many_words_and_many_threads_are_answered_and_categories_counted(shop: Shop, data: Data) -> None:
    query = " ".join(p.title for p in data.products) + " " + " ".join(f"word{n}" for n in range(2000))
    assert shop.catalog.search(SearchRequest(query, limit=3)).total > 100
    assert shop.catalog.categories() == Counter(p.category for p in data.products)
    expected = {query: shop.catalog.search(SearchRequest(query)) for query in QUERIES}
    with ThreadPoolExecutor(16) as pool:
        for query, page in zip(
            QUERIES * 20, pool.map(lambda q: shop.catalog.search(SearchRequest(q)), QUERIES * 20), strict=True
        ):
            assert page == expected[query]
