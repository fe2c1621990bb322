"""A raw product: what a metadata row must hold, and the product it becomes."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import Any, Literal, NamedTuple

import msgspec
import orjson
from drr.data_ingest.lines import BadLine, Repairs, may_need_repair, parse_object, without_bom
from drr.data_ingest.plain_text import plain_values
from drr.env.entities import Product
from drr.env.json_object import JsonObject

PriceForm = Literal["number", "missing", "dash", "from", "text", "unreadable"]
_AMOUNT = re.compile(
    r"(from\s++)?(?:USD\s*+|US\s*+)?\$?\s*+((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)",
    re.IGNORECASE | re.ASCII,
)
_DASHES = {"—", "–", "-"}
NOTHING = {"", "none", "nan", "null"}
"""How copies of the data set spell what is not there."""


class ListPrice(NamedTuple):
    value: float | None
    form: PriceForm
    """How it was written; every form but the first two is counted."""


def parse_price(raw: Any) -> ListPrice:
    """A number is itself, zero included; `from 8.99` is the lowest price; what is no price is unknown."""
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
    """The fields that are used, with the types of the official files; everything may be absent but the id."""

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
    """All of them, or `None` if one needs a closer look."""
    if not lines.isascii() or may_need_repair(lines):
        return None
    try:
        rows: list[RawProduct] = _STRICT.decode_lines(lines)
    except (msgspec.MsgspecError, RecursionError):
        return None
    return rows if len(rows) == count and all(map(_sound, rows)) else None


def parse_stored(line: bytes) -> RawProduct:
    """A line that was found good before."""
    rows = parse_block(line, 1)
    return rows[0] if rows else parse_line(line, Repairs())


def _sound(row: RawProduct) -> bool:
    return bool(row.parent_asin) and (row.details is None or isinstance(row.details, dict))


def parse_line(line: bytes, repairs: Repairs) -> RawProduct:
    """One of them, mended where that is possible, or the reason why it is none."""
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
    """Copies of the data set hold the details as a JSON text."""
    if text.strip().casefold() in NOTHING:
        return {}
    try:
        return parse_object(text.encode("utf-8", "surrogatepass"), Repairs())
    except BadLine:
        raise BadLine("wrong_type") from None


def make_product(raw: RawProduct, category: str, notes: Counter[str]) -> Product:
    """The shop's product. What was put right is counted in `notes`."""
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
    """JSON knows numbers and depths that no database does; those become text."""
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
    """Null in every row of the official files."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    return None
