"""Appends lines to a file. Each line is on disk before `add` returns, and never follows a line that a crash left incomplete."""

from __future__ import annotations

import os
from errno import ENOSPC
from pathlib import Path
from threading import Lock

from drr.env.errors import DrrError
from drr.env.files import check_alone, read_file
from drr.env.small_files import DOCUMENT


class LineFile:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        self._drop_torn_line()

    def _drop_torn_line(self) -> None:
        """Drop an incomplete last line, which a crash may leave. Otherwise the next line would be joined to the incomplete one."""
        if not self.path.exists():
            return
        check_alone(self.path, self.path.stat().st_nlink)
        data = self._data()
        whole = data.rfind(b"\n") + 1
        if whole == len(data):
            return
        descriptor = os.open(self.path, os.O_WRONLY | os.O_NOFOLLOW)
        try:
            os.ftruncate(descriptor, whole)
        finally:
            os.close(descriptor)

    def _data(self) -> bytes:
        try:
            return read_file(self.path, DOCUMENT)
        except OSError as error:
            raise DrrError(f"{self.path}: cannot be read ({error.strerror}); move it away") from error

    def add(self, text: str) -> None:
        line = text.encode() + b"\n"
        with self._lock:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
            try:
                size = os.fstat(descriptor).st_size
                if os.write(descriptor, line) < len(line):
                    # An incomplete line is removed, so that the next line does not follow it.
                    os.ftruncate(descriptor, size)
                    raise OSError(ENOSPC, os.strerror(ENOSPC), str(self.path))
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def lines(self) -> list[bytes]:
        return self._data().splitlines() if self.path.exists() else []
