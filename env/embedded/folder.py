"""Opening a shop that lies in a folder."""

from __future__ import annotations

from pathlib import Path

from drr.env.embedded.catalog import EmbeddedCatalog
from drr.env.embedded.layout import DATABASE, INDEX, check_files, read_manifest
from drr.env.embedded.store import EmbeddedStore
from drr.env.embedded.vectors import open_vectors
from drr.env.embedding import embedder_of
from drr.env.errors import ShopError
from drr.env.manifest import search_of
from drr.env.settings import Settings
from drr.env.shop import Manifest, Shop

# A shop may be replaced between the reading of its manifest and the opening of the files that it names.
_ATTEMPTS = 5


def open_shop(spec: str, settings: Settings) -> Shop:
    folder = Path(spec)
    for _ in range(_ATTEMPTS):
        manifest, data = read_manifest(folder)
        try:
            return _open(spec, folder, manifest, data, settings)
        except ShopError:
            if read_manifest(folder)[1] == data:
                raise
    raise ShopError(f"{folder}: is being replaced again and again; try later")


def _open(spec: str, folder: Path, manifest: Manifest, data: Path, settings: Settings) -> Shop:
    check_files(folder, data, manifest)
    store = EmbeddedStore(folder, data / DATABASE, manifest, settings.shop_url)
    try:
        search = search_of(manifest, settings)
        vectors, weights = (
            open_vectors(folder, data, manifest.counts["products"]) if search == "hybrid" else (None, None)
        )
        embedder = embedder_of(settings, weights) if search == "hybrid" else None
        categories = store.category_counts()
        catalog = EmbeddedCatalog(folder, data / INDEX, categories, store.lexicon, search, vectors, embedder)
    except BaseException:
        store.close()
        raise

    def close() -> None:
        store.close()
        catalog.close()

    return Shop(spec, manifest, store, catalog, settings.shop_url.rstrip("/"), close)
