"""Python's garbage collector, switched off or eased while many live objects pass through."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
    """Collect garbage less often. Units in flight are many live objects and few dead cycles; looking for
    those as often as usual took half of a run.

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
