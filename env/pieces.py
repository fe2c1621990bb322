"""A shop that many write at once. Pieces of it in any order, and one driver that hashes them in the order of a shop."""

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
        """Take note that it is stored, and of its hash."""

    def add_words(self, words: Counter[str], categories: Counter[str]) -> None:
        """Add the words that name products, and how many products each category has."""

    def publish(self, manifest: Manifest) -> Manifest: ...


class PieceKeeper(Protocol):
    """A worker's: where pieces are stored. Storing one again changes nothing."""

    @property
    def writes(self) -> bool:
        """Tell whether this writes: not where the shop is there already and is only compared."""

    def write_products(self, products: Sequence[Product], *, known: bool) -> Counter[str]:
        """The words that they are named by; where the piece is `known` to be stored, that is all."""

    def write(self, kind: str, documents: Sequence[Mapping[str, Any]]) -> None: ...

    def wait(self) -> None:
        """Wait until all of it is acknowledged."""
