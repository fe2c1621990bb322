"""Who holds which unit: a lease is claimed before work begins, renewed while it lasts, and free when its holder is dead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from drr.study.database import Database
from drr.study.process import is_dead


class Claimed(NamedTuple):
    """Of the units asked for; those that are in neither list are settled."""

    taken: list[str]
    held: list[str]
    """By another."""


class Leases:
    def __init__(self, db: Database) -> None:
        self._db = db

    def claim(
        self, holder: str, keys: Sequence[str], *, now: float, seconds: float, retry_failed: bool
    ) -> Claimed:
        claimed = Claimed([], [])
        with self._db.writing() as db:
            for key in keys:
                row = db.execute("SELECT status, transient FROM records WHERE key = ?", (key,)).fetchone()
                if row is not None and (row[0] == "done" or not (retry_failed or row[1])):
                    continue
                if db.execute("SELECT 1 FROM leases WHERE key = ?", (key,)).fetchone() is not None:
                    claimed.held.append(key)
                    continue
                db.execute("INSERT INTO leases VALUES (?, ?, ?)", (key, holder, now + seconds))
                claimed.taken.append(key)
        return claimed

    def free(self, holder: str, now: float) -> None:
        """Give up what the dead hold, and what nobody renewed in time; never what this holder has."""
        with self._db.writing() as db:
            rows = db.execute("SELECT worker, max(expires) FROM leases GROUP BY worker").fetchall()
            for other, expires in rows:
                if other != holder and (expires < now or is_dead(other)):
                    db.execute("DELETE FROM leases WHERE worker = ?", (other,))

    def renew(self, holder: str, now: float, seconds: float) -> None:
        with self._db.writing() as db:
            db.execute("UPDATE leases SET expires = ? WHERE worker = ?", (now + seconds, holder))

    def release(self, holder: str) -> None:
        with self._db.writing() as db:
            db.execute("DELETE FROM leases WHERE worker = ?", (holder,))

    def running(self, now: float) -> dict[str, str]:
        """Key to holder, of leases held by the living."""
        rows = self._db.rows("SELECT key, worker FROM leases WHERE expires >= ?", (now,))
        dead = {holder: is_dead(holder) for holder in {holder for _, holder in rows}}
        return {key: holder for key, holder in rows if not dead[holder]}
