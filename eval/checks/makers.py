"""Where a report names a maker, and which of its products in play is meant."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from drr.env.entities import Product
from drr.env.shop import SearchRequest, Shop
from drr.eval.checks.mentions import words
from drr.eval.checks.prose import SENTENCE_END
from drr.wording.vocabulary import either

_NEAR = 60
"""Characters between a maker's name and the link that it is the name of."""
_STOP = frozenset(
    [
        "the",
        "a",
        "an",
        "and",
        "with",
        "for",
        "of",
        "in",
        "to",
        "by",
        "from",
        "on",
        "at",
        "or",
        "is",
        "as",
        "it",
        "s",
        "one",
    ]
)


class PlaceNamed(NamedTuple):
    """A place that names one product, or one of several."""

    start: int
    end: int
    products: frozenset[str]
    linked: bool


def named_by(places: Iterable[PlaceNamed]) -> set[str]:
    """All that some places name."""
    return {key for one in places for key in one.products}


def linked_by(places: Iterable[PlaceNamed]) -> set[str]:
    """All that some places link."""
    return named_by(one for one in places if one.linked)


class MakersInPlay:
    """The makers of some products, found in a text by their names and by parts of their names."""

    def __init__(self, products: Mapping[str, Product]) -> None:
        self._makers: dict[str, set[str]] = {}
        for product in products.values():
            for maker in makers_of(product):
                self._makers.setdefault(maker, set()).add(product.product_id)
        self._short = _short_forms(self._makers)
        self._words_of = {one: _all_words(product) for one, product in products.items()}
        wholes, parts = either(self._makers), "|".join(map(re.escape, self._short)) or r"(?!)"
        self._name = re.compile(rf"(?<!\w)(?:(?P<whole>{wholes})|(?P<part>{parts})(?!\s[A-Z]))(?!\w)")

    def named(self, body: str, linked: Sequence[PlaceNamed]) -> Iterator[PlaceNamed]:
        """Each place that names a maker: one of its products, by the link right behind or by the words beside it."""
        starts = [one.start for one in linked]
        inside = bytearray(len(body))
        for one in linked:
            inside[one.start : one.end] = b"\1" * (one.end - one.start)
        for match in self._name.finditer(body):
            if inside[match.start()]:
                continue
            may_be = self._makers[match["whole"] or self._short[match["part"]]]
            behind = bisect_left(starts, match.end())
            if behind < len(linked) and linked[behind].start - match.end() < _NEAR:
                between = body[match.end() : linked[behind].start]
                ends = "\n" in between or SENTENCE_END.search(between)
                if linked[behind].products <= may_be and not ends:
                    may_be = set(linked[behind].products)
            yield PlaceNamed(*match.span(), self._fitting(body, may_be, *match.span()), False)

    def _fitting(self, body: str, may_be: set[str], start: int, end: int) -> frozenset[str]:
        """Of a maker's products those whose records have most of the words beside the name."""
        if len(may_be) == 1:
            return frozenset(may_be)
        beside = list(words(body[max(0, start - 16) : start])[-1:])
        for word in words(re.split(r"[.;,|\n]", body[end : end + 50])[0]):
            if word in _STOP and word != "s":
                break
            beside.append(word)
        score = {
            one: sum(word in self._words_of[one] for word in beside if word not in _STOP and len(word) > 1)
            for one in may_be
        }
        best = max(score.values())
        return frozenset(one for one in may_be if score[one] == best)


def _short_forms(makers: Iterable[str]) -> dict[str, str]:
    """Of makers' names with several words each word by which only one of them is meant."""
    found: dict[str, list[str]] = {}
    for maker in makers:
        parts = maker.split()
        for part in parts if len(parts) > 1 else ():
            if len(part) > 3 and part[0].isupper():
                found.setdefault(part, []).append(maker)
    return {part: whole[0] for part, whole in found.items() if len(whole) == 1 and part not in _COMMON}


_COMMON = frozenset(
    [
        "Home",
        "Supply",
        "Naturals",
        "Labs",
        "Medical",
        "Office",
        "Tools",
        "Goods",
        "Store",
        "Company",
        "Paper",
        "Lane",
        "Health",
        "Skin",
        "Kitchen",
        "Garden",
        "Value",
        "Outlet",
    ]
)
"""Parts of makers' names that mean other things by themselves."""


def is_maker(shop: Shop, name: str) -> bool:
    """Whether the shop sells anything by a maker of this name."""
    page = shop.catalog.search(SearchRequest(query=name, brand=name, limit=1, search="plain"))
    return any(name in makers_of(one) for one in shop.store.products(page.product_ids))


@lru_cache(maxsize=1024)
def makers_of(product: Product) -> frozenset[str]:
    """The names it goes by: who sells it, its brand, and what its title begins with."""
    brand, maker = product.details.get("Brand"), product.details.get("Manufacturer")
    named = [one for one in (product.store, brand, maker) if isinstance(one, str)]
    title = " ".join(product.title.split())
    found = {name for one in named if title.startswith(name := _LEGAL.sub("", one).strip())}
    return frozenset(one for one in (*(found or title.split()[:1]), *named[:1]) if len(one) > 2)


_LEGAL = re.compile(r",?\s(?:LLC|Inc|Ltd|Co|Corp|GmbH)\.?$")


def _all_words(product: Product) -> frozenset[str]:
    values = " ".join(value for value in product.details.values() if isinstance(value, str))
    return frozenset(words(f"{product.title} {values}"))
