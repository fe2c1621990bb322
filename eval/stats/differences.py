"""Statistics of differences between systems: paired tests, Holm's correction, and the noise floor.

The noise floor is the difference between two means that repetition alone can cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb, inf, sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
from drr.eval.stats.intervals import (
    SEED,
    A,
    ByQuestion,
    Ends,
    Floats,
    Statistic,
    VRow,
    Z,
    empty_statistic,
    from_sums,
    index_of,
    ratio,
    student_quantile,
)
from drr.eval.stats.question import cluster_of


class DifferenceRow(VRow):
    a: float | None
    b: float | None
    p: float | None
    p_holm: float | None


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The difference `a` minus `b` on the queries that both have."""

    difference: Statistic
    a: float | None
    b: float | None
    p: float | None
    p_holm: float | None = None

    def document(self) -> DifferenceRow:
        row = self.difference.document()
        return {**row, "a": self.a, "b": self.b, "p": self.p, "p_holm": self.p_holm}


SIGNIFICANT = 0.05
"""Largest p-value, after Holm's correction, at which a difference counts as beyond noise."""


def is_settled(row: DifferenceRow) -> bool:
    """Tell whether the corrected test is significant and the interval, where there is one, excludes zero."""
    p, low, high = row["p_holm"], row["ci_low"], row["ci_high"]
    leaves_out = low is None or high is None or low > 0 or high < 0
    return p is not None and p < SIGNIFICANT and leaves_out


FLIPS = 10_000
EXACT_FLIPS = 13
"""Most queries for which all patterns of signs are counted; above, signs are drawn at random."""


def paired(a: ByQuestion[A], b: ByQuestion[A], ends: Ends | None = None) -> PairedDifference:
    """Compare two sides on the queries that both scored. The interval is that of a mean; the p-value comes from flipping signs, task by task.

    The interval also holds Student's plain one, because the skew of few different queries is chance. For a handful of queries the
    test is exact. `ends` are the bounds of the values, not of their differences.
    """
    method = "mean paired difference over queries"
    left, right = query_means(a), query_means(b)
    both = [key for key in left if key in right]
    dropped = len(set(a) | set(b)) - len(both)
    if not both:
        return PairedDifference(empty_statistic(method, dropped), None, None, None)
    rows = np.array([[left[key] - right[key], 1.0] for key in both])
    apart = None if ends is None or ends[1] == inf else (ends[0] - ends[1], ends[1] - ends[0])
    difference = from_sums(rows, both, ratio, method, n_unscored=dropped).unshifted().within(apart)
    place, tasks = index_of([cluster_of(key) for key in both])
    p = sign_flip(np.bincount(place, weights=rows[:, 0], minlength=tasks).astype(np.float64))
    mean_a, mean_b = (sum(side[key] for key in both) / len(both) for side in (left, right))
    return PairedDifference(difference, mean_a, mean_b, p)


def unpaired(a: ByQuestion[A], b: ByQuestion[A], ends: Ends | None = None) -> PairedDifference:
    """Compare two sides that answered different questions of one kind, by Welch's test and its interval."""
    method = "difference of two means, Welch's 95% t interval"
    sides = [np.array(list(query_means(side).values())) for side in (a, b)]
    if min(map(len, sides)) < 2:
        return PairedDifference(empty_statistic(method), None, None, None)
    means, parts = [float(side.mean()) for side in sides], [side.var(ddof=1) / len(side) for side in sides]
    value, error = means[0] - means[1], sqrt(sum(parts))
    if error == 0:
        same = Statistic(value, None, None, len(sides[0]), 0, f"{method}: neither side varies")
        return PairedDifference(same, means[0], means[1], float(value == 0))
    from scipy.special import stdtr

    pieces = (part**2 / (len(side) - 1) for part, side in zip(parts, sides, strict=True))
    freedom = sum(parts) ** 2 / sum(pieces)
    reach = student_quantile(max(1, int(freedom))) * error
    low, high = value - reach, value + reach
    if ends is not None and ends[1] < inf:
        low, high = max(low, ends[0] - ends[1]), min(high, ends[1] - ends[0])
    found = Statistic(value, low, high, len(sides[0]), 0, method, error=error)
    return PairedDifference(found, means[0], means[1], 2 * float(stdtr(freedom, -abs(value / error))))


POWER = 0.8416212335729143
"""Normal quantile of 80 %: a smallest detectable difference is found in four of five cases."""


