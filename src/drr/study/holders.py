"""Identifies and locks out writers of a study. A lock admits one writer; its name is stored with its running units and spending."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import subprocess
from functools import cache
from itertools import count
from pathlib import Path

from drr.env.errors import DrrError

_NUMBER = count()
_LOST = "lost:"
_NO_LOCKS = (errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP)
"""Errors of file systems that cannot lock a folder, such as network drives; no writer is refused there."""


def lock_folder(folder: Path) -> int:
    """Lock a folder for this writer and return the handle whose closing unlocks it. A process that dies also unlocks it."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise DrrError(
            f"{folder}: another command writes to this study; wait until it has ended (status, view, report and annotate work meanwhile)"
        ) from None
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            os.close(handle)
            raise
    return handle


def this_holder() -> str:
    """Return a name for a writer in this process. The start time tells the process from a later one with the same number."""
    pid = os.getpid()
    return f"{_host()}/{pid}/{_start_of(pid) or 'unknown'}/{next(_NUMBER)}"


def lost_spending_name(holder: str) -> str:
    """Return the name under which the uncertain spending of a writer is stored."""
    return f"{_LOST}{holder}"


def is_dead(holder: str) -> bool:
    """Tell whether a writer is certainly gone. Its process on this host has ended, or its number belongs to another process."""
    if holder.startswith(_LOST):
        return True
    parts = holder.rsplit("/", 3)
    if len(parts) != 4 or not (parts[1].isascii() and parts[1].isdigit()):
        return True  # not a name that this program makes
    host, pid, start, _ = parts
    if host != _host():
        return False
    now = _start_of(int(pid))
    return now is None or (start != "unknown" and now != start)


@cache
def _host() -> str:
    """Return a name for this host since its start; a container with its own process numbers counts as another host."""
    parts = [socket.gethostname().replace("/", "-")]
    try:
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()[:13])
        parts.append(str(Path("/proc/self/ns/pid").stat().st_ino))
    except OSError:
        parts.append("no-proc")
    return "-".join(parts)


def _start_of(pid: int) -> str | None:
    """Return when a process started, in the system's own format; `None` if the process has ended."""
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
