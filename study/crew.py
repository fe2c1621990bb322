"""The workers of one run beyond this process, whatever carries words to them. Hired, fed, heard, replaced when they are lost."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from drr.env.errors import DrrError
from drr.study.grants import GrantRequest, Grants, Spent
from drr.study.hand import Hand
from drr.study.pools import Terms
from drr.study.served import Enough, Hire, Hired, Unfit
from drr.study.slots import (
    CallAnswered,
    PushedBack,
    SharedSlots,
    SlotDesk,
    SlotRequest,
    SlotReturn,
)
from drr.study.unit import Assignment, Finished, Saved

LOST = "worker_lost"
_DEATHS = 3
"""Most workers lost with a unit in flight. A worker's other units die with it, so one is not enough."""
_LAST_WORDS_S = 20.0
"""Longest wait for a worker that was told to end, or was killed."""


class _Hands:
    """The workers of a run who are there."""

    def __init__(self) -> None:
        self.all: list[Hand] = []
        self._readings: set[asyncio.Task[None]] = set()
        self._ended = False

    async def add(self, hand: Hand, read: Callable[[Hand], Coroutine[Any, Any, None]]) -> None:
        if self._ended:  # while it was begun
            await hand.kill()
            return
        hand.reading = asyncio.create_task(read(hand))
        self._readings.add(hand.reading)
        hand.reading.add_done_callback(self._readings.discard)
        self.all.append(hand)

    def tell(self, name: str, message: object) -> None:
        for hand in self.all:
            if hand.name == name:
                hand.tell(message)

    def freest(self, each: int) -> Hand | None:
        """Find who has least to do, and room for one more, be it to lie there."""
        free = [hand for hand in self.all if hand.is_ready and len(hand.units) < each + hand.stock.ahead]
        return min(free, key=lambda hand: len(hand.units), default=None)

    async def leave(self) -> None:
        reading = [hand.reading for hand in self.all if hand.reading is not None and hand.is_ready]
        if reading:
            await asyncio.wait(reading, timeout=_LAST_WORDS_S)

    async def kill(self) -> None:
        """Whoever is read still, be it of one that is gone, ends too, and is not waited for without end."""
        self._ended = True
        for hand in list(self.all):
            await hand.kill()
        late = await _over(self._readings)
        for task in late:
            task.cancel()
        await _over(late)


class _Toll:
    """The toll of a run: whom it has lost, and when that is too many."""

    def __init__(self, most: int, stillborn: int) -> None:
        self.replaced = 0
        """Workers replaced since a unit ended."""
        self.unborn = 0
        """Workers in a row that were lost before they had begun."""
        self._most, self._stillborn = most, stillborn
        self._deaths: Counter[str] = Counter()
        """Number of workers lost with each unit in flight, by its key."""

    def ends(self, key: str, counts: bool) -> bool:
        """Tell whether a unit whose worker died is given up."""
        self._deaths[key] += counts
        return self._deaths[key] >= _DEATHS

    def take(self, hand: Hand) -> None:
        """`DrrError` where nobody stays alive."""
        self.unborn += hand.name is None
        if self.unborn > self._stillborn or self.replaced > self._most + len(self._deaths):
            raise DrrError(f"workers keep dying, the last {hand.ending}")
        self.replaced += 1


