"""The reliability of PDR-Bench, summed from the verdicts on citations."""

from __future__ import annotations

from drr.eval.metrics.base import CitedSums, sum_metric
from drr.papers.pdr.sums import report_values

_FIGURES = (
    ("pqr_fa", "PDR FA", "10 x claims that an address wholly supports / cited claims, unreadable 0, mean over queries",
     "PDR-Bench's factual accuracy: cited claims that some address wholly supports; an unread source supports nothing."),
    ("pqr_fa_lenient", "PDR FA lenient", "as pqr_fa, support in part counts", "As PDR FA, support in part counting as support."),
    ("pqr_cc", "PDR CC", "10 x cited claims / claims, mean over queries",
     "PDR-Bench's citation coverage: the share of all claims that cite an address."),
    ("pqr_r", "PDR R", "(pqr_fa + pqr_cc) / 2, mean over queries", "PDR-Bench's reliability: the mean of PDR FA and PDR CC."),
    ("pqr_r_printed", "PDR R as printed",
     "as printed: support in part counts, missing verdicts and reports without citations 0, mean over queries",
     "As PDR R, support in part counting, and 0 for verdicts that are missing and for reports without citations."),
)  # fmt: skip
METRICS = tuple(sum_metric(name, label, text, (0.0, 10.0)) for name, label, _, text in _FIGURES)
SUMS = CitedSums({name: how for name, _, how, _ in _FIGURES}, report_values, frozenset({"pqr_cc"}))
per_report, corpus = SUMS.per_report, SUMS.corpus
