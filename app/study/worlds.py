"""The worlds and places that `drr run` gives agents, and the ways to reach a task's frozen pages."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.env.person_setting import RECORDS, Setting
from drr.env.plugins import papers
from drr.env.query import Query, read_queries
from drr.env.reach import WHOLE, KnownKinds, Reach, reaches_of
from drr.env.world import FILES, all_worlds

if TYPE_CHECKING:
    from drr.agents.architecture import Variant
    from drr.app.study.specs import RunConfig


class TaskFolders(Protocol):
    """The interface of a paper's module whose tasks are folders."""

    def queries_of(self, place: Path, sizes: Sequence[str] | None) -> list[Query]: ...
    def say_what_is_odd(self, place: Path) -> None:
        """Report oddities of the tasks on standard error."""

    def known_kinds(self, place: Path, *, distractors: bool) -> Mapping[str, KnownKinds]:
        """Return the kinds of each task's pages, for a study that withholds some kinds."""


def task_folders() -> TaskFolders:
    """Return the module of the paper whose tasks are folders; raise `Misuse` where no paper has such tasks."""
    place = next((paper.task_folders for paper in papers() if paper.task_folders), None)
    if place is None:
        raise Misuse("--tasks: no paper is here whose tasks are folders; leave it out")
    module: TaskFolders = import_module(place)
    return module


def settle_tasks(config: RunConfig, before: JsonObject) -> RunConfig:
    """Turn `--tasks DIR` into `--world files --place DIR` with an absolute path; raise `Misuse` for options that conflict."""
    tasks, world = config.tasks, config.world or before.get("world")
    if tasks is None and world == FILES and config.place is not None:
        raise Misuse("--place: the world `files` takes its questions and its place from --tasks DIR")
    if tasks is None:
        if config.sizes is not None:
            raise Misuse("--sizes: which frozen pages of tasks are searched; give the tasks with --tasks DIR")
        if config.with_shop and world != FILES:
            raise Misuse("--with-shop: is for tasks with files; give them with --tasks DIR")
    else:
        if config.queries is not None or config.place is not None:
            raise Misuse("--tasks brings questions and place along; leave --queries and --place out")
        if config.world not in (None, FILES) or (before and before.get("world") != FILES):
            raise Misuse(
                "--tasks: another world than `files` has no tasks with files; take a study of their own"
            )
        config = replace(config, world=FILES, place=str(tasks.resolve()))
    if world == FILES or tasks is not None:
        _settle_shop(config, before)
    elif config.reach is not None or config.long_context:
        raise Misuse("--reach: is of the frozen pages of tasks with files; give the tasks with --tasks DIR")
    return config


def _settle_shop(config: RunConfig, before: JsonObject) -> None:
    had = before.get("shop")
    if config.with_shop and not (config.shop or had):
        raise Misuse("--with-shop needs the shop; give it with --shop")
    if config.shop and not config.with_shop and not had:
        raise Misuse(
            "--shop: tasks with files are answered without one; with --with-shop agents have its nine tools too"
        )
    if before and config.with_shop and not had:
        raise Misuse(
            "--with-shop: the answers of this study were given without a shop; take a study of their own"
        )


def add_world_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--world",
        choices=tuple(all_worlds()),
        help="where the agents live; another than the shop may need no --shop (default: shop)",
    )
    add("--place", metavar="PATH", help="what a world other than the shop is opened from (default: nothing)")
    add(
        "--tasks",
        metavar="DIR",
        type=Path,
        help="tasks with files: their questions, asked in the world `files`; see docs/file-tasks.md (default: none)",
    )
    add(
        "--sizes",
        metavar="LIST",
        help="of the tasks' frozen pages, with commas, e.g. 32k,128k (default: all that they have)",
    )
    add(
        "--reach",
        metavar="LIST",
        help="what agents reach of those pages: whole (default), no-distractors, supportive, none, bm25, dense, dense:EMBEDDER, long-context,"
        " turns:N. + joins several; with commas each is a system of its own, such as AGENT@dense",
    )
    add(
        "--long-context",
        action="store_true",
        help="short for --reach long-context: all pages in the window in place of searching them",
    )
    add("--with-shop", action="store_true", help="agents on --tasks have the nine tools of --shop as well")


def asked_now(config: RunConfig, *, has_own: bool) -> list[Query] | None:
    """Return the questions that this call brings; `None` if the study continues with its own questions."""
    if config.tasks is not None:
        found = task_folders().queries_of(config.tasks, _sizes(config.sizes))
        task_folders().say_what_is_odd(config.tasks)
        return found
    if config.queries is not None:
        found = read_queries(config.queries)
        if not found:
            raise Misuse(f"{config.queries}: holds no query; each line is {{'query': ..., 'user_id': ...}}")
        return found
    if not has_own:
        raise Misuse(f"{config.study}: a new study needs --queries FILE, one JSON query a line")
    return None


def _sizes(given: str | None) -> list[str] | None:
    if given is None:
        return None
    sizes = list(dict.fromkeys(part.strip() for part in given.split(",") if part.strip()))
    if not sizes:
        raise Misuse("--sizes: names no size; e.g. --sizes 32k,128k")
    return sizes


def reaches_given(config: RunConfig) -> tuple[Reach, ...] | None:
    """Return the ways to reach frozen pages that the call names (`--long-context` adds one); `None` if none is named."""
    words = [config.reach] if config.reach is not None else []
    words += ["long-context"] if config.long_context else []
    return reaches_of(",".join(words)) if words else None


def is_for(reach: Reach, variant: Variant) -> bool:
    """Return True if a variant can be given this reach. Search turns, and pages in place of search, need an agent that searches."""
    return not reach.needs_search_agent or "long_context" in variant.architecture.settings


def kinds_for(world: str, place: str | None, reaches: Sequence[Reach]) -> Mapping[str, KnownKinds]:
    """Return the kinds of pages by task, where some are withheld. They are read here, so that the agents' world never reads them."""
    asked = {reach.pages for reach in reaches} - {"whole", "none"}
    if world != FILES or place is None or not asked:
        return {}
    return task_folders().known_kinds(Path(place), distractors="no-distractors" in asked)


def check_reaches(reaches: Sequence[Reach], variants: Iterable[Variant], settings: Sequence[Setting]) -> None:
    """Raise `Misuse` for a reach that no variant can be given, or that is combined with settings of the person."""
    everybody = list(variants)
    if any(reach != WHOLE for reach in reaches) and any(setting != RECORDS for setting in settings):
        raise Misuse("--reach and --settings are not asked together; take a study of their own")
    for reach in reaches:
        if not any(is_for(reach, variant) for variant in everybody):
            names = ", ".join(variant.name for variant in everybody)
            raise Misuse(f"--reach {reach.name}: is for an agent that has others search; not for {names}")
