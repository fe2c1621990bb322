"""Intervals of what no sums make: the whole fit is made again for every resample, or none is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from drr.eval.stats.intervals import FEWEST, Floats, interval, told_of_bootstrap


class Bounds(NamedTuple):
    low: float | None
    high: float | None
    told: str


def refitted(value: float | None, draws: Callable[[], Floats], clusters: int, unit: str) -> Bounds:
    """Of a figure without ends that no sums make: the percentile interval, else none and why; too few clusters draw nothing."""
    low: float | None = None
    high: float | None = None
    if value is not None and clusters >= FEWEST:
        low, high = interval(draws())
    return Bounds(low, high, told_of_bootstrap(clusters, unit, low))
