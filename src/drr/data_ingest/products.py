"""Makes products of metadata rows, and checks each row."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from html import unescape
from typing import Any, Literal, NamedTuple, NoReturn

import msgspec
import orjson
from drr.env.entities import Product
from drr.env.json_object import JsonObject

_LONE = re.compile("[\ud800-\udfff]")
_NUL_ESCAPE = b"\\u0000"
BOM = b"\xef\xbb\xbf"


class BadLine(Exception):
    """A line for the quarantine; `reason` is the name under which the line is counted."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(slots=True)
class Repairs:
    """The numbers of repaired rows, by kind of repair."""

    surrogates: int = 0
    nul: int = 0

    def add(self, other: Repairs) -> None:
        self.surrogates += other.surrogates
        self.nul += other.nul


def may_need_repair(lines: bytes) -> bool:
    """Tell whether lines may contain NUL, which the strict parser accepts as an escape. A lone surrogate it rejects."""
    return b"\0" in lines or lines.rfind(_NUL_ESCAPE) >= 0  # from the right it is found three times as fast


def parse_object(line: bytes, repairs: Repairs) -> JsonObject:
    """Parse a line as an object and repair it: lone surrogates become U+FFFD and NUL is removed."""
    had_nul = b"\0" in line
    try:
        text = line.replace(b"\0", b"").decode("utf-8")
    except UnicodeDecodeError:
        raise BadLine("not_utf8") from None
    try:
        row = json.loads(text, parse_constant=_raise_for_constant)
    except (ValueError, RecursionError):
        raise BadLine("broken_json") from None
    if not isinstance(row, dict):
        raise BadLine("not_an_object")
    if "\\u" not in text:
        repairs.nul += had_nul
        return row
    mended = _Mender()
    clean: JsonObject = mended(row)
    repairs.surrogates += mended.surrogates
    repairs.nul += mended.nul or had_nul
    return clean


def _raise_for_constant(name: str) -> NoReturn:
    raise ValueError(name)


class _Mender:
    def __init__(self) -> None:
        self.surrogates = self.nul = False

    def __call__(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self(item) for item in value]
        if isinstance(value, dict):
            return {self._text(key): self(item) for key, item in value.items()}
        return value

    def _text(self, text: str) -> str:
        if "\0" in text:
            self.nul = True
            text = text.replace("\0", "")
        if not text.isascii() and _LONE.search(text):
            self.surrogates = True
            text = _LONE.sub("\ufffd", text)
        return text


def without_bom(line: bytes) -> bytes:
    return line.removeprefix(BOM)


VERSION = "1"
"""The version of text cleaning, raised when a text may come out differently. It stands in the manifest; a shop's content hash depends on it."""
_BREAKS = (
    "address|article|aside|blockquote|br|caption|center|dd|div|dl|dt|footer|h[1-6]|header|hr|li|main|nav|ol|p|pre|section"
    "|table|tbody|td|tfoot|th|thead|tr|ul"
)
_INLINE = (
    "a|abbr|acronym|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|img|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|tt"
    "|u|var|wbr"
)
_ATTRIBUTE = r"""\s+[A-Za-z][\w:-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'|[^\s"'<>=]+)"""
_TAG = re.compile(rf"</?(?:(?P<breaks>{_BREAKS})|{_INLINE})(?:{_ATTRIBUTE})*\s*/?>", re.IGNORECASE)
_HIDDEN = re.compile(r"<!--[^<>]{0,2000}-->")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_BLANKS = re.compile(r"[ \t\r\n\f\v\u00a0]+")
_TWICE = 2


def plain(text: str) -> str:
    if "<" not in text and "&" not in text:
        return text
    read = text
    for _ in range(_TWICE):
        read = _ENTITY.sub(lambda found: unescape(found[0]), read)
    read = _TAG.sub(lambda found: " " if found["breaks"] else "", _HIDDEN.sub("", read))
    return text if read == text else _BLANKS.sub(" ", read).strip()


