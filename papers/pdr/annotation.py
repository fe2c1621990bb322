"""The scoring by people criterion by criterion. The reports of a study that has criteria of persons, each with those of its own."""

from __future__ import annotations

from collections.abc import Collection
from secrets import token_hex

from drr.app.annotate.plan import BlindPair, ShownCriterion
from drr.env.errors import DrrError
from drr.eval.evidence.answers import Answer
from drr.eval.judging.read import choose, read_judged
from drr.eval.tasks.judged import Judged
from drr.papers.pdr.judging.rows import DIMENSIONS, SCORES, rubric_of
from drr.papers.pdr.judging.summed import own_owner
from drr.study.study import Study


def scored_reports(study: Study, judge: str | None, variants: Collection[str] | None) -> list[BlindPair]:
    """Collect reports under the criteria of P as they stand now; a judge's scores are shown to nobody."""
    judged = read_judged(study, choose(study, judge))
    known = _known(study)
    found = []
    for answer in judged.answers:
        criteria = _criteria(judged, answer)
        if criteria and (variants is None or answer.variant in variants):
            found.append(
                BlindPair(
                    id=f"p-{token_hex(8)}",
                    query_id=answer.query_id,
                    query=answer.query,
                    profile=known.get(answer.key, ""),
                    trial=answer.trial,
                    system_a=answer.variant,
                    system_b="",
                    answer_a=answer.report,
                    answer_b="",
                    criteria=criteria,
                )
            )
    if not found:
        raise DrrError(
            "no report has criteria of a person; `drr judge STUDY --what pqr` makes and scores them"
        )
    return found


def _criteria(judged: Judged, answer: Answer) -> list[ShownCriterion]:
    owner = own_owner(judged, answer.key, "p")
    rubric = None if owner is None else rubric_of(judged, owner)
    if rubric is None:
        return []
    return [
        ShownCriterion(
            id=rubric.hash_of(dimension, row),
            dimension=dimension,
            text=row["criterion"],
            explanation=row["explanation"],
        )
        for dimension in DIMENSIONS["p"]
        for row in rubric.rows(dimension)
    ]


def _known(study: Study) -> dict[str, str]:
    """Map each answer to what the judge read of its own person."""
    return {
        record.key_fields["answer"]: record.spec["known"]
        for record in study.records("judgement", None)
        if record.key_fields["task"] == SCORES and record.key_fields["own"] and record.key_fields["person"]
    }
