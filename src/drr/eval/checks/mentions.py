"""Finds mentions of the shop's products in a report: links, ids, and names that can only be one product's."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal, NamedTuple

from drr.citations.hidden import blank_spans
from drr.citations.parse import Marker
from drr.eval.checks.base import Subject
from drr.eval.checks.naming import name_words
from drr.eval.checks.values import Segment, segment
from drr.wording.vocabulary import Wordbook, vocabulary

Kind = Literal["heading", "title", "item", "row", "head_row", "rule_row", "text", "elision"]

_ROWS = frozenset[Kind](("row", "head_row", "rule_row"))
LINE = re.compile(r"[^\n]+")
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
    """Level of a heading; 7 for a bold line that serves as one."""
    after_blank: bool = False
    cells: list[tuple[int, int]] = field(default_factory=list)
    header: list[str] = field(default_factory=list)
    """The cells of the table's header, on its rows."""
    table: int = -1
    """Number of the row's table; -1 outside tables."""

    @property
    def is_row(self) -> bool:
        """Tell whether the line is part of a table, its header and rule included."""
        return self.kind in _ROWS


BULLET = re.compile(
    r"[\s>]*+(?:[-*+•·]|\d{1,3}[.)])?[\s*_]*+(?:(?![★☆])[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?[\s*_]++)*+"
)


def after_bullet(body: str, line: TextLine) -> int:
    """Return the position behind the line's bullet, where its words begin."""
    match = BULLET.match(body, line.start, line.end)
    return line.start if match is None else match.end()


def body_lines(body: str) -> list[TextLine]:
    """Split a body into lines, with lists and code blanked. Offsets are those of the report."""
    return list(_Lines(body).read())


class _Lines:
    """Reads a body line by line, with the lines around it, which decide where tables begin and end."""

    def __init__(self, body: str) -> None:
        self._body = body
        self._spans = [match.span() for match in LINE.finditer(body) if not match[0].isspace()]
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
        """Tell whether the line belongs to a table, and enter it if so."""
        separator = "|" if "|" in line.text else "\t"
        if separator not in line.text.strip() or _HEADING.match(line.text):
            return False
        begins, tabbed = not self._in_table or line.after_blank, separator == "\t"
        # Only pipes have a rule row below the head. Tabs also indent, so they need a second row, and a head without figures.
        ruled = not tabbed and _RULE_ROW.match(below) is not None
        unruled = line.text.lstrip().startswith("|") or (tabbed and "\t" in below)
        if begins and (ruled or unruled):
            self._in_table = True
            self._table += 1
            self._header = []
        if not self._in_table:
            return False
        line.table = self._table
        if _RULE_ROW.match(line.text):
            line.kind = "rule_row"
            return True
        line.cells = _cells(line.text, line.start, separator)
        if begins and (ruled or (tabbed and not _DIGIT.search(line.text))):
            line.kind = "head_row"
            self._header = [_bare(self._body[low:high]) for low, high in line.cells]
        else:
            line.kind, line.header = "row", self._header
        return True


def _read_prose(line: TextLine) -> None:
    """Set the kind of a line outside tables."""
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


@dataclass(frozen=True, slots=True)
class ProductReference:
    """A reference to a product in the body."""

    product_id: str
    start: int
    end: int
    named: str | None = None
    """The text of a link, where it is a name."""
    marker: bool = False
    """True for the number of a citation, which follows the thing that it cites."""


