"""Grades reports and finds repetitions by rules, without a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drr.env.json_object import JsonObject
from drr.eval.asking.conversation import Asking
from drr.eval.labels import Dimension
from drr.offline.judge import Rules, surface_of
from drr.papers.reporteval.judging.forms import RepetitionAnswer, ReportGrades
from drr.papers.reporteval.judging.repetition import repetition

_SIDES: Mapping[str, Dimension] = {
    "comprehensiveness": "breadth",
    "coherence": "depth",
    "clarity": "clarity",
    "insightfulness": "insightfulness",
    "overall": "overall",
}
"""Surface feature that comes closest to each side of a report."""


def _report_grades(asking: Asking[Any]) -> JsonObject:
    """Grade each side from 0 to 4 by the report's surface."""
    surface = surface_of(asking, "answer")
    return {
        side: {"reason": surface.words_about(one), "grade": int(surface.score(one) * 0.4 + 0.5)}
        for side, one in _SIDES.items()
    }


RULES: Rules = {ReportGrades: _report_grades, RepetitionAnswer: repetition}
