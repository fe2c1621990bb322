"""What the tasks of judging ask of reports on tasks with files; the paper's own protocol asks none of it."""

from __future__ import annotations

from collections.abc import Mapping

from drr.eval.tasks.protocol import Ask
from drr.papers.dr3.judging.forms import DepthGrade, InsightAnswers, PointsMet

OURS: Mapping[str, Ask] = {
    "insights": Ask("dr3_insights", InsightAnswers),
    "following": Ask("dr3_checklist", PointsMet),
    "depth": Ask("dr3_depth", DepthGrade),
}
