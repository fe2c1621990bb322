"""A judge held against people criterion by criterion: PDR-Bench's PCA and MARD, DR3-Eval's PAR, ReportEval's MAD, correlations.

A row is one criterion of one question, of two reports or of one. A report's total is the mean of those of its criteria that both scored.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

from drr.eval.stats import correlation
from drr.eval.stats.intervals import V

DIGITS = 9
"""Totals that differ by less are equal: means of decimals come out a last bit apart."""


class TwoScores(NamedTuple):
    """What one side said of one criterion; `None` is no answer, or no such report."""

    a: float | None
    b: float | None


class CriterionScores(NamedTuple):
    query: str
    judge: TwoScores
    human: TwoScores


class ReportTotals(NamedTuple):
    query: str
    judge: float
    human: float


class Consistency(NamedTuple):
    pca: V
    pca_chance: float | None
    mard: V
    mad_by_report: V
    par: V
    pearson: V
    spearman: V


def consistency(rows: Sequence[CriterionScores], *, intervals: bool = True) -> Consistency:
    """Intervals are over questions."""
    totals = report_totals(rows)
    by_row = [row.query if intervals else "" for row in rows]
    by_report = [report.query if intervals else "" for report in totals]
    judge, human = [t.judge for t in totals], [t.human for t in totals]
    pca, chance = correlation.preference_agreement(
        [_difference(row.judge) for row in rows], [_difference(row.human) for row in rows], clusters=by_row
    )
    return Consistency(
        pca,
        chance,
        correlation.mean_absolute_deviation(
            [score for row in rows for score in row.judge],
            [score for row in rows for score in row.human],
            clusters=[name for name in by_row for _ in range(2)],
        ),
        correlation.mean_absolute_deviation(judge, human, name="MAD", clusters=by_report),
        correlation.concordant_pairs(judge, human, unit="report", clusters=by_report),
        correlation.pearson(judge, human, unit="report", clusters=by_report, fewest=2),
        correlation.spearman(judge, human, unit="report", clusters=by_report, fewest=2),
    )


def report_totals(rows: Sequence[CriterionScores]) -> list[ReportTotals]:
    """In order of first appearance."""
    found: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for row in rows:
        for place, (x, y) in enumerate(zip(row.judge, row.human, strict=True)):
            if x is not None and y is not None:
                found.setdefault((row.query, place), []).append((x, y))
    return [
        ReportTotals(query, _total([x for x, _ in scores]), _total([y for _, y in scores]))
        for (query, _), scores in found.items()
    ]


def _total(scores: Sequence[float]) -> float:
    return round(fsum(scores) / len(scores), DIGITS)


def _difference(scores: TwoScores) -> float | None:
    return None if scores.a is None or scores.b is None else scores.a - scores.b
