"""A pool of several processes on this machine: one driver, one ledger, each worker with a shop, a web and models of its own."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from pathlib import Path

from drr.study.crew import Crew, Hand
from drr.study.messages import Hire, next_message, packed
from drr.study.pool import PoolOrder, Terms
from drr.study.unit import Assignment, Finished
from drr.study.worker import Opening


class ProcessPool:
    """Each of `workers` processes runs `units` at once. A unit whose worker dies is begun again in another.

    A process is started when there is a unit for it, so that a stage of which nothing is missing starts none. `calls` of a provider
    at once are shared by all of them; without it each keeps to its own.
    """

    def __init__(self, opening: Opening, *, workers: int, units: int = 8, calls: int | None = None) -> None:
        self.size = workers * units
        self._opening, self._calls = opening, calls
        self._workers, self._units = workers, units
        self._crew: Crew | None = None

    async def run(self, handed: AsyncIterator[Assignment], terms: Terms) -> AsyncGenerator[Finished, None]:
        hire = Hire(self._opening, terms.bank.limit, terms.unit_cap, self._calls)
        self._crew = Crew(_begun, hire, terms, count=self._workers, each=self._units)
        async with aclosing(self._crew.work(handed)) as ended:
            async for finished in ended:
                yield finished

    def cancel(self) -> None:
        if self._crew is not None:
            self._crew.cancel()


def pool(order: PoolOrder) -> ProcessPool:
    return ProcessPool(order.opening, workers=order.workers, units=order.units, calls=order.calls)


class _Process(Hand):
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        super().__init__()
        self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdin, process.stdout

    def tell(self, message: object) -> None:
        if not self._in.is_closing():  # it has ended: nobody reads
            self._in.write(packed(message))

    async def heard(self) -> AsyncIterator[object]:
        while (message := await next_message(self._out)) is not None:
            yield message
        await self._process.wait()

    @property
    def ending(self) -> str:
        return f"with exit code {self._process.returncode}"

    @property
    def died(self) -> bool:
        return self._process.returncode != 0

    async def kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()


async def _begun(hire: Hire) -> _Process:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-P", "-m", "drr.study.process_worker"),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path)},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    hand = _Process(process)
    hand.tell(hire)
    return hand
