"""Computes statistics with confidence intervals. Unknown is `None`.

A statistic is never a bare number: `Statistic` says how many items it is from, how many could not be scored, and how the interval was
computed. Clusters (queries, or tasks of several queries) are the independent draws, because trials, dimensions and sizes of one query are not.

The interval is Student's, shifted for skew. Between two bounds it is never narrower than what so many draws can have missed.
For a share where each draw is 0 or 1 it is exact (docs/judging-reference.md). `python -m benchmarks.intervals` simulates the coverage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import inf, isfinite, log, sqrt
from typing import Any, NamedTuple, NotRequired, TypedDict, TypeVar, cast

import numpy as np
from drr.eval.stats.question import Asked, cluster_of, tasks_among
from numpy.typing import NDArray

Floats = NDArray[np.float64]
A = TypeVar("A", bound=Asked)
ByQuestion = Mapping[A, Sequence[float | None]]
"""Values of each question's trials; `None` was not scored."""
SEED = 20_190_101
LEAST_SPREAD = 1e-9  # values no further apart are equal
FEWEST = 10
"""Fewest clusters for an interval of a figure that is no mean. Below, the interval would cover far less than it says."""
Z = 1.959963984540054
Ends = tuple[float, float]
SHARE: Ends = (0.0, 1.0)
RELATED: Ends = (-1.0, 1.0)
"""Bounds of correlations and of agreement beyond chance, at which their intervals are cut."""
COUNTED: Ends = (0.0, inf)
"""Bounds of counts, costs and seconds: no upper bound."""


class VRow(TypedDict):
    """The form of `Statistic` in a document."""

    value: float | None
    ci_low: float | None
    ci_high: float | None
    n: int
    n_unscored: int
    method: str
    tasks: NotRequired[int]
    """Number of tasks drawn, where there are fewer tasks than questions."""
    questions: NotRequired[int]
    """Number of questions behind the interval, where their trials were averaged and `n` counts answers."""
    reason: NotRequired[str | None]
    """Reason why there is no value, where known."""
    all_equal: NotRequired[bool]
    """Present and true where all values are equal."""


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic with its interval. `n` items were scored, `n_unscored` were not (failed, undefined or dropped by the definition)."""

    value: float | None
    ci_low: float | None
    ci_high: float | None
    n: int
    n_unscored: int
    method: str
    """Definition of the figure."""
    reason: str | None = None
    """Reason why there is no value, where known."""
    clusters: int = 0
    """Number of clusters drawn; 0 where nothing was drawn."""
    tasks: int = 0
    """Number of tasks drawn, where there are fewer tasks than questions; else 0."""
    questions: int = 0
    """Number of questions, where their trials were averaged; else 0."""
    error: float | None = None
    """The standard error behind the interval."""
    all_equal: bool = False
    """True if the value is a mean of several clusters that are all equal."""
    zero_one: bool = False
    """True if all clusters have the same weight and are 0 or 1 (or -1, for a difference)."""
    how: str = ""
    """Formula of the interval, or the reason why there is none."""
    fitted: str = ""
    """Change of the interval by bounds of the values, or by a test."""

    @property
    def sentence(self) -> str:
        """Definition and interval in words, as documents name them."""
        return "; ".join(filter(None, (self.method, self.how))) + self.fitted

    def within(self, ends: Ends | None) -> Statistic:
        """Fit the interval to the bounds of the averaged values.

        A share of clusters that are 0 or 1 gets the exact interval. Other values with two bounds get one that holds what so many draws can have
        missed. Values with only a lower bound are skewed, so their interval is also widened to a ratio around the value, by Student's
        relative half-width r (1 + r + r^2/2 is nearly exp(r); for r above 1 the ratio grows linearly).
        """
        if ends is None or self.value is None or self.clusters < 2:
            return self
        # Of 30 questions with a true share of .01, Student's interval held it in only 74 % of samples.
        if self.zero_one and ends == SHARE:
            return self._exact(self.value)
        (least, most), value, fitted = ends, self.value, ""
        low, high = (
            (inf if self.ci_low is None else self.ci_low),
            (-inf if self.ci_high is None else self.ci_high),
        )
        if most < inf:
            exact = self.zero_one and ends == RELATED
            unseen = 1 - 0.025 ** (1 / self.clusters) if exact else share_missed_by_draws(self.clusters)
            low, high = min(low, value - unseen * (value - least)), max(high, value + unseen * (most - value))
            fitted = f", of values from {least:g} to {most:g}, with what so many can have missed"
        elif low > high:
            return self
        elif self.error is not None and (over := value - least) > 0:
            reach = student_quantile(self.clusters - 1) * self.error / over
            times = 1 + reach + reach * min(1.0, reach) / 2
            low, high = min(low, least + over / times), max(high, least + over * times)
            fitted = f", of values from {least:g} on"
        value, low, high = (min(max(one, least), most) for one in (value, low, high))
        return replace(self, value=value, ci_low=low, ci_high=high, fitted=fitted)

    def _exact(self, value: float) -> Statistic:
        """Return the statistic with the interval of Clopper and Pearson."""
        from scipy.special import betaincinv

        n, ones = self.clusters, round(value * self.clusters)
        low = float(betaincinv(ones, n - ones + 1, 0.025)) if ones else 0.0
        high = float(betaincinv(ones + 1, n - ones, 0.975)) if ones < n else 1.0
        how = f"exact 95% interval (Clopper-Pearson) over {n} {'tasks' if self.tasks else 'clusters'}"
        return replace(self, ci_low=low, ci_high=high, how=how, fitted="")

    def unshifted(self) -> Statistic:
        """Widen the interval so that it holds Student's interval without the shift for skew.

        Where few questions differ, their skew is chance: of 200 questions, one in a hundred won and one lost, the shifted interval held the truth in 88 %.
        """
        if self.value is None or self.error is None or self.ci_low is None or self.ci_high is None:
            return self
        reach = student_quantile(self.clusters - 1) * self.error
        low, high = min(self.ci_low, self.value - reach), max(self.ci_high, self.value + reach)
        return replace(self, ci_low=low, ci_high=high, how=f"{self.how} and not shifted")

    def document(self) -> VRow:
        row = {name: getattr(self, name) for name in ("value", "ci_low", "ci_high", "n", "n_unscored")}
        seldom = {name: getattr(self, name) for name in ("tasks", "questions", "reason", "all_equal")}
        known = {name: x for name, x in seldom.items() if x}
        return cast("VRow", {**row, "method": self.sentence, **known})


def share_missed_by_draws(draws: int) -> float:
    """Return the largest share of values that so many draws may have missed. Of 10 samples, 9 would show a value of any larger share.

    The share is about 2.3 / n. The 0.6 keeps four equal draws at one half, because four equal coin flips tell no more.
    """
    return min(1.0, log(10) / (draws + 0.6))


@cache
def student_quantile(freedom: int) -> float:
    """Return the 97.5 % point of Student's t distribution."""
    from scipy.special import stdtrit  # half a second

    return float(stdtrit(freedom, 0.975))


