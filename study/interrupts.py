"""Ctrl-C and SIGTERM while a run lasts."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from drr.env.errors import Terminated

DEAF_S = 1.0


@contextmanager
def interrupts(pressed: Callable[[int], None]) -> Iterator[None]:
    """Tells how often it was pressed, in place of the usual end; outside the main thread Python hears no signal.

    Where a unit that never waits holds the loop, nobody hears: pressed again after `DEAF_S` it ends as without us, in that unit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    times = heard = 0
    unheard_since = 0.0

    def hear(which: int) -> None:
        nonlocal heard
        heard = which
        pressed(which)

    def press(number: int, frame: FrameType | None) -> None:
        nonlocal times, unheard_since
        now = time.monotonic()
        if times > heard and now - unheard_since > DEAF_S:
            restore()
            raise Terminated if number == signal.SIGTERM else KeyboardInterrupt
        if times == heard:
            unheard_since = now
        times += 1
        loop.call_soon_threadsafe(hear, times)

    def restore() -> None:
        while before:
            signal.signal(*before.popitem())

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, press)
    try:
        yield
    finally:
        restore()
