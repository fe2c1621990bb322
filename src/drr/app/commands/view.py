"""The command `drr view`: reports beside their evidence, and tasks with files beside their truth. Pages are served on
loopback or written as files."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.console import print_result, progress_of
from drr.app.judge.desk import shop_of
from drr.app.options import port_number
from drr.app.pages.folders import VIEWER_MARK, report_of
from drr.app.pages.serve import bind, new_token
from drr.app.study.outcome import say_losses, without_lost_answers
from drr.app.study.trust import offer_shop
from drr.env.errors import Misuse
from drr.env.trust import vouched_entries

if TYPE_CHECKING:
    from drr.app.viewer.of_papers import FolderPages
    from drr.app.viewer.reader import Reader
    from drr.study.study import Study
    from starlette.applications import Starlette

_FOR_OWNERS = "They hold what is true of the tasks: for their owner, not for who answers or judges them."


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = (
        "examples:\n  drr view study\n  drr view study --static pages   # a folder to open from disk or to mail\n"
        "  drr view study --reviewer ann,bob   # an address each: their marks beside claims and rules are kept by name\n"
        "  drr view study --import marks-ann.jsonl   # marks that a page from disk saved\n"
        "  drr view tasks   # tasks with files and what is true of them: for their owner"
    )
    add("study", type=Path, metavar="STUDY|TASKS", help="a study, or a folder of tasks with files")
    add("--port", type=port_number, default=0, help="loopback port (default: any free one)")
    add("--static", type=Path, metavar="DIR", help="write files instead of serving")
    add(
        "--reviewer",
        metavar="NAME[,NAME]",
        help="who marks verdicts and rules as right or wrong; an address each (default: one, `reviewer`)",
    )
    add(
        "--import",
        dest="marks",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="take in marks that pages of --static saved, and show nothing",
    )
    add("--judge", help="whose judgements (default: the last by a model, else by rules)")
    add("--shop", help="where the study's shop lies now, if not where it was")
    add(
        "--tasks",
        type=Path,
        metavar="FOLDER",
        help="where the study's tasks with files lie now, if not where they were",
    )
    add("--quiet", action="store_true", help="no progress")
    add("--json", action="store_true", help="one JSON document: the addresses, or what was written")


def run(arguments: argparse.Namespace) -> int:
    from drr.app.viewer.of_papers import folder_pages
    from drr.study.study import Study

    folder = None if Study.exists(arguments.study) else folder_pages(arguments.study)
    return _study(arguments) if folder is None else _tasks(arguments, folder)


def _tasks(arguments: argparse.Namespace, folder: FolderPages) -> int:
    options = ("judge", "shop", "tasks", "reviewer", "marks")
    if any(getattr(arguments, name) for name in options):
        others = "--judge, --shop, --tasks, --reviewer and --import"
        raise Misuse(f"{arguments.study}: is a folder of tasks; {others} are for a study")
    if arguments.static is not None:
        count = folder.write(arguments.static, progress_of(arguments))
        _tell_written(arguments, count, for_owners=True)
    else:
        token = new_token()
        _listen(arguments, {token: ""}, lambda port: folder.site(token, port))
    return 0


def _study(arguments: argparse.Namespace) -> int:
    from drr.study.study import Study

    names = _reviewers(arguments.reviewer)
    with Study.read(arguments.study) as study:
        if arguments.marks:
            return _take_in(study, arguments)
        offer_shop(study.folder, study.config.get("run", {}).get("shop"), arguments.shop)
        if arguments.shop and shop_of(study, arguments.shop) is None:
            raise Misuse(
                f"{arguments.shop}: no shop that can be opened; `drr shop info {arguments.shop}` says why"
            )
        if arguments.static is not None:
            count, for_owners = without_lost_answers(study, lambda: _write_pages_once(study, arguments))
            _tell_written(arguments, count, for_owners=for_owners)
        else:
            reader = _reader(study, arguments)
            say_losses(study)
            _serve(reader, arguments, names)
    return 0


def _reader(study: Study, arguments: argparse.Namespace) -> Reader:
    from drr.app.viewer.reader import Reader

    return Reader(study, judge=arguments.judge, shop=arguments.shop, tasks=arguments.tasks)


def _write_pages_once(study: Study, arguments: argparse.Namespace) -> tuple[int, bool]:
    """Write static pages, unless the same pages are there; return their number, and whether they are for owners alone."""
    from drr.study.cache import cached_result, file_states

    report = report_of(arguments.static)

    def rests_on() -> object:
        places = [Path(arguments.shop or ""), arguments.tasks or Path()]
        trusted = sorted(vouched_entries(study.folder).known.get("shop", {}))
        return [arguments.judge, report, file_states([place for place in places if place != Path()]), trusted]

    def work() -> list[object]:
        from drr.app.viewer.static import write_static

        reader = _reader(study, arguments)
        count = write_static(reader, arguments.static, progress_of(arguments), report)
        return [count, any(one.for_owners for one in reader.papers.values())]

    count, for_owners = cached_result(study, "pages", rests_on, work, wrote=arguments.static / VIEWER_MARK)
    return count, for_owners


def _tell_written(arguments: argparse.Namespace, count: int, *, for_owners: bool) -> None:
    page = str(arguments.static / "index.html")
    document = {"pages": count, "index": page, "for_owners": for_owners}
    print_result(arguments, document, f"{count} pages: open {page}", *([_FOR_OWNERS] if for_owners else []))


def _reviewers(words: str | None) -> list[str]:
    names = [] if words is None else [word.strip() for word in words.split(",")]
    if len(set(names)) < len(names) or not all(re.fullmatch(r"[\w-]{1,80}", name) for name in names):
        raise Misuse("--reviewer: different names of letters, digits, - and _ with commas between")
    return names


def _take_in(study: Study, arguments: argparse.Namespace) -> int:
    from drr.app.viewer.reviewing import ReviewBooks

    added, strange = ReviewBooks(study).take_in(arguments.marks)
    lines = [
        f"{name}: {count} new mark{'' if count == 1 else 's'}" for name, count in sorted(added.items())
    ] or ["nothing new"]
    if strange:
        lines.append(f"{strange} are of no answer of this study, and were left out")
    print_result(arguments, {"new_marks": dict(added), "of_no_answer": strange}, *lines)
    return 0


def _serve(reader: Reader, arguments: argparse.Namespace, names: list[str]) -> None:
    from drr.app.viewer.site import SOMEBODY, site

    reader.entries()  # the first page then has little left to read
    reviewers = {new_token(): name for name in names or [SOMEBODY]}
    token = next(iter(reviewers))
    shown = {token: f"{name}: " if names else "" for token, name in reviewers.items()}
    _listen(arguments, shown, lambda taken: site(reader, token, taken, reviewers=reviewers))


def _listen(
    arguments: argparse.Namespace, tokens: Mapping[str, str], made: Callable[[int], Starlette]
) -> None:
    """Serve a site on loopback; print an address for each token, with the text that goes before it."""
    from drr.app.pages.serve import run

    listener = bind(arguments.port)
    port = listener.getsockname()[1]
    addresses = {f"http://127.0.0.1:{port}/?token={token}": before for token, before in tokens.items()}
    lines = [f"{before}{address}" for address, before in addresses.items()]
    print_result(arguments, {"addresses": list(addresses)}, *lines, "Ctrl-C stops.")
    sys.stdout.flush()
    run(made(port), listener)
