"""The results of a run's tools as numbered passages, and the products and purchases whose records stand behind them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from drr.agents.forms.file_names import FileNames
from drr.citations.addresses import canonical_url
from drr.env.json_object import JsonObject
from drr.env.records.lines import one_line
from drr.env.source import Source
from drr.llm.prompts import fence

_ROW = 700
"""Characters of a passage that goes on one line of the list; a longer one keeps its lines, between marks of its own."""
_TITLE = 120


@dataclass(frozen=True)
class NumberedPassage:
    """One text that a tool showed of one address."""

    number: int
    url: str
    type: str
    title: str
    text: str
    product_id: str | None = None
    personal: bool = False
    """Says who the shopper is."""


@dataclass(frozen=True)
class KnownProduct:
    """A product as its record is."""

    product_id: str
    url: str
    title: str
    price: Decimal | None
    rating: float | None
    ratings: int | None
    store: str | None


@dataclass(frozen=True)
class KnownOrder:
    product_id: str
    date: str
    quantity: int
    url: str


class Passages:
    """Numbered from 1 in the order of first sight. What a longer text of the same address repeats is left out."""

    def __init__(self, sources: Sequence[Source], files: Sequence[str] = ()) -> None:
        self.files = FileNames(files)
        self.products: dict[str, KnownProduct] = {}
        self.orders: dict[str, KnownOrder] = {}
        """By product: the latest that was kept."""
        self.private: set[str] = set()
        """What of the shopper is nobody's to print."""
        for source in sources:
            self._enter(source)
        self.all = tuple(
            NumberedPassage(
                number,
                source.url,
                source.type,
                one_line(source.title or "", _TITLE),
                source.seen,
                _product_id(source),
                personal=source.type == "user" and "email" in (source.record or {}),
            )
            for number, source in enumerate(_distinct(sources), 1)
        )
        self._numbers = {passage.number: passage for passage in self.all}

    def __getitem__(self, number: int) -> NumberedPassage | None:
        return self._numbers.get(number)

    def of_product(self, product_id: str) -> list[NumberedPassage]:
        return [passage for passage in self.all if passage.product_id == product_id]

    def product(self, written: str) -> KnownProduct | None:
        """Find a product by the id as a model writes it."""
        return self._by_id.get(written.strip().casefold())

    @cached_property
    def _by_id(self) -> dict[str, KnownProduct]:
        return {key.casefold(): product for key, product in self.products.items()}

    def _enter(self, source: Source) -> None:
        record = source.record or {}
        product_id = _product_id(source)
        if product_id is not None:
            self.products[product_id] = _product(product_id, source.url, record)
        elif source.type == "user" and "order_date" in record:
            self._enter_order(source.url, record)
        elif source.type == "user":
            self.private |= _private(record)

    def _enter_order(self, url: str, record: JsonObject) -> None:
        if record.get("order_status") in ("Cancelled", "Returned"):
            return
        bought = KnownOrder(
            str(record["product_id"]), str(record["order_date"])[:10], int(record["quantity"]), url
        )
        known = self.orders.get(bought.product_id)
        if known is None or known.date < bought.date:
            self.orders[bought.product_id] = bought

    def listing(self, texts: Sequence[str]) -> str:
        """The passages as a model reads them, `texts` in place of their own: those may have been shortened."""
        rows = [_row(passage, text) for passage, text in zip(self.all, texts, strict=True)]
        return "\n".join(rows) or "Nothing was found."


def _row(passage: NumberedPassage, text: str) -> str:
    what = f"product {passage.product_id}" if passage.product_id else passage.type
    title = "" if passage.product_id else f" {passage.title}".rstrip()
    if len(text) <= _ROW:
        return f"[{passage.number}] {what}{title}: {one_line(text, _ROW)}"
    return f"[{passage.number}] {what}{title}:\n{fence(text, f'passage-{passage.number}')}"


def _distinct(sources: Sequence[Source]) -> Iterable[Source]:
    """Yield distinct sources. A row of a list adds nothing to the page of the same product; one text behind two addresses is shown once."""
    longest: dict[str, int] = {}
    for source in sources:
        url = canonical_url(source.url)
        longest[url] = max(longest.get(url, 0), len(source.seen))
    orders = {source.seen for source in sources if source.type == "user"}
    for source in sources:
        repeated = source.seen in orders and source.type == "product"
        short = len(source.seen) <= _ROW and longest[canonical_url(source.url)] >= 2 * len(source.seen)
        if not (source.type == "product" and (repeated or short)):
            yield source


def _product_id(source: Source) -> str | None:
    return str(source.record["product_id"]) if source.type == "product" and source.record else None


def _product(product_id: str, url: str, record: JsonObject) -> KnownProduct:
    price = record.get("price")
    return KnownProduct(
        product_id,
        url,
        str(record.get("title") or ""),
        None if price is None else Decimal(str(price)).quantize(Decimal("0.01")),
        record.get("average_rating"),
        record.get("rating_number"),
        record.get("store"),
    )


def _private(record: JsonObject) -> set[str]:
    """E-mail, telephone, street and full name of a profile."""
    address = record.get("address")
    street = address.get("address1") if isinstance(address, dict) else None
    name = f"{record.get('first_name') or ''} {record.get('last_name') or ''}".strip()
    found = (record.get("email"), record.get("phone_number"), street, name)
    return {str(one).casefold() for one in found if one and len(str(one)) > 3}
