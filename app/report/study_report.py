"""Builds the report of a study: a document with every figure, and a folder of tables, figures and answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from drr.app.annotate.labels import notebooks
from drr.app.annotate.plan import load
from drr.app.console import write_lines, write_text
from drr.app.notices import notice
from drr.app.pages.folders import REPORT_MARK, viewer_of
from drr.app.report.of_papers import report_parts
from drr.app.study.outcome import without_lost_answers
from drr.env.errors import Misuse
from drr.env.files import private
from drr.env.json_object import JsonObject
from drr.eval.labels import Label, PairwiseLabel
from drr.study.unit import canonical_json

if TYPE_CHECKING:
    from drr.app.report.material import ReportData
    from drr.eval.metrics.rows import StudyDocument
    from drr.eval.stats.intervals import VRow
    from drr.eval.tasks.judgements import Judged
    from drr.study.study import Study


@dataclass(frozen=True, kw_only=True)
class ReportConfig:
    """The options of a report: the judge, the labels and the folder to write."""

    judge: str | None = None
    """Judge whose judgements are reported; by default the last model, else rules."""
    out: Path | None = None
    """Folder of the report; `None` makes only the document, no files."""
    viewer: str | None = None
    """Path of the viewer's pages, relative to the report's folder."""
    figures: Sequence[str] = ("svg",)
    """File formats of the figures."""
    paper_figures: bool = False
    paper: str | None = None
    """Name of the paper whose numbering of tables is used."""
    human: Sequence[Path] = ()
    """Files with labels of people; by default the labels made in the study's annotation."""
    labels: Sequence[Path] = ()
    """Files with people's labels of some answers, by which figures are corrected."""
    complete_only: bool = False
    """True to leave out answers whose research was broken off."""
    verdicts: Path | None = None
    """File for the verdict on each address: CSV where its name ends in `.csv`, else JSON lines."""


class ReportFolder(NamedTuple):
    """Facts about the written folder of a report."""

    tables: int
    paper_left_out: bool
    """True where the paper's figures were asked for but left out, because rules wrote or judged something."""


@dataclass(frozen=True)
class StudyReport:
    """The finished report of a study: its document and the files that were written."""

    whole: StudyDocument
    written: ReportFolder | None = None
    page: Path | None = None
    """The first page of the folder."""
    verdicts: int | None = None
    """Number of verdicts written."""

    @property
    def metrics(self) -> dict[str, dict[str, VRow]]:
        """The metrics by variant and name."""
        return self.whole["metrics"]

    def document(self) -> StudyDocument:
        """Return the document that `drr report --json` prints."""
        return self.whole


def report(folder: Path, config: ReportConfig) -> StudyReport:
    """Return the report of the study in the folder, from stored judgements alone; no model is called."""
    from drr.study.study import Study

    with Study.read(folder) as study:
        made = without_lost_answers(study, lambda: _kept(study, config))
    for refused in (line for parts in report_parts(made.whole) for line in parts.refusals(made.whole)):
        notice(f"memories side by side: {' '.join(refused.split())}")
    return made


def _kept(study: Study, config: ReportConfig) -> StudyReport:
    """Return the report, from the cache where nothing changed; a folder that would get the same content stays untouched."""
    from drr.study.cache import kept, named

    if config.verdicts is not None:
        return _made(study, config)
    out = config.out

    def rests_on() -> object:
        viewer = None if out is None else viewer_of(out, config.viewer)
        return [repr(config), repr(viewer), named([*config.human, *config.labels])]

    def work() -> list[object]:
        made = _made(study, config)
        return [made.whole, None if made.written is None else list(made.written)]

    whole, written = kept(study, "report", rests_on, work, wrote=out and out / REPORT_MARK)
    page = None if out is None else out / "index.html"
    return StudyReport(whole, written and ReportFolder(*written), page)


