"""The description of a metric: every table, page, command and list of metrics reads it from here.

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
from drr.eval.stats.intervals import Ends, V, mean
from drr.eval.stats.question import AskedQuestion
from drr.eval.tasks.judgements import Judged

Better = Literal["higher", "lower"]
Values = Mapping[str, float | None]
"""Values by metric. A metric that was not judged is left out, one that failed or is undefined is `None`."""


@dataclass(frozen=True, slots=True)
class Metric:
    name: str
    """Name in documents and on the command line. Every metric of a further family begins with the family's prefix."""
    label: str
    explanation: str
    """One plain sentence."""
    table: str | None
    """Key of the report's table that shows it; `None` for one that only documents, `compare` and the pages show."""
    unit: str = ""
    range: Ends | None = None
    least: float | None = None
    """Lower bound where there is no range (0 of a count). `None`: any number, as of a difference."""
    better: Better | None = None
    """`None`: more of it is neither better nor worse."""
    digits: int = 2
    judged: bool = True
    """A judge has a say in it. What only code counts is the same for every judge."""
    only_with: str = ""
    """The family, by its prefix, without which nobody asked for it: documents have it, tables for people only beside that."""
    across_trials: bool = False
    """The figure is of a question, from all its trials: each answer has the same, and repetition is no noise of it."""
    detail: bool = False
    """Left out where there is room for a few: the noise floor, the index of the viewer."""

    @property
    def ends(self) -> Ends | None:
        """The ends that an interval keeps to."""
        return self.range if self.range or self.least is None else (self.least, inf)

    @property
    def scale(self) -> str:
        """`0-1`, `tokens`: the range, else the unit."""
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

    def shown(self, value: float) -> str:
        return f"{value:,.{self.digits}f}"


class Family(Protocol):
    """A module of this package. It may also have `TITLES`, by key of a table: what stands over it.

    One whose figures a failed trial changes has `unanswered(judged, variant)`: those of questions without an answer.
    A family whose metrics follow from what is registered elsewhere has `metrics()` in the place of `METRICS`.
    """

    METRICS: tuple[Metric, ...]

    def per_report(self, judged: Judged, answer: Answer) -> Values:
        """The values that can be paired by query."""

    def corpus(self, judged: Judged, answers: Sequence[Answer]) -> Mapping[str, V]:
        """The metrics of one variant."""


def over_queries(
    answers: Iterable[Answer], values: Callable[[Answer], Values], methods: Mapping[str, str]
) -> dict[str, V]:
    """The mean over queries of each metric in `methods`, which says how it is made."""
    grouped: dict[str, dict[AskedQuestion, list[float | None]]] = {name: {} for name in methods}
    for answer in answers:
        found = values(answer)
        for name, by_query in grouped.items():
            by_query.setdefault(answer.asked, []).append(found.get(name))
    return {name: mean(grouped[name], method) for name, method in methods.items()}


TABLE = "papers"
"""Table in which all of them stand beside each other."""


def sum_metric(name: str, label: str, explanation: str, ends: Ends, *, digits: int = 2) -> Metric:
    """A metric of such a family, shown where the family's kind of judging was asked for."""
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
    """The declaration of a family of such metrics."""

    methods: Mapping[str, str]
    """Method of each metric, by metric."""
    values: Callable[[Mapping[str, bool], Sequence[CitationVerdict]], Mapping[str, float | None]]
    """Function for one report: of its claims whether each cites an address, and the verdicts on all citations."""
    without_verdicts: frozenset[str] = frozenset()
    """Metrics that are known while verdicts are still missing."""

    def of(
        self,
        claims: Mapping[str, bool] | None,
        citations: Sequence[CitationVerdict] | None,
        *,
        waits: bool = False,
    ) -> dict[str, float | None]:
        """Every figure of one report. `claims` says of each whether it cites an address; `None` where they could not be extracted."""
        if claims is None or citations is None:
            return dict.fromkeys(self.methods)
        values = self.values(claims, citations)
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

    def corpus(self, judged: Judged, answers: Sequence[Answer]) -> Mapping[str, V]:
        if not any(answer.key in judged.citations for answer in answers):
            return {}
        return over_queries(answers, lambda answer: self.per_report(judged, answer), self.methods)
