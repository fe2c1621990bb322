"""The folders of tasks as the world and judging find them. They are found by task id, and none by way of a link."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from drr.env.drawer.drawer import Drawer
from drr.env.errors import Misuse
from drr.env.files import check_plain
from drr.env.plugins import check_needs
from drr.papers.dr3.form import DRAWER, QUESTION, FileQuestion, is_task, read_question, task_folders
from drr.papers.dr3.plugin import PAPER

_TOLD = 10


class FileTask(NamedTuple):
    """One task: what is asked, where its files lie."""

    folder: Path
    question: FileQuestion

    @property
    def drawer(self) -> Drawer:
        return Drawer(self.folder / DRAWER, self.question.files)

    @property
    def today(self) -> date:
        return date.fromisoformat(self.question.today)


def open_task(folder: Path) -> FileTask:
    """`DrrError` for a folder that is no task, or holds links."""
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
    """Open the tasks by id, in the order of the folders."""
    check_needs(PAPER)
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
    return ", ".join(names[:_TOLD]) + ", ..." * (len(names) > _TOLD)


def task_at(place: Path, task_id: str) -> FileTask | None:
    """The task of this id, where it is still there; most lie in a folder of their id's name."""
    own = place / task_id
    for folder in [place, own] if is_task(place) or is_task(own) else []:
        if is_task(folder) and (task := open_task(folder)).question.task_id == task_id:
            return task
    return open_tasks(place).get(task_id) if place.is_dir() and not is_task(place) else None
