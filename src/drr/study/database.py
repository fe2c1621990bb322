"""The ledger's SQLite file in WAL mode. Every part of the ledger reads and writes through one connection, lock and transaction."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from math import inf
from pathlib import Path
from shutil import copyfile, disk_usage
from tempfile import TemporaryDirectory, gettempdir
from threading import RLock
from typing import Any

from drr.env.errors import DrrError, no_room
from drr.env.files import check_alone, owner_only_mode, restrict_database, sparse_bytes, strange_statement
from drr.study import hashes
from drr.study.holders import lock_folder

VERSION = 2
"""The schema version that is written. Version 1 is read too, and the first write turns it into 2."""
_AT_ONCE = 500
_LARGEST_COPY = 16 << 30
_MOST_HOLES = 1 << 28
BEATS = "CREATE TABLE IF NOT EXISTS beats (worker TEXT PRIMARY KEY, deadline REAL NOT NULL) WITHOUT ROWID"
"""A table that older ledgers may have and that is no longer read."""
SAVED = """
CREATE TABLE IF NOT EXISTS saved (
  key TEXT NOT NULL, name TEXT NOT NULL, text BLOB NOT NULL, PRIMARY KEY (key, name)) WITHOUT ROWID"""
_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE units (
  position INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, label TEXT NOT NULL,
  key_fields TEXT NOT NULL, spec TEXT NOT NULL, current INTEGER NOT NULL DEFAULT 1);
CREATE INDEX units_kind ON units (kind, current, key);
CREATE INDEX units_about ON units (json_extract(spec, '$.answer'));
CREATE TABLE records (
  key TEXT PRIMARY KEY REFERENCES units (key), status TEXT NOT NULL, reason TEXT, message TEXT,
  transient INTEGER NOT NULL, attempts INTEGER NOT NULL, result TEXT NOT NULL, blobs TEXT NOT NULL,
  usage TEXT NOT NULL, cost INTEGER, seconds REAL NOT NULL, started_at REAL NOT NULL, finished_at REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE leases (key TEXT PRIMARY KEY, worker TEXT NOT NULL, expires REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE spending (
  worker TEXT PRIMARY KEY, cost INTEGER NOT NULL, tokens INTEGER NOT NULL, unpriced INTEGER NOT NULL,
  reserved_cost INTEGER NOT NULL, reserved_tokens INTEGER NOT NULL) WITHOUT ROWID;
"""


_STATEMENTS = (_SCHEMA, SAVED, BEATS, hashes.TABLE)
PATIENCE_S = 60.0
"""Seconds for one statement: twenty times the longest so far."""
_TABLES = {"meta", "units", "records", "leases", "spending"}


