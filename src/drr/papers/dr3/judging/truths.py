"""The truths of the tasks that a study's answers are about, read only for judging. A study remembers the folder given.

Agents never get here: a run reads tasks by `papers.dr3.world`, which does not import their truth.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from drr.env.errors import Misuse
from drr.env.world import FILES
from drr.eval.evidence.answers import Answer
from drr.papers.dr3.folders import open_tasks
from drr.papers.dr3.truth import TaskTruth, read_truth
from drr.study.study import Study


class KnownTask(NamedTuple):
    truth: TaskTruth
    files: tuple[str, ...]


class KnownTasks(dict[str, KnownTask]):
    """Tasks with their truth, by the id of the question."""


_META = "tasks_place"


def known_place(study: Study) -> str | None:
    """Return the task folder given before, else the one of the run; `None` for a study without file tasks."""
    plan = study.config.get("run", {})
    known = study.ledger.meta(_META) or plan.get("place")
    return known if isinstance(known, str) and plan.get("world", FILES) == FILES else None


def tasks_place(study: Study, given: Path | None = None) -> Path:
    """Return the task folder given now, else the known one; raise `Misuse` if there is none."""
    known = known_place(study)
    if given is not None:
        return given
    if known is None:
        raise Misuse(
            f"--what dr3: the questions of {study.folder} are of no tasks with files; give their folder with --tasks DIR"
        )
    return Path(known)


def keep_tasks_place(study: Study, place: Path) -> None:
    kept = str(place.resolve())
    if study.ledger.meta(_META) != kept:
        study.ledger.set_meta(_META, kept)


def task_of(answer: Answer) -> str:
    """Return the id of an answer's task. If its question names no task, the id is the part of the question's id before the size."""
    return answer.task_id or answer.query_id.partition("@")[0]


def truths_of(place: Path, answers: Iterable[Answer]) -> tuple[dict[str, KnownTask], list[str]]:
    """Return the tasks by question id, and the labels of answers without a task. Raise `Misuse` if a task asks something else now."""
    tasks = open_tasks(place)
    found: dict[str, KnownTask] = {}
    strange: list[str] = []
    for answer in answers:
        task = tasks.get(task_of(answer))
        if task is None:
            strange.append(answer.label)
        elif answer.query_id not in found:
            if task.question.query != answer.query:
                raise Misuse(
                    f"--what dr3: {task.folder} asks another question than {answer.label} was asked; give the tasks as they were with --tasks DIR"
                )
            found[answer.query_id] = KnownTask(read_truth(task.folder), task.question.files)
    if strange and not found:
        raise Misuse(
            f"--what dr3: {place} holds no task that {strange[0]} could be of; give the right folder with --tasks DIR"
        )
    return found, strange
