"""ReportEval's grades of a report, and what its passages repeat of each other."""

from __future__ import annotations

from collections.abc import Iterable

from drr.app.viewer.model import PassagePairView, ReportGradeView
from drr.eval.evidence.answers import Answer
from drr.eval.tasks.judged import Judged
from drr.papers.reporteval.judging.rows import RepetitionRow, repetition_of, report_grades_of


def report_grades(judged: Judged, answer: Answer) -> Iterable[ReportGradeView]:
    for side, row in (report_grades_of(judged, answer.key) or {}).items():
        yield ReportGradeView(side, row["grade"], row["reason"])


def passage_pairs(judged: Judged, answer: Answer) -> Iterable[PassagePairView]:
    """The lowest score first, those without one at the end."""
    rows = repetition_of(judged, answer.key) or ()
    for row in sorted(rows, key=lambda row: (row["score"] is None, row["score"] or 0, row["place"])):
        yield _shown(row)


def _shown(row: RepetitionRow) -> PassagePairView:
    heads = [
        f"{place + 1}. {head or '(no heading)'}"
        for place, head in zip(row["place"], row["heads"], strict=True)
    ]
    why = f"{row['reason']} ({row['explanation']})" if "reason" in row else row["explanation"]
    repeated = tuple((one["first"], one["second"]) for one in row["repetitions"])
    return PassagePairView(tuple(heads), row["score"], row["summary"], why, repeated)
