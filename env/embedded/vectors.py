"""Vectors in a shop's folder. One file mapped into memory, a row for each product in the order of the index."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import orjson
from drr.env.content import batched
from drr.env.embedding import Vectors
from drr.env.entities import Product
from drr.env.errors import ShopError
from drr.env.search.vectors import FITTED_TO, VectorMaker
from drr.env.settings import Settings

VECTORS = "vectors.npy"
WEIGHTS = "vectors-weights.npy"


def build_vectors(database: sqlite3.Connection, data: Path, settings: Settings) -> str:
    """The version that goes into the manifest."""
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
    """The rows and the weights of the offline embedder."""
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
