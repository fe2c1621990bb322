"""Scores under criteria compared with people: as labels, as reports for people to score, and corrected by people's labels."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from math import fsum
from secrets import token_hex

from drr.env.errors import DrrError
from drr.eval.agreement.corrected import (
    UNDER_CRITERION,
    LabelledFigure,
    LabelledReport,
    PeoplesLabels,
    labelled_figure,
)
from drr.eval.evidence.answers import Answer
from drr.eval.judging.read import choose_judging, read_judged
from drr.eval.labels import CriterionLabel, Label, rating_id
from drr.eval.metrics.coverage import variants_of
from drr.eval.stats.corrected import ScoredThing
from drr.eval.stats.question import grouped
from drr.eval.tasks.judgements import Judged
from drr.papers.pdr.judging.rows import (
    DIMENSIONS,
    SCORES,
    CriteriaDimension,
    Half,
    Rubric,
    rubric_of,
    scores_of,
)
from drr.papers.pdr.judging.scoring import counted_under, intended_owner
from drr.plugin import BlindPair, ShownCriterion
from drr.study.study import Study


def labels_of(judged: Judged, name: str) -> Iterable[Label]:
    """Yield a label for each criterion: the mean over rounds, for present criteria of the report's own task and person. A criterion is
    named by its hash, so that what people said before a change is about another one."""
    for answer in judged.answers:
        scores = grouped(
            ((place.owner, criterion), row["score"])
            for place, own in (scores_of(judged, answer.key) or {}).items()
            if place.own
            for criterion, row in own.items()
            if row["score"] is not None
        )
        about = {"judge": name, "query": answer.query, "answer": answer.report}
        about["id"] = rating_id(answer.query_id, answer.variant, answer.trial)
        for owner in dict.fromkeys(owner for owner, _ in scores):
            rubric = rubric_of(judged, owner) or Rubric()
            for one in DIMENSIONS[owner.half]:
                for criterion in dict.fromkeys(rubric.hash_of(one, row) for row in rubric.rows(one)):
                    if rounds := [score for score in scores.get((owner, criterion), ()) if score is not None]:
                        own = {"dimension": one, "criterion": criterion, "label": sum(rounds) / len(rounds)}
                        yield CriterionLabel.model_validate({**about, **own})


def scored_reports(study: Study, judge: str | None, variants: Collection[str] | None) -> list[BlindPair]:
    """Return reports with the present criteria of P, for people to score; the judge's scores are not shown."""
    judged, known, found = read_judged(study, choose_judging(study, judge)), _known_texts(study), []
    for one in judged.answers:
        owner = intended_owner(judged, one.key, "p")
        rubric = (None if owner is None else rubric_of(judged, owner)) or Rubric()
        criteria = [
            ShownCriterion(
                id=rubric.hash_of(dimension, row),
                dimension=dimension,
                text=row["criterion"],
                explanation=row["explanation"],
            )
            for dimension in DIMENSIONS["p"]
            for row in rubric.rows(dimension)
        ]
        if criteria and (variants is None or one.variant in variants):
            asked = {"query_id": one.query_id, "query": one.query, "profile": known.get(one.key, "")}
            shown = {"system_a": one.variant, "answer_a": one.report, "system_b": "", "answer_b": ""}
            own = {"id": f"p-{token_hex(8)}", "trial": one.trial, "criteria": criteria}
            found.append(BlindPair.model_validate({**own, **asked, **shown}))
    if not found:
        why = "no report has criteria of a person; `drr judge STUDY --what pqr` makes and scores them"
        raise DrrError(why)
    return found


def _known_texts(study: Study) -> dict[str, str]:
    """Map each answer to the judge's text about its person."""
    return {
        record.key_fields["answer"]: record.spec["known"]
        for record in study.records("judgement", None)
        if record.key_fields["task"] == SCORES and record.key_fields["own"] and record.key_fields["person"]
    }


def figures_of(judged: Judged, given_labels: PeoplesLabels) -> Iterable[LabelledFigure]:
    """Yield P, Q and their dimensions, corrected by people's labels; a unit is a criterion with a score."""
    for variant, answers in variants_of(judged).items():
        for half, dimensions in DIMENSIONS.items():
            for name, own in [(half, dimensions), *((one, (one,)) for one in dimensions)]:
                rows = [_scored_report(judged, answer, half, own, given_labels) for answer in answers]
                figure = labelled_figure(f"pqr_{name.lower()}", variant, rows, (0.0, 10.0))
                open_ = sum(any(one.person is None for one in units) for _, units, labels in rows if labels)
                yield replace(figure, in_part=open_, drawn_whole=True)


def _scored_report(
    judged: Judged,
    answer: Answer,
    half: Half,
    dimensions: Collection[CriteriaDimension],
    given_labels: PeoplesLabels,
) -> LabelledReport:
    """Return the query, the scored units and the labels of one report. They are empty if a dimension has no score, as P is unknown then."""
    owner = intended_owner(judged, answer.key, half)
    counted = (counted_under(judged, answer.key, owner) if owner is not None else None) or ()
    rows = [one for one in counted if one.dimension in dimensions]
    parts = [one.share * (one.weight if len(dimensions) > 1 else 1.0) for one in rows]
    whole = fsum(parts)  # for P the sum may differ from 1, as its weights are not rescaled
    if {one.dimension for one in rows} != set(dimensions) or not whole:
        return answer.query_id, [], []
    report = rating_id(answer.query_id, answer.variant, answer.trial)
    units, labels = list[ScoredThing](), list[Label]()
    for one, part in zip(rows, parts, strict=True):
        own, person = given_labels.use_labels((report, UNDER_CRITERION, one.hash))
        total = None if person is None else person * whole
        units.append(ScoredThing(answer.asked.task, part / whole, one.score * whole, total))
        labels += own
    return answer.query_id, units, labels
