"""Numbers with their uncertainty: one interval for every mean, exact tests, Holm. Unknown is `None`.

A statistic is never a bare number: `V` says how many items stand behind it, how many could not be scored, and how the
interval was made. What is drawn are clusters (queries, or tasks of several queries): trials, dimensions and sizes of one are not independent.

The interval is Student's, shifted for skew, and around a value with two ends never narrower than what so many draws can have missed.
That of a share of which each draw is 0 or 1 is exact (docs/judging.md). `python -m benchmarks.intervals` simulates what it covers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import inf, isfinite, log, sqrt
from typing import Any, NamedTuple, NotRequired, TypedDict, TypeVar

import numpy as np
from drr.eval.stats.asked import Asked, cluster_of, tasks_among
from numpy.typing import NDArray

Floats = NDArray[np.float64]
A = TypeVar("A", bound=Asked)
ByQuestion = Mapping[A, Sequence[float | None]]
"""Values of each question's trials; `None` was not scored."""
SEED = 20_190_101
LEAST_SPREAD = 1e-9  # values no further apart are equal
Z = 1.959963984540054
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
    """Number of tasks drawn, where the questions are of fewer tasks."""
    reason: NotRequired[str | None]
    """Why there is no value, where that is known."""
    all_equal: NotRequired[bool]
    """Present where nothing differs."""


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
    """Number of clusters drawn; 0 where nothing was drawn."""
    tasks: int = 0
    """The same, where the questions are of fewer tasks; else 0."""
    error: float | None = None
    """The standard error behind the interval."""
    all_equal: bool = False
    """A mean of several, no two of which differ."""
    zero_one: bool = False
    """Every cluster weighs the same and is 0 or 1 (or -1, of a difference)."""

    def within(self, ends: Ends | None) -> V:
        """Keep the interval to these ends of what is averaged.

        A share of clusters that are 0 or 1 has the exact one. Else, between two ends it holds what so many draws can have missed; of what
        has an end below only, which is skewed, also as many times more and less as Student's reach is of the value (1 + r + r^2/2 is nearly
        exp(r); beyond a reach of the whole value it stays linear).
        """
        if ends is None or self.value is None or self.clusters < 2:
            return self
        if self.zero_one and ends == SHARE:
            return self._exact(self.value)
        (least, most), method = ends, self.method.partition(_KEPT)[0]
        low, high = self.ci_low, self.ci_high
        if most < inf:
            exact = self.zero_one and ends == RELATED
            unseen = 1 - 0.025 ** (1 / self.clusters) if exact else missed(self.clusters)
            low = _least(low, self.value - unseen * (self.value - least))
            high = -_least(None if high is None else -high, -self.value - unseen * (most - self.value))
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

    def _exact(self, value: float) -> V:
        """Take the interval of Clopper and Pearson."""
        from scipy.special import betaincinv

        n, ones = self.clusters, round(value * self.clusters)
        low = float(betaincinv(ones, n - ones + 1, 0.025)) if ones else 0.0
        high = float(betaincinv(ones + 1, n - ones, 0.975)) if ones < n else 1.0
        made, of = self.method.rpartition("; ")[0], "tasks" if self.tasks else "clusters"
        method = f"{made}; exact 95% interval (Clopper-Pearson) over {n} {of}"
        return replace(self, ci_low=low, ci_high=high, method=method)

    def unshifted(self) -> V:
        """Widen the interval to hold Student's without the shift for skew."""
        if self.value is None or self.error is None or self.ci_low is None or self.ci_high is None:
            return self
        reach = student(self.clusters - 1) * self.error
        low, high = min(self.ci_low, self.value - reach), max(self.ci_high, self.value + reach)
        return replace(self, ci_low=low, ci_high=high, method=f"{self.method} and not shifted")

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


@cache
def student(freedom: int) -> float:
    """Student's 97.5 % point."""
    from scipy.special import stdtrit  # half a second

    return float(stdtrit(freedom, 0.975))


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
        low, high = max(low, cut[0]), min(high, cut[1])
        method_text += f", cut at {cut[0]:g} and {cut[1]:g}"
    equal = statistic is ratio and known and found is None
    binary = statistic is ratio and size > 1 and bool(np.isin(abs(sums), (0.0, sums[0, 1])).all())
    v = V(value, low, high, count, n_unscored, method_text, clusters=size, tasks=tasks, error=error)
    return replace(v, all_equal=equal, zero_one=binary).within(ends)


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


def mean(values: ByQuestion[A], method: str = "mean over queries", ends: Ends | None = None) -> V:
    """The mean over queries of the mean over a query's scored trials; queries of one task are drawn together."""
    scored = {key: [x for x in trials if x is not None] for key, trials in values.items()}
    unscored = sum(x is None for trials in values.values() for x in trials)
    present = [(key, sum(xs) / len(xs)) for key, xs in scored.items() if xs]
    n = sum(map(len, scored.values()))
    if n > len(present):
        method += " (trials of a query averaged first)"
    values_of = [x for _, x in present]
    return mean_of(values_of, [key for key, _ in present], method, n=n, n_unscored=unscored, ends=ends)


def mean_of(
    values: Iterable[float],
    clusters: Sequence[Asked],
    method: str,
    *,
    n: int | None = None,
    n_unscored: int = 0,
    ends: Ends | None = SHARE,
) -> V:
    """The mean of items that are all known; a share, where each is 0 or 1."""
    rows = np.array([[value, 1.0] for value in values]).reshape(-1, 2)
    return from_sums(rows, clusters, ratio, method, n=n, n_unscored=n_unscored, ends=ends)


def pooled(pairs: Sequence[tuple[Asked, float, float]], method: str, *, n: int, n_unscored: int = 0) -> V:
    """Sum of numerators over sum of denominators; each pair is (query, numerator, denominator)."""
    rows = np.array([[a, b] for _, a, b in pairs]).reshape(-1, 2)
    names = [key for key, _, _ in pairs]
    return from_sums(rows, names, ratio, method, n=n, n_unscored=n_unscored, ends=SHARE)


def divided(part: Floats, whole: Floats, least: float = 0.0) -> Floats:
    """Undefined (NaN) where the whole is no more than this."""
    return np.where(whole > least, part / np.where(whole > least, whole, 1), np.nan)


def ratio(sums: Floats) -> Floats:
    """First column over second, undefined where the second is zero: the statistic behind every mean and share."""
    return divided(sums[:, 0], sums[:, 1])


def spread(values: ByQuestion[A]) -> float | None:
    """The standard deviation (n - 1) over every scored report, as the paper's Table 5 prints beside its means."""
    scored = [x for trials in values.values() for x in trials if x is not None]
    return float(np.std(scored, ddof=1)) if len(scored) > 1 else None


RESAMPLES = 2000
LEVEL = 0.95
KEPT, BLOCK = 2000, 100
FEWEST = 10
"""Clusters. A bootstrap over fewer covers far less than it says: 4 queries that agree by chance would have no interval at all."""


class Bounds(NamedTuple):
    low: float | None
    high: float | None
    method: str


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
