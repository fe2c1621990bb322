"""Statistics of differences between systems: paired tests, Holm's correction, and the noise floor.

The noise floor is the difference between two means that repetition alone can cause.

The sign-flip test by example, `a` minus `b` on six questions:

    .2  .1  .3  .1  .2  .1    Were both equally good, each sign could as well be the other one.

Of the 2^6 patterns of signs only all plus and all minus lie as far from 0, so p = 2/64 = .03. Of five questions the least p
is 2/32 = .06, so below six nothing can be shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import count
from math import ceil, comb, inf, isfinite, sqrt
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from drr.eval.stats.intervals import (
    RELATED,
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
from drr.eval.stats.question import Asked, cluster_of
from numpy.typing import NDArray

K = TypeVar("K")


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
    """Tell whether the corrected test is significant. The interval is of one pair alone, so it decides nothing."""
    p = row["p_holm"]
    return p is not None and p < SIGNIFICANT


def paired(a: ByQuestion[A], b: ByQuestion[A], ends: Ends | None = None) -> PairedDifference:
    """Compare two sides on the queries that both scored, by flipping signs, task by task. `ends` are the bounds of the values, not of their differences.

    In a pair the difficulty of the question drops out, which two separate means would count as noise.
    """
    method = "mean paired difference over queries"
    left, right = query_means(a), query_means(b)
    both = [key for key in left if key in right]
    dropped = len(set(a) | set(b)) - len(both)
    if not both:
        return PairedDifference(empty_statistic(method, dropped), None, None, None)
    rows = np.array([[left[key] - right[key], 1.0] for key in both])
    apart = None if ends is None or ends[1] == inf else (ends[0] - ends[1], ends[1] - ends[0])
    difference, p = statistic_by_sign_flips(rows, both, method, ends=apart, n_unscored=dropped)
    mean_a, mean_b = (sum(side[key] for key in both) / len(both) for side in (left, right))
    return PairedDifference(difference, mean_a, mean_b, p)


def statistic_by_sign_flips(
    rows: Floats,
    asked: Sequence[Asked],
    method: str,
    *,
    statistic: Callable[[Floats], Floats] = ratio,
    ends: Ends | None = None,
    n_unscored: int = 0,
) -> tuple[Statistic, float | None]:
    """Compute a statistic of sums with the interval and the p-value of one sign-flip test. 0 is outside exactly where p < .05.

    Shares of -1, 0 and 1 keep their exact interval, except that the end next to 0 becomes 0 where the test disagrees. The ends
    are unknown where all draws are equal, and below six draws, because no pattern of signs is then rare enough.
    """
    v = from_sums(rows, asked, statistic, method, n_unscored=n_unscored)
    if v.value is None:
        return v, None
    place, draws = index_of([cluster_of(one) for one in asked])
    sums = np.zeros((draws, rows.shape[1]))
    np.add.at(sums, place, rows)
    if v.zero_one and ends == RELATED:
        p = sign_flip(sums[:, 0])
        return agreeing(v.unshifted().within(ends), p), p
    p, low, high = flip_signs(sums, statistic)
    unit, known = "tasks" if v.tasks else "clusters", v.error is not None and low is not None
    made = "95% interval of the sign-flip test" if known else "no interval: all equal or too few"
    low, high = (low, high) if known else (None, None)
    return replace(v, ci_low=low, ci_high=high, how=f"{made}, over {v.clusters} {unit}"), p


def agreeing(v: Statistic, p: float) -> Statistic:
    """Set the end next to 0 to 0 where an interval and the test disagree about 0. Else a reader would have to choose between the two."""
    low, high = v.ci_low, v.ci_high
    if v.value is None or low is None or high is None or (low > 0 or high < 0) is (p < SIGNIFICANT):
        return v
    low, high = (0.0, high) if v.value > 0 else (low, 0.0)
    return replace(v, ci_low=low, ci_high=high, fitted=f"{v.fitted}, cut at 0 by the sign-flip test")


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


POWER = 0.8
"""Share of cases in which the smallest detectable difference is found."""


def detectable_difference(error: float | None, n: int, tests: int = 1) -> float | None:
    """Return the smallest difference that so many corrected sign-flip tests at 5 % find in four of five cases.

    `error` is the standard error of the difference over n draws. Where it is not known, the difference is a share of draws that all
    move one way between 0 and 1. `None`: so few show none.
    """
    level = SIGNIFICANT / tests
    needed = next(moved for moved in count(1) if 2.0 ** (1 - moved) < level)
    # The least p-value is 2^(1 - n) of all patterns, and 1 / (FLIPS + 1) of patterns drawn at random.
    if n < needed or (n > EXACT_FLIPS and level * (FLIPS + 1) <= 1):
        return None
    if error is not None:
        return _errors_found(n, level) * error
    from scipy.special import betaincinv

    return float(betaincinv(needed, n - needed + 1, POWER))


@cache
def _errors_found(n: int, level: float) -> float:
    """Return the standard errors that the test finds in four of five cases of normal differences.

    The t test's are exact. Of few draws the sign-flip test needs more: simulated draws tell by how much, as both tests see them.
    """
    from scipy.special import nctdtrinc, stdtrit

    reach = float(stdtrit(n - 1, 1 - level / 2))
    found = float(nctdtrinc(n - 1, 1 - POWER, reach))
    if n > SIMULATED:
        return found
    drawn = np.random.default_rng(SEED).normal(size=(n, DRAWN))
    students = reach * drawn.std(axis=0, ddof=1) - sqrt(n) * drawn.mean(axis=0)
    wanted = (students < found).sum()
    low, high = found / 2, found * 2
    while high - low > found / 100:
        middle = (low + high) / 2
        enough = (sign_flips(drawn + middle / sqrt(n)) < level).sum() >= wanted
        low, high = (low, middle) if enough else (middle, high)
    return high


EXACT_FLIPS = 13
"""Most decided clusters for which all patterns of signs are counted; above, signs are drawn at random."""
FLIPS = 2**EXACT_FLIPS
SIMULATED, DRAWN = 30, 500
"""Most draws for which the power of the test is simulated, and in how many samples."""
_EQUAL = 5e-10
"""A sum below this part of its sizes is 0, so that rounding decides no tie between patterns."""


class Flipped(NamedTuple):
    """The p-value of the sign-flip test, and the interval of the values that it does not reject."""

    p: float
    low: float | None
    high: float | None


def flip_signs(
    sums: Floats, statistic: Callable[[Floats], Floats] = ratio, level: float = SIGNIFICANT
) -> Flipped:
    """Test whether a statistic of sums is 0 by flipping the first column's signs, and invert the test.

    For any value of a ratio the test flips what clusters have above it. A pattern of signs is no nearer to it than the data if the value lies
    between the ratio of those that keep their sign and the ratio of the others. So the ends are order statistics of these ratios.
    """
    ordered = sums[np.argsort(-np.abs(sums[:, 0]), kind="stable")]
    kept, p, own = _flipped(ordered, ordered[:, :1])
    parts = np.stack([kept, ordered.sum(axis=0) - kept])
    parts[np.abs(parts) <= _EQUAL * np.abs(sums).sum(axis=0)] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        values = statistic(parts.reshape(-1, sums.shape[1])).reshape(2, -1)
    bare = np.isnan(values).any(axis=0)  # a part without weight rejects no value
    lower, upper = np.where(bare, -inf, values.min(axis=0)), np.where(bare, inf, values.max(axis=0))
    rank = ceil((len(kept) + own) * level - 1e-6) - own - 1
    low, high = float(np.partition(lower, rank)[rank]), -float(np.partition(-upper, rank)[rank])
    return Flipped(float(p[0]), *((low, high) if isfinite(low) and isfinite(high) else (None, None)))


def sign_flips(differences: Floats) -> Floats:
    """Return the two-sided p-value of each column: how often random signs give a mean at least as far from zero. Zeros stay zeros.

    It depends on the column's sizes and sum alone: not on other columns, on order, or on which side is taken from which.
    """
    # Else p would depend on the order of the questions, since the drawn signs stand in a fixed one.
    ordered = np.take_along_axis(differences, np.argsort(-np.abs(differences), axis=0), axis=0)
    few, p = ~ordered[EXACT_FLIPS:].any(axis=0), np.ones(differences.shape[1])
    for columns, draws in ((few, ordered[:EXACT_FLIPS]), (~few, ordered)):
        if columns.any():
            p[columns] = _flipped(draws[:, columns], draws[:, columns])[1]
    return p


def sign_flip(differences: Floats) -> float:
    return float(sign_flips(differences[:, None])[0])


def _flipped(ordered: Floats, by: Floats) -> tuple[Floats, Floats, int]:
    """Return the sums that each pattern of signs keeps, the p-values of the columns of `by`, and 1 or 0.

    It is 1 where the patterns are random: the data's own pattern then counts as one more, or p could be 0. The rows of `ordered` begin with the largest in size.
    """
    signs, own = _signs(int(by.any(axis=1).sum()), len(by))
    below = by < 0
    kept = signs.astype(np.float64) @ np.where(below, -ordered, ordered) + (ordered * below).sum(axis=0)
    half, least = by.sum(axis=0) / 2, _EQUAL * np.abs(by).sum(axis=0)
    beyond = np.abs(kept[:, : by.shape[1]] - half) >= np.abs(half) - least
    return kept, (beyond.sum(axis=0) + own) / (len(signs) + own), own


@lru_cache(maxsize=8)
def _signs(decided: int, draws: int) -> tuple[NDArray[np.bool_], int]:
    """Return patterns of kept signs, one a row, and 1 where these are random.

    The `decided` clusters, which are not 0, come first: if they are few, all their patterns stand equally often. Random signs of a
    cluster are the same for any number of draws.
    """
    few = draws <= EXACT_FLIPS
    size, exact = (2**draws, draws) if few else (FLIPS, decided if decided <= EXACT_FLIPS else 0)
    every = (np.arange(size) >> np.arange(exact)[:, None]) & 1 == 0
    # The same seed each time, because the same study must give the same p-value.
    chance = np.random.default_rng(SEED)
    drawn = chance.integers(0, 2, size=(draws - exact, size), dtype=np.bool_)
    return np.vstack([every, drawn]).T, int(decided > EXACT_FLIPS)


def query_means(values: ByQuestion[A]) -> dict[A, float]:
    """Return the mean over the scored trials of each query that has any."""
    scored = {key: [x for x in trials if x is not None] for key, trials in values.items()}
    return {key: sum(xs) / len(xs) for key, xs in scored.items() if xs}


def with_holm(family: Mapping[K, PairedDifference]) -> dict[K, PairedDifference]:
    """Return the family's differences with p-values corrected together by Holm's method. Of many tests, some would else succeed by luck."""
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
        # A larger p-value must not become smaller than the one before it, as its factor is smaller.
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
