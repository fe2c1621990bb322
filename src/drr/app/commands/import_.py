"""The command `drr study import`: adds reports of other systems to a study, so that they are judged beside ours.

With `--format` the files are those of another benchmark, whose scores stand beside ours, never among them.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from drr.app.console import add_setting_options, print_json, progress_of, settings_of
from drr.app.models.setup import models_of
from drr.app.notices import notice
from drr.app.study.foreign import format_named
from drr.app.study.outcome import config_of, keep_questions
from drr.app.study.trust import remember_study
from drr.app.terminal import plain
from drr.app.users import user_in
from drr.env.errors import DrrError, Misuse
from drr.env.json_object import JsonObject
from drr.env.plugins import examples_of, extras, merged
from drr.env.query import read_queries
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.eval.foreign.registry import TRACES, format_places, formats, part_of
from drr.eval.stats.question import grouped
from drr.wording.excerpt import excerpt, many

if TYPE_CHECKING:
    from drr.eval.evidence.imported import ReadReports
    from drr.eval.foreign.form import Format
    from drr.eval.foreign.summary import ForeignScore
    from drr.eval.foreign.taking import GivenFiles, TakenFiles
    from drr.study.study import Study

_EXAMPLES = """\
A Markdown file names `question`, `user` and `system` between two lines `---` at its head, or in questions.csv beside it (file, question,
user, system), or is named SYSTEM--THE-QUESTION.md. A CSV table has the columns question, user, system, report (or file).

Each line of JSONL: {"system": "other-agent", "query": "...", "report_markdown": "..."}, and where there is one "id", "user_id", "trial",
"evidence": [{"url": "...", "type": "web", "text": "..."}]. A new study is made if there is none.
With --format: reports, questions and scores as another benchmark keeps them; its scores stand beside ours, never among them.

