"""What other papers make of the same verdicts, beside ours: one judging, each paper's own sum and its own rule for what is unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Metric, Values, over_queries
from drr.eval.stats.intervals import SHARE, Ends, V, pooled
from drr.eval.stats.papers import IN_PART, METHODS, fact, found, report_values
from drr.eval.tasks.judged import Judged

TITLES = {"papers": "The same verdicts as other papers sum them"}


def _metric(name: str, label: str, told: str, ends: Ends, *, digits: int = 2) -> Metric:
    return Metric(
        name,
        label,
        told,
        "papers",
        range=ends,
        better="higher",
        digits=digits,
        only_with=name.partition("_")[0],
        detail=True,
    )


TEN, HUNDRED = (0.0, 10.0), (0.0, 100.0)
METRICS = (
    _metric(
        "pqr_fa",
        "PDR FA",
        "PDR-Bench's factual accuracy: cited claims that some address wholly supports; an unread source supports nothing.",
        TEN,
    ),
    _metric("pqr_fa_lenient", "PDR FA lenient", "As PDR FA, support in part counting as support.", TEN),
    _metric(
        "pqr_cc",
        "PDR CC",
        "PDR-Bench's citation coverage: the share of all claims that cite an address.",
        TEN,
    ),
    _metric("pqr_r", "PDR R", "PDR-Bench's reliability: the mean of PDR FA and PDR CC.", TEN),
    _metric(
        "pqr_r_printed",
        "PDR R as printed",
        "As PDR R, support in part counting, and 0 for verdicts that are missing and for reports without citations.",
        TEN,
    ),
    _metric(
        "fact_accuracy",
        "FACT accuracy",
        "DeepResearch Bench's citation accuracy, report by report: supported citations of those that could be read.",
        SHARE,
    ),
    _metric(
        "fact_rate",
        "FACT pooled",
        "As FACT accuracy, over the citations of all reports in one pool, as its code has it.",
        SHARE,
    ),
    Metric(
        "fact_effective",
        "FACT effective",
        "DeepResearch Bench's effective citations: supported ones of a report that has a source which could be read.",
        "papers",
        unit="citations",
        least=0,
        better="higher",
        digits=1,
        only_with="fact",
        detail=True,
    ),
    _metric(
        "dr3_fa",
        "DR3 FA",
        "DR3-Eval's factual accuracy by its text: wholly supported pairs of claim and address; an unread source supports nothing.",
        HUNDRED,
        digits=1,
    ),
    _metric(
        "dr3_fa_lenient",
        "DR3 FA lenient",
        "As DR3 FA, support in part counting as support.",
        HUNDRED,
        digits=1,
    ),
    _metric(
        "dr3_fa_claims",
        "DR3 FA claims",
        "DR3-Eval's factual accuracy by its code: cited claims that every one of their addresses supports at least in part.",
        HUNDRED,
        digits=1,
    ),
    _metric(
        "re_support",
        "RE support",
        "ReportEval's average support of claim and address: 1 full, 0 in part, -1 none; unread sources left out.",
        (-1.0, 1.0),
    ),
    _metric(
        "re_strong",
        "RE strong",
        "ReportEval's share of full support; unread sources left out.",
        SHARE,
    ),
)


def per_report(judged: Judged, answer: Answer) -> Values:
    held = judged.held(answer)
    if held is None:
        return {}
    claims = None if held.claims is None else {claim["id"]: bool(claim["urls"]) for claim in held.claims}
    values = report_values(claims, judged.citations.get(answer.key))
    return (
        {name: v if name == "pqr_cc" else None for name, v in values.items()}
        if judged.citations_wait
        else values
    )


def corpus(judged: Judged, answers: Sequence[Answer]) -> Mapping[str, V]:
    if not any(answer.key in judged.citations for answer in answers):
        return {}
    values = over_queries(answers, lambda answer: per_report(judged, answer), METHODS)
    return {**values, "fact_rate": _pooled(judged, answers)}


def _pooled(judged: Judged, answers: Sequence[Answer]) -> V:
    rows = []
    for answer in answers:
        known = per_report(judged, answer).get("fact_accuracy") is not None
        cited = judged.citations.get(answer.key) or () if known else ()
        counts = fact(found(one.status, IN_PART) for one in cited)
        if counts.supported is not None and counts.judged is not None:
            rows.append((answer.asked, counts.supported, counts.judged))
    method = "supported citations / supported and unsupported ones, pooled over all reports"
    return pooled(rows, method, n=len(rows), n_unscored=len(answers) - len(rows))
