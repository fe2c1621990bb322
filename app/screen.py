"""Safe printing: a sign that a terminal would obey is shown as `\\u001b`, whoever wrote it, and never sent.

The command line puts standard output and standard error behind `Screen`, so that no command has to think of it. The form is the one
of JSON strings, so a document printed for a program keeps its meaning.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, TextIO, cast

Tone = Literal["good", "bad", "dim", "head"]
_SIGNS: dict[Tone, str] = {"good": "32", "bad": "31", "dim": "2", "head": "1"}

# C0 but tab and line ends, DEL, C1, what turns the direction of writing, half characters; a return that ends no line overwrites it.
_OBEYED = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)"
)


def shown(text: str) -> str:
    """The same, with what a terminal would obey as something to read."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def plain(text: str) -> str:
    """A text from outside on one line."""
    return shown(" ".join(re.split(r"[\r\n\t]", text)))


class _Paint:
    """Marks of ours for colours. They have a number that no stranger's text can know, so what is no mark stays text."""

    def __init__(self) -> None:
        import secrets

        self.nonce = secrets.token_hex(8)
        self.mark = re.compile(rf"\x1b<{self.nonce}:(\d*)>")

    def on(self, text: str, tone: Tone) -> str:
        return f"\x1b<{self.nonce}:{_SIGNS[tone]}>{text}\x1b<{self.nonce}:>"


_paint: _Paint | None = None


def coloured(stream: TextIO) -> bool:
    """Only a terminal is, and only where the user did not say NO_COLOR."""
    import os

    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def painted(text: str, tone: Tone, stream: TextIO | None = None) -> str:
    """Paint for a `Screen` to colour; the text stays as it is where there is none, or no colour."""
    global _paint
    target = sys.stdout if stream is None else stream
    if not (text and isinstance(target, Screen) and coloured(target.stream)):
        return text
    if _paint is None:
        _paint = _Paint()
    return _paint.on(text, tone)


def unpainted(text: str) -> str:
    return text if _paint is None else _paint.mark.sub("", text)


class Screen:
    """A stream whose writes are text only; in all else the stream itself."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        if _paint is None or "\x1b" not in text:
            self.stream.write(shown(text))
            return len(text)
        end = 0
        for mark in _paint.mark.finditer(text):
            self.stream.write(f"{shown(text[end : mark.start()])}\x1b[{mark[1] or '0'}m")
            end = mark.end()
        self.stream.write(shown(text[end:]))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def raw(stream: TextIO) -> TextIO:
    """Return the stream behind the screen, for who draws with a terminal's own signs and shows strangers' text by `shown`."""
    while isinstance(stream, Screen):
        stream = stream.stream
    return stream


@contextmanager
def screened() -> Iterator[None]:
    out, err = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = cast(TextIO, Screen(out)), cast(TextIO, Screen(err))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err
