"""Counts the model calls under way in this process: a slow model is no dead one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class ModelActivity:
    def __init__(self) -> None:
        self.calls = self.pieces = 0
        self._last_at: float | None = None
        """Time of the last piece, by the loop's clock."""

    @contextmanager
    def call(self) -> Iterator[None]:
        """Return a context for one call, from its request to the whole answer."""
        self.calls += 1
        try:
            yield
        finally:
            self.calls -= 1

    def wrote(self, now: float) -> None:
        """Count a piece of an answer, which is a token or a few."""
        self.pieces += 1
        self._last_at = now

    def text(self, now: float) -> str:
        """Return what goes on in a few words; empty where no call is under way."""
        if not self.calls:
            return ""
        last = (
            ""
            if self._last_at is None
            else f", {self.pieces:,} pieces written, the last {now - self._last_at:.0f} s ago"
        )
        return f"{self.calls:,} model call{'' if self.calls == 1 else 's'} waiting{last}"


ACTIVITY = ModelActivity()
"""The activity of this process, whichever study or command calls."""
