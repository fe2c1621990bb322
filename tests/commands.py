"""Commands as a user types them, within this process."""

from __future__ import annotations

from collections.abc import Callable

from drr.app.cli import main

Drr = Callable[..., tuple[int, str, str]]
"""The fixture `drr`: the exit code of a command, what it printed, and what it said on standard error."""


def drr(*words: object) -> int:
    """Run a command and return its exit code."""
    return main([str(word) for word in words])
