"""A worker on a node: an actor with a shop, a web and models of its own. It runs units and reports on them.

It reports in one order, in messages that the driver fetches: saved texts of units, requests for money, and ends of units.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import Any

from drr.env.errors import DrrError
from drr.env.progress import collecting_less
from drr.env.user_code import other_code
from drr.extras.ray.limits import WorkerLimits
from drr.llm.budget import Limit
from drr.study.folders import CarriedFolder, with_local_paths
from drr.study.grants import Grant, GrantedBudget
from drr.study.unit import Assignment
from drr.study.worker import Opening, Worker

_MOST = 500
"""Maximum number of messages that are fetched at once."""
_GATHER_S = 0.01
"""Seconds in which messages are gathered before they are fetched."""


@dataclass(frozen=True)
class WorkerJob:
    """The data with which a worker starts: run, opening, limits and folders."""

    run: str
    """The run's name, unique in the cluster."""
    opening: Opening
    budget: Limit
    unit_cap: Limit | None
    calls: int
    """The number of concurrent calls to a provider, for all workers of the run together."""
    code: str
    """The hash of the code that the worker must have."""
    folders: tuple[CarriedFolder, ...] = ()
    """Folders of its opening that may have to be copied first."""


class RayWorker:
    """A worker as an actor. It holds no reference to the driver, so that Ray ends the worker when the driver is gone."""

    def __init__(self, job: WorkerJob) -> None:
        self._job = job
        self._places: dict[str, str] = {}
        self._outbox: list[object] = []
        self._news = asyncio.Event()
        self._handed: asyncio.Queue[Assignment | None] = asyncio.Queue()
        self._budget = GrantedBudget(job.budget, self._say)
        self._worker: Worker | None = None
        self._serving: asyncio.Task[None] | None = None

    async def place(self) -> tuple[str, str]:
        """Return this worker's name for readers, and its node."""
        import ray

        node, address = ray.get_runtime_context().get_node_id(), ray.util.get_node_ip_address()
        return f"{socket.gethostname()} ({address}, process {os.getpid()})", node

    async def missing_folders(self) -> list[CarriedFolder]:
        """Return the folders that are missing on this node."""
        found = {folder.path: folder.found() for folder in self._job.folders}
        self._places = {path: place for path, place in found.items() if place is not None}
        return [folder for folder in self._job.folders if found[folder.path] is None]

    async def copy(self, folder: CarriedFolder, pieces: Sequence[tuple[str, Any]]) -> None:
        """Write a folder from its pieces in Ray's store."""
        import ray

        come = ((name, ray.get(piece)) for name, piece in pieces)
        self._places[folder.path] = await asyncio.to_thread(folder.copied, come)

    async def open(self) -> None:
        """Open the workplace and begin. Raise `DrrError` where this fails, or the code differs from the driver's."""
        if self._serving is not None:
            os._exit(1)  # the driver gave this worker's units to others; Ray restarts the worker
        if (other := other_code(self._job.code)) is not None:
            raise DrrError(other)
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        opened: asyncio.Future[None] = self._loop.create_future()
        self._serving = asyncio.create_task(self._serve(opened))
        await asyncio.wait([opened, self._serving], return_when=asyncio.FIRST_COMPLETED)
        if not opened.done():
            try:
                self._serving.result()
            except (ImportError, AttributeError, OSError) as error:
                raise DrrError(str(error)) from error

    async def _serve(self, opened: asyncio.Future[None]) -> None:
        import ray

        job = self._job
        opening = replace(job.opening, config=with_local_paths(job.opening.config, self._places))
        limits = WorkerLimits(ray.get_runtime_context().get_actor_id(), job.run, job.calls)
        keeping = asyncio.create_task(limits.keep())
        try:
            async with opening.open() as place:
                place.models.limit_by(limits.limit)
                self._worker = Worker(place, self._budget, unit_cap=job.unit_cap, saved=self._say)
                opened.set_result(None)
                with collecting_less():
                    async with aclosing(self._worker.run(self._given_assignments())) as ended:
                        async for finished in ended:
                            self._say(finished)
        finally:
            keeping.cancel()
            await limits.leave()
            self._news.set()

    async def _given_assignments(self) -> AsyncIterator[Assignment]:
        while (assignment := await self._handed.get()) is not None:
            yield assignment

    async def hear(self, words: Sequence[Assignment | Grant]) -> None:
        for word in words:
            if isinstance(word, Assignment):
                self._handed.put_nowait(word)
            else:
                self._budget.hear(word)

    async def leave(self, *, now: bool) -> None:
        """Take no more units; with `now`, cancel running units too."""
        self._handed.put_nowait(None)
        if now and self._worker is not None:
            self._worker.cancel()

    def _say(self, word: object) -> None:
        self._outbox.append(word)
        if threading.get_ident() == self._thread:
            self._news.set()
        else:
            self._loop.call_soon_threadsafe(self._news.set)

    async def words(self) -> list[object]:
        """Wait for messages and return some; return none once the worker has ended. Then raise the error that ended the worker."""
        assert self._serving is not None
        while not self._outbox and not self._serving.done():
            self._news.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(1.0):
                    await self._news.wait()
            await asyncio.sleep(_GATHER_S)
        if not self._outbox:
            self._serving.result()
        words, self._outbox = self._outbox[:_MOST], self._outbox[_MOST:]
        return words
