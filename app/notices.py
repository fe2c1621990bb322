"""Notices: what somebody should know beside the result. A command prints them on standard error, a Python program finds them in its log."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

LOGGER = "drr"
"""The name of the log, as `logging.getLogger` takes it."""
_logged: ContextVar[bool] = ContextVar("drr notices are logged", default=False)


def notice(sentence: str, *, news: bool = True) -> None:
    """Pass a sentence on; without `news` it only tells how the work ended, which a program sees in its result."""
    if not _logged.get():
        print(f"drr: {sentence}", file=sys.stderr)
        return
    import logging

    logging.getLogger(LOGGER).log(logging.WARNING if news else logging.INFO, "%s", sentence)


@contextmanager
def logged() -> Iterator[None]:
    """Log the notices of a stretch of work in place of printing them."""
    before = _logged.set(True)
    try:
        yield
    finally:
        _logged.reset(before)
