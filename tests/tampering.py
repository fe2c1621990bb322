"""A study that is changed past the program: as by an older version, which wrote no hashes, or by a stranger who took them out or made anew."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path

from drr.study.ledger import NO_FILE, Ledger


@contextmanager
def tampered(ledger: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(ledger)) as db, db:
        db.execute("DROP TABLE IF EXISTS hashes")
        db.execute("UPDATE meta SET value = '1' WHERE name = 'schema'")
        yield db


def rewrite(path: Path, text: str) -> None:
    """Write a file of a study with its seal, as whoever made the study can."""
    with closing(Ledger(path.with_name("ledger.sqlite"))) as ledger:
        ledger.seal(path.name, NO_FILE, sha256(text.encode()).hexdigest())
    path.write_text(text, encoding="utf-8")
