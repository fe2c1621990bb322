"""Defines the expected errors. Every message says what went wrong, where, and what to do."""

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
    """A shop that cannot be opened or whose parts contradict each other."""


class NoSuchShop(ShopError):
    """No shop lies at the given place (exit code 2, as for every missing thing)."""

    exit_code = 2


class NoPlaceForShop(ShopError):
    """A place where no shop can be written; the user has to name another (exit code 2)."""

    exit_code = 2


class ServerFailure(ShopError):
    """A failure of a server behind a shop, not of the input: the same command continues from here later."""


class ProgramFailure(DrrError):
    """A failure of another author's program that was run for one unit; `kind` names the failure and is counted."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class ForeignBug(Exception):
    """An unexpected exception of somebody's code in another process, as it was described there."""


def bug_of(error: BaseException) -> str:
    """Describe an unexpected exception with the file and line that raised it. The file's folder, which only this machine knows, is left out."""
    if isinstance(error, ForeignBug):
        return str(error)
    frames = extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {_words(error)}{place}"


def _words(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException:  # noqa: BLE001 - somebody's exception, which may fail where it should speak
        return "without words"


class Terminated(KeyboardInterrupt):
    """The process received SIGTERM while writing; open files are cleaned up as after Ctrl-C."""


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
    """Raise `DrrError` if the disk is full while the context writes. Without a `place`, the message names the file that failed."""
    try:
        yield
    except Exception as error:
        sentence = no_room(error, place)
        if sentence is None or _tells(error):
            raise
        raise DrrError(sentence) from error


def _tells(error: Exception) -> bool:
    """Tell whether an error is already a message of this program about a full disk. A `Misuse` does not count."""
    text = str(error).lower()
    return (
        isinstance(error, DrrError)
        and not isinstance(error, Misuse)
        and any(phrase in text for phrase in _FULL_DISK)
    )


def no_room(error: BaseException, place: str | Path | None = None) -> str | None:
    """Return a message if an error, or a cause of it, says that the disk is full; otherwise `None`."""
    seen: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in seen:
        seen.append(at)
        if isinstance(at, OSError) and at.errno in _FULL:
            return _sentence(place or at.filename, at.strerror)
        reason = " ".join(_words(at).split())[:300]
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
    """Name the wrong field of a document and its fault, e.g. `price: must be a valid number`."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    field = ".".join(str(part) for part in first["loc"] if not str(part).startswith("function-")) or unnamed
    reason = _REASONS.get(first["type"]) or first["msg"].removeprefix("Value error, ")
    if extra is not None and first["type"] == "extra_forbidden":
        reason = extra
    reason = reason.replace("Input should be", "must be", 1)
    return f"{field}: {reason}" if field else reason
