"""Opens a shop that is stored in a folder."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import tantivy as tv
from drr.env.content import BATCH, ContentHash, OrderColumns, SlipRow, UserRow, batched, check_reviews
from drr.env.embedded.catalog import EmbeddedCatalog
from drr.env.embedded.index import index_entries, open_vectors
from drr.env.embedded.layout import (
    DATABASE,
    INDEX,
    check_files,
    file_hashes,
    read_manifest,
    read_manifest_file,
)
from drr.env.embedded.store import SLIP, USER_ROWS, EmbeddedStore, has_slips
from drr.env.embedding import embedder_of
from drr.env.errors import DrrError, ShopError
from drr.env.manifest import (
    changed_manifest,
    check_content,
    check_counts,
    has_fields,
    indexed_language,
    lost_orders,
    named,
    search_of,
)
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
        language = indexed_language(manifest)
        catalog = EmbeddedCatalog(
            folder,
            data / INDEX,
            categories,
            store.lexicon,
            search,
            vectors,
            embedder,
            language,
            manifest.searched_in,
        )
    except BaseException:
        store.close()
        raise

    def close() -> None:
        store.close()
        catalog.close()

    return Shop(spec, manifest, store, catalog, settings.shop_url.rstrip("/"), close)


def check_shop(spec: str, settings: Settings) -> Iterator[str]:
    try:
        shop = open_shop(spec, settings)
        _, data, stated = read_manifest_file(Path(spec))
    except DrrError as error:
        yield str(error)
        return
    with shop:
        there = file_hashes(data)
        altered = [name for name, digest in stated.items() if there.get(name) != digest]
        index = [name for name in altered if name != DATABASE]
        if index:
            yield f"The search index is not what was written: {', '.join(index)}."
        found = list(_check_open(shop, read_index=not index))
        yield from found
        if DATABASE in altered and not found:
            yield f"The database is not what was written: {DATABASE}."
        if sentence := changed_manifest(shop.manifest):
            yield sentence


def _check_open(shop: Shop, *, read_index: bool) -> Iterator[str]:
    store, catalog = shop.store, shop.catalog
    assert isinstance(store, EmbeddedStore) and isinstance(catalog, EmbeddedCatalog)
    database = store.whole
    try:
        damage = [row[0] for row in database.execute("pragma quick_check(5)") if row[0] != "ok"]
        if damage:
            yield f"The database is damaged: {damage[0]}."
            return
        yield from _check_references(database)
        yield from _check_counts(database, shop.manifest)
        if read_index:
            yield from _check_index(database, catalog, shop.manifest)
        yield from check_reviews(shop.manifest.reviews, store.iter_reviews())
        found = _content(store)
    except sqlite3.DatabaseError as error:
        yield f"The database is damaged: {error}."
        return
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        yield f"A record cannot be read: {str(error).splitlines()[0]}."
        return
    yield from check_content(shop.manifest, found)


def _content(store: EmbeddedStore) -> ContentHash:
    """Compute the content hash of a stored shop. Users and orders are hashed from their rows, as they were when written."""
    found = ContentHash()
    execute = store.whole.execute
    for products in batched(store.iter_products()):
        found.add_products(products)
    users = execute(USER_ROWS)
    while rows := users.fetchmany(BATCH):
        found.add_users([UserRow(*row) for row in rows])
    orders = execute(
        "select id, product_k, user_k, ts, quantity, status from purchase order by user_k, ts desc, id"
    )
    noted = execute(f"select id, {SLIP} from slip s") if has_slips(store.whole) else ()
    slips = {order_id: SlipRow(*row) for order_id, *row in noted}
    while rows := orders.fetchmany(BATCH):
        columns = OrderColumns._make([*zip(*rows, strict=True), {}])
        found.add_orders(
            columns._replace(slips={one: slips[one] for one in columns.order_id if one in slips})
        )
    return found


def _check_references(database: sqlite3.Connection) -> Iterator[str]:
    for kind in ("product", "user"):
        rows = database.execute(
            f"select id from purchase o where not exists (select 1 from {kind} where k = o.{kind}_k)"
        )
        yield from lost_orders(kind, [f"{row[0]:016d}" for row in rows])


def _check_counts(database: sqlite3.Connection, manifest: Manifest) -> Iterator[str]:
    tables = {"products": "product", "users": "user", "orders": "purchase"}
    counted = {
        kind: database.execute(f"select count(*) from {table}").fetchone()[0]
        for kind, table in tables.items()
    }
    yield from check_counts(manifest, counted)
    rows = manifest.rows
    whole, kinds = (
        ("rows", ("products", "users")) if "rows" in rows else ("reviews", ("duplicates", "not_selected"))
    )
    parts = sum(rows.get(part, 0) for part in (*kinds, "orders", "quarantined"))
    if parts != rows.get(whole, 0):
        yield f"The manifest says that {rows.get(whole, 0):,} {whole} were read and accounts for {parts:,}."


def _check_index(database: sqlite3.Connection, catalog: EmbeddedCatalog, manifest: Manifest) -> Iterator[str]:
    searcher, with_fields = catalog.searcher, has_fields(manifest)
    products = database.execute("select count(*) from product").fetchone()[0]
    if searcher.num_docs != products:
        yield f"There are {products:,} products in the store and {searcher.num_docs:,} in the index."
        return
    different = []
    for k, entry in enumerate(index_entries(database, indexed_language(manifest))):
        address = tv.DocAddress(0, k)
        price, rating, crc = (
            searcher.fast_field_values(name, [address])[0] for name in ("price", "rating", "text_crc")
        )
        known = (searcher.doc(address)["id"][0], price, rating, crc)
        if with_fields and searcher.fast_field_values("fields_crc", [address])[0] != entry.fields.crc:
            known = (entry.product_id, None, None, -1)
        if known != (entry.product_id, entry.price, entry.rating, entry.text_crc):
            different.append(entry.product_id)
    if different:
        yield f"Store and index differ in {len(different):,} products: {named(different)}."
