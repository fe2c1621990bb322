"""The search by fields in Elasticsearch: its demands and its ranking in the server's own query language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NotRequired, TypedDict

from drr.env.embedding import Vectors
from drr.env.json_object import JsonObject
from drr.env.search.fields import SearchFields, raw_key
from drr.env.search.filters import shelf_parts
from drr.env.search.lexicon import Lexicon
from drr.env.search.plan import Best, Node, Plan, Weighed, Word
from drr.env.search.searching import Hits
from drr.env.shop import SearchRequest

_TEXT = {"type": "text", "analyzer": "whitespace", "index_options": "freqs"}
_KEYWORD = {"type": "keyword"}
FIELDS_PROPERTIES: dict[str, JsonObject] = {
    "strong": _TEXT,
    "rest": _TEXT,
    "name": _KEYWORD,
    "shelf": _KEYWORD,
    "brand": _KEYWORD,
    "fields_crc": {"type": "long", "index": False},
    # Whole numbers as they were made: a compressed form would find others than the shop in a folder.
    "vector": {
        "type": "dense_vector",
        "index": True,
        "similarity": "dot_product",
        "index_options": {"type": "hnsw"},
    },
}
NOT_KEPT = ("strong", "rest", "name", "shelf", "brand", "vector")
"""Searched, and no part of the document that the server gives back."""
_COUNTED_HERE = ("strong", "name", "brand")
_CANDIDATES = 1000
_UNLIKE = 0.5
Ask = Callable[[JsonObject, Sequence[JsonObject], int, int], JsonObject]
"""Query, sort, first and number of hits -> the server's answer."""


class FieldsRow(TypedDict):
    """What the index is given of a product for the search by fields."""

    strong: str
    rest: str
    name: list[str]
    shelf: list[str]
    brand: list[str]
    fields_crc: int
    vector: NotRequired[list[float]]


def fields_row(fields: SearchFields, vector: Vectors | None) -> FieldsRow:
    """Make the row, without a vector where there is none, or nothing in it."""
    row = _fields_row(fields)
    if vector is not None and vector.any():
        row["vector"] = vector.tolist()
    return row


def _fields_row(fields: SearchFields) -> FieldsRow:
    return {
        "strong": fields.strong,
        "rest": fields.rest,
        "name": list(fields.name),
        "shelf": list(fields.shelf),
        "brand": list(fields.brand),
        "fields_crc": fields.crc,
    }


class ElasticEngine:
    """`ask` calls the server; what the shop's lexicon counts is not asked."""

    counts_first = False

    def __init__(
        self, ask: Ask, sorts: Mapping[str, JsonObject], size: int, lexicon: Callable[[], Lexicon]
    ) -> None:
        self._ask, self._sorts, self._size, self.lexicon = ask, sorts, size, lexicon
        self._count_once = lru_cache(4096)(self._counted)

    def holders(self, field: str, word: str) -> int:
        if field in _COUNTED_HERE:
            return self.lexicon().held(field, word)
        return self._count_once(field, word)

    def _counted(self, field: str, word: str) -> int:
        return _total(self._ask(_node(Word(field, word)), [], 0, 0))

    def count(self, node: Node, request: SearchRequest, *, unpriced: bool = False) -> int:
        filters = [_node(node), *_filters(request, unpriced=unpriced)]
        return _total(self._ask({"bool": {"filter": filters}}, [], 0, 0))

    def hits(self, demanded: Node, plan: Plan, request: SearchRequest, *, total: int | None = None) -> Hits:
        """The server counts in the same answer."""
        limit = max(0, min(request.limit, self._size - request.offset))
        query: JsonObject = {"filter": [_node(demanded), *_filters(request)]}
        ranked = request.sort == "relevance"
        if ranked and limit:
            query["should"] = _ranking(plan)
        sort = [self._sorts[request.sort], {"product_id": {"order": "asc"}}]
        answer = self._ask({"bool": query}, sort, request.offset if limit else 0, limit)
        hits = answer["hits"]["hits"]
        scores = [hit["sort"][0] if ranked else None for hit in hits]
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
                "filter": _filters(request),
            }
        }
        sort = [{"_score": {"order": "desc"}}, {"product_id": {"order": "asc"}}]
        # A score of one half is a likeness of nothing.
        hits = self._ask(query, sort, 0, count)["hits"]["hits"]
        return [hit["_id"] for hit in hits if hit["sort"][0] > _UNLIKE]

    def among(self, product_ids: Sequence[str], demanded: Node) -> set[str]:
        if not product_ids:
            return set()
        filters = [_node(demanded), {"terms": {"product_id": list(product_ids)}}]
        hits = self._ask({"bool": {"filter": filters}}, [], 0, len(product_ids))["hits"]["hits"]
        return {hit["_id"] for hit in hits}


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
    ranked = [_weighed(one) if isinstance(one, Weighed) else _best(one) for one in plan.ranking]
    return ranked + [
        {"constant_score": {"filter": _node(bonus.node), "boost": bonus.value}} for bonus in plan.bonuses
    ]


def _weighed(one: Weighed) -> JsonObject:
    return {"term": {one.word.field: {"value": one.word.word, "boost": one.weight}}}


def _best(one: Best) -> JsonObject:
    return {"dis_max": {"queries": [{"bool": {"should": [_weighed(w) for w in name]}} for name in one.names]}}


def _filters(request: SearchRequest, *, unpriced: bool = False) -> list[JsonObject]:
    filters: list[JsonObject] = []
    unknown = {"bool": {"must_not": [{"exists": {"field": "price"}}]}}
    bounds = {"gte": request.min_price, "lte": request.max_price}
    given = {name: value for name, value in bounds.items() if value is not None}
    if unpriced:
        filters.append(unknown)
    elif given:
        within: JsonObject = {"range": {"price": given}}
        filters.append(
            {"bool": {"should": [within, unknown], "minimum_should_match": 1}}
            if request.unknown_price
            else within
        )
    if request.min_rating is not None:
        filters.append({"range": {"average_rating": {"gte": request.min_rating}}})
    filters += [{"term": {"shelf": key}} for key in shelf_parts(request.category)]
    if request.brand is not None:
        filters.append({"term": {"brand": raw_key(request.brand)}})
    return filters
