"""The agreement of two judges who give numbers: correlations, preferences and distances.

Definitions and edge cases are those of `docs/judging.md`, "Agreement".
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from itertools import combinations
from math import fsum
from typing import NamedTuple

import numpy as np
from drr.eval.stats.agreement import Clusters, aligned
from drr.eval.stats.asked import grouped
from drr.eval.stats.intervals import (
    COUNTED,
    RELATED,
    Floats,
    V,
    divided,
    finite,
    from_sums,
    index_of,
    mean_of,
    nothing,
    over_resamples,
    refitted,
)

Scores = Sequence[float | None]


def _numbers(x: Scores, y: Scores, clusters: Clusters) -> tuple[Floats, Floats, list[str], int]:
    p, q, c, lost = aligned(x, y, clusters)
    return np.array(p, dtype=np.float64), np.array(q, dtype=np.float64), c, lost


class _Sample(NamedTuple):
    """The items that both judged, and how the result is called."""

    x: Floats
    y: Floats
    clusters: list[str]
    lost: int
    method: str


def _correlated(
    statistic: Callable[[_Sample], V],
    name: str,
    x: Scores,
    y: Scores,
    unit: str,
    clusters: Clusters,
    fewest: int = 3,
) -> V:
    """Correlate. Fewer than three items have no correlation; a formula wants two."""
    sample = _Sample(*_numbers(x, y, clusters), f"{name}, {unit} level")
    n = len(sample.x)
    return nothing(sample.method, sample.lost, n) if n < fewest else statistic(sample)


def pearson(x: Scores, y: Scores, *, unit: str, clusters: Clusters = None, fewest: int = 3) -> V:
    """Correlate values; `None` for fewer than three items or no variance. `unit` says what an item is."""
    return _correlated(_pearson, "Pearson", x, y, unit, clusters, fewest)


def _pearson(sample: _Sample) -> V:
    p, q = sample.x - sample.x.mean(), sample.y - sample.y.mean()
    rows = np.stack([np.ones_like(p), p, q, p * q, p * p, q * q], axis=1)
    return from_sums(rows, sample.clusters, _correlation, sample.method, n_unscored=sample.lost, cut=RELATED)


def _correlation(sums: Floats) -> Floats:
    n, sx, sy, sxy, sxx, syy = sums.T
    product = (n * sxx - sx * sx) * (n * syy - sy * sy)
    flat = ((n * sxx - sx * sx) <= 1e-12 * n * n) | ((n * syy - sy * sy) <= 1e-12 * n * n)
    return np.where(flat, np.nan, np.clip((n * sxy - sx * sy) / np.sqrt(np.where(flat, 1, product)), -1, 1))


def spearman(x: Scores, y: Scores, *, unit: str, clusters: Clusters = None, fewest: int = 3) -> V:
    """Pearson of average ranks; each resample is ranked anew."""
    return _correlated(_spearman, "Spearman (average ranks)", x, y, unit, clusters, fewest)


def _spearman(sample: _Sample) -> V:
    position, size = index_of(sample.clusters)

    def statistic(drawn: Floats) -> Floats:
        w = drawn[:, position]
        rx, ry = _weighted_ranks(sample.x, w), _weighted_ranks(sample.y, w)
        rows = (w, w * rx, w * ry, w * rx * ry, w * rx * rx, w * ry * ry)
        return _correlation(np.stack([part.sum(axis=1) for part in rows], axis=1))

    return _by_weights(statistic, size, sample)


def _weighted_ranks(x: Floats, w: Floats) -> Floats:
    """Average ranks of a sample in which item i occurs w_i times, for every line of `w`."""
    order = np.argsort(x, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(x[order]) != 0))
    group = np.empty(len(x), dtype=np.int64)
    group[order] = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(x))))
    sizes = np.add.reduceat(w[:, order], starts, axis=1)
    ranks = np.cumsum(sizes, axis=1) - sizes / 2 + 0.5
    ranks -= w.sum(axis=1, keepdims=True) / 2
    found: Floats = ranks[:, group]
    return found


def _by_weights(statistic: Callable[[Floats], Floats], size: int, sample: _Sample) -> V:
    """`statistic` takes the weights of `size` clusters, one resample a line."""
    n, lost, method = len(sample.x), sample.lost, sample.method
    with np.errstate(divide="ignore", invalid="ignore"):
        value = finite(statistic(np.ones((1, size)))[0])
        if size < 2 or value is None:
            return V(value, None, None, n, lost, f"{method}; no interval")
        found = refitted(value, lambda: over_resamples(size, statistic), size, "clusters")
    return V(value, found.low, found.high, n, lost, f"{method}; {found.method}", clusters=size)


MOST_PAIRED, MOST_CLUSTERS = 4000, 1500
"""Above so many items or clusters tau-b is still exact, but without an interval."""


def kendall_tau_b(x: Scores, y: Scores, *, unit: str, clusters: Clusters = None) -> V:
    """Concordance corrected for ties, over all pairs of items."""
    return _correlated(_kendall_tau_b, "Kendall's tau-b", x, y, unit, clusters)


def _kendall_tau_b(sample: _Sample) -> V:
    p, q, c, lost, method = sample
    position, size = index_of(c)
    if len(p) > MOST_PAIRED or size > MOST_CLUSTERS:
        from scipy.stats import kendalltau

        value = finite(kendalltau(p, q).statistic)
        return V(value, None, None, len(p), lost, f"{method}; no interval for so many items")
    sx, sy = np.sign(p[:, None] - p[None, :]), np.sign(q[:, None] - q[None, :])
    member = np.eye(size)[position]
    # Items of a cluster are drawn together, so sums over pairs of items become sums over pairs of clusters.
    both, by_x, by_y = (member.T @ (signs @ member) for signs in (sx * sy, sx * sx, sy * sy))

    def statistic(w: Floats) -> Floats:
        joint, x_only, y_only = (((w @ m) * w).sum(axis=1) for m in (both, by_x, by_y))
        return divided(joint, np.sqrt(x_only * y_only))

    return _by_weights(statistic, size, sample)


def concordant_pairs(x: Scores, y: Scores, *, unit: str, clusters: Clusters = None) -> V:
    """PAR: the share of all pairs of items that both order alike; a tie of either is no agreement."""
    return _correlated(_concordant_pairs, "PAR, concordant of all pairs", x, y, unit, clusters, fewest=2)


def _concordant_pairs(sample: _Sample) -> V:
    p, q, c, lost, method = sample
    position, size = index_of(c)
    if size < 2 or len(p) > MOST_PAIRED or size > MOST_CLUSTERS:
        pairs = len(p) * (len(p) - 1) / 2
        return V(_concordant(p, q) / pairs, None, None, len(p), lost, f"{method}; no interval")
    alike = np.sign(p[:, None] - p[None, :]) * np.sign(q[:, None] - q[None, :]) > 0
    member = np.eye(size)[position]
    # An item drawn twice is no pair with itself.
    both = member.T @ (alike @ member)
    every = member.T @ ((1 - np.eye(len(p))) @ member)

    def statistic(w: Floats) -> Floats:
        return divided(*(((w @ m) * w).sum(axis=1) for m in (both, every)))

    return _by_weights(statistic, size, sample)


def _concordant(p: Floats, q: Floats) -> int:
    """Count item by item in the order of `p`, against the sorted values of `q` before. No table of all pairs."""
    before: list[float] = []
    waiting: list[int] = []
    found = 0
    for place in np.argsort(p, kind="stable"):
        if waiting and p[waiting[-1]] != p[place]:
            for other in waiting:
                insort(before, float(q[other]))
            waiting = []
        found += bisect_left(before, float(q[place]))
        waiting.append(place)
    return found


def preference_agreement(
    machine: Scores, human: Scores, *, clusters: Clusters = None, without_human_ties: bool = False
) -> tuple[V, float | None]:
    """Compute PCA, the share of pairs whose score differences have the same sign, and its chance level. A zero matches only a zero.

    Chance is what two raters with these shares of zeros reach who know nothing of each other. Which answer of a pair is
    subtracted from which is arbitrary, so both signs are equally likely.
    """
    m, h, c, lost = _numbers(machine, human, clusters)
    sm, sh = np.sign(m), np.sign(h)
    if without_human_ties:
        keep = sh != 0
        lost += int((~keep).sum())
        sm, sh, c = sm[keep], sh[keep], [name for name, k in zip(c, keep, strict=True) if k]
    method = "share of pairs with the same preferred side" + (
        ", human ties left out" if without_human_ties else ", ties must match"
    )
    chance = None
    if len(sm):
        zero_m, zero_h = float(np.mean(sm == 0)), float(np.mean(sh == 0))
        chance = zero_m * zero_h + (1 - zero_m) * (1 - zero_h) / 2
    return mean_of((sm == sh).astype(np.float64), c, method, n_unscored=lost), chance


def mean_absolute_deviation(
    machine: Scores,
    human: Scores,
    *,
    name: str = "MARD",
    clusters: Clusters = None,
    width: float | None = None,
) -> V:
    """MARD of two raters' scores; MAD where `human` is the mean of several. No two scores lie further apart than `width`."""
    m, h, c, lost = _numbers(machine, human, clusters)
    ends = COUNTED if width is None else (0.0, width)
    return mean_of(np.abs(m - h), c, f"{name}: mean absolute difference", n_unscored=lost, ends=ends)


