"""Limits the concurrent calls to a provider, for all workers of all runs on a cluster.

One actor divides the allowed calls into shares, and each worker keeps to its share.
A worker reports at short intervals its running and wanted calls, the answered ones, and those refused as too many. It is told its share
in return. A share that shrinks counts in full until the calls that used it have ended, so there are never too many calls.
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
"""The actor's name, with the version of its messages, so that workers of another version use another actor."""
_EVERY_S = 0.2
_SILENT_S = 10.0
"""Seconds after which a silent worker loses its share."""


class CallReport(NamedTuple):
    """A worker's report on its calls to one provider."""

    running: int
    wanted: int
    answered: int = 0
    """The number of calls answered since the last report."""
    refusals: tuple[tuple[float, float], ...] = ()
    """Calls refused as too many: the seconds since the start of each, and the wait that the provider asked for."""


@dataclass
class _Place:
    """The share of one worker."""

    run: str
    most: int
    """The largest number of concurrent calls of all workers of its run together."""
    heard: float = 0.0
    share: int = 0
    """The number of calls that it was granted last."""
    counted: int = 0
    wanted: int = 0
    answered: int = 0


class Sharing:
    """The shares of one provider's calls, never more in total than allowed, with a fair part for every worker."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._pace = CallPace(0)
        self._places: dict[str, _Place] = {}

    def hear(self, worker: str, run: str, most: int, stand: CallReport, *, closed: bool = False) -> int:
        """Take a worker's report and return how many concurrent calls the worker may make from now on."""
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
        # until the worker receives the new share, it may begin calls under the earlier one
        place.counted, place.share = max(share, place.share, stand.running), share
        return share

    def _share(self, worker: str, place: _Place) -> int:
        """Share evenly among runs, then among the workers of a run; at most as many calls as the others leave."""
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
    """Return a fair part. Unwanted calls go to others, and too few calls go first to those with the fewest answers."""
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
    """The actor with the shares of all providers. It outlives the process that started it, and ends when the last worker leaves."""

    def __init__(self) -> None:
        import ray

        lost = ray.get_runtime_context().was_current_actor_reconstructed
        self._closed_until = time.monotonic() + _SILENT_S / 2 if lost else 0.0
        """The time until which a restarted actor grants nothing, while workers of the lost actor report their running calls."""
        self._lanes: dict[str, Sharing] = {}

    async def hear(
        self, worker: str, run: str, most: int, stands: Mapping[str, CallReport]
    ) -> dict[str, int]:
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
    """The limit of one provider's calls in a worker, whose size is its share."""

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

    def stand(self) -> CallReport:
        """Return the report on the calls; each answer and refusal is reported once."""
        now = time.monotonic()
        events = self._answered, tuple((now - started, wait) for started, wait in self._refused)
        self._answered, self._refused = 0, []
        return CallReport(self.running, self.wanted, *events)


class WorkerLimits:
    """The limits of one worker by provider, in place of the process's own limiters."""

    def __init__(self, worker: str, run: str, most: int) -> None:
        self._worker, self._run, self._most = worker, run, most
        self._news = asyncio.Event()
        self._limits: dict[str, SharedLimit] = {}
        self._actor: Any = None

    def limit(self, provider: str) -> SharedLimit:
        return self._limits.setdefault(provider, SharedLimit(self._news))

    async def keep(self) -> None:
        """Report and receive shares for ever. A lost actor is started again."""
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
                    await self._actor.leave.remote(self._worker, gone=False)  # of an earlier process
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
        """Give back all shares at once."""
        if self._actor is not None:
            with suppress(Exception):  # the actor may have ended already
                await self._actor.leave.remote(self._worker, gone=True)


def _actor(ray: Any) -> Any:
    options = {"name": NAME, "namespace": NAMESPACE, "get_if_exists": True, "lifetime": "detached"}
    return (
        ray.remote(LimitsActor).options(**options, num_cpus=0, max_restarts=-1, max_concurrency=1000).remote()
    )
