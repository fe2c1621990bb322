"""The kinds of judging: a line each. What `--what` may say, what comes before what, and the tasks themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from drr.env.plugins import JudgingTask, load, papers

if TYPE_CHECKING:
    from drr.eval.tasks.desk import Task


REGISTERED: tuple[JudgingTask, ...] = (
    JudgingTask("faithfulness", "drr.eval.tasks.extraction:EXTRACTION", usual=True),
    JudgingTask("faithfulness", "drr.eval.tasks.support:SUPPORT", usual=True),
    JudgingTask("citations", "drr.eval.tasks.citations:CITATIONS", usual=True),
    JudgingTask("quality", "drr.eval.tasks.grading:RATING", usual=True),
    JudgingTask("pairwise", "drr.eval.tasks.grading:PAIRWISE", usual=True),
    JudgingTask("rules", "drr.eval.tasks.checked:CHECKED", usual=True),
    JudgingTask("failures", "drr.eval.tasks.grading:FAILURES"),
    JudgingTask("mistakes", "drr.eval.tasks.mistakes:MISTAKES_TASK"),
    JudgingTask("points", "drr.eval.tasks.point_making:POINTS_TASK"),
    JudgingTask("recall", "drr.eval.tasks.point_matching:MATCHES_TASK"),
    JudgingTask("relative", "drr.eval.tasks.relative:RELATIVE"),
)


def registered() -> tuple[JudgingTask, ...]:
    """Ours, then those of the papers."""
    return (*REGISTERED, *(row for paper in papers() for row in paper.tasks))


def beside(word: str) -> set[str]:
    """Return the figures that a word asks for too, summed from verdicts that its own tasks do not need."""
    return {other for paper in papers() for other in paper.besides.get(word, ())}


def groups(*, usual: bool = False) -> list[str]:
    """The words of `--what`; only those that are judged anyway where that is asked for. Loads no task."""
    return list(dict.fromkeys(row.group for row in registered() if row.usual or not usual))


def tasks(what: Iterable[str] | None = None) -> Mapping[str, Task[Any]]:
    """Map names to tasks, each after those it needs. All of them, or those of some groups and what these need."""
    known = _loaded(registered())
    if what is None:
        return {task.name: task for _, task in known}
    asked = frozenset(what)
    words = asked.union(*map(beside, asked))
    wanted: set[str] = set()
    for group, task in reversed(known):
        if group in words or task.name in wanted:
            wanted |= {task.name, *task.needs}
    return {task.name: task for _, task in known if task.name in wanted}


def stages(chosen: Mapping[str, Task[Any]]) -> list[list[Task[Any]]]:
    """Order the tasks. What others need comes first, a stage for each step; what nobody needs comes together at the end."""
    height: dict[str, int] = {}
    for task in reversed([*chosen.values()]):
        above = [height[other.name] for other in chosen.values() if task.name in other.needs]
        height[task.name] = 1 + max(above) if above else 0
    levels = range(max(height.values(), default=-1), -1, -1)
    return [[task for task in chosen.values() if height[task.name] == level] for level in levels]


@cache
def _loaded(rows: Sequence[JudgingTask]) -> list[tuple[str, Task[Any]]]:
    found: dict[str, tuple[str, Task[Any]]] = {}
    for row in rows:
        task: Task[Any] = load(row.place)
        if task.name in found:
            raise ValueError(f"{row.place}: a task is called {task.name} already")
        found[task.name] = (row.group, task)
    ordered: dict[str, tuple[str, Task[Any]]] = {}

    def place(name: str, below: tuple[str, ...]) -> None:
        if name in below or name not in found:
            raise ValueError(f"{below[-1]} needs {name}: no such task can come before it")
        if name not in ordered:
            for needed in found[name][1].needs:
                place(needed, (*below, name))
            ordered[name] = found[name]

    for name in found:
        place(name, ())
    return list(ordered.values())
