"""Counts the model calls under way in this process: a slow model is no dead one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass


@dataclass
class ModelActivity:
    calls: int = 0
    pieces: int = 0
    last_at: float | None = None
    """Unix time of the last piece."""

    @contextmanager
    def call(self) -> Iterator[None]:
        """Return a context for one call, from its request to the whole answer."""
        self.calls += 1
        try:
            yield
        finally:
            self.calls -= 1

    def wrote(self) -> None:
        """Count a piece of an answer, which is a token or a few."""
        self.pieces, self.last_at = self.pieces + 1, time.time()

    def text(self, now: float) -> str:
        """Return what goes on at a Unix time in a few words; empty where no call is under way."""
        if not self.calls:
            return ""
        text = f"{self.calls:,} model call{'' if self.calls == 1 else 's'} waiting"
        if self.last_at is None:
            return text
        return f"{text}, {self.pieces:,} pieces written, the last {max(0.0, now - self.last_at):.0f} s ago"


ACTIVITY = ModelActivity()
"""The activity of this process, whichever study or command calls."""
AS_JSON = TypeAdapter(ModelActivity)
FILE = "activity.json"
"""Name of the file of a study in which a run tells its activity."""
