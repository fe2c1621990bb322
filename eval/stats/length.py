"""Does the longer answer win because it is longer?"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import NamedTuple

import numpy as np
from drr.env.errors import DrrError
from drr.eval.stats.ascent import climbed
from drr.eval.stats.comparisons import Comparison, trial_weights
from drr.eval.stats.intervals import Floats, V, VRow, finite, index_of, nothing
from drr.eval.stats.refitting import refitted, resampled

RIDGE = 0.01


class LengthRow(VRow):
    """How a rating goes with the length of the report; `warning` where it goes so far that length may be what is rated."""

    warning: bool


class _Row(NamedTuple):
    """A comparison whose two answers have words."""

    comparison: Comparison
    score: float
    log_ratio: float


def length_coefficient(comparisons: Sequence[Comparison], *, ridge: float = RIDGE) -> V:
    """Fit how much log(words_a/words_b) moves the winner beside who wrote it: a logistic fit with one strength per variant.

    A tie counts half for either side; the trials of a query are one comparison together. Zero means length alone buys nothing.
    """
    method = "logistic: winner ~ variant + log(words_a/words_b)"
    usable = [row for c in comparisons if (row := _row(c)) is not None]
    lost = len(comparisons) - len(usable)
    ratios = [row.log_ratio for row in usable]
    if len(usable) < 3 or max(ratios) - min(ratios) < 1e-9:
        return nothing(method, lost, len(usable))
    x, y = _design(usable)
    weights = np.array(trial_weights([row.comparison for row in usable]))
    index, size = index_of([row.comparison.asked.task for row in usable])
    whole = logistic(x, y, weights[None, :], ridge)
    value = finite(whole[0, -1])
    if value is None:
        raise DrrError("the fit of length did not converge; this is a defect worth reporting")
    found = refitted(
        value,
        lambda: logistic(x, y, resampled(size)[:, index] * weights, ridge, start=whole)[:, -1],
        size,
        "queries",
    )
    return V(value, found.low, found.high, len(usable), lost, f"{method}; {found.told}", clusters=size)


def _row(comparison: Comparison) -> _Row | None:
    score, a, b = comparison.score, comparison.words_a, comparison.words_b
    return _Row(comparison, score, log(a / b)) if score is not None and a and b else None


def _design(rows: Sequence[_Row]) -> tuple[Floats, Floats]:
    """Make the design: who wrote either side and how much longer it is, a row each; and how it ended."""
    systems = sorted({name for row in rows for name in (row.comparison.a, row.comparison.b)})
    position = {name: i for i, name in enumerate(systems)}
    x = np.zeros((len(rows), len(systems) + 1))
    for line, row in zip(x, rows, strict=True):
        line[position[row.comparison.a]], line[position[row.comparison.b]] = 1, -1
        line[-1] = row.log_ratio
    return x, np.array([row.score for row in rows])


def logistic(x: Floats, y: Floats, weights: Floats, ridge: float, start: Floats | None = None) -> Floats:
    """Ridge-penalised weighted logistic fits, one per line of `weights`; a line that finds no maximum is NaN."""
    width = x.shape[1]
    products = (x[:, :, None] * x[:, None, :]).reshape(len(x), width * width)
    b = np.zeros((len(weights), width)) if start is None else np.repeat(start, len(weights), axis=0)

    def objective(at: Floats) -> tuple[Floats, Floats]:
        z = at @ x.T
        likely = weights * (y * z - np.logaddexp(0, z))
        return likely.sum(axis=1) - 0.5 * ridge * (at * at).sum(axis=1), z

    value, z = objective(b)
    enough = 1e-7 * (1 + weights.sum(axis=1))
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(z, -500, 500)))
        gradient = (weights * (y - p)) @ x - ridge * b
        open_ = np.abs(gradient).max(axis=1) > enough
        if not open_.any():
            break
        hessian = ((weights * p * (1 - p)) @ products).reshape(-1, width, width)
        hessian[:, range(width), range(width)] += ridge
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        b, value, z = climbed(b, step, value, objective)
    else:
        b[open_] = np.nan
    return b
