"""A pool of several processes on this machine. One driver, one ledger, each worker with a shop, a web and models of its own."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from pathlib import Path

from drr.study.crew import Crew
from drr.study.hand import Hand
from drr.study.pools import PoolOrder, Terms
from drr.study.served import Hire, next_message, packed
from drr.study.unit import Assignment, Finished
from drr.study.worker import Opening

_BUFFER = 1 << 16
_LEFT = 10
"""Seconds that what a worker said before it went may take to be read."""


class ProcessPool:
    """Each of `workers` processes runs `units` at once. A unit whose worker dies is begun again in another.

    A process is started when there is a unit for it, so that a stage of which nothing is missing starts none. `calls` of a provider
    at once are shared by all of them; without it each keeps to its own.
    """

    def __init__(
        self, opening: Opening, *, workers: int, units: int = 8, calls: int | None = None, free: bool = False
    ) -> None:
        self._opening, self._calls = opening, calls
        self._workers, self._units, self._free = workers, units, free
        self._crew: Crew | None = None

    @property
    def size(self) -> int:
        ahead = 0 if self._crew is None else self._crew.ahead
        return self._workers * self._units + ahead

    async def run(self, handed: AsyncIterator[Assignment], terms: Terms) -> AsyncGenerator[Finished, None]:
        each = self._units if self._free else None
        hire = Hire(self._opening, terms.bank.limit, terms.unit_cap, self._calls, each=each)
        self._crew = Crew(_begun, hire, terms, count=self._workers, each=self._units)
        async with aclosing(self._crew.work(handed)) as ended:
            async for finished in ended:
                yield finished

    def cancel(self) -> None:
        if self._crew is not None:
            self._crew.cancel()


def pool(order: PoolOrder) -> ProcessPool:
    return ProcessPool(
        order.opening, workers=order.workers, units=order.units, calls=order.calls, free=order.free
    )


class _Pipes(asyncio.subprocess.SubprocessStreamProtocol):
    """The pipes of a worker, read to its last word. One that is gone may have left its pipes to a process
    that it forked: they are closed."""

    def __init__(self) -> None:
        self._own_loop = asyncio.get_running_loop()
        super().__init__(limit=_BUFFER, loop=self._own_loop)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._close = transport.close

    def process_exited(self) -> None:
        super().process_exited()
        self._close_in(_LEFT)

    def _close_in(self, seconds: int) -> None:
        """One by one: a loop that was busy meanwhile has its turns to read."""
        if seconds:
            self._own_loop.call_later(1.0, self._close_in, seconds - 1)
        else:
            self._close()


class ProcessHand(Hand):
    """Spoken to over its standard streams."""

    def __init__(self, transport: asyncio.SubprocessTransport, pipes: _Pipes) -> None:
        super().__init__()
        self._transport = transport
        self._process = asyncio.subprocess.Process(transport, pipes, asyncio.get_running_loop())
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout

    @classmethod
    async def begin(
        cls, program: str, *words: str, environment: Mapping[str, str] | None = None
    ) -> ProcessHand:
        pipe = asyncio.subprocess.PIPE
        return cls(
            *await asyncio.get_running_loop().subprocess_exec(
                _Pipes,
                program,
                *words,
                env=environment,
                stdin=pipe,
                stdout=pipe,
                stderr=None,
                start_new_session=True,
            )
        )

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
        """Its pipes are closed too: Python waits for a process until they are, and nobody may be reading any more."""
        self._in.transport.abort()
        self._transport.close()
        await self._process.wait()


async def _begun(hire: Hire) -> ProcessHand:
    paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    hand = await ProcessHand.begin(
        *(sys.executable, "-P", "-m", "drr.study.process_worker"),
        environment={**os.environ, "PYTHONPATH": paths},
    )
    hand.tell(hire)
    return hand
