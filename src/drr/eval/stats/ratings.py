"""Ratings of variants from pairwise comparisons, and the effect of a report's length on winning.

The tie model is Davidson's: P(i > j) = pi_i / (pi_i + pi_j + nu sqrt(pi_i pi_j)). Both fits are conditional logits, so there is
one maximum; the ridge keeps it finite when a variant always wins. Intervals are Student's over questions, linearised at the maximum.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import inf, log
from typing import NamedTuple, TypedDict

import numpy as np
from drr.env.errors import DrrError
from drr.eval.stats.intervals import (
    FEWEST,
    Floats,
    Statistic,
    VRow,
    empty_statistic,
    finite_or_none,
    index_of,
    interval_from_clusters,
)
from drr.eval.stats.question import Comparison, grouped, trial_weights

RIDGE = 0.01


class StrengthRow(TypedDict, total=False):
    """The form of a rating in a document."""

    dimension: str
    strengths: dict[str, VRow]
    nu: float | None
    refused: str
    """Reason why there is no rating; then no other field is given."""


@dataclass(frozen=True, slots=True)
class Strength:
    """The fit of Davidson's model on one dimension: log strengths that sum to zero, and the tie parameter."""

    dimension: str
    strengths: dict[str, Statistic]
    nu: float | None

    def document(self) -> StrengthRow:
        strengths = {name: v.document() for name, v in self.strengths.items()}
        return {"dimension": self.dimension, "strengths": strengths, "nu": self.nu}


def davidson(comparisons: Sequence[Comparison], *, ridge: float = RIDGE) -> Strength:
    """Fit the strengths. Raises `DrrError` if some variants never met, even indirectly."""
    valid = [c for c in comparisons if c.outcome != "error"]
    label = valid[0].dimension if valid else ""
    systems = sorted({name for c in valid for name in (c.a, c.b)})
    if len(systems) < 2:
        raise DrrError(f"no rating for {label or 'these comparisons'}: fewer than two systems were compared")
    linked = _weakest_link(valid, systems)
    fit, nu = _strengths(valid, systems, ridge)
    # The model knows only distances between strengths, so their mean is set to zero.
    centred, drawn = fit.at - fit.at.mean(), fit.drawn - fit.drawn.mean(axis=1, keepdims=True)
    strengths = {}
    for name, value, own in zip(systems, centred, drawn.T, strict=True):
        failures = [c.outcome == "error" for c in comparisons if name in (c.a, c.b)]
        strengths[name] = interval_from_clusters(
            float(value),
            own,
            f"Davidson log strength, ridge {ridge}",
            n=len(failures) - sum(failures),
            n_unscored=sum(failures),
            unit="question",
            freedom=linked - 1,
            fewest=FEWEST,
        )
    return Strength(label, strengths, finite_or_none(nu))


def _weakest_link(valid: Sequence[Comparison], systems: Sequence[str]) -> int:
    """Count the questions of the weakest link that connects all systems. All strengths share one mean, so a weak link blurs all."""
    met = grouped(((c.a, c.b), c.asked.task) for c in valid)
    tasks = {pair: len(set(asked)) for pair, asked in met.items()}
    for least in sorted({*tasks.values()}, reverse=True):
        reached = _reachable_names([pair for pair, count in tasks.items() if count >= least], systems[0])
        if len(reached) == len(systems):
            return least
    apart = ", ".join(name for name in systems if name not in reached)
    raise DrrError(
        f"no common rating: {apart} never met {systems[0]} or anyone who did; judge a pair that connects them"
    )


def _reachable_names(pairs: Collection[tuple[str, str]], first: str) -> set[str]:
    reached = {first}
    while more := {name for pair in pairs if not reached.isdisjoint(pair) for name in pair} - reached:
        reached |= more
    return reached


class _Fit(NamedTuple):
    at: Floats
    drawn: Floats
    """Pseudo-values of each parameter, one row per question."""