def _make(path: Path) -> None:
    """Create the ledger's file, closed to other users from the start. SQLite gives the same mode to its files beside it.

    It is in WAL mode from its first byte, because a later switch needs a rollback journal, which a kill could leave behind.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, owner_only_mode(0o666))
        try:
            # Two processes may make the same study; the second must not write over the page of the first.
            fcntl.flock(handle, fcntl.LOCK_EX)
            if os.fstat(handle).st_size == 0:
                os.pwrite(handle, _first_page(), 0)
        finally:
            os.close(handle)
    except OSError as error:
        raise DrrError(
            no_room(error)
            or f"{path}: cannot be made ({error.strerror}); choose a folder that you may write to"
        ) from error


def _first_page() -> bytes:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("PRAGMA user_version = 0")
        page = db.serialize()
    # These two bytes of the header say WAL; a pragma would make the journal that must never be there.
    return page[:18] + b"\2\2" + page[20:]


def _check_files(path: Path, *, alone: bool) -> None:
    """Check that the ledger's files are plain files without a rollback journal. SQLite would delete the files that such a journal names.

    With `alone`, SQLite will write to the files, so none of them may have a second hard link.
    """
    for ending in ("", "-wal", "-shm", "-journal"):
        beside = path.with_name(path.name + ending)
        try:
            found = beside.lstat()
        except FileNotFoundError:
            continue
        if ending == "-journal":
            raise DrrError(f"{beside}: no ledger of ours has such a journal, it is not opened; take it away")
        if not stat.S_ISREG(found.st_mode):
            raise DrrError(f"{beside}: is no plain file; restore the study's ledger")
        if alone:
            check_alone(beside, found.st_nlink)


def _check_room(*files: Path) -> None:
    """Raise an error for a copy that would fill the disk. A sparse file takes little room here and its full size in a copy."""
    size, room = sum(file.stat().st_size for file in files), disk_usage(gettempdir()).free
    if size > min(room, _LARGEST_COPY) or sum(map(sparse_bytes, files)) > _MOST_HOLES:
        raise DrrError(
            f"{files[0]}: its journal cannot be read without a copy of {size:,} bytes; copy the study to where you can write"
        )


class _Connection(sqlite3.Connection):
    """A connection that sets a deadline for each statement when the statement starts. A stranger's ledger can make one run without end."""

    until = inf

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        self.until = time.monotonic() + PATIENCE_S
        return super().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
        self.until = time.monotonic() + PATIENCE_S
        return super().executemany(sql, parameters)


