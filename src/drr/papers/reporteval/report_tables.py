"""The report's tables for ReportEval: grades, repetition, and the alignment of a judge with experts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from drr.env.errors import DrrError
from drr.eval.metrics.rows import AlignmentRow, AlignmentRun
from drr.papers.reporteval.alignment.figures import Run
from drr.papers.reporteval.alignment.reading import kept_things
from drr.papers.reporteval.alignment.store import alignments
from drr.plugin import (
    AnswerRow,
    AnswerSection,
    Heading,
    MetricForm,
    ReportData,
    ReportParts,
    Table,
    rows_under,
)

_OWN_WORDS = "What the judge found; `drr judges align show` has its words and the unit that judged."
_CHOSEN = (
    "Deviation from experts: means over what they labelled; intervals over questions. Versions are chosen on dev; "
    "a test figure is worth the less the more often test was read."
)
_LEADING = (
    "Figures of dev lead to the things they are made of, those of test nowhere: "
    "a version fitted to them would be worth nothing."
)


def run_name(task: str, run: AlignmentRun | Run) -> str:
    return f"{task} v{run['version']} ({run['hash']}), {run['judge']}, {run['half']}"


def _note(one: AlignmentRow) -> str:
    times = f"test read {one['test_read']} time{'' if one['test_read'] == 1 else 's'}"
    ended = one["ended"] or f"goes on, target {one['target']:g}"
    return f"{one['task']}: {one['dev']} things on dev, {one['test']} on test, sealed {one['seal'][:12]}; {times}; {ended}."


def _alignment_sections(material: ReportData, table: Table) -> Iterator[AnswerSection]:
    """Yield the experts' labels on dev with the judge's values by each version, as pages behind the table."""
    for number, aligned in enumerate(alignments(material.study)):
        task = aligned.task.name
        name, title = table.name if number == 0 else f"{table.name}-{task}", f"{table.title}: {task}"
        runs = [run for run in aligned.state["runs"] if run["half"] == "dev"]
        try:
            found = [{(one.item.id, one.side): one for one in kept_things(aligned, run)} for run in runs]
        except DrrError as error:
            yield AnswerSection(name, title, (), [AnswerRow(str(error), ())])
            continue
        rows = []
        for place, one in {place: one for own in found for place, one in own.items()}.items():
            judges = (own[place].judge if place in own else None for own in found)
            shown = ["–" if value is None else f"{value:g}" for value in (one.people, *judges)]
            rows.append(AnswerRow(f"{one.item.name}, {one.side}", shown))
        versions = (Heading(run_name(task, run), explanation=_OWN_WORDS) for run in runs)
        columns = [Heading("experts", explanation="The mean over experts."), *versions]
        yield AnswerSection(name, title, columns, sorted(rows))


_HEADINGS = (
    Heading("things", field="items", digits=0), Heading("MAD", field="mad"), Heading("MAD of the range", field="mad_of_range", digits=3),
    Heading("bias", field="bias"), Heading("PCA", field="pca"), Heading("PCA by chance", field="pca_chance"),
    Heading("same order", field="rank"), Heading("by chance", field="rank_chance"),
)  # fmt: skip


def alignment(material: ReportData) -> Table | None:
    """Return the table of the judges that `drr judges align` aligned with experts, or `None`."""
    found = material.document.get("alignment", ())
    runs = [(run_name(one["task"], run), run) for one in found for run in one["runs"]]
    if not runs:
        return None
    # A run on test has no page behind it.
    behind = {name: () if run["half"] == "dev" else ("",) for name, run in runs}
    notes = [_CHOSEN, *map(_note, found), _LEADING]
    rows, title = rows_under(_HEADINGS, runs), "A judge aligned with experts"
    return Table("alignment", title, _HEADINGS, rows, notes, behind=behind, sections=_alignment_sections)


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
