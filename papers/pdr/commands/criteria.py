"""`drr papers criteria`: what PQR scores by, before and after; what people change of it is kept with its history."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drr.env.json_object import JsonObject
    from drr.papers.pdr.criteria_book import CriteriaBook, OwnCriteria
    from drr.papers.pdr.judging.kept import CriterionChange, Signature
    from drr.papers.pdr.judging.rows import CriteriaDimension
    from drr.study.study import Study

_EXAMPLES = """\
Criteria of personalization are of a task and a person (TASK/PERSON), those of quality of a task for all its persons (TASK).
`drr judge STUDY --what criteria` makes them; after a change `drr judge STUDY --what pqr` asks for what was changed and no more.

examples:
  drr papers criteria study                                    # whose there are, and where they come from
  drr papers criteria study show t-1f2e3d4c5b6a/p-17
  drr papers criteria study edit t-1f2e3d4c5b6a/p-17 goal3 --criterion "It keeps to one delivery." --by Ada
  drr papers criteria study edit t-1f2e3d4c5b6a/p-17 --add ACTI --criterion "It says what to buy first." --weight 0.1 --by Ada
  drr papers criteria study edit t-1f2e3d4c5b6a/p-17 goal3 --remove --by Ada
  drr papers criteria study export criteria.jsonl              # PDR-Bench's own form
  drr papers criteria study import criteria.jsonl --by Ada
