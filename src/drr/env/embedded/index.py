"""Builds the search index from the products in the database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import orjson
import tantivy as tv
from drr.env.content import batched
from drr.env.embedded.catalog import RANKS, schema
from drr.env.embedded.engine import add_values
from drr.env.embedding import Vectors
from drr.env.entities import Product
from drr.env.errors import ShopError
from drr.env.json_object import JsonObject
from drr.env.search.fields import fields_of
from drr.env.search.read_query import LexiconMaker
from drr.env.search.searching import FITTED_TO, VectorMaker
from drr.env.settings import Settings
from drr.env.text import category_key, indexed_text

# One thread and room for everything in memory give one segment in the order of insertion, which is that of ids.
_SMALLEST_HEAP, _LARGEST_HEAP = 64 << 20, 4_000_000_000


def build_index(database: sqlite3.Connection, path: Path, language: str | None) -> bytes:
    """Build the search index in `path` and return the packed lexicon of its words."""
    path.mkdir()
    size = database.execute("select coalesce(sum(length(doc)), 0) from product").fetchone()[0]
    index = tv.Index(schema(), path=str(path))
    writer = index.writer(heap_size=min(max(2 * size, _SMALLEST_HEAP), _LARGEST_HEAP), num_threads=1)
    ranks = _ranks(database)
    lexicon = LexiconMaker()
    try:
        for k, entry in enumerate(index_entries(database, language)):
            lexicon.add(entry.fields)
            writer.add_document(_document(entry, [rank[k] for rank in ranks]))
        writer.commit()
    except ValueError as error:
        # tantivy's only way to say that a file could not be written.
        raise OSError(str(error)) from error
    writer.wait_merging_threads()
    index.reload()
    if index.searcher().num_segments > 1:
        raise ShopError("too many products for a shop in a folder; use a shop on servers (docs/servers.md)")
    return lexicon.packed()


def _document(entry: IndexEntry, ranks: Sequence[int]) -> Any:
    document = tv.Document()
    document.add_text("id", entry.product_id)
    document.add_text("text", entry.text)
    document.add_unsigned("text_crc", entry.text_crc)
    for key in entry.categories:
        document.add_text("category", key)
    if entry.price is not None:
        document.add_float("price", entry.price)
    if entry.rating is not None:
        document.add_float("rating", entry.rating)
    for name, rank in zip(RANKS, ranks, strict=True):
        document.add_unsigned(name, rank)
    add_values(document, entry.fields)
    return document


class IndexEntry:
    """A product's entry in the index."""

    __slots__ = ("categories", "fields", "price", "product_id", "rating", "text")

    def __init__(
        self, product_id: str, price: float | None, document: JsonObject, language: str | None
    ) -> None:
        self.product_id = product_id
        self.price = price
        self.rating: float | None = document["average_rating"]
        self.text = indexed_text(document["title"], document["features"], document["description"], language)
        self.categories = sorted(
            {category_key(name) for name in (document["category"], *document["categories"])} - {""}
        )

        self.fields = fields_of(
            self.text,
            document["title"],
            document["store"],
            document["category"],
            document["categories"],
            document["details"],
            language,
        )

    @property
    def text_crc(self) -> int:
        return crc32(self.text.encode())


def index_entries(database: sqlite3.Connection, language: str | None) -> Iterator[IndexEntry]:
    for product_id, price, doc in database.execute("select id, price, doc from product order by k"):
        yield IndexEntry(product_id, price, orjson.loads(doc), language)


def _ranks(database: sqlite3.Connection) -> list[Sequence[int]]:
    """Return each product's rank in every sort order. Equal values are ordered by product id, and unknown values come last."""
    import numpy as np

    rows = database.execute(
        "select price, json_extract(doc, '$.average_rating'), json_extract(doc, '$.rating_number') "
        "from product order by k"
    ).fetchall()
    table = np.array(rows, dtype=np.float64).reshape(len(rows), 3)
    price, rating, number = table.T
    ranks: list[Sequence[int]] = []
    for key in (price, -price, -rating, -number):
        rank = np.empty(len(key), dtype=np.int64)
        rank[np.argsort(key, kind="stable")] = np.arange(len(key))
        ranks.append(rank.tolist())
    return ranks


VECTORS = "vectors.npy"
WEIGHTS = "vectors-weights.npy"


def build_vectors(database: sqlite3.Connection, data: Path, settings: Settings) -> str:
    """Write the vectors of all products and return their version for the manifest."""
    import numpy as np

    maker = VectorMaker(settings)
    count = database.execute("select count(*) from product").fetchone()[0]
    rows = database.execute("select id, doc from product order by k")
    products = (
        Product.model_construct(product_id=product_id, product_url="", **orjson.loads(doc))
        for product_id, doc in rows
    )
    file: Vectors | None = None
    done = 0
    for batch in batched(products, FITTED_TO):
        made = maker.rows(batch)
        if file is None:
            shape = (count, made.shape[1])
            file = np.lib.format.open_memmap(data / VECTORS, mode="w+", dtype=np.float32, shape=shape)
        file[done : done + len(made)] = made
        done += len(made)
    if isinstance(file, np.memmap):
        file.flush()
    if maker.weights is not None:
        np.save(data / WEIGHTS, maker.weights)
    return maker.version


def open_vectors(folder: Path, data: Path, count: int) -> tuple[Vectors, Vectors | None]:
    """Return the vectors of the products, and the weights of the offline embedder or `None`."""
    import numpy as np

    problem: object = "there are not as many as products"
    try:
        weights = np.load(data / WEIGHTS) if (data / WEIGHTS).is_file() else None
        rows: Vectors = np.load(data / VECTORS, mmap_mode="r")
        if len(rows) == count:
            return rows, weights
    except (OSError, ValueError, EOFError) as error:
        problem = error
    raise ShopError(
        f"{folder}: its vectors cannot be read ({str(problem)[:200]}); `drr shop index {folder} --search hybrid` makes new ones"
    )
