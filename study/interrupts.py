"""Ctrl-C and SIGTERM while a run lasts."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def interrupts(pressed: Callable[[int], None]) -> Iterator[None]:
    """Tells how often it was pressed, in place of the usual end; outside the main thread Python hears no signal."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    times = 0

    def press() -> None:
        nonlocal times
        times += 1
        pressed(times)

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        loop.add_signal_handler(number, press)
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)
