"""Splits a report into blocks: paragraphs, list items, rows of tables, headings, and lines that only cite."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from drr.eval.evidence.passages import plain

HOLD = "\ue000"
"""Stands for each character of a citation in the text."""
_LINE = re.compile(r"[^\n]+")
_BULLET = re.compile(r"[\s>]*+(?:[-*+•·‣▪–]|\d{1,3}[.)]|\[[ xX]\])\s+")
_HEADING = re.compile(r"[\s>]*+#{1,6}\s")
_BOLD_ONLY = re.compile(r"[\s>]*+(?:\*\*|__)[^*_]+(?:\*\*|__)[:：]?\s*$")
_TABLE_RULE = re.compile(r"[\s:|-]+")
_DECORATION = re.compile(r"\*\*|__|(?<!\w)[*_]|[*_](?!\w)|^[^\S\n]*+>+\s?|^[^\S\n]*+#{1,6}\s+", re.M)
_LABEL_ONLY = re.compile(r"(?:sources?|references?|citations?|see also|来源|参考)\W*$", re.I)


@dataclass(slots=True)
class ReportBlock:
    kind: str
    """Kind: text, item, row, title, heading or cluster (citations alone)."""
    start: int
    end: int
    header: tuple[str, ...] = ()
    indent: int = 0
    bulleted: bool = False
    parted: bool = False
    """True if a blank line stands above."""


def section_heads(body: str) -> Iterator[tuple[int, int]]:
    """Yield the places of the headings."""
    return (line.span() for line in _LINE.finditer(body) if _HEADING.match(line[0]))


def is_bold_name(text: str) -> bool:
    """Tell whether a text is only words in bold letters, beside its citations."""
    return _BOLD_ONLY.match(text.replace(HOLD, "").rstrip()) is not None


def undecorated(text: str) -> str:
    return _DECORATION.sub("", text)


class BlocksOfReport:
    """Groups lines into blocks: a paragraph, a list item with its further lines, a table row under its header."""

    def __init__(self, text: str, heads: str) -> None:
        self._held = text
        self._heads = heads
        """Text from which a table's head is read: one with its links where their words count."""
        self._current: ReportBlock | None = None
        self._parted = True
        self._header: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[ReportBlock]:
        kept = self._held
        last_end = 0
        lines = [match.span() for match in _LINE.finditer(kept)]
        for (start, end), after in pairwise([*lines, (0, 0)]):
            line = kept[start:end]
            parted = kept.count("\n", last_end, start) > 1
            last_end = end
            self._parted = self._parted or parted or line.isspace()
            if parted or line.isspace():
                yield from self._close_block()
            if line.isspace():
                continue
            if parted:
                self._header = ()
            yield from self._read(line, start, _is_table_rule(kept[slice(*after)]))
            self._parted = False
        yield from self._close_block()

    def _read(self, line: str, start: int, before_rule: bool) -> Iterator[ReportBlock]:
        end = start + len(line)
        kind = _table_kind(line, in_table=bool(self._header), before_rule=before_rule) or _kind(line)
        if kind == "text" and self._current is not None:
            self._current.end = end
            return
        yield from self._close_block()
        begin = start + len(line) - len(line.lstrip())
        bullet = _BULLET.match(line)
        margin = line[: len(line) - len(line.lstrip(" \t>"))].expandtabs(4)
        block = ReportBlock(kind, begin, end, (), len(margin), bullet is not None, self._parted)
        if kind == "row":
            block.header = self._header
            yield block
        elif kind != "table_rule":
            self._header = _cells(plain(self._heads[start:end])) if kind == "table_head" else ()
        if kind == "item":
            block.start = start + (bullet.end() if bullet else 0)
        if kind in ("item", "text"):
            self._current = block
        elif kind in ("title", "heading", "cluster"):
            yield block

    def _close_block(self) -> Iterator[ReportBlock]:
        if self._current is not None:
            yield self._current
        self._current = None


def _table_kind(line: str, *, in_table: bool, before_rule: bool) -> str | None:
    if "|" not in line:
        return None
    if before_rule:
        return "table_head"
    if _is_table_rule(line):
        return "table_rule"
    return "row" if in_table or line.lstrip().startswith("|") else None


def _is_table_rule(line: str) -> bool:
    return "--" in line and _TABLE_RULE.fullmatch(line) is not None


def _kind(line: str) -> str:
    if _HEADING.match(line):
        return "heading"
    words = line.replace(HOLD, "")
    if is_bold_name(words):
        return "title"
    bare = words.strip("[](),;.*_- \t")
    if not bare or (HOLD in line and _LABEL_ONLY.match(bare)):
        return "cluster"
    return "item" if _BULLET.match(line) else "text"


def _cells(row: str) -> tuple[str, ...]:
    return tuple(undecorated(cell).strip() for cell in row.strip().strip("|").split("|"))
