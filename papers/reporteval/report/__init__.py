"""The parts of reports that the paper adds: grades, repetition, and a judge aligned with experts."""

from __future__ import annotations

from collections.abc import Mapping

from drr.app.report.material import Material
from drr.app.report.of_papers import MetricForm, ReportParts
from drr.eval.metrics.rows import AlignmentRow
from drr.papers.reporteval.alignment.kept import alignments
from drr.papers.reporteval.report.alignment_table import ALIGNMENT
from drr.study.study import Study


def _reporteval_notes(material: Material) -> list[str]:
    return [
        "Passages are ours: paragraphs with their heading, lists and tables whole, of 200 characters and more. Of more than 30 pairs those most alike "
        "by their words and others by lot are judged; `all` estimates the mean over all. What the published code counts stands as printed only."
    ]


def _aligned(study: Study) -> list[AlignmentRow] | None:
    return [one.row() for one in alignments(study)] or None


FORMS: Mapping[str, MetricForm] = {
    "reporteval": MetricForm(lead=("re_support", "re_strong"), notes=_reporteval_notes, is_printed=True),
    "reporteval-pairs": MetricForm(lead=("re_non_redundancy",), notes=_reporteval_notes, is_printed=True),
}
PARTS = ReportParts(
    forms=FORMS, last=(ALIGNMENT.table,), headline="re_overall", document={"alignment": _aligned}
)
