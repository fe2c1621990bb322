"""A search by fields, from the request to the page, over any engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from drr.env.search.asked import QueryReader
from drr.env.search.lexicon import Lexicon
from drr.env.search.plan import ENOUGH, Node, Plan, Planner, all_of
from drr.env.shop import SearchPage, SearchRequest


class Hits(NamedTuple):
    product_ids: list[str]
    scores: list[float | None]
    total: int


class Engine(Protocol):
    """What a backend's index can do. Filters are those of the request; a price filter may be asked the other way round."""

    def holders(self, field: str, word: str) -> int:
        """Products that have the word in the field."""

    def lexicon(self) -> Lexicon: ...

    def counts(self, nodes: Sequence[Node], request: SearchRequest, *, unpriced: bool = False) -> list[int]:
        """For each node the products that fulfil it and pass the filters; `unpriced`: of those without a price."""

    def hits(self, demanded: Node, plan: Plan, request: SearchRequest) -> Hits: ...


@dataclass(frozen=True)
class FieldSearch:
    engine: Engine

    def search(self, request: SearchRequest) -> SearchPage:
        engine = self.engine
        asked = QueryReader(engine.holders, engine.lexicon).read(request.query)
        if not asked.slots:
            return SearchPage([], [], 0)
        request = replace(
            request,
            min_price=asked.min_price if request.min_price is None else request.min_price,
            max_price=asked.max_price if request.max_price is None else request.max_price,
            sort="price_asc" if asked.cheapest and request.sort == "relevance" else request.sort,
        )
        plan = Planner(asked, engine.holders, ranked=request.sort == "relevance").plan()
        demanded = self._demanded(plan, request)
        hits = engine.hits(demanded, plan, request)
        aside = engine.counts([plan.any_word], request)[0] - hits.total if request.match == "well" else 0
        priced = request.min_price is not None or request.max_price is not None
        unpriced = engine.counts([demanded], request, unpriced=True)[0] if priced and not request.unknown_price else 0
        return SearchPage(*hits, max(0, aside), unpriced, asked.said, request)

    def _demanded(self, plan: Plan, request: SearchRequest) -> Node:
        if request.match == "any":
            return plan.any_word
        if request.match == "all":
            return plan.every_word
        for level in plan.levels:
            if self.engine.counts([level.node], request)[0] >= level.needed:
                return level.node
        return plan.any_word
