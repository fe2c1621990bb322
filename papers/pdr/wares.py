"""Products that an assistant may be asked about: a seeded pool of a shop's catalogue, by theme."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from hashlib import blake2b
from heapq import nsmallest
from typing import NamedTuple

from drr.env.entities import Product
from drr.env.records.spoken import page_words, product_name
from drr.env.shingles import WIDTH, Run, runs
from drr.env.text import tokens
from drr.env.themes import BY_KEY, themes_of
from drr.papers.pdr.disclosure import disclosed
from drr.papers.pdr.opposed import outright_runs
from drr.papers.pdr.person import Person

POOL = 3000
_SHORT, _LONG = 260, 900


class Ware(NamedTuple):
    """A product as it is talked about. Its page is read for what no context may contain once, and not for each item."""

    product_id: str
    name: str
    store: str | None
    themes: frozenset[str]
    short: str
    long: str


def ware_of(product: Product) -> Ware:
    return Ware(
        product.product_id,
        product_name(product),
        product.store,
        frozenset(themes_of(product.title)),
        page_words(product, _SHORT),
        page_words(product, _LONG),
    )


class Wares:
    """The same for the same shop and seed on every backend; pages that hold personal data are left out."""

    def __init__(
        self, products: Iterable[Product], seed: int, persons: Iterable[Person] = (), most: int = POOL
    ) -> None:
        def key(product: Product) -> bytes:
            return blake2b(f"{seed}\n{product.product_id}".encode(), digest_size=12).digest()

        outright = {run for person in persons for one in person.attributes for run in outright_runs(one)}
        chosen = nsmallest(most, products, key=key)
        self.every = []
        self.says: dict[str, frozenset[Run]] = {}
        """Of a product's page: runs that are some person's attribute in its own words."""
        for ware in map(ware_of, chosen):
            text = f"{ware.name}\n{ware.long}"
            if not disclosed(text):
                words = tokens(text)
                self.every.append(ware)
                self.says[ware.product_id] = frozenset(
                    outright.intersection([*runs(words, WIDTH), *runs(words, WIDTH - 1)])
                )

    @cached_property
    def by_theme(self) -> dict[str, list[Ware]]:
        return {key: [ware for ware in self.every if key in ware.themes] for key in BY_KEY}
