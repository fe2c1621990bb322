"""From two verdicts per pair, one in each order, to who wins: reconciliation, the position gate, win rates, a rating.

The tie model is Davidson's: P(i > j) = pi_i / (pi_i + pi_j + nu sqrt(pi_i pi_j)). Its log-likelihood is concave in the log
strengths and log nu, so a damped Newton method finds the one maximum; the ridge keeps it finite when somebody wins always.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, Literal, TypedDict

import numpy as np
from drr.env.errors import DrrError
from drr.eval.stats.intervals import (
    RESAMPLES,
    SEED,
    Floats,
    V,
    VRow,
    finite,
    from_sums,
    holm,
    index_of,
    interval,
    nothing,
    ratio,
    resampled,
    share,
    sign_test,
    wilson,
    wins_needed,
)
from numpy.typing import NDArray

Winner = Literal["a", "b", "tie"]
Outcome = Literal["a", "b", "tie", "inconsistent", "error"]
CONSISTENT_ENOUGH = 0.70
RIDGE = 0.01


@dataclass(frozen=True, slots=True)
class Comparison:
    """One (query, trial, dimension, pair), judged with `a` shown first and with `b` shown first. `None` is a failed call."""

    query: str
    dimension: str
    a: str
    b: str
    a_first: Winner | None
    b_first: Winner | None
    words_a: int | None = None
    words_b: int | None = None
    trial: int = 0

    @property
    def outcome(self) -> Outcome:
        return reconcile(self.a_first, self.b_first)

    @property
    def score(self) -> float | None:
        """For `a`: 1, 0.5, 0; `None` where a call failed."""
        return {"a": 1.0, "b": 0.0, "tie": 0.5, "inconsistent": 0.5, "error": None}[self.outcome]


def reconcile(a_first: Winner | None, b_first: Winner | None) -> Outcome:
    """Same winner wins; a tie on either side is a tie; opposite winners are a tie that is flagged; an error excludes."""
    if a_first is None or b_first is None:
        return "error"
    if a_first == b_first:
        return a_first
    return "tie" if "tie" in (a_first, b_first) else "inconsistent"


class PairRow(TypedDict):
    """One dimension of one pair of variants in a document."""

    dimension: str
    a: str
    b: str
    n: int
    wins: int
    ties: int
    losses: int
    inconsistent: int
    errors: int
    win_rate: VRow
    wilson: list[float | None]
    p_sign: float | None
    p_holm: float | None
    wins_needed: int | None
    unreliable: bool


class PositionRow(TypedDict):
    dimension: str
    position_consistency: VRow
    first_position_rate: VRow
    p_first: float | None
    unreliable: bool


class StrengthRow(TypedDict, total=False):
    dimension: str
    strengths: dict[str, VRow]
    nu: float | None
    converged: bool
    refused: str
    """Why there is no rating; then nothing else is given."""


class PairDetail(TypedDict):
    """By dimension."""

    positions: dict[str, PositionRow]
    ratings: dict[str, StrengthRow]
    length: dict[str, VRow]


@dataclass(frozen=True, slots=True)
class PairResult:
    """One dimension of one pair of variants, from the side of `a`."""

    dimension: str
    a: str
    b: str
    wins: int
    ties: int
    losses: int
    inconsistent: int
    """Contained in `ties`."""
    errors: int
    win_rate: V
    wilson_low: float | None
    wilson_high: float | None
    decided: int
    """Queries that the sign test counts: those whose trials, averaged, prefer one side."""
    p_sign: float | None
    p_holm: float | None
    unreliable: bool

    def document(self) -> PairRow:
        return {
            "dimension": self.dimension,
            "a": self.a,
            "b": self.b,
            "n": self.wins + self.ties + self.losses,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "inconsistent": self.inconsistent,
            "errors": self.errors,
            "win_rate": self.win_rate.document(),
            "wilson": [self.wilson_low, self.wilson_high],
            "p_sign": self.p_sign,
            "p_holm": self.p_holm,
            "wins_needed": wins_needed(self.decided),
            "unreliable": self.unreliable,
        }


@dataclass(frozen=True, slots=True)
class Position:
    """What the order of presentation did on one dimension."""

    dimension: str
    consistency: V
    """Of the comparisons valid in both orders, the share with the same verdict after the swap."""
    first_rate: V
    """Of the decided calls, the share won by the answer shown first."""
    p_first: float | None

    @property
    def unreliable(self) -> bool:
        value = self.consistency.value
        return value is not None and value < CONSISTENT_ENOUGH

    def document(self) -> PositionRow:
        return {
            "dimension": self.dimension,
            "position_consistency": self.consistency.document(),
            "first_position_rate": self.first_rate.document(),
            "p_first": self.p_first,
            "unreliable": self.unreliable,
        }


def positions(comparisons: Sequence[Comparison]) -> dict[str, Position]:
    """By dimension."""
    return {
        dimension: _position(dimension, group)
        for dimension, group in _grouped(comparisons, lambda c: c.dimension).items()
    }


def _position(dimension: str, group: Sequence[Comparison]) -> Position:
    valid = [c for c in group if c.outcome != "error"]
    rows = np.array([[float(c.a_first == c.b_first), 1.0] for c in valid]).reshape(-1, 2)
    consistency = from_sums(
        rows,
        [c.query for c in valid],
        ratio,
        "same verdict after the swap",
        n_unscored=len(group) - len(valid),
    )
    calls = [(c.a_first, "a") for c in group] + [(c.b_first, "b") for c in group]
    decided = [verdict == shown for verdict, shown in calls if verdict in ("a", "b")]
    first = sum(decided)
    rate = share(first, len(decided), "first shown wins, of decided calls", len(calls) - len(decided))
    return Position(dimension, consistency, rate, sign_test(first, len(decided) - first))


def _grouped(
    comparisons: Sequence[Comparison], key: Callable[[Comparison], str]
) -> dict[str, list[Comparison]]:
    groups: dict[str, list[Comparison]] = {}
    for comparison in comparisons:
        groups.setdefault(key(comparison), []).append(comparison)
    return groups


def pair_results(comparisons: Sequence[Comparison]) -> list[PairResult]:
    """Every (dimension, pair) with its sign test over queries; Holm over all of them together."""
    gates = positions(comparisons)
    groups = _grouped(comparisons, lambda c: f"{c.dimension}\0{c.a}\0{c.b}")
    raw = [_pair(group) for group in groups.values()]
    adjusted = holm([sign_test(won, lost) for *_, won, lost in raw])
    results = []
    for group, (counts, rate, queries, won, lost), p_holm in zip(groups.values(), raw, adjusted, strict=True):
        head = group[0]
        ties = counts["tie"] + counts["inconsistent"]
        low, high = wilson((rate.value or 0.0) * queries, queries)
        results.append(
            PairResult(
                head.dimension,
                head.a,
                head.b,
                counts["a"],
                ties,
                counts["b"],
                counts["inconsistent"],
                counts["error"],
                rate,
                low,
                high,
                won + lost,
                sign_test(won, lost),
                p_holm,
                gates[head.dimension].unreliable,
            )
        )
    return results


def _weights(valid: Sequence[Comparison]) -> list[float]:
    """The trials of a query are one comparison together, as in the win rate."""
    trials = Counter((c.query, c.a, c.b) for c in valid)
    return [1 / trials[c.query, c.a, c.b] for c in valid]


def _pair(group: Sequence[Comparison]) -> tuple[dict[Outcome, int], V, int, int, int]:
    """Outcomes, win rate, and of how many queries so many were won and lost: they, not their trials, are independent."""
    counts: dict[Outcome, int] = {"a": 0, "b": 0, "tie": 0, "inconsistent": 0, "error": 0}
    for comparison in group:
        counts[comparison.outcome] += 1
    by_query: dict[str, list[float]] = {}
    for comparison in group:
        if (score := comparison.score) is not None:
            by_query.setdefault(comparison.query, []).append(score)
    rows = np.array([[sum(s) / len(s), 1.0] for s in by_query.values()]).reshape(-1, 2)
    n = sum(map(len, by_query.values()))
    method = "(W + T/2)/n" + (", trials of a query averaged first" if n > len(by_query) else "")
    rate = from_sums(rows, list(by_query), ratio, method, n=n, n_unscored=counts["error"])
    means = rows[:, 0]
    return counts, rate, len(means), int((means > 0.5).sum()), int((means < 0.5).sum())


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
    systems = sorted({name for c in valid for name in (c.a, c.b)})
    label = dimension if dimension is not None else (valid[0].dimension if valid else "")
    if len(systems) < 2:
        raise DrrError(f"no rating for {label or 'these comparisons'}: fewer than two systems were compared")
    position = {name: i for i, name in enumerate(systems)}
    pairs = sorted({(position[c.a], position[c.b]) for c in valid})
    _require_connected(len(systems), pairs, systems)
    column = {pair: i for i, pair in enumerate(pairs)}
    rows = np.zeros((len(valid), 3 * len(pairs)))
    for row, comparison, weight in zip(rows, valid, _weights(valid), strict=True):
        where = 3 * column[position[comparison.a], position[comparison.b]]
        row[where + {1.0: 0, 0.5: 1, 0.0: 2}[comparison.score or 0.0]] = weight
    index, size = index_of([c.query for c in valid])
    sums = np.zeros((size, rows.shape[1]))
    np.add.at(sums, index, rows)
    ends = np.array(pairs)
    theta, nu, converged = _fit(sums.sum(axis=0, keepdims=True), ends, len(systems), ridge)
    if not converged.all():
        raise DrrError(f"the rating of {label} did not converge; this is a defect worth reporting")
    draws = None
    if size > 1:
        drawn = resampled(size) @ sums
        draws, _, found = _fit(drawn, ends, len(systems), ridge)
        draws[~(found & _connected(drawn, ends, len(systems)))] = np.nan
    strengths = {}
    for name, i in position.items():
        low, high = (None, None) if draws is None else interval(draws[:, i])
        method = f"Davidson log strength, ridge {ridge}; refitted bootstrap over {size} queries, B={RESAMPLES}, seed={SEED}"
        met = sum(name in (c.a, c.b) for c in valid)
        failed = sum(c.outcome == "error" and name in (c.a, c.b) for c in comparisons)
        strengths[name] = V(finite(theta[0, i]), low, high, met, failed, method)
    return Strength(label, strengths, finite(nu[0]), True)


def _require_connected(k: int, pairs: Sequence[tuple[int, int]], systems: Sequence[str]) -> None:
    reached, edge = {0}, True
    while edge:
        edge = False
        for i, j in pairs:
            if (i in reached) != (j in reached):
                reached |= {i, j}
                edge = True
    if len(reached) < k:
        apart = ", ".join(systems[i] for i in range(k) if i not in reached)
        raise DrrError(
            f"no common rating: {apart} never met {systems[0]} or anyone who did; judge a pair that connects them"
        )


def _connected(counts: Floats, ends: NDArray[np.int64], k: int) -> NDArray[np.bool_]:
    """Of every resample, whether its comparisons still link all variants; a ridge alone would call the others average."""
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
        x, value, p = _climbed(x, step, value, objective)
    theta = x[:, :k] - x[:, :k].mean(axis=1, keepdims=True)
    return theta, np.where(untied, 0.0, np.where(undecided, np.inf, np.exp(x[:, k]))), converged


def _climbed(
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


def length_coefficient(comparisons: Sequence[Comparison], *, ridge: float = RIDGE) -> V:
    """How much log(words_a/words_b) moves the winner beside who wrote it: a logistic fit with one strength per variant.

    A tie counts half for either side; the trials of a query are one comparison together. Zero means length alone buys nothing.
    """
    method = "logistic: winner ~ variant + log(words_a/words_b)"
    usable = [(c, score) for c in comparisons if (score := c.score) is not None and c.words_a and c.words_b]
    lost = len(comparisons) - len(usable)
    if len(usable) < 3:
        return nothing(method, lost, len(usable))
    ratios = [log((c.words_a or 1) / (c.words_b or 1)) for c, _ in usable]
    if max(ratios) - min(ratios) < 1e-9:
        return nothing(method, lost, len(usable))
    systems = {name: i for i, name in enumerate(sorted({s for c, _ in usable for s in (c.a, c.b)}))}
    k = len(systems)
    x = np.zeros((len(usable), k + 1))
    for row, (comparison, _), longer in zip(x, usable, ratios, strict=True):
        row[systems[comparison.a]], row[systems[comparison.b]], row[k] = 1, -1, longer
    y = np.array([score for _, score in usable])
    weights = np.array(_weights([c for c, _ in usable]))
    index, size = index_of([c.query for c, _ in usable])
    whole = _logistic(x, y, weights[None, :], ridge)
    value = finite(whole[0, k])
    if value is None:
        raise DrrError("the fit of length did not converge; this is a defect worth reporting")
    if size < 2:
        return V(value, None, None, len(usable), lost, f"{method}; no interval from one cluster")
    low, high = interval(_logistic(x, y, resampled(size)[:, index] * weights, ridge, start=whole)[:, k])
    how = f"95% percentile bootstrap over {size} queries, B={RESAMPLES}, seed={SEED}"
    return V(value, low, high, len(usable), lost, f"{method}; {how}")


def _logistic(x: Floats, y: Floats, weights: Floats, ridge: float, start: Floats | None = None) -> Floats:
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
        b, value, z = _climbed(b, step, value, objective)
    else:
        b[open_] = np.nan
    return b


def overall(comparisons: Sequence[Comparison]) -> PairDetail:
    """Positions, ratings (three systems and more) and length coefficients by dimension, as one document."""
    ratings: dict[str, StrengthRow] = {}
    lengths: dict[str, VRow] = {}
    for dimension, group in _grouped(comparisons, lambda c: c.dimension).items():
        lengths[dimension] = length_coefficient(group).document()
        if len({name for c in group for name in (c.a, c.b)}) > 2:
            try:
                ratings[dimension] = davidson(group).document()
            except DrrError as refused:
                ratings[dimension] = {"dimension": dimension, "refused": str(refused)}
    return {
        "positions": {name: gate.document() for name, gate in positions(comparisons).items()},
        "ratings": ratings,
        "length": lengths,
    }
