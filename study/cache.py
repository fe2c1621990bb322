"""Values worked out of a study before, read again where nothing that they rest on has changed by a byte.

It lies in the user's cache and not in the study, and only of a study that this user made here: a stranger's folder brings
no figures, and is not searched. One file holds what was worked out
last under a name, and the hash of all that decides it: this program and the packages beside it, the ledger, the study's
texts and files, its shop and what else it names, and what the caller names. A file that is half written, or of another
hash, counts as none.
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
from drr.env.files import make_folder, read_file, replacing
from drr.env.plugins import EXTRAS, PAPERS, announced
from drr.env.trust import cache_folder, is_known

if TYPE_CHECKING:
    from drr.study.study import Study

_MOST = 100
"""Values that are kept, of all studies; the oldest go."""
_APART = ("blobs", *(f"ledger.sqlite{ending}" for ending in ("", "-wal", "-shm")))
"""Parts of a study that have hashes of their own."""


def mark_of(rests_on: Callable[[], object]) -> str | None:
    """Hash this program and what decides a value beside it, as plain data; `None` where that cannot be known."""
    if any(True for group in (PAPERS, EXTRAS) for _ in announced(group)):
        return None
    try:
        return _hash([program(), rests_on()])
    except (OSError, DrrError):  # what cannot be read is not known to be the same
        return None


class KeptValue:
    """One value in a file of this user's. It is plain data; `None` means that nothing is kept."""

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
        """Keep it, if it comes back from a file as it is. A full disk keeps nothing."""
        with contextlib.suppress(OSError, TypeError, ValueError):
            text = orjson.dumps({"mark": mark, "hash": _hash(value), "value": value})
            if mark is not None and orjson.loads(text)["value"] == value:
                make_folder(self._path.parent, 0o700)
                with replacing(self._path, 0o600) as file:
                    file.write(text)
                files = sorted(self._path.parent.glob("*.json"), key=lambda path: path.stat().st_mtime)
                for old in files[: -self._most]:
                    old.unlink(missing_ok=True)


class Kept(KeptValue):
    """One value that is worked out of a study."""

    def __init__(self, study: Study, name: str, rests_on: Callable[[], object]) -> None:
        """`rests_on` gives, as plain data, what decides the value beside the study itself."""
        self._study = study
        self._rests_on = rests_on
        super().__init__("kept", f"{_hash(os.fsencode(study.folder.resolve()).hex())[:16]}-{name}")

    def mark(self) -> str | None:
        """Hash all that decides the value; `None` where that cannot be known."""
        study, ledger = self._study, self._study.ledger.db.digest()
        if ledger is None or not is_known(study.folder):
            return None
        return mark_of(
            lambda: [
                *(ledger, study.broken(), tree(study.folder, but=_APART)),
                *(named(study.config), self._rests_on()),
            ]
        )


def kept(
    study: Study,
    name: str,
    rests_on: Callable[[], object],
    work: Callable[[], Any],
    *,
    wrote: Path | None = None,
) -> Any:
    """Return what `work` gives, or gave when all that decides it was the same.

    `wrote` is the mark of the folder that `work` writes: then the folder is as it was left, too.
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
        return mark and _hash([mark, wrote is not None and wrote.is_file() and tree(wrote.parent)])
    return None


def tree(folder: Path, *, but: tuple[str, ...] = ()) -> str:
    """Hash the names and contents of all files of a folder, but for some at its top."""
    whole, top = sha256(), os.fspath(folder)
    for place, folders, files in os.walk(top):
        left = ("__pycache__", *(but if place == top else ()))
        folders[:] = sorted(name for name in folders if name not in left)
        for name in sorted(name for name in files if name not in left):
            own = sha256(read_file(Path(place, name))).digest()
            whole.update(os.fsencode(f"{place.removeprefix(top)}/{name}") + b"\0" + own)
    return whole.hexdigest()


def named(value: object) -> list[object]:
    """List the files behind every place that this value names: sizes, and when each was written."""
    if isinstance(value, Mapping):
        return [named(one) for one in value.values()]
    if isinstance(value, list | tuple):
        return [named(one) for one in value]
    if not isinstance(value, str | Path) or not Path(value).exists():
        return []
    found = ((path, path.stat()) for path in [Path(value), *sorted(Path(value).rglob("*"))])
    return [[str(path), one.st_size, one.st_mtime_ns, one.st_ctime_ns, one.st_ino] for path, one in found]


@cache
def program() -> str:
    """Hash this program's files, the versions of the packages beside it, and which Python runs it."""
    rooms = sorted(one for one in Path(__file__).parent.parent.iterdir() if (one / "__init__.py").is_file())
    places = [Path(place) for place in dict.fromkeys(sys.path) if Path(place).is_dir()]
    packages = sorted(one.name for place in places for one in place.iterdir() if one.suffix == ".dist-info")
    return _hash([sys.version, packages, [tree(room) for room in rooms]])


def _hash(value: object) -> str:
    return sha256(orjson.dumps(value)).hexdigest()