class Crew:
    """A crew. `recruit` begins a worker, `hire` is its first message, `each` the most units that it is handed beside a stock."""

    def __init__(
        self,
        recruit: Callable[[Hire], Coroutine[Any, Any, Hand]],
        hire: Hire,
        terms: Terms,
        *,
        count: int,
        each: int,
        stillborn: int = 0,
        slots: Callable[[Callable[[str, object], None]], SlotDesk] | None = None,
    ) -> None:
        """Make a crew. `stillborn`: so many in a row may be lost unbegun. `slots` makes a desk in place of its own."""
        self._recruit, self._hire, self._terms = recruit, hire, terms
        self._count, self._each = count, each
        self._toll = _Toll(3 * count, stillborn)
        self._begun = self._undecided = 0  # workers; units of dead ones, until it is known of what they died
        self._hands = _Hands()
        self._grants = Grants(terms.bank, self._hands.tell)
        self._slots: SlotDesk = (slots or partial(SharedSlots, hire.calls or 1))(self._hands.tell)
        self._unplaced: list[Assignment] = []
        self._events: asyncio.Queue[Finished | Exception | None] = asyncio.Queue()
        self._fed = self._over = self._impatient = False
        self._looking: asyncio.Task[None] | None = None

    async def _take_on(self) -> None:
        await self._hands.add(await self._recruit(self._hire), self._read)
        self._place()

    async def feed(self, handed: AsyncIterator[Assignment]) -> None:
        try:
            async for assignment in handed:
                if self._begun < self._count:
                    self._looking = self._looking or asyncio.create_task(
                        _look(self._grants, self._slots, self.fail)
                    )
                    self._begun += 1
                    await self._take_on()
                if not self._over:
                    self._unplaced.append(assignment)
                    self._place()
        except Exception as error:  # noqa: BLE001 - raised to whoever runs the pool
            self.fail(error)
        self._fed = True
        self._events.put_nowait(None)

    def _place(self) -> None:
        """Hand what waits to whoever has least to do, as far as there is room. What was begun before goes first."""
        while self._unplaced and not self._over:
            if (hand := self._hands.freest(self._each)) is None:
                return
            assignment = self._unplaced.pop(0)
            hand.units[assignment.unit.key] = assignment
            hand.tell(assignment)

    async def next(self) -> Finished | None:
        """Return what ended; `None` when nothing is left and nothing more comes."""
        while not ((self._fed or self._over) and self._events.empty() and not self._in_flight):
            if self._impatient and self._events.empty():
                return None
            event = await self._events.get()
            if isinstance(event, Exception):
                raise event
            if event is not None:
                return event
        return None

    @property
    def _in_flight(self) -> bool:
        return bool(self._unplaced or self._undecided) or any(hand.units for hand in self._hands.all)

    @property
    def ahead(self) -> int:
        return sum(hand.stock.ahead for hand in self._hands.all)

    @property
    def is_waiting(self) -> bool:
        return bool(self._unplaced) and not any(hand.is_placed for hand in self._hands.all)

    def fail(self, error: Exception) -> None:
        self._events.put_nowait(error)

    async def _read(self, hand: Hand) -> None:
        try:
            async for message in hand.heard():
                self._hear(hand, message)
            if hand in self._hands.all:
                await self._bury(hand)
        except Exception as error:  # noqa: BLE001 - raised to whoever runs the pool
            self.fail(error)

    def _hear(self, hand: Hand, message: object) -> None:
        match message:
            case Finished():
                if hand.units.pop(message.key, None) is not None:
                    if self._hire.each is not None:
                        hand.stock.ended()
                    self._toll.replaced = 0
                    self._events.put_nowait(message)
                    self._place()
            case Saved():
                self._terms.saved(message)
                # should its worker die, another goes on from there
                if (unit := hand.units.get(message.key)) is not None:
                    more = {**unit.saved, message.name: message.text}
                    hand.units[message.key] = replace(unit, saved=more)
            case GrantRequest() | Spent():
                if hand.name is not None:
                    self._grants.hear(hand.name, message)
            case SlotRequest() | SlotReturn() | CallAnswered() | PushedBack():
                if hand.name is not None:
                    self._slots.hear(hand.name, message)
            case Hired():
                hand.name = message.name
                self._toll.unborn = 0
                self._grants.join(message.name)
                self._slots.join(message.name)
                self._place()
            case Unfit():
                hand.unfit = message.message

    async def _bury(self, hand: Hand) -> None:
        """Bury a worker that ended. Unless it was told to, its units go to another, and another takes its place."""
        self._hands.all.remove(hand)
        orphans = list(hand.units.values())
        hand.units.clear()
        if hand.name is not None:
            self._grants.leave(hand.name, died=hand.died or not self._over)
            self._slots.leave(hand.name)
        if self._over:
            self._events.put_nowait(None)
            return
        if hand.unfit is not None:
            if not self._hands.all:  # and nobody takes its place: the next would be no better
                raise DrrError(f"a worker could not begin: {hand.unfit}")
            self._terms.refused(hand.unfit)
            self._unplaced[:0] = orphans
            self._place()
            return
        self._undecided += len(orphans)
        counts = bool(orphans) and await hand.is_to_blame()
        self._undecided -= len(orphans)
        if self._over:
            self._events.put_nowait(None)
            return
        begun = orphans[: self._each]  # the rest lay there, and did it no harm
        given_up = [orphan for orphan in begun if self._toll.ends(orphan.unit.key, counts)]
        for orphan in given_up:
            self._events.put_nowait(_lost(orphan.unit.key, hand, self._terms.wall()))
        self._unplaced[:0] = [orphan for orphan in orphans if orphan not in given_up]
        self._place()
        self._toll.take(hand)
        await self._take_on()

    def cancel(self) -> None:
        self._unplaced.clear()
        self._stop(Enough(now=True))
        self._events.put_nowait(None)
        asyncio.get_running_loop().call_later(_LAST_WORDS_S, self._wait_no_more)

    def _wait_no_more(self) -> None:
        """A worker may not hear, or a unit of it not end."""
        self._impatient = True
        self._events.put_nowait(None)

    def _stop(self, word: Enough) -> None:
        self._over = True
        self._grants.close()
        for hand in self._hands.all:
            hand.tell(word)

    async def leave(self) -> None:
        """All is done: workers give back what they hold and end by themselves."""
        self._stop(Enough())
        if not self._impatient:
            await self._hands.leave()

    async def end(self) -> None:
        """Whatever happened, no worker outlives the run, and none is waited for without end."""
        self._over = True
        if self._looking is not None:
            self._looking.cancel()
        await self._hands.kill()

    async def work(self, handed: AsyncIterator[Assignment]) -> AsyncGenerator[Finished, None]:
        """Each as it ends, in whatever order; over when all that was handed has."""
        try:
            feeding = asyncio.create_task(self.feed(handed))
            try:
                while (finished := await self.next()) is not None:
                    yield finished
            finally:
                feeding.cancel()
                with suppress(asyncio.CancelledError):
                    await feeding
            await self.leave()
        finally:
            await self.end()


async def _look(grants: Grants, slots: SlotDesk, failed: Callable[[Exception], None]) -> None:
    """Again and again, at what waits."""
    try:
        while True:
            await asyncio.sleep(1.0)
            grants.remind()
            slots.look_again()
    except Exception as error:  # noqa: BLE001 - raised to whoever runs the pool: nobody else would look
        failed(error)


async def _over(tasks: Iterable[asyncio.Task[None]]) -> set[asyncio.Task[None]]:
    """Find those that are not over after a while."""
    waiting = set(tasks)
    return (await asyncio.wait(waiting, timeout=_LAST_WORDS_S))[1] if waiting else waiting


def _lost(key: str, hand: Hand, now: float) -> Finished:
    message = f"its worker died {_DEATHS} times, the last time {hand.ending}"
    return Finished(key, "failed", LOST, message, True, {}, {}, {}, None, 0.0, now, now)
