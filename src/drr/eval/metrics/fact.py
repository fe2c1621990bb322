"""Metrics of DeepResearch Bench's FACT, computed from the verdicts on citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import TABLE, CitedSums, Metric, sum_metric
from drr.eval.stats.citations import IN_PART, CitationVerdict, address_verdict, fact_counts
from drr.eval.stats.intervals import SHARE, Statistic, pooled_ratio
from drr.eval.tasks.judgements import Judged

TITLES = {TABLE: "The same verdicts as other papers sum them"}
METRICS = (
    sum_metric(
        "fact_accuracy",
        "FACT accuracy",
        "DeepResearch Bench's citation accuracy, report by report: supported citations of those that could be read.",
        SHARE,
    ),
    sum_metric(
        "fact_rate",
        "FACT pooled",
        "As FACT accuracy, over the citations of all reports in one pool, as its code has it.",
        SHARE,
    ),
    Metric(
        "fact_effective",
        "FACT effective",
        "DeepResearch Bench's effective citations: supported ones of a report that has a source which could be read.",
        TABLE,
        unit="citations",
        least=0,
        better="higher",
        digits=1,
        only_with="fact",
        detail=True,
    ),
)
METHODS = {
    "fact_accuracy": "supported citations / supported and unsupported ones, mean over queries with any",
    "fact_effective": "supported citations per report with a source that could be read, mean over queries",
}


def report_values(
    claims: Mapping[str, bool], citations: Sequence[CitationVerdict]
) -> dict[str, float | None]:
    """Return every metric of one report."""
    counts = fact_counts(address_verdict(one.status, IN_PART) for one in citations)
    return {"fact_accuracy": counts.rate, "fact_effective": counts.supported}


SUMS = CitedSums(METHODS, report_values)
per_report = SUMS.per_report


def corpus(judged: Judged, answers: Sequence[Answer]) -> Mapping[str, Statistic]:
    values = SUMS.corpus(judged, answers)
    return {**values, "fact_rate": _pooled_accuracy(judged, answers)} if values else {}


def _pooled_accuracy(judged: Judged, answers: Sequence[Answer]) -> Statistic:
    rows = []
    for answer in answers:
        known = per_report(judged, answer).get("fact_accuracy") is not None
        cited = judged.citations.get(answer.key) or () if known else ()
        counts = fact_counts(address_verdict(one.status, IN_PART) for one in cited)
        if counts.supported is not None and counts.judged is not None:
            rows.append((answer.asked, counts.supported, counts.judged))
    method = "supported citations / supported and unsupported ones, pooled over all reports"
    return pooled_ratio(rows, method, n=len(rows), n_unscored=len(answers) - len(rows))
