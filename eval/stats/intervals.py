"""Numbers with their uncertainty: intervals by a bootstrap over queries, exact tests, Holm. Unknown is `None`.

A statistic is never a bare number: `V` says how many items stand behind it, how many could not be scored, and how the
interval was made. Resampling is over clusters (queries, or tasks of several queries): trials, dimensions and sizes of one are not independent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import comb, exp, inf, isfinite, sqrt
from typing import Any, NotRequired, TypedDict, TypeVar

import numpy as np
from drr.eval.stats.asked import Asked, cluster_of, tasks_among
from numpy.typing import NDArray

Floats = NDArray[np.float64]
A = TypeVar("A", bound=Asked)
RESAMPLES = 2000
SEED = 20_190_101
LEVEL = 0.95
KEPT, BLOCK = 2000, 100
FEWEST = 10
"""Clusters. A bootstrap over fewer covers far less than it says: 4 queries that agree by chance would have no interval at all."""
LEAST_SPREAD = 1e-9  # two ends no further apart are one
Z = 1.959963984540054
_T = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060)
"""Student's 97.5 % point from one degree of freedom on."""
Ends = tuple[float, float]
SHARE: Ends = (0.0, 1.0)
RELATED: Ends = (-1.0, 1.0)
"""Correlations and agreement beyond chance: no means, but nothing beyond these is one."""
COUNTED: Ends = (0.0, inf)
"""Counts, costs, seconds: no end above."""


class VRow(TypedDict):
    """`V` in a document."""

    value: float | None
    ci_low: float | None
    ci_high: float | None
    n: int
    n_unscored: int
    method: str
    tasks: NotRequired[int]
    """What was drawn, where the questions are of fewer tasks."""
    reason: NotRequired[str | None]
    """Why there is no value, where that is known."""


class DifferenceRow(VRow):
    a: float | None
    b: float | None
    p: float | None
    p_holm: float | None


@dataclass(frozen=True, slots=True)
class V:
    """One statistic. `n` items were scored, `n_unscored` were not (failed, undefined or dropped by the definition)."""

    value: float | None
    ci_low: float | None
    ci_high: float | None
    n: int
    n_unscored: int
    method: str
    reason: str | None = None
    """Why there is no value, where that is known."""
    clusters: int = 0
    """What was resampled; 0 where nothing was."""
    tasks: int = 0
    """The same, where the questions are of fewer tasks; else 0."""
    error: float | None = None
    """The standard error behind Student's interval of few clusters."""

    def within(self, ends: Ends | None) -> V:
        """With the interval of a mean that cannot leave these ends, where too few clusters, or none that differ, allow no other."""
        if ends is None or self.value is None or self.clusters < 2:
            return self
        if ends[1] == inf:
            return self._from(ends[0])
        if self.clusters >= FEWEST and self.ci_low is not None and self.ci_low != self.ci_high:
            return self
        low, high = _mean_within(self.value, self.clusters, ends)
        why = "no two of them differ" if self.clusters >= FEWEST else f"fewer than {FEWEST}"
        told = f"95% interval of a mean from {ends[0]:g} to {ends[1]:g} of {self.clusters} {_unit(self.tasks)} ({why})"
        return replace(self, ci_low=low, ci_high=high, method=f"{self.method.partition('; ')[0]}; {told}")

    def _from(self, least: float) -> V:
        """With Student's interval of few clusters taken on the logarithm, as what is counted is skewed and never below `least`.

        Of two clusters its upper end would be hundreds of times the mean; there it is the plain one, cut at `least`.
        """
        over = 0.0 if self.value is None else self.value - least
        if self.error is None or over <= 0:
            return self
        half = _T[self.clusters - 2] * self.error
        few = f"over {self.clusters} {_unit(self.tasks)} (fewer than {FEWEST})"
        if self.clusters == 2:
            low, high, told = max(0.0, over - half), over + half, f"95% t interval {few}, cut at {least:g}"
        else:
            low, high = over * exp(-half / over), over * exp(half / over)
            told = f"95% t interval of the logarithm {few}"
        return replace(
            self, ci_low=least + low, ci_high=least + high, method=f"{self.method.partition('; ')[0]}; {told}"
        )

    def document(self) -> VRow:
        row: VRow = {
            "value": self.value,
            "ci_low": self.ci_low,
            "ci_high": self.ci_high,
            "n": self.n,
            "n_unscored": self.n_unscored,
            "method": self.method,
        }
        if self.tasks:
            row["tasks"] = self.tasks
        if self.reason is not None:
            row["reason"] = self.reason
        return row


def nothing(method: str, n_unscored: int = 0, n: int = 0) -> V:
    return V(None, None, None, n, n_unscored, method)


def finite(value: float | np.floating[Any]) -> float | None:
    number = float(value)
    return number if isfinite(number) else None


@lru_cache(maxsize=8)
def resampled(clusters: int) -> Floats:
    """How often each cluster is drawn in each resample; the same draw for every statistic over as many clusters."""
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


