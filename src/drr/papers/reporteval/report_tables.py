"""The report's tables for ReportEval: grades, repetition, and the alignment of a judge with experts."""

from __future__ import annotations

from collections.abc import Mapping

from drr.eval.metrics.rows import AlignmentRow, AlignmentRun
from drr.plugin import (
    Heading,
    MetricForm,
    ReportData,
    ReportParts,
    Table,
    rows_under,
)

_CHOSEN = (
    "Deviation from experts: means over what they labelled; intervals over questions. Versions are chosen on dev; "
    "a test figure is worth the less the more often test was read."
)
_SHOWN = (
    "`drr judges align show` lists the things that figures of dev are made of, those of test nowhere: "
    "a version fitted to them would be worth nothing."
)


def _run_name(task: str, run: AlignmentRun) -> str:
    return f"{task} v{run['version']} ({run['hash']}), {run['judge']}, {run['half']}"


def _note(one: AlignmentRow) -> str:
    times = f"test read {one['test_read']} time{'' if one['test_read'] == 1 else 's'}"
    ended = one["ended"] or f"goes on, target {one['target']:g}"
    return f"{one['task']}: {one['dev']} things on dev, {one['test']} on test, sealed {one['seal'][:12]}; {times}; {ended}."


_HEADINGS = (
    Heading("things", field="items", digits=0), Heading("MAD", field="mad"), Heading("MAD of the range", field="mad_of_range", digits=3),
    Heading("bias", field="bias"), Heading("PCA", field="pca"), Heading("PCA by chance", field="pca_chance"),
    Heading("same order", field="rank"), Heading("by chance", field="rank_chance"),
)  # fmt: skip


def alignment(material: ReportData) -> Table | None:
    """Return the table of the judges that `drr judges align` aligned with experts, or `None`."""
    found = material.document.get("alignment", ())
    runs = [(_run_name(one["task"], run), run) for one in found for run in one["runs"]]
    if not runs:
        return None
    notes, title = [_CHOSEN, *map(_note, found), _SHOWN], "A judge aligned with experts"
    return Table("alignment", title, _HEADINGS, rows_under(_HEADINGS, runs), notes)


def _reporteval_notes(material: ReportData) -> list[str]:
    return [
        "Passages are ours: paragraphs with their heading, lists and tables whole, of 200 characters and more. Of more than 30 pairs those most alike "
        "by their words and others by lot are judged; `all` estimates the mean over all. What the published code counts stands as printed only."
    ]


FORMS: Mapping[str, MetricForm] = {
    "reporteval": MetricForm(lead=("re_support", "re_strong"), notes=_reporteval_notes, is_printed=True),
    "reporteval-pairs": MetricForm(lead=("re_non_redundancy",), notes=_reporteval_notes, is_printed=True),
}
PARTS = ReportParts(forms=FORMS, last=(alignment,))
