"""Settles where agents work: contained commands, folders of tasks, the shop beside them, reaches of frozen pages."""

from __future__ import annotations

import contextlib
import resource
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from drr.agents.architecture import BUILT_IN
from drr.agents.commands.sight import NOT_CONTAINED, why_not_contained
from drr.env.errors import Misuse
from drr.env.person_setting import RECORDS, Setting
from drr.env.plugins import papers
from drr.env.query import Query
from drr.env.reach import WHOLE, KnownKinds, Reach
from drr.env.world import FILES

if TYPE_CHECKING:
    from drr.agents.architecture import Variant
    from drr.app.study.study_plan import StudyPlan
    from drr.study.study import Study


MOST_FILES = 65_536


def check_contained(variants: Mapping[str, Variant], *, trusted: bool) -> None:
    """Raise `Misuse` for commands that this system cannot contain and this user did not say to trust."""
    from drr.agents.commands.variants import CommandArchitecture

    named = [name for name, one in variants.items() if isinstance(one.architecture, CommandArchitecture)]
    if named or any(one.architecture.code for one in variants.values()):
        # Raised once for all units: a run of many commands would else fail in the midst of its work.
        _allow_open_files()
    if named and not trusted and (why := why_not_contained()) is not None:
        raise Misuse(
            f"{', '.join(named)}: cannot be contained here ({why}): {NOT_CONTAINED} would be yours;"
            " --trust-agent runs it as you"
        )


def note_in_process(study: Study, variants: Mapping[str, Variant], plan: StudyPlan) -> None:
    """Note in the study which agents written in Python ran as part of this program."""
    from drr.study.status import IN_PROCESS

    named = {name for name, one in variants.items() if one.architecture.code is not None and plan.in_process}
    if named:
        before = filter(None, (study.ledger.meta(IN_PROCESS) or "").split(", "))
        study.ledger.set_meta(IN_PROCESS, ", ".join(sorted({*before, *named})))


def containment_sentences(variants: Mapping[str, Variant], plan: StudyPlan) -> list[str]:
    """Return a sentence on the agents that are contained, and one on those that ran beside the truth."""
    from drr.agents.commands.variants import CommandArchitecture

    contained, beside = list[str](), list[str]()
    for name, one in variants.items():
        if one.architecture.origin != BUILT_IN:
            is_python = one.architecture.code is not None and not plan.in_process
            is_apart = is_python or isinstance(one.architecture, CommandArchitecture)
            is_contained = is_apart and not plan.trust_agent and why_not_contained() is None
            (contained if is_contained else beside).append(name)
    lines = [f"{', '.join(contained)}: contained"] if contained else []
    if beside:
        lines.append(
            f"{', '.join(beside)}: ran beside the truth, as you; a contained agent (cmd:..., file.py:...) cannot read it"
        )
    return lines


def _allow_open_files() -> None:
    """Raise the limit of open files. A running command takes about eight of them, and many systems begin with 1,024."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
        if soft != resource.RLIM_INFINITY and soft < most:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class TaskFolders(Protocol):
    """The interface of a paper's module whose tasks are folders."""

    def queries_of(self, place: Path, sizes: Sequence[str] | None) -> list[Query]: ...
    def say_what_is_odd(self, place: Path) -> None:
        """Report oddities of the tasks on standard error."""

    def known_kinds(self, place: Path, *, distractors: bool) -> Mapping[str, KnownKinds]:
        """Return the kinds of each task's pages, for a study that withholds some kinds."""


def task_folders() -> TaskFolders:
    """Return the module of the paper whose tasks are folders; raise `Misuse` where no paper has such tasks."""
    for paper in papers():
        module: TaskFolders | None = paper.agents.task_folders()
        if module is not None:
            return module
    raise Misuse("--tasks: no paper is here whose tasks are folders; leave it out")


def with_tasks(call: StudyPlan, own: StudyPlan) -> StudyPlan:
    """Turn `--tasks DIR` into `--world files --place DIR` with an absolute path; raise `Misuse` for options that conflict."""
    tasks, world = call.tasks, call.world or own.world
    if tasks is None and world == FILES and call.place is not None:
        raise Misuse("--place: the world `files` takes its questions and its place from --tasks DIR")
    if tasks is None:
        if call.sizes is not None:
            raise Misuse("--sizes: which frozen pages of tasks are searched; give the tasks with --tasks DIR")
        if call.with_shop and world != FILES:
            raise Misuse("--with-shop: is for tasks with files; give them with --tasks DIR")
    else:
        if call.queries is not None or call.place is not None:
            raise Misuse("--tasks brings questions and place along; leave --queries and --place out")
        if call.world not in (None, FILES) or (own.variants and own.world != FILES):
            raise Misuse(
                "--tasks: another world than `files` has no tasks with files; take a study of their own"
            )
        call = call.model_copy(update={"world": FILES, "place": str(tasks.resolve())})
    if world == FILES or tasks is not None:
        _check_shop_of_tasks(call, own)
    elif call.reach is not None:
        raise Misuse("--reach: is of the frozen pages of tasks with files; give the tasks with --tasks DIR")
    return call


def _check_shop_of_tasks(call: StudyPlan, own: StudyPlan) -> None:
    if call.with_shop and not (call.shop or own.shop):
        raise Misuse("--with-shop needs the shop; give it with --shop")
    if call.shop and not call.with_shop and not own.shop:
        raise Misuse(
            "--shop: tasks with files are answered without one; with --with-shop agents have its nine tools too"
        )
    if own.variants and call.with_shop and not own.shop:
        raise Misuse(
            "--with-shop: the answers of this study were given without a shop; take a study of their own"
        )


def can_have_reach(reach: Reach, variant: Variant) -> bool:
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
        if not any(can_have_reach(reach, variant) for variant in everybody):
            names = ", ".join(variant.name for variant in everybody)
            raise Misuse(f"--reach {reach.name}: is for an agent that has others search; not for {names}")
