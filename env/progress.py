"""Progress of long work, reported here and drawn by the command line."""

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
        """`amount` more units done; where the unit is bytes, `rows` says how many rows that were."""

    def note(self, text: str) -> None:
        """A short remark beside the bar (the file in hand, a rate)."""


class Progress(Protocol):
    def stage(
        self, label: str, total: int | None = None, unit: str = "rows"
    ) -> AbstractContextManager[Stage]:
        """A stretch of work of known or unknown length; leaving the context ends it. `unit` `bytes` is shown as sizes."""


class _Nothing:
    def advance(self, amount: int = 1, rows: int = 0) -> None:
        pass

    def note(self, text: str) -> None:
        pass


class Quiet:
    """Reports to nobody: tests, libraries, `--quiet`."""

    @contextmanager
    def stage(self, label: str, total: int | None = None, unit: str = "rows") -> Iterator[Stage]:
        yield _Nothing()


@contextmanager
def collector_off() -> Iterator[None]:
    """Millions of small tuples make the collector walk them again and again, and none of them is in a cycle."""
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

    Of a thousand units in flight, a model call took 2.0 ms of processor time as usual, and 1.2 ms so.
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
"""Characters of the longest report that is read; a model's longest answer has a tenth of it."""
SECONDS = 60.0


class TooSlow(DrrError):
    """A report that is too long, or that could not be read within the deadline: the unit fails as `too_slow`."""


async def read_in_time(text: str, read: Callable[[], Read], *, seconds: float = SECONDS) -> Read:
    """Read the text by `read`, in a thread of its own.

    Expressions are linear in what they read (`tests/security/test_expressions.py`), so that others have their turn meanwhile.
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
    """Do the same for those who wait in a thread of their own."""
    found: list[Read] = []
    reading = threading.Thread(target=lambda: found.append(read()), daemon=True)
    if len(text) <= LONGEST:
        reading.start()
        reading.join(seconds)
    if not found:
        raise TooSlow(f"a text of {len(text):,} characters could not be read within {seconds:g} seconds")
    return found[0]
