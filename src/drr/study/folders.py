"""Provides a folder to workers on machines where its path may not exist. It is found in place, or copied once for each machine and verified.

A folder is recognised by one of its files, which differs between its versions; every other file is recognised by its hash.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from drr.env.errors import DrrError
from drr.env.files import open_plain, read_file
from drr.env.trust import cache_folder

PIECE = 16 << 20


@dataclass(frozen=True)
class CarriedFolder:
    """A folder that workers need, as plain data. `path` is the path on the driver's machine, which workers replace by their own."""

    path: str
    mark: str
    """The name of the file that tells the folder's versions apart."""
    mark_sha256: str
    files: Mapping[str, str]
    """SHA-256 hashes of all other files below the folder, by name."""
    always: bool = False
    """True where the folder is copied even if its path exists on the machine."""

    def found(self) -> str | None:
        """Return the folder's path on this machine; `None` where it is missing."""
        places = [self._copy] if self.always else [Path(self.path), self._copy]
        return next((str(place) for place in places if self._is_at(place)), None)

    @property
    def _copy(self) -> Path:
        return cache_folder() / "copies" / self.mark_sha256

    def _is_at(self, place: Path) -> bool:
        try:
            return sha256(read_file(place / self.mark)).hexdigest() == self.mark_sha256
        except OSError:
            return False

    def pieces(self) -> Iterator[tuple[str, bytes]]:
        """Yield the folder's content on this machine: the name of a file with each piece of the file."""
        for name in (*self.files, self.mark):
            with open_plain(Path(self.path) / name) as file:
                content = file.read(PIECE)
                # An empty file is one empty piece, so that it arrives too.
                yield name, content
                while len(content) == PIECE:
                    content = file.read(PIECE)
                    yield name, content

    def copied(self, pieces: Iterable[tuple[str, bytes]]) -> str:
        """Write the folder on this machine, completely and verified, or not at all. Another process may have written it meanwhile."""
        aside = self._copy.with_suffix(f".part-{os.getpid()}")
        try:
            for name, content in pieces:
                path = aside / name
                if not path.resolve().is_relative_to(aside.resolve()):
                    raise DrrError(f"{self.path}: names a file outside itself ({name})")
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with path.open("ab") as file:
                    file.write(content)
            for name, digest in (*self.files.items(), (self.mark, self.mark_sha256)):
                with (aside / name).open("rb") as file:
                    if file_digest(file, "sha256").hexdigest() != digest:
                        raise DrrError(f"{self.path}/{name}: did not arrive as it is; is it being changed?")
            if not self._is_at(self._copy):
                shutil.rmtree(self._copy, ignore_errors=True)
                aside.rename(self._copy)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        return str(self._copy)


def with_local_paths(config: Any, places: Mapping[str, str]) -> Any:
    """Return plain data with paths replaced by their places on this machine."""
    match config:
        case dict():
            return {name: with_local_paths(value, places) for name, value in config.items()}
        case list() | tuple():
            return type(config)(with_local_paths(value, places) for value in config)
    return places.get(config, config) if isinstance(config, str) else config
