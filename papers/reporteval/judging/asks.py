"""What grading and repetition ask; the same under both protocols."""

from __future__ import annotations

from collections.abc import Mapping

from drr.eval.tasks.protocol import Ask
from drr.papers.reporteval.judging.forms import RepetitionAnswer, ReportGrades

ASKS: Mapping[str, Ask] = {
    "grades": Ask("re_quality", ReportGrades),
    "repetition": Ask("re_repetition", RepetitionAnswer),
}
