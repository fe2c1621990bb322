"""Text for a terminal: tables fitted to its width, and strangers' text without control characters."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TextIO, cast

if TYPE_CHECKING:
    from drr.eval.stats.intervals import VRow


Tone = Literal["good", "bad", "dim", "head"]
_SIGNS: dict[Tone, str] = {"good": "32", "bad": "31", "dim": "2", "head": "1"}

# C0 but tab and line ends, DEL, C1, what turns the direction of writing, half characters; a return that ends no line overwrites it.
_OBEYED = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)"
)


def shown(text: str) -> str:
    """Return the text with characters that a terminal would obey replaced by readable escapes."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def plain(text: str) -> str:
    """Return a text from outside on one line, with control characters made readable."""
    return shown(" ".join(re.split(r"[\r\n\t]", text)))


class _Paint:
    """Internal marks for colours. Each mark holds a random number that a stranger's text cannot know, so that a forged mark stays plain text."""

    def __init__(self) -> None:
        self.nonce = os.urandom(8).hex()
        self.mark = re.compile(rf"\x1b<{self.nonce}:(\d*)>")

    def on(self, text: str, tone: Tone) -> str:
        return f"\x1b<{self.nonce}:{_SIGNS[tone]}>{text}\x1b<{self.nonce}:>"


_paint: _Paint | None = None


def coloured(stream: TextIO) -> bool:
    """Return True if the stream is a terminal and the user did not set NO_COLOR."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def with_colour(text: str, tone: Tone) -> str:
    """Return the text with colour marks for a `Screen`; unchanged if standard output is no coloured screen."""
    global _paint
    target = sys.stdout
    if not (text and isinstance(target, Screen) and coloured(target.stream)):
        return text
    if _paint is None:
        _paint = _Paint()
    return _paint.on(text, tone)


def without_colour(text: str) -> str:
    return text if _paint is None else _paint.mark.sub("", text)


class Screen:
    """A stream wrapper that writes control characters readably and colour marks as colours; all else passes to the stream."""

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


def unscreened_stream(stream: TextIO) -> TextIO:
    """Return the stream behind the screen, for code that draws with control characters and passes strangers' text through `shown`."""
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


GAP = 2
LEAST_TEXT = 24
"""Smallest width of a column of flowing text, in characters."""
_NUMBER = re.compile(r"[-+$<]{0,2}\d[\d,.]*(?: ?[%a-z]{1,2})?|-|–|")


class Column(NamedTuple):
    head: str
    rank: int = 0
    """Order in which a narrow terminal leaves columns out: the highest rank first."""
    flows: bool = False
    """True for a column of sentences, which may be wrapped."""


Row = Sequence[str]


_wide: ContextVar[bool] = ContextVar("wide", default=False)


@contextmanager
def wide(every_column: bool = True) -> Iterator[None]:
    """Show all columns of tables inside the `with` block, however narrow the terminal is (`--wide`)."""
    before = _wide.set(every_column)
    try:
        yield
    finally:
        _wide.reset(before)


def screen() -> int | None:
    """Return the width of the terminal; `None` if standard output is no terminal or `wide` is in force."""
    return get_terminal_size().columns if sys.stdout.isatty() and not _wide.get() else None


def verdict(holds: bool, good: str = "ok", bad: str = "FAILS") -> str:
    tone: Tone = "good" if holds else "bad"
    return with_colour(good if holds else bad, tone)