"""


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("study", metavar="STUDY", type=Path, help="the folder of the study")
    parser.add_argument(
        "--judge", help="whose criteria (default: the last judging by a model, else by rules)"
    )
    actions = parser.add_subparsers(
        dest="action", metavar="list|show|edit|export|import", help="what is done with them (default: list)"
    )
    _json(parser)
    _json(actions.add_parser("list", help="whose there are (the default)"))
    show = actions.add_parser("show", help="weights, criteria and history")
    show.add_argument("whose", metavar="TASK[/PERSON]", nargs="?", help="default: all")
    _json(show)
    _build_edit(
        actions.add_parser(
            "edit", help="change, add or take away one criterion, or weigh the dimensions anew"
        )
    )
    export = actions.add_parser("export", help="a line for each task and person, in PDR-Bench's form")
    _json(export)
    export.add_argument("file", metavar="FILE", type=Path, help="a file in PDR-Bench's form")
    take = actions.add_parser("import", help="what a file of that form gives, in the place of what was made")
    take.add_argument("file", metavar="FILE", type=Path, help="a file in PDR-Bench's form")
    take.add_argument("--by", required=True, metavar="NAME", help="whose they are; stands in the history")
    _json(take)


def _json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="one JSON document")


def _build_edit(edit: argparse.ArgumentParser) -> None:
    from drr.app.options import positive_float

    edit.add_argument("whose", metavar="TASK[/PERSON]", help="whose criteria they are")
    edit.add_argument("id", metavar="ID", nargs="?", help="the criterion, as `show` names it")
    edit.add_argument("--by", required=True, metavar="NAME", help="who changes it; stands in the history")
    edit.add_argument("--criterion", metavar="TEXT", help="what the criterion says from now on")
    edit.add_argument("--explanation", metavar="TEXT", help="how it is explained to the judge from now on")
    edit.add_argument(
        "--weight", type=positive_float, metavar="W", help="weights of a dimension need not sum to 1"
    )
    edit.add_argument("--add", metavar="DIMENSION", help="a new criterion of it: GOAL, CONT, ...")
    edit.add_argument("--remove", action="store_true", help="take it away")
    edit.add_argument(
        "--weights", metavar="LIST", help="of the dimensions: GOAL=0.4,CONT=0.3,PRES=0.1,ACTI=0.2"
    )
    _json(edit)


def run(arguments: argparse.Namespace) -> int:
    from drr.papers.pdr.criteria_book import CriteriaBook
    from drr.study.study import Study

    with Study.open(arguments.study) as study:
        book = CriteriaBook(study, arguments.judge)
        act = {"show": _show, "edit": _edit, "export": _export, "import": _import}.get(
            arguments.action, _list
        )
        return act(study, book, arguments)


def _list(study: Study, book: CriteriaBook, arguments: argparse.Namespace) -> int:
    from drr.app.console import tell
    from drr.app.terminal import Column, table
    from drr.papers.pdr.judging.rows import DIMENSIONS
    from drr.wording.excerpt import excerpt

    rows = book.all()
    lines_out = [
        [
            one.owner.label,
            one.state,
            " ".join(f"{name} {len(one.rubric.rows(name))}" for name in DIMENSIONS[one.owner.half]),
            excerpt(book.text(one.owner), 80),
        ]
        for one in rows
    ]
    absent = any(one.state == "not made yet" for one in rows)
    tell(
        arguments,
        {
            "judge": book.judging.judge if book.judging else None,
            "criteria": [_short(one) for one in rows],
        },
        table(["whose", "state", "criteria", Column("task", rank=1)], lines_out),
        *([f"\n`drr judge {study.folder} --what criteria` makes those that are missing"] if absent else []),
    )
    return 0


def _short(one: OwnCriteria) -> JsonObject:
    from drr.papers.pdr.judging.rows import DIMENSIONS

    return {
        "task_id": one.owner.task_id,
        "person_id": one.owner.person_id,
        "state": one.state,
        "edits": len(one.kept.history) if one.kept else 0,
        "criteria": {name: len(one.rubric.rows(name)) for name in DIMENSIONS[one.owner.half]},
    }


def _show(study: Study, book: CriteriaBook, arguments: argparse.Namespace) -> int:
    from drr.app.console import tell

    chosen = book.all() if arguments.whose is None else [book.named(arguments.whose)]
    text = "\n\n".join(_text(book, one) for one in chosen)
    tell(arguments, {"criteria": [_document(book, one) for one in chosen]}, text)
    return 0


def _document(book: CriteriaBook, one: OwnCriteria) -> JsonObject:
    from drr.papers.pdr.criteria_book import spreads
    from drr.papers.pdr.judging.rows import DIMENSIONS

    return {
        **_short(one),
        "task": book.text(one.owner),
        "weights": one.rubric.weights,
        "weights_sd": spreads(one.rubric),
        "criteria": {name: one.rubric.criteria.get(name) for name in DIMENSIONS[one.owner.half]},
        "not_made": one.rubric.reasons,
        "history": [edit.model_dump() for edit in one.kept.history] if one.kept else [],
    }


def _text(book: CriteriaBook, one: OwnCriteria) -> str:
    from drr.papers.pdr.criteria_book import spreads
    from drr.papers.pdr.judging.rows import DIMENSIONS, TITLES

    lines = [f"{one.owner.label} ({one.state})", f"  {book.text(one.owner)}"]
    spread = spreads(one.rubric)
    weights = one.rubric.weights["weights"] if one.rubric.weights else {}
    for name in DIMENSIONS[one.owner.half]:
        weight = f"{weights[name]:.2f}" if name in weights else "no weight"
        sd = spread.get(name)
        between = "" if sd is None else f", SD {sd:.3f} between samples"
        lines.append(f"\n{name} {TITLES[name]}: {weight}{between}")
        if name in one.rubric.reasons:
            lines.append(f"  not made: {one.rubric.reasons[name]}")
        for row in one.rubric.rows(name):
            lines.append(f"  {row['id']:<7} {row['weight']:.2f}  {row['criterion']} ({row['origin']})")
            lines.append(f"                {row['explanation']}")
    if one.kept:
        lines.append("\nhistory")
        lines += [
            f"  {edit.when} {edit.who}: {edit.what} {edit.id or ''}".rstrip() for edit in one.kept.history
        ]
    return "\n".join(lines)


def _edit(study: Study, book: CriteriaBook, arguments: argparse.Namespace) -> int:
    from drr.app.console import tell
    from drr.papers.pdr.judging.kept import KeptEdits

    one = book.named(arguments.whose)
    edits = KeptEdits(study)
    edit = edits.change(one.owner, one.rubric, _wanted(arguments), _signature(arguments.by))
    edits.write()
    words = f"{one.owner.label}: {edit.what} {edit.id or ''}".rstrip()
    document = {**_short(one), "edit": edit.model_dump()}
    tell(arguments, document, f"{words}; `drr judge {study.folder} --what pqr` scores by it")
    return 0


def _wanted(arguments: argparse.Namespace) -> CriterionChange:
    from drr.env.errors import Misuse
    from drr.papers.pdr.judging.kept import CriterionChange

    kinds = [arguments.id is not None, arguments.add is not None, arguments.weights is not None]
    if sum(kinds) != 1:
        raise Misuse(
            "say what is to be changed: the ID of a criterion, --add DIMENSION, or --weights LIST; one of them"
        )
    if arguments.remove and arguments.id is None:
        raise Misuse("--remove: takes away the criterion whose ID is given")
    return CriterionChange(
        arguments.id,
        None if arguments.add is None else _dimension("--add", arguments.add),
        arguments.criterion,
        arguments.explanation,
        arguments.weight,
        arguments.remove,
        {} if arguments.weights is None else _weights(arguments.weights),
    )


def _dimension(option: str, word: str) -> CriteriaDimension:
    from drr.env.errors import Misuse
    from drr.papers.pdr.judging.rows import TITLES

    found = next((name for name in TITLES if name == word.strip().upper()), None)
    if found is None:
        raise Misuse(f"{option} {word}: no dimension; they are {', '.join(TITLES)}")
    return found


def _weights(words: str) -> dict[CriteriaDimension, float]:
    from drr.env.errors import Misuse

    found: dict[CriteriaDimension, float] = {}
    for part in words.split(","):
        name, _, number = part.partition("=")
        try:
            found[_dimension("--weights", name)] = float(number)
        except ValueError:
            raise Misuse(f"--weights {part!r}: each is DIMENSION=NUMBER") from None
    return found


def _signature(who: str) -> Signature:
    from datetime import UTC, datetime

    from drr.env.errors import Misuse
    from drr.papers.pdr.judging.kept import Signature

    if not who.strip():
        raise Misuse("--by: say who changes it")
    return Signature(who.strip(), datetime.now(UTC).isoformat(timespec="seconds"))


def _export(study: Study, book: CriteriaBook, arguments: argparse.Namespace) -> int:
    from drr.app.console import tell
    from drr.env.errors import DrrError, Misuse
    from drr.env.files import write_file
    from drr.papers.pdr.judging.file import document_line
    from drr.papers.pdr.judging.rows import CriteriaOwner

    lines = []
    for task_id, text in book.tasks.items():
        quality = book.of(CriteriaOwner(task_id))
        personal = [book.of(owner) for owner in book.persons if owner.task_id == task_id]
        own = None if quality.given is None else (quality.owner, quality.rubric)
        made = [one for one in personal if one.given is not None]
        lines += [
            document_line(book.asked_by.get(one.owner), text, (one.owner, one.rubric), own) for one in made
        ]
        if not made and own is not None:
            lines.append(document_line(None, text, None, own))
    if not lines:
        raise Misuse(
            f"{study.folder}: has no criteria yet; `drr judge {study.folder} --what criteria` makes them"
        )
    try:
        write_file(arguments.file, "".join(f"{line}\n" for line in lines))
    except OSError as error:
        raise DrrError(
            f"{arguments.file}: cannot be written ({error.strerror}); name another file"
        ) from error
    tell(
        arguments,
        {"file": str(arguments.file), "lines": len(lines)},
        f"{arguments.file}: criteria of {len(lines):,} tasks and persons",
    )
    return 0


def _import(study: Study, book: CriteriaBook, arguments: argparse.Namespace) -> int:
    import sys

    from drr.app.console import tell
    from drr.papers.pdr.judging.file import read_criteria
    from drr.papers.pdr.judging.kept import KeptEdits

    by = _signature(arguments.by)
    found = read_criteria(arguments.file, book.tasks, book.persons, lambda owner: book.of(owner).rubric)
    edits = KeptEdits(study)
    taken = [
        owner for owner, given in found.given.items() if edits.take(owner, given, book.of(owner).given, by)
    ]
    if taken:
        edits.write()
    if found.other_quality:
        print(
            f"drr: {arguments.file}: line {', '.join(map(str, found.other_quality[:5]))}: other criteria of quality than an earlier line of"
            " the task; those of the first count, as quality is of the task alone",
            file=sys.stderr,
        )
    tell(
        arguments,
        {"read": len(found.given), "changed": [owner.label for owner in taken]},
        f"{arguments.file}: criteria of {len(found.given):,} tasks or persons read, {len(taken):,} changed",
    )
    return 0
