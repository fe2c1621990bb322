"""Sums over the verdicts on a report's citations: one judging, and each benchmark's own rule for what is unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Metric, Values, over_queries
from drr.eval.stats.citations import CitationVerdict
from drr.eval.stats.intervals import Ends, V
from drr.eval.tasks.judged import Judged

TABLE = "papers"
"""Where all of them stand beside each other."""


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
    """What a family of such metrics is made of."""

    methods: Mapping[str, str]
    """By metric, how it is made."""
    values: Callable[[Mapping[str, bool], Sequence[CitationVerdict]], Mapping[str, float | None]]
    """Of one report: of its claims whether each cites an address, and the verdicts on all citations."""
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
        held = judged.held(answer)
        if held is None:
            return {}
        claims = None if held.claims is None else {claim["id"]: bool(claim["urls"]) for claim in held.claims}
        return self.of(claims, judged.citations.get(answer.key), waits=judged.citations_wait)

    def corpus(self, judged: Judged, answers: Sequence[Answer]) -> Mapping[str, V]:
        if not any(answer.key in judged.citations for answer in answers):
            return {}
        return over_queries(answers, lambda answer: self.per_report(judged, answer), self.methods)
