"""Runs work for Python programs: inside a running event loop, cancelled with its caller, with errors that name their place."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from threading import Lock
from typing import TypeVar

from drr.app.notices import log_notices, places_among
from drr.env.errors import disk_of

Done = TypeVar("Done")


class _Caller:
    """A caller that waits in another thread. When the caller gives up, its task is cancelled in the event loop that works for it."""

    def __init__(self) -> None:
        self._lock, self._gone = Lock(), False
        self._task: asyncio.Task[object] | None = None

    def give_up(self) -> None:
        with self._lock:
            self._gone = True
            if self._task is not None:
                self._task.get_loop().call_soon_threadsafe(self._task.cancel)

    @contextmanager
    def waiting_for(self, task: asyncio.Task[object] | None) -> Iterator[None]:
        with self._lock:
            if self._gone:
                raise asyncio.CancelledError
            self._task = task
        try:
            yield
        finally:
            with self._lock:
                self._task = None


_caller: ContextVar[_Caller | None] = ContextVar("drr caller", default=None)


def run_to_end(work: Coroutine[object, object, Done]) -> Done:
    """Run a coroutine like `asyncio.run`, but cancel it when the caller that waits in another loop gives up."""
    caller = _caller.get()
    if caller is None:
        return asyncio.run(work)

    async def watched() -> Done:
        with caller.waiting_for(asyncio.current_task()):
            return await work

    try:
        return asyncio.run(watched())
    finally:
        work.close()


def run_blocking(work: Callable[[], Done], *places: object) -> Done:
    """Do the work here, or in a thread of its own where an event loop already runs. `places` are files and folders that the caller named."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        running = False
    else:
        running = True
    if not running:  # outside the handler above: an error of the work has no other error behind it
        return _as_program(work, places)
    caller = _Caller()
    with ThreadPoolExecutor(1) as thread:
        future = thread.submit(copy_context().run, _for_caller, caller, work, places)
        try:
            return future.result()
        except BaseException:
            caller.give_up()
            raise


async def run_in_thread(work: Callable[[], Done], *places: object) -> Done:
    """Do the work in its own thread and leave the caller's loop free. If the call is cancelled, the work ends before this function returns."""
    caller, thread = _Caller(), ThreadPoolExecutor(1)
    loop = asyncio.get_running_loop()
    future = loop.run_in_executor(thread, copy_context().run, _for_caller, caller, work, places)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        caller.give_up()
        await asyncio.wait([future])
        future.cancelled() or future.exception()
        raise
    finally:
        thread.shutdown(wait=False)


def _for_caller(caller: _Caller, work: Callable[[], Done], places: tuple[object, ...]) -> Done:
    _caller.set(caller)  # the context variable is set in a context of this call's own
    return _as_program(work, places)


def _as_program(work: Callable[[], Done], places: tuple[object, ...]) -> Done:
    with disk_of(), places_among(places), log_notices():
        return work()
