"""Reads and writes files of queries and tasks, completely or not at all, without losing reviews."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from drr.env.errors import Misuse
from drr.env.files import Id, opener
from drr.env.jsonl import rows_of
from drr.env.query import Query, Review
from pydantic import BaseModel, ConfigDict, Field


def line_of(query: Query) -> str:
    return query.model_dump_json(exclude_none=True)


def write_lines(path: Path, lines: Iterable[str], *, public: bool = False) -> None:
    """Write lines to a file beside the target and then rename it. An interrupted write thus leaves the old file.

    The file is closed to others unless it is `public`, as questions tell what somebody bought."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(aside, "w", encoding="utf-8", opener=None if public else opener) as stream:
            stream.writelines(line + "\n" for line in lines)
            stream.flush()
            os.fsync(stream.fileno())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def write_queries(path: Path, queries: Iterable[Query], *, public: bool = False) -> None:
    write_lines(path, map(line_of, queries), public=public)


def merged(present: Sequence[Query], fresh: Sequence[Query]) -> list[Query]:
    """Merge present and newly generated rows. A row that was reviewed or edited replaces the generated one; others come from the new rows."""
    reviewed = {
        query.id: query for query in present if query.review.status != "unreviewed" or query.review.history
    }
    edited = {entry.get("id") for query in reviewed.values() for entry in query.review.history}
    kept = [
        reviewed.pop(query.id, query) for query in fresh if query.id in reviewed or query.id not in edited
    ]
    return [*reviewed.values(), *kept]


SCHEMA = 1
BUILT_IN = Path(__file__).parent / "builtin" / "tasks.jsonl"
"""Fifty built-in tasks, five for each category of the sample shop, written by a language model and reviewed by nobody."""


class ResearchTask(BaseModel):
    """A task that anybody might ask. Its pairing with a person is stored elsewhere."""

    model_config = ConfigDict(extra="forbid")

    schema_version: int = SCHEMA
    task_id: Id
    category: str = Field(min_length=1)
    task: str = Field(min_length=1)
    intent: str | None = None
    needs: list[str] = Field(default_factory=list)
    """Search words for the products that a shop must sell to answer the task."""
    model: str | None = None
    rule_written: bool | None = None
    review: Review = Field(default_factory=Review)

    def line(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude_none=True)


def read_tasks(path: Path) -> list[ResearchTask]:
    """Read the tasks of a file. A broken line raises an error with its number, and none is skipped."""
    found: dict[str, ResearchTask] = {}
    for number, task in rows_of(
        path, ResearchTask, "tasks", SCHEMA, "{'task_id': ..., 'category': ..., 'task': ...}"
    ):
        if task.task_id in found:
            raise Misuse(
                f"{path}, line {number}: the task {task.task_id} is there already; ids are unique in a file"
            )
        if not task.task.strip():
            raise Misuse(f"{path}, line {number}: `task` must not be blank")
        found[task.task_id] = task
    if not found:
        raise Misuse(f"{path}: holds no task; `drr papers tasks build` writes such a file")
    return list(found.values())


def write_tasks(path: Path, tasks: Iterable[ResearchTask]) -> None:
    write_lines(path, (json.dumps(task.line(), ensure_ascii=False) for task in tasks))
