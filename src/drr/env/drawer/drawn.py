"""Redraws pages of PDFs and pictures as pixels, so that nothing of the file itself reaches a browser."""

from __future__ import annotations

import re
from collections.abc import Sequence
from io import BytesIO
from typing import Any

from drr.env.drawer.form import ReadDrawing, UnreadableFile
from drr.env.drawer.readers import opened_picture

WIDEST, HIGHEST = 1200, 2400
"""Largest width and height of a drawing, in pixels."""
_LARGEST_PAGE = 200 * 72
"""Longest side of a page in points; PDF itself allows no more."""
_SHARPEST = 2.0
"""Most pixels per point."""
_MOST_BOXES = 200


def draw_pdf(data: bytes, page: int, words: Sequence[str]) -> ReadDrawing:
    """Draw a page of a PDF, with the boxes in which each of `words` stands. A word that does not occur has no boxes."""
    try:
        import pypdfium2 as pdfium
    except ImportError:
        raise UnreadableFile("unavailable", "is not drawn without the extra pdf-pages") from None
    try:
        document = pdfium.PdfDocument(data)
        if not 1 <= page <= len(document):
            raise UnreadableFile("invalid", f"has {len(document)} pages and no page {page}")
        sheet = document[page - 1]
        width, height = sheet.get_size()
        if not (0 < width <= _LARGEST_PAGE and 0 < height <= _LARGEST_PAGE):
            raise UnreadableFile("invalid", f"has a page of {width:.0f} x {height:.0f} points")
        scale = min(_SHARPEST, WIDEST / width, HIGHEST / height)
        image = sheet.render(scale=scale, draw_annots=False).to_pil().convert("RGB")
        return _drawing(image, "PNG", _boxes(sheet, words, scale))
    except pdfium.PdfiumError as error:
        raise UnreadableFile("invalid", f"is no PDF that can be drawn ({error})") from error


def _boxes(sheet: Any, words: Sequence[str], scale: float) -> list[list[list[int]]]:
    """Find the boxes of the words, in pixels of the drawing: left, top, right, bottom."""
    text = sheet.get_textpage()
    text_range = text.get_text_range()
    found: list[list[list[int]]] = []
    for one in words:
        pattern = r"\s+".join(map(re.escape, one.split()))
        match = re.search(pattern, text_range) if pattern else None
        boxes = []
        if match is not None:
            count = text.count_rects(match.start(), match.end() - match.start())
            for number in range(min(count, _MOST_BOXES)):
                left, bottom, right, top = text.get_rect(number)
                boxes.append(_on_drawing(sheet, left, bottom, right, top, scale))
        found.append(boxes)
    return found


def _on_drawing(sheet: Any, left: float, bottom: float, right: float, top: float, scale: float) -> list[int]:
    """Convert a box of the page to pixels of the drawing. The page's rotation and crop box apply, so corners may change places."""
    x0, y0, x1, y1 = sheet.get_cropbox()
    turned = sheet.get_rotation()
    width, height = x1 - x0, y1 - y0
    corners = []
    for x, y in ((left - x0, bottom - y0), (right - x0, top - y0)):
        corners.append(
            {0: (x, height - y), 90: (y, x), 180: (width - x, y), 270: (height - y, width - x)}[turned]
        )
    (a, b), (c, d) = corners
    return [round(scale * each) for each in (min(a, c), min(b, d), max(a, c), max(b, d))]


def draw_picture(data: bytes) -> ReadDrawing:
    """Redraw a picture in its own format, PNG or JPEG."""
    with opened_picture(data, "drawn") as picture:
        form, (width, height) = str(picture.format), picture.size
        scale = min(1.0, WIDEST / width, HIGHEST / height)
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        plain = picture.convert("RGBA" if form == "PNG" else "RGB").resize(size)
    return _drawing(plain, form, [])


def _drawing(image: Any, form: str, boxes: list[list[list[int]]]) -> ReadDrawing:
    from base64 import b64encode

    buffer = BytesIO()
    image.save(buffer, form)
    return {
        "bytes": b64encode(buffer.getvalue()).decode("ascii"),
        "form": form,
        "width": image.width,
        "height": image.height,
        "boxes": boxes,
    }
