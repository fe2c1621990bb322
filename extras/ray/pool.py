"""A pool of any number of machines: each worker is an actor of Ray; this process alone writes the ledger."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from drr.env.errors import DrrError
from drr.env.user_code import code_hash
from drr.extras.ray.cluster import RayPlace, RayWorker, check_installed, connect, dead_nodes, view
from drr.extras.ray.limits import ClusterSlots
from drr.study.crew import Crew
from drr.study.folders import FolderSource, PieceAsked
from drr.study.hand import Hand
from drr.study.leases import this_holder
from drr.study.pools import PoolOrder, Terms
from drr.study.served import Enough, Hire, Unfit
from drr.study.unit import Assignment, Finished

_STILLBORN = 3
"""Workers lost in a row before they had begun, beside as many as there are: nodes come and go."""
_NOTE_S = 10.0
_GONE_S = 3
_PLACE_S = 300.0
"""A cluster that has no place for any worker for so long will not have one."""


class RayPool:
    """A pool of actors. Each of `workers` takes one CPU of the cluster and runs `units` at once; those
    without a place yet are not waited for."""

    def __init__(self, order: PoolOrder) -> None:
        self._order = order
        self._ray: Any = None
        self._crew: Crew | None = None
        self._source: FolderSource | None = None
        self._slots: ClusterSlots | None = None

    @property
    def size(self) -> int:
        ahead = 0 if self._crew is None else self._crew.ahead
        return self._order.workers * self._order.units + ahead

    async def run(self, handed: AsyncIterator[Assignment], terms: Terms) -> AsyncGenerator[Finished, None]:
        order = self._order
        hire = Hire(
            order.opening,
            terms.bank.limit,
            terms.unit_cap,
            order.calls,
            code=code_hash(),
            each=order.units if order.free else None,
            folders=order.folders,
        )
        self._crew = crew = Crew(
            self._recruit,
            hire,
            terms,
            count=order.workers,
            each=order.units,
            stillborn=_STILLBORN + order.workers,
            slots=self._shared_slots,
        )
        watching = asyncio.create_task(self._watch(crew, terms))
        try:
            async with aclosing(self._crew.work(handed)) as ended:
                async for finished in ended:
                    yield finished
        finally:
            watching.cancel()
            if self._slots is not None:
                await self._slots.end()

    def _shared_slots(self, tell: Callable[[str, object], None]) -> ClusterSlots:
        self._slots = ClusterSlots(this_holder().id, self._order.calls, tell, self._fail)
        return self._slots

    def _fail(self, error: Exception) -> None:
        if self._crew is not None:
            self._crew.fail(error)

    async def _watch(self, crew: Crew, terms: Terms) -> None:
        """Says what is waited for while no worker has a place; in the end there is none."""
        since = time.monotonic()
        while True:
            await asyncio.sleep(_NOTE_S)
            if self._ray is None or not crew.is_waiting:
                since = time.monotonic()
                continue
            try:
                stands = await asyncio.to_thread(view, self._ray)
            except Exception as error:  # noqa: BLE001 - raised to whoever runs the pool: nobody else would see that no place comes
                crew.fail(DrrError(f"the cluster does not answer: {_short(error)}"))
                return
            terms.noted(f"waiting for a place on the cluster ({stands})")
            if time.monotonic() - since > _PLACE_S:
                crew.fail(
                    DrrError(
                        f"no worker found a place in {_PLACE_S:.0f} s on the cluster ({stands}); each takes one CPU"
                    )
                )

    def cancel(self) -> None:
        if self._crew is not None:
            self._crew.cancel()

    async def _recruit(self, hire: Hire) -> _Actor:
        """Its account is in this driver's name, so that it is known to be over when the driver is."""
        if self._ray is None:
            # in a thread: beginning takes seconds, and in the main one Ray would take SIGTERM for itself
            self._ray = await asyncio.to_thread(connect, self._order.address, self._order.workers)
        if self._slots is not None:
            self._slots.begin(self._ray)
        remote = self._ray.remote(RayWorker).options(
            num_cpus=1, max_restarts=0, max_concurrency=1000, scheduling_strategy="SPREAD"
        )
        actor = await asyncio.to_thread(remote.remote)
        if self._source is None:
            self._source = FolderSource(self._order.folders, self._ray.put)
        return _Actor(self._ray, actor, self._source, replace(hire, name=this_holder().id))


def pool(order: PoolOrder) -> RayPool:
    check_installed(order.address)
    return RayPool(order)


class _Actor(Hand):
    """An actor as a hand. It gets one call at a time with all that gathered meanwhile; its own words are fetched likewise."""

    def __init__(self, ray: Any, actor: Any, source: FolderSource, hire: Hire) -> None:
        super().__init__()
        self._source = source
        self._ray, self._actor, self._hire = ray, actor, hire
        self._outbox: list[object] = []
        self._telling: asyncio.Task[None] | None = None
        self._ended = False
        self._over = False
        self._cause: str | None = None
        self._place = RayPlace("a node that it had not reached", "")

    @property
    def is_ready(self) -> bool:
        return self.name is not None

    @property
    def is_placed(self) -> bool:
        return bool(self._place.node)

    def tell(self, message: object) -> None:
        if isinstance(message, Enough) and not self.is_ready:
            self._ray.kill(self._actor)  # it waits for a place, or opens: nothing is lost
            self._over = True
            return
        self._outbox.append(message)
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell())

    async def _tell(self) -> None:
        while self._outbox and not self._ended:
            words, self._outbox = self._outbox, []
            try:
                await self._actor.hear.remote(words)
            except self._ray.exceptions.RayError:
                return  # `heard` hears of it too, and says so

    async def heard(self) -> AsyncIterator[object]:
        try:
            self._place = await self._actor.begin.remote(self._hire)
            while words := await self._actor.next_words.remote():
                for word in words:
                    if isinstance(word, PieceAsked):
                        self.tell(await asyncio.to_thread(self._source.piece, word))
                    else:
                        yield self._named(word)
            await self._actor.how_it_ended.remote()
            self._over = True
        except self._ray.exceptions.RayError as error:
            self._cause = _short(error)
            if (why := _unfit(error)) is not None:
                yield Unfit(why)
        finally:
            self._ended = True
            self._ray.kill(self._actor)

    def _named(self, word: object) -> object:
        return Unfit(f"{self._place.name}: {word.message}") if isinstance(word, Unfit) else word

    @property
    def ending(self) -> str:
        return f"on {self._place.name}: {self._cause or 'ended'}"

    @property
    def died(self) -> bool:
        return not self._over

    async def is_to_blame(self) -> bool:
        """A node is known to be gone some seconds after its workers are."""
        for _ in range(_GONE_S):
            if self._place.node in await asyncio.to_thread(dead_nodes, self._ray):
                return False
            await asyncio.sleep(1.0)
        return True

    async def kill(self) -> None:
        self._ray.kill(self._actor)
        if self.reading is not None:
            self.reading.cancel()


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:300]


def _unfit(error: BaseException) -> str | None:
    """Say where the code of the actor is not on its node."""
    text = str(error)
    if "ModuleNotFoundError" not in text:
        return None
    missing = text.partition("ModuleNotFoundError")[2].partition("\n")[0].strip(": ")
    return f"a node of the cluster lacks this package ({missing}); install the same version of deepresearch-retail on all"
