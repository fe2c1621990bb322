"""Runs the search by fields in tantivy: translates its demands and its ranking into queries of the index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import tantivy as tv
from drr.env.embedding import Vectors
from drr.env.search.fields import SearchFields, raw_key, shelf_parts
from drr.env.search.read_query import Lexicon
from drr.env.search.search_plan import Best, Node, Plan, Some, Weighed, Word
from drr.env.search.searching import Hits
from drr.env.shop import SearchRequest

_RAW = ("name", "brand", "shelf")
_LOOKED_AT = 200
_LITTLE = 1000
_REMEMBERED = 4096
"""Most words whose number of products is cached. Each part of a search asks again, and the index never changes."""
_AT_ONCE = 64
"""Most searches whose filters are cached; each search asks for its filters up to five times."""
_NUMBER = "number"
_COUNTED = {_NUMBER: {"filter": "*"}}
"""The aggregation that counts hits. It reads no field, which takes a quarter less time than counting a field's values."""
_MUST, _SHOULD, _NOT = tv.Occur.Must, tv.Occur.Should, tv.Occur.MustNot


def add_fields(builder: Any) -> None:
    for name in ("strong", "rest"):
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    for name in _RAW:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("fields_crc", fast=True)


def add_values(document: Any, fields: SearchFields) -> None:
    document.add_text("strong", fields.strong)
    document.add_text("rest", fields.rest)
    document.add_unsigned("fields_crc", fields.crc)
    for name in _RAW:
        for key in getattr(fields, name):
            document.add_text(name, key)


def _term(schema: Any, field: str, word: str) -> Any:
    return tv.Query.term_query(schema, field, word, index_option="basic" if field in _RAW else "freq")


def _indexed_term(schema: Any, count: Callable[[str, str], int], field: str, word: str) -> Any | None:
    return _term(schema, field, word) if count(field, word) else None


