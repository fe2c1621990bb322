"""Text as people save it: UTF-8, or UTF-16 that says so."""

from __future__ import annotations

import codecs

from drr.env.drawer.reading.form import ReadContent, UnreadableFile

_MARKED = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def decoded(data: bytes) -> str:
    encoding = next((name for mark, name in _MARKED if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise UnreadableFile("invalid", f"is not {encoding[:6].upper()} at byte {error.start}") from error
    if "\x00" in text:
        raise UnreadableFile("invalid", "holds bytes that no text has")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_text(data: bytes) -> ReadContent:
    return {"text": decoded(data)}
