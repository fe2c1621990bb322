"""One raw line by a strict JSON parser, with the two repairs that real text needs, or the reason why it is no row."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn

from drr.env.json_object import JsonObject

_LONE = re.compile("[\ud800-\udfff]")
_NUL_ESCAPE = b"\\u0000"
BOM = b"\xef\xbb\xbf"


class BadLine(Exception):
    """The line goes to quarantine; `reason` is what it is counted under."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(slots=True)
class Repairs:
    """Rows in which something was mended."""

    surrogates: int = 0
    nul: int = 0

    def add(self, other: Repairs) -> None:
        self.surrogates += other.surrogates
        self.nul += other.nul


def may_need_repair(lines: bytes) -> bool:
    """Tell whether NUL occurs, which a strict parser lets through as an escape. A lone surrogate it refuses by itself."""
    return b"\0" in lines or lines.rfind(_NUL_ESCAPE) >= 0  # from the right it is found three times as fast


def parse_object(line: bytes, repairs: Repairs) -> JsonObject:
    """The object of a line, mended: lone surrogates become U+FFFD and NUL goes."""
    had_nul = b"\0" in line
    try:
        text = line.replace(b"\0", b"").decode("utf-8")
    except UnicodeDecodeError:
        raise BadLine("not_utf8") from None
    try:
        row = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise BadLine("broken_json") from None
    if not isinstance(row, dict):
        raise BadLine("not_an_object")
    if "\\u" not in text:
        repairs.nul += had_nul
        return row
    mended = _Mender()
    clean: JsonObject = mended(row)
    repairs.surrogates += mended.surrogates
    repairs.nul += mended.nul or had_nul
    return clean


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)


class _Mender:
    def __init__(self) -> None:
        self.surrogates = self.nul = False

    def __call__(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self(item) for item in value]
        if isinstance(value, dict):
            return {self._text(key): self(item) for key, item in value.items()}
        return value

    def _text(self, text: str) -> str:
        if "\0" in text:
            self.nul = True
            text = text.replace("\0", "")
        if not text.isascii() and _LONE.search(text):
            self.surrogates = True
            text = _LONE.sub("\ufffd", text)
        return text


def without_bom(line: bytes) -> bytes:
    return line.removeprefix(BOM)
