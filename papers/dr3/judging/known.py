"""The knowledge of a judging on one task with files: its truth, and which files it brings."""

from __future__ import annotations

from typing import NamedTuple

from drr.papers.dr3.truth import TaskTruth


class KnownTask(NamedTuple):
    truth: TaskTruth
    files: tuple[str, ...]
    """By name."""


class KnownTasks(dict[str, KnownTask]):
    """What is true of the tasks that questions are of, by question."""
