"""The vectors of a shop's products, made as they are written. The same rows on every backend, with a hash that enters the key.

The offline embedder is fitted to the first products by id, so that a catalogue which takes them in a stream needs no second pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from drr.env.embedding import OFFLINE, OFFLINE_NAME, Embedder, HashedTfIdf, Vectors, embedder_of
from drr.env.entities import Product
from drr.env.settings import Settings
from drr.env.shop import Manifest

FITTED_TO = 1000
VERSION_KEY = "vectors"


def product_text(product: Product) -> str:
    """The text of what a product is, before other remarks on it."""
    path = " > ".join(product.categories)
    return "\n".join([product.title, product.store or "", path, *product.features, *product.description])


class VectorMaker:
    """Batch by batch, in the order of ids."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._embedder: Embedder | None = None
        self._digest = sha256()

    def rows(self, products: Sequence[Product]) -> Vectors:
        texts = [product_text(product) for product in products]
        if self._embedder is None:
            self._embedder = self._fitted(texts)
        rows = self._embedder.embed(texts)
        self._digest.update(rows.tobytes())
        return rows

    def _fitted(self, texts: Sequence[str]) -> Embedder:
        if self._settings.model_for("embedder") == OFFLINE:
            return HashedTfIdf.fitted(texts[:FITTED_TO])
        return embedder_of(self._settings)

    @property
    def weights(self) -> Vectors | None:
        """The weights that the offline embedder needs to be the same again."""
        return self._embedder.weights if isinstance(self._embedder, HashedTfIdf) else None

    @property
    def version(self) -> str:
        """Embedder and hash, for the manifest."""
        name = self._embedder.name if self._embedder else OFFLINE_NAME
        return f"{name}:{self._digest.hexdigest()[:16]}"


def has_vectors(manifest: Manifest, settings: Settings) -> bool:
    """Tell whether the shop has vectors of the embedder that the settings name."""
    asked = settings.model_for("embedder")
    name = OFFLINE_NAME if asked == OFFLINE else asked
    return manifest.versions.get(VERSION_KEY, "").startswith(f"{name}:")
