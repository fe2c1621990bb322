"""Computes ReportEval's figures of one report: five grades, repetition between passages, and support of claims."""

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
"""Highest score at which a pair of passages says a point twice."""
Scores = Iterable[float | None]
"""Scores of pairs or claims; `None` is a missing score."""


class PairFigures(NamedTuple):
    """The figures of pairs of passages, 0-4; 4: nothing is repeated."""

    mean: float | None
    """Mean score; higher is better."""
    worst: float | None
    """Lowest score, since the mean hides one doubled passage among many."""
    repeated: float | None
    """Share of pairs that say a point twice."""


def pair_figures(scores: Scores) -> PairFigures:
    known = [float(score) for score in scores if score is not None]
    if not known:
        return PairFigures(None, None, None)
    twice = sum(score <= REPEATED for score in known)
    return PairFigures(fsum(known) / len(known), min(known), twice / len(known))


def estimated_mean(pairs: Iterable[tuple[float | None, float]]) -> float | None:
    """Estimate the mean over all pairs from some, given as score and number of pairs represented."""
    known = [(score, many) for score, many in pairs if score is not None]
    whole = fsum(many for _, many in known)
    return fsum(score * many for score, many in known) / whole if whole else None


class SupportScore(NamedTuple):
    """The support of claims: average from -1 to 1, and the share of full support."""

    average: float | None
    strong: float | None


def support_score(statuses: Iterable[Status | None]) -> SupportScore:
    """Return the support from verdicts; unreadable sources are left out."""
    return support_of(2 * SCORE[s] - 1 if s is not None and s in SCORE else None for s in statuses)


def support_of(scores: Scores) -> SupportScore:
    """Return the support from ReportEval's own values: 1 supported, 0 in part, -1 not."""
    known = [score for score in scores if score is not None]
    if not known:
        return SupportScore(None, None)
    return SupportScore(fsum(known) / len(known), known.count(1) / len(known))


def report_values(
    claims: Mapping[str, bool], citations: Sequence[CitationVerdict]
) -> dict[str, float | None]:
    """Return the support figures of one report."""
    scored = support_score(one.status for one in citations)
    return {"re_support": scored.average, "re_strong": scored.strong}


FOUR = (0.0, 4.0)
FIGURES = {
    "non_redundancy": FOUR, "worst_pair": FOUR, "average_support": (-1.0, 1.0), "strong_support": SHARE,
}  # fmt: skip


class ReportEvalInput(RawRow):
    """The raw scores of one report. An absent field is unknown."""

    quality: dict[str, OfFour | None] | None = None
    pairs: list[OfFour | None] | None = None
    support: list[Support | None] | None = None


class ReportEvalSums(ProtocolSums[ReportEvalInput]):
    form = ReportEvalInput

    def __init__(self) -> None:
        self._figures, self._quality = Means(FIGURES), Means({})

    def add(self, row: ReportEvalInput) -> JsonObject:
        grades, pairs, support = row.quality or {}, row.pairs or [], row.support or []
        values = (*pair_figures(pairs)[:2], *support_of(support))
        figures = dict(zip(FIGURES, values, strict=True))
        self.n_unscored += sum(scores.count(None) for scores in ([*grades.values()], pairs, support))
        self._figures.add(figures, row.task)
        self._quality.learn(grades, FOUR)
        self._quality.add(grades, row.task)
        return {"quality": row.quality, **figures}

    def values(self) -> JsonObject:
        return {"quality": self._quality.values(), **self._figures.values()}

    def intervals(self) -> JsonObject:
        return {"quality": self._quality.intervals(), **self._figures.intervals()}

    def counted(self) -> dict[str, int]:
        grades = {f"quality.{name}": n for name, n in self._quality.counted().items()}
        return {**grades, **self._figures.counted()}
