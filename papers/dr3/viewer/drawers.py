"""The files of a task's drawer as its page shows them. Each by the bounded readers that agents have, with the places of its facts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from drr.app.viewer.model import Passage
from drr.citations.files import Box, FilePlace, column_letters, file_place
from drr.env.drawer.content import FileContent, Sheet
from drr.env.drawer.drawer import DrawnPage
from drr.env.drawer.form import FileProblem
from drr.papers.dr3.truth import TaskFact
from drr.papers.dr3.viewer.facts import passage_around, shown_text, words_at
from drr.papers.dr3.viewer.model import (
    FactSpan,
    FilePageView,
    ImageCrop,
    MarkedImage,
    SheetCell,
    SheetRow,
    SheetView,
    TaskFileView,
)
from drr.wording.excerpt import excerpt

MOST_PAGES = 20
"""Most pages of a PDF, beside those that hold a fact."""
FIRST_ROWS, NEAR_ROWS, MOST_COLUMNS, MOST_SHEETS = 30, 2, 16, 8
LONGEST_CELL = 300
NOT_DRAWN = "Its pages are shown as their text: the extra pdf-pages draws them."

Draw = Callable[[int, Sequence[str]], DrawnPage]
"""A page of this file with the places of words; `FileProblem` where it cannot be drawn."""


@dataclass(frozen=True)
class HeldFact:
    """A fact at one place of a file."""

    fact: TaskFact
    place: FilePlace
    quote: str | None

    @property
    def words(self) -> tuple[str, ...]:
        """Return the words as they read there, else the value alone."""
        return tuple(one for one in (self.quote, self.fact.value) if one)


def facts_in(name: str, facts: Sequence[TaskFact]) -> list[HeldFact]:
    found = []
    for fact in facts:
        for one in fact.places:
            place = file_place(one.address)
            if place is not None and place.name == name:
                found.append(HeldFact(fact, place, one.quote))
    return found


@dataclass(frozen=True)
class DrawerPaper:
    """One file before it is shown; `links` gives the address of a drawn page by its number."""

    number: int
    name: str
    facts: Sequence[HeldFact]
    draw: Draw
    links: Callable[[int], str]

    def view(self, read: Callable[[], FileContent], size: int | None) -> TaskFileView:
        facts = _names(self.facts)
        try:
            content = read()
        except FileProblem as problem:
            reason = problem.message.removeprefix(f"{self.name}: ")
            return TaskFileView(self.number, self.name, "not read", size, facts, problem=reason)
        shown = TaskFileView(self.number, self.name, content.label, size, facts)
        if content.pages:
            return self._pages(shown, content)
        if content.picture is not None:
            return replace(
                shown, image=self._picture(content.picture["width"], content.picture["height"], content)
            )
        if content.sheets:
            sheets = tuple(_sheet(sheet, self.facts) for sheet in content.sheets[:MOST_SHEETS])
            more = len(content.sheets) - len(sheets)
            return replace(shown, sheets=sheets, note=f"{more} more sheets are not shown." if more else None)
        text = content.whole or ""
        return replace(shown, text=shown_text(text, _spans(text, self.facts)))

    def _picture(self, width: int, height: int, content: FileContent) -> MarkedImage:
        boxes = tuple(
            (one.fact.id, one.place.box)
            for one in self.facts
            if one.place.kind == "region" and one.place.box is not None and content.at(one.place) is not None
        )
        return MarkedImage(self.links(1), width, height, boxes)

    def _pages(self, shown: TaskFileView, content: FileContent) -> TaskFileView:
        """Pages with facts are drawn now, to mark them; the others when a browser asks for them."""
        facts = {number: _on_page(number, self.facts) for number in range(1, len(content.pages) + 1)}
        numbers = [number for number, own in facts.items() if own or number <= MOST_PAGES]
        first = next((number for number in numbers if facts[number]), numbers[0])
        drawn = {number: self._image(number, facts[number]) for number in numbers if facts[number]}
        able = (drawn[first] if first in drawn else self._image(first, ())) is not None
        pages = [
            FilePageView(
                number,
                shown_text(content.pages[number - 1], _spans(content.pages[number - 1], facts[number])),
                drawn[number] if number in drawn else MarkedImage(self.links(number)) if able else None,
                _names(facts[number]),
            )
            for number in numbers
        ]
        more = len(content.pages) - len(numbers)
        return replace(shown, pages=tuple(pages), more_pages=more, note=None if able else NOT_DRAWN)

    def _image(self, number: int, facts: Sequence[HeldFact]) -> MarkedImage | None:
        words = [one for fact in facts for one in fact.words]
        try:
            drawn = self.draw(number, words)
        except FileProblem:
            return None
        boxes: list[tuple[str, Box]] = []
        left = iter(drawn.boxes)
        for one in facts:
            found = [next(left, ()) for _ in one.words]
            boxes += [(one.fact.id, box) for box in next((own for own in found if own), ())]
        return MarkedImage(self.links(number), drawn.width, drawn.height, tuple(boxes))


def evidence_in(file: TaskFileView, fact: str, place: FilePlace) -> tuple[ImageCrop | None, Passage | None]:
    """A fact's part of the drawn page or picture, else its words; of a table neither, whose cells say it."""
    page = next((one for one in file.pages if place.box is not None and one.number == place.box.top), None)
    image = file.image if page is None else page.image
    boxes = [] if image is None else [box for name, box in image.boxes if name == fact]
    if image is not None and boxes:
        return ImageCrop(replace(image, boxes=tuple((fact, box) for box in boxes)), _part(image, boxes)), None
    text = file.text if page is None else page.text
    spans = [] if text is None else [one for one in text.spans if one.fact == fact]
    if text is None or not spans:
        return None, None
    return None, passage_around(text.text, (spans[0].start, spans[0].end))


