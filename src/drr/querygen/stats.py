"""Statistics of a file of queries: variety, length, tools, needs, and a measure that files of different size share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

from drr.env.query import Query
from drr.env.shop import Shop
from drr.env.text import SimilarTexts, text_shingles, tokens
from drr.querygen.check_list import ALIKE, CHECKS, sets_limit
from drr.querygen.checks import Checker, spread
from drr.querygen.demands import demands_of

SAME_SIZE = 1500
"""The number of runs of words with which files of different size are compared."""


class MedianAndRange(TypedDict):
    least: float | None
    median: float | None
    most: float | None


class Similarity(TypedDict):
    mean: float | None
    p95: float | None
    most: float | None
    near_duplicates: int


class QuestionStatistics(TypedDict):
    """The document of `drr queries stats --json`; the last four fields need a shop."""

    schema: int
    queries: int
    users: int
    modes: dict[str, int]
    intents: dict[str, int]
    models: dict[str, int]
    reviews: dict[str, int]
    words: MedianAndRange
    distinct: dict[str, float | None]
    distinct_same_size: dict[str, float | None]
    similarity: Similarity
    tools: dict[str, int]
    tools_per_query: float | None
    facts_per_query: float | None
    share: dict[str, float | None]
    checks: NotRequired[dict[str, dict[str, int]]]
    passing_all: NotRequired[float | None]
    categories: NotRequired[dict[str, int]]
    spread: NotRequired[str]


def statistics_of(
    queries: Sequence[Query], shop: Shop | None = None, *, min_products: int = 3
) -> QuestionStatistics:
    """Return all statistics of `drr queries stats`; with a shop, the checks and categories too."""
    widths = (1, 2, 3)
    document: QuestionStatistics = {
        "schema": 1,
        "queries": len(queries),
        "users": len({query.user_id for query in queries}),
        "modes": _counts(query.mode or "unknown" for query in queries),
        "intents": _counts(query.intent or "unknown" for query in queries),
        "models": _counts(query.model or "unknown" for query in queries),
        "reviews": _counts(query.review.status for query in queries),
        "words": _median_and_range([len(query.query.split()) for query in queries]),
        "distinct": {f"distinct_{width}": distinct(queries, width) for width in widths},
        "distinct_same_size": {f"distinct_{width}": distinct(queries, width, SAME_SIZE) for width in widths},
        "similarity": _similarity(queries),
        "tools": _counts(tool for query in queries for tool in query.tools),
        "tools_per_query": _mean([len(query.tools) for query in queries]),
        "facts_per_query": _mean([len(query.facts_used) for query in queries]),
        "share": _shares(queries),
    }
    if shop is not None:
        checker = Checker(shop, min_products)
        checked = [checker.check(query) for query in queries]
        verdict, categories = spread(checker, queries)
        document["checks"] = {name: _counts(row.verdicts[name].status for row in checked) for name in CHECKS}
        document["passing_all"] = _share(not row.failed for row in checked)
        document["categories"], document["spread"] = categories, verdict.status
    return document


def _shares(queries: Sequence[Query]) -> dict[str, float | None]:
    """Return the shares of questions with a budget, a region, a time, a web need and facts. Constraints come from the question's text."""
    asked = [query.constraints or demands_of(query) for query in queries]
    return {
        "with_budget": _share(sets_limit(constraints) for constraints in asked),
        "with_region": _share(constraints.region is not None for constraints in asked),
        "with_time": _share(c.months is not None or c.deadline is not None for c in asked),
        "with_web_need": _share(bool(query.web_need) for query in queries),
        "with_facts": _share(bool(query.facts_used) for query in queries),
    }


def distinct(queries: Sequence[Query], width: int, first: int | None = None) -> float | None:
    """Return the share of different runs of words among all runs. It rises with variety and falls with the size of a file.

    `first` takes only so many runs, so that files of different size compare; `None` if there are fewer.
    """
    runs = [
        tuple(words[at : at + width])
        for query in queries
        for words in [tokens(query.query)]
        for at in range(len(words) - width + 1)
    ]
    if first is not None:
        runs = runs[:first] if len(runs) >= first else []
    return round(len(set(runs)) / len(runs), 4) if runs else None


def _similarity(queries: Sequence[Query]) -> Similarity:
    """Return the similarity of all pairs of questions, by shingles."""
    seen, values = SimilarTexts(), []
    for query in queries:
        own = text_shingles(query.query)
        values += [value for _, value in seen.alike(own)]
        seen.add(own)
    values.sort()
    pairs = len(queries) * (len(queries) - 1) // 2
    if not pairs:
        return {"mean": None, "p95": None, "most": None, "near_duplicates": 0}
    at = int(0.95 * (pairs - 1)) - (pairs - len(values))
    return {
        "mean": round(sum(values) / pairs, 4),
        "p95": round(values[at], 4) if at >= 0 else 0.0,
        "most": round(values[-1], 4) if values else 0.0,
        "near_duplicates": sum(value >= ALIKE for value in values),
    }


def _counts(values: Any) -> dict[str, int]:
    return dict(sorted(Counter(values).items(), key=lambda item: (-item[1], item[0])))


def _median_and_range(values: Sequence[int]) -> MedianAndRange:
    if not values:
        return {"least": None, "median": None, "most": None}
    ordered = sorted(values)
    return {"least": ordered[0], "median": ordered[len(ordered) // 2], "most": ordered[-1]}


def _mean(values: Sequence[int]) -> float | None:
    return round(sum(values) / len(values), 2) if values else None


def _share(values: Any) -> float | None:
    flags = [bool(value) for value in values]
    return round(sum(flags) / len(flags), 4) if flags else None