def _strengths(valid: Sequence[Comparison], systems: Sequence[str], ridge: float) -> tuple[_Fit, float]:
    """Fit log strengths and nu. Without ties the model is Bradley and Terry's; with ties alone all strengths are equal."""
    k, position = len(systems), {name: i for i, name in enumerate(systems)}
    features, counts = np.zeros((len(valid), 3, k + 1)), np.zeros((len(valid), 3))
    for row, (c, weight) in enumerate(zip(valid, trial_weights(valid), strict=True)):
        i, j = position[c.a], position[c.b]
        features[row, 0, i] = features[row, 2, j] = features[row, 1, k] = 1
        features[row, 1, [i, j]] = 0.5
        counts[row, ("a", "tie", "b").index(c.outcome) if c.outcome != "inconsistent" else 1] = weight
    place = [c.asked.task for c in valid]
    if not counts[:, 1].any():
        return _fit(features[:, ::2, :k], counts[:, ::2], np.full(k, ridge), place), 0.0
    if not counts[:, ::2].any():
        return _Fit(np.zeros(k), np.zeros((len(set(place)), k))), inf
    # No ridge on nu: with both ties and decisions there it is finite by itself.
    fit = _fit(features, counts, np.append(np.full(k, ridge), 0.0), place)
    return _Fit(fit.at[:k], fit.drawn[:, :k]), float(np.exp(fit.at[k]))


def _fit(features: Floats, counts: Floats, ridge: Floats, tasks: Sequence[str]) -> _Fit:
    """Fit a conditional logit: a row's outcomes have the softmax of `features` times parameters as probabilities."""
    from scipy.optimize import minimize
    from scipy.special import log_softmax, softmax

    total = counts.sum(axis=1, keepdims=True)

    def loss(at: Floats) -> float:
        return float(ridge @ (at * at) / 2 - (counts * log_softmax(features @ at, axis=1)).sum())

    def slopes(at: Floats) -> Floats:
        rows: Floats = np.einsum("ro,rok->rk", counts - total * softmax(features @ at, axis=1), features)
        return rows

    def curve(at: Floats) -> Floats:
        p = softmax(features @ at, axis=1)
        away = features - np.einsum("ro,rok->rk", p, features)[:, None]
        bent: Floats = np.einsum("ro,roi,roj->ij", total * p, away, away, optimize=True)
        return bent + np.diag(ridge)

    def downhill(at: Floats) -> Floats:
        return np.asarray(ridge * at - slopes(at).sum(axis=0), dtype=np.float64)

    # The optimiser stops where it sees no further gain in the loss; one step of Newton's from there costs nothing and is exact.
    still = {"gtol": 1e-7 * (1 + counts.sum())}
    found = minimize(
        loss, np.zeros(len(ridge)), method="trust-exact", jac=downhill, hess=curve, options=still
    )
    if not found.success:
        raise DrrError("the fit of who wins did not converge; this is a defect worth reporting")
    at = found.x - np.linalg.solve(curve(found.x), downhill(found.x))
    index, size = index_of(tasks)
    by_task = np.zeros((size, len(ridge)))
    np.add.at(by_task, index, slopes(at))
    drawn = at + size * np.linalg.solve(curve(at), by_task.T).T
    return _Fit(at, drawn.astype(np.float64))


class LengthRow(VRow):
    """The correlation of a rating with the report's length; `warning` is true where the rating may measure length."""

    warning: bool


def length_coefficient(comparisons: Sequence[Comparison], *, ridge: float = RIDGE) -> Statistic:
    """Fit the effect of log(words_a/words_b) on the winner, in a logistic model with one strength per variant.

    A tie counts half for either side; the trials of a query are together one comparison. At zero, length alone gains nothing.
    """
    method = "logistic: winner ~ variant + log(words_a/words_b)"
    usable = [(c, c.score, log(c.words_a / c.words_b)) for c in comparisons if c.words_a and c.words_b]
    rows = [(c, score, ratio) for c, score, ratio in usable if score is not None]
    lost, ratios = len(comparisons) - len(rows), [ratio for _, _, ratio in rows]
    if len(rows) < 3 or max(ratios) - min(ratios) < 1e-9:
        return empty_statistic(method, lost, len(rows))
    valid = [c for c, _, _ in rows]
    position = {name: i for i, name in enumerate(sorted({name for c in valid for name in (c.a, c.b)}))}
    features = np.zeros((len(rows), 2, len(position) + 1))
    for row, c in enumerate(valid):
        features[row, 0, position[c.a]] = features[row, 1, position[c.b]] = 1
    features[:, 0, -1] = ratios
    scores, weights = np.array([score for _, score, _ in rows]), np.array(trial_weights(valid))
    counts = np.column_stack([scores, 1 - scores]) * weights[:, None]
    fit = _fit(features, counts, np.full(len(position) + 1, ridge), [c.asked.task for c in valid])
    value, drawn = float(fit.at[-1]), fit.drawn[:, -1]
    return interval_from_clusters(
        value, drawn, method, n=len(rows), n_unscored=lost, unit="question", fewest=FEWEST
    )
