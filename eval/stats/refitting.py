"""Intervals of what no sums make: the whole fit is made again for every resample, or none is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from drr.eval.stats.intervals import LEAST_SPREAD, SEED, Floats
from numpy.typing import NDArray

RESAMPLES = 2000
LEVEL = 0.95
KEPT, BLOCK = 2000, 100
FEWEST = 10
"""Clusters. A bootstrap over fewer covers far less than it says: 4 queries that agree by chance would have no interval at all."""


class Bounds(NamedTuple):
    low: float | None
    high: float | None
    told: str


def refitted(value: float | None, draws: Callable[[], Floats], clusters: int, unit: str) -> Bounds:
    """Refit a figure without ends that no sums make: the percentile interval, else none and why. Too few clusters draw nothing."""
    if clusters < 2:
        return Bounds(None, None, f"no interval from one {unit[:-1]}")
    if clusters < FEWEST or value is None:
        return Bounds(None, None, f"no interval: {clusters} {unit} are too few")
    low, high = _interval(draws())
    if low is None:
        return Bounds(None, None, f"no interval: resamples of {clusters} {unit} do not tell one")
    method_text = f"95% percentile bootstrap over {clusters} {unit}, B={RESAMPLES}, seed={SEED}"
    return Bounds(low, high, method_text)


@lru_cache(maxsize=8)
def resampled(clusters: int) -> Floats:
    """Count how often each cluster is drawn in each resample; the same draw for every statistic over as many clusters."""
    return np.concatenate(list(_blocks(clusters, RESAMPLES)))


def _blocks(clusters: int, lines: int) -> Iterator[Floats]:
    rng = np.random.default_rng(SEED)
    share = np.full(clusters, 1 / clusters)
    for _ in range(RESAMPLES // lines):
        yield rng.multinomial(clusters, share, size=lines).astype(np.float64)


def over_resamples(clusters: int, statistic: Callable[[Floats], Floats]) -> Floats:
    """The statistic of every resample; many clusters are drawn a block at a time, to spare memory."""
    if clusters <= KEPT:
        return statistic(resampled(clusters))
    return np.concatenate([statistic(weights) for weights in _blocks(clusters, BLOCK)])


def _interval(draws: Floats) -> tuple[float | None, float | None]:
    """Return the percentile interval. `None` where a resample is undefined more often than the level leaves
    room for, and where the ends are one: what does not vary tells nothing of its error."""
    good = draws[np.isfinite(draws)]
    if draws.size == 0 or good.size < LEVEL * draws.size:
        return None, None
    low, high = np.percentile(good, [100 * (1 - LEVEL) / 2, 100 * (1 + LEVEL) / 2])
    return (None, None) if high - low <= LEAST_SPREAD else (float(low), float(high))


def climbed(
    at: Floats,
    step: NDArray[np.floating[Any]],
    value: Floats,
    objective: Callable[[Floats], tuple[Floats, Floats]],
) -> tuple[Floats, Floats, Floats]:
    """Every row a step up, halved while it would lead down: the new place, and what `objective` says of it."""
    scale = np.ones((len(at), 1))
    for _ in range(40):
        place = at + scale * step
        reached, beside = objective(place)
        worse = reached < value - 1e-12 * (1 + np.abs(value))
        if not worse.any():
            break
        scale[worse] /= 2
    return place, reached, beside
