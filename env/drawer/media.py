"""The kind of file that a name promises, and whether its first bytes keep it."""

from __future__ import annotations

from pathlib import PurePath

from drr.env.drawer.problems import FileProblem

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
"""By the end of the name."""
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