class Mentions:
    """All references to products in a report, in the order of the body."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.body = subject.citations.body
        self.plain = blank_spans(self.body, [(m.start, m.end) for m in subject.citations.markers])
        """The body without citations, so that link texts do not count as statements."""
        self.lines = body_lines(self.body)
        self.references = self._references()
        self._starts = [reference.start for reference in self.references]

    def within(self, start: int, end: int) -> list[ProductReference]:
        return self.references[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def last(self, start: int, end: int) -> ProductReference | None:
        """Return the last of those within."""
        at = bisect_left(self._starts, end) - 1
        return self.references[at] if at >= 0 and self._starts[at] >= start else None

    def _references(self) -> list[ProductReference]:
        found: list[ProductReference] = []
        linked = bytearray(len(self.body))
        """One flag per character, set inside links: an id there is no further reference."""
        for marker in self.subject.citations.markers:
            if marker.url is None:
                continue
            is_link = marker.form in ("link", "html", "numbered_link", "bare")
            if is_link:
                linked[marker.start : marker.end] = b"\1" * (marker.end - marker.start)
            product_id = self.subject.product_id_of(marker.url)
            if product_id is not None:
                name = marker.id if _is_name(marker) else None
                found.append(ProductReference(product_id, marker.start, marker.end, name, not is_link))
        report = self.subject.report
        found += (
            ProductReference(*one)
            for one in self.subject.ids_in(report)
            if not linked[one.start]
            and (
                self.body[one.start : one.end] == one.id
                # The body has spaces for code, but people put ids in backticks.
                or report[one.start - 1 : one.end + 1] == f"`{one.id}`"
            )
        )
        return sorted(found, key=lambda one: one.start)


def _is_name(marker: Marker) -> bool:
    tokens = name_words(marker.id)
    is_link = marker.form in ("link", "html") and not marker.id.startswith(("http://", "https://"))
    # `See the product page` is what a link says of itself, not a product's name.
    return is_link and len(tokens) >= 2 and not PAGES.is_of_a_page(tokens)


class ValueCell(NamedTuple):
    """A cell about one product, and the field that it holds."""

    product_id: str
    label: str
    value: Segment


class ProductTables:
    """The tables of a report, with the product of each row or column."""

    def __init__(self, mentions: Mentions) -> None:
        self._mentions = mentions
        self._body = mentions.body
        self._columns: dict[int, dict[int, str]] = {}
        """Product of each column, by table, where one row holds several products, each in its own cell."""
        rows = [line for line in mentions.lines if line.cells]
        for table, lines in groupby(rows, lambda line: line.table):
            self._columns[table] = self._owners(list(lines))

    def _owners(self, lines: list[TextLine]) -> dict[int, str]:
        found: dict[int, str] = {}
        for line in lines:
            here = {
                column: ids[0] for column, cell in enumerate(line.cells) if len(ids := self._ids(*cell)) == 1
            }
            if len(set(here.values())) == len(here) >= 2 and len(here) > len(found):
                found = here
        return found

    def _ids(self, start: int, end: int) -> list[str]:
        return list(dict.fromkeys(one.product_id for one in self._mentions.within(start, end)))

    def product_of(self, line: TextLine) -> str | None:
        """Return the one product of a row; `None` where products are columns."""
        ids = self._ids(line.start, line.end)
        return ids[0] if len(ids) == 1 and not self._columns[line.table] else None

    def cells(self, line: TextLine) -> Iterator[ValueCell]:
        """Yield the cells of a row whose product is certain."""
        if columns := self._columns[line.table]:
            label = segment(self._body, *line.cells[0]).text
            for column, product_id in columns.items():
                if 0 < column < len(line.cells):
                    yield ValueCell(product_id, label, segment(self._body, *line.cells[column]))
            return
        owner = self.product_of(line)
        if owner is not None and line.header:
            for column, cell in enumerate(line.cells[: len(line.header)]):
                value = segment(self._mentions.plain, *cell)
                yield ValueCell(
                    owner, line.header[column], value if value.text else segment(self._body, *cell)
                )


class PageWords:
    def __init__(self, words: Wordbook) -> None:
        own = frozenset(word for group in words.groups for word in words[group])
        function_words = frozenset(vocabulary("shopping")["function_words"])
        self._words = own | frozenset(f"{word}s" for word in own) | function_words

    def is_of_a_page(self, words: Iterable[str]) -> bool:
        """Tell whether words in small letters are about a page: only such words and numbers."""
        return all(word in self._words or word.isdecimal() for word in words)


PAGES = PageWords(vocabulary("pages"))
