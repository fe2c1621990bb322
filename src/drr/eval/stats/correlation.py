"""Statistics of agreement between two judges who give numbers: correlations, preferences and distances.

Definitions and edge cases are those of `docs/judging-reference.md`, "Labels".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import fsum, tanh
from typing import NamedTuple

import numpy as np
from drr.eval.stats.agreement import Clusters, align_labels
from drr.eval.stats.intervals import (
    COUNTED,
    FEWEST,
    RELATED,
    Floats,
    Statistic,
    empty_statistic,
    finite_or_none,
    from_sums,
    index_of,
    interval_from_clusters,
    left_out,
    mean_of,
    safe_division,
)
from drr.eval.stats.question import grouped

Scores = Sequence[float | None]


class _Sample(NamedTuple):
    """The items that both judged, and the description of the statistic."""

    x: Floats
    y: Floats
    clusters: list[str]
    lost: int
    method: str


def _sample(x: Scores, y: Scores, clusters: Clusters, method: str) -> _Sample:
    p, q, c, lost = align_labels(x, y, clusters)
    return _Sample(np.array(p, dtype=np.float64), np.array(q, dtype=np.float64), c, lost, method)


def pearson(x: Scores, y: Scores, *, unit: str, clusters: Clusters = None, fewest: int = 3) -> Statistic:
    """Compute Pearson's correlation; `None` for fewer than three items or no variance. With `fewest=2` two items are enough; `unit` names an item."""
    both = _sample(x, y, clusters, f"Pearson, {unit} level")
    if len(both.x) < fewest:
        return empty_statistic(both.method, both.lost, len(both.x))
    p, q = both.x - both.x.mean(), both.y - both.y.mean()
    rows = np.stack([np.ones_like(p), p, q, p * q, p * p, q * q], axis=1)
    v = from_sums(rows, both.clusters, _correlation, both.method, n_unscored=both.lost)
    # On the correlation's own scale only 83 to 92 % of the intervals held the truth.
    z = from_sums(rows, both.clusters, _fishers_z, f"{both.method}, interval of Fisher's z").unshifted()
    low, high = (None if end is None else tanh(end) for end in (z.ci_low, z.ci_high))
    return replace(v, ci_low=low, ci_high=high, method=z.method, how=z.how)


def _fishers_z(sums: Floats) -> Floats:
    """Return the correlation on the scale on which its error is nearly the same everywhere; undefined at 1 and -1."""
    r = _correlation(sums)
    inside = np.abs(r) < 1 - 1e-12
    z: Floats = np.arctanh(np.where(inside, r, 0.0))
    return np.where(inside, z, np.nan)


def _correlation(sums: Floats) -> Floats:
    n, sx, sy, sxy, sxx, syy = sums.T
    product = (n * sxx - sx * sx) * (n * syy - sy * sy)
    flat = ((n * sxx - sx * sx) <= 1e-12 * n * n) | ((n * syy - sy * sy) <= 1e-12 * n * n)
    return np.where(flat, np.nan, np.clip((n * sxy - sx * sy) / np.sqrt(np.where(flat, 1, product)), -1, 1))


def spearman(x: Scores, y: Scores, *, unit: str, clusters: Clusters = None, fewest: int = 3) -> Statistic:
    """Compute Spearman's correlation with average ranks. For the interval, the items without each cluster are ranked anew."""
    both = _sample(x, y, clusters, f"Spearman (average ranks), {unit} level")
    index, size = index_of(both.clusters)
    rests = [index >= 0, *(index != one for one in range(size if size >= FEWEST else 0))]
    return _statistic_of_order(
        both, np.array([_rank_correlation(both.x[rest], both.y[rest]) for rest in rests]), size, fewest
    )


def _rank_correlation(x: Floats, y: Floats) -> float:
    p, q = _ranks(x), _ranks(y)
    return float(safe_division(p @ q, np.sqrt((p @ p) * (q @ q))))


