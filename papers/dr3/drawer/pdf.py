"""PDF pages with a cursor: what the papers of a drawer are set with. The same calls give the same bytes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from io import BytesIO
from random import Random
from typing import NamedTuple, TypedDict, Unpack

from drr.papers.dr3.drawer.brief import FileBrief
from reportlab.lib.colors import Color, HexColor
from reportlab.lib.pagesizes import A5, A6, letter
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

LETTER, SMALL, LEAFLET = letter, A5, A6
INK, GREY, FAINT = HexColor("#1d1d1f"), HexColor("#666a70"), HexColor("#c9ccd1")
_NO_DAY = b"(D:20000101000000"
"""Time of writing as the library sets it."""
_PRODUCERS = ("PDF Export", "Print to PDF", "PDF Writer", "Document Export Service", "Forms to PDF")
"""Producers by the owner of a paper; the library's own name has a version and so a time."""
_SIGNED = re.compile(rb"^% ?[^\n]*ReportLab [Gg]enerated[^\n]*$", re.MULTILINE)


class PaperMaker(NamedTuple):
    """The maker of a paper, as its properties name it."""

    by: str
    day: date
    title: str


class LineStyle(TypedDict, total=False):
    bold: bool
    italic: bool
    color: Color
    right: bool
    center: bool


class PaperPages:
    """The pages of a paper, from the top down; a new one starts where there is no room."""

    def __init__(
        self,
        brief: FileBrief,
        size: tuple[float, float],
        made: PaperMaker,
        font: str = "Helvetica",
        margin: float = 54,
    ) -> None:
        self._bytes = BytesIO()
        self.made = made
        self.canvas = Canvas(self._bytes, pagesize=size, invariant=1, pageCompression=1)
        self.canvas.setTitle(made.title)
        self.canvas.setAuthor(made.by)
        self.canvas.setCreator(made.by)
        self.canvas.setSubject("")
        self.canvas.setProducer(Random(f"{made.by}/producer").choice(_PRODUCERS))
        self.brief, self.font, self.margin = brief, font, margin
        self.width, self.height = size
        self.page = 1
        self.y = self.height - margin
        self.foot: str | None = None

    @property
    def bold(self) -> str:
        return {"Times-Roman": "Times-Bold"}.get(self.font, f"{self.font}-Bold")

    @property
    def italic(self) -> str:
        return {"Times-Roman": "Times-Italic"}.get(self.font, f"{self.font}-Oblique")

    @property
    def inner(self) -> float:
        return self.width - 2 * self.margin

    def turn(self) -> None:
        self._end_page()
        self.page += 1
        self.y = self.height - self.margin

    def _end_page(self) -> None:
        if self.foot is not None:
            self.canvas.setFont(self.font, 7.5)
            self.canvas.setFillColor(GREY)
            self.canvas.drawString(self.margin, self.margin - 22, self.foot)
            self.canvas.drawRightString(self.width - self.margin, self.margin - 22, str(self.page))
        self.canvas.showPage()

    def need(self, room: float) -> None:
        if self.y - room < self.margin:
            self.turn()

    def gap(self, room: float) -> None:
        self.y -= room

    def line(
        self, text: str, size: float = 10, *, x: float = 0, lead: float = 1.35, **style: Unpack[LineStyle]
    ) -> None:
        self.need(size * lead)
        self.y -= size * lead
        self.at(text, x, size, **style)

    def at(self, text: str, x: float, size: float = 10, **style: Unpack[LineStyle]) -> None:
        """Write on the line where the cursor stands, `x` from the left margin."""
        bold, italic = style.get("bold"), style.get("italic")
        self.canvas.setFont(self.bold if bold else self.italic if italic else self.font, size)
        self.canvas.setFillColor(style.get("color", INK))
        if style.get("right"):
            self.canvas.drawRightString(self.width - self.margin - x, self.y, text)
        elif style.get("center"):
            self.canvas.drawCentredString(self.width / 2, self.y, text)
        else:
            self.canvas.drawString(self.margin + x, self.y, text)

    def text(self, text: str, size: float = 10.5, *, italic: bool = False) -> None:
        """A paragraph."""
        for row in wrapped(text, self.italic if italic else self.font, size, self.inner):
            self.line(row, size, italic=italic, lead=1.42)

    def rule(self, thick: float = 0.6, color: Color = FAINT) -> None:
        self.y -= 6
        self.canvas.setStrokeColor(color)
        self.canvas.setLineWidth(thick)
        self.canvas.line(self.margin, self.y, self.width - self.margin, self.y)
        self.y -= 4

    def band(self, height: float, color: Color) -> None:
        """Draw a band behind what comes next."""
        self.canvas.setFillColor(color)
        self.canvas.rect(0, self.height - height, self.width, height, stroke=0, fill=1)

    def table(self, rows: Sequence[Sequence[str]], widths: Sequence[float], size: float = 9) -> None:
        """The first row is the head; the last column stands right where it holds figures."""
        for number, row in enumerate(rows):
            self.need(size * 2)
            self.y -= size * 1.75
            x = 0.0
            for text, width in zip(row, widths, strict=True):
                self.at(_fitting(text, self.font, size, width - 4), x, size, bold=number == 0)
                x += width
            self.canvas.setStrokeColor(FAINT if number else GREY)
            self.canvas.setLineWidth(0.35 if number else 0.7)
            below = self.y - size * 0.45
            self.canvas.line(self.margin, below, self.margin + sum(widths), below)
        self.y -= size * 0.6

    def fact(self, fact: str, quote: str) -> None:
        """Says that it stands on this page."""
        self.brief.put(fact, quote, f"page={self.page}")

    def done(self) -> bytes:
        self._end_page()
        self.canvas.save()
        clock = Random(f"{self.made.by}/{self.made.day}").randrange(8 * 3600, 18 * 3600)
        stamp = f"{self.made.day:%Y%m%d}{clock // 3600:02d}{clock // 60 % 60:02d}{clock % 60:02d}"
        content = self._bytes.getvalue().replace(_NO_DAY, b"(D:" + stamp.encode())
        return _SIGNED.sub(lambda found: b"%\xe2\xe3\xcf\xd3".ljust(len(found[0])), content)


def wrapped(text: str, font: str, size: float, width: float) -> list[str]:
    rows, row = [], ""
    for word in text.split():
        longer = f"{row} {word}".strip()
        if row and stringWidth(longer, font, size) > width:
            rows.append(row)
            longer = word
        row = longer
    return [*rows, row]


def _fitting(text: str, font: str, size: float, width: float) -> str:
    if stringWidth(text, font, size) <= width:
        return text
    while text and stringWidth(f"{text}...", font, size) > width:
        text = text[:-1]
    return f"{text.rstrip(' ,')}..."
