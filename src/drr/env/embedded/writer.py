"""Builds a shop in a folder: every file is written to a temporary folder and published in one step."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import sqlite3
import weakref
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from glob import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

import orjson
from drr.env.content import (
    ContentHash,
    OrderColumns,
    ReviewRow,
    ReviewsHash,
    UserRow,
    batched,
    check_ascending,
    check_order_batch,
)
from drr.env.embedded.index import VECTORS, build_index, build_vectors
from drr.env.embedded.layout import (
    DATABASE,
    INDEX,
    MANIFEST,
    ORDER_INDEX,
    PRODUCT_INDEX,
    REVIEWS,
    SLIPS,
    TABLES,
    USER_INDEXES,
    file_hashes,
    folder_size,
    sync_to_disk,
)
from drr.env.embedded.store import lookup_key
from drr.env.entities import Product
from drr.env.errors import NoPlaceForShop, ShopError
from drr.env.files import close_folder, owner_only_mode
from drr.env.languages import known_language
from drr.env.manifest import completed_manifest, with_seal
from drr.env.search.fields import fields_version
from drr.env.search.searching import VERSION_KEY
from drr.env.settings import Settings
from drr.env.shop import Manifest
from drr.env.text import text_version

_LOCK = "lock"
# Nobody reads the file before it is finished and nobody continues one that is not: no journal is needed.
_PRAGMAS = """
pragma page_size=4096; pragma journal_mode=off; pragma synchronous=off; pragma cache_size=-131072;
pragma locking_mode=exclusive; pragma temp_store=memory;
"""


class FolderWriter:
    def __init__(self, folder: Path, *, replace: bool, settings: Settings) -> None:
        if folder.exists() and not folder.is_dir():
            raise ShopError(f"{folder}: is a file; name a folder for the shop")
        occupied = folder.is_dir() and any(folder.iterdir())
        if occupied and not (folder / MANIFEST).exists():
            raise ShopError(f"{folder}: is a folder with other things in it; name a new one for the shop")
        if occupied and not replace:
            raise NoPlaceForShop(f"{folder}: there is a shop already; give another name, or --replace")
        self._folder, self._settings = folder.absolute(), settings
        try:
            self._folder.parent.mkdir(parents=True, exist_ok=True)
            _remove_stale(self._folder)
            self._make_temporary()
        except OSError as error:
            raise NoPlaceForShop(
                f"{folder}: cannot be written ({error.strerror}); choose another place"
            ) from error
        self._begin()

    def _make_temporary(self) -> None:
        """Make the temporary folder. A signal may arrive on any line, even before a `with` holds this object, so removal is arranged first."""
        self._temporary = self._folder.parent / f".{self._folder.name}.new-{secrets.token_hex(4)}"
        self._held = ExitStack()
        self._held.callback(shutil.rmtree, self._temporary, ignore_errors=True)
        weakref.finalize(self, _let_go, self._held, os.getpid())
        self._temporary.mkdir(mode=0o700)

    def _begin(self) -> None:
        lock = self._held.enter_context((self._temporary / _LOCK).open("w"))
        fcntl.flock(lock, fcntl.LOCK_EX)
        self._data = self._temporary / f"data-{self._temporary.name[-8:]}"
        self._data.mkdir(mode=owner_only_mode(0o777))
        self._temporary.chmod(self._data.stat().st_mode)
        self._hash, self._reviews = ContentHash(), ReviewsHash()
        self._categories: Counter[str] = Counter()
        self._lexicon, self._vectors, self._language = b"", "", known_language(None)
        self._database = sqlite3.connect(self._data / DATABASE, isolation_level=None)
        self._held.callback(self._database.close)
        with self._writing():
            self._database.executescript(_PRAGMAS + TABLES)

    def __enter__(self) -> FolderWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def write_products(self, products: Iterable[Product], language: str | None = None) -> int:
        self._language = language = known_language(language)
        last = ""
        first = 0
        for batch in batched(products, 1000):
            last = check_ascending(last, [p.product_id for p in batch], "products")
            self._hash.add_products(batch)
            self._categories.update(p.category for p in batch)
            self._insert(
                "insert into product values(?,?,?,?,?,?)",
                (
                    (k, p.product_id, p.price, p.category, p.store, _document(p))
                    for k, p in enumerate(batch, first)
                ),
            )
            first += len(batch)
        with self._writing():
            self._database.execute(PRODUCT_INDEX)
            self._lexicon = build_index(self._database, self._data / INDEX, language)
        if self._settings.search == "hybrid" and first:
            self._vectors = build_vectors(self._database, self._data, self._settings)
        return first

    def write_users(self, batches: Iterable[Sequence[UserRow]]) -> int:
        last = ""
        first = 0
        for batch in batches:
            if not batch:
                continue
            last = check_ascending(last, [row.user_id for row in batch], "users")
            self._hash.add_users(batch)
            self._insert(
                "insert into user values(?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                (
                    (k, *row, lookup_key(row.email), lookup_key(row.first_name, row.last_name))
                    for k, row in enumerate(batch, first)
                ),
            )
            first += len(batch)
        with self._writing():
            for statement in USER_INDEXES:
                self._database.execute(statement)
        return first

    def write_orders(self, batches: Iterable[OrderColumns]) -> int:
        products, users = self._hash.counts["products"], self._hash.counts["users"]
        last: tuple[int, int, int] | None = None
        for columns in batches:
            if not len(columns.order_id):
                continue
            last = check_order_batch(last, columns, products, users)
            self._hash.add_orders(columns)
            self._insert("insert into purchase values(?,?,?,?,?,?)", _purchases(columns))
            if columns.slips:
                with self._writing():
                    self._database.execute(SLIPS)
                rows = ((number, *row) for number, row in columns.slips.items())
                self._insert("insert into slip values(?,?,?,?,?,?,?,?)", rows)
        try:
            with self._writing():
                self._database.execute(ORDER_INDEX)
        except sqlite3.IntegrityError:
            raise ShopError("orders: an order id occurs twice; ids are unique in a shop") from None
        return self._hash.counts["orders"]

    def write_reviews(self, batches: Iterable[Sequence[ReviewRow]]) -> int:
        """Write the reviews, after the orders. A review of an unknown order is refused."""
        self._reviews.begin()
        with self._writing():
            self._database.execute(REVIEWS)
        for batch in batches:
            self._reviews.add(batch)
            self._insert("insert into review values(?,?,?,?)", iter(batch))
        _check_reviewed(self._database)
        return self._reviews.count

    def _insert(self, statement: str, rows: Iterator[tuple[object, ...]]) -> None:
        with self._writing():
            self._database.execute("begin")
            self._database.executemany(statement, rows)
            self._database.execute("commit")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Raise `ShopError` if the disk is full or goes away while writing."""
        try:
            yield
        except (sqlite3.OperationalError, OSError) as error:
            raise ShopError(
                f"{self._folder}: cannot be written ({error}); make room on that disk or choose another place"
            ) from error

    def publish(self, manifest: Manifest) -> Manifest:
        manifest = completed_manifest(
            manifest,
            str(self._folder),
            "nothing was changed",
            self._hash,
            self._reviews.kept(),
            backend="embedded",
            versions=_versions(manifest.versions, self._vectors, self._language),
        )
        with self._writing():
            manifest = self._closed(manifest)
            self._show()
        return manifest

    def _closed(self, manifest: Manifest) -> Manifest:
        """Finish all files and return the completed manifest. All data is on the disk before a manifest names it."""
        insert = "insert into meta values(?, ?)"
        categories = orjson.dumps(self._categories, option=orjson.OPT_SORT_KEYS).decode()
        self._database.execute(insert, ("content_hash", manifest.content_hash))
        self._database.execute(insert, ("categories", categories))
        self._database.execute(insert, ("lexicon", self._lexicon))
        self._database.execute("pragma optimize")
        self._database.close()
        sizes = {
            DATABASE: (self._data / DATABASE).stat().st_size,
            INDEX: folder_size(self._data / INDEX),
        }
        if self._vectors:
            sizes[VECTORS] = (self._data / VECTORS).stat().st_size
        manifest = with_seal(manifest.model_copy(update={"sizes": {**sizes, "total": sum(sizes.values())}}))
        text = orjson.dumps(
            {
                **manifest.model_dump(mode="json"),
                "data": self._data.name,
                "files": file_hashes(self._data),
            },
            option=orjson.OPT_INDENT_2,
        )
        (self._temporary / MANIFEST).write_bytes(text + b"\n")
        for path in (*self._data.rglob("*"), self._data, self._temporary / MANIFEST):
            sync_to_disk(path)
        return manifest

    def _show(self) -> None:
        """Publish the shop in one atomic step: rename the whole folder, or replace the manifest of an existing shop."""
        (self._temporary / _LOCK).unlink()
        close_folder(self._temporary)
        if not (self._folder / MANIFEST).exists():
            if self._folder.exists():
                self._folder.rmdir()
            self._temporary.rename(self._folder)
            sync_to_disk(self._folder.parent)
            return
        self._data.rename(self._folder / self._data.name)
        (self._temporary / MANIFEST).replace(self._folder / MANIFEST)
        sync_to_disk(self._folder)
        for path in self._folder.glob("data-*"):
            if path.name != self._data.name:
                shutil.rmtree(path, ignore_errors=True)


