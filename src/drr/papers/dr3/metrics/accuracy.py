"""The factual accuracy of DR3-Eval, summed from the verdicts on citations."""

from __future__ import annotations

from drr.eval.metrics.base import CitedSums, sum_metric
from drr.papers.dr3.sums import report_values

_FIGURES = (
    (
        "dr3_fa", "DR3 FA",
        "DR3-Eval's factual accuracy by its text: wholly supported pairs of claim and address; an unread source supports nothing.",
        "100 x wholly supported (claim, address) pairs / pairs, unreadable 0, mean over queries",
    ),
    ("dr3_fa_lenient", "DR3 FA lenient", "As DR3 FA, support in part counting as support.", "as dr3_fa, support in part counts"),
    (
        "dr3_fa_claims", "DR3 FA claims",
        "DR3-Eval's factual accuracy by its code: cited claims that every one of their addresses supports at least in part.",
        "100 x claims that all of their addresses support at least in part / cited claims, unreadable 0, mean over queries",
    ),
)  # fmt: skip
METRICS = tuple(
    sum_metric(name, label, explanation, (0.0, 100.0), digits=1) for name, label, explanation, _ in _FIGURES
)
SUMS = CitedSums({name: method for name, _, _, method in _FIGURES}, report_values)
per_report, corpus = SUMS.per_report, SUMS.corpus