def _ranks(x: Floats) -> Floats:
    """Return ranks minus the mean rank; equal items share their average rank."""
    _, place, counts = np.unique(x, return_inverse=True, return_counts=True)
    ranks: Floats = np.cumsum(counts) - counts / 2 - len(x) / 2
    return ranks[place]


def kendall_tau_b(x: Scores, y: Scores, *, unit: str, clusters: Clusters = None) -> Statistic:
    """Compute Kendall's tau-b over all pairs of items, corrected for ties."""
    both = _sample(x, y, clusters, f"Kendall's tau-b, {unit} level")
    sums, size = _over_pairs(both)
    return _statistic_of_order(both, safe_division(sums[:, 2], np.sqrt(sums[:, 3] * sums[:, 4])), size, 3)


def concordant_pairs(x: Scores, y: Scores, *, unit: str, clusters: Clusters = None) -> Statistic:
    """Compute PAR, the share of all pairs of items that both judges order alike. A tie of either counts as a pair, and is no agreement."""
    both = _sample(x, y, clusters, f"PAR, concordant pairs / all pairs, those with a tie too, {unit} level")
    sums, size = _over_pairs(both)
    return _statistic_of_order(both, safe_division(sums[:, 1], sums[:, 0]), size, 2)


def _over_pairs(both: _Sample) -> tuple[Floats, int]:
    """Count pairs: all, ordered alike, alike minus reversed, unequal in x, unequal in y. The first row is over all items, the others without each cluster."""
    index, size = index_of(both.clusters)
    beside, within = np.zeros((size, 5)), np.zeros((size, 5))
    for item, (p, q) in enumerate(zip(both.x, both.y, strict=True)):
        sx, sy = np.sign(p - both.x), np.sign(q - both.y)
        table = np.array([np.ones_like(sx), sx * sy > 0, sx * sy, abs(sx), abs(sy)])
        table[0, item] = 0
        beside[index[item]] += table.sum(axis=1)
        within[index[item]] += table[:, index == index[item]].sum(axis=1)
    whole = beside.sum(axis=0, keepdims=True) / 2
    return np.concatenate([whole, whole - beside + within / 2]), size


def _statistic_of_order(both: _Sample, values: Floats, size: int, fewest: int) -> Statistic:
    """Build the statistic from its value and its values without each cluster. For statistics that depend on the order of items."""
    n, value = len(both.x), finite_or_none(values[0])
    if n < fewest or value is None:
        return empty_statistic(both.method, both.lost, n)
    drawn = left_out(value, values[1:]) if size >= FEWEST else np.zeros(size)
    return interval_from_clusters(
        value, drawn, both.method, n=n, n_unscored=both.lost, fewest=FEWEST, cut=RELATED
    )


def preference_agreement(
    machine: Scores, human: Scores, *, clusters: Clusters = None, without_human_ties: bool = False
) -> tuple[Statistic, float | None]:
    """Compute PCA, the share of pairs in which both score differences have the same sign, and its chance level.

    A difference of zero matches only zero; `without_human_ties` leaves out pairs in which the human one is zero. Chance is the
    share that two independent raters reach with these shares of zeros. The other differences are then positive or negative
    equally often, because the order of a pair's answers is arbitrary.
    """
    ties = "human ties left out" if without_human_ties else "ties must match"
    both = _sample(machine, human, clusters, f"share of pairs with the same preferred side, {ties}")
    keep = both.y != 0 if without_human_ties else np.full(len(both.y), True)
    m, h = np.sign(both.x[keep]), np.sign(both.y[keep])
    chance = None
    if len(m):
        zero_m, zero_h = float(np.mean(m == 0)), float(np.mean(h == 0))
        chance = zero_m * zero_h + (1 - zero_m) * (1 - zero_h) / 2
    names = [name for name, kept in zip(both.clusters, keep, strict=True) if kept]
    lost = both.lost + int((~keep).sum())
    return mean_of((m == h).astype(np.float64), names, both.method, n_unscored=lost), chance


