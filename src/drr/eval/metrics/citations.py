"""Metrics of single citations: the share of cited addresses that support their claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from drr.eval.asking.rules import UNASKED
from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Metric, Values, over_queries
from drr.eval.stats.citations import METHODS, report_values, why_unknown
from drr.eval.stats.intervals import SHARE, Statistic
from drr.eval.tasks.judgements import Judged

TITLES = {"citations": "Citations one by one"}
_PRECISION = ("fp_citation", "fp_citation_strict")
METRICS = (
    Metric(
        "fp_citation",
        "faithfulness by citation",
        "Citation precision: the share of citations that support their claim at least in part, alone or as a needed part of a set; unread sources are left out, made-up ones support nothing.",
        "citations",
        range=SHARE,
        better="higher",
    ),
    Metric(
        "fp_citation_strict",
        "faithfulness by citation, strict",
        "As faithfulness by citation, which counts a citation whose source could not be read as one that supports nothing.",
        "citations",
        range=SHARE,
        better="higher",
        detail=True,
    ),
    Metric(
        "n_citations",
        "N citations",
        "Citations of the report: each address of each claim, or of the group of claims it stands under.",
        "citations",
        unit="citations",
        least=0,
        detail=True,
    ),
    Metric(
        "citations_unread",
        "unread",
        "The share of citations whose source could not be read, those that nobody kept included, but not made-up ones.",
        "citations",
        range=SHARE,
        better="lower",
        detail=True,
    ),
)


def per_report(judged: Judged, answer: Answer) -> Values:
    if answer.key not in judged.citations:
        return {}
    values = report_values(judged.citations[answer.key])
    return values | dict.fromkeys(_PRECISION) if judged.citations_wait else values


def corpus(judged: Judged, answers: Sequence[Answer]) -> Mapping[str, Statistic]:
    if not any(answer.key in judged.citations for answer in answers):
        return {}
    found = over_queries(answers, lambda answer: per_report(judged, answer), METHODS)
    cited = [one for answer in answers for one in judged.citations.get(answer.key) or ()]
    return {
        name: replace(v, reason=UNASKED if judged.is_code else why_unknown(cited))
        if v.value is None and name in _PRECISION
        else v
        for name, v in found.items()
    }
