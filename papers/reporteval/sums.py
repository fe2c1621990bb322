"""ReportEval's figures of one report: five grades, repetition between passages, support of its claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import NamedTuple

from drr.env.json_object import JsonObject
from drr.eval.stats.aggregate import Means, OfFour, ProtocolSums, RawRow, Support
from drr.eval.stats.citations import CitationVerdict
from drr.eval.stats.faithfulness import SCORE, Status
from drr.eval.stats.intervals import SHARE

REPEATED = 2
"""A pair that scores so or less says a point twice."""


class ReportEvalRaw(NamedTuple):
    quality: Mapping[str, float | None] | None = None
    """Grades, 0-4."""
    pairs: Sequence[float | None] | None = None
    """Scores of pairs of passages, 0-4; 4: nothing is repeated."""
    support: Sequence[float | None] | None = None
    """Scores of pairs of source and sentence, -1 to 1."""


class ReportEvalFigures(NamedTuple):
    quality: Mapping[str, float | None] | None
    non_redundancy: float | None
    """The mean of the pairs: more is better."""
    worst_pair: float | None
    """Lowest score, since the mean hides one doubled passage among many."""
    average_support: float | None
    strong_support: float | None


def report_eval(raw: ReportEvalRaw) -> ReportEvalFigures:
    pairs = [score for score in raw.pairs or () if score is not None]
    support = support_of(raw.support or ())
    return ReportEvalFigures(
        raw.quality,
        fsum(pairs) / len(pairs) if pairs else None,
        min(pairs, default=None),
        support.average,
        support.strong,
    )


def repeated_share(pairs: Iterable[float | None]) -> float | None:
    """The share of pairs that say a point twice, which the mean over many hides."""
    known = [score for score in pairs if score is not None]
    return sum(score <= REPEATED for score in known) / len(known) if known else None


def estimated_mean(pairs: Iterable[tuple[float | None, float]]) -> float | None:
    """The mean over all pairs from some: (score, for how many pairs it stands)."""
    known = [(score, many) for score, many in pairs if score is not None]
    whole = fsum(many for _, many in known)
    return fsum(score * many for score, many in known) / whole if whole else None


class SupportScore(NamedTuple):
    """ReportEval's two figures: -1..1, and the share of full support."""

    average: float | None
    strong: float | None


def support_score(statuses: Iterable[Status | None]) -> SupportScore:
    """Score what could be read."""
    return support_of(2 * SCORE[s] - 1 if s is not None and s in SCORE else None for s in statuses)


def support_of(scores: Iterable[float | None]) -> SupportScore:
    """Score by ReportEval's own values: 1 supported, 0 in part, -1 not."""
    known = [score for score in scores if score is not None]
    if not known:
        return SupportScore(None, None)
    return SupportScore(fsum(known) / len(known), known.count(1) / len(known))


def report_values(
    claims: Mapping[str, bool], citations: Sequence[CitationVerdict]
) -> dict[str, float | None]:
    """Support of one report."""
    scored = support_score(one.status for one in citations)
    return {"re_support": scored.average, "re_strong": scored.strong}


FOUR = (0.0, 4.0)
FIGURES = {
    "non_redundancy": FOUR,
    "worst_pair": FOUR,
    "average_support": (-1.0, 1.0),
    "strong_support": SHARE,
}


class ReportEvalInput(RawRow):
    """Whatever is absent is unknown."""

    quality: dict[str, OfFour | None] | None = None
    pairs: list[OfFour | None] | None = None
    support: list[Support | None] | None = None


class ReportEvalSums(ProtocolSums[ReportEvalInput]):
    form = ReportEvalInput

    def __init__(self) -> None:
        self._figures = Means(FIGURES)
        self._quality = Means({})

    def add(self, row: ReportEvalInput) -> JsonObject:
        found = report_eval(ReportEvalRaw(row.quality, row.pairs, row.support))
        grades = found.quality or {}
        lists = (list(grades.values()), row.pairs or [], row.support or [])
        self.n_unscored += sum(scores.count(None) for scores in lists)
        self._figures.add({name: getattr(found, name) for name in FIGURES}, row.task)
        self._quality.learn(grades, FOUR)
        self._quality.add(grades, row.task)
        return {**found._asdict()}

    def values(self) -> JsonObject:
        return {"quality": self._quality.values(), **self._figures.values()}

    def intervals(self) -> JsonObject:
        return {"quality": self._quality.intervals(), **self._figures.intervals()}

    def counted(self) -> dict[str, int]:
        return {
            **{f"quality.{name}": n for name, n in self._quality.counted().items()},
            **self._figures.counted(),
        }
