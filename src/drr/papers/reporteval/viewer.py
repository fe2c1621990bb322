"""The viewer's part for ReportEval on the page of an answer: grades, and repetition between passages."""

from __future__ import annotations

from drr.papers.reporteval.judging.grades import repetition_of, report_grades_of
from drr.plugin import Inserts, ReportView, StudyPart, part


class GradePages(StudyPart):
    """The part of ReportEval in a study's viewer."""

    def on_report(self, report: ReportView) -> Inserts:
        pairs = repetition_of(report.judged, report.key) or ()
        placed = sorted(pairs, key=lambda row: (row["score"] is None, row["score"] or 0, row["place"]))
        grades = report_grades_of(report.judged, report.key) or {}
        return {"before_mistakes": part("reporteval/grades.html", grades=grades, pairs=placed)}