def _part(image: MarkedImage, boxes: Sequence[Box]) -> Box:
    """Around all of them, with some of what stands above and below."""
    width, height = image.width or 1, image.height or 1
    wide, high = width // 8, max(height // 20, 24)
    return Box(
        max(0, min(box.left for box in boxes) - wide),
        max(0, min(box.top for box in boxes) - high),
        min(width, max(box.right for box in boxes) + wide),
        min(height, max(box.bottom for box in boxes) + high),
    )


def _names(facts: Sequence[HeldFact]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.fact.id for one in facts))


def _on_page(number: int, facts: Sequence[HeldFact]) -> list[HeldFact]:
    """List those of this page; one that names no place of the file stands on none of them."""
    return [
        one
        for one in facts
        if one.place.kind == "page"
        and one.place.box is not None
        and one.place.box.top <= number <= one.place.box.bottom
    ]


def _spans(text: str, facts: Sequence[HeldFact]) -> list[FactSpan]:
    found = ((words_at(text, *one.words), one.fact.id) for one in facts)
    return [FactSpan(*span, fact) for span, fact in found if span is not None]


def _sheet(sheet: Sheet, facts: Sequence[HeldFact]) -> SheetView:
    """The first rows and those around facts; columns up to the last that holds a fact."""
    own = [one for one in facts if one.place.box is not None and _is_of(one.place, sheet)]
    numbers = [number for number, _ in sheet.rows]
    wanted = set(numbers[:FIRST_ROWS])
    for one in own:
        box = one.place.box
        if box is not None:
            wanted |= {row for row in numbers if box.top - NEAR_ROWS <= row <= box.bottom + NEAR_ROWS}
    marked = {id(one): _cells(sheet, one) for one in own}
    columns = min(sheet.width, max([MOST_COLUMNS, *(col for cells in marked.values() for _, col in cells)]))
    rows: list[SheetRow] = []
    skipped = 0
    for number, cells in sheet.rows:
        if number not in wanted:
            skipped += 1
            continue
        shown = tuple(
            SheetCell(
                excerpt(cells[col - 1] if col <= len(cells) else "", LONGEST_CELL),
                tuple(one.fact.id for one in own if (number, col) in marked[id(one)]),
            )
            for col in range(1, columns + 1)
        )
        rows.append(SheetRow(number, shown, skipped))
        skipped = 0
    letters = tuple(column_letters(col) for col in range(1, columns + 1))
    return SheetView(sheet.name, letters, tuple(rows), sheet.width - columns, skipped)


def _is_of(place: FilePlace, sheet: Sheet) -> bool:
    if place.kind == "row":
        return not sheet.name
    return place.kind == "cell" and (place.sheet or sheet.name).casefold() == sheet.name.casefold()


def _cells(sheet: Sheet, one: HeldFact) -> set[tuple[int, int]]:
    """Find the cells of a range; of a row those with the fact's value, else all of it."""
    box = one.place.box
    if box is None:
        return set()
    rows = [number for number, _ in sheet.rows if box.top <= number <= box.bottom]
    if one.place.kind == "cell":
        return {(row, col) for row in rows for col in range(box.left, min(box.right, sheet.width) + 1)}
    cells = {(row, col) for row in rows for col in range(1, len(sheet.by_number[row]) + 1)}
    saying = {(row, col) for row, col in cells if words_at(sheet.cell(col, row), one.fact.value)}
    return saying or cells
