"""The command `drr study edit`, which removes answers from a study's request and says so first. `drr run` only ever adds.

The command `drr study check`, which tells whether the content of a study is as it was written.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from drr.agents.commands.command import is_command, shown_name
from drr.app.console import print_document, print_result
from drr.app.notices import ask_yes_no
from drr.app.options import positive_int
from drr.app.study.additions import Selection
from drr.app.study.questions import keep_queries
from drr.app.study.specs import agent_in, reach_in, setting_in
from drr.env.errors import Misuse
from drr.env.person_setting import settings_of, words_of
from drr.env.query import Query, read_queries
from drr.env.reach import reaches_of
from drr.env.reach import words_of as reach_words
from drr.study.config import QUERIES
from drr.study.unit import Unit

if TYPE_CHECKING:
    from drr.study.study import Study

_EXAMPLES = """\
What is named stays; every other answer no longer counts. Nothing is deleted: `drr run` with the same names brings it back
without computing anything.

examples:
  drr study edit study --variants react,hybrid-react     # of the variants of the study, only these stay
  drr study edit study --queries fewer.jsonl --trials 1 --yes
  drr study check study                                  # is every unit and text as it was written?
"""


_OVERVIEW = """\
examples:
  drr study status study
  drr study trace study                                  # its answers, each with its key
  drr study edit study --variants react,hybrid-react     # of the variants of the study, only these stay
  drr study check study                                  # is every unit and text as it was written?
"""


class EditDocument(TypedDict):
    """The document of `drr study edit --json`."""

    schema: int
    kept: int
    taken_away: int
    finished_taken_away: int
    done: bool
    """False where the user did not agree."""


class _Edit(NamedTuple):
    keep: list[Unit]
    drop: list[Unit]
    finished: int
    """Number of finished units among those that are dropped."""


def build(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="command", required=True, metavar="edit|check")
    edit = commands.add_parser(
        "edit",
        help="keep only what is named",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = edit.add_argument
    add("study", metavar="STUDY", type=Path, help="the folder of the study")
    add("--variants", metavar="NAMES", help="the variants that stay")
    add("--queries", metavar="FILE", type=Path, help="JSONL: the queries of the study that stay")
    add("--settings", metavar="LIST", help="the settings of the persons that stay")
    add("--trials", type=positive_int, metavar="N", help="the repetitions that stay")
    add("--yes", action="store_true", help="do not ask")
    add("--json", action="store_true", help="one JSON document")
    check = commands.add_parser("check", help="whether units, texts and files are as they were written")
    check.add_argument("study", metavar="STUDY", type=Path, help="the folder of the study")
    check.add_argument("--json", action="store_true", help="one JSON document")
    parser.epilog = _OVERVIEW


def _check(arguments: argparse.Namespace) -> int:
    from drr.study.study import Study

    folder: Path = arguments.study
    units, damaged = Study.damage(folder)
    whole = "1 unit and its texts are" if units == 1 else f"{units:,} units and their texts are"
    found = "not as it was written, restore it from a copy:" if damaged else f"{whole} as they were written"
    print_result(arguments, {"units": units, "damaged": damaged}, f"{folder}: {found}", *damaged)
    return 1 if damaged else 0


def run(arguments: argparse.Namespace) -> int:
    from drr.study.study import Study

    if arguments.command == "check":
        return _check(arguments)
    folder: Path = arguments.study
    with Study.open(folder) as study:
        selection, queries = _selection_of(arguments, study)
        edit = _plan_edit(study, selection)
        sentence = f"{folder}: {_text(edit)}"
        agreed = not edit.drop or arguments.yes or ask_yes_no(f"{sentence}. Do it?")
        if not agreed and not sys.stdin.isatty():
            raise Misuse(f"{sentence}; give --yes to do it")
        if agreed:
            _apply(study, arguments, edit, queries)
    print_document(
        arguments,
        EditDocument(
            schema=1,
            kept=len(edit.keep),
            taken_away=len(edit.drop),
            finished_taken_away=edit.finished,
            done=agreed,
        ),
        sentence if agreed else f"{folder}: left as it is",
    )
    return 0 if agreed else 1


def _selection_of(arguments: argparse.Namespace, study: Study) -> tuple[Selection, list[Query]]:
    """Return the selection that stays, and its questions.

    Raise `Misuse` for a query id that the study does not have, and if nothing is selected.
    """
    own = study.folder / QUERIES
    had = read_queries(own) if own.is_file() else []
    chosen = None if arguments.queries is None else {query.id for query in read_queries(arguments.queries)}
    if unknown := sorted((chosen or set()) - {query.id for query in had}):
        raise Misuse(
            f"{arguments.queries}: {', '.join(unknown[:3])} is not in {study.folder}; `drr run` adds queries"
        )
    selection = Selection(
        None if arguments.variants is None else frozenset(map(str.strip, arguments.variants.split(","))),
        None if chosen is None else frozenset(chosen),
        arguments.trials,
        None if arguments.settings is None else frozenset(s.name for s in settings_of(arguments.settings)),
    )
    if selection.is_all:
        raise Misuse("name what stays: --variants, --settings, --queries or --trials")
    return selection, [query for query in had if chosen is None or query.id in chosen]


def _plan_edit(study: Study, selection: Selection) -> _Edit:
    """Return the edit, planned from the units themselves, so that no stranger's agent is loaded and no shop opened."""
    keys = [standing.key for standing in study.ledger.units.standings() if standing.kind == "answer"]
    units = [study.ledger.units.get(key) for key in keys]
    here = {name for unit in units for name in (str(unit.spec["variant"]), agent_in(unit.spec))}
    settings = {setting_in(unit.spec).name for unit in units}
    if unknown := sorted((selection.settings or frozenset()) - settings):
        raise Misuse(
            f"{study.folder} has not the setting {', '.join(unknown)}; it has {', '.join(sorted(settings))}"
        )
    if unknown := sorted((selection.variants or frozenset()) - here):
        raise Misuse(
            f"{study.folder} has no {', '.join(unknown)}; it has {', '.join(sorted(here)) or 'no answers'}; `drr run` adds variants"
        )
    keep, drop = selection.split(units)
    if not keep:
        raise Misuse(f"{study.folder}: nothing would stay; name what stays")
    done = {record.key for record in study.records("answer")}
    return _Edit(keep, drop, sum(unit.key in done for unit in drop))


