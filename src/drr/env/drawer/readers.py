"""Readers for each kind of file: bytes in, plain data out. They run in a separate process with limits."""

from __future__ import annotations

import codecs
import csv
import email
import email.policy
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time
from email.message import EmailMessage, Message
from html.parser import HTMLParser
from io import BytesIO, StringIO
from typing import Any
from zipfile import BadZipFile, ZipFile

from drr.env.drawer.form import ReadContent, ReadSheet, UnreadableFile

_MARKED = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def decode_text(data: bytes) -> str:
    encoding = next((name for mark, name in _MARKED if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise UnreadableFile("invalid", f"is not {encoding[:6].upper()} at byte {error.start}") from error
    if "\x00" in text:
        raise UnreadableFile("invalid", "holds bytes that no text has")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_text(data: bytes) -> ReadContent:
    return {"text": decode_text(data)}


_UNSEEN = frozenset({"script", "style", "template", "noscript", "svg", "math", "iframe", "object"})
_LINES = frozenset(
    {"address", "article", "aside", "blockquote", "br", "caption", "dd", "div", "dl", "dt", "figcaption", "figure", "footer", "form",
     "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table", "title", "tr", "ul"}
)  # fmt: skip
_CHARSET = re.compile(
    rb"""<meta[^>]{0,200}charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w.:-]{1,40})""", re.IGNORECASE
)


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unseen += tag in _UNSEEN
        self._part(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._part(tag)

    def handle_endtag(self, tag: str) -> None:
        self._unseen = max(0, self._unseen - (tag in _UNSEEN))
        self._part(tag)

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.pieces.append(" ".join(data.split()) if data.strip() else " ")
            if data[-1:].isspace():
                self.pieces.append(" ")

    def _part(self, tag: str) -> None:
        if tag in _LINES:
            self.pieces.append("\n")
        elif tag in ("td", "th"):
            self.pieces.append(" | ")


def words_of(html: str) -> str:
    parser = _Words()
    parser.feed(html)
    parser.close()
    lines = (
        re.sub(r"(?: ?\| ){2,}", " | ", " ".join(line.split())).strip(" |")
        for line in "".join(parser.pieces).split("\n")
    )
    return "\n".join(line for line in lines if line)


def read_html(data: bytes) -> ReadContent:
    text = _html(data)
    if "<" not in text:
        raise UnreadableFile("invalid", "is named as a web page and has no markup")
    return {"text": words_of(text)}


def _html(data: bytes) -> str:
    """Decode a web page by the charset that it states, or else by the usual rule."""
    named = _CHARSET.search(data[:4096])
    if named is not None and not data.startswith(b"\xef\xbb\xbf"):
        try:
            return data.decode(named[1].decode("ascii"))
        except (LookupError, UnicodeDecodeError):
            pass
    return decode_text(data)


MOST_PARTS, DEEPEST = 200, 4
_HEAD = ("From", "To", "Cc", "Date", "Subject")


def read_mail(data: bytes) -> ReadContent:
    message = email.message_from_bytes(data, _class=EmailMessage, policy=email.policy.default)
    if not any(message[name] for name in _HEAD):
        raise UnreadableFile("invalid", "has none of the lines that a mail begins with")
    return {"text": "\n".join(_Mail().lines(message, 0))}


class _Mail:
    """A reader of a mail that counts the parts read, nested mails included."""

    def __init__(self) -> None:
        self.parts = 0

    def lines(self, mail: Message, depth: int) -> list[str]:
        found = [f"{name}: {' '.join(str(mail[name]).split())}" for name in _HEAD if mail[name]]
        words: list[str] = []
        attached: list[str] = []
        self._walk(mail, depth, words, attached)
        if attached:
            found.append(f"Attached: {', '.join(attached)}")
        return [*found, "", *words]

    def _walk(self, part: Message, depth: int, words: list[str], attached: list[str]) -> None:
        self.parts += 1
        if self.parts > MOST_PARTS:
            raise UnreadableFile("invalid", f"has more than {MOST_PARTS} parts")
        kind, name = part.get_content_type(), part.get_filename()
        if kind == "message/rfc822":
            for one in _parts(part):
                attached.append(f"a mail ({' '.join(str(one['Subject'] or 'no subject').split())[:120]})")
                if depth >= DEEPEST:
                    raise UnreadableFile("invalid", f"holds mails within mails, more than {DEEPEST} deep")
                words += [
                    "",
                    "--- Attached mail ---",
                    *self.lines(one, depth + 1),
                    "--- End of attached mail ---",
                ]
        elif part.is_multipart():
            for one in _choose_part(_parts(part)) if kind == "multipart/alternative" else _parts(part):
                self._walk(one, depth, words, attached)
        elif name or part.get_content_disposition() == "attachment" or not kind.startswith("text/"):
            attached.append(f"{' '.join(str(name or 'no name').split())[:120]} ({kind})")
        else:
            words.append(_words(part, kind))


def _parts(part: Message) -> list[Message]:
    found = part.get_payload()
    return [one for one in found if isinstance(one, Message)] if isinstance(found, list) else []


def _choose_part(parts: list[Message]) -> list[Message]:
    """Choose the plain-text part if a mail gives the same text in several forms, else the last part."""
    plain = [part for part in parts if part.get_content_type() == "text/plain"]
    return plain[:1] or parts[-1:]


def _words(part: Message, kind: str) -> str:
    raw = part.get_payload(decode=True)
    data = raw if isinstance(raw, bytes) else b""
    try:
        text = data.decode(part.get_content_charset() or "utf-8")
    except (LookupError, UnicodeDecodeError):
        raise UnreadableFile("invalid", "holds words in a charset that cannot be read") from None
    return words_of(text) if kind == "text/html" else text.replace("\r\n", "\n").strip()


def read_page(data: bytes) -> ReadContent:
    import trafilatura
    from trafilatura.metadata import extract_metadata

    url, _, html = data.decode("utf-8").partition("\n")
    tree = trafilatura.load_html(html)
    if tree is None:
        return {"title": None, "text": ""}
    document = extract_metadata(tree, default_url=url)
    text = trafilatura.extract(
        html,
        url=url,
        output_format="markdown",
        include_tables=True,
        include_comments=False,
        favor_recall=True,
    )
    return {"title": document.title if document else None, "text": text or ""}


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
        stated = _stated_pages(reader)
        if stated > MOST_PAGES:
            raise UnreadableFile("invalid", f"has {stated:,} pages; at most {MOST_PAGES} are read")
        pages = []
        for page in reader.pages:
            pages.append(_clean_text(page.extract_text()))
            if len(pages) > MOST_PAGES:
                raise UnreadableFile("invalid", f"has more than {MOST_PAGES} pages")
    except PyPdfError as error:
        raise UnreadableFile("invalid", f"is no PDF that can be read ({type(error).__name__})") from error
    if not pages:
        raise UnreadableFile("invalid", "has no page")
    return {"pages": pages}


def _stated_pages(reader: Any) -> int:
    """Read the number of pages that the file states, before any page is read."""
    root = reader.trailer["/Root"]
    count = root["/Pages"].get("/Count", 0)
    return count if isinstance(count, int) else 0


def _clean_text(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.replace("\x00", "").splitlines()).strip()


MOST_PIXELS = 25_000_000


@contextmanager
def opened_picture(data: bytes, done: str) -> Iterator[Any]:
    """Open a picture, PNG or JPEG. Raises `UnreadableFile`, which says that the picture cannot be `done`."""
    from PIL import Image, UnidentifiedImageError

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(BytesIO(data), formats=("PNG", "JPEG")) as picture:
                yield picture
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise UnreadableFile("invalid", f"is a picture of more than {MOST_PIXELS:,} pixels") from error
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError) as error:
        raise UnreadableFile(
            "invalid", f"is no picture that can be {done} ({type(error).__name__})"
        ) from error


def read_picture(data: bytes) -> ReadContent:
    with opened_picture(data, "read") as picture:
        width, height = picture.size
        if getattr(picture, "n_frames", 1) > 1:
            raise UnreadableFile("unsupported", "is a moving picture")
        picture.load()
        return {"picture": {"format": str(picture.format), "width": width, "height": height}}


MOST_ROWS, MOST_COLUMNS, MOST_SHEETS = 20_000, 200, 50
_MOST_UNPACKED, _MOST_PARTS = 64 << 20, 1_000
_LONGEST_CELL = 32_767
_FORMULA = "(formula; no value is stored)"
_DECLARED = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)


def read_csv(data: bytes) -> ReadContent:
    text = decode_text(data)
    csv.field_size_limit(_LONGEST_CELL)
    delimiter = max(",;\t", key=text.split("\n", 1)[0].count)
    sheet = ReadSheet(name="", left=1, rows=[])
    try:
        for number, row in enumerate(csv.reader(StringIO(text), delimiter=delimiter), 1):
            _add(sheet, number, row)
    except csv.Error as error:
        raise UnreadableFile("invalid", f"is no table that can be read ({error})") from error
    return {"sheets": [sheet]}


def read_xlsx(data: bytes) -> ReadContent:
    _look_over(data)
    from openpyxl import load_workbook

    try:
        values = load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
        book = load_workbook(BytesIO(data), read_only=True, data_only=False, keep_links=False)
        if len(values.worksheets) > MOST_SHEETS:
            raise UnreadableFile(
                "invalid", f"has {len(values.worksheets)} sheets; at most {MOST_SHEETS} are read"
            )
        sheets = [_sheet(one, book[one.title]) for one in values.worksheets]
    except (KeyError, ValueError, TypeError, AttributeError, IndexError, OSError, BadZipFile) as error:
        raise UnreadableFile(
            "invalid", f"is no workbook that can be read ({type(error).__name__})"
        ) from error
    return {"sheets": sheets}


def _look_over(data: bytes) -> None:
    """Check the sizes that the archive states; no part is unpacked beyond its stated size."""
    try:
        with ZipFile(BytesIO(data)) as archive:
            parts = archive.infolist()
            size = sum(part.file_size for part in parts)
            if len(parts) > _MOST_PARTS or size > _MOST_UNPACKED:
                raise UnreadableFile(
                    "invalid", f"unpacks to {size:,} bytes in {len(parts):,} parts, which is too much"
                )
            names = [part.filename for part in parts]
            if any(name.lower().endswith("vbaproject.bin") for name in names):
                raise UnreadableFile("unsupported", "holds macros, and such workbooks are not opened")
            if not any(name.lower().endswith("workbook.xml") for name in names):
                raise UnreadableFile("invalid", "is an archive and no workbook")
            for part in parts:
                if part.filename.lower().endswith((".xml", ".rels")) and _DECLARED.search(archive.read(part)):
                    raise UnreadableFile("invalid", "declares entities of its own, which no workbook does")
    except (BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise UnreadableFile("invalid", "is no workbook that can be read: its archive is broken") from error


def _sheet(values: Any, shown: Any) -> ReadSheet:
    sheet = ReadSheet(name=values.title, left=1, rows=[])
    for one in (values, shown):
        one.reset_dimensions()
    # Without bounds: a sheet that goes on beyond them is refused and not cut.
    rows = zip(values.iter_rows(values_only=True), shown.iter_rows(values_only=True), strict=False)
    for number, (row, formulas) in enumerate(rows, 1):
        if row:
            _add(sheet, number, [_cell_text(*both) for both in zip(row, formulas, strict=False)])
    return sheet


def _cell_text(value: Any, formula: Any) -> str:
    has_formula = formula is not None and (not isinstance(formula, str) or formula.startswith("="))
    return _FORMULA if value is None and has_formula else _cell(value)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "seconds")
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)


def _add(sheet: ReadSheet, number: int, row: list[str]) -> None:
    if not any(row):
        return
    cells = [" ".join(cell.split())[:_LONGEST_CELL] for cell in row]
    while cells and not cells[-1]:
        cells.pop()
    if not cells:
        return
    if number > MOST_ROWS or len(cells) > MOST_COLUMNS:
        raise UnreadableFile("invalid", f"is a table beyond {MOST_ROWS:,} rows or {MOST_COLUMNS} columns")
    sheet["rows"].append((number, cells))
