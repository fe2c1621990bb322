"""A judge's figures of reports on tasks with files in the form of labels, so that it stands beside people."""

from __future__ import annotations

from collections.abc import Iterable

from drr.eval.labels import CriterionLabel, Label, rating_id
from drr.eval.metrics import values_of
from drr.eval.tasks.judged import Judged
from drr.papers.dr3.judging.rows import fact_labels
from drr.papers.dr3.sums.dr3 import SIX


def labels_of(judged: Judged, name: str) -> Iterable[Label]:
    """DR3-Eval's six figures of each report as criteria, 0-10: their mean is the total that people are held against."""
    for answer in judged.answers:
        if fact_labels(judged, answer.key) is None:
            continue
        values = values_of(judged, answer)
        for criterion in (f"dr3_{figure}" for figure in SIX):
            value = values.get(criterion)
            if value is not None:
                yield CriterionLabel(
                    id=rating_id(answer.query_id, answer.variant, answer.trial),
                    judge=name,
                    query=answer.query,
                    answer=answer.report,
                    dimension="DR3",
                    criterion=criterion,
                    label=value / 10,
                )
