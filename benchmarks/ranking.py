"""The worth of a ranking: precision at 5, recall at 10, nDCG at 10. Each is in a form that a perfect ranking has 1 of."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from statistics import mean
from typing import NamedTuple

from benchmarks.judged import KINDS, Judged

SORTS = ("price_asc", "price_desc", "rating", "popularity")
Search = Callable[[str, str], Sequence[str]]
"""Query and sort -> product ids, the first ten."""


class Worth(NamedTuple):
    precision: float
    recall: float
    ndcg: float


def worth(found: Sequence[str], relevant: frozenset[str]) -> Worth:
    """Measure a ranking. Where fewer are relevant than places, all of them there is all that can be asked."""
    hits = [product_id in relevant for product_id in found[:10]]
    best = min(5, len(relevant))
    gain = sum(1 / math.log2(rank + 2) for rank, hit in enumerate(hits) if hit)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(relevant))))
    return Worth(min(1.0, sum(hits[:5]) / best), sum(hits) / min(10, len(relevant)), gain / ideal)


def by_kind(search: Search, queries: Iterable[Judged], sort: str = "relevance") -> dict[str, Worth]:
    """The means of each kind, and under `all` of every query."""
    found: dict[str, list[Worth]] = {kind: [] for kind in KINDS}
    for one in queries:
        found[one.kind].append(worth(search(one.query, sort), one.relevant))
    found["all"] = [one for rows in found.values() for one in rows]
    return {kind: Worth(*map(mean, zip(*rows, strict=True))) for kind, rows in found.items() if rows}
