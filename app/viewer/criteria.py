"""The criteria of a report's task and of the person who asks, what was said of the report under each, and what it must not offer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from drr.app.viewer.model import CriterionView
from drr.env.query import Query
from drr.eval.evidence.answers import Answer
from drr.eval.tasks.judged import Judged
from drr.papers.pdr.judging.choices import KeptChoices
from drr.papers.pdr.judging.owners import owner_ids
from drr.papers.pdr.judging.rows import (
    DIMENSIONS,
    CriteriaDimension,
    CriteriaOwner,
    CriterionRow,
    ScoreRow,
    rubric_of,
    scores_of,
)
from drr.papers.pdr.judging.violations import violations_of
from drr.study.study import Study


def owners_shown(study: Study, answer: Answer, queries: Mapping[str, Query]) -> list[CriteriaOwner]:
    """The person's before the task's."""
    found = owner_ids(
        queries.get(answer.query_id), answer.query, answer.user_id, KeptChoices(study).persons()
    )
    return found[::-1]


def criteria(judged: Judged, answer: Answer, owners: Iterable[CriteriaOwner]) -> Iterable[CriterionView]:
    """By dimension, as they count in this judging."""
    scores = scores_of(judged, answer.key) or {}
    for owner in owners:
        rubric = rubric_of(judged, owner)
        places = [place for place in scores if place.owner == owner and place.own and not place.seed]
        rounds = [scores[place] for place in sorted(places, key=lambda place: place.round)]
        for dimension in DIMENSIONS[owner.half] if rubric is not None else ():
            for row in rubric.rows(dimension) if rubric is not None else ():
                name = rubric.hash_of(dimension, row) if rubric is not None else ""
                yield _shown(dimension, row, [one[name] for one in rounds if name in one])


def _shown(dimension: CriteriaDimension, row: CriterionRow, said: list[ScoreRow]) -> CriterionView:
    first = next((one for one in said), None)
    missing = [one["reason"] for one in said if "reason" in one]
    return CriterionView(
        id=row["id"],
        dimension=dimension,
        text=row["criterion"],
        explanation=row["explanation"],
        weight=row["weight"],
        origin=row["origin"],
        scores=tuple(one["score"] for one in said),
        why=missing[0] if missing else first["analysis"] if first else "",
    )


def violations(judged: Judged, answer: Answer) -> Iterable[str]:
    for row in violations_of(judged, answer.key) or ():
        yield f"{row['kind'].replace('_', ' ')}: {row['why']}"
