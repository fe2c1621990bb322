"""A pool on many machines: each worker is an actor of Ray, and only this process writes the ledger.

Ray places the actors, restarts dead ones, and reports those that are gone. The running units of a lost worker are given, with all
their saved progress, to the worker that has the fewest.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from drr.env.errors import DrrError
from drr.env.user_code import code_hash
from drr.extras.ray.cluster import check_installed, cluster_state, connect
from drr.extras.ray.worker import RayWorker, WorkerJob
from drr.study.folders import CarriedFolder
from drr.study.grants import Grant, Grants
from drr.study.holders import this_holder
from drr.study.pools import PoolOrder, Terms
from drr.study.unit import Assignment, FinishedUnit, SavedText

_DEATHS = 3
"""The number of lost workers after which a running unit is given up. A dead worker ends its other units too, so one is not enough."""
_RESTARTS = 20
"""Maximum number of restarts of one worker by Ray."""
_FREE = 64
"""The number of units in a worker where units cost nothing: they need not wait, and messages can be bundled."""
_NOTE_S, _PLACE_S = 10.0, 300.0
"""Seconds between messages while no worker has a place, and seconds after which the cluster counts as full."""
_LAST_WORDS_S = 20.0
"""The longest wait for a worker that was told to end."""


class RayPool:
    """A pool of actors. Each of `workers` takes one CPU of the cluster and runs `units` at once. Workers
    without a place are not waited for."""

    def __init__(self, order: PoolOrder) -> None:
        self._order = order
        self._each = max(order.units, _FREE) if order.free else order.units
        self.size = order.workers * self._each
        self._run: _Run | None = None

    async def run(
        self, handed: AsyncIterator[Assignment], terms: Terms
    ) -> AsyncGenerator[FinishedUnit, None]:
        self._run = run = _Run(self._order, self._each, terms)
        feeding = asyncio.create_task(run.feed(handed))
        try:
            while (finished := await run.next()) is not None:
                yield finished
            await run.leave(now=False)
        finally:
            feeding.cancel()
            await asyncio.gather(feeding, return_exceptions=True)
            await run.end()

    def cancel(self) -> None:
        if self._run is not None:
            self._run.cancel()


def pool(order: PoolOrder) -> RayPool:
    check_installed(order.address)
    return RayPool(order)


@dataclass(eq=False)
class _Hand:
    """The state of one worker in the driver."""

    actor: Any
    where: str = "a node that it had not reached"
    is_placed: bool = False
    is_ready: bool = False
    units: dict[str, Assignment] = field(default_factory=dict)
    outbox: list[Assignment | Grant] = field(default_factory=list)


class _Run:
    """The workers and units of one run."""

    def __init__(self, order: PoolOrder, each: int, terms: Terms) -> None:
        self._order, self._each, self._terms = order, each, terms
        self._hands: dict[_Hand, asyncio.Task[None]] = {}
        self._grants = Grants[_Hand](terms.bank, self._tell)
        self._unplaced: list[Assignment] = []
        self._deaths: Counter[str] = Counter()
        self._copying: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._carried: dict[str, list[tuple[str, Any]]] = {}
        self._events: asyncio.Queue[FinishedUnit | Exception | None] = asyncio.Queue()
        self._fed = self._over = self._gone = self._will_send = False
        self._ray: Any = None
        self._beside: list[asyncio.Task[None]] = []

    async def feed(self, handed: AsyncIterator[Assignment]) -> None:
        """Take units as they are handed out, and start a worker for each of the first units."""
        try:
            async for assignment in handed:
                if self._ray is None:
                    # in a thread: starting takes seconds, and in the main thread Ray would catch SIGTERM
                    self._ray = await asyncio.to_thread(connect, self._order.address, self._order.workers)
                    self._beside.append(asyncio.create_task(self._watch()))
                self._unplaced.append(assignment)
                if self._over:
                    self._unplaced.clear()
                elif len(self._hands) < self._order.workers:
                    hand = _Hand(await asyncio.to_thread(self._begin))
                    self._hands[hand] = asyncio.create_task(self._live(hand))
                self._schedule_message()
        except Exception as error:  # noqa: BLE001 - raised to whoever runs the pool
            self._events.put_nowait(error)
        self._fed = True
        self._events.put_nowait(None)

    def _begin(self) -> Any:
        order, limit, cap = self._order, self._terms.bank.limit, self._terms.unit_cap
        job = WorkerJob(this_holder(), order.opening, limit, cap, order.calls, code_hash(), order.folders)
        often = {"max_restarts": _RESTARTS, "max_task_retries": 0, "max_concurrency": 1000}
        remote = self._ray.remote(RayWorker).options(num_cpus=1, scheduling_strategy="SPREAD", **often)
        return remote.remote(job)

    async def next(self) -> FinishedUnit | None:
        """Return the next report on a unit; `None` when no unit is left or expected."""
        while not self._events.empty() or not (self._gone or ((self._fed or self._over) and self._is_idle)):
            event = await self._events.get()
            if isinstance(event, Exception):
                raise event
            if event is not None:
                return event
        return None

    @property
    def _is_idle(self) -> bool:
        return not (self._unplaced or any(hand.units for hand in self._hands))

    def _schedule_message(self) -> None:
        """Schedule one message with all that gathers in this turn of the event loop."""
        if not self._will_send:
            self._will_send = True
            asyncio.get_running_loop().call_soon(self._send)

    def _tell(self, hand: _Hand, word: Grant) -> None:
        hand.outbox.append(word)
        self._schedule_message()

    def _send(self) -> None:
        """Give waiting units to the workers with the fewest, as far as there is room."""
        ready = [hand for hand in self._hands if hand.is_ready]
        while self._unplaced and (free := [hand for hand in ready if len(hand.units) < self._each]):
            hand, unit = min(free, key=lambda one: len(one.units)), self._unplaced.pop(0)
            hand.units[unit.unit.key] = unit
            hand.outbox.append(unit)
        for hand in ready:
            if hand.outbox:
                words, hand.outbox = hand.outbox, []
                hand.actor.hear.remote(words)
        self._will_send = False

    async def _live(self, hand: _Hand) -> None:
        """Receive the reports of one worker, through all of its restarts by Ray."""
        errors, cause = self._ray.exceptions, ""
        try:
            while not self._over:
                try:
                    await self._open(hand)
                    while words := await hand.actor.words.remote():
                        self._hear(hand, words)
                    break
                except errors.ActorUnavailableError as error:
                    cause = _short_error(error)
                    self._reassign_units(hand, cause)
                    await asyncio.sleep(0.2)
        except errors.ActorDiedError as error:
            self._reassign_units(hand, cause or _short_error(error))
            self._leaves(hand, f"workers keep dying, the last on {hand.where}: {_short_error(error)}")
        except DrrError as error:  # the worker could not begin, and a restart would not help
            why = f"{hand.where}: {getattr(error, 'cause', error)}"
            self._leaves(hand, f"a worker could not begin: {why}", why)
        except Exception as error:  # noqa: BLE001 - raised to whoever runs the pool
            self._events.put_nowait(error)

    async def _open(self, hand: _Hand) -> None:
        hand.where, node = await hand.actor.place.remote()
        hand.is_placed = True
        async with self._copying[node]:  # one worker of a node copies, the others find the copy
            for folder in await hand.actor.missing_folders.remote():
                if folder.path not in self._carried:
                    self._carried[folder.path] = await asyncio.to_thread(self._put_folder, folder)
                await hand.actor.copy.remote(folder, self._carried[folder.path])
        await hand.actor.open.remote()
        hand.is_ready = True
        self._schedule_message()

    def _put_folder(self, folder: CarriedFolder) -> list[tuple[str, Any]]:
        return [(name, self._ray.put(piece)) for name, piece in folder.pieces()]

    def _hear(self, hand: _Hand, words: list[Any]) -> None:
        for word in words:
            if isinstance(word, FinishedUnit):
                if hand.units.pop(word.key, None) is not None:
                    self._events.put_nowait(word)
            elif not isinstance(word, SavedText):
                self._grants.hear(hand, word)
            elif (unit := hand.units.get(word.key)) is not None:
                self._terms.saved(word)
                # if its worker dies, another continues from this progress
                hand.units[word.key] = replace(unit, saved={**unit.saved, word.name: word.text})
        self._schedule_message()

    def _reassign_units(self, hand: _Hand, cause: str) -> None:
        """Give a lost worker's units to others, unless too many workers died with a unit. Its granted money may have been spent."""
        units, hand.units, hand.outbox, hand.is_ready = list(hand.units.values()), {}, [], False
        self._grants.leave(hand)
        self._events.put_nowait(None)
        if self._over:
            return
        self._deaths.update(one.unit.key for one in units)
        how = f"its worker died {_DEATHS} times, the last time on {hand.where}: {cause}"
        for one in units:
            if self._deaths[one.unit.key] >= _DEATHS:
                self._events.put_nowait(FinishedUnit.lost(one.unit.key, how))
        self._unplaced[:0] = [one for one in units if self._deaths[one.unit.key] < _DEATHS]
        self._schedule_message()

    def _leaves(self, hand: _Hand, last: str, refused: str | None = None) -> None:
        """Remove a worker for good. The others go on; without any, the run ends with an error."""
        del self._hands[hand]
        if not self._hands and not self._over:
            self._events.put_nowait(DrrError(last))
        elif refused is not None:
            self._terms.refused(refused)

    async def _watch(self) -> None:
        """Report the state of the cluster while no worker has a place, and end the run after a time."""
        waited, error = 0.0, None
        while error is None and not any(hand.is_placed for hand in self._hands):
            await asyncio.sleep(_NOTE_S)
            waited += _NOTE_S
            try:
                stands = await asyncio.to_thread(cluster_state, self._ray)
            except Exception as lost:  # noqa: BLE001 - raised to whoever runs the pool: nobody else would see it
                error = f"the cluster does not answer: {_short_error(lost)}"
            else:
                self._terms.noted(f"waiting for a place on the cluster ({stands})")
                if waited >= _PLACE_S:
                    error = f"no worker found a place in {_PLACE_S:.0f} s on the cluster ({stands}); each takes one CPU"
        if error is not None:
            self._events.put_nowait(DrrError(error))

    def cancel(self) -> None:
        self._over = True
        self._unplaced.clear()
        self._beside.append(asyncio.create_task(self.leave(now=True)))

    async def leave(self, *, now: bool) -> None:
        """Tell workers to return their grants and end by themselves, and wait for a limited time."""
        if self._gone:
            return
        self._over = True
        ready = {hand: living for hand, living in self._hands.items() if hand.is_ready}
        for hand in ready:
            hand.actor.leave.remote(now=now)
        if ready:
            await asyncio.wait(ready.values(), timeout=_LAST_WORDS_S)
        self._gone = True
        self._events.put_nowait(None)

    async def end(self) -> None:
        """Kill all workers, so that none outlives the run."""
        self._over = True
        tasks = [*self._hands.values(), *self._beside]
        for task in tasks:
            task.cancel()
        for hand in self._hands:
            with suppress(Exception):
                self._ray.kill(hand.actor)
            self._grants.leave(hand)
        await asyncio.gather(*tasks, return_exceptions=True)


def _short_error(error: BaseException) -> str:
    """Return an error as a short text, beginning with the name of a missing package where there is one."""
    text = " ".join(str(error).split())
    return text[text.find("ModuleNotFoundError") if "ModuleNotFoundError" in text else 0 :][:300]
