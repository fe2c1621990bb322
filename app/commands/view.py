"""`drr view`: reports beside their evidence, and tasks with files beside what is true of them; served on loopback or written as files."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drr.app.viewer.reader import Reader
    from drr.app.viewer.tasks.shelf import TaskShelf
    from starlette.applications import Starlette

_FOR_OWNERS = "They hold what is true of the tasks: for their owner, not for who answers or judges them."


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "examples:\n  drr view study\n  drr view study --static pages   # a folder to open from disk or to mail\n"
        "  drr view tasks   # tasks with files and what is true of them: for their owner"
    )
    parser.add_argument(
        "study", type=Path, metavar="STUDY|TASKS", help="a study, or a folder of tasks with files"
    )
    parser.add_argument("--port", type=int, default=0, help="loopback port (default: any free one)")
    parser.add_argument("--static", type=Path, metavar="DIR", help="write files instead of serving")
    parser.add_argument(
        "--report",
        metavar="PLACE",
        help="where index.html of `drr report --out` lies, seen from --static: every page leads there (default: ../report, if it is there)",
    )
    parser.add_argument("--judge", help="whose judgements (default: the last by a model, else by rules)")
    parser.add_argument("--shop", help="where the study's shop lies now, if not where it was")
    parser.add_argument(
        "--tasks",
        type=Path,
        metavar="FOLDER",
        help="where the study's tasks with files lie now, if not where they were",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress")


def run(arguments: argparse.Namespace) -> int:
    from drr.filetasks.form import holds_tasks

    return _tasks(arguments) if holds_tasks(arguments.study) else _study(arguments)


def _tasks(arguments: argparse.Namespace) -> int:
    from drr.app.console import progress_of
    from drr.app.viewer.tasks.shelf import TaskShelf
    from drr.app.viewer.tasks.site import task_site, write_task_folder
    from drr.env.errors import Misuse

    if arguments.judge or arguments.shop or arguments.tasks or arguments.report:
        raise Misuse(
            f"{arguments.study}: is a folder of tasks; --judge, --shop, --tasks and --report are for a study"
        )
    shelf = TaskShelf(arguments.study)
    if arguments.static is not None:
        count = write_task_folder(shelf, arguments.static, progress_of(arguments))
        print(f"{count} pages: open {arguments.static / 'index.html'}")
        print(_FOR_OWNERS)
    else:
        _listen(arguments.port, lambda token, port: task_site(shelf, token, port))
    return 0


def _study(arguments: argparse.Namespace) -> int:
    from drr.app.profiles import shop_of
    from drr.app.studies import despite_losses, say_losses
    from drr.app.viewer.reader import Reader
    from drr.app.viewer.tasks.found import shelf_of
    from drr.app.vouching import offer_shop
    from drr.env.errors import Misuse
    from drr.study.study import Study

    if arguments.report and arguments.static is None:
        raise Misuse("--report is of a folder (--static DIR): a page that is served leads to no file")
    with Study.open(arguments.study) as study:
        offer_shop(study.folder, study.config.get("run", {}).get("shop"), arguments.shop)
        if arguments.shop and shop_of(study, arguments.shop) is None:
            raise Misuse(
                f"{arguments.shop}: no shop that can be opened; `drr shop info {arguments.shop}` says why"
            )
        reader = Reader(study, judge=arguments.judge, shop=arguments.shop)
        reader.judging()  # an unknown judge is said here, not page by page
        shelf = shelf_of(study, arguments.tasks)
        if arguments.static is not None:
            despite_losses(study, lambda: _write(reader, arguments, shelf))
        else:
            say_losses(study)
            _serve(reader, arguments.port, shelf)
    return 0


def _write(reader: Reader, arguments: argparse.Namespace, shelf: TaskShelf | None) -> None:
    from drr.app.console import progress_of
    from drr.app.viewer.static import report_of, write_static

    count = write_static(
        reader, arguments.static, progress_of(arguments), shelf, report_of(arguments.static, arguments.report)
    )
    print(f"{count} pages: open {arguments.static / 'index.html'}")
    if shelf is not None:
        print(_FOR_OWNERS)


def _serve(reader: Reader, port: int, shelf: TaskShelf | None) -> None:
    from drr.app.viewer.site import site

    reader.entries()  # the first page then has little left to read
    _listen(port, lambda token, taken: site(reader, token, taken, shelf))


def _listen(port: int, made: Callable[[str, int], Starlette]) -> None:
    from drr.app.pages.serve import bind, new_token, run

    listener, token = bind(port), new_token()
    port = listener.getsockname()[1]
    print(f"http://127.0.0.1:{port}/?token={token}\nCtrl-C stops.", flush=True)
    run(made(token, port), listener)
