"""The test whether this system lets a program be contained: one place is made and left."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from functools import cache
from pathlib import Path

_LAUNCHER = Path(__file__).with_name("launcher.py")
_PATIENCE_S = 30.0
NOT_CONTAINED = "its view of this machine's files and processes, its network, how many processes it starts"


@cache
def why_not_contained() -> str | None:
    """`None` where a command can be given a place of its own here; else what is in the way."""
    if sys.platform != "linux":
        return "only Linux has namespaces"
    ours, theirs = socket.socketpair()
    ours.settimeout(_PATIENCE_S)
    order = {"contained": True, "processes": 301, "visible": ["/usr"], "hidden": []}
    with ours:
        with theirs:
            started = subprocess.Popen(  # noqa: S603
                [sys.executable, "-I", "-S", "-B", str(_LAUNCHER), str(theirs.fileno())],
                pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, env={},
            )  # fmt: skip
        try:
            ours.sendall(json.dumps(order).encode() + b"\n")
            report = json.loads(ours.makefile("rb").readline() or b"{}")
        except (OSError, ValueError) as error:
            report = {"refused": str(error)}
    started.wait(_PATIENCE_S)
    return None if report.get("ready") else str(report.get("refused", "its launcher cannot be started"))
