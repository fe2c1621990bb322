"""Finds odd questions of a set: those that good systems of some studies miss and weak ones solve."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from drr.app.report.contrasts import graded_metrics
from drr.eval.judging.read import choose_judging, read_judged
from drr.eval.metrics import families_with
from drr.eval.metrics.compare import ValueTable
from drr.eval.stats.differences import query_means
from drr.eval.stats.items import OddItem, odd_items
from drr.eval.stats.question import query_of
from drr.study.study import Study


class OddQuestions(TypedDict):
    systems: int
    questions: int
    odd: list[OddItem]


def odd_questions(folders: Sequence[Path]) -> OddQuestions:
    """Return the odd questions by each system's share of points, or by its reward where a question has no points."""
    values = {}
    for folder in folders:
        with Study.read(folder) as study:
            judged = read_judged(study, choose_judging(study))
            table = ValueTable(judged, families_with(judged, graded_metrics()[:2]))
            for system in table.systems:
                own = table.values(system)
                means = query_means(own.get("points") or own.get("reward") or {})
                if means:
                    values[f"{folder}: {system}"] = {query_of(asked): x for asked, x in means.items()}
    return {
        "systems": len(values),
        "questions": len({one for own in values.values() for one in own}),
        "odd": odd_items(values),
    }
