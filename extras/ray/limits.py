"""The calls of a provider at once, for all workers of all runs on a cluster.

One actor shares out places, and each worker keeps to its share.
A worker tells every little while how many calls it has and wants, how many were answered, and what was refused as too much. It is told how
many it may have. A share that shrinks counts in full until the calls that made use of it have ended, so there are never too many.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from drr.llm.calls import CallPace, Limiter

NAME, NAMESPACE = "drr-limits-2", "drr"
"""The actor's name has the version of its messages: workers of another version have another actor."""
_EVERY_S = 0.2
_SILENT_S = 10.0
"""A worker that is not heard for so long holds nothing."""


class Stand(NamedTuple):
    """The state of one provider at a worker."""

    running: int
    wanted: int
    answered: int = 0
    """Calls that were answered since it said so last."""
    refusals: tuple[tuple[float, float], ...] = ()
    """Each call that was refused as too much: how many seconds ago it was begun, and the wait that was asked for."""


@dataclass
class _Place:
    """One worker's."""

    run: str
    most: int
    """Places of all workers of its run together, at most."""
    heard: float = 0.0
    share: int = 0
    """Places that it was granted last."""
    counted: int = 0
    wanted: int = 0
    answered: int = 0


class Sharing:
    """The count of one provider: never more calls than it takes, and everybody's turn comes."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._pace = CallPace(0)
        self._places: dict[str, _Place] = {}

    def hear(self, worker: str, run: str, most: int, stand: Stand, *, closed: bool = False) -> int:
        """Return how many calls the worker may have under way from now on."""
        now = self._now()
        self._places = {name: one for name, one in self._places.items() if now - one.heard < _SILENT_S}
        place = self._places.setdefault(worker, _Place(run, most))
        place.heard, place.wanted, place.answered = now, stand.wanted, place.answered + stand.answered
        self._pace.hold_to(max(one.most for one in self._places.values()))
        for _ in range(stand.answered):
            self._pace.answered()
        for ago, wait in stand.refusals:
            self._pace.pushed_back(now - ago, now, wait)
        share = 0 if closed or now < self._pace.closed_until else self._share(worker, place)
        # while it said so, and until it hears this, it may have begun what it was told before
        place.counted, place.share = max(share, place.share, stand.running), share
        return share

    def _share(self, worker: str, place: _Place) -> int:
        """Share evenly among runs, then among the workers of one; no more than what others hold leaves."""
        own = {name: one for name, one in self._places.items() if one.run == place.run}
        wanted, answered = Counter[str](), Counter[str]()
        for one in self._places.values():
            wanted[one.run] = min(one.most, wanted[one.run] + one.wanted)
            answered[one.run] += one.answered
        allowed = int(self._pace.allowed)
        of_run = _fair(place.run, wanted, answered, allowed)
        of_own = {name: one.wanted for name, one in own.items()}
        fair = _fair(worker, of_own, {name: one.answered for name, one in own.items()}, of_run)
        left = allowed - sum(one.counted for one in self._places.values()) + place.counted
        left_of_own = place.most - sum(one.counted for one in own.values()) + place.counted
        return max(0, min(fair, left, left_of_own))

    def leave(self, worker: str) -> None:
        self._places.pop(worker, None)

    @property
    def is_used(self) -> bool:
        return any(self._now() - one.heard < _SILENT_S for one in self._places.values())


def _fair(name: str, wanted: Mapping[str, int], answered: Mapping[str, int], places: int) -> int:
    """Return a fair part: unwanted places are another's, and of too few places whoever had least gets one first."""
    wanting = [one for one, count in wanted.items() if count]
    even = places // max(1, len(wanting)) + 1
    wanting.sort(key=lambda one: (min(wanted[one], even), -answered[one]))
    for number, one in enumerate(wanting):
        share = min(wanted[one], places // (len(wanting) - number))
        if one == name:
            return share
        places -= share
    return 0


class LimitsActor:
    """The counts on the cluster. It outlives whoever began it, and ends when the last worker leaves."""

    def __init__(self) -> None:
        import ray

        lost = ray.get_runtime_context().was_current_actor_reconstructed
        self._closed_until = time.monotonic() + _SILENT_S / 2 if lost else 0.0
        """Until then a restarted actor only listens: workers of the lost one say what they have under way."""
        self._lanes: dict[str, Sharing] = {}

    async def hear(self, worker: str, run: str, most: int, stands: Mapping[str, Stand]) -> dict[str, int]:
        closed = time.monotonic() < self._closed_until
        lanes = {name: self._lanes.setdefault(name, Sharing()) for name in stands}
        return {n: lane.hear(worker, run, most, stands[n], closed=closed) for n, lane in lanes.items()}

    async def leave(self, worker: str, *, gone: bool) -> None:
        import ray

        for lane in self._lanes.values():
            lane.leave(worker)
        if gone and not any(lane.is_used for lane in self._lanes.values()):
            ray.actor.exit_actor()


class SharedLimit(Limiter):
    """One provider's, as a worker's calls see it."""

    def __init__(self, news: asyncio.Event) -> None:
        super().__init__(0)
        self._news = news
        self._answered = 0
        self._refused: list[tuple[float, float]] = []

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        if self.wanted >= int(self.allowed):
            self._news.set()
        async with super().slot():
            yield

    def answered(self) -> None:
        self._answered += 1

    def pushed_back(self, started: float, wait: float) -> None:
        self._refused.append((started, wait))
        self._news.set()

    def stand(self) -> Stand:
        """Give the state; what happened is part of it once."""
        now = time.monotonic()
        events = self._answered, tuple((now - started, wait) for started, wait in self._refused)
        self._answered, self._refused = 0, []
        return Stand(self.running, self.wanted, *events)


class WorkerLimits:
    """The limits of one worker, in place of those it would set itself."""

    def __init__(self, worker: str, run: str, most: int) -> None:
        self._worker, self._run, self._most = worker, run, most
        self._news = asyncio.Event()
        self._limits: dict[str, SharedLimit] = {}
        self._actor: Any = None

    def limit(self, provider: str) -> SharedLimit:
        return self._limits.setdefault(provider, SharedLimit(self._news))

    async def keep(self) -> None:
        """Ask for places and give them back, for ever. An actor that is lost, be it with its node, is begun anew."""
        import ray

        known = False
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_EVERY_S):
                    await self._news.wait()
            self._news.clear()
            if not self._limits:
                continue
            try:
                if not known:
                    self._actor = _actor(ray)
                    await self._actor.leave.remote(self._worker, gone=False)  # a process before this one
                    known = True
                stands = {name: limit.stand() for name, limit in self._limits.items()}
                shares = await self._actor.hear.remote(self._worker, self._run, self._most, stands)
            except ray.exceptions.RayError:
                known = False
                await asyncio.sleep(_EVERY_S)
                continue
            for name, share in shares.items():
                self._limits[name].hold_to(share)

    async def leave(self) -> None:
        """Give back all places at once."""
        if self._actor is not None:
            with suppress(Exception):  # it may be gone before us
                await self._actor.leave.remote(self._worker, gone=True)


def _actor(ray: Any) -> Any:
    options = {"name": NAME, "namespace": NAMESPACE, "get_if_exists": True, "lifetime": "detached"}
    return (
        ray.remote(LimitsActor).options(**options, num_cpus=0, max_restarts=-1, max_concurrency=1000).remote()
    )
