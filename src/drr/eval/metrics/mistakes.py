"""Metrics of a report's mistakes about the shop and the shopper, from a judge who weighed each charge again."""

from __future__ import annotations

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Metric, Values
from drr.eval.stats.intervals import SHARE
from drr.eval.tasks.judgements import Judged, MistakesResult, mistakes_of

TITLES = {"mistakes": "Statements that the shop's records contradict"}
METRICS = (
    Metric(
        "mistakes",
        "mistakes",
        "Places of a report that the shop's records, the question or its own arithmetic contradict, in the judge's second reading.",
        "mistakes",
        unit="a report",
        least=0,
        better="lower",
        method="mistakes per report, mean over queries",
    ),
    Metric(
        "mistake_free",
        "mistake-free",
        "Share of the reports in which no mistake was found.",
        "mistakes",
        range=SHARE,
        better="higher",
        method="share of reports without a mistake, over queries",
    ),
    Metric(
        "mistaken_statements",
        "per statement",
        "Mistakes for each statement (sentence, list item, table row, heading) of the report.",
        "mistakes",
        unit="per statement",
        least=0,
        better="lower",
        digits=3,
        detail=True,
        method="mistakes / statements per report, mean over queries",
    ),
)


def is_unsettled(found: MistakesResult) -> bool:
    """Tell whether more may be wrong than was found."""
    return bool(found["unread"] or found["unweighed"] or found["unshown"] or found.get("open"))


def per_report(judged: Judged, answer: Answer) -> Values:
    """Return the metrics of one report. They are unknown where a statement or charge has no verdict or stays open, or a product was not shown."""
    found = mistakes_of(judged, answer.key)
    if found is None:
        return {}
    if is_unsettled(found):
        return {one.name: None for one in METRICS}
    n, statements = len(found["mistakes"]), found["statements"]
    return {
        "mistakes": float(n),
        "mistake_free": float(not n),
        "mistaken_statements": n / statements if statements else None,
    }