def bias(machine: Scores, human: Scores, *, clusters: Clusters = None, width: float | None = None) -> V:
    """Positive where the machine scores higher. No two scores lie further apart than `width`."""
    m, h, c, lost = _numbers(machine, human, clusters)
    ends = None if width is None else (-width, width)
    return mean_of(m - h, c, "mean of machine minus human", n_unscored=lost, ends=ends)


DIGITS = 9
"""Totals that differ by less are equal: means of decimals come out a last bit apart."""


class CriterionScore(NamedTuple):
    """The score of one report under one criterion; `None` is no answer."""

    query: str
    report: str
    """Report's name within its question."""
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
        mean_absolute_deviation(one, other, clusters=by_score),
        mean_absolute_deviation(judge, human, name="MAD", clusters=by_report),
        concordant_pairs(judge, human, unit="report", clusters=by_report),
        pearson(judge, human, unit="report", clusters=by_report, fewest=2),
        spearman(judge, human, unit="report", clusters=by_report, fewest=2),
        pearson(one, other, unit="criterion", clusters=by_score),
        spearman(one, other, unit="criterion", clusters=by_score),
    )


def _preferences(scores: Sequence[CriterionScore], intervals: bool) -> tuple[V, float | None]:
    groups = grouped((score.beside, score) for score in scores).values()
    pairs = [pair for group in groups for pair in combinations(group, 2)]
    return preference_agreement(
        [difference(a.judge, b.judge) for a, b in pairs],
        [difference(a.human, b.human) for a, b in pairs],
        clusters=[a.query if intervals else "" for a, _ in pairs],
    )


def report_totals(scores: Sequence[CriterionScore]) -> list[ReportTotals]:
    """List the items in order of first appearance."""
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
