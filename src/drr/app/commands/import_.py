"""The command `drr study import`: adds reports of other systems to a study, so that they are judged beside ours."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from drr.app.console import add_setting_options, print_json, settings_of
from drr.app.options import positive_int
from drr.app.study.foreign import (
    HeldAgainst,
    checked_shop,
    format_of,
    read_given,
    say_shop,
    say_taken,
    take_given,
    take_known_users,
    taken_before_writing,
    taken_reports,
)
from drr.app.study.outcome import config_of
from drr.app.study.trust import remember_study
from drr.app.terminal import plain
from drr.env.errors import Misuse
from drr.env.plugins import examples_of, load, merged_field
from drr.env.settings import Settings
from drr.eval.foreign.registry import format_names
from drr.wording.excerpt import excerpt, many

if TYPE_CHECKING:
    from drr.eval.evidence.imported import ReadReports
    from drr.study.study import Study

_EXAMPLES = """\
A Markdown file names `question`, `user` and `system` between two lines `---` at its head, or in questions.csv beside it (file, question,
user, system), or is named SYSTEM--THE-QUESTION.md. A CSV table has the columns question, user, system, report (or file).

Each line of JSONL: {"system": "other-agent", "query": "...", "report_markdown": "..."}, and where there is one "id", "user_id", "trial",
"evidence": [{"url": "...", "type": "web", "text": "..."}]. A new study is made if there is none.
With --format: reports, questions and scores as another benchmark keeps them; its scores stand beside ours, never among them.

examples:
  drr study import mine reports/*.md --shop shop --system ours && drr judge mine && drr report mine --errors errors.csv
  drr study import study reports.jsonl
  drr study import compared reports.jsonl --shop demo/shop && drr judge compared
  drr study import study logs/2026-11-27_task.eval                # a log of Inspect: answers, epochs, scores, calls, usage
  drr study import study raw_data/my-agent.jsonl --format drb
  drr study import study results/race/my-agent/raw_results.jsonl --format drb --judge gemini-2.5-pro
"""


class TakenIn(TypedDict):
    """The document of `drr study import --json`."""

    schema: int
    study: str
    held_against: HeldAgainst
    reports: int
    added: int
    systems: list[str]
    queries: int
    refused: list[RefusedRow]
    """Lines that could not be imported, each with the reason; all other lines were imported."""


class RefusedRow(TypedDict):
    line: int
    why: str


_SHOWN = 20
"""Most refused lines that are printed."""


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = _EXAMPLES + examples_of("study import")
    add("study", metavar="STUDY", type=Path, help="the folder of the study")
    add(
        "files",
        metavar="FILE",
        type=Path,
        nargs="+",
        help="reports: .md files, a .csv table, or .jsonl, a report a line; LOG.eval of Inspect; with --format files or folders of that benchmark",
    )
    add("--format", metavar="NAME", help=f"whose files these are: {', '.join(format_names())}")
    add(
        "--queries",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="with --format: its questions, where reports name them by id alone",
    )
    add(
        "--system",
        metavar="NAME",
        help="whose reports, where they do not say it (with --format and logs, default: as the file, or the log's model, is named)",
    )
    add("--scorer", metavar="NAME", help="of a log: whose score is taken over (default: the first)")
    add("--judge", metavar="NAME", help="with --format: who gave the scores, as the files do not say")
    add("--trial", type=positive_int, metavar="N", help="with --format: the repetition (default 0)")
    add("--shop", metavar="SHOP", help="for a new study: the shop its products and users live in")
    add("--json", action="store_true", help="one JSON document")
    add("--quiet", action="store_true", help="no progress")
    add_setting_options(parser, "shop_url")


def run(arguments: argparse.Namespace) -> int:
    from drr.eval.evidence.imported import plan_import, read_reports

    if arguments.format is not None:
        return _run_foreign(arguments)
    reader = merged_field("logs").get(arguments.files[0].suffix)
    for name in ("queries", "judge", "trial", *(("scorer",) if reader is None else ())):
        if getattr(arguments, name) not in (None, []):
            kind = "logs" if name == "scorer" else "--format"
            raise Misuse(f"--{name} is for {kind}; reports in our own form say it themselves")
    if reader is not None and len(arguments.files) > 1:
        raise Misuse("one log at a time; several files are for reports and for --format")
    try:
        if reader is not None:
            read = load(reader)(arguments.files[0], arguments.system, arguments.scorer)
        else:
            read = read_reports(*arguments.files, system=arguments.system)
    except Misuse as error:
        if arguments.files[0].suffix != ".md" and (theirs := format_of(arguments.files[0])):
            raise Misuse(f"{error}; it reads as {theirs.title}: add --format {theirs.name}") from error
        raise
    settings = settings_of(arguments).settings
    take_known_users(read, _shop(arguments), settings)
    with _study(arguments, settings) as study:
        units, fresh = plan_import(study, read)
        added, ok = taken_reports(study, units, fresh, settings, arguments)
        document: TakenIn = {
            "schema": 1,
            "study": str(Path(study.folder)),
            "held_against": checked_shop(study, settings),
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
            f"{added} of {len(units)} reports are new; {many(document['queries'], 'question')}, systems {', '.join(document['systems'])}"
        )
        say_shop(document["held_against"])
    return 0 if ok and not read.refused else 1


def _run_foreign(arguments: argparse.Namespace) -> int:
    given = read_given(arguments)
    taken = taken_before_writing(given, arguments)
    settings = settings_of(arguments).settings
    with _study(arguments, settings) as study:
        document, ok = take_given(study, given.format, taken, settings, arguments)
    if arguments.json:
        print_json(document)
    else:
        say_taken(document)
    return 0 if ok else 1


def _say_refused(read: ReadReports) -> None:
    for line, why in read.refused[:_SHOWN]:
        print(
            f"drr: {excerpt(plain(f'{read.path}, line {line}: {why}'), 600)}; not taken in", file=sys.stderr
        )
    if more := len(read.refused[_SHOWN:]):
        print(
            f"drr: {read.path}: {more:,} lines more were not taken in; --json names them all", file=sys.stderr
        )


def _shop(arguments: argparse.Namespace) -> str | None:
    """Return the shop of the study, which only a new one takes from the call."""
    from drr.study.study import Study

    if not Study.exists(arguments.study):
        return str(arguments.shop) if arguments.shop else None
    with Study.open(arguments.study) as study:
        return checked_shop(study, settings_of(arguments).settings)["shop"]


def _study(arguments: argparse.Namespace, settings: Settings) -> Study:
    from drr.study.study import Study

    if Study.exists(arguments.study):
        return Study.open(arguments.study)
    study = Study.create(arguments.study, config_of({"shop": arguments.shop}, settings))
    remember_study(arguments.study, settings, shops=[arguments.shop])
    return study
