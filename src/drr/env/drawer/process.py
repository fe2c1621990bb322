"""Reads files in a separate process: bytes in; content out, or a typed problem within a time limit."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import IO, Any, cast

from drr.env.drawer.form import FileProblem, FileProblemKind, ReadContent, ReadDrawing

WALL_SECONDS = 20.0
_MOST_ANSWER = 40_000_000
_FILES = 200
"""Most files read by one process; its end frees the memory that libraries keep."""
_KEPT = ("PATH", "LANG", "LC_ALL", "PYTHONPATH", "VIRTUAL_ENV", "SYSTEMROOT")


class _Gone(Exception):
    """The reading process ended, or was ended, while it read a file."""


class FileReader:
    """A reader of files in a separate process, one file at a time. The process starts with the first file, and again after a file was too much for it."""

    def __init__(self, wall_seconds: float = WALL_SECONDS) -> None:
        self.wall_seconds = wall_seconds
        self._lock, self._owner, self._read = Lock(), 0, 0
        self._running: subprocess.Popen[bytes] | None = None

    def read(self, name: str, media: str, data: bytes) -> ReadContent:
        return cast(ReadContent, self._answer(name, {"media": media}, data)["content"])

    def draw(self, name: str, media: str, data: bytes, page: int, words: Sequence[str]) -> ReadDrawing:
        asked = {"media": media, "page": page, "words": list(words)}
        return cast(ReadDrawing, self._answer(name, asked, data)["drawing"])

    def _answer(self, name: str, asked: dict[str, Any], data: bytes) -> dict[str, object]:
        with self._lock:
            try:
                answer = self._ask_process(asked, data)
            except TimeoutError:
                self.close()
                raise FileProblem(
                    "timeout", f"{name}: takes longer to read than {self.wall_seconds:g} s"
                ) from None
            except (_Gone, OSError, ValueError):
                self.close()
                raise FileProblem(
                    "invalid", f"{name}: takes more time or memory to read than there is for it"
                ) from None
            if answer.get("spent") or self._read >= _FILES:
                self.close()
        if "problem" in answer:
            raise FileProblem(cast(FileProblemKind, answer["kind"]), f"{name}: {answer['problem']}")
        return answer

    def close(self) -> None:
        running, self._running, self._read = self._running, None, 0
        if running is None or self._owner != os.getpid():
            return
        running.kill()
        with contextlib.suppress(OSError):
            running.communicate(timeout=5)

    def _ask_process(self, asked: dict[str, Any], data: bytes) -> dict[str, object]:
        running = self._running_process()
        self._read += 1
        until = time.monotonic() + self.wall_seconds
        head = json.dumps({**asked, "size": len(data)}).encode() + b"\n"
        assert running.stdin is not None and running.stdout is not None
        _write(running.stdin, head + data, until)
        answer: dict[str, object] = json.loads(_line(running.stdout, until))
        return answer

    def _running_process(self) -> subprocess.Popen[bytes]:
        """Start the reading process unless this process has one; one inherited over a fork belongs to the parent."""
        if self._running is None or self._owner != os.getpid() or self._running.poll() is not None:
            environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
            environment["OPENBLAS_NUM_THREADS"] = (
                "1"  # a library of a library, which takes memory for each core
            )
            self._running = subprocess.Popen(
                [sys.executable, "-P", "-m", "drr.env.drawer.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                cwd=Path("/"),
                bufsize=0,
            )
            assert self._running.stdin is not None and self._running.stdout is not None
            os.set_blocking(self._running.stdin.fileno(), False)
            os.set_blocking(self._running.stdout.fileno(), False)
            self._owner, self._read = os.getpid(), 0
        return self._running


def _seconds_left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _is_ready(pipe: IO[bytes], event: int, until: float) -> bool:
    """Wait until a pipe is ready or the time is up, and tell which. It calls `poll`: `select` does not take file numbers above 1,023, and a study may hold as many."""
    poll = select.poll()
    poll.register(pipe, event)
    return bool(poll.poll(1000 * _seconds_left(until)))


def _write(pipe: IO[bytes], data: bytes, until: float) -> None:
    rest = memoryview(data)
    while rest:
        if _is_ready(pipe, select.POLLOUT, until):
            rest = rest[os.write(pipe.fileno(), rest) :]


def _line(pipe: IO[bytes], until: float) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        if not _is_ready(pipe, select.POLLIN, until):
            continue
        part = os.read(pipe.fileno(), 1 << 20)
        if not part:
            raise _Gone
        parts.append(part)
        size += len(part)
        if part.endswith(b"\n"):
            return b"".join(parts)
        if size > _MOST_ANSWER:
            raise _Gone
