"""A search by fields, from the request to the page, over any engine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from drr.env.search.lexicon import Lexicon
from drr.env.search.plan import FULL, Node, Plan
from drr.env.search.read_query import Holders, QueryReader
from drr.env.shop import SearchPage, SearchRequest


class Hits(NamedTuple):
    product_ids: list[str]
    scores: list[float | None]
    total: int


class IndexEngine(Protocol):
    """The face of a backend's index. Filters are those of the request; a price filter may be asked the other way round."""

    counts_first: bool
    """Whether counting costs so little beside ranking that what too few fulfil is counted only."""

    @property
    def holders(self) -> Holders:
        """Products that have a word in a field."""

    def lexicon(self) -> Lexicon: ...

    def count(self, node: Node, request: SearchRequest, *, unpriced: bool = False) -> int:
        """Products that fulfil it and pass the filters; `unpriced`: those without a price in place of the price filter."""

    def hits(self, demanded: Node, plan: Plan, request: SearchRequest, *, total: int | None = None) -> Hits:
        """A page of what fulfils it, in order; `total` is how many these are, where that was counted."""


@dataclass(frozen=True)
class FoundHits:
    """The hits of a request's words, and how the request was read."""

    request: SearchRequest
    plan: Plan
    demanded: Node
    hits: Hits
    reached: int | None
    """How many fulfil it whatever the filters, where that was counted."""
    words: str
    """The query without slips, weak words and prices, each thing by its names."""
    said: tuple[str, ...]


class BesideCounts(NamedTuple):
    aside: int
    unpriced: int


@dataclass(frozen=True)
class FieldSearch:
    engine: IndexEngine

    def search(self, request: SearchRequest) -> SearchPage:
        found = self.found(request)
        if found is None:
            return SearchPage([], [], 0)
        return SearchPage(*found.hits, *self.beside(found), found.said, found.request)

    def found(self, request: SearchRequest) -> FoundHits | None:
        """`None` where the query has no word."""
        engine = self.engine
        asked = QueryReader(engine.holders, engine.lexicon).read(request.query)
        if not asked.slots:
            return None
        request = replace(
            request,
            min_price=asked.min_price if request.min_price is None else request.min_price,
            max_price=asked.max_price if request.max_price is None else request.max_price,
            sort="price_asc" if asked.cheapest and request.sort == "relevance" else request.sort,
        )
        plan = Plan(asked, engine.holders, ranked=request.sort == "relevance")
        return FoundHits(request, plan, *self._hits(plan, request), asked.words, asked.said)

    def beside(self, found: FoundHits) -> BesideCounts:
        """Count what shares a word and was set aside, and what the price filter left out unknown."""
        engine, request = self.engine, found.request
        total = found.hits.total
        # By relevance the best comes first whatever follows: there it matters where little is found.
        matters = request.sort != "relevance" or total < FULL
        aside = (
            engine.count(found.plan.any_word, request) - total if request.match == "well" and matters else 0
        )
        priced = request.min_price is not None or request.max_price is not None
        # Where all pass the filters, none was left out.
        left_out = priced and not request.unknown_price and found.reached != total
        return BesideCounts(
            max(0, aside), engine.count(found.demanded, request, unpriced=True) if left_out else 0
        )

    def _hits(self, plan: Plan, request: SearchRequest) -> tuple[Node, Hits, int | None]:
        """Find hits on the strictest level that enough products reach, whatever the filters. Where none
        passes them, nothing else is put in its place."""
        bare = _without_filters(request)
        last = plan.every_word if request.match == "all" else plan.any_word
        for level in plan.levels() if request.match == "well" else ():
            if bare != request or (self.engine.counts_first and request.sort == "relevance"):
                reached = self.engine.count(level.node, bare)
                if reached >= level.needed:
                    total = reached if bare == request else None
                    return level.node, self.engine.hits(level.node, plan, request, total=total), reached
                continue
            hits = self.engine.hits(level.node, plan, request)
            if hits.total >= level.needed:
                return level.node, hits, None
        return last, self.engine.hits(last, plan, request), None


def _without_filters(request: SearchRequest) -> SearchRequest:
    filters = (request.min_price, request.max_price, request.min_rating, request.category, request.brand)
    if filters == (None, None, None, None, None):
        return request
    return replace(request, min_price=None, max_price=None, min_rating=None, category=None, brand=None)
