"""Computes paired differences of systems on the lead metrics, one for each kind of judging."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from drr.env.plugins import papers
from drr.eval.metrics import metric as metric_of
from drr.eval.metrics.base import Metric
from drr.eval.metrics.faithfulness import ABSENT_MOST
from drr.eval.stats.differences import DifferenceRow, is_settled, paired, with_holm
from drr.eval.stats.intervals import mean
from drr.eval.stats.question import AskedQuestion

ByQuery = Mapping[AskedQuestion, Sequence[float | None]]
"""Values of a system's trials, by query; `None` is an unscored trial."""
PerReport = Callable[[str], Mapping[str, ByQuery]]
"""Function that returns a metric's values by system."""
DIFFERENCES = "differences"
"""Name of the table of paired differences on the lead metrics."""
EVERY_PAIR = 5
"""Most systems for which every pair is compared; with more systems, each is compared with the best only."""


def lead_metrics() -> list[str]:
    """Return the names of the lead metrics, one for each kind of judging, in the tables' order."""
    of_papers = [paper.figures.headline for paper in papers() if paper.figures.headline]
    return ["solved", "logged_score", "fp", "overall", "mistakes", *of_papers, "kp_vital_strict"]


def graded_metrics() -> list[str]:
    """Return the lead metrics with graded ones in place of `solved`, which parts systems with fewer questions."""
    return ["points", "reward", *lead_metrics()[1:]]


def headline_tables() -> set[str]:
    """Return the names of the tables whose figures lead to answers: those the report leads with, mistakes and rules."""
    leads = {*lead_metrics(), *graded_metrics()}
    return {DIFFERENCES, "effort", "rules", *(metric_of(name).table or "" for name in leads)}


def without_absence(names: Iterable[str], absent: Iterable[float | None]) -> list[str]:
    """Return those of the metrics that may lead systems of which these shares of faithfulness rest on absence."""
    too_much = any(share is not None and share > ABSENT_MOST for share in absent)
    return [name for name in names if name != "fp" or not too_much]


@dataclass(frozen=True)
class Contrast:
    a: str
    b: str
    metric: Metric
    row: DifferenceRow

    @property
    def name(self) -> str:
        return f"{self.a} minus {self.b}"

    @property
    def is_settled(self) -> bool:
        return is_settled(self.row)

    @property
    def is_ahead(self) -> bool:
        """Return whether the first system is shown to be better than the second."""
        sign = -1 if self.metric.better == "lower" else 1
        return self.is_settled and sign * (self.row["value"] or 0.0) > 0


def contrasts(per_report: PerReport) -> list[Contrast]:
    """Return the paired differences of systems on each lead metric. The better system of a pair, by the first known metric, comes first."""
    leads = without_absence(lead_metrics(), means_of(per_report, "fp_absent").values())
    means = {name: means_of(per_report, name) for name in leads}
    shown = [metric_of(name) for name, own in means.items() if sum(v is not None for v in own.values()) > 1]
    if not shown:
        return []
    pairs = pairs_among(order_by_mean(shown[0], means[shown[0].name]))
    return compare_pairs(per_report, ((a, b, metric) for metric in shown for a, b in pairs))


def compare_pairs(per_report: PerReport, wanted: Iterable[tuple[str, str, Metric]]) -> list[Contrast]:
    """Return the paired differences of these pairs on these metrics, with Holm's correction over all of them. Without it a system could lead by luck."""
    tested = {}
    for a, b, metric in wanted:
        values = per_report(metric.name)
        tested[a, b, metric] = paired(values[a], values[b], metric.range)
    return [Contrast(*where, one.document()) for where, one in with_holm(tested).items()]


def means_of(per_report: PerReport, metric: str) -> dict[str, float | None]:
    return {system: mean(own).value for system, own in per_report(metric).items()}


def order_by_mean(metric: Metric | None, means: Mapping[str, float | None]) -> list[str]:
    """Return the systems ordered by mean, best first and unknown last."""
    sign = 1 if metric is not None and metric.better == "lower" else -1
    return sorted(means, key=lambda system: (means[system] is None, sign * (means[system] or 0.0), system))


def pairs_among(systems: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs that are tested: every one of few systems, else those with the first."""
    if len(systems) > EVERY_PAIR:
        return [(systems[0], other) for other in systems[1:]]
    return list(combinations(systems, 2))
