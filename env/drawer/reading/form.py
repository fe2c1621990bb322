"""The forms that a reader hands over: pages, sheets, a text or the size of a picture. It crosses a pipe as JSON."""

from __future__ import annotations

from typing import NotRequired, TypedDict

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
    """By number, those that hold anything."""


class ReadPicture(TypedDict):
    format: str
    width: int
    height: int


class ReadContent(TypedDict):
    pages: NotRequired[list[str]]
    sheets: NotRequired[list[ReadSheet]]
    text: NotRequired[str]
    title: NotRequired[str | None]
    """Of a page of the web."""
    picture: NotRequired[ReadPicture]


class ReadDrawing(TypedDict):
    """Pixels that we drew of a page or a picture."""

    bytes: str
    """In base64."""
    form: str
    width: int
    height: int
    boxes: list[list[list[int]]]
    """For each of the words that were looked for the boxes in which it stands."""


def bounded(content: ReadContent) -> ReadContent:
    size = len(content.get("text", "")) + sum(map(len, content.get("pages", ())))
    size += sum(len(cell) for sheet in content.get("sheets", ()) for _, row in sheet["rows"] for cell in row)
    if size > MOST_TEXT:
        raise UnreadableFile("invalid", f"holds {size:,} characters of text; at most {MOST_TEXT:,} are read")
    return content
