"""ReportEval's figures of one report: five grades, repetition between passages, support of its claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import NamedTuple

from drr.eval.stats.citations import CitationVerdict
from drr.eval.stats.faithfulness import SCORE, Status

REPEATED = 2
"""A pair that scores so or less says a point twice."""


class ReportEvalRaw(NamedTuple):
    quality: Mapping[str, float | None] | None = None
    """Grades, 0-4."""
    pairs: Sequence[float | None] | None = None
    """Of each pair of passages, 0-4; 4 says that nothing is repeated."""
    support: Sequence[float | None] | None = None
    """Of each pair of source and sentence, -1 to 1."""


class ReportEvalFigures(NamedTuple):
    quality: Mapping[str, float | None] | None
    non_redundancy: float | None
    """The mean of the pairs: more is better."""
    worst_pair: float | None
    """What one doubled passage among many does to the mean nobody sees there."""
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
