"""Starts one run of a command: makes its sandbox, starts the command inside, and ends all of its processes.

A bare Python runs this file. It is given orders over a socket (whose number is its argument), passes the sandbox's listening socket back, and ends
everything when the command ends, when it is told to, or when the process that started it is gone. It imports the standard library and
`namespaces` only: so it starts in some 20 ms.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import resource
import select
import signal
import socket
import sys
import time

MYPY = False
if MYPY:  # `typing` costs time as well
    from typing import Any

    from drr.agents.commands.namespaces import LaunchOrder

_DEATH_SIGNAL, _SUBREAPER, _NO_NEW_RIGHTS, _DUMPABLE = 1, 36, 38, 4
_LONGEST = 1 << 22
_PATIENCE_S = 5.0


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    os.set_inheritable(control.fileno(), False)
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(one, signal.SIG_IGN)
    order: LaunchOrder = _read(control)
    try:
        if order["contained"]:
            _start_in_namespaces(control, order)
        else:
            prctl(
                _SUBREAPER, 1
            )  # and no death signal: whoever is killed with the driver ends nobody's children
            _serve(control, order, None)
    except OSError as error:
        _tell(control, {"refused": str(error)})
    os._exit(0)


def prctl(option: int, value: int) -> None:
    with contextlib.suppress(AttributeError):  # another system than Linux
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def _read(control: socket.socket) -> Any:
    received = b""
    while not received.endswith(b"\n"):
        more = control.recv(65536)
        if not more or len(received) > _LONGEST:
            os._exit(1)
        received += more
    return json.loads(received)


def _tell(control: socket.socket, document: dict[str, object], descriptors: tuple[int, ...] = ()) -> None:
    line = json.dumps(document).encode() + b"\n"
    with contextlib.suppress(OSError):
        if descriptors:
            socket.send_fds(control, [line], descriptors)
        else:
            control.sendall(line)


def _start_in_namespaces(control: socket.socket, order: LaunchOrder) -> None:
    """Start the command in namespaces of its own. The child is their first process; when it ends, the kernel ends all others."""
    namespaces = importlib.import_module("namespaces")  # beside this file, without a package

    namespaces.enter_namespaces(order["processes"])
    prctl(_DEATH_SIGNAL, signal.SIGKILL)
    first = os.fork()
    if first:
        control.close()
        for number in (0, 1, 2):
            os.close(number)
        os.waitpid(first, 0)
        os._exit(0)
    prctl(_DEATH_SIGNAL, signal.SIGKILL)
    prctl(_DUMPABLE, 0)
    namespaces.set_up_sandbox(order)
    listening = socket.create_server(("127.0.0.1", 0), backlog=128)
    namespaces.close_doors()
    _serve(control, order, listening)


def _serve(control: socket.socket, order: LaunchOrder, listening: socket.socket | None) -> None:
    """Pass the sandbox's socket on, wait for the environment, run the command, and report how it ended."""
    if listening is None:
        _tell(control, {"ready": True})
    else:
        _tell(control, {"ready": True}, (listening.fileno(),))
        listening.close()
    environment: dict[str, str] = _read(control)["environment"]
    started, failure = _start(order, environment)
    if failure:
        _tell(control, {"unstartable": failure})
        return
    ended = _wait(control, started)
    if not order["contained"]:
        _end_all(started)
    if ended is None and not order["contained"]:
        importlib.import_module("shutil").rmtree(order["folder"], ignore_errors=True)
    if ended is not None:
        _tell(control, {"code": os.waitstatus_to_exitcode(ended)})


def _start(order: LaunchOrder, environment: dict[str, str]) -> tuple[int, str]:
    """Start the command; return its process id and an error, which is empty where it has started. The error comes through a pipe that `execve` closes."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            _limit(order)
            os.chdir(order["folder"])
            for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE):
                signal.signal(one, signal.SIG_DFL)
            prctl(_NO_NEW_RIGHTS, 1)
            os.execve(order["program"], order["words"], environment)  # noqa: S606
        except OSError as error:
            os.write(writing, (error.strerror or str(error)).encode())
        os._exit(127)
    os.close(writing)
    for number in (0, 1, 2):
        os.close(number)  # the pipes are the command's
    with os.fdopen(reading, "rb") as pipe:
        return child, pipe.read().decode()


def _limit(order: LaunchOrder) -> None:
    """Limit the number of processes and forbid core dumps. Where memory runs out, the command is killed first."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError, ValueError):
        if order["contained"]:
            resource.setrlimit(resource.RLIMIT_NPROC, (order["processes"], order["processes"]))
        os.nice(5)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")


def _wait(control: socket.socket, started: int) -> int | None:
    """Return the command's exit status; `None` where it is to be ended, or its waiting process is gone."""
    waking, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    while True:
        while True:
            try:
                child, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return None
            if child == started:
                return status
            if child == 0:
                break
        readable, _, _ = select.select([control.fileno(), waking], [], [], 1.0)
        if waking in readable:
            os.read(waking, 4096)
        if control.fileno() in readable:
            return None  # the socket is closed, or says to end: no other message comes now


def _end_all(started: int) -> None:
    """Kill all processes that the command started, without namespaces. Those that left its group and lost their parents were adopted by this process."""
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        with contextlib.suppress(OSError):
            os.killpg(started, signal.SIGKILL)
        for number in _descendants():
            with contextlib.suppress(OSError):
                os.kill(number, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.01)


def _descendants() -> list[int]:
    parents = {}
    try:
        running = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
    for number in running:
        with contextlib.suppress(OSError), open(f"/proc/{number}/stat", "rb") as stat:
            parents[number] = int(stat.read().rpartition(b")")[2].split()[1])
    found: list[int] = []
    layer = {os.getpid()}
    while layer:
        layer = {number for number, parent in parents.items() if parent in layer}
        found += layer
    return found


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    main()
