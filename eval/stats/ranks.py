"""Ranks of many systems that answered the same questions, by paired tests of every two."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from drr.eval.stats.differences import EXACT_FLIPS, FLIPS, SIGNIFICANT, holm, query_means
from drr.eval.stats.intervals import SEED, A, ByQuestion, Floats, index_of
from drr.eval.stats.question import cluster_of
from numpy.typing import NDArray

_AT_ONCE = 256
"""Number of pairs tested in one product of matrices, which bounds the memory."""


def ranks(values: Mapping[str, ByQuestion[A]], *, is_lower_better: bool = False) -> dict[str, int]:
    """Return each system's rank: 1 plus the number of systems that beat it. The paired tests are corrected over all pairs by Holm's method.

    Trials of a question are averaged first, and the questions of a task are one draw.
    """
    means = {name: query_means(own) for name, own in values.items()}
    names = [name for name, own in means.items() if own]
    asked = list(dict.fromkeys(one for name in names for one in means[name]))
    scores = np.array([[means[name].get(one, np.nan) for one in asked] for name in names])
    place, tasks = index_of([cluster_of(one) for one in asked])
    sign = -1.0 if is_lower_better else 1.0
    pairs, ahead, p_values = list(combinations(range(len(names)), 2)), list[float](), list[float]()
    for start in range(0, len(pairs), _AT_ONCE):
        one, other = np.array(pairs[start : start + _AT_ONCE]).T
        apart = sign * np.nan_to_num(scores[one] - scores[other])
        by_task = np.zeros((len(one), tasks))
        np.add.at(by_task.T, place, apart.T)
        ahead += by_task.sum(axis=1).tolist()
        p_values += sign_flips(by_task).tolist()
    beaten = dict.fromkeys(names, 0)
    for (one, other), lead, p in zip(pairs, ahead, holm(p_values), strict=True):
        if p is not None and p < SIGNIFICANT:
            beaten[names[other if lead > 0 else one]] += 1
    return {name: 1 + count for name, count in beaten.items()}


def sign_flips(differences: Floats) -> Floats:
    """Return the p-value of the sign-flip test for each row.

    Where no drawn pattern of signs comes as far as the data, Hoeffding's bound on the exact p-value can tell that it is smaller still.
    """
    draws = differences.shape[1]
    signs, least = _signs(draws)
    size, reach = np.abs(differences).sum(axis=1), np.abs(differences.sum(axis=1))
    seen = reach - 1e-5 * size
    counts = (np.abs(signs @ differences.T.astype(np.float32)) >= seen).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = 2 * np.exp(-(reach**2) / (2 * (differences**2).sum(axis=1)))
    p: Floats = (counts + least) / (len(signs) + least)
    return np.where((counts == 0) & (bound < p), bound, p)


def _signs(draws: int) -> tuple[NDArray[np.float32], int]:
    """Return all patterns of signs for few draws, else random ones. To their count, 1 is added for the data's own."""
    if draws <= EXACT_FLIPS:
        every = 1.0 - 2.0 * ((np.arange(2**draws)[:, None] >> np.arange(draws)) & 1)
        return every.astype(np.float32), 0
    chosen = np.random.default_rng(SEED).integers(0, 2, size=(FLIPS, draws), dtype=np.int8)
    return (2 * chosen - 1).astype(np.float32), 1
