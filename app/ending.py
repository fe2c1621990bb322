"""SIGTERM for commands that write: what is half done is taken away, as after Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from drr.env.errors import Terminated


@contextmanager
def tidy_end() -> Iterator[None]:
    """Inside, SIGTERM unwinds; not where somebody else listens already, or outside the main thread, which hears none."""
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    ):
        yield
        return
    signal.signal(signal.SIGTERM, _unwind)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _unwind(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)  # a second one must not break the tidying
    raise Terminated