class StudentSpan(NamedTuple):
    low: float
    high: float
    error: float


def student_interval(value: float, drawn: Floats, freedom: int | None = None) -> StudentSpan | None:
    """Compute Student's interval around a mean, shifted towards the longer tail (Johnson 1978). `None` where all values are equal.

    For a figure that is no mean, `drawn` are pseudo-values: what each cluster adds to the figure.
    """
    n = len(drawn)
    # Equal values have no spread: the formula would give an interval of no width, as if all were certain.
    if n < 2 or np.ptp(drawn) <= LEAST_SPREAD * max(1.0, abs(value)):
        return None
    away = drawn - drawn.mean()
    variance, t = float((away**2).sum()) / (n - 1), student_quantile(freedom or n - 1)
    error = sqrt(variance / n)
    shift = float((away**3).mean()) / variance * (1 + 2 * t * t) / (6 * n)
    return StudentSpan(value - t * error + shift, value + t * error + shift, error)


def empty_statistic(method: str, n_unscored: int = 0, n: int = 0) -> Statistic:
    return Statistic(None, None, None, n, n_unscored, method)


def finite_or_none(value: float | np.floating[Any]) -> float | None:
    number = float(value)
    return number if isfinite(number) else None


def index_of(labels: Sequence[str]) -> tuple[NDArray[np.int64], int]:
    """Return each label's cluster number, in order of first appearance, and the number of clusters."""
    seen: dict[str, int] = {}
    return np.array([seen.setdefault(label, len(seen)) for label in labels], dtype=np.int64), len(seen)


def interval_from_clusters(
    value: float | None,
    drawn: Floats,
    method: str,
    *,
    n: int,
    n_unscored: int = 0,
    unit: str = "cluster",
    freedom: int | None = None,
    fewest: int = 2,
    cut: Ends | None = None,
) -> Statistic:
    """Build a statistic with Student's interval from the pseudo-values of its clusters. NaN means that the figure is undefined without a cluster."""
    size = len(drawn) if freedom is None else freedom + 1
    known = value is not None and bool(np.isfinite(drawn).all())
    enough = known and size >= fewest
    found = student_interval(value, drawn, size - 1) if value is not None and enough else None
    low, high, error = found or (None, None, None)
    if size < 2:
        made = f"no interval from one {unit}"
    elif size < fewest:
        made = f"no interval: {size} {unit}s are too few"
    elif found is not None:
        made = f"95% t interval over {size} {unit}s, shifted for skew"
    else:
        made = (
            f"no two of {size} {unit}s differ"
            if known
            else f"no interval: undefined without one of {size} {unit}s"
        )
    if cut is not None and found is not None and (found.low < cut[0] or found.high > cut[1]):
        low, high = max(found.low, cut[0]), min(found.high, cut[1])
        made += f", cut at {cut[0]:g} and {cut[1]:g}"
    return Statistic(value, low, high, n, n_unscored, method, clusters=size, error=error, how=made)


