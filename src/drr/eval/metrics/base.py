"""The description of a metric, which every table, page, command and list of metrics reads.

A family of metrics is a module with `METRICS`, `per_report` and `corpus`, named in one line of `FAMILIES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal, Protocol

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.rows import MetricRow
from drr.eval.stats.citations import CitationVerdict
from drr.eval.stats.intervals import Ends, Statistic, mean
from drr.eval.stats.question import AskedQuestion
from drr.eval.tasks.judgements import Judged

Better = Literal["higher", "lower"]
Values = Mapping[str, float | None]
"""Values by metric. A metric that was not judged is absent; a metric that failed or is undefined is `None`."""


@dataclass(frozen=True, slots=True)
class Metric:
    name: str
    """Name in documents and on the command line. In an additional family every name begins with the family's prefix."""
    label: str
    explanation: str
    """Explanation in one plain sentence."""
    table: str | None
    """Key of the report's table with this metric; `None` where only documents, `compare` and pages show the metric."""
    unit: str = ""
    range: Ends | None = None
    least: float | None = None
    """Lower bound where there is no range, such as 0 for a count. `None` where any number is possible."""
    better: Better | None = None
    """The better direction; `None` where neither more nor less is better."""
    digits: int = 2
    judged: bool = True
    """True if a judge affects the value. A metric counted by code alone is the same for every judge."""
    only_with: str = ""
    """Prefix of a family. Tables for people show the metric only where that family was judged; documents always have it."""
    across_trials: bool = False
    """True if the value belongs to a question, from all its trials. All its answers then have the same value, and repetition adds no noise."""
    detail: bool = False
    """True if the metric is left out where there is room for few, as in the viewer's index."""
    method: str = "mean over queries"
    """Computation of the mean over queries in words, for documents."""

    @property
    def ends(self) -> Ends | None:
        """Return the bounds that an interval must keep."""
        return self.range if self.range or self.least is None else (self.least, inf)

    @property
    def scale(self) -> str:
        """Return the range and the unit as text: `0-1`, `tokens`."""
        if self.range is None:
            return self.unit
        joined = (" to " if self.range[0] < 0 else "-").join(f"{end:g}" for end in self.range)
        return joined + (f" {self.unit}" if self.unit else "")

    def document(self) -> MetricRow:
        return {
            "label": self.label,
            "explanation": self.explanation,
            "table": self.table,
            "unit": self.unit,
            "range": list(self.range) if self.range else None,
            "least": self.least,
            "better": self.better,
            "digits": self.digits,
        }

    def shown(self, value: float, *, alone: bool = False) -> str:
        """Return the value as text; with `alone`, a value of one answer, a whole count or grade has no decimals."""
        is_share = self.range is not None and self.range[1] <= 1
        return f"{value:,.{0 if alone and not is_share and value == int(value) else self.digits}f}"


class Family(Protocol):
    """A module that defines a family of metrics. Optional: `TITLES`, the heading above each of its tables, by key of the table.

    A family whose figures are no plain means over queries has `corpus(judged, answers)`, which returns those of one variant by metric.
    A family whose figures change with failed trials has `unanswered(judged, variant)`, pairs of question and figures for each.
    A family whose metrics depend on what is registered elsewhere has `metrics()` in place of `METRICS`.
    """

    @property
    def METRICS(self) -> tuple[Metric, ...]: ...

    def per_report(self, judged: Judged, answer: Answer) -> Values:
        """Return the values of one report, by metric; they can be paired by query."""


def over_queries(
    answers: Iterable[Answer], values: Callable[[Answer], Values], methods: Mapping[str, str]
) -> dict[str, Statistic]:
    """Return each metric's mean over queries. `methods` maps a metric to the description of how it is computed."""
    grouped: dict[str, dict[AskedQuestion, list[float | None]]] = {name: {} for name in methods}
    for answer in answers:
        found = values(answer)
        for name, by_query in grouped.items():
            # A report without the value stays, as unscored: a mean must not hide whom it leaves out.
            by_query.setdefault(answer.asked, []).append(found.get(name))
    return {name: mean(grouped[name], method) for name, method in methods.items()}


TABLE = "papers"
"""Key of the table that shows the figures of all papers side by side."""


def sum_metric(name: str, label: str, explanation: str, ends: Ends, *, digits: int = 2) -> Metric:
    """Declare a metric of the table of papers, shown where its family's task was judged."""
    return Metric(
        name,
        label,
        explanation,
        TABLE,
        range=ends,
        better="higher",
        digits=digits,
        only_with=name.partition("_")[0],
        detail=True,
    )


@dataclass(frozen=True)
class CitedSums:
    """The declaration of a family whose metrics are sums over citation verdicts."""

    methods: Mapping[str, str]
    """Description of how each metric is computed, by metric."""
    values: Callable[[Mapping[str, bool], Sequence[CitationVerdict]], Mapping[str, float | None]]
    """Function that computes one report's metrics from whether each claim cites an address, and from all citation verdicts."""
    without_verdicts: frozenset[str] = frozenset()
    """Metrics that are known while verdicts are still missing."""

    def of(
        self,
        claims: Mapping[str, bool] | None,
        citations: Sequence[CitationVerdict] | None,
        *,
        waits: bool = False,
    ) -> dict[str, float | None]:
        """Compute every metric of one report. `claims` maps each claim to whether it cites an address; `None` where extraction failed."""
        if claims is None or citations is None:
            return dict.fromkeys(self.methods)
        values = self.values(claims, citations)
        # A share of the verdicts so far would be another figure.
        if waits or any(one.status is None for one in citations):
            return {name: v if name in self.without_verdicts else None for name, v in values.items()}
        return dict(values)

    def per_report(self, judged: Judged, answer: Answer) -> Values:
        answer_claims = judged.checked_claims(answer)
        if answer_claims is None:
            return {}
        claims = (
            None
            if answer_claims.claims is None
            else {claim["id"]: bool(claim["urls"]) for claim in answer_claims.claims}
        )
        return self.of(claims, judged.citations.get(answer.key), waits=judged.citations_wait)

    def corpus(self, judged: Judged, answers: Sequence[Answer]) -> Mapping[str, Statistic]:
        if not any(answer.key in judged.citations for answer in answers):
            return {}
        return over_queries(answers, lambda answer: self.per_report(judged, answer), self.methods)