class TantivyEngine:
    counts_first = True

    def __init__(
        self,
        index: Any,
        searcher: Any,
        lexicon: Callable[[], Lexicon],
        vectors: Vectors | None = None,
        language: str | None = None,
    ) -> None:
        self._schema, self._searcher, self._size = index.schema, searcher, searcher.num_docs
        self._vectors = vectors
        self.lexicon, self.language = lexicon, language
        self.holders: Callable[[str, str], int] = lru_cache(_REMEMBERED)(searcher.doc_freq)
        self._held = lru_cache(_REMEMBERED)(partial(_indexed_term, index.schema, self.holders))
        self._made_filters = lru_cache(_AT_ONCE)(partial(_filters_made, index.schema, language))

    def count(self, node: Node, request: SearchRequest, *, unpriced: bool = False) -> int:
        filters = self._filters(request, unpriced=unpriced)
        if isinstance(node, Word) and not filters:
            return self.holders(*node)
        query = self._node(node)
        if query is None:
            return 0
        if filters:
            query = tv.Query.boolean_query([(_MUST, query), *filters])
        # A search that counts also ranks: this takes half to two thirds of its time.
        return int(self._searcher.aggregate(query, _COUNTED)[_NUMBER]["doc_count"])

    def hits(self, demanded: Node, plan: Plan, request: SearchRequest, *, total: int | None = None) -> Hits:
        ranked = request.sort == "relevance"
        room = self._size - request.offset
        if total is None and (ranked or min(request.limit, room) <= 0):
            total = self.count(demanded, request)
        limit = min(request.limit, room if total is None else total - request.offset)
        node = self._node(demanded)
        if limit <= 0 or node is None:
            return Hits([], [], total or 0)
        query = tv.Query.const_score_query(node, 0.0)
        if filters := self._filters(request):
            query = tv.Query.boolean_query([(_MUST, query), *filters])
        if ranked:
            query = self._ranking_query(query, plan, total or 0)
        order = {} if ranked else {"order_by_field": f"by_{request.sort}", "order": tv.Order.Asc}
        # To order by a figure is to look at all of them, so that counting them costs nothing more.
        found = self._searcher.search(query, limit, count=total is None, offset=request.offset, **order)
        doc = self._searcher.doc
        scores = [score if ranked else None for score, _ in found.hits]
        products = [doc(address)["id"][0] for _, address in found.hits]
        return Hits(products, scores, found.count if total is None else total)

    def _ranking_query(self, demanded: Any, plan: Plan, total: int) -> Any:
        """Build the query that filters and ranks. If the demand matches few products, each ranking part is nested around it,
        so that the part looks only at those products."""
        if total > _LITTLE:
            return tv.Query.boolean_query(
                [(_MUST, demanded), *((_SHOULD, one) for one in self._ranking(plan, None))]
            )
        query = demanded
        for one in self._ranking(plan, demanded):
            query = tv.Query.boolean_query([(_MUST, query), (_SHOULD, one)])
        return query

    def near(self, vector: Vectors, request: SearchRequest, count: int) -> list[str]:
        """Return the nearest products that pass the filters. All vectors are compared, and hits are read until enough pass."""
        if self._vectors is None or not vector.any():
            return []
        likeness = self._vectors @ vector
        order = (-likeness).argsort(kind="stable")
        order = order[likeness[order] > 0]
        filters = self._filters(request)
        found: list[str] = []
        for first in range(0, len(order), _LOOKED_AT):
            ids = [
                self._searcher.doc(tv.DocAddress(0, int(k)))["id"][0]
                for k in order[first : first + _LOOKED_AT]
            ]
            passing = self._products_with(ids, filters) if filters else set(ids)
            found += [one for one in ids if one in passing]
            if len(found) >= count:
                break
        return found[:count]

    def among(self, product_ids: Sequence[str], demanded: Node) -> set[str]:
        query = self._node(demanded)
        return set() if query is None else self._products_with(product_ids, [(_MUST, query)])

    def _products_with(self, product_ids: Sequence[str], parts: list[tuple[Any, Any]]) -> set[str]:
        if not product_ids:
            return set()
        own = tv.Query.term_set_query(self._schema, "id", list(product_ids))
        hits = self._searcher.search(
            tv.Query.boolean_query([(_MUST, own), *parts]), len(product_ids), count=False
        ).hits
        return {self._searcher.doc(address)["id"][0] for _, address in hits}

    def _node(self, node: Node, among: Any | None = None) -> Any | None:
        """Translate a demand into a query of tantivy; `None` if no product can fulfil it. Parts that no product has are left out:
        building their query takes longer than the check.

        For alternatives tantivy reads thousands of products ahead. If only a few products matter (those of `among`, or because
        another part is rare), each alternative is restricted to those.
        """
        if isinstance(node, Word):
            return self._held(*node)
        if node.least == len(node.parts):
            return self._all(node.parts, among)
        ways = [query for part in node.parts if (query := self._node(part, among)) is not None]
        if len(ways) < node.least:
            return None
        if len(ways) == 1:
            return ways[0]
        if among is not None:
            ways = [tv.Query.boolean_query([(_MUST, among), (_MUST, way)]) for way in ways]
        return tv.Query.boolean_query(
            [(_SHOULD, way) for way in ways], minimum_number_should_match=node.least
        )

    def _all(self, parts: Sequence[Node], among: Any | None) -> Any | None:
        if among is None:
            rare = min(parts, key=self._most)
            if self._most(rare) <= _LITTLE:
                among = self._node(rare)
                if among is None:
                    return None
                parts = [part for part in parts if part is not rare]
        clauses = [] if among is None else [(_MUST, among)]
        for part in parts:
            clause = self._clause(part, among)
            if clause is None:
                return None
            clauses.append(clause)
        return tv.Query.boolean_query(clauses) if len(clauses) > 1 else clauses[0][1]

    def _clause(self, part: Node, among: Any | None) -> tuple[Any, Any] | None:
        """Build the clause of one part of a demand. Among few products, those that fulfil none of its alternatives are excluded instead."""
        if among is not None and isinstance(part, Some) and part.least == 1 < len(part.parts):
            ways = [query for way in part.parts if (query := self._node(way, among)) is not None]
            if len(ways) > 1:
                return _NOT, tv.Query.boolean_query([(_MUST, among), *((_NOT, way) for way in ways)])
            return (_MUST, ways[0]) if ways else None
        query = self._node(part, among)
        return None if query is None else (_MUST, query)

    def _most(self, node: Node) -> int:
        """Return an upper bound for the number of products that fulfil the demand."""
        if isinstance(node, Word):
            return self.holders(*node)
        each = [self._most(part) for part in node.parts]
        return min(each) if node.least == len(each) else sum(each) // node.least

    def _ranking(self, plan: Plan, demanded: Any | None) -> list[Any]:
        """Build the queries that rank; with `demanded` given, they look only at the products that fulfil it."""
        ranked = [self._boost(one) if isinstance(one, Weighed) else self._best(one) for one in plan.ranking]
        for bonus in plan.bonuses:
            node = self._node(bonus.node, demanded)
            ranked.append(None if node is None else tv.Query.const_score_query(node, bonus.value))
        return [one for one in ranked if one is not None]

    def _boost(self, one: Weighed) -> Any | None:
        term = self._held(*one.word)
        return term if term is None or one.weight == 1 else tv.Query.boost_query(term, one.weight)

    def _best(self, one: Best) -> Any | None:
        names = [[word for each in name if (word := self._boost(each)) is not None] for name in one.names]
        best = [tv.Query.boolean_query([(_SHOULD, word) for word in name]) for name in names if name]
        return tv.Query.disjunction_max_query(best) if best else None

    def _filters(self, request: SearchRequest, *, unpriced: bool = False) -> list[tuple[Any, Any]]:
        prices = None if unpriced else (request.min_price, request.max_price, request.unknown_price)
        return self._made_filters(prices, request.min_rating, request.category, request.brand)


def _filters_made(
    schema: Any,
    language: str | None,
    prices: tuple[float | None, float | None, bool] | None,
    min_rating: float | None,
    category: str | None,
    brand: str | None,
) -> list[tuple[Any, Any]]:
    """Build the filters of a request. Without `prices`, the price filter selects products without a known price."""
    query = tv.Query
    filters = []
    if prices is None:
        filters.append((_NOT, query.exists_query("price")))
    elif prices[:2] != (None, None):
        within = query.range_query(schema, "price", tv.FieldType.Float, *prices[:2])
        if prices[2]:
            unknown = query.boolean_query([(_MUST, query.all_query()), (_NOT, query.exists_query("price"))])
            within = query.boolean_query([(_SHOULD, within), (_SHOULD, unknown)])
        filters.append((_MUST, query.const_score_query(within, 0.0)))
    if min_rating is not None:
        rated = query.range_query(schema, "rating", tv.FieldType.Float, min_rating, None)
        filters.append((_MUST, query.const_score_query(rated, 0.0)))
    keys = [("shelf", key) for key in shelf_parts(category, language)]
    if brand is not None:
        keys.append(("brand", raw_key(brand, language)))
    return filters + [(_MUST, query.const_score_query(_term(schema, *key), 0.0)) for key in keys]
