"""What of two products can be set against each other: prices, prices of a part, stars, raters, and whatever both records measure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from drr.env.entities import Product
from drr.eval.checks.measures import measures_of
from drr.eval.checks.money.packs import record_divisors

_NO_MEASURES = re.compile(
    r"\b(?:date|model|upc|rank|manufacturer|brand|asin|discontinued|dimensions|packages|number of items)\b",
    re.I,
)
_FIGURE = re.compile(
    r"(?<![\w.])\d{1,6}(?:,\d{3})*(?:\.\d+)?|(?<=[A-Z]-)\d{1,2}\b|(?<=IP[XV])\d\b|(?<=[A-Z]{2})\d{1,2}\b"
)
Values = Mapping[str, tuple[float, ...]]


class Quantities:
    """Of the products of one report."""

    def __init__(self, products: Mapping[str, Product]) -> None:
        self._products = products
        self.of = cache(self._of)
        self._measures = cache(self._measured)

    def _of(self, key: str, of: str) -> Values:
        """By what they are measured by: only values of the same can be compared."""
        one = self._products[key]
        if of == "price":
            return {} if one.price is None else {"": (one.price,)}
        if of == "stars":
            return {} if one.average_rating is None else {"": (one.average_rating,)}
        if of == "raters":
            return {} if one.rating_number is None else {"": (float(one.rating_number),)}
        if of == "part":
            return self._parts(one)
        if of == "any":
            return self._measures(key)
        if of.startswith("per "):
            many = record_divisors(one, of.removeprefix("per "), frozenset())
            return (
                {"": tuple(one.price / each for each in sorted(many) if each)} if one.price and many else {}
            )
        return {}

    def _parts(self, one: Product) -> Values:
        """What a part costs, by everything that the record measures or counts."""
        if one.price is None:
            return {}
        price = one.price
        return {
            name: tuple(price / value for value in values if value > 0)
            for name, values in self._measures(one.product_id).items()
        } | {"of the title": tuple(price / v for v in _numbers(one.title) if v > 1)}

    def _measured(self, key: str) -> Values:
        one = self._products[key]
        found: dict[str, list[float]] = {}
        for label, value in one.details.items():
            if not isinstance(value, str) or _NO_MEASURES.search(label):
                continue
            told = measures_of(value)
            numbers = [each.base for each in told] or _numbers(value)
            found.setdefault(f"={label.casefold()}", []).extend(numbers[:3])
        for text in (one.title, *one.features):
            for each in measures_of(text):
                found.setdefault(each.kind, []).append(each.base)
        for value in one.details.values():
            if isinstance(value, str):
                for each in measures_of(value):
                    found.setdefault(each.kind, []).append(each.base)
        return {name: tuple(dict.fromkeys(values)) for name, values in found.items() if values}


def _numbers(text: str) -> list[float]:
    return [float(one[0].replace(",", "")) for one in _FIGURE.finditer(text)]
