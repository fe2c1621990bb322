"""Stores and counts rows that cannot be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO

import orjson
from drr.env.errors import DrrError, Misuse
from drr.env.files import opener

EXCERPT = 200
_BEGINS = b'{"file":'
_EARLY = 1000
"""Rows after which a mostly unreadable file is given up early."""


class Quarantine:
    """The file of bad rows: JSON lines of file, line number, reason and the beginning of the line. Without a bad row there is no file."""

    def __init__(self, path: Path, max_bad: float, *, goes_on: bool = False) -> None:
        self.path = path
        self.stop: DrrError | None = None
        """The error of too many bad rows, where reading `goes_on` so that a dry run can show the rest."""
        self._goes_on = goes_on
        self.counts: Counter[str] = Counter()
        self._max_bad = max_bad
        self._file: IO[bytes] | None = None
        self._name = ""
        self._bad = Counter[str]()
        self._first = 0
        """Line of the first bad row in the current file; 0 without one."""

    def __enter__(self) -> Quarantine:
        """Open the quarantine. An earlier ingest's file is replaced when this one writes a row or is done;
        any other file stays untouched."""
        try:
            if self.path.is_file():
                with self.path.open("rb") as file:
                    start = file.read(len(_BEGINS))
                if start and start != _BEGINS:
                    raise Misuse(f"{self.path}: is there and is no quarantine file; move it away")
        except OSError as error:
            raise DrrError(
                f"{self.path}: the quarantine file cannot be replaced ({error.strerror}); move it away"
            ) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file:
            with suppress(OSError) if kind else self._writing():
                self._file.close()
        elif not kind and self.path.is_file():
            with self._writing():
                self.path.unlink()

    def begin(self, name: str) -> None:
        """Begin the file whose rows come next."""
        self._name, self._bad, self._first = name, Counter(), 0

    def put(self, line_number: int, reason: str, line: bytes | None = None, *, bad: bool = True) -> None:
        """Keep a row. Files of customers hand over no `line`, so that no cell is kept; `bad` rows count against the limit."""
        if bad:
            self._bad[reason] += 1
            self._first = min(line_number, self._first or line_number)
        self.counts[reason] += 1
        record: dict[str, str | int] = {"file": self._name, "line": line_number, "reason": reason}
        if line is not None:
            record |= {"bytes": len(line), "excerpt": line[:EXCERPT].decode("utf-8", "replace")}
        with self._writing():
            if self._file is None:
                self._file = open(self.path, "wb", opener=opener)  # noqa: SIM115
            self._file.write(orjson.dumps(record) + b"\n")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise DrrError(
                f"{self.path}: the quarantine file cannot be written ({error.strerror})"
            ) from error

    def check(self, rows: int, *, final: bool) -> None:
        """Raise an error if too many rows of the file are bad. Before the file's end only a hopeless one is given up."""
        limit = self._max_bad if final else max(self._max_bad, 0.5)
        if (not final and rows < _EARLY) or self.bad <= limit * rows:
            return
        self.flush()
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in sorted(self._bad.items()))
        where = f"; lines are in {self.path}" if self.path.is_file() else ""
        stop = DrrError(
            f"{self._name}: {self.bad:,} of {rows:,} rows cannot be read ({self.bad / rows:.1%}, more than "
            f"{self._max_bad:.1%}): {reasons}, the first on line {self._first:,}; mend the file or allow more with --max-bad{where}"
        )
        self.end(stop)

    def end(self, stop: DrrError) -> None:
        """End the ingest by an error, which a dry run shows after the rest."""
        if not self._goes_on:
            raise stop
        self.stop = self.stop or stop

    def flush(self) -> None:
        with self._writing():
            if self._file:
                self._file.flush()

    @property
    def bad(self) -> int:
        """Return the number of bad rows in the current file."""
        return self._bad.total()
