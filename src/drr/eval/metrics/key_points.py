"""Metrics of key-point recall: the share of a question's key points that a report has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Metric, Values, over_queries
from drr.eval.stats.intervals import SHARE, Statistic
from drr.eval.tasks.judgements import Judged
from drr.eval.tasks.key_points import PointRow, PointVerdictRow, matches_of, points_of

TITLES = {"key-points": "Key-point recall"}
_PARTIAL = 0.5


def _recall(name: str, label: str, text: str, *, detail: bool = True) -> Metric:
    return Metric(name, label, text, "key-points", range=SHARE, better="higher", detail=detail)


METRICS = (
    _recall(
        "kp_vital_strict",
        "vital, strict",
        "The share of the question's vital key points that the report has in full.",
        detail=False,
    ),
    _recall(
        "kp_vital_lenient",
        "vital, lenient",
        "As vital, strict, where a point that the report has in part counts half.",
    ),
    _recall(
        "kp_all_strict",
        "all, strict",
        "The share of all key points of the question, vital or okay, that the report has in full.",
    ),
    _recall(
        "kp_all_lenient",
        "all, lenient",
        "As all, strict, where a point that the report has in part counts half.",
    ),
    Metric(
        "kp_points",
        "key points",
        "Key points of the question, whoever made them.",
        "key-points",
        unit="points",
        least=0,
        digits=1,
        detail=True,
    ),
)
_METHODS = {
    "kp_vital_strict": "share of vital key points in full, mean over queries",
    "kp_vital_lenient": "share of vital key points, in part counting 0.5, mean over queries",
    "kp_all_strict": "share of all key points in full, mean over queries",
    "kp_all_lenient": "share of all key points, in part counting 0.5, mean over queries",
    "kp_points": "key points per question, mean over queries",
}


def recall(
    points: Iterable[PointRow], verdicts: Mapping[str, PointVerdictRow], partial: float
) -> float | None:
    """Return the mean score of the points. `None` where there is no point, or one has no verdict."""
    worth: Mapping[str, float | None] = {"support": 1.0, "partial_support": partial, "not_support": 0.0}
    scores = [worth.get(verdicts[row["id"]]["support"]) if row["id"] in verdicts else None for row in points]
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if known and len(known) == len(scores) else None


def per_report(judged: Judged, answer: Answer) -> Values:
    """Return the metrics of one report. All are unknown where the question has no points."""
    points, matches = points_of(judged, answer.query_id), matches_of(judged, answer.key)
    if points is None or (matches is None and points.rows):
        return {}
    rows = points.rows or ()
    vital = [row for row in rows if row["weight"] == "vital"]
    return {
        "kp_vital_strict": recall(vital, matches or {}, 0.0),
        "kp_vital_lenient": recall(vital, matches or {}, _PARTIAL),
        "kp_all_strict": recall(rows, matches or {}, 0.0),
        "kp_all_lenient": recall(rows, matches or {}, _PARTIAL),
        "kp_points": float(len(rows)) if rows else None,
    }


def corpus(judged: Judged, answers: Sequence[Answer]) -> Mapping[str, Statistic]:
    """Return the means over queries, once at least one report was matched. Reports still to be matched count as unscored."""
    if not any(matches_of(judged, answer.key) for answer in answers):
        return {}
    return over_queries(answers, lambda answer: per_report(judged, answer), _METHODS)
