"""Builds the report of a study: a document with every figure, and a folder of tables, figures and answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from drr.app.annotate.annotation_plan import load
from drr.app.console import write_lines, write_text
from drr.app.notices import notice
from drr.app.pages.folders import REPORT_MARK, viewer_of
from drr.app.report.of_papers import report_parts
from drr.app.report.report_plan import ReportPlan
from drr.app.study.outcome import without_lost_answers
from drr.env.errors import Misuse
from drr.env.files import owner_only_mode
from drr.env.json_object import JsonObject
from drr.eval.labels import Label, PairwiseLabel
from drr.study.unit import canonical_json

if TYPE_CHECKING:
    from drr.app.report.material import ReportData
    from drr.app.report.standing import Standings
    from drr.eval.metrics.rows import StudyDocument
    from drr.eval.stats.intervals import VRow
    from drr.eval.tasks.judgements import Judged
    from drr.study.study import Study


@dataclass(frozen=True)
class StudyReport:
    """The finished report of a study: its document and the files that were written."""

    whole: StudyDocument
    tables: int | None = None
    """Number of tables on the page."""
    page: Path | None = None
    """The first page of the folder."""
    verdicts: int | None = None
    """Number of verdicts written."""

    @property
    def metrics(self) -> dict[str, dict[str, VRow]]:
        """Return the metrics by variant and name."""
        return self.whole["metrics"]

    def document(self) -> StudyDocument:
        """Return the document that `drr report --json` prints."""
        return self.whole


def report(folder: Path, plan: ReportPlan) -> StudyReport:
    """Return the report of the study in the folder, from stored judgements alone; no model is called."""
    from drr.study.study import Study

    with Study.read(folder) as study:
        made = without_lost_answers(study, lambda: _kept(study, plan))
    for refused in (line for parts in report_parts(made.whole) for line in parts.refusals(made.whole)):
        notice(f"memories side by side: {' '.join(refused.split())}")
    return made


def _kept(study: Study, plan: ReportPlan) -> StudyReport:
    """Return the report, from the cache where nothing changed; a folder that would get the same content stays untouched."""
    from drr.study.cache import cached_result, file_states

    # The cache watches the report's own folder, not that file.
    if plan.verdicts is not None:
        return _made(study, plan)
    out = plan.out

    def rests_on() -> object:
        viewer = None if out is None else viewer_of(out, plan.viewer)
        return [repr(plan), repr(viewer), file_states([*plan.human, *plan.labels])]

    def work() -> list[object]:
        made = _made(study, plan)
        return [made.whole, made.tables]

    whole, tables = cached_result(study, "report", rests_on, work, wrote=out and out / REPORT_MARK)
    page = None if out is None else out / "index.html"
    return StudyReport(whole, tables, page)


def _made(study: Study, plan: ReportPlan) -> StudyReport:
    judged, document, ranks = figures_of(study, plan)
    tables = page = verdicts = None
    if plan.out is not None:
        from drr.app.report.page import write_report

        material = replace(_material(study, judged, document, plan, plan.out, ranks), forms=plan.figures)
        tables = len(write_report(material, plan.out))
        page = plan.out / "index.html"
    if plan.verdicts is not None:
        verdicts = _write_verdicts(judged, plan, plan.verdicts)
    return StudyReport(document, tables, page, verdicts)


def write_beside(study: Study, out: Path, viewer: str, judge: str | None) -> ReportData:
    """Write the report's folder with links to `viewer`, but without figures. Return the material, from which figures are drawn later."""
    from drr.app.report.page import write_report

    plan = ReportPlan(out=out, viewer=viewer, judge=judge)
    judged, document, ranks = figures_of(study, plan)
    material = _material(study, judged, document, plan, out, ranks)
    write_report(material, out, drawn=False)
    return material


def figures_of(study: Study, plan: ReportPlan) -> tuple[Judged, StudyDocument, Standings]:
    """Return a judge's stored verdicts, the document of figures that `drr report --json` prints, and who leads."""
    from drr.app.report.standing import study_standings
    from drr.eval.foreign.summary import foreign_scores, foreign_tables
    from drr.eval.judging.read import choose_judging, read_judged, without_broken_off
    from drr.eval.metrics.document import study_document

    judged = read_judged(study, choose_judging(study, plan.judge))
    document = study_document(study, plan.judge, complete=plan.complete_only, known=judged)
    counted = without_broken_off(judged) if plan.complete_only else judged
    ranks = study_standings(study, counted)
    document["standing"] = ranks.row.document()
    if plan.by is not None:
        from drr.app.report.by_field import by_field
        from drr.eval.metrics.compare import ValueTable

        document["by"] = by_field(ValueTable(counted), plan.by)
    if scores := foreign_scores(study):
        document["foreign"] = foreign_tables(scores, judged.answers)
    if plan.labels:
        from drr.app.annotate.sheets import labels_of
        from drr.eval.agreement.corrected import corrected_document

        labels = labels_of(study.folder / "annotation", plan.labels)
        document["corrected"] = corrected_document(judged, labels)
    return judged, document, ranks


def every_figure(study: Study) -> JsonObject:
    """Return the documents of figures of all judges, by judge; without any judge, one document under an empty name."""
    from drr.eval.judging.read import has_figures, judgings

    # A bundle holds the figures of each judge, so that none can be left out because it was less kind.
    judges = sorted({one.judge for one in judgings(study) if has_figures(study, one.judge)})
    documents = {judge: figures_of(study, ReportPlan(judge=judge or None))[1] for judge in judges or [""]}
    return cast("JsonObject", json.loads(canonical_json({"schema": 1, "documents": documents})))


def _material(
    study: Study, read: Judged, document: StudyDocument, plan: ReportPlan, out: Path, ranks: Standings
) -> ReportData:
    from drr.app.report.material import ReportData
    from drr.eval.agreement.study import agreement_document
    from drr.eval.judging.read import without_broken_off

    judged = without_broken_off(read) if plan.complete_only else read
    if not judged.answers and next(study.records("answer", None), None) is None:
        raise Misuse(
            f"{study.folder}: no answer has finished yet; `drr study status {study.folder}` says why"
        )
    agreement = agreement_document(study, _people(study, plan.human), read)
    viewer = viewer_of(out, plan.viewer)
    return ReportData(study, judged, document, agreement, plan.paper, viewer, tested=ranks.contrasts)


def _write_verdicts(judged: Judged, plan: ReportPlan, file: Path) -> int:
    from drr.app.report.tables import rows_as_csv
    from drr.eval.judging.read import citation_lines, without_broken_off
    from drr.eval.stats.citations import COLUMNS

    lines = list(citation_lines(without_broken_off(judged) if plan.complete_only else judged))
    if file.suffix != ".csv":
        return write_lines(file, lines)
    write_text(file, rows_as_csv(lines, COLUMNS), owner_only_mode(0o666))
    return len(lines)


def _people(study: Study, files: Sequence[Path]) -> list[Label]:
    """Return the labels in the files, or by default those made with `drr judges annotate` on this study."""
    from drr.app.annotate.sheets import labels_of

    folder = study.folder / "annotation"
    if files:
        return labels_of(folder, files)
    plan = load(folder)
    if plan is None:
        return []
    from drr.app.annotate.labels import notebooks

    return [
        PairwiseLabel.model_validate(row)
        for book in notebooks(folder, plan).values()
        for row in book.labels()
    ]
