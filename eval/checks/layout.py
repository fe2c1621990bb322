"""A report as lines, sections and tables: what a reader sees as belonging together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Literal

Kind = Literal["heading", "title", "item", "row", "head_row", "rule_row", "text", "elision"]

_HEADING = re.compile(r"\s*(#{1,6})\s+")
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?:[-*+•·‣▪–]|\d{1,3}[.)])\s+")
_TITLE = re.compile(r"\s*(?:[-*+]\s+|\d{1,3}[.)]\s+)?(?:\*\*|__).+?(?:\*\*|__)")
_RULE_ROW = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
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
    lines: list[TextLine] = []
    last_end = 0
    table = -1
    header: list[str] = []
    in_table = False
    spans = [match.span() for match in re.finditer(r"[^\n]+", body) if not match[0].isspace()]
    for index, (start, end) in enumerate(spans):
        text = body[start:end]
        blank = body.count("\n", last_end, start) > 1
        last_end = end
        following = body[slice(*spans[index + 1])] if index + 1 < len(spans) else ""
        if ("|" in text or "\t" in text.strip()) and not _HEADING.match(text):
            separator = "|" if "|" in text else "\t"
            begins = not in_table or blank
            ruled = separator == "|" and _RULE_ROW.match(following) is not None
            if begins and (
                ruled or text.lstrip().startswith("|") or (separator == "\t" and "\t" in following)
            ):
                in_table = True
                table += 1
                header = []
            if in_table:
                cells = _cells(text, start, separator)
                if _RULE_ROW.match(text):
                    lines.append(TextLine(start, end, "rule_row", text, after_blank=blank, table=table))
                    continue
                if begins and (ruled or (separator == "\t" and not re.search(r"\d", text))):
                    header = [_bare(body[low:high]) for low, high in cells]
                    lines.append(
                        TextLine(start, end, "head_row", text, after_blank=blank, cells=cells, table=table)
                    )
                    continue
                lines.append(
                    TextLine(
                        start, end, "row", text, after_blank=blank, cells=cells, header=header, table=table
                    )
                )
                continue
        in_table = False
        heading = _HEADING.match(text)
        item = _ITEM.match(text)
        if heading:
            lines.append(TextLine(start, end, "heading", text, level=len(heading[1]), after_blank=blank))
        elif _ELISION.match(text):
            lines.append(TextLine(start, end, "elision", text, after_blank=blank))
        elif item:
            indent = len(item["indent"].expandtabs(4))
            lines.append(TextLine(start, end, "item", text, indent=indent, after_blank=blank))
        elif _TITLE.match(text):
            lines.append(TextLine(start, end, "title", text, after_blank=blank))
        else:
            lines.append(
                TextLine(start, end, "text", text, indent=len(text) - len(text.lstrip()), after_blank=blank)
            )
    return Layout(lines)


_SENTENCE = re.compile(r"[^\n.!?]+(?:[.!?](?!\s|$)[^\n.!?]*)*[.!?]?")


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """The stretches between full stops and ends of lines that hold anything."""
    for match in _SENTENCE.finditer(text):
        if match[0].strip():
            yield match.span()


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
