"""The command `drr report`: every table and figure of a study, from its ledger alone."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.commands.parser import name_usual
from drr.app.console import print_document, print_json, print_result
from drr.app.notices import notice
from drr.app.report.report_plan import ReportPlan
from drr.app.study.terms import add_options
from drr.app.terminal import wrapped_paragraph
from drr.env.errors import Misuse

if TYPE_CHECKING:
    from drr.eval.metrics.rows import StudyDocument

_USUAL = (
    "--out",
    "--judge",
    "--labels",
    "--viewer",
    "--by",
    "--paper",
    "--stress",
    "--explain",
    "--json",
    "--quiet",
)
"""Options that the short help shows; `--help-all` shows the others."""


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    name_usual(parser, *_USUAL)
    parser.epilog = "examples:\n  drr report study --out report\n  drr report study --out report --viewer ../pages   # numbers lead to the pages of drr view --static\n  drr report study --json\n  drr report study --verdicts claims.csv   # every claim beside its sources\n  drr report study --labels sheet.jsonl\n  drr report --explain   # what every metric means"
    add("study", type=Path, metavar="STUDY", nargs="?", help="the folder of the study")
    add_options(parser, ReportPlan)
    add(
        "--stress",
        action="store_true",
        help="what changes moved, of `drr study stress`: into --out as stress.html and stress.json, or --json",
    )
    add("--explain", action="store_true", help="every metric: what it means, its scale, which way is better")
    add("--json", action="store_true", help="the metrics as one JSON document")


def run(arguments: argparse.Namespace) -> int:
    from drr.app.report.metric_tables import explained
    from drr.app.report.study_report import report
    from drr.eval.metrics import metrics

    if arguments.explain:
        rows = {name: metric.document() for name, metric in metrics().items()}
        print_result(arguments, {"metrics": rows}, explained())
        return 0
    if arguments.study is None:
        raise Misuse("which study? `drr report STUDY --out DIR`, or --explain for what the metrics mean")
    if not (arguments.out or arguments.json or arguments.labels or arguments.verdicts or arguments.by):
        raise Misuse("say where the report goes: --out DIR (or --json for the numbers alone)")
    if arguments.stress:
        return _stress(arguments)
    made = report(arguments.study, ReportPlan.of(arguments))
    document = made.document()
    if waiting := document["coverage"].get("unjudged"):
        judge = document["judge"]["name"] if document["judge"] else ""
        count = document["coverage"]["answers"]
        which = f"{waiting:,} of {count:,} answers"
        notice(f"{which} are not judged yet by {judge}: `drr judge {arguments.study}`")
    if made.verdicts is not None:
        print(f"{made.verdicts:,} verdicts: {arguments.verdicts}", file=sys.stderr)
    if arguments.json:
        print_json(document)
        return 0
    _print_parts(document)
    if made.tables is not None:
        print(wrapped_paragraph(document["standing"]["text"]))
        print(f"{made.tables} tables: open {made.page}")
        print("What a score means, and what it does not: docs/what-a-score-means.md")
    return 0


def _print_parts(document: StudyDocument) -> None:
    from drr.app.report.by_field import by_field_text
    from drr.app.report.judging_tables import corrected_text

    if "by" in document:
        print(by_field_text(document["by"]))
    if "corrected" in document:
        print(corrected_text(document["corrected"], document["banner"]))


def _stress(arguments: argparse.Namespace) -> int:
    from drr.app.stress.findings import findings
    from drr.app.stress.page import sentences, write

    found = findings(arguments.study)
    if arguments.out is not None:
        write(found, arguments.out)
    page = [] if arguments.out is None else [f"open {arguments.out / 'stress.html'}"]
    print_document(arguments, found, *sentences(found), *page)
    return 0
