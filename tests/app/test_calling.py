"""Work that a Python program waits for elsewhere: its loop stays free, and what it gives up is cancelled."""

from __future__ import annotations

import asyncio
from threading import Event

import pytest
from drr.app.calls import run_blocking, run_in_thread, run_to_end
from drr.env.errors import Misuse


async def test_who_is_cancelled_leaves_no_work_behind() -> None:
    begun, ended = asyncio.Event(), list[str]()
    loop = asyncio.get_running_loop()

    async def asking() -> None:
        loop.call_soon_threadsafe(begun.set)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("asking")

    waiting = asyncio.create_task(run_in_thread(lambda: run_to_end(asking())))
    await begun.wait()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert ended == ["asking"]


async def test_who_is_cancelled_before_work_waits_begins_none() -> None:
    opened, given_up, asked = asyncio.Event(), Event(), list[str]()
    loop = asyncio.get_running_loop()

    async def asking() -> None:
        asked.append("asked")

    def work() -> None:
        loop.call_soon_threadsafe(opened.set)
        given_up.wait()
        run_to_end(asking())

    waiting = asyncio.create_task(run_in_thread(work))
    await opened.wait()
    waiting.cancel()
    await asyncio.sleep(0)  # it hears of it
    given_up.set()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert asked == []


async def test_an_error_comes_through_either_way() -> None:
    def wrong() -> None:
        raise Misuse("no such thing")

    with pytest.raises(Misuse, match="no such thing"):
        run_blocking(wrong)
    with pytest.raises(Misuse, match="no such thing"):
        await run_in_thread(wrong)
