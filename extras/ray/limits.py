"""Places for calls of a provider, shared by all drivers of one cluster and counted by one actor.

Drivers are to it what workers are to a driver alone: `SharedSlots` is the code of both. A driver asks it for each place that a worker asks
for, and gives each back; it hands what it is granted to the worker that has waited longest. Who is not heard any more holds nothing.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from drr.env.errors import DrrError
from drr.study.slots import (
    CallAnswered,
    PushedBack,
    SharedSlots,
    SlotGrant,
    SlotRecall,
    SlotRequest,
    SlotReturn,
    SlotWord,
)

NAME = "drr-limits-1"
"""The actor's name, with the version of its messages: drivers of another version have another actor."""
NAMESPACE = "drr"
POLL_S = 10.0
_SILENT = 4
"""After so many polls that did not come a driver is gone."""
_LEAVE_S = 5.0
_GONE_S = 60.0
"""A driver that cannot reach the actor for so long gives up; an actor that nobody needs for so long ends."""


class HeldPlaces(NamedTuple):
    """The places of one provider: how many a driver's workers occupy, and how many wait."""

    taken: int
    waiting: int


class _Caller:
    def __init__(self, silent_s: float) -> None:
        self.silent_s = silent_s
        self.words: list[SlotGrant | SlotRecall] = []
        self.news = asyncio.Event()
        self.heard = time.monotonic()


class LimitsActor:
    """An actor on the cluster. It outlives whoever began it, and ends itself when no driver has needed it for a while."""

    def __init__(self) -> None:
        self._slots = SharedSlots(1, self._tell)
        self._callers: dict[str, _Caller] = {}
        self._looking: asyncio.Task[None] | None = None
        self._needed = time.monotonic()

    def _tell(self, driver: str, word: SlotGrant | SlotRecall) -> None:
        if (caller := self._callers.get(driver)) is not None:
            caller.words.append(word)
            caller.news.set()

    async def join(self, driver: str, most: int, stands: Mapping[str, HeldPlaces], poll_s: float) -> None:
        """Join a driver, also one that was taken for gone, or that knew an actor before this one. `stands` is how it stands now."""
        self._looking = self._looking or asyncio.create_task(self._look_again())
        self._slots.leave(driver)
        self._callers[driver] = _Caller(_SILENT * poll_s)
        self._slots.join(driver, most)
        for provider, places in stands.items():
            self._slots.restore(driver, provider, places.taken)
            for _ in range(places.waiting):
                self._slots.hear(driver, SlotRequest(provider))

    async def hear(self, driver: str, words: list[SlotWord]) -> None:
        if (caller := self._callers.get(driver)) is not None:
            caller.heard = time.monotonic()
            for word in words:
                self._slots.hear(driver, word)

    async def next_words(self, driver: str, seconds: float) -> list[SlotGrant | SlotRecall] | None:
        """Return what there is to say, as soon as there is something; `None` to one that has to join again."""
        if (caller := self._callers.get(driver)) is None:
            return None
        caller.heard = time.monotonic()
        if not caller.words:
            caller.news.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await caller.news.wait()
            if self._callers.get(driver) is not caller:
                return None
        words, caller.words = caller.words, []
        return words

    async def leave(self, driver: str) -> None:
        if (caller := self._callers.pop(driver, None)) is not None:
            self._slots.leave(driver)
            caller.news.set()

    async def end(self) -> None:
        import ray

        if not self._callers:
            ray.actor.exit_actor()

    async def _look_again(self) -> None:
        import ray

        itself = ray.get_runtime_context().current_actor
        while True:
            await asyncio.sleep(0.25)
            now = time.monotonic()
            for driver, caller in list(self._callers.items()):
                if now - caller.heard > caller.silent_s:
                    await self.leave(driver)
            self._slots.look_again()
            if self._callers:
                self._needed = now
            elif now - self._needed > _GONE_S:
                self._needed = now
                itself.end.remote()


@dataclass
class _Lane:
    """One provider's, as a driver sees it."""

    taken: Counter[str] = field(default_factory=Counter)
    waiting: deque[str] = field(default_factory=deque)
    tight: bool = False


