"""Makes products of rows. A row without id or title, or with a negative price, is no product."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, NamedTuple

import orjson
from drr.data_ingest.catalogue.mapping import USUAL, MappedFile
from drr.data_ingest.catalogue.rows import Batch
from drr.data_ingest.catalogue.values import (
    Cell,
    amount_in,
    currency_of,
    decimal_marks,
    is_id,
    number_of,
    steps_of,
    text_of,
    texts_of,
    whole_of,
)
from drr.data_ingest.products import BadLine, plain
from drr.data_ingest.quarantine import Quarantine
from drr.env.entities import Product, product_address
from drr.env.errors import DrrError
from drr.env.json_object import JsonObject
from drr.wording.money import SIGNS

FIELDS = tuple(USUAL["products"])
_NO_VARIANT = ("", "Default Title")
"""Values that Shopify writes for a product without variants."""
_STARS = 5
_LEFT_OUT = ("other_currency", "other_language")
"""Reasons that the mapping gave, so that the row is not a bad one."""
NO_RECORD = "rows_without_product"
_CODE = re.compile(f"{'|'.join(SIGNS.values())}|[a-z]{{2}}(-[A-Z]{{2}})?")
"""Values that messages may repeat: no other cell's content is shown."""
_LONGEST_VALUE = 5
"""Characters of a currency or language, such as EUR or de-CH; a preset also lists names of columns."""


class ProductForms(NamedTuple):
    """Forms in which a shop's files write its products."""

    decimal: Mapping[str, str]
    """The decimal mark of each file."""
    currency: str | None
    """The one currency of the shop; `None` if no file names one."""
    language: str | None
    rate: float


def product_forms(files: Sequence[MappedFile]) -> ProductForms:
    """Find how prices, currencies and languages are written. Raises `DrrError` where something has two readings."""
    decimal: dict[str, str] = {}
    found: dict[str, Counter[str]] = {"currency": Counter(), "language": Counter()}
    for mapped in files:
        marks = Counter[str]()
        for batch in mapped.batches(("price", "rating", "currency", "language")):
            for field in ("price", "rating"):
                marks.update(map(decimal_marks, batch.cells.get(field, ())))
            found["currency"].update(filter(None, _currencies(batch)))
            found["language"].update(filter(None, map(text_of, batch.cells.get("language", ()))))
        known = [mark for mark in ".," if marks[mark]]
        if not mapped.table.decimal and (len(known) > 1 or (marks["?"] and not known)):
            raise DrrError(
                f'{mapped.name}: say the decimal mark in the mapping: [products] decimal = "," or "."'
            )
        decimal[mapped.name] = mapped.table.decimal or (known or ["."])[0]
    values = {field: _one(field, counts, files) for field, counts in found.items()}
    currency, rate = values["currency"], files[0].table.rate
    if currency not in (None, "USD") and rate is None:
        named = currency if currency and _CODE.fullmatch(currency) else "another currency"
        raise DrrError(
            f"prices are in {named}, and checks reckon in dollars. Say in the mapping what one is worth: [products] "
            f"rate = 1.08. With rate = 1 the figures stay, $ stands for {named}, and reports in {named} are read"
        )
    return ProductForms(decimal, currency, values["language"], rate or 1.0)


def _currencies(batch: Batch) -> Iterator[str | None]:
    """Yield the currency that each row names, in a column of its own or in its price."""
    if "currency" in batch.cells:
        return (text_of(cell).upper() or None for cell in batch.cells["currency"])
    return map(currency_of, batch.cells.get("price", [None] * len(batch.lines)))


def _one(field: str, found: Counter[str], files: Sequence[MappedFile]) -> str | None:
    """Return the shop's one value of a field: the stated one, or the only one found."""
    columns = {column for mapped in files for column in mapped.source.columns}
    for value in getattr(files[0].table, field):
        if value not in columns and len(value) <= _LONGEST_VALUE:
            return str(value)
    if len(found) > 1:
        most = next((one for one, _ in found.most_common() if _CODE.fullmatch(one)), "...")
        raise DrrError(
            f'products have {len(found)} values of {field}; [products] {field} = "{most}" in the mapping keeps one'
        )
    return next(iter(found), None)


