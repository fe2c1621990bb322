"""Python's collector of cycles, put to rest while millions of records pass through."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_cycles() -> Iterator[None]:
    """Millions of small tuples make the collector walk them again and again, and none of them is in a cycle."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
