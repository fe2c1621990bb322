"""Caches values computed from a study, and returns them while the study and the program are unchanged to the byte.

The cache lies in the user's cache folder and not in the study, and exists only for studies that this user made here, because a stranger's folder must
not supply figures. One file holds the last value
of a name and the hash of everything that decides it: this program and the installed packages, the ledger, the study's
texts and files, its shop and other paths it names, and the caller's own data. A file that is incomplete or has another
hash is ignored.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from drr.env.errors import DrrError
from drr.env.files import atomic_write, make_folder, read_file
from drr.env.plugins import EXTRAS, PAPERS, entry_points_of
from drr.env.trust import cache_folder, is_known
from drr.llm import activity

if TYPE_CHECKING:
    from drr.study.study import Study

_MOST = 100
"""Maximum number of values in the cache, for all studies; the oldest are deleted."""
_APART = ("blobs", activity.FILE, *(f"ledger.sqlite{ending}" for ending in ("", "-wal", "-shm")))
"""Files and folders of a study that are hashed separately."""


def mark_of(rests_on: Callable[[], object]) -> str | None:
    """Return a hash of this program and of the data that decides a value; `None` where it is unknown."""
    if any(True for group in (PAPERS, EXTRAS) for _ in entry_points_of(group)):
        return None
    try:
        return _hash([program_hash(), rests_on()])
    except (OSError, DrrError):  # unreadable files may have changed
        return None


class KeptValue:
    """A cached value in a file of this user. The value is plain data, and `None` means that none is cached."""

    def __init__(self, folder: str, name: str, most: int = _MOST) -> None:
        self._most = most
        self._path = cache_folder() / folder / f"{name}.json"

    def read(self, mark: str | None) -> Any:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            found = orjson.loads(read_file(self._path))
            if mark is not None and found["mark"] == mark and found["hash"] == _hash(found["value"]):
                return found["value"]
        return None

    def write(self, mark: str | None, value: object) -> None:
        """Cache a value, if JSON preserves it. A full disk is ignored."""
        with contextlib.suppress(OSError, TypeError, ValueError):
            text = orjson.dumps({"mark": mark, "hash": _hash(value), "value": value})
            if mark is not None and orjson.loads(text)["value"] == value:
                make_folder(self._path.parent, 0o700)
                with atomic_write(self._path, 0o600) as file:
                    file.write(text)
                files = sorted(self._path.parent.glob("*.json"), key=lambda path: path.stat().st_mtime)
                for old in files[: -self._most]:
                    old.unlink(missing_ok=True)


class Kept(KeptValue):
    """A cached value that was computed from a study."""

    def __init__(self, study: Study, name: str, rests_on: Callable[[], object]) -> None:
        """Take a study, a name, and `rests_on`, which returns the plain data that decides the value beside the study."""
        self._study = study
        self._rests_on = rests_on
        super().__init__("kept", f"{_hash(os.fsencode(study.folder.resolve()).hex())[:16]}-{name}")

    def mark(self) -> str | None:
        """Return a hash of everything that decides the value; `None` where the hash cannot be known."""
        study, ledger = self._study, self._study.ledger.db.digest()
        if ledger is None or not is_known(study.folder):
            return None
        return mark_of(
            lambda: [
                *(ledger, study.broken(), folder_hash(study.folder, but=_APART)),
                *(file_states(study.config), self._rests_on()),
            ]
        )


def cached_result(
    study: Study,
    name: str,
    rests_on: Callable[[], object],
    work: Callable[[], Any],
    *,
    wrote: Path | None = None,
) -> Any:
    """Return the result of `work`, from the cache where everything that decides it is unchanged.

    `wrote` is a file in the folder that `work` writes: then that folder must be unchanged too.
    """
    one = Kept(study, name, rests_on)
    before = one.mark()
    value = one.read(_with_folder(before, wrote))
    if value is None:
        value = work()
        if one.mark() == before:
            one.write(_with_folder(before, wrote), value)
    return value


def _with_folder(mark: str | None, wrote: Path | None) -> str | None:
    with contextlib.suppress(OSError, DrrError):
        return mark and _hash([mark, wrote is not None and wrote.is_file() and folder_hash(wrote.parent)])
    return None


def folder_hash(folder: Path, *, but: tuple[str, ...] = ()) -> str:
    """Return a hash over the names and contents of all files of a folder, except some names at its top."""
    whole, top = sha256(), os.fspath(folder)
    for place, folders, files in os.walk(top):
        left = ("__pycache__", *(but if place == top else ()))
        folders[:] = sorted(name for name in folders if name not in left)
        for name in sorted(name for name in files if name not in left):
            own = sha256(read_file(Path(place, name))).digest()
            whole.update(os.fsencode(f"{place.removeprefix(top)}/{name}") + b"\0" + own)
    return whole.hexdigest()


def file_states(value: object) -> list[object]:
    """Return the sizes and times of the files at every path that occurs in a value."""
    if isinstance(value, Mapping):
        return [file_states(one) for one in value.values()]
    if isinstance(value, list | tuple):
        return [file_states(one) for one in value]
    if not isinstance(value, str | Path) or not Path(value).exists():
        return []
    found = ((path, path.stat()) for path in [Path(value), *sorted(Path(value).rglob("*"))])
    return [[str(path), one.st_size, one.st_mtime_ns, one.st_ctime_ns, one.st_ino] for path, one in found]


@cache
def program_hash() -> str:
    """Return a hash of this program, the names of the installed packages, and the version of Python."""
    places = [Path(place) for place in dict.fromkeys(sys.path) if Path(place).is_dir()]
    packages = sorted(one.name for place in places for one in place.iterdir() if one.suffix == ".dist-info")
    return _hash([sys.version, packages, folder_hash(Path(__file__).parents[1])])


def _hash(value: object) -> str:
    return sha256(orjson.dumps(value)).hexdigest()
