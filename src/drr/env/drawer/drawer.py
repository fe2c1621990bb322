"""The files attached to one question (its drawer), each read by the name that its owner gave it."""

from __future__ import annotations

import os
import stat
from base64 import b64decode
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import NamedTuple, Protocol, runtime_checkable

from drr.citations.files import Box
from drr.env.drawer.content import FileContent
from drr.env.drawer.form import (
    PICTURE_TYPES,
    FileProblem,
    ReadContent,
    checked_file_type,
    file_extension,
    largest,
    media_of,
)
from drr.env.drawer.process import FileReader

_KEPT_FILES, _KEPT_TEXT = 256, 64_000_000


class DrawnPage(NamedTuple):
    """A page of a PDF or a picture, redrawn by this program."""

    mime_type: str
    data: bytes
    width: int
    height: int
    boxes: tuple[tuple[Box, ...], ...]
    """Boxes around the occurrences of each word that was looked for."""


class FilePicture(NamedTuple):
    """A picture as it is sent to a model."""

    name: str
    mime_type: str
    data: bytes
    width: int
    height: int


@runtime_checkable
class WithFiles(Protocol):
    """A world whose question has files attached."""

    @property
    def files(self) -> AttachedFiles: ...


class ReadFiles:
    """A cache of the files read so far, by kind and content, limited in files and characters. Each process reads a file once."""

    def __init__(self) -> None:
        self._reader, self._lock = FileReader(), Lock()
        self._found: OrderedDict[tuple[str, str], ReadContent | FileProblem] = OrderedDict()
        self._sizes: dict[tuple[str, str], int] = {}

    def content(self, name: str, media: str, data: bytes) -> FileContent:
        key = (media, sha256(data).hexdigest())
        with self._lock:
            found = self._found.get(key)
            if found is not None:
                self._found.move_to_end(key)
        if found is None:
            found = self._read(name, media, data)
            if (
                not isinstance(found, FileProblem) or found.kind != "timeout"
            ):  # which says more of the machine
                self._keep(key, found)
        if isinstance(found, FileProblem):
            raise FileProblem(found.kind, f"{name}: {found.message.partition(': ')[2] or found.message}")
        return FileContent.of(name, media, found)

    def _read(self, name: str, media: str, data: bytes) -> ReadContent | FileProblem:
        try:
            return self._reader.read("it", media, data)
        except FileProblem as problem:
            return problem

    def drawn(self, name: str, media: str, data: bytes, page: int, words: Sequence[str]) -> DrawnPage:
        """Draw a page of a PDF or a picture. Drawings are not cached."""
        made = self._reader.draw(name, media, data, page, words)
        boxes = tuple(tuple(Box(*box) for box in own) for own in made["boxes"])
        kind = f"image/{made['form'].lower()}"
        return DrawnPage(kind, b64decode(made["bytes"]), made["width"], made["height"], boxes)

    def _keep(self, key: tuple[str, str], found: ReadContent | FileProblem) -> None:
        with self._lock:
            self._found[key], self._sizes[key] = found, _size(found)
            while len(self._found) > _KEPT_FILES or sum(self._sizes.values()) > _KEPT_TEXT:
                if len(self._found) == 1:
                    break
                oldest, _ = self._found.popitem(last=False)
                del self._sizes[oldest]

    def close(self) -> None:
        self._reader.close()


def _size(found: ReadContent | FileProblem) -> int:
    if isinstance(found, FileProblem):
        return len(found.message)
    cells = (len(cell) + 8 for sheet in found.get("sheets", ()) for _, row in sheet["rows"] for cell in row)
    return len(found.get("text", "")) + sum(map(len, found.get("pages", ()))) + sum(cells) + 100


SHARED = ReadFiles()
"""The cache of files that this process has read."""


@dataclass(frozen=True)
class AttachedFiles:
    """The files attached to a question. Only the files in `names` exist for a caller, whatever else the folder holds, and no link is followed."""

    folder: Path
    names: Sequence[str]
    read_files: ReadFiles = field(default=SHARED, repr=False, compare=False)

    def bytes_of(self, name: str) -> bytes:
        """Read a file's bytes. Raises `FileProblem` for a name that is not listed, and for anything but a plain file within the size limit."""
        if name not in self.names or "/" in name or "\\" in name or name in (".", ".."):
            raise FileProblem("not_found", f"There is no file {name[:100]!r} here; {self._known_files()}.")
        try:
            return _plain_bytes(self.folder, name, largest(media_of(name) or "text"))
        except FileNotFoundError:
            raise FileProblem("not_found", f"{name}: is not there any more") from None
        except OSError as error:
            raise FileProblem(
                "invalid", f"{name}: is no plain file that can be opened ({error.strerror})"
            ) from None

    def content(self, name: str) -> FileContent:
        if media_of(name) is None and name in self.names:
            checked_file_type(name, b"")
        data = self.bytes_of(name)
        return self.read_files.content(name, checked_file_type(name, data), data)

    def picture(self, name: str) -> FilePicture:
        content = self.content(name)
        if content.picture is None:
            raise FileProblem("invalid", f"{name}: is no picture; read_file reads it")
        size = content.picture
        return FilePicture(
            name, PICTURE_TYPES[file_extension(name)], self.bytes_of(name), size["width"], size["height"]
        )

    def drawn(self, name: str, page: int = 1, words: Sequence[str] = ()) -> DrawnPage:
        """Draw a page of a PDF or a picture, with the boxes of words in it. Raises `FileProblem` if it cannot be drawn."""
        data = self.bytes_of(name)
        media = checked_file_type(name, data)
        if media not in ("pdf", "picture"):
            raise FileProblem("invalid", f"{name}: is nothing that is drawn")
        return self.read_files.drawn(name, media, data, page, words)

    @cached_property
    def content_hash(self) -> str:
        """Hash the names and bytes of all files. A file that cannot be opened is hashed by its problem."""
        digest = sha256(b"drr-drawer-1")
        for name in self.names:
            try:
                part = sha256(self.bytes_of(name)).hexdigest()
            except FileProblem as problem:
                part = f"{problem.kind}: {problem.message}"
            digest.update(f"{name}\0{part}\n".encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def _known_files(self) -> str:
        if not self.names:
            return "there are no files"
        more = f" and {len(self.names) - 20} more" if len(self.names) > 20 else ""
        return (
            f"there are {', '.join(self.names[:20])}{more}"
            if len(self.names) > 1
            else f"there is {self.names[0]}"
        )


def _plain_bytes(folder: Path, name: str, most: int) -> bytes:
    """Read a file relative to its opened folder, so that neither the folder nor the file may be a link."""
    within = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=within)
    finally:
        os.close(within)
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise FileProblem("invalid", f"{name}: is no plain file")
        if found.st_size > most:
            raise FileProblem("invalid", f"{name}: has {found.st_size:,} bytes; at most {most:,} are read")
        return file.read(most + 1)[:most]