def plain_values(value: Any) -> Any:
    """Clean all texts in a structure, keys included; a key that would become equal to another stays as it was."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, list):
        return [plain_values(item) for item in value]
    if isinstance(value, dict):
        found: dict[str, Any] = {}
        for name, item in value.items():
            read = plain(name)
            found[name if read != name and (read in value or read in found) else read] = plain_values(item)
        return found
    return value


PriceForm = Literal["number", "missing", "dash", "from", "text", "unreadable"]
_AMOUNT = re.compile(
    r"(from\s++)?(?:USD\s*+|US\s*+)?\$?\s*+((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)",
    re.IGNORECASE | re.ASCII,
)
_DASHES = {"—", "–", "-"}
NOTHING = {"", "none", "nan", "null"}
"""Spellings of an empty field in copies of the data set."""


class ListPrice(NamedTuple):
    value: float | None
    form: PriceForm
    """The form in which the price was written; every form but the first two is counted."""


def parse_price(raw: Any) -> ListPrice:
    """Parse a price. A number is itself, zero included; `from 8.99` is the lowest price; any other text is unknown."""
    if raw is None:
        return ListPrice(None, "missing")
    if isinstance(raw, (int, float)) and not isinstance(raw, bool):
        try:
            value = float(raw)
        except OverflowError:
            return ListPrice(None, "unreadable")
        return ListPrice(value, "number") if 0 <= value < math.inf else ListPrice(None, "unreadable")
    if not isinstance(raw, str):
        return ListPrice(None, "unreadable")
    text = " ".join(raw.split())  # a space may be one that does not break
    if text in _DASHES:
        return ListPrice(None, "dash")
    if text.casefold() in NOTHING:
        return ListPrice(None, "missing")
    found = _AMOUNT.fullmatch(text)
    if found is None:
        return ListPrice(None, "unreadable")
    value = float(found[2].replace(",", ""))
    if value == math.inf:
        return ListPrice(None, "unreadable")
    return ListPrice(value, "from" if found[1] else "text")


class RawProduct(msgspec.Struct, gc=False):
    """The used fields of a row, with the types of the official files; only the id is required."""

    parent_asin: str
    title: str | None = None
    features: list[str] | None = None
    description: list[str] | None = None
    price: Any = None
    store: str | None = None
    categories: list[str] | None = None
    details: Any = None
    main_category: str | None = None
    average_rating: float | None = None
    rating_number: int | None = None
    bought_together: Any = None


_STRICT = msgspec.json.Decoder(RawProduct)
_LARGEST = (1 << 63) - 1
_DEEPEST = 100
_ALIASES = {"parentAsin": "parent_asin"}


def parse_block(lines: bytes, count: int) -> list[RawProduct] | None:
    """Parse all rows of a block, or return `None` if one needs a closer look."""
    if not lines.isascii() or may_need_repair(lines):
        return None
    try:
        rows: list[RawProduct] = _STRICT.decode_lines(lines)
    except (msgspec.MsgspecError, RecursionError):
        return None
    return rows if len(rows) == count and all(map(_is_sound, rows)) else None


def parse_stored(line: bytes) -> RawProduct:
    """Parse a line that was accepted before."""
    rows = parse_block(line, 1)
    return rows[0] if rows else parse_line(line, Repairs())


def _is_sound(row: RawProduct) -> bool:
    return bool(row.parent_asin) and (row.details is None or isinstance(row.details, dict))


def parse_line(line: bytes, repairs: Repairs) -> RawProduct:
    """Parse one line, repaired if possible. Raises `BadLine` with the reason if it is no row."""
    row = parse_object(without_bom(line), repairs)
    row = {_ALIASES.get(name, name): value for name, value in row.items()}
    if row.get("parent_asin") in (None, ""):
        raise BadLine("missing_parent_asin")
    number = row.get("rating_number")
    if isinstance(number, float) and number.is_integer():  # copies that went through a data frame
        row["rating_number"] = int(number)
    details = row.get("details")
    if isinstance(details, str):
        row["details"] = _details_of_text(details)
    elif details is not None and not isinstance(details, dict):
        raise BadLine("wrong_type")
    try:
        return msgspec.convert(row, RawProduct)
    except msgspec.ValidationError:
        raise BadLine("wrong_type") from None


def _details_of_text(text: str) -> JsonObject:
    """Parse the details from a JSON text, the form in copies of the data set."""
    if text.strip().casefold() in NOTHING:
        return {}
    try:
        return parse_object(text.encode("utf-8", "surrogatepass"), Repairs())
    except BadLine:
        raise BadLine("wrong_type") from None


def make_product(raw: RawProduct, category: str, notes: Counter[str]) -> Product:
    """Return the shop's product. Corrections are counted in `notes`."""
    price = parse_price(raw.price)
    if price.form not in ("number", "missing"):
        notes[f"price_{price.form}"] += 1
    if price.value is None:
        notes["price_unknown"] += 1
    categories = raw.categories or []
    if not categories:
        notes["categories_from_file"] += 1
        categories = [category]
    texts: JsonObject = {
        "title": raw.title or "",
        "features": raw.features or [],
        "description": raw.description or [],
        "store": raw.store,
        "categories": categories,
        "details": _storable(raw.details or {}, notes),
        "main_category": raw.main_category,
    }
    read = plain_values(texts)
    if read != texts:
        notes["products_with_html"] += 1
    return Product(
        product_id=raw.parent_asin,
        product_url="",
        price=price.value,
        bought_together=_bought_together(raw.bought_together),
        average_rating=raw.average_rating,
        rating_number=_in_64_bits(raw.rating_number, notes),
        category=category,
        **read,
    )


def _in_64_bits(number: int | None, notes: Counter[str]) -> int | None:
    if number is None or abs(number) <= _LARGEST:
        return number
    notes["rating_number_unreadable"] += 1
    return None


def _storable(details: JsonObject, notes: Counter[str]) -> JsonObject:
    """Return details that a database can store: numbers and depths that none can hold become text."""
    try:
        orjson.dumps(details)
    except TypeError:
        notes["details_as_text"] += 1
        mended: JsonObject = _as_text(details, _DEEPEST)
        return mended
    return details


def _as_text(value: Any, depth: int) -> Any:
    if isinstance(value, int) and abs(value) > _LARGEST:
        return str(value)
    if not isinstance(value, (dict, list)):
        return value
    if not depth:
        return json.dumps(value)
    if isinstance(value, list):
        return [_as_text(item, depth - 1) for item in value]
    return {name: _as_text(item, depth - 1) for name, item in value.items()}


def _bought_together(value: Any) -> list[str] | None:
    """Return the value if it is a list of texts, else `None`. It is null in every row of the official files."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    return None
