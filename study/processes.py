"""A pool of several processes on this machine: one driver, one ledger, each worker with a shop, a web and models of its own."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from drr.env.errors import DrrError
from drr.study.grants import Grant, GrantRequest, Grants, Recall, Spent
from drr.study.messages import Enough, Hire, Hired, Unfit, next_message, packed
from drr.study.pool import Terms
from drr.study.unit import Assignment, Finished, Saved
from drr.study.worker import Opening

LOST = "worker_lost"
_DEATHS = 3
"""Of workers that had a unit in flight: after so many it is given up. A worker's other units die with it, so one is not enough."""
_LAST_WORDS_S = 20.0


class ProcessPool:
    """Each of `workers` processes runs `units` at once. A unit whose worker dies is begun again in another.

    A process is started when there is a unit for it, so that a stage of which nothing is missing starts none.
    """

    def __init__(self, opening: Opening, *, workers: int, units: int = 8) -> None:
        self.size = workers * units
        self._opening = opening
        self._workers = workers
        self._crew: _Crew | None = None

    async def run(self, handed: AsyncIterator[Assignment], terms: Terms) -> AsyncGenerator[Finished, None]:
        crew = self._crew = _Crew(self._opening, self._workers, terms)
        try:
            feeding = asyncio.create_task(crew.feed(handed))
            try:
                while (finished := await crew.next()) is not None:
                    yield finished
            finally:
                feeding.cancel()
                with suppress(asyncio.CancelledError):
                    await feeding
            await crew.leave()
        finally:
            await crew.end()

    def cancel(self) -> None:
        if self._crew is not None:
            self._crew.cancel()


class _Hand:
    """One worker process, as the driver sees it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.name: str | None = None
        """In the ledger's accounts, once it told."""
        self.units: dict[str, Assignment] = {}
        self.reading: asyncio.Task[None] | None = None
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self.out = process.stdin, process.stdout

    def tell(self, message: object) -> None:
        if not self._in.is_closing():  # it has ended: nobody reads
            self._in.write(packed(message))


class _Crew:
    """The workers of one run: hired, fed, heard, replaced when they die."""

    def __init__(self, opening: Opening, count: int, terms: Terms) -> None:
        self._hire = Hire(opening, terms.bank.limit, terms.unit_cap)
        self._count = count
        self._begun = self._replaced = 0
        self._grants = Grants(terms.bank, self._tell)
        self._wall, self._saved = terms.wall, terms.saved
        self._hands: list[_Hand] = []
        self._unplaced: list[Assignment] = []
        self._events: asyncio.Queue[Finished | Exception | None] = asyncio.Queue()
        self._deaths: Counter[str] = Counter()
        """Of the workers that had a unit in flight, by its key."""
        self._fed = self._over = False
        self._looking: asyncio.Task[None] | None = None

    async def _take_on(self) -> None:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-P", "-m", "drr.study.process_worker"),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path)},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        hand = _Hand(process)
        hand.tell(self._hire)
        hand.reading = asyncio.create_task(self._read(hand))
        self._hands.append(hand)
        unplaced, self._unplaced = self._unplaced, []
        for assignment in unplaced:
            self._give(assignment)

    async def _look_again(self) -> None:
        while True:
            await asyncio.sleep(1.0)
            self._grants.look_again()

    def _tell(self, name: str, message: Grant | Recall) -> None:
        for hand in self._hands:
            if hand.name == name:
                hand.tell(message)

    async def feed(self, handed: AsyncIterator[Assignment]) -> None:
        try:
            async for assignment in handed:
                if self._begun < self._count:
                    await self._begin_one()
                if not self._over:
                    self._give(assignment)
        except Exception as error:  # noqa: BLE001 - raised to whoever runs the pool
            self._events.put_nowait(error)
        self._fed = True
        self._events.put_nowait(None)

    async def _begin_one(self) -> None:
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_again())
        self._begun += 1
        await self._take_on()

    def _give(self, assignment: Assignment) -> None:
        if not self._hands:
            self._unplaced.append(assignment)
            return
        hand = min(self._hands, key=lambda hand: len(hand.units))
        hand.units[assignment.unit.key] = assignment
        hand.tell(assignment)

    async def next(self) -> Finished | None:
        """What ended; `None` when nothing is left and nothing more comes."""
        while not ((self._fed or self._over) and self._events.empty() and not self._in_flight):
            event = await self._events.get()
            if isinstance(event, Exception):
                raise event
            if event is not None:
                return event
        return None

    @property
    def _in_flight(self) -> bool:
        return bool(self._unplaced) or any(hand.units for hand in self._hands)

    async def _read(self, hand: _Hand) -> None:
        try:
            while (message := await next_message(hand.out)) is not None:
                self._hear(hand, message)
            await hand.process.wait()
            if hand in self._hands:
                await self._bury(hand)
        except Exception as error:  # noqa: BLE001 - raised to whoever runs the pool
            self._events.put_nowait(error)

    def _hear(self, hand: _Hand, message: object) -> None:
        match message:
            case Finished():
                if hand.units.pop(message.key, None) is not None:
                    self._events.put_nowait(message)
            case Saved():
                self._saved(message)
                if (
                    held := hand.units.get(message.key)
                ) is not None:  # should its worker die, another goes on from there
                    more = {**held.saved, message.name: message.text}
                    hand.units[message.key] = replace(held, saved=more)
            case GrantRequest() | Spent():
                if hand.name is not None:
                    self._grants.hear(hand.name, message)
            case Hired():
                hand.name = message.name
                self._grants.join(message.name)
            case Unfit():
                raise DrrError(f"a worker could not begin: {message.message}")

    async def _bury(self, hand: _Hand) -> None:
        """It ended. Unless it was told to, its units go to another, and another takes its place."""
        self._hands.remove(hand)
        orphans = list(hand.units.values())
        hand.units.clear()
        if hand.name is not None:
            self._grants.leave(hand.name, died=hand.process.returncode != 0 or not self._over)
        if self._over:
            self._events.put_nowait(None)
            return
        if hand.name is None or self._replaced > 3 * self._count + len(self._deaths):
            raise DrrError(f"workers keep dying, the last with exit code {hand.process.returncode}")
        for orphan in orphans:
            key = orphan.unit.key
            self._deaths[key] += 1
            if self._deaths[key] == _DEATHS:
                self._events.put_nowait(_lost(key, hand, self._wall()))
            else:
                self._give(orphan)
        self._replaced += 1
        await self._take_on()

    def cancel(self) -> None:
        self._over = True
        for hand in self._hands:
            hand.tell(Enough(now=True))
        self._events.put_nowait(None)

    async def leave(self) -> None:
        """All is done: workers give back what they hold and end by themselves."""
        self._over = True
        for hand in self._hands:
            hand.tell(Enough())
        reading = [hand.reading for hand in self._hands if hand.reading is not None]
        if reading:
            await asyncio.wait(reading, timeout=_LAST_WORDS_S)

    async def end(self) -> None:
        """Whatever happened, no worker outlives the run."""
        self._over = True
        if self._looking is not None:
            self._looking.cancel()
        for hand in list(self._hands):
            with suppress(ProcessLookupError):
                hand.process.kill()
            await hand.process.wait()
            if hand.reading is not None:
                await asyncio.wait([hand.reading])


def _lost(key: str, hand: _Hand, now: float) -> Finished:
    message = f"its worker died {_DEATHS} times, the last time with exit code {hand.process.returncode}"
    return Finished(key, "failed", LOST, message, True, {}, {}, {}, None, 0.0, now, now)
