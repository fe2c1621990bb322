"""A judge held against people criterion by criterion: PCA, MARD, PAR, MAD, correlations.

A report's total is the mean of those of its criteria that both scored.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import fsum
from typing import NamedTuple

from drr.eval.stats import correlation
from drr.eval.stats.intervals import V

DIGITS = 9
"""Totals that differ by less are equal: means of decimals come out a last bit apart."""


class CriterionScore(NamedTuple):
    """The score of one report under one criterion; `None` is no answer."""

    query: str
    report: str
    """Of its question."""
    beside: str
    """The reports that are preferred one to another have it in common: those of one question under one criterion."""
    judge: float | None
    human: float | None


class ReportTotals(NamedTuple):
    query: str
    report: str
    judge: float
    human: float


class Consistency(NamedTuple):
    """The consistency of scores: `pca`, `mard` and their two companions; of reports' totals the rest."""

    pca: V
    pca_chance: float | None
    mard: V
    mad_by_report: V
    par: V
    pearson: V
    spearman: V
    criterion_pearson: V
    criterion_spearman: V


def consistency(scores: Sequence[CriterionScore], *, intervals: bool = True) -> Consistency:
    """Intervals are over questions."""
    totals = report_totals(scores)
    by_score = [score.query if intervals else "" for score in scores]
    by_report = [report.query if intervals else "" for report in totals]
    judge, human = [report.judge for report in totals], [report.human for report in totals]
    pca, chance = _preferences(scores, intervals)
    one, other = [score.judge for score in scores], [score.human for score in scores]
    return Consistency(
        pca,
        chance,
        correlation.mean_absolute_deviation(one, other, clusters=by_score),
        correlation.mean_absolute_deviation(judge, human, name="MAD", clusters=by_report),
        correlation.concordant_pairs(judge, human, unit="report", clusters=by_report),
        correlation.pearson(judge, human, unit="report", clusters=by_report, fewest=2),
        correlation.spearman(judge, human, unit="report", clusters=by_report, fewest=2),
        correlation.pearson(one, other, unit="criterion", clusters=by_score),
        correlation.spearman(one, other, unit="criterion", clusters=by_score),
    )


def _preferences(scores: Sequence[CriterionScore], intervals: bool) -> tuple[V, float | None]:
    groups: dict[str, list[CriterionScore]] = {}
    for score in scores:
        groups.setdefault(score.beside, []).append(score)
    pairs = [pair for group in groups.values() for pair in combinations(group, 2)]
    return correlation.preference_agreement(
        [_minus(a.judge, b.judge) for a, b in pairs],
        [_minus(a.human, b.human) for a, b in pairs],
        clusters=[a.query if intervals else "" for a, _ in pairs],
    )


def report_totals(scores: Sequence[CriterionScore]) -> list[ReportTotals]:
    """List the items in order of first appearance."""
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for score in scores:
        if score.judge is not None and score.human is not None:
            found.setdefault((score.query, score.report), []).append((score.judge, score.human))
    return [
        ReportTotals(query, report, _total([x for x, _ in both]), _total([y for _, y in both]))
        for (query, report), both in found.items()
    ]


def _total(values: Sequence[float]) -> float:
    return round(fsum(values) / len(values), DIGITS)


def _minus(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b
