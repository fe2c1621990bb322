"""Keeps a hash of each row as it was written, so that damage on a disk is detected.

One hash covers a unit and its record. The facts of the whole study and the accounts share one hash, the seal. The tables of running
units have none, because they decide no result. The seal is followed by the sum of all other hashes, which detects rows that are missing with
their hashes. An older ledger gets its hashes with the first write.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from hashlib import sha256
from operator import xor
from sqlite3 import Connection
from typing import Any

import orjson

TABLE = "CREATE TABLE hashes (key TEXT PRIMARY KEY, hash BLOB NOT NULL) WITHOUT ROWID"
_ROWS = """SELECT units.key, label, position, kind, key_fields, spec, current, status, reason, message, transient, attempts, result,
  blobs, usage, cost, seconds, started_at, finished_at FROM units LEFT JOIN records USING (key)"""
_WITH_HASHES = _ROWS.replace(" FROM units", ", hash FROM units") + " LEFT JOIN hashes USING (key)"
_SEAL = ""
"""The key of the seal in the table of hashes; no unit has this key."""
_SIZE = 32
"""The number of bytes of a hash. The first ledgers of version 0.2 have no sum after the seal."""
_FACTS = (
    "SELECT name, value FROM meta ORDER BY name",
    "SELECT * FROM spending ORDER BY worker",
)
_COUNTS = "SELECT (SELECT count(*) FROM units), (SELECT count(*) FROM records), (SELECT count(*) FROM hashes WHERE key != '')"
_TOUCHED = {"units": "{row}.key", "records": "{row}.key", "meta": f"'{_SEAL}'", "spending": f"'{_SEAL}'"}


def watch_changes(db: Connection) -> None:
    """Record from now on, in a temporary table, which rows this connection writes."""
    db.execute("CREATE TEMP TABLE touched (key TEXT NOT NULL)")
    for table, key in _TOUCHED.items():
        for act, row in (("INSERT", "new"), ("UPDATE", "new"), ("DELETE", "old")):
            db.execute(
                f"CREATE TEMP TRIGGER touched_{table}_{act} AFTER {act} ON main.{table} "
                f"BEGIN INSERT INTO touched VALUES ({key.format(row=row)}); END"
            )
    if not has_hashes(db):
        db.execute(TABLE)
        db.execute("UPDATE meta SET value = '2' WHERE name = 'schema'")
        db.execute("INSERT INTO touched SELECT key FROM units UNION ALL SELECT ?", (_SEAL,))


def write_changed_hashes(db: Connection) -> None:
    """Write the hashes of the changed rows, in the same transaction."""
    if db.execute("SELECT 1 FROM touched LIMIT 1").fetchone() is None:
        return
    put, touched = "INSERT OR REPLACE INTO hashes VALUES (?, ?)", "key IN (SELECT key FROM touched)"
    before, known = _xor_of_hashes(db, touched), _kept_xor(db)
    rows = db.execute(f"{_ROWS} WHERE units.{touched}")
    db.executemany(put, ((row[0], _hash(row)) for row in rows))
    total = _xor_of_hashes(db) if known is None else known ^ before ^ _xor_of_hashes(db, touched)
    db.execute(put, (_SEAL, _seal(db) + total.to_bytes(_SIZE)))
    db.execute("DELETE FROM touched")


def has_hashes(db: Connection) -> bool:
    return db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'hashes'").fetchone() is not None


def changed_rows(db: Connection) -> Iterator[str]:
    """Yield names of the units and facts that are not as they were written. A ledger without hashes gets SQLite's own check only."""
    found = db.execute("PRAGMA integrity_check(1)").fetchone()
    if found[0] != "ok":
        yield f"its order ({' '.join(str(found[0]).split())[:200]})"
    if not has_hashes(db):
        return
    units = records = total = 0
    for *row, row_hash in db.execute(_WITH_HASHES):
        units += 1
        records += row[7] is not None
        total ^= int.from_bytes(row_hash if isinstance(row_hash, bytes) else b"")
        if _hash(row) != row_hash:
            yield str(row[1])
    if db.execute(_COUNTS).fetchone() != (units, records, units) or _kept_xor(db) not in (None, total):
        yield "how many units and records there are"
    if _seal(db) != _stored_seal(db)[:_SIZE]:
        yield "what it knows of the whole study"


def ledger_hash(db: Connection) -> str | None:
    """Return a hash over all hashes; `None` for a ledger without hashes. A changed row is not noticed."""
    if not has_hashes(db):
        return None
    rows = db.execute("SELECT key, hash FROM hashes ORDER BY key").fetchall()
    return sha256(b"".join(key.encode() + b"\0" + row_hash for key, row_hash in rows)).hexdigest()


def _hash(row: Sequence[Any]) -> bytes:
    try:
        return sha256(orjson.dumps(row)).digest()
    except TypeError:  # a value of a type that this program does not write
        return b""


def _stored_seal(db: Connection) -> bytes:
    found = db.execute("SELECT hash FROM hashes WHERE key = ?", (_SEAL,)).fetchone()
    return found[0] if found is not None and isinstance(found[0], bytes) else b""


def _kept_xor(db: Connection) -> int | None:
    """Return the sum of all units' hashes as the last writer left it; `None` where none was kept."""
    return int.from_bytes(_stored_seal(db)[_SIZE:]) if len(_stored_seal(db)) > _SIZE else None


def _xor_of_hashes(db: Connection, where: str = "TRUE") -> int:
    """Return the bitwise XOR of hashes of units, which does not depend on their order. Adding a hash a second time removes it."""
    rows = db.execute(f"SELECT hash FROM hashes WHERE key != '{_SEAL}' AND {where}")
    return reduce(xor, (int.from_bytes(row[0]) for row in rows), 0)


def _seal(db: Connection) -> bytes:
    return _hash([list(db.execute(statement)) for statement in _FACTS])