def left_out(value: float | None, without: Floats) -> Floats:
    """Return the pseudo-values of a figure, from its values `without` each cluster."""
    size = len(without)
    return np.full(size, np.nan) if value is None else size * value - (size - 1) * without


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
) -> Statistic:
    """Compute a statistic that depends on its items only through the sums of `rows`. The interval comes from leaving out each cluster.

    `statistic` maps sums, one per line, to values, one per line; undefined is NaN there and `None` here. `ends` are the bounds of a mean
    or share, which its items cannot exceed; `cut` are the bounds at which the interval of another statistic is cut.
    """
    count = len(rows) if n is None else n
    if not len(rows):
        return empty_statistic(method, n_unscored, count)
    position, size = index_of([cluster_of(one) for one in clusters])
    tasks = tasks_among(clusters)
    sums = np.zeros((size, rows.shape[1]))
    np.add.at(sums, position, rows)
    if statistic is ratio:  # what has no weight is no draw
        sums = sums[sums[:, 1] > 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        total = sums.sum(axis=0, keepdims=True)
        value = finite_or_none(statistic(total)[0])
        drawn = left_out(value, statistic(total - sums))
    unit = "task" if tasks else "cluster"
    v = interval_from_clusters(value, drawn, method, n=count, n_unscored=n_unscored, unit=unit, cut=cut)
    if statistic is not ratio:
        return replace(v, tasks=tasks)
    # The exact interval counts draws, so it holds only where each draw weighs the same.
    binary = len(sums) > 1 and bool(np.isin(abs(sums), (0.0, sums[0, 1])).all())
    equal = v.clusters > 1 and v.error is None
    return replace(v, tasks=tasks, zero_one=binary, all_equal=equal).within(ends)


def mean(values: ByQuestion[A], method: str = "mean over queries", ends: Ends | None = None) -> Statistic:
    """Return the mean over queries of the mean over a query's scored trials. Queries of one task are one draw."""
    scored = {key: [x for x in trials if x is not None] for key, trials in values.items()}
    unscored = sum(x is None for trials in values.values() for x in trials)
    present = [(key, sum(xs) / len(xs)) for key, xs in scored.items() if xs]
    n = sum(map(len, scored.values()))
    if n > len(present):
        method += " (trials of a query averaged first)"
    keys, values_of = [key for key, _ in present], [x for _, x in present]
    found = mean_of(values_of, keys, method, n=n, n_unscored=unscored, ends=ends)
    return replace(found, questions=len(present) if n > len(present) else 0)


def drawn(row: VRow) -> int:
    """Return the number of questions behind a figure's interval, which stands beside it wherever it is shown."""
    return row.get("questions", row["n"])


def mean_of(
    values: Iterable[float],
    clusters: Sequence[Asked],
    method: str,
    *,
    n: int | None = None,
    n_unscored: int = 0,
    ends: Ends | None = SHARE,
) -> Statistic:
    """Return the mean of items that are all known; a share, where each is 0 or 1."""
    rows = np.array([[value, 1.0] for value in values]).reshape(-1, 2)
    return from_sums(rows, clusters, ratio, method, n=n, n_unscored=n_unscored, ends=ends)


def pooled_ratio(
    pairs: Sequence[tuple[Asked, float, float]], method: str, *, n: int, n_unscored: int = 0
) -> Statistic:
    """Return the sum of numerators over the sum of denominators; each pair is (query, numerator, denominator)."""
    rows = np.array([[a, b] for _, a, b in pairs]).reshape(-1, 2)
    names = [key for key, _, _ in pairs]
    return from_sums(rows, names, ratio, method, n=n, n_unscored=n_unscored, ends=SHARE)


def safe_division(part: Floats, whole: Floats, least: float = 0.0) -> Floats:
    """Divide, with NaN where the divisor is at most `least`."""
    return np.where(whole > least, part / np.where(whole > least, whole, 1), np.nan)


def ratio(sums: Floats) -> Floats:
    """Divide the first column by the second, with NaN where the second is zero. This statistic is behind every mean and share."""
    return safe_division(sums[:, 0], sums[:, 1])


def spread(values: ByQuestion[A]) -> float | None:
    """Return the standard deviation (n - 1) over all scored reports, which the paper's Table 5 prints beside the means."""
    scored = [x for trials in values.values() for x in trials if x is not None]
    return float(np.std(scored, ddof=1)) if len(scored) > 1 else None
