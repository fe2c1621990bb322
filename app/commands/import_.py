"""`drr import`: takes reports of any other system into a study, so that they are judged beside ours."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from drr.env.settings import Settings
    from drr.eval.evidence.imported import ReadReports
    from drr.study.study import Study

_EXAMPLES = """\
Each line: {"id": "...", "system": "other-agent", "query": "...", "user_id": "...", "report_markdown": "...",
"evidence": [{"url": "...", "type": "web", "text": "..."}]}. A new study is made if there is none.

examples:
  drr import study reports.jsonl
  drr import compared reports.jsonl --shop demo/shop && drr judge compared
"""


class TakenIn(TypedDict):
    """The document of `drr import --json`."""

    schema: int
    study: str
    reports: int
    added: int
    systems: list[str]
    queries: int
    refused: list[RefusedRow]
    """Lines that could not be taken in, with why; the others were."""


class RefusedRow(TypedDict):
    line: int
    why: str


_SHOWN = 20
"""Refused lines that are printed."""


def build(parser: argparse.ArgumentParser) -> None:
    from drr.app.console import add_setting_options

    parser.epilog = _EXAMPLES
    parser.add_argument("study", metavar="STUDY", type=Path)
    parser.add_argument("reports", metavar="FILE", type=Path, help="JSONL, a report a line")
    parser.add_argument(
        "--shop", metavar="SHOP", help="for a new study: the shop its products and users live in"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    add_setting_options(parser, "shop_url")


def run(arguments: argparse.Namespace) -> int:
    import asyncio

    from drr.app.console import print_json, progress_of, settings_of
    from drr.app.models import models_of
    from drr.app.studies import keep_questions
    from drr.eval.evidence.imported import plan, read_reports, take_in
    from drr.study.run import run as run_units

    read = read_reports(arguments.reports)
    settings = settings_of(arguments).settings
    with _study(arguments, settings) as study:
        units, fresh = plan(study, read)
        keep_questions(study, fresh)
        known = {record.key for record in study.records("answer")}
        study.look_for_losses()
        lost = study.reopen_lost(unit.key for unit in units)
        summary = asyncio.run(
            run_units(
                study,
                units,
                take_in,
                models=models_of(settings),
                progress=progress_of(arguments),
                label="reports",
                retry_failed=bool(lost),
            )
        )
        added = sum(unit.key not in known for unit in units)
        document: TakenIn = {
            "schema": 1,
            "study": str(Path(study.folder)),
            "reports": len(units),
            "added": added,
            "systems": sorted({unit.spec["variant"] for unit in units}),
            "queries": len({unit.spec["query_id"] for unit in units}),
            "refused": [{"line": line, "why": why} for line, why in read.refused],
        }
    _say_refused(read)
    if arguments.json:
        print_json(document)
    else:
        print(
            f"{added} of {len(units)} reports are new; {document['queries']} queries, systems {', '.join(document['systems'])}"
        )
    return 0 if summary.ok and not read.refused else 1


def _say_refused(read: ReadReports) -> None:
    import sys

    from drr.app.screen import plain
    from drr.wording.excerpt import excerpt

    for line, why in read.refused[:_SHOWN]:
        print(
            f"drr: {excerpt(plain(f'{read.path}, line {line}: {why}'), 600)}; not taken in", file=sys.stderr
        )
    if more := len(read.refused[_SHOWN:]):
        print(
            f"drr: {read.path}: {more:,} lines more were not taken in; --json names them all", file=sys.stderr
        )


def _study(arguments: argparse.Namespace, settings: Settings) -> Study:
    from drr.app.studies import config_of
    from drr.app.vouching import remember_study
    from drr.study.study import Study

    if Study.exists(arguments.study):
        return Study.open(arguments.study)
    study = Study.create(arguments.study, config_of({"shop": arguments.shop}, settings))
    remember_study(arguments.study, settings, shops=[arguments.shop])
    return study
