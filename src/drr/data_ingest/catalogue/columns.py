"""Stops an ingest whose column of figures, or whose encoding, is not read. No message repeats what a cell holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from drr.data_ingest.catalogue.encodings import misread_encoding
from drr.data_ingest.catalogue.mapping import MappedFile
from drr.data_ingest.catalogue.rows import say_encoding
from drr.data_ingest.catalogue.values import Cell, text_of
from drr.env.errors import DrrError
from drr.wording.currencies import amount_of

ADVICE: Mapping[str, str] = {
    "price": "name the column, currency and decimal mark in the mapping ([products] price, currency, decimal), or leave it out: price = []",
    "rating": "name the column of stars from 0 to 5 in the mapping ([products] rating), or leave it out: rating = []",
    "ratings": "name the column of their number in the mapping ([products] ratings), or leave it out: ratings = []",
    "date": 'say in the mapping how dates are written: [orders] dates = "%d/%m/%y"',
    "quantity": "name the column of pieces in the mapping ([orders] quantity), or leave it out: quantity = []",
}
"""Columns whose unread cells are counted, and what reads them."""
_UNREAD = 0.2
"""The share of a column's filled cells above which it is not read."""
_KEPT = 20
_SHOWN = 3
_ENCODINGS = (
    "utf-8",
    "cp1252",
    "cp1250",
    "cp1251",
    "cp1253",
    "cp1254",
    "cp1257",
    "cp850",
    "cp852",
    "mac_roman",
)


class UnreadCells:
    """Counts the cells of one file's columns that say something, and those that were not read."""

    def __init__(self, mapped: MappedFile) -> None:
        self._mapped = mapped
        self._filled = dict.fromkeys(ADVICE, 0)
        self._unread: dict[str, list[str]] = {field: [] for field in ADVICE}
        self._counts = dict.fromkeys(ADVICE, 0)
        self._titles: list[str] = []

    def add(self, row: Mapping[str, Cell], values: Mapping[str, object]) -> None:
        """Count a row's cells; `values` are what they were read as, `None` for nothing."""
        for field, value in values.items():
            if value is not None:
                self._filled[field] += 1
            elif text := text_of(row.get(field)):
                self._filled[field] += 1
                self._keep(field, text)
        title = row.get("title")
        if len(self._titles) < _KEPT and not str(title).isascii() and not (text := text_of(title)).isascii():
            self._titles.append(text)

    def add_column(self, field: str, filled: int, unread: Iterable[str]) -> None:
        """Count the cells of a column that say something, and keep those of them that were not read."""
        self._filled[field] += filled
        for text in unread:
            self._keep(field, text)

    def _keep(self, field: str, text: str) -> None:
        self._counts[field] += 1
        if len(self._unread[field]) < _KEPT and text not in self._unread[field]:
            self._unread[field].append(text)

    def error(self) -> DrrError | None:
        """Return what is wrong with the file, `None` if its columns are read."""
        name = self._mapped.name
        if len(self._titles) >= _SHOWN and (
            better := self._better(self._titles, ("utf-8",)) or self._misread()
        ):
            return DrrError(f"{name}: names of products look garbled; {better}")
        for field, count in self._counts.items():
            if count <= _UNREAD * self._filled[field]:
                continue
            forms = ", ".join(
                f'"{form}"' for form in list(dict.fromkeys(map(_form, self._unread[field])))[:_SHOWN]
            )
            advice = field == "price" and count == self._filled[field] and self._better(self._unread[field])
            return DrrError(
                f"{name}: {count:,} of {self._filled[field]:,} cells of {field} cannot be read, of the form {forms} (9 is a "
                f"digit, x a letter); {advice or ADVICE[field]}"
            )
        return None

    def _better(self, texts: Sequence[str], encodings: Iterable[str] = _ENCODINGS) -> str:
        """Return the encoding by which the texts are read, as advice; empty if there is none."""
        used = self._mapped.source.encoding or "utf-8"
        for one in () if used.casefold().startswith("utf") else encodings:
            with suppress(ValueError, LookupError):
                anew = [text.encode(used).decode(one) for text in texts]
                if one == "utf-8" or all(amount_of(text, "").value is not None for text in anew):
                    return f"the encoding seems to be {one}, {say_encoding(one)}"
        return ""

    def _misread(self) -> str:
        """Return the encoding of the shop's language that a Western one was taken for, as advice."""
        source = self._mapped.source
        one = misread_encoding(self._titles, source.encoding or "utf-8", source.language)
        return f"the encoding seems to be {one}, {say_encoding(one)}" if one else ""


def _form(text: str) -> str:
    """Return a cell's form: a digit as 9, a letter as x."""
    return "".join(
        "9" if c.isdecimal() else "x" if c.isalpha() else c if c.isprintable() else "?" for c in text[:24]
    )
