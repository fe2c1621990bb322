"""What of two products can be set against each other: prices, prices of a part, stars, raters, and whatever both records measure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, cached_property

from drr.env.entities import Product
from drr.eval.checks.measures import measures_of
from drr.eval.checks.money.play import record_divisors

_LEAST = {"price": 0.004, "stars": 0.04, "raters": 0.5}
_NO_MEASURES = re.compile(
    r"\b(?:date|model|upc|rank|manufacturer|brand|asin|discontinued|dimensions|packages|number of items)\b",
    re.I,
)
_FIGURE = re.compile(
    r"(?<![\w.])\d{1,6}(?:,\d{3})*(?:\.\d+)?|(?<=[A-Z]-)\d{1,2}\b|(?<=IP[XV])\d\b|(?<=[A-Z]{2})\d{1,2}\b"
)
_KINDS: dict[str, tuple[tuple[str, ...], str]] = {
    "noise": (("noise",), r"noise"),
    "light": (("light",), r"bright|lumen"),
    "weight": (("weight",), r"weight"),
    "length": (("length", "thickness", "time"), r"length|height|width|depth|thick|time|life|diameter"),
    "speed": ((), r"respon|read|seconds|boil"),
    "size": (
        ("length", "volume", "weight", "count"),
        r"capacity|size|volume|area|coverage|height|width|length",
    ),
    "power": (("power", "voltage", "charge"), r"watt|power|torque|strength|hardness|absor|weight|capacity"),
    "fine": ((), r"accura|resol|gradu|precision"),
}
"""By what a word is of: kinds of units, and words of the labels in records."""

Values = Mapping[str, tuple[float, ...]]


@cache
def _labels(of: str) -> re.Pattern[str]:
    return re.compile(_KINDS[of][1], re.I)


class Quantities:
    """Of the products of one report."""

    def __init__(self, products: Mapping[str, Product]) -> None:
        self._products = products
        self.of = cache(self._of)
        self.more = cache(self._more)
        self._measures = cache(self._measured)

    def having(self, of: str) -> list[str]:
        """Of whom it is known."""
        return [key for key in self._products if self.of(key, of)]

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Under what the records measure something."""
        found = {name[1:] for key in self._products for name in self._measures(key) if name.startswith("=")}
        return tuple(sorted(found))

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
        if of.startswith("="):
            return {of: found} if (found := self._measures(key).get(of)) else {}
        if of not in _KINDS:
            return {}
        kinds, labels = _KINDS[of][0], _labels(of)
        every = self._measures(key)
        return {
            name: values
            for name, values in every.items()
            if name in kinds or (name.startswith("=") and labels.search(name))
        }

    def _parts(self, one: Product) -> Values:
        """What a part costs, by everything that the record measures or counts."""
        if one.price is None:
            return {}
        price = one.price
        return {
            name: tuple(price / value for value in values if value > 0)
            for name, values in self._measures(one.product_id).items()
        } | {"per year of": tuple(price / v for v in _numbers(one.title) if v > 1)}

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

    def _more(self, mine: str, other: str, of: str, sign: int) -> int | None:
        """1 where by any value the first has more, 0 where they are alike, -1 where it has less by all; `None` where a record says nothing."""
        found: int | None = None
        ours, theirs = self.of(mine, of), self.of(other, of)
        for name, values in ours.items():
            for a in values:
                for b in theirs.get(name, ()):
                    apart = sign * (a - b)
                    told = 1 if apart > _least(of, a) else -1 if apart < -_least(of, a) else 0
                    found = told if found is None else max(found, told)
                    if found == 1:
                        return 1
        return found


def _least(of: str, value: float) -> float:
    return _LEAST.get(of, 1e-3 * abs(value))


def _numbers(text: str) -> list[float]:
    return [float(one[0].replace(",", "")) for one in _FIGURE.finditer(text)]


def ranks(
    quantities: Quantities, mine: str, others: Iterable[str], ofs: Iterable[str], sign: int
) -> list[int]:
    """Against each of the others the best that any quantity makes of it."""
    found = []
    for other in others:
        told = [one for of in ofs if (one := quantities.more(mine, other, of, sign)) is not None]
        if told:
            found.append(max(told))
    return found
