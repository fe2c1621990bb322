"""What stands in a file of a drawer, by readers of others: the text of a place, and of the whole file."""

from __future__ import annotations

import csv
import email
import re
from email.message import EmailMessage
from email.policy import default
from html.parser import HTMLParser
from io import BytesIO, StringIO

from pypdf import PdfReader

from tests.late import Late

openpyxl = Late("openpyxl")


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def text_at(content: bytes, address: str) -> str:
    """`file://NAME#page=2`: what stands there; of a picture nothing."""
    name, _, fragment = address.removeprefix("file://").partition("#")
    kind, _, where = fragment.partition("=")
    if name.endswith(".pdf"):
        return PdfReader(BytesIO(content)).pages[int(where) - 1].extract_text()
    if name.endswith(".xlsx"):
        sheet, _, cell = where.partition("!")
        return str(openpyxl.load_workbook(BytesIO(content))[sheet][cell].value)
    if name.endswith(".csv"):
        assert kind == "row"
        return " | ".join(list(csv.reader(StringIO(content.decode())))[int(where) - 1])
    return whole_text(name, content)


def whole_text(name: str, content: bytes) -> str:
    if name.endswith(".pdf"):
        return "\n".join(page.extract_text() for page in PdfReader(BytesIO(content)).pages)
    if name.endswith(".xlsx"):
        book = openpyxl.load_workbook(BytesIO(content))
        return "\n".join(str(cell.value) for sheet in book for row in sheet.iter_rows() for cell in row)
    if name.endswith(".eml"):
        message = email.message_from_bytes(content, policy=default)
        assert isinstance(message, EmailMessage)
        return str(message.get_content())
    if name.endswith(".html"):
        words = _Words()
        words.feed(content.decode())
        return " ".join(words.parts)
    return "" if name.endswith(".png") else content.decode()


def says(text: str, value: str) -> bool:
    """As words of its own, whatever white space stands between them."""
    return (
        re.search(rf"(?<![\w.]){re.escape(' '.join(value.split()))}(?!\w)", " ".join(text.split()))
        is not None
    )
