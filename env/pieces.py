"""A shop that many write at once: pieces of it in any order, and one driver that hashes them in the order of a shop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from drr.env.content import ContentHash
from drr.env.entities import Product
from drr.env.shop import Manifest


class PiecesSink(Protocol):
    """The driver's: what workers tell is hashed, recorded and in the end published."""

    @property
    def hashed(self) -> ContentHash: ...

    def stored(self, name: str) -> str | None:
        """The hash of this piece, where an earlier attempt stored it."""

    def record(self, name: str, digest: str) -> None:
        """It is stored, and this is the hash of it."""

    def add_words(self, words: Counter[str], categories: Counter[str]) -> None:
        """What products are named by, and how many each category has."""

    def publish(self, manifest: Manifest) -> Manifest: ...


class PieceKeeper(Protocol):
    """A worker's: where pieces are stored. Storing one again changes nothing."""

    @property
    def writes(self) -> bool:
        """Not where the shop is there already and is only compared."""

    def write_products(self, products: Sequence[Product], *, known: bool) -> Counter[str]:
        """The words that they are named by; where the piece is `known` to be stored, that is all."""

    def write(self, kind: str, documents: Sequence[Mapping[str, Any]]) -> None: ...

    def wait(self) -> None:
        """Until all of it is acknowledged."""
