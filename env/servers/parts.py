"""The parts that a shop on servers keeps for its search beside the index. The lexicon, and what its vectors are of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypedDict

from drr.env.embedding import Vectors
from drr.env.entities import Product
from drr.env.search.fields import VERSION as FIELDS_VERSION
from drr.env.search.fields import SearchFields, fields_of_product
from drr.env.search.lexicon import LexiconMaker
from drr.env.search.vectors import VERSION_KEY, VectorMaker
from drr.env.settings import Settings


class KeptParts(TypedDict):
    lexicon: bytes
    weights: bytes
    """Of the offline embedder; empty where there is none."""


class SearchParts:
    """Made of every batch, also of products that are stored already: lexicon and hash are of all."""

    def __init__(self, settings: Settings) -> None:
        self._lexicon = LexiconMaker(keyed=True)
        self._vectors = VectorMaker(settings) if settings.search == "hybrid" else None

    def of(self, batch: Sequence[Product]) -> list[tuple[SearchFields, Vectors | None]]:
        fields = [fields_of_product(product) for product in batch]
        for one in fields:
            self._lexicon.add(one)
        rows = [None] * len(batch) if self._vectors is None else list(self._vectors.rows(batch))
        return list(zip(fields, rows, strict=True))

    @property
    def words(self) -> Counter[str]:
        """The words counted so far, for one who adds up the parts of many."""
        return self._lexicon.counts

    def kept(self) -> KeptParts:
        weights = None if self._vectors is None else self._vectors.weights
        return {"lexicon": self._lexicon.packed(), "weights": b"" if weights is None else weights.tobytes()}

    def versions(self, given: Mapping[str, str]) -> dict[str, str]:
        """The versions of a manifest, without the vectors of a shop that this one is a copy of."""
        own = {} if self._vectors is None else {VERSION_KEY: self._vectors.version}
        return {
            **{name: one for name, one in given.items() if name != VERSION_KEY},
            **own,
            "fields": FIELDS_VERSION,
        }
