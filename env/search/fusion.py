"""The search `hybrid`: good matches by words and near ones by vector, as one list by reciprocal rank.

Both lists are short at their heads; what matches well and lies deeper follows in its own order, so that pages fit together and
nothing comes twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from drr.env.embedding import Embedder, Vectors
from drr.env.search.plan import Node
from drr.env.search.searching import FieldSearch, IndexEngine
from drr.env.shop import SearchPage, SearchRequest

DEPTH = 100
"""Hits by words that are ranked anew."""
NEAR = 20
"""Hits by vector."""
_FLATTENING = 60
"""Of reciprocal rank fusion, as Cormack, Clarke and Buettcher (2009) have it."""


class VectorEngine(IndexEngine, Protocol):
    def near(self, vector: Vectors, request: SearchRequest, count: int) -> list[str]:
        """Products that pass the filters, the nearest first, equal ones by id."""

    def among(self, product_ids: Sequence[str], demanded: Node) -> set[str]:
        """Choose those of them that fulfil the demand."""


def fused(first: Sequence[str], second: Sequence[str]) -> list[tuple[float, str]]:
    """Merge by the sum of reciprocal ranks, equal ones by id."""
    scores: dict[str, float] = {}
    for ranking in (first, second):
        for rank, product_id in enumerate(ranking, 1):
            scores[product_id] = scores.get(product_id, 0.0) + 1 / (_FLATTENING + rank)
    return sorted(
        ((score, product_id) for product_id, score in scores.items()), key=lambda row: (-row[0], row[1])
    )


@dataclass(frozen=True)
class HybridSearch:
    engine: VectorEngine
    embedder: Embedder

    def search(self, request: SearchRequest) -> SearchPage:
        """Any order but relevance is that of `fields`: nearness is no reason to be listed there."""
        words = FieldSearch(self.engine)
        found = words.found(replace(request, limit=DEPTH, offset=0))
        if found is None:
            return SearchPage([], [], 0)
        if found.request.sort != "relevance" or request.match == "all":
            return words.search(request)
        vector = self.embedder.embed([found.words])[0]
        near = self.engine.near(vector, found.request, NEAR)
        deeper = self.engine.among(near, found.demanded) - set(found.hits.product_ids)
        head = fused(found.hits.product_ids, [one for one in near if one not in deeper])
        beside = len(head) - len(found.hits.product_ids)
        page = head[request.offset : request.offset + request.limit]
        ids, scores = [one for _, one in page], [score for score, _ in page]
        if len(ids) < request.limit and found.hits.total > DEPTH:
            rest = replace(
                found.request,
                limit=request.limit - len(ids),
                offset=DEPTH + max(0, request.offset - len(head)),
            )
            ids += self.engine.hits(found.demanded, found.plan, rest).product_ids
        read = replace(found.request, limit=request.limit, offset=request.offset)
        padded: list[float | None] = [*scores, *([None] * (len(ids) - len(scores)))]
        beyond = words.beside(found)
        return SearchPage(
            ids,
            padded,
            found.hits.total + beside,
            max(0, beyond.aside - beside),
            beyond.unpriced,
            found.said,
            read,
        )
