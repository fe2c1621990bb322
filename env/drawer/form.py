"""Kinds of files, the forms that a reader hands over, and the reasons why a file cannot be read. A form crosses a pipe as JSON."""

from __future__ import annotations

from pathlib import PurePath
from typing import Literal, NotRequired, TypedDict

from drr.env.errors import DrrError

FileProblemKind = Literal["not_found", "invalid", "unsupported", "timeout", "unavailable"]


class FileProblem(DrrError):
    """`kind` is one of those that tools' errors have."""

    def __init__(self, kind: FileProblemKind, message: str) -> None:
        super().__init__(message)
        self.kind: FileProblemKind = kind
        self.message = message


MEDIA = {
    "pdf": "pdf",
    "xlsx": "xlsx",
    "csv": "csv",
    "eml": "eml",
    "html": "html",
    "htm": "html",
    "md": "text",
    "txt": "text",
    "png": "picture",
    "jpg": "picture",
    "jpeg": "picture",
}
"""Kinds of files by the ending of their names."""
LABELS = {
    "pdf": "PDF",
    "xlsx": "workbook",
    "csv": "table",
    "eml": "mail",
    "html": "web page",
    "text": "text",
    "picture": "picture",
}
_STARTS = {
    "pdf": (b"%PDF-",),
    "xlsx": (b"PK\x03\x04",),
    "png": (b"\x89PNG\r\n\x1a\n",),
    "jpg": (b"\xff\xd8\xff",),
    "jpeg": (b"\xff\xd8\xff",),
}
_LARGEST = {"pdf": 32 << 20, "xlsx": 16 << 20, "picture": 16 << 20}
LARGEST_TEXT = 4 << 20
PICTURE_TYPES = {"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg"}


def ending(name: str) -> str:
    return PurePath(name).suffix.lower().removeprefix(".")


def media_of(name: str) -> str | None:
    """`None` for a kind that is not read: video, sound, archives."""
    return MEDIA.get(ending(name))


def largest(media: str) -> int:
    return _LARGEST.get(media, LARGEST_TEXT)


def checked(name: str, data: bytes) -> str:
    """Return the kind of this file. `FileProblem` where it is none that is read, empty, or something else than its name says."""
    media = media_of(name)
    if media is None:
        known = ", ".join(dict.fromkeys(MEDIA))
        raise FileProblem("unsupported", f"{name}: files of this kind are not read (only {known})")
    if not data:
        raise FileProblem("invalid", f"{name}: is empty")
    starts = _STARTS.get(ending(name))
    # Some programs put a few bytes in front of a PDF, and readers look for it in the first thousand.
    head = data[:1024] if media == "pdf" else data[:16]
    if starts and not any(mark in head if media == "pdf" else head.startswith(mark) for mark in starts):
        raise FileProblem("invalid", f"{name}: is named .{ending(name)} and is no such file")
    return media


MOST_TEXT = 4_000_000
"""Characters of one file; what holds more is no shopper's paper."""


class UnreadableFile(Exception):
    """A file that is not what its name says, or more than is read; the sentence follows its name."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class ReadSheet(TypedDict):
    name: str
    left: int
    """Column of the first cell of each row, from 1."""
    rows: list[tuple[int, list[str]]]
    """Rows that hold anything, each with its number."""


class ReadPicture(TypedDict):
    format: str
    width: int
    height: int


class ReadContent(TypedDict):
    pages: NotRequired[list[str]]
    sheets: NotRequired[list[ReadSheet]]
    text: NotRequired[str]
    title: NotRequired[str | None]
    """The title of a web page."""
    picture: NotRequired[ReadPicture]


class ReadDrawing(TypedDict):
    """Pixels that we drew of a page or a picture."""

    bytes: str
    """The bytes in base64."""
    form: str
    width: int
    height: int
    boxes: list[list[list[int]]]
    """Boxes of each of the words that were looked for."""


def bounded(content: ReadContent) -> ReadContent:
    size = len(content.get("text", "")) + sum(map(len, content.get("pages", ())))
    size += sum(len(cell) for sheet in content.get("sheets", ()) for _, row in sheet["rows"] for cell in row)
    if size > MOST_TEXT:
        raise UnreadableFile("invalid", f"holds {size:,} characters of text; at most {MOST_TEXT:,} are read")
    return content
