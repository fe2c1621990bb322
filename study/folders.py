"""A folder that workers need where its path may not lead to it. It is found there as it is, or copied once for each node, and verified.

A folder is known by one of its files, which is different in every version of it; every other file is known by its hash.
"""

from __future__ import annotations

import asyncio
import fcntl
import shutil
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from drr.env.errors import DrrError
from drr.env.files import open_plain, read_file
from drr.env.trust import cache_folder

PIECE = 16 << 20
_KEPT = 16
"""Pieces that are at hand for the next node that asks."""


@dataclass(frozen=True)
class CarriedFolder:
    """Plain data; `path` is the driver's, and stands for the folder in what workers open."""

    path: str
    mark: str
    """The file that tells versions apart."""
    mark_sha256: str
    files: Mapping[str, str]
    """All others below the folder, with their SHA-256."""
    always: bool = False
    """Copied even where the path leads to it."""


@dataclass(frozen=True)
class PieceAsked:
    """A worker's: so much of this file, from there on."""

    folder: str
    file: str
    offset: int


@dataclass(frozen=True)
class FolderPiece:
    """The driver's answer: what a pool carries bytes by."""

    asked: PieceAsked
    content: Any


class FolderSource:
    """The driver's side: it reads pieces of the folders that it carries, and of nothing else. `keep` makes of them what is sent."""

    def __init__(self, folders: tuple[CarriedFolder, ...], keep: Callable[[bytes], Any]) -> None:
        self._folders = {folder.path: folder for folder in folders}
        self._keep = keep
        self._kept: OrderedDict[PieceAsked, Any] = OrderedDict()

    def piece(self, asked: PieceAsked) -> FolderPiece:
        folder = self._folders.get(asked.folder)
        if folder is None or (asked.file != folder.mark and asked.file not in folder.files):
            raise DrrError(f"a worker asked for {asked.folder}/{asked.file}, which is nothing of this run's")
        if asked not in self._kept:
            with open_plain(Path(folder.path) / asked.file) as file:
                file.seek(asked.offset)
                self._kept[asked] = self._keep(file.read(PIECE))
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return FolderPiece(asked, self._kept[asked])


def relocated(config: Any, places: Mapping[str, str]) -> Any:
    """The same plain data with other paths."""
    match config:
        case dict():
            return {name: relocated(value, places) for name, value in config.items()}
        case list() | tuple():
            return type(config)(relocated(value, places) for value in config)
        case str():
            return places.get(config, config)
    return config


async def settled(folder: CarriedFolder, fetch: Callable[[PieceAsked], Awaitable[bytes]]) -> str:
    """Find where the folder is on this node."""
    if not folder.always and _is_it(Path(folder.path), folder):
        return folder.path
    target = cache_folder() / "copies" / folder.mark_sha256
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    async with _alone(target.with_suffix(".lock")):
        if not _is_it(target, folder):
            await _copy(folder, target, fetch)
    return str(target)


def _is_it(place: Path, folder: CarriedFolder) -> bool:
    try:
        return sha256(read_file(place / folder.mark)).hexdigest() == folder.mark_sha256
    except OSError:
        return False


@asynccontextmanager
async def _alone(lock: Path) -> AsyncIterator[None]:
    """One worker of this node at a time; the others find what it made. Who dies lets go."""
    with lock.open("a") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                await asyncio.sleep(0.2)
        yield


async def _copy(folder: CarriedFolder, target: Path, fetch: Callable[[PieceAsked], Awaitable[bytes]]) -> None:
    """Copy a folder in full and verified, or not at all."""
    aside = target.with_suffix(".part")
    shutil.rmtree(aside, ignore_errors=True)
    shutil.rmtree(target, ignore_errors=True)
    for name, digest in [*folder.files.items(), (folder.mark, folder.mark_sha256)]:
        path = aside / name
        if not path.resolve().is_relative_to(aside.resolve()):
            raise DrrError(f"{folder.path}: names a file outside itself ({name})")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with path.open("wb") as file:
            while content := await fetch(PieceAsked(folder.path, name, file.tell())):
                file.write(content)
                if len(content) < PIECE:
                    break
        with path.open("rb") as file:
            if file_digest(file, "sha256").hexdigest() != digest:
                raise DrrError(f"{folder.path}/{name}: did not arrive as it is; is it being changed?")
    aside.rename(target)