def interval(draws: Floats) -> tuple[float | None, float | None]:
    """The percentile interval; `None` where a resample is undefined more often than the level leaves room for, and where the ends are
    one: what does not vary tells nothing of its error."""
    good = draws[np.isfinite(draws)]
    if draws.size == 0 or good.size < LEVEL * draws.size:
        return None, None
    low, high = np.percentile(good, [100 * (1 - LEVEL) / 2, 100 * (1 + LEVEL) / 2])
    return (None, None) if high - low <= LEAST_SPREAD else (float(low), float(high))


def index_of(labels: Sequence[str]) -> tuple[NDArray[np.int64], int]:
    """Clusters as positions, in order of first appearance."""
    seen: dict[str, int] = {}
    return np.array([seen.setdefault(label, len(seen)) for label in labels], dtype=np.int64), len(seen)


def from_sums(
    rows: Floats,
    clusters: Sequence[Asked],
    statistic: Callable[[Floats], Floats],
    method: str,
    *,
    n: int | None = None,
    n_unscored: int = 0,
    ends: Ends | None = None,
    cut: Ends | None = None,
) -> V:
    """A statistic that depends on its items only through the sums of `rows`: resampling is one matrix product.

    `statistic` maps sums, one per line, to values, one per line; undefined is NaN there and `None` here. `ends` are those of a mean
    or share of items that cannot lie beyond them; `cut`, those of a statistic of another kind, where its interval stops.
    """
    count = len(rows) if n is None else n
    if not len(rows):
        return nothing(method, n_unscored, count)
    position, size = index_of([cluster_of(one) for one in clusters])
    tasks = tasks_among(clusters)
    sums = np.zeros((size, rows.shape[1]))
    np.add.at(sums, position, rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = finite(statistic(sums.sum(axis=0, keepdims=True))[0])
        low, high, error = None, None, None
        if size >= 2 and value is not None and (size >= FEWEST or ends is None or ends[1] == inf):
            draws = over_resamples(size, lambda weights: statistic(weights @ sums))
            if size >= FEWEST:
                low, high = interval(draws)
            elif (error := _error(value, draws, size)) is not None:
                low, high = value - _T[size - 2] * error, value + _T[size - 2] * error
    told = f"{method}; {told_of_bootstrap(size, _unit(tasks), low)}"
    if cut is not None and low is not None and high is not None and (low < cut[0] or high > cut[1]):
        low, high, told = max(low, cut[0]), min(high, cut[1]), f"{told}, cut at {cut[0]:g} and {cut[1]:g}"
    found = V(value, low, high, count, n_unscored, told, clusters=size, tasks=tasks, error=error)
    return found.within(ends)


def _unit(tasks: int) -> str:
    return "tasks" if tasks else "clusters"


def told_of_bootstrap(clusters: int, unit: str, low: float | None) -> str:
    if clusters < 2:
        return f"no interval from one {unit[:-1]}"
    if clusters >= FEWEST and low is None:
        return f"no interval: resamples of {clusters} {unit} do not tell one"
    if clusters >= FEWEST:
        return f"95% percentile bootstrap over {clusters} {unit}, B={RESAMPLES}, seed={SEED}"
    if low is None:
        return f"no interval: {clusters} {unit} are too few"
    return f"95% t interval over {clusters} {unit} (fewer than {FEWEST}), its standard error by bootstrap"


def _error(value: float, draws: Floats, clusters: int) -> float | None:
    """The bootstrap's own, which is too small by (n - 1) / n; none without spread."""
    good = draws[np.isfinite(draws)]
    if good.size < LEVEL * draws.size or np.ptp(good) <= 1e-12 * max(1.0, abs(value)):
        return None
    return float(np.std(good)) * sqrt(clusters / (clusters - 1))


def _mean_within(value: float, n: int, ends: Ends) -> tuple[float, float]:
    """Wilson's interval with its correction for continuity, as if each cluster were at one end or the other: no values between
    the same ends vary more."""
    width = ends[1] - ends[0]
    p = min(1.0, max(0.0, (value - ends[0]) / width))
    return ends[0] + width * _lower(p, n), ends[0] + width * (1.0 - _lower(1.0 - p, n))


def _lower(p: float, n: int) -> float:
    """Wilson's lower end of what lies half a cluster below; what lies less than half a cluster above an end reaches to it."""
    if (under := n * p - 0.5) <= 0:
        return 0.0
    half = Z * sqrt(Z * Z + 4 * under * (1 - under / n))
    return (2 * under + Z * Z - half) / (2 * (n + Z * Z))


def mean(
    values: Mapping[A, Sequence[float | None]],
    method: str = "mean over queries",
    ends: Ends | None = None,
) -> V:
    """The mean over queries of the mean over a query's scored trials; queries of one task are drawn together."""
    scored = {key: [x for x in trials if x is not None] for key, trials in values.items()}
    unscored = sum(x is None for trials in values.values() for x in trials)
    present = [(key, sum(xs) / len(xs)) for key, xs in scored.items() if xs]
    n = sum(map(len, scored.values()))
    if n > len(present):
        method += " (trials of a query averaged first)"
    rows = np.array([[x, 1.0] for _, x in present]).reshape(-1, 2)
    return from_sums(rows, [key for key, _ in present], ratio, method, n=n, n_unscored=unscored, ends=ends)


def pooled(pairs: Sequence[tuple[Asked, float, float]], method: str, *, n: int, n_unscored: int = 0) -> V:
    """Sum of numerators over sum of denominators; each pair is (query, numerator, denominator)."""
    rows = np.array([[a, b] for _, a, b in pairs]).reshape(-1, 2)
    names = [key for key, _, _ in pairs]
    return from_sums(rows, names, ratio, method, n=n, n_unscored=n_unscored, ends=SHARE)


def ratio(sums: Floats) -> Floats:
    """First column over second, undefined where the second is zero: the statistic behind every mean and share."""
    return np.where(sums[:, 1] > 0, sums[:, 0] / np.where(sums[:, 1] > 0, sums[:, 1], 1), np.nan)


def spread(values: Mapping[A, Sequence[float | None]]) -> float | None:
    """The standard deviation (n - 1) over every scored report, as the paper's Table 5 prints beside its means."""
    scored = [x for trials in values.values() for x in trials if x is not None]
    return float(np.std(scored, ddof=1)) if len(scored) > 1 else None


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """`a` minus `b` on the queries both have."""

    difference: V
    a: float | None
    b: float | None
    p: float | None
    p_holm: float | None = None

    def document(self) -> DifferenceRow:
        return {
            **self.difference.document(),
            "a": self.a,
            "b": self.b,
            "p": self.p,
            "p_holm": self.p_holm,
        }


FLIPS = 10_000
EXACT_FLIPS = 13
"""Up to so many queries every pattern of signs is counted."""


def paired(
    a: Mapping[A, Sequence[float | None]],
    b: Mapping[A, Sequence[float | None]],
    ends: Ends | None = None,
) -> PairedDifference:
    """On the queries that both sides scored: the interval by a paired bootstrap, the p-value by flipping signs, task by task.

    A bootstrap's own p-value is far too small for a handful of queries, where flipping signs is exact. `ends` are those of the
    values, not of their differences.
    """
    method = "mean paired difference over queries"
    left, right = _query_means(a), _query_means(b)
    both = [key for key in left if key in right]
    dropped = len(set(a) | set(b)) - len(both)
    if not both:
        return PairedDifference(nothing(method, dropped), None, None, None)
    rows = np.array([[left[key] - right[key], 1.0] for key in both])
    apart = None if ends is None or ends[1] == inf else (ends[0] - ends[1], ends[1] - ends[0])
    difference = from_sums(rows, both, ratio, method, n_unscored=dropped, ends=apart)
    place, tasks = index_of([cluster_of(key) for key in both])
    p = sign_flip(np.bincount(place, weights=rows[:, 0], minlength=tasks).astype(np.float64))
    return PairedDifference(
        difference,
        sum(left[key] for key in both) / len(both),
        sum(right[key] for key in both) / len(both),
        p,
    )


def sign_flip(differences: Floats) -> float | None:
    """Two-sided: how often random signs give a mean at least as far from zero. Zeros stay zeros."""
    decided = differences[differences != 0]
    n = len(decided)
    if len(differences) == 0:
        return None
    if n == 0:
        return 1.0
    seen = abs(decided.sum()) - 1e-9 * np.abs(decided).sum()
    if n <= EXACT_FLIPS:
        signs = 1.0 - 2.0 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        return float((np.abs(signs @ decided) >= seen).mean())
    signs = np.random.default_rng(SEED).choice([-1.0, 1.0], size=(FLIPS, n))
    return float(((np.abs(signs @ decided) >= seen).sum() + 1) / (FLIPS + 1))


def _query_means(values: Mapping[A, Sequence[float | None]]) -> dict[A, float]:
    scored = {key: [x for x in trials if x is not None] for key, trials in values.items()}
    return {key: sum(xs) / len(xs) for key, xs in scored.items() if xs}


def with_holm(family: Mapping[str, PairedDifference]) -> dict[str, PairedDifference]:
    """The family's p-values corrected together."""
    adjusted = holm([d.p for d in family.values()])
    return {name: replace(d, p_holm=p) for (name, d), p in zip(family.items(), adjusted, strict=True)}


def wilson(successes: float, n: int) -> tuple[float | None, float | None]:
    """Wilson's 95% interval for a share."""
    if n == 0:
        return None, None
    z = Z
    share = successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def share(successes: int, n: int, method: str, n_unscored: int = 0) -> V:
    low, high = wilson(successes, n)
    return V(successes / n if n else None, low, high, n, n_unscored, f"{method}; 95% Wilson interval")


def sign_test(wins: int, losses: int) -> float | None:
    """Exact two-sided sign test; `None` where nothing was decided."""
    n = wins + losses
    if n == 0:
        return None
    tail = sum(comb(n, k) for k in range(min(wins, losses) + 1))
    return min(1.0, float(2 * tail / 2**n))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjustment; `None` (no test was possible) stays and does not count as a test."""
    order = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    running = 0.0
    for rank, (p, i) in enumerate(order):
        running = max(running, min(1.0, (len(order) - rank) * p))
        adjusted[i] = running
    return adjusted
