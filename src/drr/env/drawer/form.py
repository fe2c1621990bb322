"""The kinds of files, the documents that a reading process returns as JSON, and the errors of files."""

from __future__ import annotations

from pathlib import PurePath
from typing import Literal, NotRequired, TypedDict

from drr.env.errors import DrrError

FileProblemKind = Literal["not_found", "invalid", "unsupported", "timeout", "unavailable"]


class FileProblem(DrrError):
    """An error about a file; `kind` is one of the kinds of tool errors."""

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
"""The kind of a file by the extension of its name."""
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


def file_extension(name: str) -> str:
    return PurePath(name).suffix.lower().removeprefix(".")


def media_of(name: str) -> str | None:
    """Return the kind of a file by its name; `None` for a kind that is not read: video, sound, archives."""
    return MEDIA.get(file_extension(name))


def largest(media: str) -> int:
    return _LARGEST.get(media, LARGEST_TEXT)


def checked_file_type(name: str, data: bytes) -> str:
    """Return the kind of a file. Raises `FileProblem` for an unknown kind, an empty file, or content that does not match the name."""
    media = media_of(name)
    if media is None:
        known = ", ".join(dict.fromkeys(MEDIA))
        raise FileProblem("unsupported", f"{name}: files of this kind are not read (only {known})")
    if not data:
        raise FileProblem("invalid", f"{name}: is empty")
    starts = _STARTS.get(file_extension(name))
    # Some programs put a few bytes in front of a PDF, and readers look for it in the first thousand.
    head = data[:1024] if media == "pdf" else data[:16]
    if starts and not any(mark in head if media == "pdf" else head.startswith(mark) for mark in starts):
        raise FileProblem("invalid", f"{name}: is named .{file_extension(name)} and is no such file")
    return media


MOST_TEXT = 4_000_000
"""Longest text of one file, in characters; more is no shopper's paper."""


class UnreadableFile(Exception):
    """An error for a file that is not of its stated kind, or too large. The message follows the file's name in a sentence."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class ReadSheet(TypedDict):
    name: str
    left: int
    """The column of the first cell in each row, counted from 1."""
    rows: list[tuple[int, list[str]]]
    """Each row that is not empty, with its number."""


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
    """The pixels of a page or a picture, redrawn by this program."""

    bytes: str
    """The picture's bytes in base64."""
    form: str
    width: int
    height: int
    boxes: list[list[list[int]]]
    """Boxes around the occurrences of each word that was looked for."""


def check_content_size(content: ReadContent) -> ReadContent:
    size = len(content.get("text", "")) + sum(map(len, content.get("pages", ())))
    size += sum(len(cell) for sheet in content.get("sheets", ()) for _, row in sheet["rows"] for cell in row)
    if size > MOST_TEXT:
        raise UnreadableFile("invalid", f"holds {size:,} characters of text; at most {MOST_TEXT:,} are read")
    return content
