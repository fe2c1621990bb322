"""The floor under a difference. How far two means lie apart by repetition alone, and how small a difference a study could have seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
from drr.eval.stats.intervals import V, Z, student

POWER_Z = 0.8416212335729143
"""Of a power of 80 %."""
Repeated = Mapping[Any, Sequence[float | None]]
"""By what was repeated (a question, a report), what each repetition says."""


class RepetitionFloor(NamedTuple):
    value: float
    """Two runs of one system lie less than this apart in 19 of 20 cases."""
    by: Literal["trials", "judge repeats"]
    n: int
    """Questions or reports with more than one repetition, over all systems."""


def noise_floor(
    trials: Mapping[str, Repeated], again: Mapping[str, Repeated] | None = None
) -> RepetitionFloor | None:
    """Compute the floor from trials by system and question, which contain the judge's noise. Else from
    repeated judgings by system and report.

    `None`: neither was repeated. Variances are pooled over all that was repeated; the floor is that of the two systems with the fewest
    reports, so that no pair's is larger.
    """
    means = [size for own in trials.values() if (size := _reports(own))]
    sd, n = pooled_sd(values for own in trials.values() for values in own.values())
    by: Literal["trials", "judge repeats"] = "trials"
    if sd is None and again is not None:
        sd, n = pooled_sd(values for own in again.values() for values in own.values())
        by = "judge repeats"
    if sd is None or not means:
        return None
    fewest = sorted([*means, *means] if len(means) == 1 else means)[:2]
    return RepetitionFloor(Z * sd * sqrt(sum(1 / size for size in fewest)), by, n)


def _reports(own: Repeated) -> float:
    """Count how many reports a mean over questions is worth, where questions have unequal numbers of trials."""
    known = [sum(x is not None for x in trials) for trials in own.values()]
    shares = [1 / count for count in known if count]
    return len(shares) ** 2 / sum(shares) if shares else 0.0


def pooled_sd(repeated: Iterable[Sequence[float | None]]) -> tuple[float | None, int]:
    """Pool the standard deviation (n - 1) between repetitions over things with two known ones or more; and count these."""
    known = [[x for x in values if x is not None] for values in repeated]
    variances = [np.var(values, ddof=1) for values in known if len(values) > 1]
    return (float(np.sqrt(np.mean(variances))) if variances else None), len(variances)


def detectable(difference: V) -> float | None:
    """Return the smallest difference that a study of this size and spread finds in 4 of 5 cases, from its standard error."""
    error = difference.error
    return None if error is None else error * (student(difference.clusters - 1) + POWER_Z)