class Database:
    """A connection to the ledger, used by the event loop and by the thread that commits."""

    def __init__(
        self, path: Path, *, create: bool = False, read_only: bool = False, apart: bool = False
    ) -> None:
        """Open the file. With `apart`, SQLite makes, changes and deletes no file beside it."""
        self.path = path
        self._lock = RLock()
        self._copy: TemporaryDirectory[str] | None = None
        self._watched = False
        self._alone: int | None = None
        """The lock of this writer, from its first write on."""
        try:
            self._open(path, create=create, read_only=read_only, apart=apart)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if (full := no_room(error, path)) is not None:
                raise DrrError(full) from error
            raise DrrError(
                f"{path}: cannot be used as a ledger ({error}); is it a study's folder?"
            ) from error

    def _open(self, path: Path, *, create: bool, read_only: bool, apart: bool) -> None:
        _check_files(path, alone=not apart)
        if create:
            _make(path)
        self.takes_writes = not apart and _takes_writes(path)
        self._to_read = read_only or not self.takes_writes
        self._db = self._connect()
        try:
            restrict_database(self._db, lambda: self._db.until, _STATEMENTS)
            self._check_statements()
            if self.takes_writes:
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.execute("PRAGMA synchronous = NORMAL")
            self._prepare(create)
            if self._to_read:
                self._db.execute("PRAGMA query_only = ON")
        except BaseException:
            self.close()
            raise

    def _check_statements(self) -> None:
        if (strange := strange_statement(self._db, _STATEMENTS)) is not None:
            raise DrrError(f"{self.path}: is no ledger of ours (its {strange[:80]} is not of our making)")

    def _connect(self) -> _Connection:
        """Connect to the file. SQLite makes files beside a ledger even to read it; where it cannot, the file or a copy is read as unchanging."""
        name = f"{self.path.absolute().as_uri()}?mode=rw"
        if not self.takes_writes:
            journal = self.path.with_name(f"{self.path.name}-wal")
            name = f"{self.path.absolute().as_uri()}?mode=ro&immutable=1"
            if journal.is_file() and journal.stat().st_size:  # the latest writes are in the journal
                _check_room(self.path, journal)
                self._copy = TemporaryDirectory(prefix="drr-ledger-")
                for file in (self.path, journal):
                    copyfile(file, Path(self._copy.name, file.name))
                name = Path(self._copy.name, self.path.name).as_uri()
        return sqlite3.connect(
            name, uri=True, isolation_level=None, check_same_thread=False, timeout=60, factory=_Connection
        )

    def _prepare(self, create: bool) -> None:
        if create:
            with self._db as db:
                db.execute("BEGIN IMMEDIATE")
                if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
                    for statement in _SCHEMA.split(";"):
                        db.execute(statement)
                    db.execute("INSERT INTO meta VALUES ('schema', '1')")
        tables = {row[0] for row in self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if lacking := sorted(_TABLES - tables):
            raise DrrError(f"{self.path}: is no ledger of ours (it has no {', '.join(lacking)}); restore it")
        schema = self.rows("SELECT value FROM meta WHERE name = 'schema'")
        version = int(schema[0][0]) if schema and str(schema[0][0]).isdecimal() else 0
        if not 1 <= version <= VERSION:
            raise DrrError(
                f"{self.path}: written by schema {version}, this program reads {VERSION}; update drr"
            )

    def altered_rows(self) -> list[str]:
        """Return names of the rows and facts that are not as they were written."""
        with self._lock:
            self._db.execute("BEGIN")
            try:
                # In one transaction: a run may be writing, and rows and hashes must be of one moment.
                return list(hashes.changed_rows(self._db))
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                return [f"what SQLite can read ({error})"]
            finally:
                self._db.execute("ROLLBACK")

    def digest(self) -> str | None:
        """Return a hash over the whole ledger; `None` where no row has a hash yet."""
        with self._lock:
            return hashes.ledger_hash(self._db)

    def close(self) -> None:
        with self._lock:
            self._db.close()
            if self._alone is not None:
                os.close(self._alone)
                self._alone = None
        if self._copy is not None:
            self._copy.cleanup()

    @contextmanager
    def writing(self, *, synced: bool = False) -> Iterator[sqlite3.Connection]:
        """Run one transaction, completely or not at all; with `synced` it survives a power cut. The first write locks the study for this writer until it closes."""
        if not self.takes_writes:
            raise DrrError(f"{self.path.parent}: can only be read here; copy it to where you can write")
        with self._lock:
            if self._alone is None and not self._to_read:
                self._alone = lock_folder(self.path.parent)
            if synced:
                self._db.execute("PRAGMA synchronous = FULL")
            self._db.execute("BEGIN IMMEDIATE")
            try:
                if not self._watched:
                    hashes.watch_changes(self._db)
                yield self._db
                hashes.write_changed_hashes(self._db)
            except BaseException as error:
                if self._db.in_transaction:  # else SQLite has rolled back by itself
                    self._db.execute("ROLLBACK")
                if getattr(error, "sqlite_errorname", None) == "SQLITE_INTERRUPT":
                    raise DrrError(
                        f"{self.path}: a write did not end in {PATIENCE_S:.0f} s and nothing of it is kept ({error}); restore the ledger"
                    ) from error
                raise
            else:
                self._db.execute("COMMIT")
                # Not before: a transaction that is rolled back takes the triggers of `watch_changes` with it.
                self._watched = True
            finally:
                if synced:
                    self._db.execute("PRAGMA synchronous = NORMAL")

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock:
            try:
                return self._db.execute(statement, values).fetchall()
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                if no_room(error, self.path) is not None:
                    raise
                raise DrrError(f"{self.path}: is no ledger of ours ({error}); restore it") from error

    def among(self, statement: str, keys: Iterable[str], values: Sequence[Any] = ()) -> list[Any]:
        """Return the rows of `statement` for these keys, which take the place of `{keys}` in large groups."""
        left, found = list(keys), list[Any]()
        for start in range(0, len(left), _AT_ONCE):
            some = left[start : start + _AT_ONCE]
            found += self.rows(statement.format(keys=", ".join("?" * len(some))), (*some, *values))
        return found


def _takes_writes(path: Path) -> bool:
    """Tell whether the current user, by effective rights, may write to the file and its folder."""
    effective = os.access in os.supports_effective_ids
    return all(os.access(one, os.W_OK, effective_ids=effective) for one in (path, path.parent))
