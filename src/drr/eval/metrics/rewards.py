"""Computes what code pays an answer to a checkable question: solved or not, the share of points, the reward.

They are a family apart from pass^k, because Holm's correction runs within a family: with more tests each difference is harder to show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drr.eval.evidence.answers import Answer, asked_of, questions
from drr.eval.metrics.base import Metric, Values
from drr.eval.metrics.reliability import SOLVED, UNCHECKED, trials_of
from drr.eval.stats.intervals import SHARE, Statistic, mean
from drr.eval.stats.question import AskedQuestion
from drr.eval.tasks.judgements import Judged


def _metric(name: str, label: str, explanation: str, *, detail: bool = False, more: str = ".") -> Metric:
    explanation += f"; one that failed for good counts 0{more}"
    return Metric(name, label, explanation, "pass", range=SHARE, better="higher", judged=False, detail=detail)


METRICS = (
    _metric(
        "solved",
        "share solved",
        f"Share of answers to checkable questions with {SOLVED}",
        more=UNCHECKED,
    ),
    _metric(
        "points",
        "share of points",
        "Share of the points of a checkable question that an answer gets right; what its form alone says counts .2",
        detail=True,
    ),
    _metric(
        "reward",
        "reward",
        "What code pays an answer to a checkable question, by the form and weights of docs/record.md",
    ),
)


def per_report(judged: Judged, answer: Answer) -> Values:
    return trials_of(judged)[answer.variant][answer.asked].paid[answer.key]


def unanswered(judged: Judged, variant: str) -> list[tuple[AskedQuestion, Values]]:
    """List what code pays a system's trials that left no answer."""
    known = trials_of(judged).get(variant, {}).items()
    return [(asked, row) for asked, one in known for row in one.unpaid]


def paid_failures(judged: Judged) -> dict[str, Values]:
    """Return what code pays the answers that failed for good, by key. It is 0 in each figure of a question that it checks."""
    if not judged.answers:
        return {}
    study, known = judged.answers[0].study, trials_of(judged)
    asked = questions(study)
    found: dict[str, Values] = {}
    for record in (*study.records("answer", "failed"), *study.records("answer", "over_budget")):
        one = known.get(str(record.spec["variant"]), {}).get(
            asked_of(record.spec, asked.get(str(record.spec["query_id"])))
        )
        if one is not None and not record.transient:
            found[record.key] = next((row for row in one.unpaid if 0.0 in row.values()), {})
    return found


def corpus(judged: Judged, answers: Sequence[Answer]) -> Mapping[str, Statistic]:
    """Return one system's figures, over all trials of each question."""
    names = {name for answer in answers for name in per_report(judged, answer)}
    known = trials_of(judged)
    paid = {
        asked: [*one.paid.values(), *filter(None, one.unpaid)]
        for variant in {answer.variant for answer in answers}
        for asked, one in known[variant].items()
    }
    return {one.name: mean_paid(paid, one.name) for one in METRICS if one.name in names}


def mean_paid(paid: Mapping[AskedQuestion, Sequence[Values]], name: str) -> Statistic:
    """Return the mean of a figure over all trials of each question, failed ones included."""
    return mean({asked: [row.get(name) for row in rows] for asked, rows in paid.items()}, ends=SHARE)