class ClusterSlots:
    """The driver's side, in place of slots of its own. `tell` reaches a worker by its name; `failed` hears when there is no actor any more."""

    def __init__(
        self,
        driver: str,
        most: int,
        tell: Callable[[str, SlotGrant | SlotRecall], None],
        failed: Callable[[Exception], None],
        poll_s: float = POLL_S,
    ) -> None:
        self._driver, self._most, self._poll_s = driver, most, poll_s
        self._tell, self._failed = tell, failed
        self._workers: set[str] = set()
        self._lanes: dict[str, _Lane] = {}
        self._outbox: list[SlotWord] = []
        self._news = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self._leaving = False

    def begin(self, ray: Any) -> None:
        if self._running is None:
            self._running = asyncio.create_task(self._run(ray))

    async def end(self) -> None:
        """The actor's last word is waited for: Ray's client is upset by answers that nobody waits for any more."""
        self._leaving = True
        self._news.set()
        if self._running is not None:
            await asyncio.wait([self._running], timeout=_LEAVE_S)
            self._running.cancel()
            with suppress(asyncio.CancelledError):
                await self._running

    # what a crew says

    def join(self, worker: str) -> None:
        self._workers.add(worker)
        for provider, lane in self._lanes.items():
            if lane.tight:
                self._tell(worker, SlotRecall(provider))

    def leave(self, worker: str) -> None:
        self._workers.discard(worker)
        for provider, lane in self._lanes.items():
            lane.waiting = deque(name for name in lane.waiting if name != worker)  # a grant for it goes back
            for _ in range(lane.taken.pop(worker, 0)):
                self._say(SlotReturn(provider))

    def hear(self, worker: str, word: SlotWord) -> None:
        lane = self._lanes.setdefault(word.provider, _Lane())
        match word:
            case SlotRequest():
                lane.waiting.append(worker)
            case SlotReturn():
                lane.taken[worker] -= 1
            case CallAnswered() | PushedBack():
                pass
        self._say(word)

    def look_again(self) -> None:
        """The actor does."""

    def _say(self, word: SlotWord) -> None:
        self._outbox.append(word)
        self._news.set()

    # what the actor says

    def _hear(self, word: SlotGrant | SlotRecall) -> None:
        lane = self._lanes.setdefault(word.provider, _Lane())
        if isinstance(word, SlotRecall):
            lane.tight = True
            for worker in sorted(self._workers):
                self._tell(worker, word)
        elif lane.waiting:
            worker = lane.waiting.popleft()
            lane.taken[worker] += 1
            self._tell(worker, word)
        else:
            self._say(SlotReturn(word.provider))

    async def _run(self, ray: Any) -> None:
        """An actor that is lost, be it with its node, is begun anew, and told how things stand."""
        reached = time.monotonic()
        while not self._leaving:
            try:
                actor = await asyncio.to_thread(_actor, ray)
                await self._join(actor)
                reached = time.monotonic()
                async with asyncio.TaskGroup() as both:
                    both.create_task(self._speak(actor))
                    both.create_task(self._listen(actor))
            except Exception as error:  # noqa: BLE001 - of whatever kind: it is tried again, and told in the end
                if time.monotonic() - reached > _GONE_S:
                    self._failed(
                        DrrError(f"the actor that keeps the providers' limits cannot be reached: {error}")
                    )
                    return
            if not self._leaving:
                await asyncio.sleep(0.5)

    async def _join(self, actor: Any) -> None:
        """Words that were not sent are in how things stand, but for what a provider said."""
        stands = {p: HeldPlaces(lane.taken.total(), len(lane.waiting)) for p, lane in self._lanes.items()}
        self._outbox = [word for word in self._outbox if isinstance(word, CallAnswered | PushedBack)]
        await actor.join.remote(self._driver, self._most, stands, self._poll_s)

    async def _speak(self, actor: Any) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            words, self._outbox = self._outbox, []
            if words:
                await actor.hear.remote(self._driver, words)
            if self._leaving:
                await actor.leave.remote(self._driver)
                return

    async def _listen(self, actor: Any) -> None:
        while (words := await actor.next_words.remote(self._driver, self._poll_s)) is not None:
            for word in words:
                self._hear(word)
        if not self._leaving:
            raise DrrError("it had forgotten this driver")


def _actor(ray: Any) -> Any:
    return (
        ray.remote(LimitsActor)
        .options(
            name=NAME,
            namespace=NAMESPACE,
            get_if_exists=True,
            lifetime="detached",
            num_cpus=0,
            max_restarts=-1,
            max_concurrency=1000,
        )
        .remote()
    )
