"""Places that a user named and that cannot be used. That is no bug: one sentence names the place, whichever command got it."""

from __future__ import annotations

import argparse
import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from drr.env.errors import Misuse

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
    """Raise `Misuse` where the system refuses a place among these arguments. Any other file that is missing is a bug of ours."""
    with places_among(vars(arguments).values()):
        yield


@contextmanager
def places_among(named: Iterable[object]) -> Iterator[None]:
    """Do the same for the arguments of a function."""
    try:
        yield
    except OSError as error:
        place = _named(error, named)
        if place is None:
            raise
        at = "" if _is_at(_whole(error.filename), place) else f"{error.filename} "
        told = f"{place}: {at}cannot be read or written ({error.strerror})"
        raise Misuse(f"{told}; choose a place that you may read and write") from error


def _named(error: OSError, arguments: Iterable[object]) -> str | None:
    if error.errno not in _REFUSED or not isinstance(error.filename, str | os.PathLike):
        return None
    failed = _whole(error.filename)
    named = [place for value in arguments for place in _places(value)]
    near = [place for place in named if _is_at(failed, place) or _is_about(failed, _whole(place))]
    # The nearest: every relative place lies under the folder of this process.
    return max(near, key=lambda place: _nearness(failed, place), default=None)


def _places(value: object) -> Iterator[str]:
    if isinstance(value, list | tuple):
        for one in value:
            yield from _places(one)
    elif isinstance(value, Path) or (isinstance(value, str) and value and "\0" not in value):
        yield str(value)


def _nearness(failed: Path, place: str) -> tuple[bool, int]:
    return _is_at(failed, place), len(os.path.commonpath((failed, _whole(place))))


def _is_at(failed: Path, place: str) -> bool:
    """The place itself, or the draft beside it that would have become it."""
    named = _whole(place)
    return failed == named or (failed.parent == named.parent and failed.name.startswith(f".{named.name}."))


def _is_about(failed: Path, named: Path) -> bool:
    return failed.is_relative_to(named) or named.is_relative_to(failed)


def _whole(path: str | os.PathLike[str]) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - no link is followed
