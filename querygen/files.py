"""Files of queries: written whole or not at all, with reviews never lost."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from drr.env.query import Query


def line_of(query: Query) -> str:
    return query.model_dump_json(exclude_none=True)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write beside the file and then in its place, so that an interrupted write leaves the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with aside.open("w", encoding="utf-8") as stream:
            stream.writelines(line + "\n" for line in lines)
            stream.flush()
            os.fsync(stream.fileno())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def write_queries(path: Path, queries: Iterable[Query]) -> None:
    write_lines(path, map(line_of, queries))


def merged(present: Sequence[Query], fresh: Sequence[Query]) -> list[Query]:
    """Merge. A row that a person decided on or edited stays in place of what it was made from; the rest is what was generated now."""
    reviewed = {
        query.id: query for query in present if query.review.status != "unreviewed" or query.review.history
    }
    edited = {entry.get("id") for query in reviewed.values() for entry in query.review.history}
    kept = [
        reviewed.pop(query.id, query) for query in fresh if query.id in reviewed or query.id not in edited
    ]
    return [*reviewed.values(), *kept]
