"""A judge's scores under criteria in the form of labels, so that it stands beside people."""

from __future__ import annotations

from collections.abc import Iterable

from drr.eval.labels import CriterionLabel, Label, rating_id
from drr.eval.tasks.judged import Judged
from drr.papers.pdr.judging.rows import DIMENSIONS as CRITERIA_DIMENSIONS
from drr.papers.pdr.judging.rows import CriteriaOwner, rubric_of, scores_of


def labels_of(judged: Judged, name: str) -> Iterable[Label]:
    """The mean of the rounds, under the criteria that stand now and were made for this report's task and person. A criterion is
    named by its hash: what people said of it before it was changed is of another."""
    for answer in judged.answers:
        said: dict[tuple[CriteriaOwner, str], list[int]] = {}
        for place, scores in (scores_of(judged, answer.key) or {}).items():
            if place.own and not place.seed:
                for criterion, row in scores.items():
                    if row["score"] is not None:
                        said.setdefault((place.owner, criterion), []).append(row["score"])
        dimensions = {
            (owner, rubric.hash_of(dimension, row)): dimension
            for owner in dict.fromkeys(owner for owner, _ in said)
            if (rubric := rubric_of(judged, owner)) is not None
            for dimension in CRITERIA_DIMENSIONS[owner.half]
            for row in rubric.rows(dimension)
        }
        for under, dimension in dimensions.items():
            if under in said:
                yield CriterionLabel(
                    id=rating_id(answer.query_id, answer.variant, answer.trial),
                    judge=name,
                    query=answer.query,
                    answer=answer.report,
                    dimension=dimension,
                    criterion=under[1],
                    label=sum(said[under]) / len(said[under]),
                )
