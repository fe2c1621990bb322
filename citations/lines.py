"""The lines of a report as lists are looked for in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from drr.citations.headings import may_name_list
from drr.citations.links import Link, Scan

RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
WORD = re.compile(r"\w+")
MARGIN = "".join(filter(str.isspace, map(chr, range(0x3001)))) + ">"
_BULLET = re.compile(r"[\s>]*+(?:[-*+•·‣▪–])\s+")
_MAY_BEGIN = frozenset("[\\【［(（|#>-*+•·‣▪–_<=⁂.…" + RAISED)
"""What a line begins with that may be a heading, a rule or an entry, besides spaces and digits."""


@dataclass(slots=True)
class Line:
    start: int
    end: int
    text: str
    first: str
    """Its first character behind spaces and quotation marks."""
    after_blank: bool
    links: Sequence[Link]

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip(" \t"))

    @property
    def bulleted(self) -> bool:
        return _BULLET.match(self.text) is not None

    def words_beside(self) -> list[str]:
        """List the words of the line besides its links."""
        if not self.links:
            return WORD.findall(self.text)
        parts: list[str] = []
        position = 0
        for link in self.links:
            parts.append(self.text[position : link.start - self.start])
            position = link.end - self.start
        parts.append(self.text[max(position, 0) :])
        return WORD.findall(" ".join(parts))


class Lines:
    """The lines that are not blank. Each is made when it is asked for: most of half a million need not be."""

    def __init__(self, scan: Scan) -> None:
        self.texts: list[str] = []
        self.links: dict[int, list[Link]] = {}
        self._starts: list[int] = []
        self._parted: set[int] = set()
        blank = True
        upcoming = iter(scan.links)
        link = next(upcoming, None)
        start = 0
        windows = "\r" in scan.plain
        for text in scan.plain.split("\n"):
            end = start + len(text)
            if windows:
                text = text.rstrip("\r")
            filled = text != "" and not text.isspace()
            while link is not None and link.start < end:
                if filled:
                    self.links.setdefault(len(self.texts), []).append(link)
                link = next(upcoming, None)
            if filled:
                if blank:
                    self._parted.add(len(self.texts))
                self.texts.append(text)
                self._starts.append(start)
            blank = not filled
            start = end + 1

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, index: int) -> Line:
        text, start = self.texts[index], self._starts[index]
        first = text[0] if text[0].isalnum() else text.lstrip(MARGIN)[:1]
        return Line(start, start + len(text), text, first, index in self._parted, self.links.get(index, ()))

    def says_nothing(self, index: int) -> bool:
        """Outside any list: neither a heading nor an entry nor the label of a list."""
        if index in self.links:
            return False
        text = self.texts[index]
        first = text[0]
        if first in _MAY_BEGIN or first.isspace() or first.isdecimal():
            return False
        return not may_name_list(text[:60])
