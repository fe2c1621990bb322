"""The ledger on disk: units, records, leases, spending. SQLite in WAL mode; what is not in it did not happen.

A record is committed with `synchronous=FULL`, after its blobs were synced: once a unit counts as finished it survives a
crash of the process and of the machine. Leases and spending are committed with `synchronous=NORMAL`: they survive a
crash of the process, and losing the last of them to a power cut only repeats work.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import Any

from drr.env.errors import DrrError
from drr.study.process import is_dead
from drr.study.unit import Kind, Record, Status, Unit, canonical_json

VERSION = 1
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
_RECORD = """units.key, units.kind, units.label, units.key_fields, units.spec, status, reason, message, transient,
  attempts, result, blobs, usage, cost, seconds, started_at, finished_at"""


@dataclass(frozen=True)
class Finished:
    """A unit that ended, ready to be committed."""

    key: str
    status: Status
    reason: str | None
    message: str | None
    transient: bool
    result: Mapping[str, Any]
    blobs: Mapping[str, str]
    usage: Mapping[str, Mapping[str, Any]]
    cost: int | None
    seconds: float
    started_at: float
    finished_at: float


@dataclass(frozen=True)
class Spending:
    """Over all workers; `reserved` is in flight in living processes only."""

    cost: int
    tokens: int
    unpriced: int
    """Calls whose cost is unknown."""
    reserved_cost: int
    reserved_tokens: int


class Ledger:
    """One connection, guarded by a lock: used by the event loop and by the thread that commits."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        self._lock = RLock()
        try:
            self._db = sqlite3.connect(
                path if create else f"{path.absolute().as_uri()}?mode=rw",
                uri=not create,
                isolation_level=None,
                check_same_thread=False,
                timeout=60,
            )
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._prepare(create)
        except sqlite3.Error as error:
            raise DrrError(
                f"{path}: cannot be used as a ledger ({error}); is it a study's folder?"
            ) from error

    def _prepare(self, create: bool) -> None:
        if create:
            with self.writing():
                empty = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
                if empty:
                    for statement in _SCHEMA.split(";"):
                        self._db.execute(statement)
                    self._db.execute("INSERT INTO meta VALUES ('schema', ?)", (str(VERSION),))
        version = int(self.meta("schema") or 0)
        if version != VERSION:
            raise DrrError(
                f"{self.path}: written by schema {version}, this program reads {VERSION}; update drr"
            )

    def close(self) -> None:
        with self._lock:
            self._db.close()

    @contextmanager
    def writing(self, *, synced: bool = False) -> Iterator[sqlite3.Connection]:
        """One transaction, whole or not at all."""
        with self._lock:
            if synced:
                self._db.execute("PRAGMA synchronous = FULL")
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            else:
                self._db.execute("COMMIT")
            finally:
                if synced:
                    self._db.execute("PRAGMA synchronous = NORMAL")

    def _rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock:
            return self._db.execute(statement, values).fetchall()

    # -- facts of the whole study

    def meta(self, name: str) -> str | None:
        rows = self._rows("SELECT value FROM meta WHERE name = ?", (name,))
        return None if not rows else rows[0][0]

    def set_meta(self, name: str, value: str | None) -> None:
        with self.writing() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    # -- units

    def register(self, units: Iterable[Unit]) -> None:
        """Make units known. A unit that is known already stays as it is, and is current again."""
        rows = [
            (unit.key, unit.kind, unit.label, canonical_json(unit.key_fields), canonical_json(unit.spec))
            for unit in units
        ]
        with self.writing() as db:
            db.executemany(
                "INSERT INTO units (key, kind, label, key_fields, spec) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (key) DO UPDATE SET current = 1, spec = excluded.spec",
                rows,
            )

    def retire(self, kind: Kind, keep: Iterable[str]) -> int:
        """Units of an earlier configuration stay, with their records, but no longer count. Gives how many there are."""
        with self.writing() as db:
            db.execute("CREATE TEMP TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY)")
            db.execute("DELETE FROM kept")
            db.executemany("INSERT OR IGNORE INTO kept VALUES (?)", ((key,) for key in keep))
            db.execute(
                "UPDATE units SET current = 0 WHERE kind = ? AND key NOT IN (SELECT key FROM kept)", (kind,)
            )
            count: int = db.execute(
                "SELECT count(*) FROM units WHERE kind = ? AND current = 0", (kind,)
            ).fetchone()[0]
        return count

    def unit(self, key: str) -> Unit:
        row = self._rows("SELECT kind, key_fields, spec, label FROM units WHERE key = ?", (key,))[0]
        return Unit(row[0], json.loads(row[1]), json.loads(row[2]), row[3])

    def find(self, start: str) -> list[tuple[str, str, str]]:
        """Units (key, kind, label) whose key starts so or whose label is this."""
        return self._rows(
            "SELECT key, kind, label FROM units WHERE substr(key, 1, ?) = ? OR label = ? ORDER BY position",
            (len(start), start, start),
        )

    # -- leases

    def claim(
        self, worker: str, keys: Sequence[str], *, now: float, seconds: float, retry_failed: bool
    ) -> tuple[list[str], list[str]]:
        """Of these units, those that are now held by this worker and those that another one holds; the rest is settled."""
        taken: list[str] = []
        held: list[str] = []
        with self.writing() as db:
            for key in keys:
                row = db.execute("SELECT status, transient FROM records WHERE key = ?", (key,)).fetchone()
                if row is not None and (row[0] == "done" or not (retry_failed or row[1])):
                    continue
                if db.execute("SELECT 1 FROM leases WHERE key = ?", (key,)).fetchone() is not None:
                    held.append(key)
                    continue
                db.execute("INSERT INTO leases VALUES (?, ?, ?)", (key, worker, now + seconds))
                taken.append(key)
        return taken, held

    def free_leases(self, worker: str, now: float) -> None:
        """Give up what the dead hold, and what nobody renewed in time."""
        with self.writing() as db:
            rows = db.execute("SELECT worker, max(expires) FROM leases GROUP BY worker").fetchall()
            for holder, expires in rows:
                if holder != worker and (expires < now or is_dead(holder)):
                    db.execute("DELETE FROM leases WHERE worker = ?", (holder,))

    def count_open(self, keys: Sequence[str]) -> int:
        """How many of these units have no final record: none at all, or one of a failure that may pass."""
        with self._lock:
            statement = "SELECT 1 FROM records WHERE key = ? AND (status = 'done' OR NOT transient)"
            return sum(self._db.execute(statement, (key,)).fetchone() is None for key in keys)

    def failed_for_good(self, keys: Sequence[str]) -> dict[str, str]:
        """Those of these units that failed for a reason that does not pass, with the reason."""
        statement = "SELECT key, coalesce(reason, status) FROM records WHERE key = ? AND status != 'done' AND NOT transient"
        return dict(row for key in keys for row in self._rows(statement, (key,)))

    def ended(self, keys: Sequence[str]) -> set[str]:
        """Those of these units that have a record, of whatever kind."""
        found: set[str] = set()
        for key in keys:
            found.update(row[0] for row in self._rows("SELECT key FROM records WHERE key = ?", (key,)))
        return found

    def renew(self, worker: str, now: float, seconds: float) -> None:
        with self.writing() as db:
            db.execute("UPDATE leases SET expires = ? WHERE worker = ?", (now + seconds, worker))

    def release(self, worker: str, keys: Iterable[str] | None = None) -> None:
        with self.writing() as db:
            if keys is None:
                db.execute("DELETE FROM leases WHERE worker = ?", (worker,))
            else:
                db.executemany(
                    "DELETE FROM leases WHERE worker = ? AND key = ?", ((worker, key) for key in keys)
                )

    def running(self, now: float) -> dict[str, str]:
        """Key to worker, of leases held by the living."""
        rows = self._rows("SELECT key, worker FROM leases WHERE expires >= ?", (now,))
        dead = {worker: is_dead(worker) for worker in {worker for _, worker in rows}}
        return {key: worker for key, worker in rows if not dead[worker]}

    # -- records

    def commit(self, worker: str, finished: Sequence[Finished]) -> list[str]:
        """Write the records of units this worker still holds, and give up their leases. Gives the keys written."""
        written: list[str] = []
        with self.writing(synced=True) as db:
            for one in finished:
                held = db.execute(
                    "DELETE FROM leases WHERE key = ? AND worker = ?", (one.key, worker)
                ).rowcount
                if not held:
                    continue
                db.execute(
                    "INSERT INTO records VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET "
                    "status = excluded.status, reason = excluded.reason, message = excluded.message, "
                    "transient = excluded.transient, attempts = attempts + 1, result = excluded.result, "
                    "blobs = excluded.blobs, usage = excluded.usage, cost = excluded.cost, "
                    "seconds = excluded.seconds, started_at = excluded.started_at, "
                    "finished_at = excluded.finished_at WHERE records.status != 'done'",
                    (
                        one.key,
                        one.status,
                        one.reason,
                        one.message,
                        one.transient,
                        canonical_json(one.result),
                        canonical_json(one.blobs),
                        canonical_json(one.usage),
                        one.cost,
                        one.seconds,
                        one.started_at,
                        one.finished_at,
                    ),
                )
                written.append(one.key)
        return written

    def records(
        self, kind: Kind | None = None, status: Status | None = None, *, current: bool = True
    ) -> Iterator[Record]:
        """In the order of their keys, so that every reader sees the same order."""
        conditions, values = ["1"], list[Any]()
        if kind is not None:
            conditions.append("units.kind = ?")
            values.append(kind)
        if status is not None:
            conditions.append("status = ?")
            values.append(status)
        if current:
            conditions.append("units.current = 1")
        statement = (
            f"SELECT {_RECORD} FROM records JOIN units USING (key) WHERE units.key > ? AND "
            f"{' AND '.join(conditions)} ORDER BY units.key LIMIT 200"
        )
        last = ""
        while rows := self._rows(statement, (last, *values)):
            for row in rows:
                yield _record(row)
            last = rows[-1][0]

    def usages(self) -> Iterator[Mapping[str, Mapping[str, Any]]]:
        """Of every current record, and nothing else of it: a study may hold a hundred thousand judgements."""
        rows = self._rows("SELECT usage FROM records JOIN units USING (key) WHERE units.current = 1")
        return (json.loads(row[0]) for row in rows)

    def record(self, key: str) -> Record | None:
        rows = self._rows(f"SELECT {_RECORD} FROM records JOIN units USING (key) WHERE units.key = ?", (key,))
        return _record(rows[0]) if rows else None

    def records_about(self, answer: str) -> Iterator[Record]:
        """What ended of the current units whose spec names this answer: its judgements."""
        statement = (
            f"SELECT {_RECORD} FROM records JOIN units USING (key) "
            "WHERE json_extract(units.spec, '$.answer') = ? AND units.current = 1 ORDER BY units.key"
        )
        return (_record(row) for row in self._rows(statement, (answer,)))

    def stamps(self, kind: Kind) -> list[tuple[str, float | None]]:
        """(key, when it ended) of every current unit of this kind that has a record: what has changed since a look."""
        return self._rows(
            "SELECT units.key, finished_at FROM units JOIN records USING (key) WHERE kind = ? AND current = 1",
            (kind,),
        )

    def blobs_named(self, kind: Kind, start: str) -> Iterator[Mapping[str, str]]:
        """The blobs of every unit of this kind that left one whose name starts so; done ones last, the latest very last."""
        rows = self._rows(
            "SELECT blobs FROM units JOIN records USING (key) WHERE kind = ? AND instr(blobs, ?) "
            "ORDER BY status = 'done', finished_at, key",
            (kind, f'"{start}'),
        )
        return (json.loads(row[0]) for row in rows)

    def holds(self, kind: Kind, text: str) -> bool:
        """Whether the result of some current record of this kind has this text in it."""
        statement = "SELECT 1 FROM units JOIN records USING (key) WHERE kind = ? AND current = 1 AND instr(result, ?) LIMIT 1"
        return bool(self._rows(statement, (kind, text)))

    def tally(self) -> list[tuple[Kind, str, str | None, int, str | None, int]]:
        """(kind, key, status, transient, reason, attempts) of every current unit."""
        return [
            (kind, key, status, transient or 0, reason, attempts or 0)
            for kind, key, status, transient, reason, attempts in self._rows(
                "SELECT kind, units.key, status, transient, reason, attempts FROM units LEFT JOIN records USING (key) "
                "WHERE current = 1"
            )
        ]

    # -- spending

    def spend(
        self, worker: str, *, cost: int, tokens: int, unpriced: int, reserved_cost: int, reserved_tokens: int
    ) -> None:
        """What this worker has spent since it began, and what it has in flight."""
        with self.writing() as db:
            self.spend_within(db, worker, cost, tokens, unpriced, reserved_cost, reserved_tokens)

    @staticmethod
    def spend_within(
        db: sqlite3.Connection,
        worker: str,
        cost: int,
        tokens: int,
        unpriced: int,
        reserved_cost: int,
        reserved_tokens: int,
    ) -> None:
        db.execute(
            "INSERT OR REPLACE INTO spending VALUES (?, ?, ?, ?, ?, ?)",
            (worker, cost, tokens, unpriced, reserved_cost, reserved_tokens),
        )

    def spending(self, besides: str | None = None) -> Spending:
        """What died in flight counts as spent: it may have been answered and billed."""
        cost = tokens = unpriced = reserved_cost = reserved_tokens = 0
        for row in self._rows(
            "SELECT worker, cost, tokens, unpriced, reserved_cost, reserved_tokens FROM spending"
        ):
            if row[0] == besides:
                continue
            cost, tokens, unpriced = cost + row[1], tokens + row[2], unpriced + row[3]
            if not (row[4] or row[5]):
                continue
            if is_dead(row[0]):
                cost, tokens = cost + row[4], tokens + row[5]
            else:
                reserved_cost, reserved_tokens = reserved_cost + row[4], reserved_tokens + row[5]
        return Spending(cost, tokens, unpriced, reserved_cost, reserved_tokens)


def _record(row: Sequence[Any]) -> Record:
    return Record(
        key=row[0],
        kind=row[1],
        label=row[2],
        key_fields=json.loads(row[3]),
        spec=json.loads(row[4]),
        status=row[5],
        reason=row[6],
        message=row[7],
        transient=bool(row[8]),
        attempts=row[9],
        result=json.loads(row[10]),
        blobs=json.loads(row[11]),
        usage=json.loads(row[12]),
        cost_usd=None if row[13] is None else row[13] / 10**12,
        seconds=row[14],
        started_at=row[15],
        finished_at=row[16],
    )
