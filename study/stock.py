"""The stock that a worker is handed beside the units it works on. Short ones travel many in a message and none waits for the way."""

from __future__ import annotations

import time
from collections.abc import Callable

AHEAD_S = 0.5
"""What lies with a worker and is not begun is what it does in this time: of units that take seconds, next to nothing."""
_MOST = 256
_WINDOW_S = 0.1


class UnitStock:
    """The stock of one worker: how many units it ends in a second, and how many may lie with it."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.ahead = 0
        self._now = now
        self._since = now()
        self._ended = 0
        self._pace: float | None = None

    def ended(self) -> None:
        """A unit did. Bursts of what was told at once say nothing, so a pace is of a while."""
        self._ended += 1
        took = self._now() - self._since
        if took < _WINDOW_S:
            return
        pace = self._ended / took
        self._pace = pace if self._pace is None else (self._pace + pace) / 2
        self.ahead = min(_MOST, int(self._pace * AHEAD_S))
        self._since, self._ended = self._now(), 0
