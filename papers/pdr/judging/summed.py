"""P or Q of one report from the scores of its criteria, under anybody's criteria and any seed of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import NamedTuple

from drr.eval.tasks.judged import Judged
from drr.papers.pdr.judging.rows import (
    DIMENSIONS,
    CriteriaDimension,
    CriteriaOwner,
    Half,
    Rubric,
    ScoredUnder,
    ScoreRow,
    rubric_of,
    scores_of,
)
from drr.papers.pdr.judging.scoring import ROUNDS
from drr.papers.pdr.sums.pqr import Rounds, WeighedScore, WeighedTotals, weighed


def own_owner(judged: Judged, answer: str, half: Half) -> CriteriaOwner | None:
    """Find under whose criteria a report was scored that was written for them; `None` where it was not scored yet."""
    places = scores_of(judged, answer) or {}
    return next((place.owner for place in places if place.own and place.owner.half == half), None)


def totals_under(
    judged: Judged, answer: str, owner: CriteriaOwner, *, seed: int = 0, own: bool = True
) -> WeighedTotals | None:
    """Sum by the criteria that count today, each by its hash. `None` where nobody weighed them, or where one was not asked for yet.

    What was asked for and has no score is left to the sum; what waits would mix two versions of the criteria in one table.
    """
    rubric = rubric_of(judged, owner, seed)
    scores = _answered(judged, answer, owner, seed, own=own)
    if rubric is None or rubric.weights is None or scores is None:
        return None
    return weighed(rubric.weights["weights"], _criteria(rubric, owner.half, scores))


class CountedCriterion(NamedTuple):
    """The share of one criterion in P or Q. The dimension's weight, its share of the dimension, the mean of its rounds."""

    dimension: CriteriaDimension
    hash: str
    weight: float
    share: float
    score: float


def counted_under(judged: Judged, answer: str, owner: CriteriaOwner) -> list[CountedCriterion] | None:
    """The criteria that have a score; the shares of a dimension sum to 1. `None` as in `totals_under`."""
    rubric, scores = rubric_of(judged, owner), _answered(judged, answer, owner)
    if rubric is None or rubric.weights is None or scores is None:
        return None
    found: list[CountedCriterion] = []
    for dimension in DIMENSIONS[owner.half]:
        rounds = [(row, _rounds(rubric.hash_of(dimension, row), scores)) for row in rubric.rows(dimension)]
        known = [(row, [one for one in own or () if one is not None]) for row, own in rounds]
        whole = fsum(row["weight"] for row, own in known if own)
        found += [
            CountedCriterion(
                dimension,
                rubric.hash_of(dimension, row),
                rubric.weights["weights"][dimension],
                row["weight"] / whole,
                fsum(own) / len(own),
            )
            for row, own in known
            if own
        ]
    return found


def _answered(
    judged: Judged, answer: str, owner: CriteriaOwner, seed: int = 0, *, own: bool = True
) -> list[Mapping[str, ScoreRow] | None] | None:
    """List the scores of each round; `None` where a criterion that counts was not asked for yet."""
    rubric, scores = rubric_of(judged, owner, seed), scores_of(judged, answer)
    if rubric is None or scores is None or judged.judging is None:
        return None
    rounds = int(judged.judging.versions[ROUNDS])
    said = [scores.get(ScoredUnder(owner, seed, number, own)) for number in range(rounds)]
    wanted = [rubric.hash_of(name, row) for name in DIMENSIONS[owner.half] for row in rubric.rows(name)]
    if any(one is None or any(name not in one for name in wanted) for one in said):
        return None
    return said


def _criteria(
    rubric: Rubric, half: Half, said: Sequence[Mapping[str, ScoreRow] | None]
) -> dict[str, list[WeighedScore]]:
    return {
        name: [
            WeighedScore(row["weight"], _rounds(rubric.hash_of(name, row), said)) for row in rubric.rows(name)
        ]
        for name in DIMENSIONS[half]
    }


def _rounds(name: str, said: Sequence[Mapping[str, ScoreRow] | None]) -> Rounds:
    return [None if one is None or name not in one else one[name]["score"] for one in said]
