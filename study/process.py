"""The holder of a lease, and whether that process still lives. On this host that can be known and need not be waited for."""

from __future__ import annotations

import os
import socket
import subprocess
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

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
