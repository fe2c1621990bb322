"""One-line notices, errors about unusable places, and the orderly end by SIGTERM."""

from __future__ import annotations

import argparse
import errno
import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import FrameType
from typing import NoReturn

from drr.env.errors import Misuse, Terminated

LOGGER = "drr"
"""Name of the logger, as `logging.getLogger` takes it."""
_logged: ContextVar[bool] = ContextVar("drr notices are logged", default=False)


def notice(sentence: str, *, news: bool = True) -> None:
    """Print a sentence on standard error, or log it inside `log_notices`. Without `news` it only tells how the work ended, which a program sees in its result."""
    if not _logged.get():
        print(f"drr: {sentence}", file=sys.stderr)
        return
    import logging

    logging.getLogger(LOGGER).log(logging.WARNING if news else logging.INFO, "%s", sentence)


def ask_yes_no(question: str) -> bool:
    """Ask a yes-no question at a terminal and return the answer; return False where nobody can answer."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(f"drr: {question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


@contextmanager
def log_notices() -> Iterator[None]:
    """Log notices inside the `with` block instead of printing them."""
    before = _logged.set(True)
    try:
        yield
    finally:
        _logged.reset(before)


_REFUSED = frozenset(
    (
        errno.EACCES,
        errno.EPERM,
        errno.EROFS,
        errno.ENOENT,
        errno.ENOTDIR,
        errno.EISDIR,
        errno.EEXIST,
        errno.ELOOP,
        errno.ENAMETOOLONG,
    )
)


@contextmanager
def places_of(arguments: argparse.Namespace) -> Iterator[None]:
    """Raise `Misuse` if the system refuses a place among these arguments. Any other missing file is a bug of drr."""
    with places_among(vars(arguments).values()):
        yield


@contextmanager
def places_among(named: Iterable[object]) -> Iterator[None]:
    """Raise `Misuse` if the system refuses a place among these values."""
    try:
        yield
    except OSError as error:
        place = _named_place(error, named)
        if place is None:
            raise
        at = "" if _is_at(_whole_path(error.filename), place) else f"{error.filename} "
        problem = f"{place}: {at}cannot be read or written ({error.strerror})"
        raise Misuse(f"{problem}; choose a place that you may read and write") from error


def _named_place(error: OSError, arguments: Iterable[object]) -> str | None:
    if error.errno not in _REFUSED or not isinstance(error.filename, str | os.PathLike):
        return None
    failed = _whole_path(error.filename)
    named = [place for value in arguments for place in _places(value)]
    near: dict[str, tuple[bool, int]] = {}
    for place in named:
        at, whole = _is_at(failed, place), _whole_path(place)
        if at or failed.is_relative_to(whole) or whole.is_relative_to(failed):
            near[place] = at, len(os.path.commonpath((failed, whole)))
    # The nearest place is meant: every relative place lies under the folder of this process.
    return max(near, key=lambda place: near[place], default=None)


def _places(value: object) -> Iterator[str]:
    if isinstance(value, list | tuple):
        for one in value:
            yield from _places(one)
    elif isinstance(value, Path) or (isinstance(value, str) and value and "\0" not in value):
        yield str(value)


def _is_at(failed: Path, place: str) -> bool:
    """Return True if `failed` is the place itself, or the draft beside it that would have become it."""
    named = _whole_path(place)
    return failed == named or (failed.parent == named.parent and failed.name.startswith(f".{named.name}."))


def _whole_path(path: str | os.PathLike[str]) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - no link is followed


@contextmanager
def tidy_end() -> Iterator[None]:
    """Unwind on SIGTERM inside the `with` block. Nothing changes where another handler is set, or outside the main thread, which gets no signals."""
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    ):
        yield
        return
    signal.signal(signal.SIGTERM, _raise_terminated)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _raise_terminated(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)  # a second SIGTERM must not break the cleanup
    raise Terminated
