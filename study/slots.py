"""Places for calls of a provider, shared by all workers of a run. What one is refused for, none of them goes on asking for.

The driver holds the one count and the one pace. A worker asks for a place when a call needs one and keeps it for its next calls, until
there are fewer places than calls: from then on every place goes back when its call ends, and to whoever has waited longest.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from drr.llm.calls import CallLimit, CallPace


@dataclass(frozen=True)
class SlotRequest:
    """A call of this provider waits for a place."""

    provider: str


@dataclass(frozen=True)
class SlotReturn:
    """No call needs this place any more."""

    provider: str


@dataclass(frozen=True)
class CallAnswered:
    """There was room for one more."""

    provider: str


@dataclass(frozen=True)
class PushedBack:
    """A provider's refusal of a call begun `ago` seconds ago as too much, and the requested wait."""

    provider: str
    ago: float
    wait: float


@dataclass(frozen=True)
class SlotGrant:
    provider: str


@dataclass(frozen=True)
class SlotRecall:
    """Give back each place as soon as its call has ended."""

    provider: str


SlotWord = SlotRequest | SlotReturn | CallAnswered | PushedBack


class SlotPurse:
    """The worker's side: a limit for each provider, in place of those it would set itself."""

    def __init__(self, tell: Callable[[SlotWord], None]) -> None:
        self._tell = tell
        self._limits: dict[str, SharedLimit] = {}

    def limit(self, provider: str) -> CallLimit:
        if provider not in self._limits:
            self._limits[provider] = SharedLimit(provider, self._tell)
        return self._limits[provider]

    def granted(self, grant: SlotGrant) -> None:
        self._limits[grant.provider].granted()

    def recall(self, recall: SlotRecall) -> None:
        self.limit(recall.provider)
        self._limits[recall.provider].recall()


class SharedLimit:
    """One provider's, as a worker's calls see it."""

    def __init__(self, provider: str, tell: Callable[[SlotWord], None]) -> None:
        self._provider = provider
        self._tell = tell
        self._idle = 0
        self._tight = False
        self._waiting: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        await self._enter()
        try:
            yield
        finally:
            self._free()

    def answered(self) -> None:
        if self._tight:
            self._tell(CallAnswered(self._provider))

    def pushed_back(self, started: float, wait: float) -> None:
        self._tell(PushedBack(self._provider, time.monotonic() - started, wait))

    def granted(self) -> None:
        """Grant the call that has waited longest; the one that asked may have ended since."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._put_back()

    def recall(self) -> None:
        self._tight = True
        while self._idle:
            self._idle -= 1
            self._tell(SlotReturn(self._provider))

    async def _enter(self) -> None:
        if self._idle:
            self._idle -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._tell(SlotRequest(self._provider))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._free()
            raise

    def _free(self) -> None:
        if self._tight:
            self._put_back()
        else:
            self.granted()

    def _put_back(self) -> None:
        if self._tight:
            self._tell(SlotReturn(self._provider))
        else:
            self._idle += 1


class SlotDesk(Protocol):
    """A desk where the words of a driver's workers go."""

    def join(self, worker: str) -> None: ...

    def leave(self, worker: str) -> None: ...

    def hear(self, worker: str, word: SlotWord) -> None: ...

    def look_again(self) -> None: ...


class SharedSlots:
    """The driver's side, for all the workers of a pool. `tell` reaches a worker by its name.

    Drivers that share a provider are workers of one such count (`drr.extras.ray.limits`), each with the most that it may hold.
    """

    def __init__(
        self,
        most: int,
        tell: Callable[[str, SlotGrant | SlotRecall], None],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most = most
        self._tell = tell
        self._now = now
        self._doors: dict[str, _Door] = {}
        self._workers: dict[str, int] = {}
        """Most places of each worker."""

    def join(self, worker: str, most: int | None = None) -> None:
        self._workers[worker] = most or self._most
        self._hold()
        for provider, door in self._doors.items():
            if door.tight:
                self._tell(worker, SlotRecall(provider))

    def leave(self, worker: str) -> None:
        """Free what the worker had; a call that it left at the provider is no longer ours to count."""
        self._workers.pop(worker, None)
        self._hold()
        for door in self._doors.values():
            door.held.pop(worker, None)
            door.waiting = deque(name for name in door.waiting if name != worker)
        self.look_again()

    def _hold(self) -> None:
        """Together they hold what the one holds that may hold most."""
        self._most = max(self._workers.values(), default=self._most)
        for door in self._doors.values():
            door.pace.hold_to(self._most)

    def restore(self, worker: str, provider: str, count: int) -> None:
        """Restore what one that joins has already."""
        self._door(provider).held[worker] = count

    def _door(self, provider: str) -> _Door:
        return self._doors.setdefault(provider, _Door(CallPace(self._most)))

    def hear(self, worker: str, word: SlotWord) -> None:
        door = self._door(word.provider)
        match word:
            case SlotRequest():
                door.waiting.append(worker)
            case SlotReturn():
                door.held[worker] -= 1
            case CallAnswered():
                door.pace.answered()
            case PushedBack():
                now = self._now()
                door.pace.pushed_back(now - word.ago, now, word.wait)
                self._recall(word.provider, door)
        self._answer(word.provider, door)

    def look_again(self) -> None:
        """A provider's pause ends without a word."""
        for provider, door in self._doors.items():
            self._answer(provider, door)

    def _answer(self, provider: str, door: _Door) -> None:
        while door.has_room(self._now()) and (worker := self._next(door)) is not None:
            door.waiting.remove(worker)
            door.held[worker] += 1
            self._tell(worker, SlotGrant(provider))
        if door.waiting:
            self._recall(provider, door)

    def _next(self, door: _Door) -> str | None:
        """Find who has waited longest and may have one more."""
        return next(
            (name for name in door.waiting if door.held[name] < self._workers.get(name, self._most)), None
        )

    def _recall(self, provider: str, door: _Door) -> None:
        if not door.tight:
            door.tight = True
            for worker in sorted(self._workers):
                self._tell(worker, SlotRecall(provider))


class _Door:
    def __init__(self, pace: CallPace) -> None:
        self.pace = pace
        self.held: Counter[str] = Counter()
        self.waiting: deque[str] = deque()
        self.tight = False

    def has_room(self, now: float) -> bool:
        return now >= self.pace.closed_until and self.held.total() < int(self.pace.allowed)
