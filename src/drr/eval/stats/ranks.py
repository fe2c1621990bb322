"""Ranks of many systems that answered the same questions. Each pair has its own test, so no third system moves the order of two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, count
from typing import NamedTuple

import numpy as np
from drr.eval.stats.differences import SIGNIFICANT, detectable_difference, query_means, sign_flips
from drr.eval.stats.intervals import A, ByQuestion, Floats, index_of
from drr.eval.stats.question import cluster_of
from numpy.typing import NDArray

LEVEL = 0.005
"""Largest p-value of a pair's own test at which one system beats the other. Chance parts one of 200 equal pairs."""
LEAST = next(n for n in count(1) if 2.0 ** (1 - n) < LEVEL)
"""Fewest questions that can part two systems."""
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
        lead, sure = pairs.sums.sum(axis=1), sign_flips(pairs.sums.T) < LEVEL
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