def _text(edit: _Edit) -> str:
    if not edit.drop:
        return f"all {len(edit.keep):,} answers are of what stays; nothing is taken away"
    per: dict[str, int] = {}
    for unit in edit.drop:
        per[str(unit.spec["variant"])] = per.get(str(unit.spec["variant"]), 0) + 1
    which = ", ".join(f"{name} {count:,}" for name, count in per.items())
    return (
        f"{len(edit.drop):,} answers ({which}), {edit.finished:,} of them finished, with their judgements, no longer count;"
        f" {len(edit.keep):,} stay; their records stay in the folder and count again when `drr run` names them"
    )


def _apply(study: Study, arguments: argparse.Namespace, edit: _Edit, queries: list[Query]) -> None:
    study.retire("answer", edit.keep)
    run = {**study.config.get("run", {})}
    if arguments.variants is not None and "variants" in run:
        run["variants"] = _words_of(str(run["variants"]), edit.keep)
    if arguments.settings is not None:
        run["settings"] = words_of(settings_of(arguments.settings))
    if "reach" in run:
        stays = {reach_in(unit.spec) for unit in edit.keep}
        run["reach"] = reach_words(one for one in reaches_of(str(run["reach"])) if one in stays)
    if arguments.trials is not None and "trials" in run:
        run["trials"] = min(arguments.trials, run["trials"])
    study.reconfigure({**study.config, "run": run})
    keep_queries(study, queries)


def _words_of(before: str, keep: list[Unit]) -> str:
    """Return the words of the variants that stay. The word of a file is its absolute path, its name the last part of the path."""
    from drr.agents.registry import PAPER, parts_of

    words = [word for part in before.split(",") for word in (PAPER if part == "all" else [part])]
    here = {agent_in(unit.spec) for unit in keep}

    def shown(word: str) -> str:
        bare, model = parts_of(word)
        name = shown_name(bare) if is_command(bare) else PurePath(bare).name
        return name if model is None else f"{name}@{model}"

    return ",".join(dict.fromkeys(word for word in words if shown(word) in here))
