"""Ranks of many systems that answered the same questions. Each pair has its own test, so no third system moves the order of two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
from drr.eval.stats.differences import EXACT_FLIPS, FLIPS, SIGNIFICANT, detectable_difference, query_means
from drr.eval.stats.intervals import SEED, A, ByQuestion, Floats, index_of
from drr.eval.stats.question import cluster_of
from numpy.typing import NDArray

LEVEL = 0.005
"""Largest p-value of a pair's own test at which one system beats the other. Chance parts one of 200 equal pairs."""
_AT_ONCE = 256
"""Number of pairs tested in one product of matrices, which bounds the memory."""


class BoardRanks(NamedTuple):
    """The rank of each system with values, and the difference that the questions can show."""

    places: Mapping[str, int]
    """1 plus the number of systems that beat it."""
    gap: float | None = None
    """Difference that a usual pair's test finds in four of five cases; `None` where so few questions part nobody."""


class _Pairs(NamedTuple):
    """Some pairs of systems, with a row for each pair."""

    one: NDArray[np.int64]
    other: NDArray[np.int64]
    sums: Floats
    """Differences of the pair, summed by task; 0 where a side has none."""
    counts: Floats
    """Number of questions in each task that both have."""


def ranks(values: Mapping[str, ByQuestion[A]], *, is_lower_better: bool = False) -> BoardRanks:
    """Return the ranks by paired tests of every two systems, each at `LEVEL` and uncorrected.

    A correction over all pairs would let systems that concern nobody lift a third one. Trials of a question are averaged first, and
    the questions of a task are one draw.
    """
    means = {name: own for name, trials in values.items() if (own := query_means(trials))}
    names, beaten = list(means), np.zeros(len(means), dtype=int)
    errors, draws = list[float](), list[int]()
    for pairs in _pairs(means):
        lead, sure = pairs.sums.sum(axis=1), sign_flips(pairs.sums) < LEVEL
        behind = np.where((lead > 0) != is_lower_better, pairs.other, pairs.one)
        np.add.at(beaten, behind[sure], 1)
        tasks = (pairs.counts > 0).sum(axis=1)
        shared = pairs.counts.sum(axis=1)
        away = pairs.sums - pairs.counts * (lead / np.maximum(shared, 1))[:, None]
        spread = (away**2).sum(axis=1) * tasks / np.maximum(tasks - 1, 1)
        errors += (np.sqrt(spread) / np.maximum(shared, 1)).tolist()
        draws += tasks.tolist()
    places = dict(zip(names, (1 + beaten).tolist(), strict=True))
    error, usual = (float(np.median(errors)), int(np.median(draws))) if draws else (0.0, 0)
    return BoardRanks(places, detectable_difference(error, usual, round(SIGNIFICANT / LEVEL)) or None)


def _pairs(means: Mapping[str, Mapping[A, float]]) -> Iterator[_Pairs]:
    asked = list(dict.fromkeys(one for own in means.values() for one in own))
    scores = np.array([[own.get(one, np.nan) for one in asked] for own in means.values()])
    place, tasks = index_of([cluster_of(one) for one in asked])
    every = list(combinations(range(len(means)), 2))
    for start in range(0, len(every), _AT_ONCE):
        one, other = np.array(every[start : start + _AT_ONCE]).T
        apart = scores[one] - scores[other]
        sums, counts = np.zeros((len(one), tasks)), np.zeros((len(one), tasks))
        np.add.at(sums.T, place, np.nan_to_num(apart).T)
        np.add.at(counts.T, place, (~np.isnan(apart)).astype(float).T)
        yield _Pairs(one, other, sums, counts)


def sign_flips(differences: Floats) -> Floats:
    """Return the p-value of the sign-flip test for each row. It depends on the row's sizes and sum alone, not on other rows or on order."""
    sizes = -np.sort(-np.abs(differences), axis=1)
    decided = (sizes > 0).sum(axis=1)
    p = np.ones(len(sizes))
    for few in (True, False):
        rows = np.flatnonzero((decided > 0) & ((decided <= EXACT_FLIPS) == few))
        if len(rows):
            own = sizes[rows, : decided[rows].max()]
            seen = np.abs(differences[rows].sum(axis=1)) - 1e-5 * own.sum(axis=1)
            signs = _signs(own.shape[1], exact=few)
            counts = (np.abs(signs @ own.T.astype(np.float32)) >= seen).sum(axis=0)
            p[rows] = (counts + (not few)) / (len(signs) + (not few))
    return p


def _signs(draws: int, *, exact: bool) -> NDArray[np.float32]:
    """Return all patterns of signs, or random ones whose first columns are the same for any number of draws."""
    if exact:
        every = 1.0 - 2.0 * ((np.arange(2**draws)[:, None] >> np.arange(draws)) & 1)
        return every.astype(np.float32)
    chosen = np.random.default_rng(SEED).integers(0, 2, size=(draws, FLIPS), dtype=np.int8)
    return (2 * chosen - 1).astype(np.float32).T
