"""The holders of units. A lease is claimed before work begins, renewed while it lasts, and free when its holder is dead.

No two clocks need agree. Holders of this host are held to its steady clock, which nobody sets; of a holder elsewhere only what is
seen here counts: a lease that nobody renewed for as long as it lasts, by the steady clock of who waits for it.
"""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from sqlite3 import Connection
from typing import NamedTuple

from drr.study.database import BEATS, Database
from drr.study.units import Units

_NUMBER = count()
_LOST = "lost:"


@dataclass(frozen=True)
class Holder:
    """One driver or worker in one process. `start` tells a process from a later one with the same number."""

    host: str
    pid: int
    start: str
    number: int

    @property
    def id(self) -> str:
        return f"{self.host}/{self.pid}/{self.start}/{self.number}"


def this_holder() -> Holder:
    pid = os.getpid()
    return Holder(_host(), pid, _start_of(pid) or "unknown", next(_NUMBER))


def lost(holder: str) -> str:
    """The name of a holder that its driver saw die, on whatever host."""
    return f"{_LOST}{holder}"


def is_dead(holder: str) -> bool:
    """Tell whether the holder is certainly dead. Seen to die, or a process of this host that is gone or whose number is another's now."""
    if holder.startswith(_LOST):
        return True
    parts = holder.rsplit("/", 3)
    if len(parts) != 4 or not (parts[1].isascii() and parts[1].isdigit()):
        return True  # no holder of ours: nobody will ever renew it
    host, pid, start, _ = parts
    if host != _host():
        return False
    now = _start_of(int(pid))
    return now is None or (start != "unknown" and now != start)


def is_of_this_host(holder: str) -> bool:
    return holder.rsplit("/", 3)[0] == _host()


@cache
def _host() -> str:
    """Name this host since it was booted; a container with process numbers of its own is another host."""
    parts = [socket.gethostname().replace("/", "-")]
    try:
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()[:13])
        parts.append(str(Path("/proc/self/ns/pid").stat().st_ino))
    except OSError:
        parts.append("no-proc")
    return "-".join(parts)


def _start_of(pid: int) -> str | None:
    """Find when the process started, in whatever form the system has; `None` if it is gone or has ended."""
    stat = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").exists():
        try:
            after_name = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        return None if after_name[0] in "ZX" else after_name[19]
    answer = subprocess.run(  # noqa: S603
        ["/bin/ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False, timeout=10
    )
    return "-".join(answer.stdout.split()) or None


"""By the steady clock of the worker's host. Made when there is a lease: ledgers of before have none."""
LONG_AGO = 26 * 3600.0
"""Seconds by which the clocks of two hosts may differ: what ran out before that need not be watched."""


class Moment(NamedTuple):
    wall: float
    steady: float
    """Time of a clock that only goes forward, the same for all processes of a host."""


class Claimed(NamedTuple):
    """The claim on the units asked for; those that are in neither list are settled."""

    taken: list[str]
    leased: list[str]
    """Units that another process holds."""


class _Seen(NamedTuple):
    expires: float
    since: float
    """Time by our steady clock when it was first seen so."""


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
                    (claimed.leased if key in leased else claimed.taken).append(key)
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