def _made(study: Study, config: ReportConfig) -> StudyReport:
    judged, document = figures_of(study, config)
    written = None if config.out is None else _write(study, judged, document, config, config.out)
    verdicts = None if config.verdicts is None else _write_verdicts(judged, config, config.verdicts)
    page = None if config.out is None else config.out / "index.html"
    return StudyReport(document, written, page, verdicts)


def write_beside(study: Study, out: Path, viewer: str, judge: str | None) -> ReportData:
    """Write the report's folder with links to `viewer`, but without figures. Return the material, from which figures are drawn later."""
    from drr.app.report.write import write_report

    config = ReportConfig(out=out, viewer=viewer, judge=judge)
    judged, document = figures_of(study, config)
    material = _material(study, judged, document, config, out)
    write_report(material, out, drawn=False)
    return material


def figures_of(study: Study, config: ReportConfig) -> tuple[Judged, StudyDocument]:
    """Return a judge's stored verdicts, and the document of figures that `drr report --json` prints."""
    from drr.eval.foreign.summary import foreign_scores, foreign_tables
    from drr.eval.judging.read import choose, read_judged
    from drr.eval.metrics.document import study_document

    judged = read_judged(study, choose(study, config.judge))
    document = study_document(study, config.judge, complete=config.complete_only, known=judged)
    if scores := foreign_scores(study):
        document["foreign"] = foreign_tables(scores, judged.answers)
    if config.labels:
        _correct(study, judged, document, config)
    return judged, document


def every_figure(study: Study) -> JsonObject:
    """Return the documents of figures of all judges, by judge; without any judge, one document under an empty name."""
    from drr.eval.judging.read import has_figures, judgings

    judges = sorted({one.judge for one in judgings(study) if has_figures(study, one.judge)})
    documents = {judge: figures_of(study, ReportConfig(judge=judge or None))[1] for judge in judges or [""]}
    return cast("JsonObject", json.loads(canonical_json({"schema": 1, "documents": documents})))


def _correct(study: Study, judged: Judged, document: StudyDocument, config: ReportConfig) -> None:
    from drr.app.annotate.sheets import labels_of
    from drr.eval.agreement.corrected import corrected_document

    labels = labels_of(study.folder / "annotation", config.labels)
    document["corrected"] = corrected_document(judged, labels)


def _write(
    study: Study, read: Judged, document: StudyDocument, config: ReportConfig, out: Path
) -> ReportFolder:
    """Write the folder of the report and return facts about the folder."""
    from drr.app.report.write import write_report

    material = replace(_material(study, read, document, config, out), forms=config.figures)
    tables = write_report(material, out)
    return ReportFolder(len(tables), paper_left_out=config.paper_figures and not material.with_paper)


def _material(
    study: Study, read: Judged, document: StudyDocument, config: ReportConfig, out: Path
) -> ReportData:
    from drr.app.report.material import ReportData
    from drr.eval.agreement.study import agreement_among, raters_of
    from drr.eval.judging.read import complete_only

    judged = complete_only(read) if config.complete_only else read
    if not judged.answers and next(study.records("answer", None), None) is None:
        raise Misuse(
            f"{study.folder}: no answer has finished yet; `drr study status {study.folder}` says why"
        )
    asked = config.paper_figures or config.paper == "retail"
    beside = asked and document["banner"] is None
    raters = raters_of(study, _people(study, config.human), read)
    agreement = agreement_among(study, raters)
    viewer = viewer_of(out, config.viewer)
    return ReportData(study, judged, document, beside, agreement, config.paper, viewer, raters)


def _write_verdicts(judged: Judged, config: ReportConfig, file: Path) -> int:
    from drr.app.report.tables import rows_as_csv
    from drr.eval.judging.read import citation_lines, complete_only
    from drr.eval.stats.citations import COLUMNS

    lines = list(citation_lines(complete_only(judged) if config.complete_only else judged))
    if file.suffix != ".csv":
        return write_lines(file, lines)
    write_text(file, rows_as_csv(lines, COLUMNS), private(0o666))
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
    return [
        PairwiseLabel.model_validate(row)
        for book in notebooks(folder, plan).values()
        for row in book.labels()
    ]
