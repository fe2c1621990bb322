"""Searches in Elasticsearch, plain and by fields, with the same words and the same kind of query as every catalogue.

Ties are ordered by product id, which is the last sort key; unknown prices and ratings are missing fields, which no range contains
and every sort puts last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import elastic_transport
import elasticsearch
from drr.env.embedding import Embedder, Vectors
from drr.env.errors import ShopError
from drr.env.json_object import JsonObject
from drr.env.search.fields import raw_key, shelf_parts
from drr.env.search.read_query import Lexicon
from drr.env.search.search_plan import Best, Node, Plan, Weighed, Word
from drr.env.search.searching import FieldSearch, Hits, HybridSearch
from drr.env.servers.connect import Servers
from drr.env.servers.index import category_term
from drr.env.shop import SearchName, SearchPage, SearchRequest
from drr.env.text import query_words
from drr.wording.currency import DOLLARS, Currency

_COUNTED_HERE = ("strong", "name", "brand")
_CANDIDATES = 1000
_UNLIKE = 0.5
Ask = Callable[[JsonObject, Sequence[JsonObject], int, int], JsonObject]
"""A function of query, sort, first hit and number of hits that returns the server's answer."""


# A serverless index gives no hits by number beyond these.
_SERVERLESS_WINDOW = 10_000
_SORTS: dict[str, JsonObject] = {
    "price_asc": {"price": {"order": "asc", "missing": "_last"}},
    "price_desc": {"price": {"order": "desc", "missing": "_last"}},
    "rating": {"average_rating": {"order": "desc", "missing": "_last"}},
    "popularity": {"rating_number": {"order": "desc", "missing": "_last"}},
    "relevance": {"_score": {"order": "desc"}},
}
_BY_ID: JsonObject = {"product_id": {"order": "asc"}}


class ElasticEngine:
    """The index on Elasticsearch. `ask` calls the server; counts that the shop's lexicon holds need no call."""

    counts_first = False

    def __init__(self, ask: Ask, size: int, lexicon: Lexicon, language: str | None = None) -> None:
        self._ask, self._size, self._lexicon, self.language = ask, size, lexicon, language
        self._count_once = lru_cache(4096)(self._count_products)

    def lexicon(self) -> Lexicon:
        return self._lexicon

    def holders(self, field: str, word: str) -> int:
        if field in _COUNTED_HERE:
            return self._lexicon.products_with(field, word)
        return self._count_once(field, word)

    def _count_products(self, field: str, word: str) -> int:
        return _total(self._ask(_node(Word(field, word)), [], 0, 0))

    def count(self, node: Node, request: SearchRequest, *, unpriced: bool = False) -> int:
        filters = [_node(node), *self._filters(request, unpriced=unpriced)]
        return _total(self._ask({"bool": {"filter": filters}}, [], 0, 0))

    def hits(self, demanded: Node, plan: Plan, request: SearchRequest, *, total: int | None = None) -> Hits:
        """Return a page of hits. The server counts them in the same answer, so `total` is not used."""
        query: JsonObject = {"filter": [_node(demanded), *self._filters(request)]}
        if request.sort == "relevance":
            query["should"] = _ranking(plan)
        return self.page(query, request)

    def page(self, query: JsonObject, request: SearchRequest) -> Hits:
        # A page past the end is empty, and the server reserves room for what it is asked.
        limit = max(0, min(request.limit, self._size - request.offset))
        answer = self._ask(
            {"bool": query}, [_SORTS[request.sort], _BY_ID], request.offset if limit else 0, limit
        )
        hits = answer["hits"]["hits"]
        scores = [hit["sort"][0] if request.sort == "relevance" else None for hit in hits]
        return Hits([hit["_id"] for hit in hits], scores, _total(answer))

    def near(self, vector: Vectors, request: SearchRequest, count: int) -> list[str]:
        if not vector.any():
            return []
        query = {
            "knn": {
                "field": "vector",
                "query_vector": vector.tolist(),
                "k": count,
                "num_candidates": _CANDIDATES,
                "filter": self._filters(request),
            }
        }
        # A score of one half is a likeness of nothing.
        hits = self._ask(query, [_SORTS["relevance"], _BY_ID], 0, count)["hits"]["hits"]
        return [hit["_id"] for hit in hits if hit["sort"][0] > _UNLIKE]

    def among(self, product_ids: Sequence[str], demanded: Node) -> set[str]:
        if not product_ids:
            return set()
        filters = [_node(demanded), {"terms": {"product_id": list(product_ids)}}]
        hits = self._ask({"bool": {"filter": filters}}, [], 0, len(product_ids))["hits"]["hits"]
        return {hit["_id"] for hit in hits}

    def _filters(self, request: SearchRequest, *, unpriced: bool = False) -> list[JsonObject]:
        filters = _price_and_rating(request, unpriced=unpriced)
        filters += [{"term": {"shelf": key}} for key in shelf_parts(request.category, self.language)]
        if request.brand is not None:
            filters.append({"term": {"brand": raw_key(request.brand, self.language)}})
        return filters


def _total(answer: JsonObject) -> int:
    return int(answer["hits"]["total"]["value"])


