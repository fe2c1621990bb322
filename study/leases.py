"""The holders of units. A lease is claimed before work begins, renewed while it lasts, and free when its holder is dead.

No two clocks need agree. Holders of this host are held to its steady clock, which nobody sets; of a holder elsewhere only what is
seen here counts: a lease that nobody renewed for as long as it lasts, by the steady clock of who waits for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from sqlite3 import Connection
from typing import NamedTuple

from drr.study.database import BEATS, Database
from drr.study.process import is_dead, is_of_this_host
from drr.study.units import Units

"""By the steady clock of the worker's host. Made when there is a lease: ledgers of before have none."""
LONG_AGO = 26 * 3600.0
"""Seconds by which the clocks of two hosts may differ: what ran out before that need not be watched."""


class Moment(NamedTuple):
    wall: float
    steady: float
    """Of a clock that only goes forward, the same for all processes of a host."""


class Claimed(NamedTuple):
    """The claim on the units asked for; those that are in neither list are settled."""

    taken: list[str]
    held: list[str]
    """By another."""


class _Seen(NamedTuple):
    expires: float
    since: float
    """By our steady clock, when it was first seen so."""


class Leases:
    def __init__(self, db: Database, units: Units) -> None:
        self._db = db
        self._units = units
        self._seen: dict[str, _Seen] = {}
        self._beating = False

    def claim(
        self, holder: str, keys: Sequence[str], *, now: Moment, seconds: float, retry_failed: bool
    ) -> Claimed:
        claimed = Claimed([], [])
        with self._db.writing() as db:
            settled = self._units.settled_among(keys, retry_failed=retry_failed)
            leased = {row[0] for row in self._db.among("SELECT key FROM leases WHERE key IN ({keys})", keys)}
            for key in dict.fromkeys(keys):
                if key not in settled:
                    (claimed.held if key in leased else claimed.taken).append(key)
            db.executemany(
                "INSERT INTO leases VALUES (?, ?, ?)",
                [(key, holder, now.wall + seconds) for key in claimed.taken],
            )
            if claimed.taken:
                self._beat(db, holder, now, seconds)
        return claimed

    def free(self, holder: str, now: Moment, seconds: float) -> None:
        """Give up what the dead hold, and what nobody renewed in time; never what this holder has."""
        with self._db.writing() as db:
            for other in self._over(now, seconds) - {holder}:
                self._give_up(db, other)

    def renew(self, holder: str, now: Moment, seconds: float) -> None:
        with self._db.writing() as db:
            db.execute("UPDATE leases SET expires = ? WHERE worker = ?", (now.wall + seconds, holder))
            self._beat(db, holder, now, seconds)

    def release(self, holder: str) -> None:
        with self._db.writing() as db:
            self._give_up(db, holder)

    def running(self, now: Moment, seconds: float | None = None) -> dict[str, str]:
        """Key to holder, of leases that are not over; without `seconds`, as far as one look can tell."""
        over = self._over(now, seconds)
        rows = self._db.rows("SELECT key, worker FROM leases")
        return {key: worker for key, worker in rows if worker not in over}

    def _over(self, now: Moment, seconds: float | None) -> set[str]:
        workers = self._db.rows("SELECT worker, max(CAST(expires AS REAL)) FROM leases GROUP BY worker")
        deadlines = self._deadlines()
        return {
            worker for worker, expires in workers if self._is_over(worker, expires, deadlines, now, seconds)
        }

    def _is_over(
        self, worker: str, expires: float, deadlines: dict[str, float], now: Moment, seconds: float | None
    ) -> bool:
        if is_dead(worker):
            return True
        if is_of_this_host(worker) and worker in deadlines:
            return deadlines[worker] < now.steady
        if seconds is None:
            return expires < now.wall
        if expires < now.wall - LONG_AGO:
            return True
        seen = self._seen.get(worker)
        if seen is None or seen.expires != expires:
            seen = self._seen[worker] = _Seen(expires, now.steady)
        return now.steady - seen.since > seconds

    def _deadlines(self) -> dict[str, float]:
        return dict(self._db.rows("SELECT worker, deadline FROM beats")) if self._has_beats() else {}

    def _beat(self, db: Connection, holder: str, now: Moment, seconds: float) -> None:
        db.execute(BEATS)
        db.execute("INSERT OR REPLACE INTO beats VALUES (?, ?)", (holder, now.steady + seconds))

    def _give_up(self, db: Connection, worker: str) -> None:
        db.execute("DELETE FROM leases WHERE worker = ?", (worker,))
        if self._has_beats():
            db.execute("DELETE FROM beats WHERE worker = ?", (worker,))

    def _has_beats(self) -> bool:
        if not self._beating:
            self._beating = bool(self._db.rows("SELECT 1 FROM sqlite_master WHERE name = 'beats'"))
        return self._beating
