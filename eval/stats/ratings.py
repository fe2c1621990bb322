"""The strength of each of several variants, from comparisons of pairs, with intervals by refitting.

The tie model is Davidson's: P(i > j) = pi_i / (pi_i + pi_j + nu sqrt(pi_i pi_j)). Its log-likelihood is concave in the log
strengths and log nu, so a damped Newton method finds the one maximum; the ridge keeps it finite when somebody wins always.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import log
from typing import NamedTuple, TypedDict

import numpy as np
from drr.env.errors import DrrError
from drr.eval.stats.asked import Comparison, trial_weights
from drr.eval.stats.intervals import Floats, V, VRow, climbed, finite, index_of, nothing, refitted, resampled
from numpy.typing import NDArray

RIDGE = 0.01


class StrengthRow(TypedDict, total=False):
    """A rating in a document."""

    dimension: str
    strengths: dict[str, VRow]
    nu: float | None
    converged: bool
    refused: str
    """Why there is no rating; then nothing else is given."""


@dataclass(frozen=True, slots=True)
class Strength:
    """Davidson's model over all pairs of one dimension: log strengths that sum to zero, and the tie parameter."""

    dimension: str
    strengths: dict[str, V]
    nu: float | None
    converged: bool

    def document(self) -> StrengthRow:
        return {
            "dimension": self.dimension,
            "strengths": {name: v.document() for name, v in self.strengths.items()},
            "nu": self.nu,
            "converged": self.converged,
        }


def davidson(
    comparisons: Sequence[Comparison], *, ridge: float = RIDGE, dimension: str | None = None
) -> Strength:
    """The ridge fit and its interval by refitting resampled queries. `DrrError` if some variants never met, even indirectly."""
    valid = [c for c in comparisons if c.outcome != "error"]
    label = dimension if dimension is not None else (valid[0].dimension if valid else "")
    meetings = _Meetings(valid)
    if len(meetings.systems) < 2:
        raise DrrError(f"no rating for {label or 'these comparisons'}: fewer than two systems were compared")
    meetings.require_connected()
    theta, nu, converged = meetings.fit(meetings.by_query.sum(axis=0, keepdims=True), ridge)
    if not converged.all():
        raise DrrError(f"the rating of {label} did not converge; this is a defect worth reporting")

    @cache
    def draws() -> Floats:
        return meetings.resampled_strengths(ridge)

    strengths = {}
    for i, name in enumerate(meetings.systems):
        value = finite(theta[0, i])
        found = refitted(value, partial(_drawn, draws, i), meetings.queries, "queries")
        met, failed = _taken_part(name, comparisons)
        method = f"Davidson log strength, ridge {ridge}; {found.method}, each refitted"
        strengths[name] = V(value, found.low, found.high, met, failed, method, clusters=meetings.queries)
    return Strength(label, strengths, finite(nu[0]), True)


def _drawn(draws: Callable[[], Floats], place: int) -> Floats:
    return draws()[:, place]


def _taken_part(name: str, comparisons: Sequence[Comparison]) -> tuple[int, int]:
    """Count in how many comparisons a system was judged, and in how many of its others a call failed."""
    failures = [one.outcome == "error" for one in comparisons if name in (one.a, one.b)]
    return len(failures) - sum(failures), sum(failures)


class _Meetings:
    """The meetings of systems: who met whom, and how often with which outcome."""

    def __init__(self, valid: Sequence[Comparison]) -> None:
        self.systems = sorted({name for c in valid for name in (c.a, c.b)})
        position = {name: i for i, name in enumerate(self.systems)}
        met = [(position[c.a], position[c.b]) for c in valid]
        self.pairs = sorted(set(met))
        """Positions of the systems that met."""
        rows = np.zeros((len(valid), 3 * len(self.pairs)))
        column = {pair: 3 * i for i, pair in enumerate(self.pairs)}
        place = {1.0: 0, 0.5: 1, 0.0: 2}
        for row, pair, comparison, weight in zip(rows, met, valid, trial_weights(valid), strict=True):
            row[column[pair] + place[comparison.score or 0.0]] = weight
        index, self.queries = index_of([c.asked.task for c in valid])
        self.by_query = np.zeros((self.queries, rows.shape[1]))
        """Wins, ties and losses of each pair on each query."""
        np.add.at(self.by_query, index, rows)

    def require_connected(self) -> None:
        reached, edge = {0}, True
        while edge:
            edge = False
            for i, j in self.pairs:
                if (i in reached) != (j in reached):
                    reached |= {i, j}
                    edge = True
        apart = ", ".join(name for i, name in enumerate(self.systems) if i not in reached)
        if apart:
            raise DrrError(
                f"no common rating: {apart} never met {self.systems[0]} or anyone who did; judge a pair that connects them"
            )

    def fit(self, counts: Floats, ridge: float) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        return _fit(counts, np.array(self.pairs), len(self.systems), ridge)

    def resampled_strengths(self, ridge: float) -> Floats:
        """The log strengths of every resample of the queries, NaN where it has none."""
        drawn = resampled(self.queries) @ self.by_query
        draws, _, found = self.fit(drawn, ridge)
        draws[~(found & _connected(drawn, np.array(self.pairs), len(self.systems)))] = np.nan
        return draws


