"""The one who writes a study. A lock lets no second one in; its name stands beside what it has under way and may have spent."""

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
"""A folder of another machine may know no locks of folders; there nobody is refused."""


def locked(folder: Path) -> int:
    """Lock the folder for whoever writes in it, until the handle is closed. A process that dies lets go, whatever it dies of."""
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
    """Name one writer in this process; its start tells the process from a later one with the same number."""
    pid = os.getpid()
    return f"{_host()}/{pid}/{_start_of(pid) or 'unknown'}/{next(_NUMBER)}"


def lost(holder: str) -> str:
    """The name under which stands what a holder may have spent, and nobody will ever know."""
    return f"{_LOST}{holder}"


def is_dead(holder: str) -> bool:
    """Tell whether it is certainly dead: a process of this host that is gone, or whose number is another's now."""
    if holder.startswith(_LOST):
        return True
    parts = holder.rsplit("/", 3)
    if len(parts) != 4 or not (parts[1].isascii() and parts[1].isdigit()):
        return True  # no holder of ours
    host, pid, start, _ = parts
    if host != _host():
        return False
    now = _start_of(int(pid))
    return now is None or (start != "unknown" and now != start)


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
