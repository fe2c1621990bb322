"""The content of a file: its parts with their addresses, and the text by which a claim is judged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from drr.citations.files import Box, FilePlace, cell_range, column_letters
from drr.env.drawer.form import LABELS, ReadContent, ReadPicture, ReadSheet
from drr.env.text import tokens


class FilePart(NamedTuple):
    place: FilePlace
    text: str


@dataclass(frozen=True)
class Sheet:
    """A table of a file; `name` is empty if the table is the whole file."""

    file: str
    name: str
    rows: Sequence[tuple[int, Sequence[str]]]

    @cached_property
    def by_number(self) -> dict[int, Sequence[str]]:
        return dict(self.rows)

    @property
    def width(self) -> int:
        return max((len(row) for _, row in self.rows), default=0)

    @property
    def used(self) -> Box:
        if not self.rows:
            return Box(1, 1, 1, 1)
        return Box(1, self.rows[0][0], max(1, self.width), self.rows[-1][0])

    @cached_property
    def head(self) -> int | None:
        """Return the number of the header row, or `None`. It is the first row with two filled cells, if all of its cells are filled and none is a figure."""
        for number, row in self.rows:
            filled = [cell for cell in row if cell]
            if len(filled) > 1:
                named = not any(_is_figure(cell) for cell in filled)
                return number if named and len(filled) == len(row) else None
        return None

    def column(self, number: int) -> str:
        """Return the name of a column, or its letters if it has no name."""
        names = self.by_number.get(self.head or 0, ())
        return names[number - 1] if number <= len(names) and names[number - 1] else column_letters(number)

    def cell(self, column: int, row: int) -> str:
        cells = self.by_number.get(row, ())
        return cells[column - 1] if 0 < column <= len(cells) else ""

    def place(self, box: Box) -> FilePlace:
        if self.name:
            return FilePlace(self.file, "cell", box, self.name)
        return FilePlace(self.file, "row", Box(1, box.top, 1, box.bottom))

    def row_place(self, number: int) -> FilePlace:
        return self.place(Box(1, number, max(1, len(self.by_number.get(number, ()))), number))

    def row_text(self, number: int) -> str:
        """Return a row as text with the column name before each cell; the header row stands as it is."""
        row = self.by_number.get(number, ())
        if number == self.head:
            return " | ".join(row)
        return " | ".join(f"{self.column(k)}: {cell}" for k, cell in enumerate(row, 1) if cell)

    def text(self, box: Box) -> str:
        """Return the whole rows that a range touches, then the range's own cells if it is narrower. A bare figure would say nothing."""
        rows = [number for number, _ in self.rows if box.top <= number <= box.bottom]
        lines = [f"Row {number}: {self.row_text(number)}" for number in rows]
        if self.name and (box.left > 1 or box.right < self.width):
            lines += [
                f"{column_letters(column)}{number}: {self.cell(column, number)}"
                for number in rows
                for column in range(box.left, min(box.right, self.width) + 1)
                if self.cell(column, number)
            ]
        return "\n".join(lines)


