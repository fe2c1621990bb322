"""Makes products of rows. A row without id or title, or with a negative price, is no product."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, NamedTuple

import orjson
from drr.data_ingest.catalogue.columns import UnreadCells
from drr.data_ingest.catalogue.mapping import USUAL, MappedFile
from drr.data_ingest.catalogue.rates import DatedRates, ShopMoney, shop_money
from drr.data_ingest.catalogue.rows import Batch
from drr.data_ingest.catalogue.values import (
    Cell,
    amount_in,
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
from drr.wording.currencies import Price, codes_of, decimals_of

FIELDS = tuple(USUAL["products"])
_NO_VARIANT = ("", "Default Title")
"""Values that Shopify writes for a product without variants."""
_STARS = 5
_LEFT_OUT = ("other_currency", "other_language")
"""Reasons that the mapping gave, so that the row is not a bad one."""
NO_RECORD = "rows_without_product"
_LANGUAGE = re.compile("[a-z]{2}(-[A-Z]{2})?")
"""Values of a language that messages may repeat: no other cell's content is shown."""
_LONGEST_VALUE = 5
"""Characters of a currency or language, such as EUR or de-CH; a preset also lists names of columns."""
_ANY_MARK, _NO_MARK = ".,", ""
"""Readings of `4.125` as stars, and of `1.299` as a count or as a sum in a currency without decimals."""


class ProductForms(NamedTuple):
    """Forms in which a shop's files write its products."""

    decimal: Mapping[str, str]
    """The decimal mark of each file."""
    money: ShopMoney
    language: str | None


def product_forms(files: Sequence[MappedFile], rates: DatedRates | None) -> ProductForms:
    """Find how prices, currencies and languages are written. Raises `DrrError` where something has two readings."""
    marks = {mapped.name: Counter[str]() for mapped in files}
    currencies, languages = Counter[tuple[str, ...]](), Counter[str]()
    for mapped in files:
        for batch in mapped.batches(("price", "currency", "language")):
            amounts = _amounts(batch, _NO_MARK)
            marks[mapped.name].update(one.mark for one in amounts)
            named = zip(_currencies(batch, amounts), amounts, strict=True)
            currencies.update(codes for codes, amount in named if codes or amount.value is not None)
            languages.update(filter(None, map(text_of, batch.cells.get("language", ()))))
    language = _language(languages, files)
    money = shop_money(currencies, _stated_constant("currency", files), files[0].table.rate, rates, language)
    decimal = {mapped.name: _decimal(mapped, marks[mapped.name], money.alone) for mapped in files}
    return ProductForms(decimal, money, language)


def _decimal(mapped: MappedFile, marks: Counter[str], currency: str | None) -> str:
    """Return the mark that parts a whole from three digits in a file's prices: none in a currency without decimals."""
    if mapped.table.decimal or not decimals_of(currency):
        return mapped.table.decimal or _NO_MARK
    known = [mark for mark in ".," if marks[mark]]
    if marks["?"] and len(known) != 1:
        raise DrrError(
            f"{mapped.name}: a price like 1.299 has two readings, 1299 and 1.299; say the decimal mark in the mapping: "
            '[products] decimal = "," or "."'
        )
    return (known or ["."])[0]


def _amounts(batch: Batch, decimal: str) -> Sequence[Price]:
    prices = batch.cells.get("price", [None] * len(batch.lines))
    return [amount_in(cell, decimal) for cell in prices]


def _currencies(batch: Batch, amounts: Sequence[Price]) -> Iterator[tuple[str, ...]]:
    """Yield the possible currencies of each row, by its currency column or by the sign of its price."""
    if "currency" in batch.cells:
        named = map(text_of, batch.cells["currency"])
        return (codes_of(text) or ((text.upper(),) if text else ()) for text in named)
    return (one.currencies for one in amounts)


def _stated_constant(field: str, files: Sequence[MappedFile]) -> str | None:
    columns = {column for mapped in files for column in mapped.source.columns}
    some = (one for one in getattr(files[0].table, field) if one not in columns)
    return next((str(value) for value in some if len(value) <= _LONGEST_VALUE), None)


