"""The actions of `drr papers tasks` on tasks with files, and their options. Their code is loaded when they run."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from drr.env.errors import Misuse
from drr.plugin import add_unit_options, positive_int

FORM = "FOLDER"
HELP = """\
A task with files is a folder: a question, a shopper's files, and a frozen corpus of pages in several sizes (docs/file-tasks.md)."""
EXAMPLES = (
    "  drr papers tasks drawer --out tasks --sizes 32k,128k",
    "  drr papers tasks drawer --files papers --out own --sizes 32k --web serper --model anthropic:claude-sonnet-5-5 --budget 5",
    "  drr papers tasks check tasks",
    "  drr papers tasks check tasks --model anthropic:claude-haiku-5-5 --budget 1",
    "  drr papers tasks show tasks/017",
    '  drr papers tasks review tasks --reviewer "Ada"',
)
_OUT = "the folder that the tasks are written into"
_FOUND = ("role_models", "prompts", "web", "sandbox", "web_record")
"""Settings for finding pages."""


def add_actions(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from drr.papers.dr3.making.manifest import USUAL_SIZES

    text = "Write tasks with files: those that come with the program, or one of each folder of your own. Goes on where it stopped."
    drawing = actions.add_parser("drawer", help=text.partition(":")[0], description=text)
    add, own = drawing.add_argument, "with --files:"
    sizes = f"of the corpora in tokens (default {USUAL_SIZES})"
    files = "make a task of the files in this folder, or one of each folder in it; a model proposes, pages are found"
    add("--out", required=True, metavar="FOLDER", type=Path, help=_OUT)
    add("--n", type=positive_int, metavar="N", help="tasks (default all that there are)")
    add("--sizes", default=USUAL_SIZES, metavar="LIST", help=sizes)
    add("--files", metavar="FOLDER", type=Path, help=files)
    add("--seed", type=int, metavar="S", help=f"{own} another order of the pages (default 7)")
    add("--today", metavar="DATE", help=f"{own} the day of the question (default today)")
    add_unit_options(drawing, *_FOUND, "shop_url")
    add("--json", action="store_true", help="one JSON document")
    _add_layout(actions)


def _add_layout(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    today = "the day on which they are asked (default: the one recorded, else today)"
    for name, text in (
        ("import", "Read tasks in DR3-Eval's own layout."),
        ("export", "Write tasks with files in DR3-Eval's own layout."),
    ):
        add = actions.add_parser(name, help=text, description=text).add_argument
        add("file", metavar="FOLDER", type=Path, help="one task, or a folder of them")
        add("--out", required=True, metavar="FOLDER", type=Path, help=_OUT)
        if name == "import":
            add("--today", metavar="DATE", help=today)
        add("--json", action="store_true", help="one JSON document")


def add_check_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a check. With a model, a check also asks for answers without each source and without any."""

    add_unit_options(parser, "role_models", "prompts", "shop_url")


def takes(path: Path) -> bool:
    """Tell whether a path is a folder; raise `Misuse` for a file inside a task folder and for any manifest."""
    from drr.papers.dr3.form import MANIFEST, is_task

    if path.is_file() and (is_task(path.parent) or path.name == MANIFEST):
        raise Misuse(f"{path}: is a part of tasks with files; give their folder: {path.parent}")
    return path.is_dir()


def _later(name: str) -> Callable[[argparse.Namespace], int]:
    """Return a function that loads the named command on its first call."""

    def act(arguments: argparse.Namespace) -> int:
        done: int = getattr(import_module("drr.papers.dr3.task_commands"), name)(arguments)
        return done

    return act


check, show, review = map(_later, ("check", "show", "review"))
OWN: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "drawer": _later("make"),
    "import": _later("import_tasks"),
    "export": _later("write_out"),
}
