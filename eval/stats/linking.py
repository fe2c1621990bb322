"""Puts the figures of two judges on one scale, by the labels of things that both judged.

    old = a + b * label, new = c + d * label:   .80 by the old judge is (.80 - a) / b by people, and c + d * that by the new one

That holds as far as a judge's errors depend on the label, not on who wrote the answer. The interval is what the link costs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from drr.eval.stats.intervals import SHARE, Floats, Statistic, divided, from_sums


class LinkedFigure(NamedTuple):
    """A figure by the old judge, and what it comes to by people and by the new judge."""

    old: float
    people: Statistic
    new: Statistic


def linked(
    labels: Sequence[float], old: Sequence[float], new: Sequence[float], clusters: Sequence[str]
) -> list[LinkedFigure]:
    """Link nine figures from 0.1 to 0.9. A judge that does not follow the labels links nothing."""
    t, x, y = (np.asarray(values, dtype=np.float64) for values in (labels, old, new))
    rows = np.stack([np.ones_like(t), t, t * t, x, t * x, y, t * y], axis=1)

    def of(way: Callable[[float, Floats], Floats], figure: float) -> Statistic:
        return from_sums(rows, clusters, partial(way, figure), "line through labels", cut=SHARE)

    tenths = [tenth / 10 for tenth in range(1, 10)]
    return [LinkedFigure(figure, of(_people, figure), of(_new, figure)) for figure in tenths]


def _people(figure: float, sums: Floats) -> Floats:
    base, slope = _line(sums, 3)
    return divided(figure - base, slope, least=1e-9)


def _new(figure: float, sums: Floats) -> Floats:
    base, slope = _line(sums, 5)
    return base + slope * _people(figure, sums)


def _line(sums: Floats, at: int) -> tuple[Floats, Floats]:
    """Return base and slope of the least-squares line of the scores in a column over the labels."""
    n, t, square, score, product = (sums[:, place] for place in (0, 1, 2, at, at + 1))
    slope = divided(n * product - t * score, n * square - t * t, least=1e-9)
    return (score - slope * t) / n, slope