def detectable_difference(error: float | None, n: int, tests: int = 1) -> float | None:
    """Return the smallest difference that so many corrected tests at 5 % find in four of five cases.

    `error` is the standard error of the difference over n draws. Where it is not known, the difference is a share of draws that all
    move one way between 0 and 1, of which m in n have the standard error of the square root of m, divided by n. `None`: so few show none.
    """
    from scipy.special import stdtrit

    if n < 2:
        return None
    reach = float(stdtrit(n - 1, 1 - SIGNIFICANT / (2 * tests))) + POWER
    if error is not None:
        return reach * error
    return reach**2 / n if reach**2 <= n else None


def sign_flip(differences: Floats) -> float | None:
    """Return the two-sided p-value: how often random signs give a mean at least as far from zero. Zeros stay zeros."""
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


def query_means(values: ByQuestion[A]) -> dict[A, float]:
    """Return the mean over the scored trials of each query that has any."""
    scored = {key: [x for x in trials if x is not None] for key, trials in values.items()}
    return {key: sum(xs) / len(xs) for key, xs in scored.items() if xs}


def with_holm(family: Mapping[str, PairedDifference]) -> dict[str, PairedDifference]:
    """Return the family's differences with p-values corrected together by Holm's method."""
    adjusted = holm([d.p for d in family.values()])
    return {name: replace(d, p_holm=p) for (name, d), p in zip(family.items(), adjusted, strict=True)}


def sign_test(wins: int, losses: int) -> float | None:
    """Return the p-value of the exact two-sided sign test; `None` where nothing was decided."""
    n = wins + losses
    if n == 0:
        return None
    tail = sum(comb(n, k) for k in range(min(wins, losses) + 1))
    return min(1.0, float(2 * tail / 2**n))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Apply Holm's step-down adjustment. `None` (no test was possible) stays and does not count as a test."""
    order = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    running = 0.0
    for rank, (p, i) in enumerate(order):
        running = max(running, min(1.0, (len(order) - rank) * p))
        adjusted[i] = running
    return adjusted


Repeated = Mapping[Any, Sequence[float | None]]
"""Values of all repetitions, by the repeated thing (a question, a report)."""


ENOUGH = 10
"""Fewest repeated questions or reports for a variance estimate of the system alone."""


class RepetitionFloor(NamedTuple):
    value: float
    """Difference that repetition alone keeps two equally good systems within, in 19 of 20 cases."""
    by: Literal["trials", "judge repeats"]
    n: int
    """Number of questions or reports with more than one repetition, over all systems."""


def noise_floor(
    trials: Mapping[str, Repeated], again: Mapping[str, Repeated] | None = None
) -> RepetitionFloor | None:
    """Compute the noise floor from trials by system and question, which include the judge's noise, else from repeated judging runs.

    `None` where neither was repeated. A system has its own variance where enough was repeated, else the pooled one. The floor is that
    of the two systems whose means vary most, so that no pair has a larger one.
    """
    sd, n = pooled_sd(values for own in trials.values() for values in own.values())
    by: Literal["trials", "judge repeats"] = "trials"
    repeated = trials
    if sd is None and again is not None:
        sd, n = pooled_sd(values for own in again.values() for values in own.values())
        by, repeated = "judge repeats", again
    if sd is None:
        return None
    variances = []
    for name, own in trials.items():
        alone, count = pooled_sd(repeated.get(name, {}).values())
        if size := _reports(own):
            variances.append((sd if alone is None or count < ENOUGH else alone) ** 2 / size)
    most = sorted(variances * 2 if len(variances) == 1 else variances)[-2:]
    return RepetitionFloor(Z * sqrt(sum(most)), by, n) if most else None


def _reports(own: Repeated) -> float:
    """Return the effective number of reports in a mean over questions with unequal numbers of trials."""
    known = [sum(x is not None for x in trials) for trials in own.values()]
    shares = [1 / count for count in known if count]
    return len(shares) ** 2 / sum(shares) if shares else 0.0


def pooled_sd(repeated: Iterable[Sequence[float | None]]) -> tuple[float | None, int]:
    """Return the pooled standard deviation (n - 1) between repetitions, and the number of things with two or more values."""
    known = [[x for x in values if x is not None] for values in repeated]
    variances = [np.var(values, ddof=1) for values in known if len(values) > 1]
    return (float(np.sqrt(np.mean(variances))) if variances else None), len(variances)
