"""Reading a stranger's text off the event loop and with an end. A text made to be slow stops its own unit and nobody else's."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

from drr.env.errors import DrrError
from drr.env.memory import collector_off

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
