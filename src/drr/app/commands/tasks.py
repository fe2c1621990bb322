"""The command `drr papers tasks`: makes, checks, shows and reviews the tasks of papers. Each paper with tasks brings its own actions."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from drr.env.errors import Misuse
from drr.env.plugins import papers

Action = Callable[[argparse.Namespace], int]


class TaskActions(Protocol):
    """The interface of a paper's module that has tasks in some form."""

    @property
    def HELP(self) -> str: ...
    @property
    def EXAMPLES(self) -> Sequence[str]: ...
    @property
    def FORM(self) -> str:
        """Form of a path to the tasks, such as `FILE.jsonl`."""

    @property
    def OWN(self) -> Mapping[str, Action]:
        """Actions that only this paper has, by name."""

    @property
    def check(self) -> Action: ...
    @property
    def show(self) -> Action: ...
    @property
    def review(self) -> Action: ...

    def add_actions(self, actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
        """Add the parsers of the paper's own actions."""

    def add_check_options(self, parser: argparse.ArgumentParser) -> None: ...
    def takes(self, path: Path) -> bool:
        """Return True if the path holds such tasks; raise `Misuse` for a part of them."""


def _modules() -> list[TaskActions]:
    found: list[TaskActions | None] = [paper.commands.task_actions() for paper in papers()]
    return [actions for actions in found if actions is not None]


def build(parser: argparse.ArgumentParser) -> None:
    modules = _modules()
    examples = [line for module in modules for line in module.EXAMPLES]
    text = "\n\n".join(module.HELP for module in modules)
    parser.epilog = "\n".join([text, "", "examples:", *examples, ""])
    names = ["check", "show", "review", *(name for module in modules for name in module.OWN)]
    actions = parser.add_subparsers(dest="action", required=True, metavar="|".join(names))
    form = "|".join(module.FORM for module in modules)

    def add(name: str, line: str) -> argparse.ArgumentParser:
        own = actions.add_parser(name, help=line, description=line)
        own.add_argument("file", metavar=form, type=Path, help="the tasks, in either form")
        return own

    for module in modules:
        module.add_actions(actions)
    checking = add("check", "Say what code and every filter has against tasks.")
    for module in modules:
        module.add_check_options(checking)
    for one in (checking, add("show", "Print tasks.")):
        one.add_argument("--json", action="store_true", help="one JSON document")
    reviewing = add("review", "A person accepts or rejects tasks, one at a time.")
    reviewing.add_argument("--reviewer", required=True, metavar="NAME", help="who decides")
    reviewing.add_argument("--again", action="store_true", help="also what was decided before")


def run(arguments: argparse.Namespace) -> int:
    modules = _modules()
    for module in modules:
        if arguments.action in module.OWN:
            return module.OWN[arguments.action](arguments)
    path: Path = arguments.file
    forms = " or ".join(module.FORM for module in modules)
    if not path.exists():
        raise Misuse(f"{path}: there is no such file or folder; give {forms} of tasks")
    taking = [module for module in modules if module.takes(path)]
    if not taking:
        raise Misuse(f"{path}: holds no tasks; give {forms}")
    acting = {"check": taking[0].check, "show": taking[0].show, "review": taking[0].review}
    return acting[arguments.action](arguments)
