"""A worker that is an actor of Ray. One process on some node, with a shop, a web and models of its own, and many units at once."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from drr.env.errors import DrrError
from drr.study.folders import FolderPiece, PieceAsked, relocated, settled
from drr.study.grants import Spent
from drr.study.messages import Hire, Unfit
from drr.study.served import ServedWorker
from drr.study.unit import Finished

_MOST = 500
"""Words that are handed over at once."""
_GATHER_S = 0.2
"""So often at most units that ended are told of: what comes in between goes with them. Whoever waits for an answer does not."""


class RayPlace(NamedTuple):
    """The place of a worker."""

    name: str
    node: str
    """As Ray calls it."""


class RayWorker:
    """A worker whose messages come in by `hear`. Its own are fetched, all that has gathered, and an empty list at the end.

    It holds no handle of the driver's: where the driver is gone Ray ends it.
    """

    def __init__(self) -> None:
        self._out: deque[object] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = 0
        self._news, self._urgent = asyncio.Event(), asyncio.Event()
        self._said, self._gathers = 0.0, False
        self._served: ServedWorker | None = None
        self._asked: dict[PieceAsked, asyncio.Future[Any]] = {}
        self._serving: asyncio.Task[None] | None = None

    async def begin(self, hire: Hire) -> RayPlace:
        import ray

        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        self._gathers = hire.each is not None
        self._serving = asyncio.create_task(self._serve(hire))
        node = ray.get_runtime_context().get_node_id()
        address = ray.util.get_node_ip_address()
        return RayPlace(f"{socket.gethostname()} ({address}, process {os.getpid()})", node)

    async def hear(self, words: list[object]) -> None:
        for word in words:
            if isinstance(word, FolderPiece):
                self._asked.pop(word.asked).set_result(word.content)
            elif self._served is not None:
                self._served.hear(word)

    async def said(self) -> list[object]:
        assert self._serving is not None
        while not self._out and not self._serving.done():
            self._news.clear()
            await self._news.wait()
        if self._gathers and not self._serving.done():
            with suppress(TimeoutError):
                async with asyncio.timeout(self._said + _GATHER_S - time.monotonic()):
                    await self._urgent.wait()
        self._urgent.clear()
        self._said = time.monotonic()
        return [self._out.popleft() for _ in range(min(len(self._out), _MOST))]

    def how_it_ended(self) -> None:
        """Raises what `serve` did not name."""
        if self._serving is not None and self._serving.done():
            self._serving.result()

    async def _serve(self, hire: Hire) -> None:
        try:
            places = {folder.path: await settled(folder, self._fetch) for folder in hire.folders}
            opening = replace(hire.opening, config=relocated(hire.opening.config, places))
            self._served = ServedWorker(replace(hire, opening=opening), self._tell)
            await self._served.serve()
        except (DrrError, OSError) as error:
            self._tell(Unfit(str(error)))
        finally:
            asyncio.get_running_loop().call_soon(self._wake, None)

    async def _fetch(self, asked: PieceAsked) -> bytes:
        """Fetch what is asked for: its place in the object store comes back."""
        waiting = self._asked[asked] = asyncio.get_running_loop().create_future()
        self._tell(asked)
        content: bytes = await (await waiting)
        return content

    def _tell(self, message: object) -> None:
        self._out.append(message)
        if threading.get_ident() == self._thread:
            self._wake(message)
        elif self._loop is not None:
            self._loop.call_soon_threadsafe(self._wake, message)

    def _wake(self, message: object) -> None:
        self._news.set()
        if not isinstance(message, Finished | Spent):
            self._urgent.set()
