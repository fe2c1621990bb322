"""A report as lines, sections and tables: what a reader sees as belonging together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["heading", "title", "item", "row", "head_row", "rule_row", "text", "elision"]

_ROWS = frozenset[Kind](("row", "head_row", "rule_row"))
_LINE = re.compile(r"[^\n]+")
_HEADING = re.compile(r"\s*(#{1,6})\s+")
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?:[-*+•·‣▪–]|\d{1,3}[.)])\s+")
_TITLE = re.compile(r"\s*(?:[-*+]\s+|\d{1,3}[.)]\s+)?(?:\*\*|__).+?(?:\*\*|__)")
_RULE_ROW = re.compile(r"\s*+\|?+\s*+:?-(?:-++:?\s*+\|?|:?\s*+\|)\s*+(?::?-++:?\s*+\|?\s*+)*+$")
_DIGIT = re.compile(r"\d")
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
        """Tell whether it is a row of a table, its head and its rule too."""
        return self.kind in _ROWS


@dataclass
class Layout:
    lines: list[TextLine]


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
        """Tell whether the line is one of a table's."""
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
    """Tell whether a row shows without a rule under it that it begins a table."""
    return text.lstrip().startswith("|") or (separator == "\t" and "\t" in below)


def _is_tabbed_head(text: str, separator: str) -> bool:
    return separator == "\t" and not _DIGIT.search(text)


def _read_prose(line: TextLine) -> None:
    """Tell what a line outside tables is."""
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
