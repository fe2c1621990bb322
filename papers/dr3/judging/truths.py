"""The truth on the tasks of a study's answers, read for judging alone. A study keeps the folder that it was given.

No agent comes here: a run reads tasks by `papers.dr3.world`, which does not import their truth.
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
    """Truths of the tasks that questions are of, by question."""


_META = "tasks_place"


def known_place(study: Study) -> str | None:
    """Find the place given before, or the one of the answers; `None` for a study of something else."""
    plan = study.config.get("run", {})
    known = study.ledger.meta(_META) or plan.get("place")
    return known if isinstance(known, str) and plan.get("world", FILES) == FILES else None


def tasks_place(study: Study, given: Path | None = None) -> Path:
    """Find the place given now, else the known one."""
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
    """Name the task as its question does, else by what stands before the size."""
    return answer.task_id or answer.query_id.partition("@")[0]


def truths_of(place: Path, answers: Iterable[Answer]) -> tuple[dict[str, KnownTask], list[str]]:
    """Read the truths by question; and the labels of answers that are of no task there. `Misuse` where a task asks something else now."""
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
