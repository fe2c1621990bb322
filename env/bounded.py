"""Small files of strangers: read as far as such a file may go, and refused with a `ValueError` where it goes on."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SETTINGS = 256 * 1024
"""Bytes of a file of settings."""
DOCUMENT = 64 << 20
"""Bytes of a file that is one object: a plan, a manifest, a sheet."""
LINE, LINES, MOST_LINES = 16 << 20, 1 << 30, 5_000_000
"""Bytes of a line, bytes of a file of lines, and how many it holds."""
DEEPEST = 32
_DEEP = re.compile(rf"(?:(?:(?<![\w-])[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')\s*+\.\s*+){{{DEEPEST}}}")
"""A key of so many parts: what is built for one grows with their square."""


def read_within(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"holds more than {most:,} bytes")
    return content


def read_toml(path: Path) -> dict[str, Any]:
    text = read_within(path, SETTINGS).decode("utf-8")
    if (found := _DEEP.search(text)) is not None:
        raise ValueError(
            f"line {text.count(chr(10), 0, found.start()) + 1}: a key of more than {DEEPEST} parts"
        )
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("tables within tables without end") from error


def read_lines(path: Path) -> bytes:
    """Read a file of lines, whole."""
    return b"".join(_lines(path))


def _lines(path: Path) -> Iterator[bytes]:
    left = LINES
    with path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(LINE + 1), b""), 1):
            left -= len(line)
            if len(line) > LINE:
                raise ValueError(f"line {number}: longer than {LINE:,} bytes")
            if left < 0 or number > MOST_LINES:
                raise ValueError(f"holds more than {LINES:,} bytes or {MOST_LINES:,} lines")
            yield line
