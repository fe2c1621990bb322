"""Opening a shop that lies in a folder."""

from __future__ import annotations

from pathlib import Path

from env.embedded.catalog import EmbeddedCatalog
from env.embedded.layout import DATABASE, INDEX, check_files, read_manifest
from env.embedded.store import EmbeddedStore
from env.settings import Settings
from env.shop import Shop


def open_shop(spec: str, settings: Settings) -> Shop:
    folder = Path(spec)
    manifest, data = read_manifest(folder)
    check_files(folder, data, manifest)
    store = EmbeddedStore(folder, data / DATABASE, manifest, settings.shop_url)
    try:
        catalog = EmbeddedCatalog(folder, data / INDEX, store.category_counts())
    except BaseException:
        store.close()
        raise
    return Shop(spec, manifest, store, catalog, settings.shop_url.rstrip("/"), store.close)
