"""Makes products of rows. A row without id or title, or with a negative price, is no product."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import orjson
from drr.data_ingest.catalogue.batches import Batch, ProductForms, currencies_of
from drr.data_ingest.catalogue.mapping import MappedFile
from drr.data_ingest.catalogue.values import (
    Cell,
    amount_of,
    first_of,
    is_id,
    number_of,
    steps_of,
    text_of,
    texts_of,
)
from drr.data_ingest.products import BadLine, plain
from drr.data_ingest.quarantine import Quarantine
from drr.env.entities import Product, product_address
from drr.env.json_object import JsonObject

FIELDS = (
    "id", "title", "variant", "price", "currency", "category", "description", "features", "brand", "image", "rating",
    "ratings", "parent", "language", "details",
)  # fmt: skip
_NO_VARIANT = "Default Title"
"""Value that Shopify writes for a product without variants."""
_STARS = 5
_LEFT_OUT = ("other_currency", "other_language")
"""Reasons that the mapping gave, so that the row is not a bad one."""


class Shelf:
    """The products of a shop, laid aside on disk until they can be written in the order of their ids."""

    def __init__(self, stack: ExitStack, folder: Path | None) -> None:
        self._aside = stack.enter_context(TemporaryFile(dir=folder))  # noqa: SIM115 - the stack closes it
        self._ids: dict[str, int] = {}
        self._starts = array("q")
        self._end = 0
        self.notes: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, mapped: MappedFile, forms: ProductForms, batch: Batch, quarantine: Quarantine) -> None:
        """Add the products of a batch."""
        table: Any = mapped.table
        details = table.details and mapped.columns["details"]
        currencies = currencies_of(batch.cells, forms.decimal) or [None] * len(batch.lines)
        for line, row, currency in zip(batch.lines, _rows(batch), currencies, strict=True):
            try:
                self._lay_aside(*self._fields(row, forms, currency, details))
            except BadLine as bad:
                quarantine.put(line, bad.reason, bad=bad.reason not in _LEFT_OUT)

    def _lay_aside(self, product_id: str, fields: JsonObject) -> None:
        self._ids[product_id] = len(self._ids)
        self._starts.append(self._end)
        self._end += self._aside.write(orjson.dumps(fields))

    def positions(self) -> dict[str, int]:
        """Return each product's position in the order of ids."""
        self._order = sorted(self._ids)
        return {product_id: k for k, product_id in enumerate(self._order)}

    def products(self, shop_url: str = "") -> Iterator[Product]:
        """Yield the products in the order of their ids, after `positions`."""
        self._starts.append(self._end)
        for product_id in self._order:
            at = self._ids[product_id]
            self._aside.seek(self._starts[at])
            fields = orjson.loads(self._aside.read(self._starts[at + 1] - self._starts[at]))
            yield Product(product_id=product_id, product_url=product_address(shop_url, product_id), **fields)

    def _fields(
        self, row: Mapping[str, Cell], forms: ProductForms, currency: str | None, details: Sequence[str]
    ) -> tuple[str, JsonObject]:
        product_id, title = text_of(row.get("id")), plain(text_of(row.get("title")))
        if not product_id:
            raise BadLine("no_id")
        if not is_id(product_id):
            raise BadLine("id_unusable")
        if product_id in self._ids:
            raise BadLine("id_twice")
        if not title:
            raise BadLine("no_title")
        if currency and currency != forms.currency:
            raise BadLine("other_currency")
        if forms.language and text_of(row.get("language")) not in ("", forms.language):
            raise BadLine("other_language")
        price = amount_of(_hashable(row.get("price")), forms.decimal)
        if price.negative:
            raise BadLine("negative_price")
        if price.value is None:
            self.notes["price_unreadable" if text_of(row.get("price")) else "price_unknown"] += 1
        named = [
            text for cell in row.get("variant") or () if (text := text_of(cell)) not in ("", _NO_VARIANT)
        ]
        steps = steps_of(row.get("category"))
        brand = text_of(row.get("brand"))
        return product_id, {
            "title": f"{title} ({', '.join(named)})" if named else title,
            "features": [plain(text) for text in texts_of(row.get("features"))],
            "description": [text] if (text := plain(text_of(row.get("description")))) else [],
            "price": None
            if price.value is None
            else round(price.value * forms.rate, 2)
            if forms.rate != 1
            else price.value,
            "store": plain(brand) or None,
            "categories": steps,
            "details": _details(row, product_id, details),
            "average_rating": self._rating(row, forms.decimal),
            "rating_number": _count(row, forms.decimal),
            "category": steps[0] if steps else "Unknown",
        }

    def _rating(self, row: Mapping[str, Cell], decimal: str) -> float | None:
        stars = number_of(row.get("rating"), decimal)
        if stars is not None and stars > _STARS:
            self.notes["rating_above_five"] += 1
            return None
        return stars


def _rows(batch: Batch) -> Iterator[dict[str, Cell]]:
    names = tuple(batch.cells)
    for cells in zip(*batch.cells.values(), strict=True):
        yield dict(zip(names, cells, strict=True))


def _hashable(cell: Cell) -> Cell:
    return first_of(cell) if isinstance(cell, list) else None if isinstance(cell, dict) else cell


def _count(row: Mapping[str, Cell], decimal: str) -> int | None:
    number = number_of(row.get("ratings"), decimal)
    return int(number) if number is not None and number.is_integer() and number < 1 << 53 else None


def _details(row: Mapping[str, Cell], product_id: str, names: Sequence[str]) -> JsonObject:
    pairs = [
        *zip(names, row.get("details") or (), strict=False),
        ("Image", row.get("image")),
        ("Variant of", row.get("parent")),
    ]
    found = {name: plain(", ".join(texts_of(cell))) for name, cell in pairs}
    return {name: text for name, text in found.items() if text and (name, text) != ("Variant of", product_id)}