def _node(node: Node) -> JsonObject:
    if isinstance(node, Word):
        return {"term": {node.field: node.word}}
    parts = [_node(part) for part in node.parts]
    if node.least == len(parts):
        return {"bool": {"filter": parts}}
    return {"bool": {"should": parts, "minimum_should_match": node.least}}


def _ranking(plan: Plan) -> list[JsonObject]:
    ranked = [_boost(one) if isinstance(one, Weighed) else _best(one) for one in plan.ranking]
    return ranked + [
        {"constant_score": {"filter": _node(bonus.node), "boost": bonus.value}} for bonus in plan.bonuses
    ]


def _boost(one: Weighed) -> JsonObject:
    return {"term": {one.word.field: {"value": one.word.word, "boost": one.weight}}}


def _best(one: Best) -> JsonObject:
    return {"dis_max": {"queries": [{"bool": {"should": [_boost(w) for w in name]}} for name in one.names]}}


def _price_and_rating(request: SearchRequest, *, unpriced: bool = False) -> list[JsonObject]:
    filters: list[JsonObject] = []
    unknown = {"bool": {"must_not": [{"exists": {"field": "price"}}]}}
    bounds = {"gte": request.min_price, "lte": request.max_price}
    given = {name: value for name, value in bounds.items() if value is not None}
    within: JsonObject = {"range": {"price": given}}
    if unpriced:
        filters.append(unknown)
    elif given and request.unknown_price:
        filters.append({"bool": {"should": [within, unknown], "minimum_should_match": 1}})
    elif given:
        filters.append(within)
    if request.min_rating is not None:
        filters.append({"range": {"average_rating": {"gte": request.min_rating}}})
    return filters


class ServersCatalog:
    def __init__(
        self,
        servers: Servers,
        index: str,
        size: int,
        categories: Mapping[str, int],
        lexicon: Lexicon,
        search: SearchName,
        embedder: Embedder | None = None,
        language: str | None = None,
        money: Currency = DOLLARS,
    ) -> None:
        self.servers, self.index, self.search_name = servers, index, search
        self._categories = dict(categories)
        self._engine = ElasticEngine(self._ask, size, lexicon, language)
        self._fields = FieldSearch(self._engine, money)
        self._hybrid = None if embedder is None else HybridSearch(self._engine, embedder, money)

    def categories(self) -> dict[str, int]:
        return dict(self._categories)

    def search(self, request: SearchRequest) -> SearchPage:
        if request.limit < 0 or request.offset < 0:
            raise ValueError("limit and offset are not negative")
        words = query_words(request.query, self._engine.language)
        if not words:
            return SearchPage([], [], 0)
        name = request.search or self.search_name
        if name == "hybrid" and self._hybrid is not None:
            return self._hybrid.search(request)
        if name != "plain":
            return self._fields.search(request)
        return SearchPage(*self._engine.page(_query(request, words), request))

    def _ask(self, query: JsonObject, sort: Sequence[JsonObject], first: int, limit: int) -> JsonObject:
        try:
            if self.servers.serverless and first + limit > _SERVERLESS_WINDOW:
                return self._ask_far(query, sort, first, limit)
            return self._ask_once(query, sort, limit, from_=first)
        except elasticsearch.NotFoundError as error:
            raise ShopError(
                f"Elasticsearch at {self.servers.shown['Elasticsearch']}: the index {self.index} is gone; the shop was replaced "
                "while open (open it again) or half removed (ingest again with --replace)"
            ) from error
        except (elastic_transport.TransportError, elasticsearch.ApiError):
            with self.servers.speaking():
                raise

    def _ask_once(
        self, query: JsonObject, sort: Sequence[JsonObject], limit: int, **beginning: Any
    ) -> JsonObject:
        answer: JsonObject = self.servers.search.search(
            index=self.index,
            query=query,
            sort=sort or None,
            size=limit,
            track_total_hits=True,
            source=False,
            search_type="dfs_query_then_fetch",
            **beginning,
        ).body
        return answer

    def _ask_far(self, query: JsonObject, sort: Sequence[JsonObject], first: int, limit: int) -> JsonObject:
        """Return hits beyond the server's limit for numbered hits, by reading page after page."""
        page: list[JsonObject] = []
        passed, after = 0, None
        while True:
            size = min(first + limit - passed, _SERVERLESS_WINDOW)
            answer = self._ask_once(query, sort, size, search_after=after)
            hits = answer["hits"]["hits"]
            page += hits[max(0, first - passed) :]
            passed += len(hits)
            if len(hits) < size or passed == first + limit:
                answer["hits"]["hits"] = page
                return answer
            after = hits[-1]["sort"]


def _query(request: SearchRequest, words: list[str]) -> JsonObject:
    """Return the query of a plain search. Products without a price are not included."""
    each = [{"term": {"text": {"value": word}}} for word in words]
    filters = _price_and_rating(replace(request, unknown_price=False))
    if request.category is not None:
        filters.append({"term": {"category": category_term(request.category)}})
    if request.match == "all":
        return {"must": each, "filter": filters}
    return {"should": each, "minimum_should_match": 1, "filter": filters}
