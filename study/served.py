"""A worker beyond this process, whatever carries its words. It opens its place, works on what it is handed, and says how it went."""

from __future__ import annotations

import asyncio
import pickle
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from drr.env.errors import DrrError
from drr.env.progress import collecting_less
from drr.env.user_code import other_code
from drr.llm.budget import Budget, Limit
from drr.study.folders import CarriedFolder
from drr.study.grants import Grant, GrantPurse, Recall
from drr.study.leases import this_holder
from drr.study.slots import SlotGrant, SlotPurse, SlotRecall
from drr.study.unit import Assignment
from drr.study.worker import Opening, Worker

_LENGTH = struct.Struct(">Q")


@dataclass(frozen=True)
class Hire:
    """First word to a worker: what it opens, and what it is held to. Units follow."""

    opening: Opening
    budget: Limit
    unit_cap: Limit | None
    calls: int | None = None
    """Calls to a provider at once by all workers, who ask the driver for places; `None`: each limits itself."""
    name: str | None = None
    """Name in the ledger's accounts; `None`: its own."""
    code: str | None = None
    """Hash of the code that must run there."""
    each: int | None = None
    """Units that it works on at once, where they cost nothing and more of them lie with it; `None`: it begins what it is handed."""
    folders: tuple[CarriedFolder, ...] = ()
    """Folders of its opening that may have to be copied first."""


@dataclass(frozen=True)
class Hired:
    """First word of a worker: its name in the ledger's accounts."""

    name: str


@dataclass(frozen=True)
class Unfit:
    """A worker that could not open its workplace, or is another than it must be, and leaves."""

    message: str


@dataclass(frozen=True)
class Enough:
    """No more units come; `now`: end what runs as well."""

    now: bool = False


def packed(message: object) -> bytes:
    content = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(content)) + content


async def next_message(stream: asyncio.StreamReader) -> Any:
    """`None` where the other side is gone."""
    try:
        (length,) = _LENGTH.unpack(await stream.readexactly(_LENGTH.size))
        return pickle.loads(await stream.readexactly(length))  # noqa: S301 - from a process that we started, over its own pipe
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


class ServedWorker:
    """`hear` takes what the driver says, in its order; what is said to it goes through `tell`."""

    def __init__(self, hire: Hire, tell: Callable[[object], None]) -> None:
        self._hire = hire
        self._tell = tell
        self._handed: asyncio.Queue[Assignment | None] = asyncio.Queue()
        self._purse = GrantPurse(tell)
        self._slots = SlotPurse(tell)
        self._budget = Budget(hire.budget, self._purse)
        self._worker: Worker | None = None
        self._left = False
        self._free = None if hire.each is None else asyncio.Semaphore(hire.each)

    async def serve(self) -> None:
        """Serve until the driver says enough; what it could not open is its last word."""
        try:
            await self._serve()
        except (DrrError, ImportError, AttributeError) as error:
            self._tell(Unfit(str(error)))

    async def _serve(self) -> None:
        hire = self._hire
        if (other := other_code(hire.code)) is not None:
            raise DrrError(other)
        async with hire.opening.open() as place:
            if hire.calls is not None:
                place.models.limit_by(self._slots.limit)
            self._worker = Worker(place, self._budget, unit_cap=hire.unit_cap, saved=self._tell)
            self._tell(Hired(hire.name or this_holder().id))
            if self._left:
                return
            with collecting_less():
                async with aclosing(self._worker.run(self._given())) as ended:
                    async for finished in ended:
                        if self._free is not None:
                            self._free.release()
                        self._tell(finished)
        self._purse.give_back()

    async def _given(self) -> AsyncIterator[Assignment]:
        while (assignment := await self._handed.get()) is not None:
            if self._free is not None:
                await self._free.acquire()
            yield assignment

    def leave(self) -> None:
        """The driver is gone, or wants nothing more: begin nothing, and end what runs."""
        self._left = True
        if self._worker is not None:
            self._worker.cancel()

    def hear(self, message: object) -> None:
        match message:
            case Assignment():
                self._handed.put_nowait(message)
            case Grant():
                self._purse.granted(message)
                self._budget.wake()
            case Recall():
                self._purse.recall()
            case SlotGrant():
                self._slots.granted(message)
            case SlotRecall():
                self._slots.recall(message)
            case Enough(now=False):
                self._handed.put_nowait(None)
            case Enough():
                self.leave()
