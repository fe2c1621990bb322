"""Metrics of quality against a reference report on the same question: `target / (target + reference)`, mean of both orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drr.eval.evidence.answers import Answer
from drr.eval.labels import DIMENSION_TITLES as NAMES
from drr.eval.metrics.base import Metric, Values, over_queries
from drr.eval.stats.intervals import SHARE, Statistic
from drr.eval.tasks.judgements import GRADED, Grades, Judged, relative_of

TITLES = {"relative": "Quality relative to the reference report (0.5: as good)"}
METRICS = (
    Metric(
        "rel_score",
        "relative quality",
        "Quality over quality of both, the report's and the reference's, graded side by side; the mean of two orders.",
        "relative",
        range=SHARE,
        better="higher",
    ),
    Metric(
        "rel_position",
        "position bias",
        "Relative quality where the report was shown first minus that where it was shown second, 0 for a judge whom the order does not sway.",
        "relative",
        unit="difference",
    ),
    *(
        Metric(
            f"rel_{one}",
            f"rel. {NAMES[one].casefold()}",
            f"As relative quality, of the dimension {NAMES[one].casefold()} alone.",
            "relative",
            range=SHARE,
            better="higher",
            detail=True,
        )
        for one in GRADED
    ),
)
_ORDERS = "target / (target + reference), mean of both orders, over queries"
_METHODS = {
    "rel_score": f"mean of six grades, {_ORDERS}",
    "rel_position": "shown first minus shown second, mean over queries",
    **{f"rel_{one}": _ORDERS for one in GRADED},
}


def per_report(judged: Judged, answer: Answer) -> Values:
    """Return the metrics of one report; a metric is unknown where one of the two orders has no figure."""
    found = relative_of(judged, answer.key)
    if found is None:
        return {}
    first, second = (_shares(found.get(place)) for place in ("first", "second"))
    both = {name: _mean(first[name], second[name]) for name in first}
    ahead, behind = first["rel_score"], second["rel_score"]
    return {**both, "rel_position": None if ahead is None or behind is None else ahead - behind}


def corpus(judged: Judged, answers: Sequence[Answer]) -> Mapping[str, Statistic]:
    if not any(relative_of(judged, answer.key) for answer in answers):
        return {}
    return over_queries(answers, lambda answer: per_report(judged, answer), _METHODS)


def _shares(grades: Grades | None) -> dict[str, float | None]:
    """Compute the shares of one order."""
    found: dict[str, float | None] = {"rel_score": None, **{f"rel_{one}": None for one in GRADED}}
    rows = grades or {}
    for one, row in rows.items():
        found[f"rel_{one}"] = share(row["target"], row["reference"])
    # A total of some grades only would be another figure.
    if len(rows) == len(GRADED):
        totals = (sum(row["target"] for row in rows.values()), sum(row["reference"] for row in rows.values()))
        found["rel_score"] = share(*totals)
    return found


def share(target: float, reference: float) -> float | None:
    """Return `target / (target + reference)`; undefined where both are 0."""
    return target / (target + reference) if target + reference else None


def _mean(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else (a + b) / 2
