"""The support of claims by ReportEval, summed from the verdicts on citations."""

from __future__ import annotations

from drr.eval.metrics.base import CitedSums, sum_metric
from drr.eval.stats.intervals import SHARE
from drr.papers.reporteval.sums import report_values

_SUPPORT = (
    "ReportEval's average support of claim and address: 1 full, 0 in part, -1 none; unread sources left out."
)
_STRONG = "ReportEval's share of full support; unread sources left out."
METRICS = (
    sum_metric("re_support", "RE support", _SUPPORT, (-1.0, 1.0)),
    sum_metric("re_strong", "RE strong", _STRONG, SHARE),
)
METHODS = {
    "re_support": "2 x mean support of (claim, address) pairs - 1, unreadable left out, mean over queries",
    "re_strong": "wholly supported pairs / pairs, unreadable left out, mean over queries",
}
SUMS = CitedSums(METHODS, report_values)
per_report, corpus = SUMS.per_report, SUMS.corpus