class Shelf:
    """The products of a shop, laid aside on disk until they can be written in the order of their ids."""

    def __init__(self, forms: ProductForms, aside: IO[bytes]) -> None:
        self._forms, self._aside = forms, aside
        self.places: dict[str, tuple[int, int]] = {}
        self.notes: Counter[str] = Counter()

    def add(self, mapped: MappedFile, batch: Batch, quarantine: Quarantine) -> None:
        """Add the products of a batch."""
        decimal, skip = self._forms.decimal[mapped.name], mapped.table.skip
        currencies = list(_currencies(batch))
        rows = zip(*batch.cells.values(), strict=True)
        for line, currency, cells in zip(batch.lines, currencies, rows, strict=True):
            row = dict(zip(batch.cells, cells, strict=True))
            if skip and not text_of(row.get(skip)):
                self.notes[NO_RECORD] += 1
                continue
            try:
                product_id, fields = self._fields(row, decimal, currency, mapped.columns["details"])
            except BadLine as bad:
                quarantine.put(line, bad.reason, bad=bad.reason not in _LEFT_OUT)
                continue
            document = orjson.dumps(fields)
            self.places[product_id] = self._aside.tell(), self._aside.write(document)

    def products(self, shop_url: str = "") -> Iterator[Product]:
        """Yield the products in the order of their ids."""
        for product_id in sorted(self.places):
            start, size = self.places[product_id]
            self._aside.seek(start)
            fields = orjson.loads(self._aside.read(size))
            yield Product(product_id=product_id, product_url=product_address(shop_url, product_id), **fields)

    def _fields(
        self, row: Mapping[str, Cell], decimal: str, currency: str | None, details: Sequence[str]
    ) -> tuple[str, JsonObject]:
        product_id, title = text_of(row.get("id")), plain(text_of(row.get("title")))
        amount, language = amount_in(row.get("price"), decimal), text_of(row.get("language"))
        for reason, wrong in {
            "no_id": not product_id,
            "id_unusable": not is_id(product_id),
            "id_twice": product_id in self.places,
            "no_title": not title,
            "other_currency": currency and currency != self._forms.currency,
            "other_language": self._forms.language and language not in ("", self._forms.language),
            "negative_price": amount.negative,
        }.items():
            if wrong:
                raise BadLine(reason)
        if amount.value is None:
            self.notes["price_unreadable" if text_of(row.get("price")) else "price_unknown"] += 1
        rate, steps = self._forms.rate, steps_of(row.get("category"))
        variant = [text for text in map(text_of, row.get("variant") or ()) if text not in _NO_VARIANT]
        stars = number_of(row.get("rating"), decimal)
        if stars is not None and stars > _STARS:
            self.notes["rating_above_five"] += 1
            stars = None
        return product_id, {
            "title": f"{title} ({', '.join(variant)})" if variant else title,
            "features": list(map(plain, texts_of(row.get("features")))),
            "description": [text] if (text := plain(text_of(row.get("description")))) else [],
            "price": amount.value if rate == 1 or amount.value is None else round(amount.value * rate, 2),
            "store": plain(text_of(row.get("brand"))) or None,
            "categories": steps,
            "details": _details(row, product_id, details),
            "average_rating": stars,
            "rating_number": whole_of(number_of(row.get("ratings"), decimal)),
            "category": steps[0] if steps else "Unknown",
        }


def _details(row: Mapping[str, Cell], product_id: str, names: Sequence[str]) -> JsonObject:
    cells = dict(zip(names, row.get("details") or (), strict=False))
    cells |= {"Image": row.get("image"), "Variant of": row.get("parent")}
    found = {name: plain(", ".join(texts_of(cell))) for name, cell in cells.items()}
    return {name: text for name, text in found.items() if text and (name, text) != ("Variant of", product_id)}
