"""Statistics of repeated questions: solved in all of k trials, overlap of two trials, and variance between trials.

By example, a question solved in 3 of 4 trials: pass^1 = 3/4, pass^2 = C(3,2)/C(4,2) = 1/2, pass^4 = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np
from drr.eval.stats.intervals import SHARE, A, ByQuestion, Floats, Statistic, from_sums


def pass_power(solved: int, trials: int, k: int) -> float | None:
    """Estimate without bias the probability that k trials are all solved; `None` for fewer trials than k."""
    # (solved / trials) ** k would be too high on average, as it may draw one trial several times.
    return comb(solved, k) / comb(trials, k) if trials >= k else None


def sameness(trials: Sequence[frozenset[str] | None]) -> float | None:
    """Return the mean Jaccard overlap of two trials, over the pairs in which either has anything."""
    known = [one for one in trials if one is not None]
    # Two trials that both name nothing have nothing in which they could agree.
    shares = [len(one & other) / len(one | other) for one, other in combinations(known, 2) if one | other]
    return sum(shares) / len(shares) if shares else None


def repeated_spread(values: ByQuestion[A]) -> Statistic:
    """Return the share of the variance that lies between trials of a question: 1 minus the intraclass correlation.

    It is computed by one-way analysis of variance, also for unequal numbers of trials. A negative variance between questions counts as 0.
    """
    scored = {asked: [x for x in own if x is not None] for asked, own in values.items()}
    rows = [
        [1.0, n, n * n, sum(own), sum(x * x for x in own), sum(own) ** 2 / n]
        for own in scored.values()
        if (n := len(own))
    ]
    lost = sum(x is None for own in values.values() for x in own)
    return from_sums(
        np.array(rows, dtype=np.float64).reshape(-1, 6),
        [asked for asked, own in scored.items() if own],
        _share_within,
        "variance within questions / all variance, one-way",
        n=sum(map(len, scored.values())),
        n_unscored=lost,
        cut=SHARE,
    )


def _share_within(sums: Floats) -> Floats:
    """Compute the share; undefined with no repeated question, with one question, and where nothing varies."""
    questions, n, squares, total, square, by_question = sums.T
    within = np.maximum(square - by_question, 0) / (n - questions)
    between = (by_question - total**2 / n) / (questions - 1)
    usual = (n - squares / n) / (questions - 1)
    share: Floats = within / (within + np.maximum((between - within) / usual, 0))
    return share