def _connected(counts: Floats, ends: NDArray[np.int64], k: int) -> NDArray[np.bool_]:
    """Tell of every resample whether its comparisons still link all variants; a ridge alone would call the others average."""
    met = counts.reshape(len(counts), len(ends), 3).sum(axis=2) > 0
    reached = np.zeros((len(counts), k), dtype=bool)
    reached[:, 0] = True
    for _ in range(k - 1):
        for pair, (i, j) in enumerate(ends):
            either = met[:, pair] & (reached[:, i] | reached[:, j])
            reached[:, i] |= either
            reached[:, j] |= either
    linked: NDArray[np.bool_] = np.logical_and.reduce(reached, axis=1)
    return linked


_FLOOR = -40.0


def _fit(
    counts: Floats, ends: NDArray[np.int64], k: int, ridge: float
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Newton on every line of `counts` (win, tie, loss per pair) at once: log strengths, nu, converged."""
    lines = len(counts)
    table = counts.reshape(lines, len(ends), 3)
    total = table.sum(axis=2)
    untied = table[:, :, 1].sum(axis=1) == 0
    undecided = table[:, :, (0, 2)].sum(axis=(1, 2)) == 0
    # Per outcome (win, tie, loss): its derivative by each log strength and by log nu.
    features = np.zeros((len(ends), 3, k + 1))
    for row, (i, j) in enumerate(ends):
        features[row, 0, i] = features[row, 2, j] = 1
        features[row, 1, i] = features[row, 1, j] = 0.5
        features[row, 1, k] = 1
    penalty = np.append(np.full(k, ridge), 0.0)
    x = np.zeros((lines, k + 1))
    x[:, k] = np.where(untied, _FLOOR, np.where(undecided, -_FLOOR, 0.0))
    fixed = untied | undecided

    def objective(at: Floats) -> tuple[Floats, Floats]:
        logits = np.einsum("pok,lk->lpo", features, at)
        top = logits.max(axis=2, keepdims=True)
        norm = top[:, :, 0] + np.log(np.exp(logits - top).sum(axis=2))
        value = (table * logits).sum(axis=(1, 2)) - (total * norm).sum(axis=1)
        return value - 0.5 * (penalty * at * at).sum(axis=1), np.exp(logits - norm[:, :, None])

    value, p = objective(x)
    converged = np.zeros(lines, dtype=bool)
    for _ in range(200):
        gradient = np.einsum("lpo,pok->lk", table - total[:, :, None] * p, features) - penalty * x
        gradient[fixed, k] = 0
        converged = np.abs(gradient).max(axis=1) < 1e-9 * (1 + total.sum(axis=1))
        if converged.all():
            break
        centre = np.einsum("lpo,pok->lpk", p, features)
        hessian = np.einsum("lp,lpo,poi,poj->lij", total, p, features, features, optimize=True)
        hessian -= np.einsum("lp,lpi,lpj->lij", total, centre, centre, optimize=True)
        hessian[:, range(k + 1), range(k + 1)] += penalty + 1e-10
        hessian[fixed, k, :] = hessian[fixed, :, k] = 0
        hessian[fixed, k, k] = 1
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        step /= np.maximum(1.0, np.abs(step).max(axis=1, keepdims=True) / 4)
        x, value, p = climbed(x, step, value, objective)
    theta = x[:, :k] - x[:, :k].mean(axis=1, keepdims=True)
    return theta, np.where(untied, 0.0, np.where(undecided, np.inf, np.exp(x[:, k]))), converged


class LengthRow(VRow):
    """The relation of a rating to the report's length; `warning` where length itself may be what is rated."""

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
    return V(value, found.low, found.high, len(usable), lost, f"{method}; {found.method}", clusters=size)


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
