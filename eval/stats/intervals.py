"""Numbers with their uncertainty: one interval for every mean, exact tests, Holm. Unknown is `None`.

A statistic is never a bare number: `V` says how many items stand behind it, how many could not be scored, and how the
interval was made. What is drawn are clusters (queries, or tasks of several queries): trials, dimensions and sizes of one are not independent.

The interval is Student's, shifted for skew, and around a value with two ends never narrower than what so many draws can have missed
(docs/metrics.md). `python -m benchmarks.intervals` simulates what it covers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb, inf, isfinite, log, sqrt
from typing import Any, NamedTuple, NotRequired, TypedDict, TypeVar

import numpy as np
from drr.eval.stats.asked import Asked, cluster_of, tasks_among
from numpy.typing import NDArray

Floats = NDArray[np.float64]
A = TypeVar("A", bound=Asked)
SEED = 20_190_101
LEAST_SPREAD = 1e-9  # values no further apart are equal
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
    all_equal: NotRequired[bool]
    """Where nothing differs."""


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
    """What was drawn; 0 where nothing was."""
    tasks: int = 0
    """The same, where the questions are of fewer tasks; else 0."""
    error: float | None = None
    """The standard error behind the interval."""
    all_equal: bool = False
    """A mean of several, no two of which differ."""

    def within(self, ends: Ends | None) -> V:
        """Keep the interval to these ends of what is averaged.

        Between two ends it holds what so many draws can have missed; of what has an end below only, which is skewed, also as many times
        more and less as Student's reach is of the value (1 + r + r^2/2 is nearly exp(r); beyond a reach of the whole value it stays linear).
        """
        if ends is None or self.value is None or self.clusters < 2:
            return self
        (least, most), method = ends, self.method.partition(_KEPT)[0]
        low, high = self.ci_low, self.ci_high
        if most < inf:
            low = _least(low, self.value - missed(self.clusters) * (self.value - least))
            high = -_least(
                None if high is None else -high, -self.value - missed(self.clusters) * (most - self.value)
            )
            method += f"{_KEPT}from {least:g} to {most:g}, with what so many can have missed"
        elif (
            low is not None
            and high is not None
            and self.error is not None
            and (over := self.value - least) > 0
        ):
            reach = student(self.clusters - 1) * self.error / over
            times = 1 + reach + reach * min(1.0, reach) / 2
            low, high = min(low, least + over / times), max(high, least + over * times)
            method += f"{_KEPT}from {least:g} on"
        if low is None or high is None:
            return self
        value, low, high = (min(max(one, least), most) for one in (self.value, low, high))
        return replace(self, value=value, ci_low=low, ci_high=high, method=method)

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
        if self.all_equal:
            row["all_equal"] = True
        return row


_KEPT = ", of values "


def _least(one: float | None, other: float) -> float:
    return other if one is None else min(one, other)


def missed(draws: int) -> float:
    """Return the share of all values that so many draws can have left unseen. Nine of ten samples would have shown more.

    It is about 2.3 / n. The 0.6 keeps four equal draws at a half, as four coins of one side say nothing else.
    """
    return min(1.0, log(10) / (draws + 0.6))


def student(freedom: int) -> float:
    """Student's 97.5 % point; of more than eight degrees by the expansion around the normal's, within 0.02 %."""
    if freedom <= len(_T):
        return _T[freedom - 1]
    z, v = Z, float(freedom)
    first, second = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96
    return z + first / v + second / v**2 + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)


class StudentSpan(NamedTuple):
    low: float
    high: float
    error: float


def span(value: float, drawn: Floats, freedom: int | None = None) -> StudentSpan | None:
    """Compute Student's interval around the mean of these, shifted towards the longer tail (Johnson 1978); `None` where no two differ.

    Of a figure that is no mean `drawn` are its pseudo-values: what each cluster adds to it.
    """
    n = len(drawn)
    if n < 2 or np.ptp(drawn) <= LEAST_SPREAD * max(1.0, abs(value)):
        return None
    away = drawn - drawn.mean()
    variance, t = float((away**2).sum()) / (n - 1), student(freedom or n - 1)
    error = sqrt(variance / n)
    shift = float((away**3).mean()) / variance * (1 + 2 * t * t) / (6 * n)
    return StudentSpan(value - t * error + shift, value + t * error + shift, error)


def nothing(method: str, n_unscored: int = 0, n: int = 0) -> V:
    return V(None, None, None, n, n_unscored, method)


def finite(value: float | np.floating[Any]) -> float | None:
    number = float(value)
    return number if isfinite(number) else None


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
    """Compute a statistic that depends on its items only through the sums of `rows`. What each cluster adds shows when it is left out.

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
    if statistic is ratio:  # what has no weight is no draw
        sums = sums[sums[:, 1] > 0]
        size = len(sums)
    with np.errstate(divide="ignore", invalid="ignore"):
        total = sums.sum(axis=0, keepdims=True)
        value = finite(statistic(total)[0])
        without = statistic(total - sums) if size > 1 and value is not None else np.array([np.nan])
    known = bool(np.isfinite(without).all())
    found = span(value, size * value - (size - 1) * without) if known and value is not None else None
    unit = "tasks" if tasks else "clusters"
    method_text = f"{method}; {_size_text(size, unit, found, known=known)}"
    low, high, error = found or (None, None, None)
    if cut is not None and low is not None and high is not None and (low < cut[0] or high > cut[1]):
        low, high, method_text = (
            max(low, cut[0]),
            min(high, cut[1]),
            f"{method_text}, cut at {cut[0]:g} and {cut[1]:g}",
        )
    equal = statistic is ratio and known and found is None
    v = V(
        value,
        low,
        high,
        count,
        n_unscored,
        method_text,
        clusters=size,
        tasks=tasks,
        error=error,
        all_equal=equal,
    )
    return v.within(ends)


def _size_text(clusters: int, unit: str, found: StudentSpan | None, *, known: bool) -> str:
    if clusters < 2:
        return f"no interval from one {unit[:-1]}"
    if found is not None:
        return f"95% t interval over {clusters} {unit}, shifted for skew"
    return (
        f"no two of {clusters} {unit} differ"
        if known
        else f"no interval: undefined without one of {clusters} {unit}"
    )


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


SIGNIFICANT = 0.05
"""A p-value, after Holm, below which a difference is beyond the noise."""
FLIPS = 10_000
EXACT_FLIPS = 13
"""Up to so many queries every pattern of signs is counted."""


def paired(
    a: Mapping[A, Sequence[float | None]],
    b: Mapping[A, Sequence[float | None]],
    ends: Ends | None = None,
) -> PairedDifference:
    """Compare on the queries that both sides scored. The interval as of any mean, the p-value by flipping signs, task by task.

    Of a handful of queries flipping signs is exact. `ends` are those of the
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
