"""Imports reports and scores of other benchmarks into a study, and exports a study's reports into their file formats."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from drr.app.console import progress_of
from drr.app.models.setup import models_of
from drr.app.study.outcome import keep_questions
from drr.app.terminal import plain
from drr.app.users import user_in
from drr.env.errors import DrrError, Misuse
from drr.env.files import file_name, make_folder, owner_only_mode, write_file
from drr.env.query import Query
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.study.unit import Unit
from drr.wording.excerpt import excerpt, many

if TYPE_CHECKING:
    from drr.eval.evidence.imported import ReadReports
    from drr.eval.foreign.form import Format
    from drr.eval.foreign.summary import ForeignScore
    from drr.eval.foreign.taking import GivenFiles, TakenFiles
    from drr.study.study import Study


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


class ForeignTaken(TypedDict):
    """The document of `drr study import --format --json`."""

    schema: int
    study: str
    held_against: HeldAgainst
    format: str
    reports: int
    added: int
    systems: list[str]
    queries: int
    scores: list[ScoresTaken]
    replaced: int
    """Earlier scores of the same judge that the new scores replaced."""


class LeftOut(TypedDict):
    what: str
    reports: int


class ForeignExported(TypedDict):
    """The document of `drr study export --format --json`."""

    schema: int
    out: str
    format: str
    files: list[str]
    systems: dict[str, str]
    """Name of each system by its file name, where the two differ."""
    reports: int
    scores: int
    """Number of imported scores that were written."""
    left_out: list[LeftOut]
    """Parts that the file format cannot hold, each with the number of reports or scores concerned."""
    lost: list[str]


def format_named(name: str) -> Format:
    from drr.eval.foreign.registry import formats

    known = formats()
    if name not in known:
        raise Misuse(f"--format {name}: there are {', '.join(known)}")
    return known[name]


def format_of(path: Path) -> Format | None:
    """Return the format that can read the file's first row as a report; `None` where no format can."""
    from drr.eval.foreign.form import GivenReport
    from drr.eval.foreign.registry import formats

    for form in formats().values():
        with suppress(DrrError):
            if isinstance(next(iter(form.read(path)), None), GivenReport):
                return form
    return None


def read_given(arguments: argparse.Namespace) -> GivenFiles:
    from drr.eval.foreign.summary import NAME_LENGTH
    from drr.eval.foreign.taking import read_files

    for name in ("judge", "system"):
        named = getattr(arguments, name)
        if named is not None and (not named.strip() or len(named) > NAME_LENGTH or not named.isprintable()):
            raise Misuse(f"--{name}: a name of at most {NAME_LENGTH} characters")
    given = read_files(format_named(arguments.format), arguments.files, arguments.queries, arguments.system)
    if arguments.judge is not None and not given.scores:
        raise Misuse("--judge names who gave the scores, and these files hold none")
    return given


def taken_before_writing(given: GivenFiles, arguments: argparse.Namespace) -> TakenFiles:
    """Read everything that an import will write. All errors in the files are found here, before a new study is made."""
    from drr.eval.foreign.summary import foreign_scores
    from drr.eval.foreign.taking import take_files
    from drr.study.study import Study

    trial = arguments.trial or 0
    if Study.exists(arguments.study):
        with Study.open(arguments.study) as study:
            foreign_scores(study)  # a file that cannot be read is not written over
            return take_files(study, given, arguments.judge, trial)
    if not given.reports:
        raise Misuse(f"{arguments.study}: no study yet, and these are scores alone; import the reports first")
    return take_files(None, given, arguments.judge, trial)


def take_given(
    study: Study, form: Format, taken: TakenFiles, settings: Settings, arguments: argparse.Namespace
) -> tuple[ForeignTaken, bool]:
    """Import files into a study; return the document of the import, and True if all went well."""
    from drr.eval.foreign.summary import keep_scores

    added, ok = taken_reports(study, taken.units, taken.fresh, settings, arguments)
    replaced = keep_scores(study, taken.scores) if taken.scores else 0
    answered = {(r.spec["variant"], r.spec["query_id"], r.spec["trial"]) for r in study.records("answer")}
    document: ForeignTaken = {
        "schema": 1,
        "study": str(Path(study.folder)),
        "held_against": checked_shop(study, settings),
        "format": form.name,
        "reports": len(taken.units),
        "added": added,
        "systems": sorted({unit.spec["variant"] for unit in taken.units}),
        "queries": len({unit.spec["query_id"] for unit in taken.units}),
        "scores": _scores_taken(form, taken.scores, answered),
        "replaced": replaced,
    }
    return document, ok


def checked_shop(study: Study, settings: Settings) -> HeldAgainst:
    """Return the shop and the shop address that the study's configuration names, whatever the call names. They are the defaults of `drr judge`."""
    kept = study.config.get("settings", {}).get("shop_url")
    return {"shop": study.config.get("run", {}).get("shop"), "shop_url": kept or settings.shop_url}


