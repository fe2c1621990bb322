"""The scope of a figure: further questions, or further tasks where one task is asked as several questions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class AskedQuestion(NamedTuple):
    """A question, and the task of which it is one of several: at another size, by another person. They are drawn together, because
    what is hard of one is hard of the others. A question of its own is its own task."""

    query: str
    task: str


Asked = str | AskedQuestion
"""A bare name is of a question of its own, or of whatever else is drawn one by one."""


def cluster_of(asked: Asked) -> str:
    return asked if isinstance(asked, str) else asked.task


def query_of(asked: Asked) -> str:
    return asked if isinstance(asked, str) else asked.query


def tasks_among(asked: Iterable[Asked]) -> int:
    """Count the tasks of these questions, where they are fewer than the questions; else 0."""
    found = {query_of(one): cluster_of(one) for one in asked}
    tasks = len(set(found.values()))
    return tasks if tasks < len(found) else 0