def _language(found: Counter[str], files: Sequence[MappedFile]) -> str | None:
    """Return the shop's language: the stated one, or the only one found."""
    if stated := _stated_constant("language", files):
        return stated
    if len(found) > 1:
        most = next((one for one, _ in found.most_common() if _LANGUAGE.fullmatch(one)), "...")
        raise DrrError(
            f'products have {len(found)} values of language; [products] language = "{most}" in the mapping keeps one'
        )
    return next(iter(found), None)


class Shelf:
    """The products of a shop, laid aside on disk until they can be written in the order of their ids."""

    def __init__(self, forms: ProductForms, aside: IO[bytes]) -> None:
        self._forms, self._aside = forms, aside
        self.places: dict[str, tuple[int, int]] = {}
        self.notes: Counter[str] = Counter()
        self.refused = set[str]()
        """Ids of rows that became no product."""
        self.unread: dict[str, str] = {}
        """The place of the first price that was not read."""
        self._columns: dict[str, UnreadCells] = {}

    def error(self, mapped: MappedFile) -> DrrError | None:
        """Return the error about a file's columns, or `None`."""
        return self._columns[mapped.name].error() if mapped.name in self._columns else None

    def add(self, mapped: MappedFile, batch: Batch, quarantine: Quarantine) -> None:
        """Add the products of a batch."""
        skip, columns = mapped.table.skip, self._columns.setdefault(mapped.name, UnreadCells(mapped))
        amounts = _amounts(batch, self._forms.decimal[mapped.name])
        currencies = _currencies(batch, amounts)
        rows = zip(*batch.cells.values(), strict=True)
        for line, amount, currency, cells in zip(batch.lines, amounts, currencies, rows, strict=True):
            row = dict(zip(batch.cells, cells, strict=True))
            if skip and not text_of(row.get(skip)):
                self.notes[NO_RECORD] += 1
                continue
            try:
                product_id, fields = self._fields(row, amount, currency, mapped.columns["details"])
            except BadLine as bad:
                quarantine.put(line, bad.reason, bad=bad.reason not in _LEFT_OUT)
                self.refused.add(text_of(row.get("id")))
                continue
            if amount.value is None and text_of(row.get("price")):
                self.unread.setdefault("price_unreadable", f"line {line:,} of {mapped.name}")
            read = {
                "price": amount.value,
                "rating": fields["average_rating"],
                "ratings": fields["rating_number"],
            }
            columns.add(row, read)
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
        self, row: Mapping[str, Cell], amount: Price, currency: tuple[str, ...], details: Sequence[str]
    ) -> tuple[str, JsonObject]:
        product_id, title = text_of(row.get("id")), plain(text_of(row.get("title")))
        language = text_of(row.get("language"))
        for reason, wrong in {
            "no_id": not product_id,
            "id_unusable": not is_id(product_id),
            "id_twice": product_id in self.places,
            "no_title": not title,
            "other_currency": self._forms.money.worth_of(currency) is None,
            "other_language": self._forms.language and language not in ("", self._forms.language),
            "negative_price": amount.negative,
        }.items():
            if wrong:
                raise BadLine(reason)
        if amount.value is None:
            self.notes["price_unreadable" if text_of(row.get("price")) else "price_unknown"] += 1
        steps = steps_of(row.get("category"))
        variant = [text for text in map(text_of, row.get("variant") or ()) if text not in _NO_VARIANT]
        stars = number_of(row.get("rating"), _ANY_MARK)
        if stars is not None and stars > _STARS:
            self.notes["rating_above_five"] += 1
            stars = None
        return product_id, {
            "title": f"{title} ({', '.join(variant)})" if variant else title,
            "features": list(map(plain, texts_of(row.get("features")))),
            "description": [text] if (text := plain(text_of(row.get("description")))) else [],
            "price": self._forms.money.price(amount.value, currency),
            "store": plain(text_of(row.get("brand"))) or None,
            "categories": steps,
            "details": _details(row, product_id, details),
            "average_rating": stars,
            "rating_number": whole_of(number_of(row.get("ratings"), _NO_MARK)),
            "category": steps[0] if steps else "Unknown",
        }


def _details(row: Mapping[str, Cell], product_id: str, names: Sequence[str]) -> JsonObject:
    cells = dict(zip(names, row.get("details") or (), strict=False))
    cells |= {"Image": row.get("image"), "Variant of": row.get("parent")}
    found = {name: plain(", ".join(texts_of(cell))) for name, cell in cells.items()}
    return {name: text for name, text in found.items() if text and (name, text) != ("Variant of", product_id)}
