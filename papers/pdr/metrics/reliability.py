"""PDR-Bench's reliability, summed from the verdicts on citations."""

from __future__ import annotations

from drr.eval.metrics.base import CitedSums, sum_metric
from drr.papers.pdr.sums import report_values

TEN = (0.0, 10.0)
METRICS = (
    sum_metric(
        "pqr_fa",
        "PDR FA",
        "PDR-Bench's factual accuracy: cited claims that some address wholly supports; an unread source supports nothing.",
        TEN,
    ),
    sum_metric("pqr_fa_lenient", "PDR FA lenient", "As PDR FA, support in part counting as support.", TEN),
    sum_metric(
        "pqr_cc",
        "PDR CC",
        "PDR-Bench's citation coverage: the share of all claims that cite an address.",
        TEN,
    ),
    sum_metric("pqr_r", "PDR R", "PDR-Bench's reliability: the mean of PDR FA and PDR CC.", TEN),
    sum_metric(
        "pqr_r_printed",
        "PDR R as printed",
        "As PDR R, support in part counting, and 0 for verdicts that are missing and for reports without citations.",
        TEN,
    ),
)
METHODS = {
    "pqr_fa": "10 x claims that an address wholly supports / cited claims, unreadable 0, mean over queries",
    "pqr_fa_lenient": "as pqr_fa, support in part counts",
    "pqr_cc": "10 x cited claims / claims, mean over queries",
    "pqr_r": "(pqr_fa + pqr_cc) / 2, mean over queries",
    "pqr_r_printed": "as printed: support in part counts, missing verdicts and reports without citations 0, mean over queries",
}
SUMS = CitedSums(METHODS, report_values, frozenset({"pqr_cc"}))
per_report, corpus = SUMS.per_report, SUMS.corpus
