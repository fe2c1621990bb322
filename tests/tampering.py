"""A ledger that is changed past the program: as by an older version, which wrote no hashes, or by a stranger who took them out."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


@contextmanager
def tampered(ledger: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(ledger)) as db, db:
        db.execute("DROP TABLE IF EXISTS hashes")
        db.execute("UPDATE meta SET value = '1' WHERE name = 'schema'")
        yield db
