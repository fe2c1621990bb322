"""P and Q with their dimensions, each corrected by what people say of a part of the reports."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from math import fsum

from drr.eval.agreement.corrected import (
    UNDER_CRITERION,
    LabelledFigure,
    LabelledReport,
    LabelsSaid,
    labelled_figure,
)
from drr.eval.evidence.answers import Answer
from drr.eval.labels import Label, rating_id
from drr.eval.metrics.coverage import variants_of
from drr.eval.stats.corrected import Scored
from drr.eval.tasks.judged import Judged
from drr.papers.pdr.judging.rows import DIMENSIONS as CRITERIA_DIMENSIONS
from drr.papers.pdr.judging.rows import CriteriaDimension, Half
from drr.papers.pdr.judging.summed import counted_under, own_owner


def figures_of(judged: Judged, said: LabelsSaid) -> Iterable[LabelledFigure]:
    """P and Q with their dimensions; a unit is a criterion that has a score."""
    for variant, answers in variants_of(judged).items():
        for half, dimensions in CRITERIA_DIMENSIONS.items():
            for name, own in [(half, dimensions), *((one, (one,)) for one in dimensions)]:
                rows = [_scored(judged, answer, half, own, said) for answer in answers]
                figure = labelled_figure(f"pqr_{name.lower()}", variant, rows, (0.0, 10.0))
                open_ = sum(any(one.person is None for one in units) for _, units, labels in rows if labels)
                yield replace(figure, in_part=open_, drawn_whole=True)


def _scored(
    judged: Judged, answer: Answer, half: Half, dimensions: Collection[CriteriaDimension], said: LabelsSaid
) -> LabelledReport:
    """Score by the criteria that count today. Nothing where one of the dimensions has no score, as P has none there."""
    owner = own_owner(judged, answer.key, half)
    counted = None if owner is None else counted_under(judged, answer.key, owner)
    counted_rows = [one for one in counted or () if one.dimension in dimensions]
    parts = [one.share * (one.weight if len(dimensions) > 1 else 1.0) for one in counted_rows]
    whole = fsum(parts)  # of P, whose weights are taken as they are, whatever they sum to
    if {one.dimension for one in counted_rows} != set(dimensions) or not whole:
        return answer.query_id, [], []
    report = rating_id(answer.query_id, answer.variant, answer.trial)
    units: list[Scored] = []
    labels: list[Label] = []
    for one, part in zip(counted_rows, parts, strict=True):
        own, person = said.of((report, UNDER_CRITERION, one.hash))
        total = None if person is None else person * whole
        units.append(Scored(answer.asked.task, part / whole, one.score * whole, total))
        labels += own
    return answer.query_id, units, labels
