"""Tasks without a person reviewed at a terminal. Is it a wish that anybody could have, clear, and worth an answer?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from drr.env.records.lines import one_line
from drr.querygen.reviewing import ReviewedKind, ReviewTally, Terminal, ToldRow, review_rows
from drr.querygen.tasks import ResearchTask, write_tasks


def review_wishes(
    path: Path,
    tasks: Sequence[ResearchTask],
    reviewer: str,
    terminal: Terminal,
    problems: Callable[[ResearchTask], Sequence[str]],
    *,
    again: bool = False,
) -> ReviewTally:
    kind = ReviewedKind(
        one="task",
        write=write_tasks,
        told=lambda task: _row(task, problems(task)),
        text=lambda task: task.task,
        edited=_edited,
        same=lambda one, other: one.task == other.task,
    )
    return review_rows(path, tasks, kind, reviewer, terminal, again=again)


def _edited(task: ResearchTask, text: str, reviewer: str, at: str) -> ResearchTask:
    """The id stays: it is a name and says nothing of the text."""
    entry = {"action": "edit", "reviewer": reviewer, "at": at, "task": task.task}
    review = task.review.model_copy(update={"history": [*task.review.history, entry]})
    return task.model_copy(update={"task": text, "review": review})


def _row(task: ResearchTask, problems: Sequence[str]) -> ToldRow:
    rows = [
        ("category", task.category),
        ("intent", task.intent),
        ("needs", ", ".join(task.needs)),
        ("written by", f"{task.model or 'unknown'}{' (rules)' if task.rule_written else ''}"),
        ("status", f"{task.review.status}, reviewer {task.review.reviewer}"),
    ]
    lines = [f"  {name:<11}{one_line(value, 1000)}" for name, value in rows if value]
    return ToldRow(
        one_line(task.task_id, 80),
        one_line(task.task, 4000),
        [*lines, *(f"  FAILS {one_line(reason, 400)}" for reason in problems)],
    )