def _purchases(columns: OrderColumns) -> Iterator[tuple[object, ...]]:
    values: list[Any] = [c.tolist() if hasattr(c, "tolist") else c for c in columns.numbers]
    order_id, product, user, ts, quantity, status = values
    return zip(user, ts, order_id, product, quantity, status, strict=True)


def _check_reviewed(database: sqlite3.Connection) -> None:
    """Raise `ShopError` if a review belongs to no order."""
    lost = database.execute(
        "select id from review where not exists (select 1 from purchase where id = review.id) limit 1"
    ).fetchone()
    if lost is not None:
        raise ShopError(f"reviews: one is of the order {lost[0]:016d}, which was not written")


def _let_go(stack: ExitStack, process: int) -> None:
    if os.getpid() == process:  # not a child that came of a fork
        stack.close()


def _remove_stale(folder: Path) -> None:
    """Remove leftovers of killed builds of this shop; a build that still runs holds its lock."""
    for path in folder.parent.glob(f".{escape(folder.name)}.new-*"):
        try:
            with (path / _LOCK).open("r+") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue
        except FileNotFoundError:
            pass
        shutil.rmtree(path, ignore_errors=True)


def _document(product: Product) -> bytes:
    """Serialise the fields of a product that have no column of their own, except its id and address."""
    return orjson.dumps(product.model_dump(exclude={"product_id", "product_url"}))


def _versions(given: Mapping[str, str], vectors: str, language: str | None) -> dict[str, str]:
    """Return the versions for the manifest. Those of a copied shop's vectors are dropped unless new vectors were made."""
    own = {
        "sqlite": sqlite3.sqlite_version,
        "tantivy": version("tantivy"),
        "text": text_version(language),
        "fields": fields_version(language),
    }
    if vectors:
        own[VERSION_KEY] = vectors
    return {**{name: one for name, one in given.items() if name != VERSION_KEY}, **own}
