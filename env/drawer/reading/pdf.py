"""A PDF as the text of its pages. Nothing in it is run, and no file attached to it is opened."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from drr.env.drawer.reading.form import ReadContent, UnreadableFile

MOST_PAGES = 200


def read_pdf(data: bytes) -> ReadContent:
    import logging

    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(BytesIO(data), strict=False)
        if reader.is_encrypted:
            raise UnreadableFile("unsupported", "is encrypted, and its words cannot be read")
        stated = _stated(reader)
        if stated > MOST_PAGES:
            raise UnreadableFile("invalid", f"has {stated:,} pages; at most {MOST_PAGES} are read")
        pages = []
        for page in reader.pages:
            pages.append(_clean(page.extract_text()))
            if len(pages) > MOST_PAGES:
                raise UnreadableFile("invalid", f"has more than {MOST_PAGES} pages")
    except PyPdfError as error:
        raise UnreadableFile("invalid", f"is no PDF that can be read ({type(error).__name__})") from error
    if not pages:
        raise UnreadableFile("invalid", "has no page")
    return {"pages": pages}


def _stated(reader: Any) -> int:
    """Read the number of pages that the file states, before a page is looked at."""
    root = reader.trailer["/Root"]
    count = root["/Pages"].get("/Count", 0)
    return count if isinstance(count, int) else 0


def _clean(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.replace("\x00", "").splitlines()).strip()
