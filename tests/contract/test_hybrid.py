"""The search by words and vectors on every catalogue: one list, filters that hold, a hash in the manifest and not in the content."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from drr.env.settings import Settings
from drr.env.shop import HYBRID_VERSION, Manifest, SearchRequest, Shop, check_shop, open_shop

if TYPE_CHECKING:
    from tests.contract.conftest import Data

QUERIES = ("bird feeder", "quiet dog nail grinder", "lavender", "feeding birds", "ramps for folding")


@pytest.fixture(scope="module")
def hybrid(settings: Settings) -> Settings:
    return settings.model_copy(update={"search": "hybrid"})


@pytest.fixture(scope="module")
def vectors_spec(
    spec_of: Callable[[str], str], data: Data, hybrid: Settings, write: Callable[..., Manifest]
) -> str:
    name = spec_of("hybrid")
    write(data, name, hybrid)
    return name


@pytest.fixture(scope="module")
def shop(vectors_spec: str, hybrid: Settings) -> Iterator[Shop]:
    with open_shop(vectors_spec, hybrid) as opened:
        yield opened


def test_vectors_have_a_hash_of_their_own_and_stand_in_the_key(
    shop: Shop, spec: str, settings: Settings, hybrid: Settings, vectors_spec: str
) -> None:
    name, _, digest = shop.manifest.versions["vectors"].partition(":")
    assert name == "hashed-tfidf-1" and len(digest) == 16
    with open_shop(spec, settings) as without:
        assert without.manifest.content_hash == shop.manifest.content_hash
        assert "vectors" not in without.manifest.versions
    with open_shop(spec, hybrid) as opened:
        assert opened.catalog.search_name == "fields"
        assert opened.catalog.search(SearchRequest("bird feeder")).total > 0
    from drr.env.session import Session
    from drr.env.shop_world import ShopWorld
    from drr.env.web.sandbox import Sandbox

    assert list(check_shop(vectors_spec, hybrid)) == []
    key = ShopWorld(Session(shop, None), Sandbox([])).key_fields()
    vectors = shop.manifest.versions["vectors"]
    assert key["search"] == {"name": "hybrid", "version": HYBRID_VERSION, "vectors": vectors}


def test_what_is_near_joins_what_has_the_words_in_pages_and_orders_that_fit(shop: Shop, data: Data) -> None:
    for query in QUERIES:
        words = shop.catalog.search(SearchRequest(query, limit=1000, search="fields"))
        page = shop.catalog.search(SearchRequest(query, limit=1000))
        assert set(words.product_ids) <= set(page.product_ids)
        assert len(set(page.product_ids)) == len(page.product_ids) == page.total
    # No listing has a word of this; its pieces are in `feeder` and `bird`.
    assert shop.catalog.search(SearchRequest("birdfeedery", limit=5)).total > 0
    page = shop.catalog.search(SearchRequest("bird feeder", max_price=20.0, min_rating=4.0, limit=1000))
    assert page.total
    for product_id in page.product_ids:
        product = data.product[product_id]
        assert product.price is not None and product.price <= 20
        assert product.average_rating is not None and product.average_rating >= 4
    for query in QUERIES:
        whole = shop.catalog.search(SearchRequest(query, limit=1000))
        for offset in (0, 7, 95, 110, whole.total - 1, whole.total):
            part = shop.catalog.search(SearchRequest(query, limit=13, offset=offset))
            assert part.product_ids == whole.product_ids[offset : offset + 13]
            assert part.total == whole.total
    for query in QUERIES:
        request = SearchRequest(query, sort="price_asc")
        words = shop.catalog.search(SearchRequest(query, sort="price_asc", search="fields"))
        assert shop.catalog.search(request).product_ids == words.product_ids


def test_what_has_the_whole_name_or_every_word_comes_before_what_is_near(shop: Shop, data: Data) -> None:
    brands = {product.store for product in data.product.values() if product.store}
    shelves = {product.categories[-1] for product in data.product.values() if product.categories}
    for query in ("bird feeder", *brands, *shelves):
        words = shop.catalog.search(SearchRequest(query, limit=20, search="fields"))
        page = shop.catalog.search(SearchRequest(query, limit=20))
        assert page.product_ids[: len(words.product_ids)] == words.product_ids, query
    for query in QUERIES:
        known = set(shop.catalog.search(SearchRequest(query, limit=1000, search="fields")).product_ids)
        full = set(shop.catalog.search(SearchRequest(query, limit=1000, match="all")).product_ids)
        page = shop.catalog.search(SearchRequest(query, limit=100)).product_ids
        near = next((place for place, one in enumerate(page) if one not in known), len(page))
        assert (full & known).isdisjoint(page[near:]), query
