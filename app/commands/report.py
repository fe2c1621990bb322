"""`drr report`: every table and figure of a study, from its ledger alone."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from drr.app.report.material import Material
    from drr.eval.labels import Label
    from drr.eval.metrics.rows import StudyDocument
    from drr.eval.tasks.judged import Judged
    from drr.study.study import Study

_USUAL = ("--out", "--judge", "--labels", "--viewer", "--paper", "--explain", "--json", "--quiet")
"""The options that people use; `--help-all` has the others."""


def build(parser: argparse.ArgumentParser) -> None:
    from drr.app.papers.names import printed_papers
    from drr.app.parsing import name_usual

    name_usual(parser, *_USUAL)
    parser.epilog = "examples:\n  drr report study --out report\n  drr report study --out report --viewer ../pages   # numbers lead to the pages of drr view --static\n  drr report study --json\n  drr report study --out report --paper-figures\n  drr report study --labels sheet.jsonl\n  drr report --explain   # what every metric means"
    parser.add_argument("study", type=Path, metavar="STUDY", nargs="?", help="the folder of the study")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="index.html, answers behind its numbers, tables as md, tex, csv, figures as svg, png, pdf",
    )
    parser.add_argument(
        "--viewer",
        metavar="PLACE",
        help="where the pages of `drr view --static` lie, seen from --out: each answer behind a number leads there (default: ../viewer, if it is there)",
    )
    parser.add_argument("--judge", help="whose judgements (default: the last by a model, else by rules)")
    parser.add_argument(
        "--paper-figures",
        action="store_true",
        help="the paper's figures beside ours, marked as another setting",
    )
    parser.add_argument(
        "--paper",
        choices=printed_papers(),
        help="the tables of this paper by their own numbers, with its printed figures, marked as another setting, where no rules took part",
    )
    parser.add_argument(
        "--human",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="labels of people (default: those of drr judges annotate)",
    )
    parser.add_argument(
        "--labels",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="labels of a part (`drr judges annotate --sample`): each figure beside its estimate that holds the judge's error",
    )
    parser.add_argument(
        "--explain", action="store_true", help="every metric: what it means, its scale, which way is better"
    )
    parser.add_argument(
        "--complete-only",
        action="store_true",
        help="leave out answers whose research was broken off because the model failed in the middle",
    )
    parser.add_argument(
        "--verdicts",
        type=Path,
        metavar="FILE",
        help="what each address says of each claim that cites it, a JSON line each (docs/judging.md, Citations one by one)",
    )
    parser.add_argument("--json", action="store_true", help="the metrics as one JSON document")


def run(arguments: argparse.Namespace) -> int:
    from drr.app.console import print_json
    from drr.app.report.of_papers import report_parts
    from drr.app.studies import despite_losses
    from drr.env.errors import Misuse
    from drr.study.study import Study

    if arguments.explain:
        return _explain(as_json=arguments.json)
    if arguments.study is None:
        raise Misuse("which study? `drr report STUDY --out DIR`, or --explain for what the metrics mean")
    if not (arguments.out or arguments.json or arguments.labels or arguments.verdicts):
        raise Misuse("say where the report goes: --out DIR (or --json for the numbers alone)")
    with Study.read(arguments.study) as study:
        document, tables = despite_losses(study, lambda: _made(study, arguments))
        for refused in (line for parts in report_parts() for line in parts.refusals(document)):
            print(f"drr: memories side by side: {' '.join(refused.split())}", file=sys.stderr)
        if arguments.json:
            print_json(document)
            return 0
        if "corrected" in document:
            from drr.app.corrected import told_of

            print(told_of(document["corrected"], document["banner"]))
        if arguments.out is not None:
            print(f"{tables} tables: open {arguments.out / 'index.html'}")
    return 0


def write_beside(study: Study, out: Path, viewer: str, judge: str | None) -> Material:
    """As `drr report STUDY --out` writes it, with its answers leading to `viewer`, but for figures, which are drawn from what is
    given back."""
    from drr.app.report.write import write_report

    parser = argparse.ArgumentParser()
    build(parser)
    words = [str(study.folder), "--out", str(out), "--viewer", viewer]
    arguments = parser.parse_args([*words, "--judge", judge] if judge else words)
    judged, document = _read(study, arguments)
    material = _material(study, judged, document, arguments)
    write_report(material, out, drawn=False)
    return material


def _made(study: Study, arguments: argparse.Namespace) -> tuple[StudyDocument, int]:
    """The document, and how many tables were written."""
    judged, document = _read(study, arguments)
    tables = 0 if arguments.out is None else _write(study, judged, document, arguments)
    if arguments.verdicts is not None:
        _write_verdicts(judged, arguments)
    return document, tables


def _read(study: Study, arguments: argparse.Namespace) -> tuple[Judged, StudyDocument]:
    from drr.app.report.of_papers import report_parts
    from drr.eval.foreign.kept import foreign_scores
    from drr.eval.foreign.summary import foreign_tables
    from drr.eval.judging.read import choose, read_judged
    from drr.eval.metrics.document import study_document

    judged = read_judged(study, choose(study, arguments.judge))
    document = study_document(study, arguments.judge, complete=arguments.complete_only, known=judged)
    for name, row_of in (item for parts in report_parts() for item in parts.document.items()):
        if (row := row_of(study)) is not None:
            cast(dict[str, object], document)[name] = row
    if scores := foreign_scores(study):
        document["foreign"] = foreign_tables(scores, judged.answers)
    if arguments.labels:
        _correct(study, judged, document, arguments)
    return judged, document


def _correct(study: Study, judged: Judged, document: StudyDocument, arguments: argparse.Namespace) -> None:
    from drr.app.annotate.sheets import labels_of
    from drr.eval.agreement.corrected import corrected_document

    labels = labels_of(study.folder / "annotation", arguments.labels)
    document["corrected"] = corrected_document(judged, labels)


def _write(study: Study, read: Judged, document: StudyDocument, arguments: argparse.Namespace) -> int:
    """The folder of the report; how many tables it has."""
    from drr.app.report.write import write_report

    material = _material(study, read, document, arguments)
    tables = write_report(material, arguments.out)
    if arguments.paper_figures and not material.with_paper:
        told = "what rules wrote or judged is never set beside the paper's figures: left out"
        print(told, file=sys.stderr)
    return len(tables)


def _material(study: Study, read: Judged, document: StudyDocument, arguments: argparse.Namespace) -> Material:
    from drr.app.report.material import Material, viewer_of
    from drr.env.errors import Misuse
    from drr.eval.agreement.study import agreement_among, raters_of
    from drr.eval.judging.read import complete_only

    judged = complete_only(read) if arguments.complete_only else read
    if not judged.answers and next(study.records("answer", None), None) is None:
        raise Misuse(
            f"{arguments.study}: no answer has finished yet; `drr study status {arguments.study}` says why"
        )
    asked = arguments.paper_figures or arguments.paper == "retail"
    beside = asked and document["banner"] is None
    raters = raters_of(study, _people(study, arguments.human), read)
    agreement = agreement_among(study, raters)
    viewer = viewer_of(arguments.out, arguments.viewer)
    return Material(study, judged, document, beside, agreement, arguments.paper, viewer, raters)


def _write_verdicts(judged: Judged, arguments: argparse.Namespace) -> None:
    from drr.app.console import write_lines
    from drr.eval.judging.citation_lines import citation_lines
    from drr.eval.judging.read import complete_only

    if arguments.complete_only:
        judged = complete_only(judged)
    count = write_lines(arguments.verdicts, citation_lines(judged))
    print(f"{count:,} verdicts: {arguments.verdicts}", file=sys.stderr)


def _explain(*, as_json: bool) -> int:
    from drr.app.console import print_json
    from drr.app.report.explain import explained
    from drr.eval.metrics import metrics

    if as_json:
        print_json({"schema": 1, "metrics": {name: metric.document() for name, metric in metrics().items()}})
    else:
        print(explained())
    return 0


def _people(study: Study, files: Sequence[Path]) -> list[Label]:
    """The labels given, else those that were made with `drr judges annotate` on this study."""
    from drr.app.annotate.labels import notebooks
    from drr.app.annotate.plan import load
    from drr.app.annotate.sheets import labels_of
    from drr.eval.labels import PairwiseLabel

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
