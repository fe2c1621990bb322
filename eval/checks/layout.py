"""A report as lines, sections and tables: what a reader sees as belonging together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Literal

Kind = Literal["heading", "title", "item", "row", "head_row", "rule_row", "text", "elision"]

_ROWS = frozenset[Kind](("row", "head_row", "rule_row"))
_LINE = re.compile(r"[^\n]+")
_SENTENCE = re.compile(r"[^\n.!?]+(?:[.!?](?!\s|$)[^\n.!?]*)*[.!?]?")
_HEADING = re.compile(r"\s*(#{1,6})\s+")
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?:[-*+•·‣▪–]|\d{1,3}[.)])\s+")
_TITLE = re.compile(r"\s*(?:[-*+]\s+|\d{1,3}[.)]\s+)?(?:\*\*|__).+?(?:\*\*|__)")
_RULE_ROW = re.compile(r"\s*+\|?+\s*+:?-(?:-++:?\s*+\|?|:?\s*+\|)\s*+(?::?-++:?\s*+\|?\s*+)*+$")
_DIGIT = re.compile(r"\d")
_LONGEST, _TRIED = 3_000, 40
"""Characters of a sentence."""
_BLANK = re.compile(r"(?P<mark>[,;])?\s")
_ELISION = re.compile(r"\s*(?:[-*]\s*)?(?:\.{3,}|…+|\[\.\.\.\]|\[…\]|\(\.\.\.\))\s*$")


@dataclass(slots=True)
class TextLine:
    start: int
    end: int
    kind: Kind
    text: str
    indent: int = 0
    level: int = 0
    """Of a heading; 7 for a bold line that stands for one."""
    after_blank: bool = False
    cells: list[tuple[int, int]] = field(default_factory=list)
    header: list[str] = field(default_factory=list)
    """Of the table, on its rows."""
    table: int = -1
    """Which table the row is in."""

    @property
    def is_row(self) -> bool:
        """Of a table, its head and its rule too."""
        return self.kind in _ROWS


@dataclass
class Layout:
    lines: list[TextLine]

    @cached_property
    def starts(self) -> list[int]:
        return [line.start for line in self.lines]

    def section_of(self, index: int) -> tuple[int, int]:
        """Lines of the innermost section around a line: from its heading to the next of the same depth."""
        low = self.opened_by[index]
        return low, self.section_end(low)

    @cached_property
    def opened_by(self) -> list[int]:
        """For each line the heading above it, 0 where there is none."""
        headings = (index if line.kind == "heading" else 0 for index, line in enumerate(self.lines))
        return list(accumulate(headings, max))

    def section_end(self, index: int) -> int:
        """One past the last line of the section that a heading opens."""
        level = self.lines[index].level or 9
        high = index + 1
        while high < len(self.lines) and not (
            self.lines[high].kind == "heading" and self.lines[high].level <= level
        ):
            high += 1
        return high


def layout(body: str) -> Layout:
    """The lines of a body (lists and code already blanked); offsets are those of the report."""
    return Layout(list(_Lines(body).read()))


class _Lines:
    """A body read line by line: where a table begins and ends depends on what stands around a line."""

    def __init__(self, body: str) -> None:
        self._body = body
        self._spans = [match.span() for match in _LINE.finditer(body) if not match[0].isspace()]
        self._in_table = False
        self._table = -1
        self._header: list[str] = []

    def read(self) -> Iterator[TextLine]:
        last_end = 0
        for index, (start, end) in enumerate(self._spans):
            text = self._body[start:end]
            below = self._body[slice(*self._spans[index + 1])] if index + 1 < len(self._spans) else ""
            line = TextLine(start, end, "text", text)
            line.after_blank = self._body.count("\n", last_end, start) > 1
            last_end = end
            if not self._read_row(line, below):
                self._in_table = False
                _read_prose(line)
            yield line

    def _read_row(self, line: TextLine, below: str) -> bool:
        """Whether the line is one of a table's."""
        separator = "|" if "|" in line.text else "\t"
        if separator not in line.text.strip() or _HEADING.match(line.text):
            return False
        begins = not self._in_table or line.after_blank
        ruled = separator == "|" and _RULE_ROW.match(below) is not None
        if begins and (ruled or _is_row(line.text, separator, below)):
            self._in_table = True
            self._table += 1
            self._header = []
        if self._in_table:
            line.table = self._table
            self._enter_row(
                line, separator, heads=begins and (ruled or _is_tabbed_head(line.text, separator))
            )
        return self._in_table

    def _enter_row(self, line: TextLine, separator: str, *, heads: bool) -> None:
        if _RULE_ROW.match(line.text):
            line.kind = "rule_row"
            return
        line.cells = _cells(line.text, line.start, separator)
        if heads:
            line.kind = "head_row"
            self._header = [_bare(self._body[low:high]) for low, high in line.cells]
        else:
            line.kind, line.header = "row", self._header


def _is_row(text: str, separator: str, below: str) -> bool:
    """A row that shows without a rule under it that it begins a table."""
    return text.lstrip().startswith("|") or (separator == "\t" and "\t" in below)


def _is_tabbed_head(text: str, separator: str) -> bool:
    return separator == "\t" and not _DIGIT.search(text)


def _read_prose(line: TextLine) -> None:
    """What a line outside tables is."""
    text = line.text
    if heading := _HEADING.match(text):
        line.kind, line.level = "heading", len(heading[1])
    elif _ELISION.match(text):
        line.kind = "elision"
    elif item := _ITEM.match(text):
        line.kind, line.indent = "item", len(item["indent"].expandtabs(4))
    elif _TITLE.match(text):
        line.kind = "title"
    else:
        line.indent = len(text) - len(text.lstrip())


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """The stretches between full stops and ends of lines that hold anything."""
    for match in _SENTENCE.finditer(text):
        if match[0].strip():
            yield match.span()


def pieces(body: str, start: int, end: int, is_held: Callable[[int], bool]) -> Iterator[tuple[int, int]]:
    """A stretch that runs on without an end, as `$1, $1, $1` for pages, in parts that are no longer than a sentence may be: all that reads a sentence for each of its figures
    would be quadratic in it. It is cut behind a comma if there is one, and where nothing holds the place together.
    """
    while end - start > _LONGEST:
        blanks = list(_BLANK.finditer(body, start + _LONGEST // 2, start + _LONGEST))
        last = sorted(blanks, key=lambda one: (one["mark"] is not None, one.start()))[: -_TRIED - 1 : -1]
        cut = next((one.end() for one in last if not is_held(one.start())), start + _LONGEST)
        yield start, cut
        start = cut
    yield start, end


def _cells(text: str, start: int, separator: str) -> list[tuple[int, int]]:
    low = start
    spans = []
    for part in text.split(separator):
        spans.append((low, low + len(part)))
        low += len(part) + 1
    if separator == "|" and spans:
        stripped = text.strip()
        if stripped.startswith("|"):
            spans = spans[1:]
        if stripped.endswith("|") and len(stripped) > 1:
            spans = spans[:-1]
    return spans


def _bare(text: str) -> str:
    return re.sub(r"[*_`]|<[^<>]*>", "", text).strip().casefold()
