"""The command `drr papers criteria`: shows, exports and imports PQR's criteria. Imported criteria replace those that were made."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from drr.env.errors import Misuse
from drr.plugin import Column, print_result, table, write_lines

if TYPE_CHECKING:
    from drr.papers.pdr.criteria_book import CriteriaBook
    from drr.study.study import Study

_EXAMPLES = """\
Criteria of personalization are of a task and a person (TASK/PERSON), those of quality of a task for all its persons (TASK).
`drr judge STUDY --what criteria` makes them. To change them, export the file, edit it and import it again; then
`drr judge STUDY --what pqr` asks for what was changed and no more.

examples:
  drr papers criteria study                                    # whose there are, and where they come from
  drr papers criteria study show t-1f2e3d4c5b6a/p-17
  drr papers criteria study export criteria.jsonl              # PDR-Bench's own form
  drr papers criteria study import criteria.jsonl
"""


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("study", metavar="STUDY", type=Path, help="the folder of the study")
    text = "whose criteria (default: the last judging by a model, else by rules)"
    parser.add_argument("--judge", help=text)
    text = "what is done with them (default: list)"
    actions = parser.add_subparsers(dest="action", metavar="list|show|export|import", help=text)
    actions.add_parser("list", help="whose there are (the default)")
    show = actions.add_parser("show", help="weights and criteria")
    show.add_argument("whose", metavar="TASK[/PERSON]", nargs="?", help="default: all")
    actions.add_parser("export", help="a line for each task and person, in PDR-Bench's form")
    actions.add_parser("import", help="what a file of that form gives, in the place of what was made")
    for name in ("export", "import"):
        text = "a file in PDR-Bench's form"
        actions.choices[name].add_argument("file", metavar="FILE", type=Path, help=text)
    for one in (parser, *actions.choices.values()):
        one.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="one JSON document")


def run(arguments: argparse.Namespace) -> int:
    from drr.papers.pdr.criteria_book import CriteriaBook
    from drr.study.study import Study

    with Study.open(arguments.study) as study:
        acts = {"show": _show, "export": _export, "import": _import}
        acts.get(arguments.action, _list)(study, CriteriaBook(study, arguments.judge), arguments)
    return 0


def _list(study: Study, book: CriteriaBook, arguments: argparse.Namespace) -> None:
    from drr.wording.excerpt import excerpt

    rows, every = [], book.every()
    for one in every:
        counts = " ".join(f"{name} {count}" for name, count in one.short()["criteria"].items())
        rows.append([one.owner.label, one.state, counts, excerpt(one.task, 80)])
    lines = [table(["whose", "state", "criteria", Column("task", rank=1)], rows)]
    if any(one.state == "not made yet" for one in every):
        lines.append(f"\n`drr judge {study.folder} --what criteria` makes those that are missing")
    judge = book.judging.judge if book.judging else None
    print_result(arguments, {"judge": judge, "criteria": [one.short() for one in every]}, *lines)


def _show(study: Study, book: CriteriaBook, arguments: argparse.Namespace) -> None:
    chosen = book.every() if arguments.whose is None else [book.named(arguments.whose)]
    documents = [one.document() for one in chosen]
    print_result(arguments, {"criteria": documents}, "\n\n".join(one.text() for one in chosen))


def _export(study: Study, book: CriteriaBook, arguments: argparse.Namespace) -> None:
    from drr.papers.pdr.judging.file import document_line

    lines, made = [], [one for one in book.every() if one.given]
    for task_id, text in book.tasks.items():
        own = [one for one in made if one.owner.task_id == task_id]
        quality = next((one.rubric for one in own if one.owner.person_id is None), None)
        personal = [one for one in own if one.owner.person_id is not None]
        for one in personal or own:
            half = one.rubric if one.owner.person_id is not None else None
            lines.append(document_line(book.asked_by.get(one.owner), text, one.owner, half, quality))
    if not lines:
        raise Misuse(
            f"{study.folder}: has no criteria yet; `drr judge {study.folder} --what criteria` makes them"
        )
    write_lines(arguments.file, lines)
    document = {"file": str(arguments.file), "lines": len(lines)}
    print_result(arguments, document, f"{arguments.file}: criteria of {len(lines):,} tasks and persons")


def _import(study: Study, book: CriteriaBook, arguments: argparse.Namespace) -> None:
    from drr.papers.pdr.judging.file import keep_criteria, read_criteria

    persons = [owner for owner in book.owners if owner.person_id is not None]
    found = read_criteria(arguments.file, book.tasks, persons, lambda owner: book.of(owner).rubric)
    taken = {
        owner: given
        for owner, given in found.given.items()
        if (before := book.of(owner).given) is None or before.id != given.id
    }
    if taken:
        keep_criteria(study, {**book.kept, **taken})
    if found.other_quality:
        at = ", ".join(map(str, found.other_quality[:5]))
        why = "other criteria of quality than an earlier line of the task; those of the first count, as quality is of the task alone"
        print(f"drr: {arguments.file}: line {at}: {why}", file=sys.stderr)
    print_result(
        arguments,
        {"read": len(found.given), "changed": [owner.label for owner in taken]},
        f"{arguments.file}: criteria of {len(found.given):,} tasks or persons read, {len(taken):,} changed",
    )