def wrapped_paragraph(text: str, indent: int = 0) -> str:
    """Wrap a paragraph to the terminal, with all lines but the first indented; without a terminal, return it unchanged."""
    room = screen()
    return (
        text if room is None else "\n".join(wrap(text, room, subsequent_indent=" " * min(indent, room // 2)))
    )


def flowed(text: str, hang: int = 4) -> str:
    """Wrap each line to the terminal, with continuation lines indented by `hang`; without a terminal, return the text unchanged. Addresses are never broken."""
    room = screen()
    if room is None:
        return text
    return "\n".join(line for one in text.split("\n") for line in _flow_line(one, hang, room))


def _flow_line(line: str, hang: int, room: int) -> list[str]:
    if len(line) <= room:
        return [line]
    under = " " * min(len(line) - len(line.lstrip()) + hang, room // 2)
    return wrap(line, room, subsequent_indent=under, break_long_words=False, break_on_hyphens=False)


def table(head: Sequence[str | Column], rows: Sequence[Row], *, width: int | None = None) -> str:
    """Return a table as text, fitted to `width`, else to the terminal's width."""
    columns = [Column(one) if isinstance(one, str) else one for one in head]
    room = screen() if width is None else width
    if room is None:
        return _draw_table(columns, rows, _widths(columns, rows), right=())
    kept = _columns_that_fit(columns, rows, room)
    drawn = _fit_table([columns[i] for i in kept], [[row[i] for i in kept] for row in rows], room)
    left_out = [column.head for i, column in enumerate(columns) if i not in kept]
    if left_out:
        note = f"not shown, for want of room: {', '.join(left_out)} (--wide or --json has all)"
        drawn += "\n" + "\n".join(with_colour(line, "dim") for line in wrap(note, room))
    return drawn


def _fit_table(columns: Sequence[Column], rows: Sequence[Row], room: int) -> str:
    widths = _widths(columns, rows)
    right = [
        i for i in range(1, len(columns)) if all(_NUMBER.fullmatch(without_colour(row[i])) for row in rows)
    ]
    for i, column in enumerate(columns):
        if column.flows:
            widths[i] = max(LEAST_TEXT, widths[i] - max(0, _total(widths) - room))
            rows = [line for row in rows for line in _wrap_cell(row, i, widths[i])]
    return _draw_table(columns, rows, widths, right)


def _widths(columns: Sequence[Column], rows: Sequence[Row]) -> list[int]:
    return [max(len(column.head), *(_length(row[i]) for row in rows), 0) for i, column in enumerate(columns)]


def _length(cell: str) -> int:
    return len(without_colour(cell))


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def _columns_that_fit(columns: Sequence[Column], rows: Sequence[Row], room: int) -> list[int]:
    """Return the indexes of the columns that fit into the width."""
    widths = [
        min(width, LEAST_TEXT) if column.flows else width
        for column, width in zip(columns, _widths(columns, rows), strict=True)
    ]
    kept = list(range(len(columns)))
    while len(kept) > 1 and _total([widths[i] for i in kept]) > room:
        kept.remove(max(kept[1:], key=lambda i: (columns[i].rank, i)))
    return kept


def _wrap_cell(row: Row, place: int, width: int) -> list[Row]:
    first, *others = wrap(row[place], width) or [""]
    blank = [""] * len(row)
    return [_with(row, place, first), *(_with(blank, place, line) for line in others)]


def _with(row: Row, place: int, cell: str) -> Row:
    return [*row[:place], cell, *row[place + 1 :]]


def _draw_table(
    columns: Sequence[Column], rows: Sequence[Row], widths: Sequence[int], right: Sequence[int]
) -> str:
    def line(cells: Row) -> str:
        padded = []
        for i, (cell, width) in enumerate(zip(cells, widths, strict=True)):
            room = " " * (width - _length(cell))
            padded.append(room + cell if i in right else cell + room)
        return (" " * GAP).join(padded).rstrip()

    first = line([column.head for column in columns])
    return "\n".join([with_colour(first, "head"), "-" * len(first), *(line(row) for row in rows)])


def number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:z.{digits}f}"


def p_value(p: float | None) -> str:
    """Return a p-value as text; a tiny one is `<0.001`, never 0."""
    return "<0.001" if p is not None and p < 0.0005 else number(p)


def with_interval(v: VRow, digits: int = 3, *, usual: int | None = None) -> str:
    """Return a value with its interval and number of questions, such as `0.712 [0.655, 0.760] n=50`.

    The number is left out where `usual` answers have the figure, unless all values are equal.
    """
    tasks, equal = v.get("tasks"), v.get("all_equal", False)
    whole = v["n"] == usual and not v["n_unscored"]
    counted = "" if whole and not equal else f" n={v.get('questions', v['n'])}"
    counted += f" of {tasks} tasks" if tasks else ""
    if equal:
        counted = f" on each of {v['n']}" if "p" in v else f" all equal ({counted.strip()})"
    lost = f" ({v['n_unscored']} unscored)" if v["n_unscored"] and usual is None else ""
    if v["value"] is None:
        return f"-{counted}{lost}"
    span = f" [{v['ci_low']:z.{digits}f}, {v['ci_high']:z.{digits}f}]" if v["ci_low"] is not None else ""
    sign = "+" if equal and "p" in v else ""
    return f"{v['value']:{sign}z.{digits}f}{span}{counted}{lost}"