@dataclass(frozen=True)
class FileContent:
    """The content that was read from a file; of a picture, only its properties."""

    name: str
    media: str
    pages: Sequence[str] = ()
    sheets: Sequence[Sheet] = ()
    whole: str | None = None
    picture: ReadPicture | None = None

    @classmethod
    def of(cls, name: str, media: str, read: ReadContent) -> FileContent:
        return cls(
            name,
            media,
            tuple(read.get("pages", ())),
            tuple(_sheet(name, sheet) for sheet in read.get("sheets", ())),
            read.get("text"),
            read.get("picture"),
        )

    @property
    def label(self) -> str:
        """Describe the part in a few words for a list."""
        if self.pages:
            return f"PDF, {_counted_noun(len(self.pages), 'page')}"
        if self.sheets and self.sheets[0].name:
            named = ", ".join(f"{sheet.name} ({cell_range(sheet.used)})" for sheet in self.sheets[:8])
            return f"workbook, {_counted_noun(len(self.sheets), 'sheet')}: {named}"
        if self.sheets:
            return f"table, rows {self.sheets[0].used.top} to {self.sheets[0].used.bottom}"
        if self.picture is not None:
            return f"picture, {self.picture['format']}, {self.picture['width']} x {self.picture['height']} pixels"
        return f"{LABELS[self.media]}, {len(self.whole or ''):,} characters"

    def parts(self) -> Iterator[FilePart]:
        """Yield the parts that can be cited by themselves: pages, rows, or else the whole text."""
        for number, text in enumerate(self.pages, 1):
            yield FilePart(FilePlace(self.name, "page", Box(1, number, 1, number)), text)
        for sheet in self.sheets:
            for number, _ in sheet.rows:
                yield FilePart(sheet.row_place(number), sheet.row_text(number))
        if self.whole is not None:
            yield FilePart(FilePlace(self.name), self.whole)

    def sheet(self, name: str | None) -> Sheet | None:
        """Find a sheet by its name; the name may be left out if there is only one."""
        if not name:
            return self.sheets[0] if len(self.sheets) == 1 else None
        wanted = name.casefold()
        return next((sheet for sheet in self.sheets if sheet.name.casefold() == wanted), None)

    def at(self, place: FilePlace) -> str | None:
        """Return the text at a place of the file. `None` if the file has no such place; empty if the place holds no text."""
        if place.box is None:
            return "\n\n".join(part.text for part in self.parts() if part.text)
        if place.kind == "page":
            return self._pages(place.box)
        if place.kind in ("cell", "row"):
            sheet = self.sheet(place.sheet)
            if sheet is None or not sheet.used.meets(place.box._replace(left=1)):
                return None
            return sheet.text(
                place.box if place.kind == "cell" else place.box._replace(right=sheet.used.right)
            )
        if self.picture is None:
            return None
        inside = place.box.left < self.picture["width"] and place.box.top < self.picture["height"]
        return "" if inside else None

    def _pages(self, box: Box) -> str | None:
        if box.top > len(self.pages):
            return None
        return "\n\n".join(self.pages[box.top - 1 : box.bottom])


def _sheet(name: str, read: ReadSheet) -> Sheet:
    return Sheet(name, read["name"], tuple((int(number), tuple(row)) for number, row in read["rows"]))


def _is_figure(cell: str) -> bool:
    return any(letter.isdigit() for letter in cell) and not any(letter.isalpha() for letter in cell)


def _counted_noun(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


AROUND = 250
"""Characters shown on each side of a search hit."""
_MOST = 50
_WORD = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*")


def passages(content: FileContent, query: str) -> list[FilePart]:
    """Search the content for words. Return the best passages first, with one passage for hits near each other."""
    wanted = set(tokens(query))
    phrase = " ".join(query.lower().split())
    found: list[tuple[bool, int, int, FilePart]] = []
    for part in content.parts():
        for start, exact, shared in _hits(part.text, phrase, wanted):
            piece = part.text[max(0, start - AROUND) : start + AROUND]
            found.append((not exact, -shared, len(found), FilePart(part.place, piece)))
            if len(found) >= 10_000:
                break
    most = min((shared for _, shared, _, _ in found), default=0)
    # Places that hold half of what the best holds, or less, are chance.
    kept = [
        one
        for one in sorted(found, key=lambda one: one[:3])
        if not one[0] or 2 * one[1] < most or one[1] == most
    ]
    return [part for _, _, _, part in kept[:_MOST]]


def _hits(text: str, phrase: str, wanted: set[str]) -> list[tuple[int, bool, int]]:
    """Return the hits of a query. Each is its middle, whether it is the whole phrase, and the number of query words around it."""
    flat = re.sub(r"\s", " ", text.lower())
    found: list[tuple[int, bool, int]] = []
    after = -1
    for match in re.finditer(re.escape(phrase), flat) if phrase else ():
        if match.start() >= after:
            found.append(((match.start() + match.end()) // 2, True, len(wanted)))
            after = match.end() + AROUND
    if found:
        return found
    places = [
        (match.start(), word) for match in _WORD.finditer(text) for word in tokens(match[0]) if word in wanted
    ]
    while places:
        near = [
            (start, {word for at, word in places if start <= at < start + 2 * AROUND})
            for start, _ in places[:500]
        ]
        start, words = max(near, key=lambda one: (len(one[1]), -one[0]))
        found.append((start + AROUND // 2, False, len(words)))
        places = [one for one in places if not start - AROUND <= one[0] < start + 2 * AROUND]
        if len(found) >= 20:
            break
    return found
