"""SQLite files of strangers: they hold our statements and no others, and none computes for ever."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import cache

LONGEST = 256 << 20
"""Bytes of a value."""
_STEPS = 100_000
"""Of SQLite's machine between two looks at the clock: some milliseconds."""
_STATISTICS = (
    "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
)
_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_schema"


def restrain(db: sqlite3.Connection, until: Callable[[], float], own: tuple[str, ...]) -> None:
    """No value is longer than ours are, what runs beyond `until` is ended as interrupted, and a schema calls nothing."""
    if _is_distrusted(own):
        db.execute("PRAGMA trusted_schema = OFF")
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    db.set_progress_handler(lambda: time.monotonic() > until(), _STEPS)


def strange_statement(db: sqlite3.Connection, own: tuple[str, ...]) -> str | None:
    """Return a statement of the file's own schema that none of `own` makes."""
    known = _known(own)
    return next((f"{row[0]} {row[1]}" for row in db.execute(_SCHEMA) if _plain(row) not in known), None)


@cache
def _is_distrusted(own: tuple[str, ...]) -> bool:
    """Return whether our own statements do without trust: to SQLite 3.40 an index may not call `json_extract` without it."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("PRAGMA trusted_schema = OFF")
        try:
            for statement in own:
                db.executescript(statement)
        except sqlite3.OperationalError:
            return False
    return True


@cache
def _known(own: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    with closing(sqlite3.connect(":memory:")) as db:
        for statement in own:
            db.executescript(statement)
        statistics = (("table", sql[13:25], sql[13:25], sql) for sql in _STATISTICS)
        return frozenset(map(_plain, [*db.execute(_SCHEMA), *statistics]))


def _plain(row: Iterable[object]) -> tuple[str, ...]:
    return tuple(" ".join(str(part).split()) for part in row)