examples:
  drr study import mine reports/*.md --shop shop --system ours && drr judge mine && drr report mine --out report
  drr study import study reports.jsonl
  drr study import compared reports.jsonl --shop demo/shop && drr judge compared
  drr study import study logs/2026-11-27_task.eval                # a log of Inspect: answers, epochs, scores, calls, usage
  drr study import study trace.json --format otlp --shop shop     # spans of OpenTelemetry; of Harbor: --format atif
  drr study import study raw_data/my-agent.jsonl --format drb
  drr study import study results/race/my-agent/raw_results.jsonl --format drb --judge gemini-2.5-pro
"""


class HeldAgainst(TypedDict):
    """The shop that the reports of a study are checked against."""

    shop: str | None
    shop_url: str


class ScoresTaken(TypedDict):
    part: str
    title: str
    judge: str | None
    system: str
    rows: int
    unscored: int
    """Rows that the judge left without a score."""
    without_report: int
    """Rows whose question has no report of the system in this study; a row that names no question is not counted."""


class TakenIn(TypedDict):
    """The document of `drr study import --json`."""

    schema: int
    study: str
    held_against: HeldAgainst
    format: str | None
    """Name of the other benchmark's format; `None` for reports in our own form."""
    reports: int
    added: int
    systems: list[str]
    queries: int
    scores: list[ScoresTaken]
    replaced: int
    """Earlier scores of the same judge that the new scores replaced."""
    kept_out: int
    """Records of other shoppers, or of any where no user is named, that were not taken over."""
    refused: list[JsonObject]
    """Lines that could not be imported, each with the reason; all other lines were imported."""


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
    add("--format", metavar="NAME", help=f"whose files these are: {', '.join([*format_places(), *TRACES])}")
    add(
        "--queries",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="with --format: its questions, where reports name them by id alone; of traces: ours, with what code can check",
    )
    add(
        "--system",
        metavar="NAME",
        help="whose reports, where they do not say it (with --format and logs, default: as the file, or the log's model, is named)",
    )
    add("--scorer", metavar="NAME", help="of a log: whose score is taken over (default: the first)")
    add("--judge", metavar="NAME", help="with --format: who gave the scores, as the files do not say")
    add("--shop", metavar="SHOP", help="for a new study: the shop its products and users live in")
    add("--json", action="store_true", help="one JSON document")
    add("--quiet", action="store_true", help="no progress")
    add_setting_options(parser, "shop_url")


def run(arguments: argparse.Namespace) -> int:
    """Import everything that was given. All errors in the files are found before a new study is made."""
    from drr.eval.evidence.imported import ReadReports
    from drr.eval.foreign.summary import keep_scores
    from drr.study.study import Study

    given = _own_reports(arguments) if arguments.format in (None, *TRACES) else _foreign_files(arguments)
    settings = settings_of(arguments).settings
    with ExitStack() as opened:
        study = None
        if Study.exists(arguments.study):
            study = opened.enter_context(Study.open(arguments.study))
        taken, kept_out = _prepare_import(given, study, settings, arguments)
        if study is None:
            config = config_of({"shop": arguments.shop}, settings)
            study = opened.enter_context(Study.create(arguments.study, config))
            remember_study(arguments.study, settings, shops=[arguments.shop])
        added, ok = _taken_reports(study, taken, settings, arguments)
        refused = given.refused if isinstance(given, ReadReports) else []
        kept = study.config.get("settings", {}).get("shop_url")
        document: TakenIn = {
            "schema": 1,
            "study": str(Path(study.folder)),
            "held_against": {"shop": _shop(study), "shop_url": kept or settings.shop_url},
            "format": arguments.format,
            "reports": len(taken.units),
            "added": added,
            "systems": sorted({unit.spec["variant"] for unit in taken.units}),
            "queries": len({unit.spec["query_id"] for unit in taken.units}),
            "scores": _scores_taken(study, taken.scores),
            "replaced": keep_scores(study, taken.scores) if taken.scores else 0,
            "kept_out": kept_out,
            "refused": [one._asdict() for one in refused],
        }
    if isinstance(given, ReadReports):
        _say_refused(given)
    if arguments.json:
        print_json(document)
    else:
        _say(document)
    return 0 if ok and not document["refused"] else 1


def _own_reports(arguments: argparse.Namespace) -> ReadReports:
    """Read reports in our own form, traces, or the log of another harness."""
    from drr.eval.evidence.imported import read_reports
    from drr.eval.foreign.traces import read_traces

    first = arguments.files[0]
    logs = merged(extra.logs for extra in extras())
    reader = logs.get(first.suffix) if arguments.format is None else None
    for name in (
        *(("queries",) if arguments.format is None else ()),
        "judge",
        *(("scorer",) if reader is None else ()),
    ):
        if getattr(arguments, name) not in (None, []):
            kind = "logs" if name == "scorer" else "--format"
            raise Misuse(f"--{name} is for {kind}; traces and reports in our own form say it themselves")
    if reader is not None and len(arguments.files) > 1:
        raise Misuse("one log at a time; several files are for reports and for --format")
    if arguments.format is not None:
        return read_traces(arguments.format, arguments.files, arguments.system)
    try:
        if reader is not None:
            read: ReadReports = reader(first, arguments.system, arguments.scorer)
            return read
        return read_reports(*arguments.files, system=arguments.system)
    except Misuse as error:
        if first.suffix != ".md" and (theirs := _format_of(first)):
            raise Misuse(f"{error}; it reads as {theirs.title}: add --format {theirs.name}") from error
        raise


def _format_of(path: Path) -> Format | None:
    """Return the format that can read the file's first row as a report; `None` where no format can."""
    from drr.eval.foreign.form import GivenReport

    for form in formats().values():
        with suppress(DrrError):
            if isinstance(next(iter(form.read(path)), None), GivenReport):
                return form
    return None


def _foreign_files(arguments: argparse.Namespace) -> GivenFiles:
    from drr.eval.foreign.summary import NAME_LENGTH
    from drr.eval.foreign.taking import read_files
    from drr.study.study import Study

    for name in ("judge", "system"):
        named = getattr(arguments, name)
        if named is not None and (not named.strip() or len(named) > NAME_LENGTH or not named.isprintable()):
            raise Misuse(f"--{name}: a name of at most {NAME_LENGTH} characters")
    given = read_files(format_named(arguments.format), arguments.files, arguments.queries, arguments.system)
    if arguments.judge is not None and not given.scores:
        raise Misuse("--judge names who gave the scores, and these files hold none")
    if not given.reports and not Study.exists(arguments.study):
        raise Misuse(f"{arguments.study}: no study yet, and these are scores alone; import the reports first")
    return given


def _prepare_import(
    given: ReadReports | GivenFiles, study: Study | None, settings: Settings, arguments: argparse.Namespace
) -> tuple[TakenFiles, int]:
    """Prepare the import into this study, or into a new one, and count the records kept out. Nothing is written yet."""
    from drr.eval.evidence.imported import ReadReports, plan_import
    from drr.eval.foreign.summary import foreign_scores
    from drr.eval.foreign.taking import TakenFiles, take_files

    if isinstance(given, ReadReports):
        kept_out = _take_known_users(given, arguments, study, settings)
        asked = [one for path in arguments.queries for one in read_queries(path)]
        units, fresh = plan_import(study, given, asked)
        given.check_anything_left(len(units))
        return TakenFiles(units, fresh, []), kept_out
    if study is not None:
        foreign_scores(study)  # a file that cannot be read is not written over
    return take_files(study, given, arguments.judge), 0


def _shop(study: Study) -> str | None:
    """Return the shop of the study, which only a new one takes from the call. It is the default of `drr judge`."""
    shop: str | None = study.config.get("run", {}).get("shop")
    return shop


def _take_known_users(
    read: ReadReports, arguments: argparse.Namespace, study: Study | None, settings: Settings
) -> int:
    """Refuse reports for a user whom the shop does not have; `user_in` tells who that is. Return how many records of others were
    kept out. Traces get their evidence from the shop."""
    from drr.eval.foreign.returned import with_evidence
    from drr.eval.foreign.shoppers import apart

    spec = arguments.shop if study is None else _shop(study)
    is_trace, rows, kept_out = arguments.format is not None, list(read.reports), 0
    read.reports.clear()
    is_asked = is_trace or any(one.user_id or one.evidence or one.tool_calls for _, one in rows)
    with open_shop(spec, settings) if spec is not None and is_asked else nullcontext() as shop:
        for line, report in rows:
            known = report.user_id
            try:
                known = known if shop is None or known is None else user_in(shop, known)
            except Misuse as error:
                read.refuse(line, f"{excerpt(report.query, 40)!r}: {error}")
                continue
            whole = report.model_copy(update={"user_id": known})
            own, others = apart(whole, shop)
            kept_out += others
            own = with_evidence(own, shop) if is_trace else own.model_copy(update={"traced": None})
            read.reports.append((line, own))
    read.check_anything_left(len(read.reports))
    return kept_out


def _taken_reports(
    study: Study, taken: TakenFiles, settings: Settings, arguments: argparse.Namespace
) -> tuple[int, bool]:
    """Import reports as finished units; return the number of new units, and True if all went well."""
    from drr.eval.evidence.imported import store_imported_report
    from drr.study.run import run as run_units

    if not taken.units:
        return 0, True
    keep_questions(study, taken.fresh)
    known = {record.key for record in study.records("answer")}
    study.look_for_losses()
    lost = study.reopen_lost(unit.key for unit in taken.units)
    summary = asyncio.run(
        run_units(
            study,
            taken.units,
            store_imported_report,
            models=models_of(settings),
            progress=progress_of(arguments),
            label="reports",
            retry_failed=bool(lost),
        )
    )
    return sum(unit.key not in known for unit in taken.units), summary.ok


def _scores_taken(study: Study, scores: Sequence[ForeignScore]) -> list[ScoresTaken]:
    answered = {(r.spec["variant"], r.spec["query_id"], r.spec["trial"]) for r in study.records("answer")}
    by = grouped(((one.part, one.system), one) for one in scores)
    found: list[ScoresTaken] = []
    for (name, system), rows in sorted(by.items()):
        part = part_of(rows[0].format, name)
        found.append(
            {
                "part": name,
                "title": part.title if part else name,
                "judge": rows[0].judge,
                "system": system,
                "rows": len(rows),
                "unscored": sum(all(value is None for value in one.values.values()) for one in rows),
                "without_report": sum(
                    one.query_id is not None and (one.system, one.query_id, one.trial) not in answered
                    for one in rows
                ),
            }
        )
    return found


def _say_refused(read: ReadReports) -> None:
    for line, why in read.refused[:_SHOWN]:
        notice(f"{excerpt(plain(f'{read.path}, line {line}: {why}'), 600)}; not taken in")
    if more := len(read.refused[_SHOWN:]):
        notice(f"{read.path}: {more:,} lines more were not taken in; --json names them all")


def _say(document: TakenIn) -> None:
    if document["reports"]:
        against, systems = document["held_against"], ", ".join(document["systems"])
        counts = f"{document['added']} of {document['reports']} reports are new"
        print(plain(f"{counts}; {many(document['queries'], 'question')}, systems {systems}"))
        shop = f"held against the shop {against['shop']}, whose pages are at {against['shop_url']}"
        none = "held against no shop, so what is cited of one stays unread; `drr judge STUDY --shop SHOP` names one"
        print(none if against["shop"] is None else plain(shop))
    if document["kept_out"]:
        print(f"kept out: {many(document['kept_out'], 'record')} of others than the report's own shopper")
    for one in document["scores"]:
        judge = "judge not told (--judge NAME)" if one["judge"] is None else f"judge {one['judge']}"
        without = f", {one['unscored']} without a score" if one["unscored"] else ""
        print(plain(f"{one['title']}: {one['rows']} scores of {one['system']}, {judge}{without}"))
        if one["without_report"]:
            which = f"questions that {one['system']} has no report of in this study"
            notice(
                plain(f"{one['without_report']} of them are of {which}; --system NAME says whose they are")
            )
    if document["replaced"]:
        print(f"{document['replaced']} scores of the same judge gave way to these")
