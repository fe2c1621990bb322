"""The files of a task for the viewer, with the places of facts marked. They are read by the same bounded readers as agents use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from drr.citations.files import Box, FilePlace, column_letters, file_place
from drr.env.drawer.content import FileContent, Sheet
from drr.env.drawer.drawer import DrawnPage
from drr.env.drawer.form import FileProblem
from drr.papers.dr3.truth import TaskFact
from drr.papers.dr3.viewer.texts import FactSpan, facts_marked, passage_around, words_at
from drr.plugin import Passage
from drr.wording.excerpt import excerpt

MOST_PAGES = 20
"""Limit on the pages of a PDF that are shown, besides those that contain a fact."""
FIRST_ROWS, NEAR_ROWS, MOST_COLUMNS, MOST_SHEETS = 30, 2, 16, 8
LONGEST_CELL = 300
NOTHING: Mapping[str, Any] = {
    "problem": None, "note": None, "pages": (), "more_pages": 0, "sheets": (), "text": None, "image": None,
}  # fmt: skip
"""Empty values of a file, for a file of which nothing can be shown."""
NOT_DRAWN = "Its pages are shown as their text: the extra pdf-pages draws them."
Values = dict[str, Any]
"""Values of a template."""
Boxes = Sequence[tuple[str, Box]]
"""Boxes on an image, each with the id of its fact."""


class HeldFact(NamedTuple):
    """A fact at one place of a file. The words to look for there are the quotation, if any, then the value."""

    fact: TaskFact
    place: FilePlace
    words: tuple[str, ...]

    @property
    def box(self) -> Box:
        return self.place.box or Box(0, 0, 0, 0)


def facts_of(name: str, facts: Sequence[TaskFact]) -> list[HeldFact]:
    """List the facts at places of a file."""
    return [
        HeldFact(fact, place, tuple(filter(None, (one.quote, fact.value))))
        for fact in facts
        for one in fact.places
        if (place := file_place(one.address)) is not None and place.name == name
    ]


def names_of(facts: Sequence[HeldFact]) -> list[str]:
    return list(dict.fromkeys(one.fact.id for one in facts))


@dataclass(frozen=True)
class DrawerPaper:
    """A file of a task, and the functions that draw its pages."""

    content: FileContent
    facts: Sequence[HeldFact]
    draw: Callable[[int, Sequence[str]], DrawnPage]
    """Function that draws a page and finds words on it; raises `FileProblem` if the page cannot be drawn."""
    link: Callable[[int], str]
    """Function that returns the address of a drawn page."""

    def values(self) -> Values:
        content = self.content
        own: Values = {"text": _text_with_marks(content.whole or "", self.facts)}
        if content.pages:
            own = self._pages(content.pages)
        elif content.picture is not None:
            own = {"image": self._picture()}
        elif content.sheets:
            more = len(content.sheets) - MOST_SHEETS
            own = {
                "sheets": [_sheet(sheet, self.facts) for sheet in content.sheets[:MOST_SHEETS]],
                "note": f"{more} more sheets are not shown." if more > 0 else None,
            }
        return {**NOTHING, **own}

    def evidence(self, fact: TaskFact, place: FilePlace) -> tuple[Values | None, Passage | None]:
        """Return the part of the drawn page or picture that shows a fact, or the passage with its words. The other one is `None`."""
        content, image, text = self.content, None, self.content.whole
        words = [word for one in self.facts if one.fact is fact for word in one.words]
        if content.picture is not None:
            image = self._picture()
        elif content.pages:
            number = place.box.top if place.kind == "page" and place.box is not None else 0
            on_page = self._on_page(number)
            image = self._image(number, on_page) if on_page else None
            text = content.pages[number - 1] if 0 < number <= len(content.pages) else None
        elif content.sheets:
            text, words = content.at(place), [fact.value]
        boxes = [box for name, box in (image or {}).get("boxes", ()) if name == fact.id]
        if image is not None and boxes:
            own = {**image, "boxes": [(fact.id, box) for box in boxes]}
            return {"image": own, "part": _part(image, boxes)}, None
        return None, passage_around(text or "", words_at(text or "", *words))

    def _picture(self) -> Values:
        size = self.content.picture
        assert size is not None
        boxes = [
            (one.fact.id, one.place.box)
            for one in self.facts
            if one.place.kind == "region" and one.place.box and self.content.at(one.place) is not None
        ]
        return self._values_by_link(1, size["width"], size["height"], boxes)

    def _values_by_link(
        self, number: int, width: int | None = None, height: int | None = None, boxes: Boxes = ()
    ) -> Values:
        """Return the values of an image by link. Width and height are unknown until the image is drawn."""
        return {"link": self.link(number), "width": width, "height": height, "boxes": boxes}

    def _pages(self, texts: Sequence[str]) -> Values:
        """Return the values of the pages of a PDF. Pages with facts are drawn now, to mark them; the others when a browser asks for them."""
        facts = {number: self._on_page(number) for number in range(1, len(texts) + 1)}
        shown = {number: own for number, own in facts.items() if own or number <= MOST_PAGES}
        drawn = {number: self._image(number, own) for number, own in shown.items() if own}
        first = next(iter(drawn.values())) if drawn else self._image(next(iter(shown)), ())
        pages = [
            {
                "number": number,
                "text": _text_with_marks(texts[number - 1], own),
                "image": drawn.get(number, None if first is None else self._values_by_link(number)),
                "facts": names_of(own),
            }
            for number, own in shown.items()
        ]
        note = NOT_DRAWN if first is None else None
        return {"pages": pages, "more_pages": len(texts) - len(shown), "note": note}

    def _on_page(self, number: int) -> list[HeldFact]:
        """List the facts on one page. A fact without a place in the file is on no page."""
        return [
            one for one in self.facts if one.place.kind == "page" and one.box.top <= number <= one.box.bottom
        ]

    def _image(self, number: int, facts: Sequence[HeldFact]) -> Values | None:
        try:
            drawn = self.draw(number, [one for fact in facts for one in fact.words])
        except FileProblem:
            return None
        boxes: list[tuple[str, Box]] = []
        left = iter(drawn.boxes)
        for one in facts:
            found = [next(left, ()) for _ in one.words]
            boxes += [(one.fact.id, box) for box in next(filter(None, found), ())]
        return self._values_by_link(number, drawn.width, drawn.height, boxes)


def _part(image: Values, boxes: Sequence[Box]) -> Box:
    """Return a box around all boxes, with a margin."""
    width, height = image["width"] or 1, image["height"] or 1
    wide, high = width // 8, max(height // 20, 24)
    return Box(
        max(0, min(box.left for box in boxes) - wide),
        max(0, min(box.top for box in boxes) - high),
        min(width, max(box.right for box in boxes) + wide),
        min(height, max(box.bottom for box in boxes) + high),
    )


def _text_with_marks(text: str, facts: Sequence[HeldFact]) -> Any:
    found = ((words_at(text, *one.words), one.fact.id) for one in facts)
    return facts_marked(text, [FactSpan(*span, fact) for span, fact in found if span is not None])


def _sheet(sheet: Sheet, facts: Sequence[HeldFact]) -> Values:
    """Return the values of a sheet: first rows, rows near facts, columns up to the last with a fact."""
    marked = {
        one: _cells(sheet, one) for one in facts if one.place.box is not None and _is_of(one.place, sheet)
    }
    wanted = {number for number, _ in sheet.rows[:FIRST_ROWS]}
    for one in marked:
        wanted |= set(range(one.box.top - NEAR_ROWS, one.box.bottom + NEAR_ROWS + 1))
    last = max([MOST_COLUMNS, *(col for cells in marked.values() for _, col in cells)])
    columns = range(1, min(sheet.width, last) + 1)
    rows: list[Values] = []
    skipped = 0
    for number, _ in sheet.rows:
        if number not in wanted:
            skipped += 1
            continue
        cells = [
            {
                "text": excerpt(sheet.cell(col, number), LONGEST_CELL),
                "facts": [one.fact.id for one, own in marked.items() if (number, col) in own],
            }
            for col in columns
        ]
        rows.append({"number": number, "cells": cells, "skipped": skipped})
        skipped = 0
    more = {"more_columns": sheet.width - len(columns), "more_rows": skipped}
    return {"name": sheet.name, "columns": list(map(column_letters, columns)), "rows": rows, **more}


def _is_of(place: FilePlace, sheet: Sheet) -> bool:
    if place.kind == "row":
        return not sheet.name
    return place.kind == "cell" and (place.sheet or sheet.name).casefold() == sheet.name.casefold()


def _cells(sheet: Sheet, one: HeldFact) -> set[tuple[int, int]]:
    """Return the cells of a fact, as (row, column). Of a row they are those with the fact's value, if any, else all."""
    rows = [number for number, _ in sheet.rows if one.box.top <= number <= one.box.bottom]
    if one.place.kind == "cell":
        columns = range(one.box.left, min(one.box.right, sheet.width) + 1)
        return {(row, col) for row in rows for col in columns}
    cells = {(row, col) for row in rows for col in range(1, len(sheet.by_number[row]) + 1)}
    saying = {(row, col) for row, col in cells if words_at(sheet.cell(col, row), one.fact.value)}
    return saying or cells
