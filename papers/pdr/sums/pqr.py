"""PDR-Bench's P and Q from the scores of criteria. A criterion is the mean of its rounds, a dimension the
weighted mean of its criteria, the whole the weighted sum of its dimensions. R is in `papers.py`.

A dimension without any score makes the whole unknown; as printed it counts 0, and its weight stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import fsum
from statistics import stdev
from typing import NamedTuple

Rounds = Sequence[float | None] | None
"""Of one criterion, a score for each round; `None` in it, or in its place, is no answer."""


class WeighedScore(NamedTuple):
    weight: float
    rounds: Rounds


class PrintedTotals(NamedTuple):
    """The totals by the published rule."""

    dimensions: Mapping[str, float]
    total: float


class WeighedTotals(NamedTuple):
    """P or Q of one report."""

    dimensions: Mapping[str, float | None]
    total: float | None
    by_round: Sequence[float | None] | None
    """The total from the scores of each round alone; `None` where there was no round."""
    n_unscored: int
    """Answers that are missing: each of a list, and a missing list once."""
    as_printed: PrintedTotals


def weighed(weights: Mapping[str, float], criteria: Mapping[str, Sequence[WeighedScore]]) -> WeighedTotals:
    """`ValueError` where criteria belong to a dimension that has no weight: nobody could say what they count."""
    strange = sorted(criteria.keys() - weights.keys())
    if strange:
        raise ValueError(f"the dimension {strange[0]} has criteria and no weight")
    dimensions = _dimensions(weights, criteria, _mean)
    rounds = max((len(c.rounds) for own in criteria.values() for c in own if c.rounds is not None), default=0)
    by_round = [
        _total(weights, _dimensions(weights, criteria, partial(_nth, number))) for number in range(rounds)
    ]
    printed = {name: 0.0 if value is None else value for name, value in dimensions.items()}
    return WeighedTotals(
        dimensions,
        _total(weights, dimensions),
        by_round or None,
        sum(_missing(one.rounds) for own in criteria.values() for one in own),
        PrintedTotals(printed, fsum(weights[name] * value for name, value in printed.items())),
    )


def spread(values: Sequence[float | None] | None) -> float | None:
    """The standard deviation of a sample; `None` of fewer than two known values."""
    known = [value for value in values or () if value is not None]
    return stdev(known) if len(known) > 1 else None


def _dimensions(
    weights: Mapping[str, float],
    criteria: Mapping[str, Sequence[WeighedScore]],
    score: Callable[[Rounds], float | None],
) -> dict[str, float | None]:
    return {
        name: _dimension([(one.weight, score(one.rounds)) for one in criteria.get(name, ())])
        for name in weights
    }


def _dimension(scores: Sequence[tuple[float, float | None]]) -> float | None:
    """A criterion without a score is left out, and the weights of the others keep their proportions."""
    known = [(weight, value) for weight, value in scores if value is not None]
    whole = fsum(weight for weight, _ in known)
    return fsum(weight * value for weight, value in known) / whole if whole else None


def _total(weights: Mapping[str, float], dimensions: Mapping[str, float | None]) -> float | None:
    """Weights are taken as they are: what one dimension lacks is not given to the others."""
    parts: list[float] = []
    for name, value in dimensions.items():
        if value is None:
            return None
        parts.append(weights[name] * value)
    return fsum(parts) if parts else None


def _mean(rounds: Rounds) -> float | None:
    known = [value for value in rounds or () if value is not None]
    return fsum(known) / len(known) if known else None


def _nth(number: int, rounds: Rounds) -> float | None:
    return rounds[number] if rounds is not None and number < len(rounds) else None


def _missing(rounds: Rounds) -> int:
    return sum(value is None for value in rounds) if rounds else 1
