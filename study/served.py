"""A worker beyond this process, whatever carries its words. It opens its place, works on what it is handed, and says how it went."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing

from drr.env.errors import DrrError
from drr.env.progress import collecting_less
from drr.env.user_code import code_hash
from drr.llm.budget import Budget
from drr.study.grants import Grant, GrantPurse, Recall
from drr.study.messages import Enough, Hire, Hired, Unfit
from drr.study.process import this_holder
from drr.study.slots import SlotGrant, SlotPurse, SlotRecall
from drr.study.unit import Assignment
from drr.study.worker import Worker


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
        if hire.code not in (None, own := code_hash()):
            raise DrrError(f"another version of the code ({own[:12]}; the driver has {str(hire.code)[:12]})")
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
