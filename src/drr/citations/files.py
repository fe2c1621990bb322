"""Reads and writes addresses of places in a file: `file://NAME#page=2`, `#row=12`, `#cell=Sheet!B4:D9`, `#region=x0,y0,x1,y1`.

Names and sheets are percent-encoded where a bare address could not hold them; two spellings of one place are one address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple
from urllib.parse import quote, unquote

SCHEME = "file://"
PlaceKind = Literal["file", "page", "row", "cell", "region"]
_SAFE = "/+,=@~"
_CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")
_SPAN = re.compile(r"0*([1-9][0-9]{0,6})(?:-0*([1-9][0-9]{0,6}))?")
_REGION = re.compile(r"([0-9]{1,6}),([0-9]{1,6}),([0-9]{1,6}),([0-9]{1,6})")


class Box(NamedTuple):
    """A rectangle, both corners included: columns and rows from 1, or pixels from 0."""

    left: int
    top: int
    right: int
    bottom: int

    def meets(self, other: Box) -> bool:
        beside = self.right < other.left or other.right < self.left
        return not (beside or self.bottom < other.top or other.bottom < self.top)


class FilePlace(NamedTuple):
    """A file or a place in a file. Pages and rows are a box of one column."""

    name: str
    kind: PlaceKind = "file"
    box: Box | None = None
    sheet: str | None = None

    @property
    def fragment(self) -> str:
        """Return the part after `#`; empty if the whole file is meant."""
        if self.box is None:
            return ""
        if self.kind == "cell":
            sheet = f"{_percent_encoded(self.sheet)}!" if self.sheet else ""
            return f"cell={sheet}{cell_range(self.box)}"
        if self.kind == "region":
            return "region=" + ",".join(map(str, self.box))
        last = "" if self.box.bottom == self.box.top else f"-{self.box.bottom}"
        return f"{self.kind}={self.box.top}{last}"

    @property
    def address(self) -> str:
        return file_address(self.name, self.fragment)

    def meets(self, other: FilePlace) -> bool:
        """Tell whether two places overlap: a whole file with any of its places, a cell with its range."""
        if self.name != other.name:
            return False
        if self.box is None or other.box is None:
            return True
        return (self.kind, self.sheet) == (other.kind, other.sheet) and self.box.meets(other.box)


def file_address(name: str, fragment: str = "") -> str:
    """Return the address of a file; `name` is unencoded, `fragment` is as in an address."""
    return f"{SCHEME}{_percent_encoded(name)}" + (f"#{fragment}" if fragment else "")


def _percent_encoded(text: str) -> str:
    return quote(text, safe=_SAFE, errors="replace")


def file_place(address: str) -> FilePlace | None:
    """Parse a canonical address of a file; `None` for an address of anything else. An unknown place stands for the whole
    file."""
    if not address.startswith(SCHEME):
        return None
    name, _, fragment = address.removeprefix(SCHEME).partition("#")
    return place_in(unquote(name), fragment) or FilePlace(unquote(name))


def place_in(name: str, fragment: str) -> FilePlace | None:
    """Parse the place that a fragment names; `None` for an unknown form."""
    kind, equals, rest = fragment.partition("=")
    kind, rest = kind.strip().lower(), unquote(rest).strip()
    if not equals:
        return None
    if kind in ("page", "row") and (span := _SPAN.fullmatch(rest)):
        first, last = int(span[1]), int(span[2] or span[1])
        return FilePlace(name, "page" if kind == "page" else "row", _box(1, first, 1, last))
    if kind == "region" and (region := _REGION.fullmatch(rest)):
        return FilePlace(name, "region", _box(*map(int, region.groups())))
    if kind == "cell":
        sheet, _, cells = rest.rpartition("!")
        box = read_range(cells)
        return None if box is None else FilePlace(name, "cell", box, sheet.strip("'"))
    return None


def canonical_file(rest: str, fragment: str) -> str:
    """Return a file address in canonical form, from its parts before and after `#`, without `file://`."""
    name = unquote(rest.rstrip()).strip("/")  # `file:///receipt.pdf` too
    place = place_in(name, fragment[1:])
    return file_address(name, fragment[1:].strip() if place is None else place.fragment)


def read_range(text: str) -> Box | None:
    """Parse a range such as `B4` or `B4:D9`, with or without `$`, corners in any order."""
    ends = [_CELL.fullmatch(end.strip()) for end in text.split(":")]
    cells = [(column_number(end[1]), int(end[2])) for end in ends if end is not None]
    if not 1 <= len(cells) == len(ends) <= 2 or any(row < 1 for _, row in cells):
        return None
    return _box(*cells[0], *cells[-1])


def cell_range(box: Box) -> str:
    first, last = (
        f"{column_letters(box.left)}{box.top}",
        f"{column_letters(box.right)}{box.bottom}",
    )
    return first if first == last else f"{first}:{last}"


def column_number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number


def column_letters(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _box(x0: int, y0: int, x1: int, y1: int) -> Box:
    return Box(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))


_PIECE = re.compile(r"(https?://[^#]+)#piece=[1-9][0-9]{0,4}", re.IGNORECASE)


def piece_address(page: str, number: int) -> str:
    """Return the address of one piece of a web page, counted from 1, as a search returns pages in pieces."""
    return f"{page.partition('#')[0]}#piece={number}"


def page_of_piece(address: str) -> str | None:
    """Return the page to which a piece belongs; `None` for any other address."""
    found = _PIECE.fullmatch(address)
    return None if found is None else found[1]


class KnownPlaces:
    """A collection of places in files and of web pages, searched for overlaps with an address."""

    def __init__(self, addresses: Iterable[str] = ()) -> None:
        self._by_name: dict[str, list[tuple[FilePlace, str]]] = {}
        self._pages: set[str] = set()
        for address in addresses:
            self.add(address)

    def add(self, address: str) -> None:
        """Add a canonical address. A piece of a web page is added as the whole page."""
        place = file_place(address)
        if place is not None:
            self._by_name.setdefault(place.name, []).append((place, address))
        else:
            self._pages.add(address)

    def meeting(self, address: str) -> list[str]:
        """Return the added addresses that overlap with this address; for a piece, its page."""
        place = file_place(address)
        if place is None:
            page = page_of_piece(address)
            return [page] if page in self._pages else []
        return [added for known, added in self._by_name.get(place.name, ()) if known.meets(place)]
