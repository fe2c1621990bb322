"""A disk that fills is no bug: one sentence that names the place, however a library says it."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from drr.env.errors import DrrError

_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
_FULL_SQLITE = frozenset(("SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"))
# SQLite, pyarrow and tantivy tell the system's error in words of theirs; no other's words are taken for it.
_TELLERS = frozenset(("sqlite3", "pyarrow", "drr"))
_SAID = (
    "the disk is full",
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
        if sentence is None or sentence == str(error):
            raise
        raise DrrError(sentence) from error


def no_room(error: BaseException, place: str | Path | None = None) -> str | None:
    """The sentence, if this error or what it came from is that nothing more can be written."""
    seen: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in seen:
        seen.append(at)
        if isinstance(at, OSError) and at.errno in _FULL:
            return _sentence(place or at.filename, at.strerror)
        told = " ".join(str(at).split())[:300]
        ours = type(at).__module__.partition(".")[0] in _TELLERS
        if ours and _SAID[0] in told:
            return str(at)
        said = any(said in told.lower() for said in _SAID) and (ours or "(os error " in told)
        if said or getattr(at, "sqlite_errorname", None) in _FULL_SQLITE:
            return _sentence(place, told)
        at = at.__cause__ or at.__context__
    return None


def _sentence(place: str | Path | None, said: str | None) -> str:
    where = f"{place}: " if place else ""
    return f"{where}the disk is full ({said}); make room there and run the same command again"