def take_known_users(read: ReadReports, spec: str | None, settings: Settings) -> None:
    """Refuse reports for a user whom the shop does not have; `user_in` tells who that is."""
    if spec is None or all(report.user_id is None for _, report in read.reports):
        return
    rows = list(read.reports)
    read.reports.clear()
    with open_shop(spec, settings) as shop:
        for line, report in rows:
            try:
                known = None if report.user_id is None else user_in(shop, report.user_id)
            except Misuse as error:
                read.refuse(line, f"{excerpt(report.query, 40)!r}: {error}")
            else:
                read.reports.append((line, report.model_copy(update={"user_id": known})))
    read.check_anything_left(len(read.reports))


def say_shop(against: HeldAgainst) -> None:
    if against["shop"] is None:
        notice = "held against no shop, so what is cited of one stays unread; `drr judge STUDY --shop SHOP` names one"
    else:
        notice = f"held against the shop {against['shop']}, whose pages are at {against['shop_url']}"
    print(plain(notice))


def _scores_taken(
    form: Format, scores: Sequence[ForeignScore], answered: set[tuple[str, str, int]]
) -> list[ScoresTaken]:
    titles = {part.name: part.title for part in form.parts}
    by: dict[tuple[str, str], list[ForeignScore]] = {}
    for one in scores:
        by.setdefault((one.part, one.system), []).append(one)
    return [
        {
            "part": part,
            "title": titles[part],
            "judge": rows[0].judge,
            "system": system,
            "rows": len(rows),
            "unscored": sum(all(value is None for value in one.values.values()) for one in rows),
            "without_report": sum(
                one.query_id is not None and (one.system, one.query_id, one.trial) not in answered
                for one in rows
            ),
        }
        for (part, system), rows in sorted(by.items())
    ]


def say_taken(document: ForeignTaken) -> None:
    if document["reports"]:
        systems = ", ".join(document["systems"])
        print(
            plain(
                f"{document['added']} of {document['reports']} reports are new; {many(document['queries'], 'question')}, systems {systems}"
            )
        )
        say_shop(document["held_against"])
    for one in document["scores"]:
        judge = "judge not told (--judge NAME)" if one["judge"] is None else f"judge {one['judge']}"
        without = f", {one['unscored']} without a score" if one["unscored"] else ""
        print(plain(f"{one['title']}: {one['rows']} scores of {one['system']}, {judge}{without}"))
        if one["without_report"]:
            notice = f"{one['without_report']} of them are of questions that {one['system']} has no report of in this study"
            print(plain(f"drr: {notice}; --system NAME says whose they are"), file=sys.stderr)
    if document["replaced"]:
        print(f"{document['replaced']} scores of the same judge gave way to these")


def taken_reports(
    study: Study,
    units: Sequence[Unit],
    fresh: Sequence[Query],
    settings: Settings,
    arguments: argparse.Namespace,
) -> tuple[int, bool]:
    """Import reports as finished units; return the number of new ones, and True if all went well."""
    import asyncio

    from drr.eval.evidence.imported import store_imported_report
    from drr.study.run import run as run_units

    if not units:
        return 0, True
    keep_questions(study, fresh)
    known = {record.key for record in study.records("answer")}
    study.look_for_losses()
    lost = study.reopen_lost(unit.key for unit in units)
    summary = asyncio.run(
        run_units(
            study,
            units,
            store_imported_report,
            models=models_of(settings),
            progress=progress_of(arguments),
            label="reports",
            retry_failed=bool(lost),
        )
    )
    return sum(unit.key not in known for unit in units), summary.ok


def export_foreign(study: Study, out: Path, name: str) -> ForeignExported:
    """Export the study's reports into a new folder, in another benchmark's format; return a document of the files written."""
    from drr.eval.foreign.form import FileOut
    from drr.eval.foreign.taking import reports_to_write

    form = format_named(name)
    if out.exists() and any(out.iterdir()):
        raise Misuse(f"{out}: not empty; name a new folder")
    going = reports_to_write(study, form)
    if not going.reports:
        raise Misuse(f"{study.folder}: no answer has finished yet; nothing is written")
    files = list(form.write(going.reports))
    for judge, scores in going.scores.items():
        above = f"judge-{file_name(judge)}/" if len(going.scores) > 1 else ""
        files += [FileOut(f"{above}{path}", text) for path, text in form.write_scores(scores)]
    names = [(file_name(system), system) for system in sorted({one.system for one in going.reports})]
    paths = []
    for path, text in files:
        make_folder((out / path).parent, owner_only_mode(0o777))
        write_file(out / path, text, owner_only_mode(0o666))
        paths.append(path)
    return {
        "schema": 1,
        "out": str(out),
        "format": form.name,
        "files": paths,
        "systems": {name: system for name, system in names if name != system},
        "reports": len(going.reports),
        "scores": sum(map(len, going.scores.values())),
        "left_out": [{"what": what, "reports": count} for what, count in going.left_out.items()],
        "lost": sorted(loss.label for loss in study.losses.values()),
    }


def say_exported(document: ForeignExported) -> None:
    scores = f" and {document['scores']:,} imported scores" if document["scores"] else ""
    print(f"{document['out']}: {document['reports']:,} reports{scores} in {len(document['files']):,} files")
    for name, system in document["systems"].items():
        print(f"{name} is {plain(system)}")
    for one in document["left_out"]:
        print(f"no room for {one['what']}: {one['reports']:,} have some")
