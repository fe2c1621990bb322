"""`drr papers tasks`: wishes without a person, for questions that several persons are to ask in the same words; and tasks with files."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drr.env.settings import Settings
    from drr.querygen.tasks import ResearchTask

_EXAMPLES = """\
A task says what is wanted and nothing of who wants it. `drr papers pairs` gives it to persons. Fifty are built in, five for each
category of the sample shop; `build` keeps those that this shop can answer.

A task with files is a folder: a question, a shopper's files, and a frozen corpus of pages in several sizes (docs/file-tasks.md).
`check`, `show` and `review` take both.

examples:
  drr papers tasks build --shop shop --out tasks.jsonl
  drr papers tasks show tasks.jsonl
  drr papers tasks check tasks.jsonl --shop shop
  drr papers tasks review tasks.jsonl --reviewer "Ada"
  drr papers tasks drawer --shop shop --out tasks --n 20
  drr papers tasks drawer --shop shop --out found --n 5 --sizes 32k --web serper --model anthropic:claude-sonnet-5-5 --budget 5
  drr papers tasks check tasks
  drr papers tasks check tasks --model anthropic:claude-haiku-5-5 --budget 1
  drr papers tasks show tasks/017
  drr papers tasks review tasks --reviewer "Ada"
"""
_ACTIONS = "build|check|show|drawer|review|import|export"

_TOLD = 10
"""Tasks left out that are named."""
_FOUND = (
    "role_models",
    "prompts",
    "web",
    "sandbox",
    "web_record",
    "page_reader",
    "fetch_timeout",
    "fetch_max_bytes",
    "respect_robots",
)
"""Settings of pages that are found."""


def build(parser: argparse.ArgumentParser) -> None:
    from drr.app.console import add_setting_options
    from drr.app.models import SETTINGS as MODELS
    from drr.app.options import positive_int
    from drr.app.studies import add_run_options

    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(dest="action", required=True, metavar=_ACTIONS)
    said = "Write the built-in tasks that a shop can answer."
    making = actions.add_parser("build", help=said, description=said)
    making.add_argument("--shop", required=True, metavar="SHOP", help="a folder, or servers:NAME")
    making.add_argument(
        "--out", required=True, metavar="FILE.jsonl", type=Path, help="the file of tasks that is written"
    )
    making.add_argument(
        "--n", type=positive_int, metavar="N", help="so many, one of each category in turn (default: all)"
    )
    said = (
        "What code can say against tasks: facts of a person, a likeness, a need that the shop does not sell; of tasks with "
        "files every quality filter, and with --model answers without each source and without any."
    )
    checking = actions.add_parser("check", help=said, description=said)
    checking.add_argument(
        "file",
        metavar="FILE.jsonl|FOLDER",
        type=Path,
        help="a file of wishes, or a folder of tasks with files",
    )
    checking.add_argument("--shop", metavar="SHOP", help="also whether this shop can answer them")
    said = "Print tasks."
    showing = actions.add_parser("show", help=said, description=said)
    showing.add_argument(
        "file",
        metavar="FILE.jsonl|FOLDER",
        type=Path,
        help="a file of wishes, or a folder of tasks with files",
    )
    showing.add_argument("--task", metavar="ID", help="this one alone")
    drawing = _build_of_files(actions)
    for one in (making, checking):
        one.add_argument(
            "--min-products", type=positive_int, default=3, metavar="N", help="for each need (default 3)"
        )
    add_setting_options(making, "shop_url")
    add_run_options(checking)
    add_setting_options(checking, *MODELS, "role_models", "prompts", "shop_url")
    add_setting_options(drawing, *MODELS, *_FOUND, "shop_url")
    for one in (making, checking, showing, drawing):
        one.add_argument("--json", action="store_true", help="one JSON document")


def _build_of_files(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    from drr.app.options import positive_int
    from drr.app.studies import add_run_options
    from drr.papers.dr3.making.manifest import SIZES

    said = "Make tasks with files: a question, a shopper's files, and a corpus of pages in nested sizes. Goes on where it stopped."
    drawing = actions.add_parser("drawer", help=said.partition(":")[0], description=said)
    drawing.add_argument("--shop", required=True, metavar="SHOP", help="a folder, or servers:NAME")
    drawing.add_argument(
        "--out", required=True, metavar="FOLDER", type=Path, help="the folder that the tasks are written into"
    )
    drawing.add_argument("--n", type=positive_int, default=100, metavar="N", help="tasks (default 100)")
    drawing.add_argument(
        "--sizes", default=SIZES, metavar="LIST", help=f"of the corpora in tokens (default {SIZES})"
    )
    drawing.add_argument(
        "--seed", type=int, default=7, metavar="S", help="another seed, other tasks (default 7)"
    )
    drawing.add_argument(
        "--per-term",
        type=positive_int,
        default=10,
        metavar="N",
        help="with --web: results looked at for each search term (default 10)",
    )
    add_run_options(drawing)
    said = "A person accepts or rejects tasks, one at a time."
    reviewing = actions.add_parser("review", help=said, description=said)
    reviewing.add_argument(
        "file",
        metavar="FILE.jsonl|FOLDER",
        type=Path,
        help="a file of wishes, or a folder of tasks with files",
    )
    reviewing.add_argument("--reviewer", required=True, metavar="NAME", help="who decides")
    reviewing.add_argument("--again", action="store_true", help="also what was decided before")
    said = "Read tasks in DR3-Eval's own layout."
    importing = actions.add_parser("import", help=said, description=said)
    importing.add_argument("file", metavar="FOLDER", type=Path, help="one task, or a folder of them")
    importing.add_argument(
        "--out", required=True, metavar="FOLDER", type=Path, help="the folder that the tasks are written into"
    )
    importing.add_argument(
        "--today",
        metavar="DATE",
        help="the day on which they are asked (default: the one recorded, else today)",
    )
    said = "Write tasks with files in DR3-Eval's own layout."
    exporting = actions.add_parser("export", help=said, description=said)
    exporting.add_argument("file", metavar="FOLDER", type=Path, help="one task, or a folder of them")
    exporting.add_argument(
        "--out", required=True, metavar="FOLDER", type=Path, help="the folder that the tasks are written into"
    )
    for one in (importing, exporting):
        one.add_argument("--json", action="store_true", help="one JSON document")
    return drawing


def run(arguments: argparse.Namespace) -> int:
    if arguments.action in ("drawer", "import", "export"):
        from drr.papers.dr3 import task_actions as file_tasks

        acting = {"drawer": file_tasks.make, "import": file_tasks.bring_in, "export": file_tasks.write_out}
        return acting[arguments.action](arguments)
    if arguments.action == "build":
        return _build(arguments)
    _check_place(arguments.file)
    if arguments.file.is_dir():
        from drr.papers.dr3 import task_actions as file_tasks

        of_files = {"check": file_tasks.check, "show": file_tasks.show, "review": file_tasks.review}
        return of_files[arguments.action](arguments)
    return {"check": _check, "show": _show, "review": _review}[arguments.action](arguments)


def _check_place(path: Path) -> None:
    from drr.env.errors import Misuse
    from drr.papers.dr3.form import MANIFEST, is_task

    if not path.exists():
        raise Misuse(
            f"{path}: there is no such file or folder; give a JSONL file of tasks, or a folder of tasks with files"
        )
    if path.is_file() and (is_task(path.parent) or path.name == MANIFEST):
        raise Misuse(f"{path}: is a part of tasks with files; give their folder: {path.parent}")


def _settings(arguments: argparse.Namespace) -> Settings:
    from drr.app.console import settings_of

    return settings_of(arguments).settings


def _build(arguments: argparse.Namespace) -> int:
    import sys

    from drr.app.console import print_json, write_lines
    from drr.env.shop import open_shop
    from drr.querygen.task_checks import problems
    from drr.querygen.tasks import BUILT_IN, read_tasks

    tasks = read_tasks(BUILT_IN)
    with open_shop(arguments.shop, _settings(arguments)) as shop:
        told = {one.task_id: one for one in problems(tasks, shop, arguments.min_products)}
    good = [task for task in tasks if task.task_id not in told]
    for problem in list(told.values())[:_TOLD]:
        print(f"drr: {problem.task_id} left out: {problem.check}: {problem.told}", file=sys.stderr)
    if len(told) > _TOLD:
        print(f"drr: {len(told) - _TOLD} more left out", file=sys.stderr)
    if not good:
        print(
            f"drr: {arguments.shop}: can answer none of the built-in tasks; nothing was written; --min-products 1 asks for less,"
            " or write tasks of your own (docs/persons.md shows a line)",
            file=sys.stderr,
        )
        return 1
    good = _in_turn(good)[: arguments.n] if arguments.n else good
    write_lines(arguments.out, [task.line() for task in good])
    counts = Counter(task.category for task in good)
    if arguments.json:
        print_json(
            {
                "schema": 1,
                "file": str(arguments.out),
                "tasks": len(good),
                "left_out": len(told),
                "by_category": counts,
            }
        )
    else:
        print(f"{arguments.out}: {len(good)} tasks in {len(counts)} categories, {len(told)} left out")
        print(f"next: drr papers pairs {arguments.out} persons.jsonl --per-task 3 --out queries.jsonl")
    return 0


def _in_turn(tasks: list[ResearchTask]) -> list[ResearchTask]:
    """The first of every category, then the second of every category that has one."""
    met: Counter[str] = Counter()
    places = []
    for place, task in enumerate(tasks):
        places.append((met[task.category], place))
        met[task.category] += 1
    return [tasks[place] for _, place in sorted(places)]


def _check(arguments: argparse.Namespace) -> int:
    from contextlib import nullcontext

    from drr.app.console import print_json
    from drr.env.errors import Misuse
    from drr.env.shop import open_shop
    from drr.querygen.task_checks import problems
    from drr.querygen.tasks import read_tasks

    if arguments.model is not None:
        raise Misuse(
            "--model: answers tasks with files; of wishes without a person code says what there is to say"
        )
    tasks = read_tasks(arguments.file)
    opened = open_shop(arguments.shop, _settings(arguments)) if arguments.shop else nullcontext(None)
    with opened as shop:
        found = list(problems(tasks, shop, arguments.min_products))
    if arguments.json:
        print_json({"schema": 1, "tasks": len(tasks), "problems": [one._asdict() for one in found]})
    else:
        for one in found:
            print(f"{one.task_id}: {one.check}: {one.told}")
        bad = len({one.task_id for one in found})
        print(f"{len(tasks) - bad} of {len(tasks)} tasks pass every check")
    return 1 if found else 0


def _show(arguments: argparse.Namespace) -> int:
    from textwrap import fill

    from drr.app.console import print_json
    from drr.app.terminal import flowed, screen
    from drr.env.errors import Misuse
    from drr.querygen.tasks import read_tasks

    tasks = [task for task in read_tasks(arguments.file) if arguments.task in (None, task.task_id)]
    if not tasks:
        raise Misuse(f"{arguments.file}: no task {arguments.task!r} in it")
    if arguments.json:
        print_json({"schema": 1, "tasks": [task.line() for task in tasks]})
        return 0
    for task in tasks:
        needs = ", ".join(task.needs)
        print(flowed(f"{task.task_id}  {task.category}  {task.intent or '-'}  needs: {needs or '-'}"))
        wide = min(100, screen() or 100)
        print(fill(task.task, wide, initial_indent="  ", subsequent_indent="  ") + "\n")
    return 0


def _review(arguments: argparse.Namespace) -> int:
    from drr.app.at_terminal import review_at_terminal, reviewer_of
    from drr.querygen.task_checks import problems
    from drr.querygen.task_review import review_wishes
    from drr.querygen.tasks import read_tasks

    name, tasks = reviewer_of(arguments), read_tasks(arguments.file)

    def told(task: ResearchTask) -> list[str]:
        return [f"{one.check}: {one.told}" for one in problems([task])]

    return review_at_terminal(
        arguments.file,
        lambda terminal: review_wishes(arguments.file, tasks, name, terminal, told, again=arguments.again),
    )
