"""The entries on a product while a report is read. Its values, and details that the record has under the same label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import Span
from drr.eval.checks.labels import field_of, plain_label
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.values import SaidValue, Segment, cell_values, values_of


class ProductFact(NamedTuple):
    """A price, stars or a number of ratings of one product."""

    product_id: str
    said: SaidValue
    line: Span


class ProductAttribute(NamedTuple):
    """A detail that the record of a product has under the same label."""

    product_id: str
    label: str
    said: str
    span: Span


class ProductFacts(NamedTuple):
    values: list[ProductFact]
    attributes: list[ProductAttribute]


class FactsEntered:
    """The facts of a report so far."""

    def __init__(self, mentions: Mentions) -> None:
        self.values: list[ProductFact] = []
        self.attributes: list[ProductAttribute] = []
        self._mentions = mentions
        self._body = mentions.body

    def _under(self, product_id: str, label: str, value: Segment, line: TextLine) -> bool:
        """Enter what stands under a label; tell whether it was read."""
        field = field_of(label)
        if field is not None:
            if field == "stars" and "score" in plain_label(label) and value.text.isdigit():
                return False
            values = cell_values(field, value) or [one for one in values_of(value) if one.field == field]
            self._enter(product_id, values, line)
            return bool(values)
        product = self._mentions.subject.product(product_id)
        known = None if product is None else detail_of(product, label)
        if known is not None and value.text:
            self.attributes.append(ProductAttribute(product_id, known, value.text, (value.start, value.end)))
        return known is not None

    def _enter(self, product_id: str, said: Sequence[SaidValue], line: TextLine) -> None:
        self.values += [ProductFact(product_id, one, (line.start, line.end)) for one in said]


def detail_of(product: Product, label: str) -> str | None:
    """Return the key of the record's details that a label names."""
    wanted = plain_label(label)
    if (
        wanted in ("brand", "store", "maker", "brand or store")
        and product.store
        and "Brand" not in product.details
    ):
        return "Store"
    keys = {plain_label(key): key for key in product.details}
    if wanted in keys or " " not in wanted:
        return keys.get(wanted)
    longer = [key for plain, key in keys.items() if plain.endswith(f" {wanted}")]
    return longer[0] if len(longer) == 1 else None
