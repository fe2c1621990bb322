"""The progress that long work reports. The command line draws it; everything else only reports."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class Stage(Protocol):
    def advance(self, amount: int = 1, rows: int = 0) -> None:
        """`amount` more units done; where the unit is bytes, `rows` says how many rows that were."""

    def note(self, text: str) -> None:
        """A short remark beside the bar (the file in hand, a rate)."""


class Progress(Protocol):
    def stage(
        self, label: str, total: int | None = None, unit: str = "rows"
    ) -> AbstractContextManager[Stage]:
        """A stretch of work of known or unknown length; leaving the context ends it. `unit` `bytes` is shown as sizes."""


class _Nothing:
    def advance(self, amount: int = 1, rows: int = 0) -> None:
        pass

    def note(self, text: str) -> None:
        pass


class Quiet:
    """Reports to nobody: tests, libraries, `--quiet`."""

    @contextmanager
    def stage(self, label: str, total: int | None = None, unit: str = "rows") -> Iterator[Stage]:
        yield _Nothing()
