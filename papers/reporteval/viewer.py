"""The viewer's part for ReportEval on the page of an answer: grades, and repetition between passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from drr.eval.evidence.answers import Answer
from drr.eval.tasks.judgements import Judged
from drr.papers.reporteval.judging.grades import (
    RepetitionRow,
    ReportGradeRow,
    ReportSide,
    repetition_of,
    report_grades_of,
)
from drr.plugin import Inserts, ReportView, ShownEntry, StudyPart, part


class ShownGrades(NamedTuple):
    grades: Mapping[ReportSide, ReportGradeRow]
    pairs: Sequence[RepetitionRow]
    """Pairs of passages, lowest score first, those without a score last."""


class GradePages(StudyPart):
    """The part of ReportEval in a study's viewer."""

    def read(self, entry: ShownEntry, judged: Judged, answer: Answer) -> ShownGrades:
        pairs = repetition_of(judged, answer.key) or ()
        placed = sorted(pairs, key=lambda row: (row["score"] is None, row["score"] or 0, row["place"]))
        return ShownGrades(report_grades_of(judged, answer.key) or {}, placed)

    def on_report(self, report: ReportView) -> Inserts:
        shown = report.papers.get("reporteval")
        return {} if shown is None else {"before_mistakes": part("reporteval/grades.html", shown=shown)}
