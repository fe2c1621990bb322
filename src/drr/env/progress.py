"""Reports the progress of long work; the command line draws it."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, TypeVar

from drr.env.errors import DrrError


class Stage(Protocol):
    def advance(self, amount: int = 1, rows: int = 0) -> None:
        """Report `amount` more units as done. If the unit is bytes, `rows` is the number of rows in them."""

    def note(self, text: str) -> None:
        """Show a short remark beside the bar (the current file, a rate)."""


class Progress(Protocol):
    def stage(
        self, label: str, total: int | None = None, unit: str = "rows"
    ) -> AbstractContextManager[Stage]:
        """Begin a stage of work of known or unknown length; leaving the context ends the stage. The unit `bytes` is shown as sizes."""


class _Nothing:
    def advance(self, amount: int = 1, rows: int = 0) -> None:
        pass

    def note(self, text: str) -> None:
        pass


class Quiet:
    """A progress that reports nothing: for tests, libraries and `--quiet`."""

    @contextmanager
    def stage(self, label: str, total: int | None = None, unit: str = "rows") -> Iterator[Stage]:
        yield _Nothing()


@contextmanager
def collector_off() -> Iterator[None]:
    """Switch the garbage collector off. It would walk millions of small tuples again and again, and none of them is in a cycle."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@contextmanager
def collecting_less() -> Iterator[None]:
    """Collect garbage less often: loading and units in flight make many live objects and few dead cycles.

    With a thousand units in flight, a model call took 2.0 ms of processor time as usual, and 1.2 ms this way.
    """
    before = gc.get_threshold()
    if not 0 < before[0] < 20_000:  # switched off, or another run of this process does it
        yield
        return
    gc.freeze()
    gc.set_threshold(20_000, max(before[1], 20), max(before[2], 50))
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


Read = TypeVar("Read")
LONGEST = 400_000
"""Longest report that is read, in characters; a model's longest answer has a tenth of them."""
SECONDS = 60.0


class TooSlow(DrrError):
    """A report that is too long, or was not read within the deadline; the unit fails as `too_slow`."""


async def read_in_time(text: str, read: Callable[[], Read], *, seconds: float = SECONDS) -> Read:
    """Apply `read` to a text in a separate thread and return the result.

    The expressions take linear time (`tests/security/test_expressions.py`), so other tasks run meanwhile.
    """

    def alone() -> Read:
        with (
            collector_off()
        ):  # what is read out of a report is up to half a million small objects without a cycle
            return read()

    if len(text) > LONGEST:
        raise TooSlow(f"the report has {len(text):,} characters, and no more than {LONGEST:,} are read")
    try:
        return await asyncio.wait_for(asyncio.to_thread(alone), seconds)
    except TimeoutError:
        raise TooSlow(f"the report could not be read within {seconds:g} seconds") from None


def in_time(text: str, read: Callable[[], Read], *, seconds: float = SECONDS) -> Read:
    """Apply `read` to a text within the deadline, for callers that may block."""
    found: list[Read] = []
    reading = threading.Thread(target=lambda: found.append(read()), daemon=True)
    if len(text) <= LONGEST:
        reading.start()
        reading.join(seconds)
    if not found:
        raise TooSlow(f"a text of {len(text):,} characters could not be read within {seconds:g} seconds")
    return found[0]
