"""A worker that is a process of its own: `python -m drr.study.process_worker`, spoken to over its standard streams."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import BinaryIO

from drr.env.errors import DrrError
from drr.env.memory import collecting_less
from drr.llm.budget import Budget
from drr.study.grants import Grant, GrantPurse, Recall
from drr.study.messages import Enough, Hire, Hired, Unfit, next_message, packed
from drr.study.process import this_holder
from drr.study.unit import Assignment
from drr.study.worker import Worker


class _Served:
    """Reads what the driver says until it says enough, or is gone: then nothing more is begun."""

    def __init__(self, hire: Hire, heard: asyncio.StreamReader, out: BinaryIO) -> None:
        self._hire = hire
        self._heard = heard
        self._out = out
        self._handed: asyncio.Queue[Assignment | None] = asyncio.Queue()
        self._purse = GrantPurse(self.tell)
        self._budget = Budget(hire.budget, self._purse)
        self._worker: Worker | None = None

    def tell(self, message: object) -> None:
        self._out.write(packed(message))
        self._out.flush()

    async def serve(self) -> None:
        async with self._hire.opening.open() as place:
            self._worker = Worker(place, self._budget, unit_cap=self._hire.unit_cap, saved=self.tell)
            self.tell(Hired(this_holder().id))
            listening = asyncio.create_task(self._listen())
            with collecting_less():
                async with aclosing(self._worker.run(self._given())) as ended:
                    async for finished in ended:
                        self.tell(finished)
            listening.cancel()
        self._purse.give_back()

    async def _given(self) -> AsyncIterator[Assignment]:
        while (assignment := await self._handed.get()) is not None:
            yield assignment

    async def _listen(self) -> None:
        try:
            while (message := await next_message(self._heard)) is not None:
                self._hear(message)
        finally:
            if self._worker is not None:
                self._worker.cancel()

    def _hear(self, message: object) -> None:
        match message:
            case Assignment():
                self._handed.put_nowait(message)
            case Grant():
                self._purse.granted(message)
                self._budget.wake()
            case Recall():
                self._purse.recall()
            case Enough(now=False):
                self._handed.put_nowait(None)
            case Enough() if self._worker is not None:
                self._worker.cancel()


async def _serve(out: BinaryIO) -> None:
    heard = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(heard), sys.stdin.buffer
    )
    hire = await next_message(heard)
    if hire is None:
        return
    served = _Served(hire, heard, out)
    try:
        await served.serve()
    except BrokenPipeError:  # the driver is gone
        return
    except (DrrError, ImportError, AttributeError) as error:
        served.tell(Unfit(str(error)))


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver hears it, and says what follows
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)  # what work prints is not ours to read
        asyncio.run(_serve(out))


if __name__ == "__main__":
    main()
