"""Search in Elasticsearch: the same words in the same kind of query as every catalogue.

Ties go by product id because it is the last sort key; unknown prices and ratings are missing fields, which no range holds
and every sort puts last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import elastic_transport
import elasticsearch
from drr.env.embedding import Embedder
from drr.env.errors import ShopError
from drr.env.json_object import JsonObject
from drr.env.search.fusion import HybridSearch
from drr.env.search.lexicon import Lexicon
from drr.env.search.searching import FieldSearch
from drr.env.servers.connect import Servers
from drr.env.servers.engine import ElasticEngine
from drr.env.servers.index import category_term
from drr.env.shop import SearchName, SearchPage, SearchRequest
from drr.env.text import query_words

# A serverless index gives no hits by number beyond these.
_SERVERLESS_WINDOW = 10_000
_SORTS: dict[str, JsonObject] = {
    "price_asc": {"price": {"order": "asc", "missing": "_last"}},
    "price_desc": {"price": {"order": "desc", "missing": "_last"}},
    "rating": {"average_rating": {"order": "desc", "missing": "_last"}},
    "popularity": {"rating_number": {"order": "desc", "missing": "_last"}},
    "relevance": {"_score": {"order": "desc"}},
}


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
    ) -> None:
        self.servers, self.index, self._size, self.search_name = servers, index, size, search
        self._categories = dict(categories)
        engine = ElasticEngine(self._ask, _SORTS, size, lambda: lexicon)
        self._fields = FieldSearch(engine)
        self._hybrid = None if embedder is None else HybridSearch(engine, embedder)

    def categories(self) -> dict[str, int]:
        return dict(self._categories)

    def search(self, request: SearchRequest) -> SearchPage:
        if request.limit < 0 or request.offset < 0:
            raise ValueError("limit and offset are not negative")
        words = query_words(request.query)
        if not words:
            return SearchPage([], [], 0)
        name = request.search or self.search_name
        if name == "hybrid" and self._hybrid is not None:
            return self._hybrid.search(request)
        if name != "plain":
            return self._fields.search(request)
        # A page past the end is empty, and the server reserves room for what it is asked.
        limit = max(0, min(request.limit, self._size - request.offset))
        sort = [_SORTS[request.sort], {"product_id": {"order": "asc"}}]
        answer = self._ask(_query(request, words), sort, request.offset if limit else 0, limit)
        hits = answer["hits"]
        relevance = request.sort == "relevance"
        return SearchPage(
            [hit["_id"] for hit in hits["hits"]],
            [hit["sort"][0] if relevance else None for hit in hits["hits"]],
            hits["total"]["value"],
        )

    def _ask(self, query: JsonObject, sort: Sequence[JsonObject], first: int, limit: int) -> JsonObject:
        try:
            if self.servers.serverless and first + limit > _SERVERLESS_WINDOW:
                return self._ask_far(query, sort, first, limit)
            return self._ask_once(query, sort, limit, first=first)
        except elasticsearch.NotFoundError as error:
            raise ShopError(
                f"Elasticsearch at {self.servers.shown['Elasticsearch']}: the index {self.index} is gone; the shop was replaced "
                "while open (open it again) or half removed (ingest again with --replace)"
            ) from error
        except (elastic_transport.TransportError, elasticsearch.ApiError):
            with self.servers.speaking():
                raise

    def _ask_once(
        self,
        query: JsonObject,
        sort: Sequence[JsonObject],
        limit: int,
        *,
        first: int | None = None,
        after: Any = None,
    ) -> JsonObject:
        answer: JsonObject = self.servers.search.search(
            index=self.index,
            query=query,
            sort=sort or None,
            from_=first,
            search_after=after,
            size=limit,
            track_total_hits=True,
            source=False,
            search_type="dfs_query_then_fetch",
        ).body
        return answer

    def _ask_far(self, query: JsonObject, sort: Sequence[JsonObject], first: int, limit: int) -> JsonObject:
        """Hits beyond what may be asked for by number, reached from page to page."""
        answer: JsonObject | None = None
        page: list[JsonObject] = []
        passed, after = 0, None
        while passed < first + limit:
            size = min(first + limit - passed, _SERVERLESS_WINDOW)
            told = self._ask_once(query, sort, size, after=after)
            answer = answer or told
            hits = told["hits"]["hits"]
            page += hits[max(0, first - passed) :]
            passed += len(hits)
            if len(hits) < size:
                break
            after = hits[-1]["sort"]
        assert answer is not None
        answer["hits"]["hits"] = page
        return answer


def _query(request: SearchRequest, words: list[str]) -> JsonObject:
    each = [{"term": {"text": {"value": word}}} for word in words]
    query: JsonObject = {}
    if request.match == "all":
        query["must"] = each
    else:
        query |= {"should": each, "minimum_should_match": 1}
    filters: list[JsonObject] = []
    bounds = {"gte": request.min_price, "lte": request.max_price}
    given = {name: value for name, value in bounds.items() if value is not None}
    if given:
        filters.append({"range": {"price": given}})
    if request.min_rating is not None:
        filters.append({"range": {"average_rating": {"gte": request.min_rating}}})
    if request.category is not None:
        filters.append({"term": {"category": category_term(request.category)}})
    if filters:
        query["filter"] = filters
    return {"bool": query}
