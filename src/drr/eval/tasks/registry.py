"""Registers the judging tasks, one row each. Finds the words of `--what`, the order of the tasks and the tasks themselves.

A task waits for the results from which it is planned:

    claims -> support -> joint -----> needed
                      -> citations ->
    rating, pairwise, rules, ...                  wait for nothing
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from drr.env.plugins import JudgingTask, load, papers

if TYPE_CHECKING:
    from drr.eval.tasks.desk import Task


# Places are text: help, and a judging of other tasks, load none of these modules.
REGISTERED: tuple[JudgingTask, ...] = (
    JudgingTask("faithfulness", "claims", usual=True, place="drr.eval.tasks.extraction:EXTRACTION"),
    JudgingTask("faithfulness", "support", usual=True, place="drr.eval.tasks.support:SUPPORT"),
    JudgingTask("faithfulness", "joint", usual=True, place="drr.eval.tasks.joint:JOINT_TASK"),
    JudgingTask("citations", "citations", usual=True, place="drr.eval.tasks.citations:CITATIONS"),
    JudgingTask("citations", "needed", usual=True, place="drr.eval.tasks.needed:NEEDED"),
    JudgingTask("quality", "rating", usual=True, place="drr.eval.tasks.grading:RATING"),
    JudgingTask("pairwise", "pairwise", usual=True, place="drr.eval.tasks.grading:PAIRWISE"),
    JudgingTask("rules", "rules", usual=True, place="drr.eval.tasks.rules:CHECKED"),
    JudgingTask("failures", "failures", place="drr.eval.tasks.grading:FAILURES"),
    JudgingTask("mistakes", "mistakes", place="drr.eval.tasks.mistakes:MISTAKES_TASK"),
    JudgingTask("points", "points", place="drr.eval.tasks.point_making:POINTS_TASK"),
    JudgingTask("recall", "matches", place="drr.eval.tasks.point_matching:MATCHES_TASK"),
    JudgingTask("relative", "relative", place="drr.eval.tasks.relative:RELATIVE"),
)


def registered() -> tuple[JudgingTask, ...]:
    """Return the rows of this project's tasks, then of the papers' tasks."""
    return (*REGISTERED, *(row for paper in papers() for row in paper.judging.tasks))


def groups(*, usual: bool = False) -> list[str]:
    """List the words of `--what`, or only the words that are judged by default. Loads no task."""
    return list(dict.fromkeys(row.group for row in registered() if row.usual or not usual))


def tasks(what: Iterable[str] | None = None, named: Iterable[str] = ()) -> Mapping[str, Task[Any]]:
    """Map names to tasks, each after the tasks that it needs. Returns all tasks, or those of the given groups and names; loads no others."""
    rows = _rows()
    words = [row.group for row in rows.values()] if what is None else [*what]
    # Some words' figures are shown with another word's, at no further judging.
    beside = (other for paper in papers() for word in words for other in paper.judging.besides.get(word, ()))
    asked, wanted = {*words, *beside}, {*named}
    ordered: dict[str, Task[Any]] = {}

    def place(name: str, below: tuple[str, ...]) -> None:
        if name in below or name not in rows:
            raise ValueError(f"{below[-1]} needs {name}: no such task can come before it")
        if name not in ordered:
            task = _load_task(rows[name])
            for needed in task.needs:
                place(needed, (*below, name))
            ordered[name] = task

    for row in rows.values():
        if row.group in asked or row.name in wanted:
            place(row.name, ())
    return ordered


def own_groups() -> list[str]:
    """List the names of the groups of tasks that belong to no paper."""
    return [row.group for row in REGISTERED]


def known_task(name: str) -> Task[Any] | None:
    """Return the task of this name; `None` for a name that only a newer version of the program knows."""
    row = _rows().get(name)
    return None if row is None else _load_task(row)


def task_stages(chosen: Mapping[str, Task[Any]]) -> list[list[Task[Any]]]:
    """Group the tasks into stages. Each stage comes before the stages that need its tasks; tasks that no other task needs come last."""
    height: dict[str, int] = {}
    for task in reversed([*chosen.values()]):
        above = [height[other.name] for other in chosen.values() if task.name in other.needs]
        height[task.name] = 1 + max(above) if above else 0
    levels = range(max(height.values(), default=-1), -1, -1)
    return [[task for task in chosen.values() if height[task.name] == level] for level in levels]


def _rows() -> dict[str, JudgingTask]:
    rows: dict[str, JudgingTask] = {}
    for row in registered():
        if row.name in rows:
            raise ValueError(f"a task of {row.group} is called {row.name} already")
        rows[row.name] = row
    return rows


@cache
def _load_task(row: JudgingTask) -> Task[Any]:
    of_papers = (paper.judging.task(row.name) for paper in papers() if row in paper.judging.tasks)
    task: Task[Any] = load(row.place) if row.place else next(of_papers)
    if task.name != row.name:
        raise ValueError(f"{row.group}: the task is called {task.name}, its row {row.name}")
    return task
