"""The errors that are no bugs. Every message says what, where, and what to do."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError


class DrrError(Exception):
    """An expected failure (exit code 1): the command line prints the sentence, never a traceback."""

    exit_code = 1


class Misuse(DrrError):
    """The user asked for something that makes no sense (exit code 2): a bad option, an unreadable argument."""

    exit_code = 2


class ShopError(DrrError):
    """A shop that cannot be opened or does not hold together."""


class NoSuchShop(ShopError):
    """Nothing is where the shop was said to be (exit code 2, as everywhere where there is no such thing)."""

    exit_code = 2


class NoPlaceForShop(ShopError):
    """An error where a shop cannot be written: another place is to be named (exit code 2)."""

    exit_code = 2


class ServerFailure(ShopError):
    """A server behind a shop failed, and not what it was given: the same command later goes on from here."""


class ProgramFailure(DrrError):
    """A program of somebody else, run for one unit, did not do its part; `kind` names how and is counted."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def bug_of(error: Exception) -> str:
    """Name a bug and the last line of code that it came through; the folder is of this machine alone."""
    frames = extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{place}"


class Terminated(KeyboardInterrupt):
    """SIGTERM came while something was written: everything unwinds as after Ctrl-C."""


_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
_FULL_SQLITE = frozenset(("SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"))
_REMEDY = "make room there and run the same command again"
# SQLite, pyarrow and tantivy tell the system's error in words of theirs; no other's words are taken for it.
_TELLERS = frozenset(("sqlite3", "pyarrow"))
_FULL_DISK = (
    "disk is full",
    "no space left on device",
    "disk quota exceeded",
    "file too large",
)


@contextmanager
def disk_of(place: str | Path | None = None) -> Iterator[None]:
    """`DrrError` where the disk of what is written inside is full. Without a `place` the file that failed is named."""
    try:
        yield
    except Exception as error:
        sentence = no_room(error, place)
        if sentence is None or _tells(error):
            raise
        raise DrrError(sentence) from error


def _tells(error: Exception) -> bool:
    """Tell whether an error is a sentence of ours already, which says more of the place. A full disk is no misuse, though."""
    text = str(error).lower()
    return (
        isinstance(error, DrrError)
        and not isinstance(error, Misuse)
        and any(phrase in text for phrase in _FULL_DISK)
    )


def no_room(error: BaseException, place: str | Path | None = None) -> str | None:
    """The sentence, if this error or what it came from is that nothing more can be written."""
    seen: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in seen:
        seen.append(at)
        if isinstance(at, OSError) and at.errno in _FULL:
            return _sentence(place or at.filename, at.strerror)
        reason = " ".join(str(at).split())[:300]
        if isinstance(at, DrrError) and str(at).endswith(_REMEDY):
            return str(at)
        teller = type(at).__module__.partition(".")[0] in _TELLERS or "(os error " in reason
        phrase = teller and any(phrase in reason.lower() for phrase in _FULL_DISK)
        if phrase or getattr(at, "sqlite_errorname", None) in _FULL_SQLITE:
            return _sentence(place, reason)
        at = at.__cause__ or at.__context__
    return None


def _sentence(place: str | Path | None, text: str | None) -> str:
    where = f"{place}: " if place else ""
    return f"{where}the disk is full ({text}); {_REMEDY}"


_REASONS = {"missing": "is missing", "extra_forbidden": "no such key"}


def wrong_field(error: ValidationError, unnamed: str = "the object", *, extra: str | None = None) -> str:
    """Say which field of a document is wrong and how, e.g. `price: must be a valid number`."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    field = ".".join(str(part) for part in first["loc"] if not str(part).startswith("function-")) or unnamed
    reason = _REASONS.get(first["type"]) or first["msg"].removeprefix("Value error, ")
    if extra is not None and first["type"] == "extra_forbidden":
        reason = extra
    reason = reason.replace("Input should be", "must be", 1)
    return f"{field}: {reason}" if field else reason