def mean_absolute_deviation(
    machine: Scores,
    human: Scores,
    *,
    name: str = "MARD",
    clusters: Clusters = None,
    width: float | None = None,
) -> Statistic:
    """Compute the mean absolute difference: MARD of two raters, MAD where `human` is a mean of several. No difference exceeds `width`."""
    both = _sample(machine, human, clusters, f"{name}: mean absolute difference")
    ends = COUNTED if width is None else (0.0, width)
    return mean_of(np.abs(both.x - both.y), both.clusters, both.method, n_unscored=both.lost, ends=ends)


def bias(
    machine: Scores, human: Scores, *, clusters: Clusters = None, width: float | None = None
) -> Statistic:
    """Return the mean of machine minus human, positive where the machine scores higher. No difference exceeds `width`."""
    both = _sample(machine, human, clusters, "mean of machine minus human")
    ends = None if width is None else (-width, width)
    return mean_of(both.x - both.y, both.clusters, both.method, n_unscored=both.lost, ends=ends)


DIGITS = 9
"""Decimal places of totals: means of decimals may differ in the last bit, and count as equal."""


class CriterionScore(NamedTuple):
    """Both scores of one report under one criterion; `None` is no answer."""

    query: str
    report: str
    """The report's name within its question."""
    beside: str
    """Key of the reports that are compared with each other: those of one question under one criterion."""
    judge: float | None
    human: float | None


class ReportTotals(NamedTuple):
    query: str
    report: str
    judge: float
    human: float


class Consistency(NamedTuple):
    """The statistics of two raters: `pca`, `mard` and the criterion correlations of single scores; the others of reports' totals."""

    pca: Statistic
    pca_chance: float | None
    mard: Statistic
    mad_by_report: Statistic
    par: Statistic
    pearson: Statistic
    spearman: Statistic
    criterion_pearson: Statistic
    criterion_spearman: Statistic


def consistency(scores: Sequence[CriterionScore], *, intervals: bool = True) -> Consistency:
    """Compute all statistics; intervals are over questions."""
    totals = report_totals(scores)
    by_score = [score.query if intervals else "" for score in scores]
    by_report = [report.query if intervals else "" for report in totals]
    judge, human = [report.judge for report in totals], [report.human for report in totals]
    pca, chance = _preferences(scores, intervals)
    one, other = [score.judge for score in scores], [score.human for score in scores]
    return Consistency(
        pca,
        chance,
        mean_absolute_deviation(one, other, clusters=by_score),
        mean_absolute_deviation(judge, human, name="MAD", clusters=by_report),
        concordant_pairs(judge, human, unit="report", clusters=by_report),
        pearson(judge, human, unit="report", clusters=by_report, fewest=2),
        spearman(judge, human, unit="report", clusters=by_report, fewest=2),
        pearson(one, other, unit="criterion", clusters=by_score),
        spearman(one, other, unit="criterion", clusters=by_score),
    )


def _preferences(scores: Sequence[CriterionScore], intervals: bool) -> tuple[Statistic, float | None]:
    groups = grouped((score.beside, score) for score in scores).values()
    pairs = [pair for group in groups for pair in combinations(group, 2)]
    return preference_agreement(
        [difference(a.judge, b.judge) for a, b in pairs],
        [difference(a.human, b.human) for a, b in pairs],
        clusters=[a.query if intervals else "" for a, _ in pairs],
    )


def report_totals(scores: Sequence[CriterionScore]) -> list[ReportTotals]:
    """Return the mean scores of each report, in order of first appearance."""
    found = grouped(
        ((score.query, score.report), (score.judge, score.human))
        for score in scores
        if score.judge is not None and score.human is not None
    )
    return [
        ReportTotals(query, report, _total([x for x, _ in both]), _total([y for _, y in both]))
        for (query, report), both in found.items()
    ]


def _total(values: Sequence[float]) -> float:
    return round(fsum(values) / len(values), DIGITS)


def difference(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b
