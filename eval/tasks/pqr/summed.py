"""P or Q of one report from what was said of its criteria, under anybody's criteria and any seed of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drr.eval.stats.pqr import Rounds, WeighedScore, WeighedTotals, weighed
from drr.eval.tasks.judged import Judged
from drr.eval.tasks.pqr.rows import (
    DIMENSIONS,
    CriteriaOwner,
    Half,
    Rubric,
    ScoredUnder,
    ScoreRow,
    rubric_of,
    scores_of,
)
from drr.eval.tasks.pqr.scoring import ROUNDS


def own_owner(judged: Judged, answer: str, half: Half) -> CriteriaOwner | None:
    """Under whose criteria a report was scored that was written for them; `None` where it was not scored yet."""
    places = scores_of(judged, answer) or {}
    return next((place.owner for place in places if place.own and place.owner.half == half), None)


def totals_under(
    judged: Judged, answer: str, owner: CriteriaOwner, *, seed: int = 0, own: bool = True
) -> WeighedTotals | None:
    """By the criteria that count today, each by its hash; `None` where nobody weighed them, or where one was not asked for yet.

    What was asked for and has no score is left to the sum; what waits would mix two versions of the criteria in one table.
    """
    rubric, scores = rubric_of(judged, owner, seed), scores_of(judged, answer)
    if rubric is None or rubric.weights is None or scores is None or judged.judging is None:
        return None
    rounds = int(judged.judging.versions[ROUNDS])
    said = [scores.get(ScoredUnder(owner, seed, number, own)) for number in range(rounds)]
    wanted = [rubric.hash_of(name, row) for name in DIMENSIONS[owner.half] for row in rubric.rows(name)]
    if any(one is None or any(name not in one for name in wanted) for one in said):
        return None
    return weighed(rubric.weights["weights"], _criteria(rubric, owner.half, said))


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
