"""The folders of tasks, opened by id for agents and judges alike, and the source kind `file`. Links are refused."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from drr.citations.files import SCHEME, FilePlace, file_place
from drr.env.errors import DrrError, Misuse
from drr.env.files import check_plain
from drr.env.plugins import check_needs
from drr.env.shop_world import as_seen, source_title
from drr.env.source import FrozenText, Source
from drr.env.world import Holdings
from drr.papers.dr3.form import DRAWER, QUESTION, FileQuestion, is_task, read_question, task_folders

if TYPE_CHECKING:
    from drr.env.drawer.drawer import AttachedFiles

_SHOWN = 10


class FileTask(NamedTuple):
    """A task: its folder and its question."""

    folder: Path
    question: FileQuestion

    @property
    def drawer(self) -> AttachedFiles:
        from drr.env.drawer.drawer import AttachedFiles

        return AttachedFiles(self.folder / DRAWER, self.question.files)

    @property
    def today(self) -> date:
        return date.fromisoformat(self.question.today)


def open_task(folder: Path) -> FileTask:
    """Open the task in a folder; raise `DrrError` if the folder is no task, or holds links."""
    check_plain(folder)
    question = read_question(folder)
    try:
        date.fromisoformat(question.today)
    except ValueError:
        raise Misuse(
            f"{folder / QUESTION}: today is {question.today!r}, which is no day; write YYYY-MM-DD"
        ) from None
    return FileTask(folder, question)


def open_tasks(place: Path) -> dict[str, FileTask]:
    """Open the tasks below a folder, by id, in the order of their folders."""
    check_needs("dr3")
    found: dict[str, FileTask] = {}
    for folder in task_folders(place):
        task = open_task(folder)
        known = found.setdefault(task.question.task_id, task)
        if known is not task:
            raise Misuse(
                f"{folder}: its task_id {task.question.task_id!r} is that of {known.folder} too; ids are unique"
            )
    return found


def left_out(place: Path, rejected: Sequence[str]) -> str:
    tasks = "1 task that was rejected in review is"
    if len(rejected) > 1:
        tasks = f"{len(rejected)} tasks that were rejected in review are"
    return f"{place}: {tasks} left out: {some(rejected)}"


def some(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + ", ..." * (len(names) > _SHOWN)


def task_at(place: Path, task_id: str) -> FileTask | None:
    """Return the task with this id, or `None`; the folder named after the id is tried first."""
    own = place / task_id
    for folder in [place, own] if is_task(place) or is_task(own) else []:
        if is_task(folder) and (task := open_task(folder)).question.task_id == task_id:
            return task
    return open_tasks(place).get(task_id) if place.is_dir() and not is_task(place) else None


PICTURE = "a picture: what it shows cannot be held against words"


class FileSources:
    """The source kind `file`: places in the question's files. Citations are checked against the files' own words
    if the tasks are at hand, else against the text that the run's tools returned."""

    name: ClassVar[str] = "file"
    label: ClassVar[str] = "the question's files"
    paged: ClassVar[bool] = False

    def __init__(self, holdings: Holdings) -> None:
        self._place, self._task_id = holdings.place, holdings.spec.get("task_id")

    def owns(self, address: str) -> bool:
        return address.startswith(SCHEME)

    @cached_property
    def _drawer(self) -> AttachedFiles | None:
        if self._place is None or not isinstance(self._task_id, str):
            return None
        try:
            task = task_at(Path(self._place), self._task_id)
        except DrrError:
            return None
        return None if task is None else task.drawer

    def text(self, address: str, returned: Sequence[Source]) -> FrozenText:
        from drr.env.drawer.form import FileProblem

        place = file_place(address)
        if place is None:
            return as_seen(address, self.name, returned)
        if self._drawer is None:
            if not returned:
                return self._missing_text(address, "the task's files were not at hand to look it up")
            return self._as_read(address, place, returned)
        try:
            content = self._drawer.content(place.name)
        except FileProblem as problem:
            if problem.kind == "not_found" and not returned:
                return FrozenText(address, self.name, "unreachable", reason="there is no such file")
            seen = self._as_read(address, place, returned)
            return seen if seen.status == "ok" else self._missing_text(address, problem.message)
        text = content.at(place)
        if text is None:
            return FrozenText(address, self.name, "unreachable", reason="the file has no such place")
        if content.picture is not None:
            return self._missing_text(address, PICTURE)
        if not text.strip():
            return self._missing_text(address, "this place of the file has no words that could be read")
        return FrozenText(address, self.name, "ok", text, source_title(returned) or place.name)

    def _as_read(self, address: str, place: FilePlace, returned: Sequence[Source]) -> FrozenText:
        from drr.env.drawer.form import media_of

        if returned and media_of(place.name) == "picture":
            return self._missing_text(address, PICTURE)
        return as_seen(address, self.name, returned)

    def _missing_text(self, address: str, reason: str) -> FrozenText:
        return FrozenText(address, self.name, "not_frozen", reason=reason)
