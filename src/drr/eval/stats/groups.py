"""Compares the questions of a group with all others, by a test that exchanges which questions are of the group."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from math import ceil, isfinite

import numpy as np
from drr.eval.stats.differences import SIGNIFICANT, PairedDifference, query_means
from drr.eval.stats.intervals import SEED, A, ByQuestion, Floats, Statistic, empty_statistic
from drr.eval.stats.question import cluster_of, grouped, query_of
from numpy.typing import NDArray

FEWEST_OF_GROUP = 5
"""Fewest tasks of a group, and of the rest, for a test."""
DRAWS = 4999
_EQUAL = 1e-9


def against_rest(values: ByQuestion[A], group: Collection[str]) -> PairedDifference:
    """Return the mean of a group of questions minus that of the others. Groups of fewer than five are not tested.

    Questions of one task are one draw. Signs cannot be flipped, because no question has a partner: where all 15 of a group succeed, as
    chance allows, flipped signs tell of no spread. The test draws other groups of the same size, and its interval holds what it does not reject.
    """
    method = "difference of a group's mean from that of all other questions"
    means = query_means(values)
    draws = grouped(((cluster_of(one), query_of(one) in group), x) for one, x in means.items())
    x = np.array([sum(xs) / len(xs) for xs in draws.values()])
    inside = np.array([is_in for _, is_in in draws], dtype=np.bool_)
    n = sum(query_of(one) in group for one in means)
    if min(inside.sum(), (~inside).sum()) < FEWEST_OF_GROUP:
        return PairedDifference(empty_statistic(method, n=n), None, None, None)
    a, b = float(x[inside].mean()), float(x[~inside].mean())
    p, low, high = _exchanged(x, inside)
    how = f"95% interval of the test by exchange, over {len(x)} draws"
    return PairedDifference(Statistic(a - b, low, high, n, 0, method, clusters=len(x), how=how), a, b, p)


def _exchanged(x: Floats, inside: NDArray[np.bool_]) -> tuple[float, float | None, float | None]:
    """Return the p-value, and the ends of the shifts of the group that the test does not reject.

    Another group is no nearer to a shift than the own one from one of two ratios on, so the ends are order statistics of these.
    """
    size, count = int(inside.sum()), len(x)
    others = _other_groups(count, size)

    def apart(values: Floats) -> Floats:
        sums: Floats = others @ values
        return sums * (1 / size + 1 / (count - size)) - float(values.sum()) / (count - size)

    own, drawn, kept = float(x[inside].mean() - x[~inside].mean()), apart(x), apart(inside.astype(float))
    p = (int((np.abs(drawn) >= abs(own) - _EQUAL).sum()) + 1) / (DRAWS + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.stack([(own - drawn) / (1 - kept), (own + drawn) / (1 + kept)])
    bare = (np.abs(kept) > 1 - _EQUAL) | np.isnan(ratios).any(axis=0)
    lower = np.sort(np.where(bare, -np.inf, ratios.min(axis=0)))
    upper = np.sort(np.where(bare, np.inf, ratios.max(axis=0)))
    rank = ceil((DRAWS + 1) * SIGNIFICANT - 1e-6) - 2
    low, high = (0.0 if abs(end) < _EQUAL else float(end) for end in (lower[rank], upper[-1 - rank]))
    return p, *((low, high) if isfinite(low) and isfinite(high) else (None, None))


@lru_cache(maxsize=8)
def _other_groups(count: int, size: int) -> Floats:
    """Return random groups of this size, one a row, as ones and zeros."""
    order = np.random.default_rng(SEED).random((DRAWS, count)).argsort(axis=1)
    return (order < size).astype(np.float64)
