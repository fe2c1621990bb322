"""Converts records to documents of MongoDB and back, in the paper's form, without loss.

Keys of `details` may be empty or hold dots and dollar signs, which a database takes for operators and paths; such keys are written in
percent form and read back exactly, and so are whole numbers and depths that BSON cannot hold. `product_url` is not stored: it
depends on the reader. `find` holds the keys that `find_users` compares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import bson
import orjson
from bson.int64 import Int64
from bson.raw_bson import RawBSONDocument
from drr.env.content import OrderColumns, ReviewRow, UserRow, slip_of
from drr.env.embedding import Vectors
from drr.env.entities import RECORDED_STATUSES, KeptReview, Order, Product, User, product_address
from drr.env.errors import ShopError
from drr.env.json_object import JsonObject
from drr.env.search.fields import SearchFields, fields_of_product, fields_version
from drr.env.search.read_query import LexiconMaker
from drr.env.search.searching import VERSION_KEY, VectorMaker
from drr.env.settings import Settings
from drr.env.text import person_key, text_version

_ESCAPES = {"%": "%25", ".": "%2E", "$": "%24", "\0": "%00"}
_SAFE = str.maketrans(_ESCAPES)
_EMPTY = "%"
_AS_JSON = "%json"
# MongoDB takes a hundred levels, of which the record itself is some.
_DEEPEST = 80
_LARGEST = 16 << 20


def safe_key(key: str) -> str:
    return key.translate(_SAFE) or _EMPTY


def plain_key(key: str) -> str:
    if "%" not in key:
        return key
    if key == _EMPTY:
        return ""
    for c, escaped in reversed(_ESCAPES.items()):
        key = key.replace(escaped, c)
    return key


def storable_value(value: Any, depth: int = _DEEPEST) -> Any:
    """Return a JSON value with keys, numbers and a depth that the database accepts."""
    if isinstance(value, (Mapping, list)) and not depth:
        return {_AS_JSON: orjson.dumps(value).decode()}
    if isinstance(value, Mapping):
        return {safe_key(key): storable_value(inner, depth - 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [storable_value(inner, depth - 1) for inner in value]
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        return {_AS_JSON: str(value)}
    return value


def plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        if _AS_JSON in value:
            return orjson.loads(value[_AS_JSON])
        return {plain_key(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return int(value) if isinstance(value, Int64) else value


def product_document(product: Product) -> RawBSONDocument:
    """Encode a product. An error about a product that the server would refuse names that product here."""
    document = product.document()
    del document["product_url"]
    document["details"] = storable_value(product.details)
    refused = f"products: {product.product_id} cannot be stored"
    try:
        encoded = bson.encode(document)
    except (bson.errors.BSONError, OverflowError) as error:
        raise ShopError(f"{refused}: {error}") from error
    if (size := len(encoded)) > _LARGEST:
        raise ShopError(f"{refused}: it has {size:,} bytes, and MongoDB takes {_LARGEST:,} in one document")
    return RawBSONDocument(encoded)


def product_of(document: JsonObject, address: str) -> Product:
    del document["_id"]
    document["details"] = plain(document["details"])
    document["product_url"] = product_address(address, document["product_id"])
    return Product.model_validate(document)


def user_document(row: UserRow) -> JsonObject:
    user_id, email, first, last, phone, address1, city, state, zip_code, country, status = row
    return {
        "_id": user_id,
        "user_id": user_id,
        "email": email,
        "first_name": first,
        "last_name": last,
        "phone_number": phone,
        "address": {"address1": address1, "city": city, "state": state, "zip": zip_code, "country": country},
        "account_status": status,
        "find": find_keys(email, first, last),
    }


def find_keys(email: str, first: str, last: str) -> JsonObject:
    """Return the keys that look-ups of users compare."""
    return {"email": person_key(email), "name": person_key(first, last)}


def user_of(document: JsonObject) -> User:
    del document["_id"]
    document.pop("find", None)
    return User.model_validate(document)


def order_documents(columns: OrderColumns, product_ids: list[str], user_ids: list[str]) -> list[JsonObject]:
    """Return the documents of orders. Dates are in the form of `drr.env.entities.iso_from_ms`, computed for all orders at once."""
    import numpy as np

    arrays = [np.asarray(column, dtype=np.int64) for column in columns.numbers]
    moments = columns._fields.index("timestamp_ms")
    dates = np.datetime_as_string(arrays[moments].astype("datetime64[ms]"), unit="ms")
    rows = zip(*(array.tolist() for array in (*arrays, dates)), strict=True)
    return [
        {
            "_id": (key := f"{number:016d}"),
            "order_id": key,
            "product_id": product_ids[p],
            "user_id": user_ids[u],
            "order_date": date,
            "quantity": n,
            "order_status": RECORDED_STATUSES[s],
            **({"slip": slip_of(columns.slips[number]).model_dump()} if number in columns.slips else {}),
        }
        for number, p, u, _, n, s, date in rows
    ]


def order_of(document: JsonObject) -> Order:
    del document["_id"]
    return Order.model_validate(document)


def review_document(row: ReviewRow) -> JsonObject:
    return {"_id": f"{row.order_id:016d}", "rating": row.rating, "title": row.title, "text": row.text}


def review_of(document: JsonObject, order: Order) -> KeptReview:
    """Return the review in a document. A review names only its order; the other fields come from the order."""
    return KeptReview(
        order_id=order.order_id,
        user_id=order.user_id,
        product_id=order.product_id,
        date=order.order_date,
        rating=document["rating"],
        title=document["title"],
        text=document["text"],
    )


Parts: TypeAlias = "tuple[SearchFields, Vectors | None]"
"""The fields and the vector by which a product is searched."""


class SearchParts:
    """The search fields and vectors of all batches. Stored products are included too, because lexicon and hash cover all products."""

    def __init__(self, settings: Settings) -> None:
        self.language: str | None = None
        self._lexicon = LexiconMaker(keyed=True)
        self._vectors = VectorMaker(settings) if settings.search == "hybrid" else None

    def of(self, batch: Sequence[Product]) -> list[Parts]:
        fields = [fields_of_product(product, self.language) for product in batch]
        for one in fields:
            self._lexicon.add(one)
        rows = [None] * len(batch) if self._vectors is None else self._vectors.rows(batch)
        return list(zip(fields, rows, strict=True))

    def lexicon(self) -> bytes:
        return self._lexicon.packed()

    def weights(self) -> bytes:
        """Return the weights of the offline embedder as bytes; empty if there are none."""
        weights = None if self._vectors is None else self._vectors.weights
        return b"" if weights is None else weights.tobytes()

    def versions(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the versions for the manifest. Those of a copied shop's vectors are replaced or dropped."""
        own = {name: one for name, one in given.items() if name != VERSION_KEY}
        own |= {"text": text_version(self.language), "fields": fields_version(self.language)}
        return own if self._vectors is None else own | {VERSION_KEY: self._vectors.version}
