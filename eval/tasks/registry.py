"""The kinds of judging: a line each. What `--what` may say, what comes before what, and the tasks themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from drr.eval.tasks.base import Task


class Registered(NamedTuple):
    group: str
    """The word of `--what` that asks for it."""
    place: str
    """`module:object`."""
    usual: bool = True
    """Judged where nothing is said."""


REGISTERED: tuple[Registered, ...] = (
    Registered("faithfulness", "drr.eval.tasks.extraction:EXTRACTION"),
    Registered("faithfulness", "drr.eval.tasks.support:SUPPORT"),
    Registered("citations", "drr.eval.tasks.citations:CITATIONS"),
    Registered("quality", "drr.eval.tasks.rating:RATING"),
    Registered("pairwise", "drr.eval.tasks.pairwise:PAIRWISE"),
    Registered("rules", "drr.eval.tasks.checked:CHECKED"),
    Registered("failures", "drr.eval.tasks.failures:FAILURES", usual=False),
    Registered("mistakes", "drr.eval.tasks.mistakes.task:MISTAKES_TASK", usual=False),
    Registered("points", "drr.eval.tasks.key_points.making:POINTS_TASK", usual=False),
    Registered("recall", "drr.eval.tasks.key_points.matching:MATCHES_TASK", usual=False),
    Registered("relative", "drr.eval.tasks.relative:RELATIVE", usual=False),
    Registered("criteria", "drr.eval.tasks.pqr.making:CRITERIA_TASK", usual=False),
    Registered("pqr", "drr.eval.tasks.pqr.scoring:SCORES_TASK", usual=False),
    Registered("pqr", "drr.eval.tasks.pqr.violations:VIOLATIONS_TASK", usual=False),
    Registered("swap", "drr.eval.tasks.pqr.swap:SWAP_TASK", usual=False),
    Registered("swap", "drr.eval.tasks.pqr.adoption:ADOPTION_TASK", usual=False),
    Registered("reporteval", "drr.eval.tasks.reporteval.grades:GRADES_TASK", usual=False),
    Registered("reporteval", "drr.eval.tasks.reporteval.repetition:REPETITION_TASK", usual=False),
    Registered("dr3", "drr.eval.tasks.dr3.facts:FACTS_TASK", usual=False),
    Registered("dr3", "drr.eval.tasks.dr3.insights:INSIGHTS_TASK", usual=False),
    Registered("dr3", "drr.eval.tasks.dr3.following:FOLLOWING_TASK", usual=False),
    Registered("dr3", "drr.eval.tasks.dr3.depth:DEPTH_TASK", usual=False),
)
BESIDES: Mapping[str, tuple[str, ...]] = {
    "pqr": ("faithfulness", "citations"),
    "swap": ("pqr",),
    "reporteval": ("faithfulness", "citations"),
    "dr3": ("faithfulness", "citations"),
}
"""What a word asks for too: PQR's R, ReportEval's support and DR3-Eval's FA are summed from the verdicts on citations, which their other tasks have no need
of; a swap is held against the scores under one's own criteria."""


def groups(*, usual: bool = False) -> list[str]:
    """The words of `--what`; only those that are judged anyway where that is asked for. Loads no task."""
    return list(dict.fromkeys(row.group for row in REGISTERED if row.usual or not usual))


def tasks(what: Iterable[str] | None = None) -> Mapping[str, Task[Any]]:
    """By name, each after those it needs; all of them, or those of some groups and what these need."""
    known = _loaded(REGISTERED)
    if what is None:
        return {task.name: task for _, task in known}
    asked = frozenset(what)
    words = asked.union(*(BESIDES.get(word, ()) for word in asked))
    wanted: set[str] = set()
    for group, task in reversed(known):
        if group in words or task.name in wanted:
            wanted |= {task.name, *task.needs}
    return {task.name: task for _, task in known if task.name in wanted}


def stages(chosen: Mapping[str, Task[Any]]) -> list[list[Task[Any]]]:
    """What others need comes first, a stage for each step; what nobody needs comes together at the end."""
    height: dict[str, int] = {}
    for task in reversed([*chosen.values()]):
        above = [height[other.name] for other in chosen.values() if task.name in other.needs]
        height[task.name] = 1 + max(above) if above else 0
    levels = range(max(height.values(), default=-1), -1, -1)
    return [[task for task in chosen.values() if height[task.name] == level] for level in levels]


@cache
def _loaded(rows: Sequence[Registered]) -> list[tuple[str, Task[Any]]]:
    found: dict[str, tuple[str, Task[Any]]] = {}
    for row in rows:
        module, _, name = row.place.partition(":")
        task: Task[Any] = getattr(import_module(module), name)
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
