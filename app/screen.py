"""What is printed is text: a sign that a terminal would obey is shown as `\\u001b`, whoever wrote it, and never sent.

The command line puts standard output and standard error behind `Screen`, so that no command has to think of it. The form is the one
of JSON strings, so a document printed for a program keeps its meaning.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

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


class Screen:
    """A stream whose writes are text only; in all else the stream itself."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        self.stream.write(shown(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def raw(stream: TextIO) -> TextIO:
    """Behind the screen, for who draws with a terminal's own signs and shows strangers' text by `shown`."""
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
