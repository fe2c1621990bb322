"""One worker beyond this process, as the driver sees it: told, heard, killed."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable

from drr.study.unit import Assignment

AHEAD_S = 0.5
"""Seconds of work that wait at a worker: of units that take seconds, next to nothing."""
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


class Hand(ABC):
    """One worker, as the driver sees it."""

    def __init__(self) -> None:
        self.name: str | None = None
        """Name in the ledger's accounts, once the worker has sent it."""
        self.units: dict[str, Assignment] = {}
        """Units in the order in which they were handed over, in which it begins them."""
        self.stock = UnitStock()
        self.reading: asyncio.Task[None] | None = None
        self.unfit: str | None = None

    @property
    def is_ready(self) -> bool:
        """Tell whether it may be handed units. One that keeps its messages until it has begun may from the start."""
        return True

    @property
    def is_placed(self) -> bool:
        """Tell whether it is somewhere, be it still opening what it needs."""
        return True

    @abstractmethod
    def tell(self, message: object) -> None:
        """Send a message, in order; one to a hand that has ended is lost."""

    @abstractmethod
    def heard(self) -> AsyncIterator[object]:
        """Yield its messages until it is gone."""

    @property
    @abstractmethod
    def ending(self) -> str:
        """Say how it went, once it is gone."""

    @property
    @abstractmethod
    def died(self) -> bool:
        """Gone without having said all it had to say."""

    async def is_to_blame(self) -> bool:
        """False where it is known that its machine went, whatever it was working on."""
        return True

    @abstractmethod
    async def kill(self) -> None: ...
