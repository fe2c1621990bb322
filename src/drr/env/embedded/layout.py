"""Names the files of a shop's folder, and reads and checks them.

    SHOP/manifest.json          the manifest, in `data` the name of the folder it speaks of, in `files` the hashes of its files
    SHOP/data-XXXX/shop.sqlite  products, users, orders
    SHOP/data-XXXX/index/       tantivy

A new shop is built in a sibling folder. Replacing one moves the finished data folder in and then replaces the manifest,
which is one atomic step: whoever opens the shop sees the old one or the new one.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from hashlib import file_digest
from math import inf
from pathlib import Path
from weakref import WeakSet

import orjson
from drr.env.errors import NoSuchShop, ShopError
from drr.env.files import (
    LARGEST,
    check_plain,
    check_unlinked,
    file_name,
    read_file,
    restrict_database,
    sparse_bytes,
    strange_statement,
)
from drr.env.manifest import check_tokenizer, parse_manifest
from drr.env.shop import Manifest
from drr.env.small_files import DOCUMENT

MANIFEST = "manifest.json"
DATABASE = "shop.sqlite"
INDEX = "index"
_READ_WHOLE = ("meta.json", ".managed.json")
"""Files of the index that are read whole on opening."""

# Integer keys are the positions in id order, so ranges by key are ranges by id, and orders lie next to each other by user.
TABLES = """
create table product(k integer primary key, id text not null, price real, category text not null, store text,
    doc blob not null);
create table user(k integer primary key, id text not null, email text not null, first_name text not null,
    last_name text not null, phone_number text not null, address1 text not null, city text not null,
    state text not null, zip text not null, country text not null, account_status text not null,
    email_key integer not null, name_key integer not null);
create table purchase(user_k integer, ts integer, id integer, product_k integer not null, quantity integer not null,
    status integer not null, primary key(user_k, ts desc, id)) without rowid;
create table meta(name text primary key, value text not null) without rowid;
"""
PRODUCT_INDEX = "create unique index product_id on product(id)"
USER_INDEXES = (
    "create unique index user_id on user(id)",
    "create index user_email on user(email_key)",
    "create index user_name on user(name_key)",
)
ORDER_INDEX = "create unique index purchase_id on purchase(id)"
REVIEWS = "create table review(id integer primary key, rating real, title text not null, text text not null)"
SLIPS = """create table if not exists slip(id integer primary key, recipient text, address1 text, city text, state text, zip text,
    country text, sold_as text)"""
STATEMENTS = (TABLES, PRODUCT_INDEX, *USER_INDEXES, ORDER_INDEX, REVIEWS, SLIPS)


def read_manifest(folder: Path) -> tuple[Manifest, Path]:
    """Read the manifest of a shop's folder and return it with the data folder that it names. Each fault has its own error message."""
    manifest, data, _ = read_manifest_file(folder)
    return manifest, data


def read_manifest_file(folder: Path) -> tuple[Manifest, Path, dict[str, str]]:
    """Return the manifest, the data folder, and the hashes of the data folder's files by name."""
    path = folder / MANIFEST
    if not folder.exists():
        raise NoSuchShop(f"{folder}: there is no such shop; {_suggestion(folder)}")
    if not folder.is_dir():
        raise ShopError(f"{folder}: is a file, and a shop is a folder; give the folder")
    check_unlinked(folder, MANIFEST)
    try:
        raw = orjson.loads(read_file(path, DOCUMENT))
    except FileNotFoundError:
        raise ShopError(
            f"{folder}: is no shop (it has no {MANIFEST}); give a folder made by `drr data ingest`"
        ) from None
    except OSError as error:
        raise ShopError(f"{path}: cannot be read ({error.strerror}); check its permissions") from error
    except ValueError as error:
        raise ShopError(f"{path}: is damaged ({error}); ingest again with --replace") from error
    data, files = (raw.pop("data", None), raw.pop("files", None)) if isinstance(raw, dict) else (None, None)
    manifest = parse_manifest(raw, str(folder))
    if not isinstance(data, str) or file_name(data) != data:
        raise ShopError(f"{path}: is damaged (it names no data folder); ingest again with --replace")
    return manifest, folder / data, files if isinstance(files, dict) else {}


def file_hashes(data: Path) -> dict[str, str]:
    """Hash each file that readers depend on, by its name in the data folder."""
    hashes = {}
    for path in _files(data):
        with path.open("rb") as file:
            hashes[str(path.relative_to(data))] = file_digest(file, "sha256").hexdigest()
    return hashes


def _files(data: Path) -> list[Path]:
    """List the files of a data folder, except locks and journals of SQLite, which nobody reads."""
    return sorted(
        path
        for path in data.rglob("*")
        if path.is_file() and path.suffix != ".lock" and not path.name.startswith(f"{DATABASE}-")
    )


def _suggestion(folder: Path) -> str:
    beside = [path.parent for path in folder.parent.glob("*/" + MANIFEST)]
    near = get_close_matches(folder.name, [path.name for path in beside], 3)
    if near:
        return f"did you mean {' or '.join(str(folder.parent / name) for name in near)}?"
    made = f"`drr data ingest RAW_DIR --shop {folder}` makes one"
    return made if folder.is_absolute() else f"name it as seen from this folder (--shop), or {made}"


def check_files(folder: Path, data: Path, manifest: Manifest) -> None:
    """Raise an error for files that are missing, cut short, not regular, sparse, or of another version."""
    database = data / DATABASE
    try:
        check_plain(data)
        (data / INDEX / "meta.json").stat()
        size = database.stat().st_size
        for path in _files(data):
            _check_length(folder, path)
    except OSError as error:
        raise ShopError(
            f"{folder}: is damaged ({Path(error.filename).relative_to(folder)}: {error.strerror}); "
            "ingest again with --replace"
        ) from error
    if manifest.sizes.get(DATABASE, size) != size:
        raise ShopError(
            f"{folder}: is damaged ({database.relative_to(folder)} has {size:,} bytes and the manifest says "
            f"{manifest.sizes[DATABASE]:,}); ingest again with --replace"
        )
    check_tokenizer(manifest, str(folder))


def _check_length(folder: Path, path: Path) -> None:
    """Raise an error for a file that is too long or mostly holes. Holes cost nothing to send and take long to read."""
    size = path.stat().st_size
    wrong = None
    if path.name in _READ_WHOLE and size > DOCUMENT:
        wrong = f"is longer than {DOCUMENT:,} bytes"
    elif size > LARGEST and (empty := sparse_bytes(path)) > LARGEST:
        wrong = f"has {size:,} bytes, of which {empty:,} are holes"
    if wrong is not None:
        raise ShopError(
            f"{folder}: is damaged ({path.relative_to(folder)} {wrong}); ingest again with --replace"
        )


def folder_size(folder: Path) -> int:
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())


def sync_to_disk(path: Path) -> None:
    """Force a file to the disk before a manifest names it."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


PATIENCE_S = 60.0
_MAPPED = "pragma mmap_size=8000000000"


class _Connection(sqlite3.Connection):
    """A connection that closes itself. A plain one allows no weak reference, and Python 3.13 warns if nobody closes it."""

    def __del__(self) -> None:
        self.close()


class _Local(threading.local):
    connection: _Connection | None = None
    process: int = 0
    until: float = inf


class Connections:
    """Connections to a shop's database, one for each thread. `folder` appears in errors; the file must hold the manifest's `content_hash`."""

    def __init__(self, folder: Path, path: Path, content_hash: str) -> None:
        self._folder, self._path, self._content_hash = folder, path.resolve(), content_hash
        self._local = _Local()
        self._open: WeakSet[_Connection] = WeakSet()
        self._closed = False
        self._connect()

    def _connect(self) -> _Connection:
        if self._closed:
            raise ShopError(f"{self._folder}: this shop was closed")
        try:
            connection = sqlite3.connect(
                f"{self._path.as_uri()}?mode=ro&immutable=1",
                uri=True,
                isolation_level=None,
                check_same_thread=False,
                factory=_Connection,
            )
            self._local.until = time.monotonic() + PATIENCE_S
            restrict_database(connection, lambda: self._local.until, STATEMENTS)
            if (strange := strange_statement(connection, STATEMENTS)) is not None:
                raise ShopError(
                    f"{self._folder}: is no shop of ours (its {strange[:80]} is not of our making)"
                )
            connection.execute(_MAPPED)
            stamp = connection.execute("select value from meta where name = 'content_hash'").fetchone()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if not self._path.exists():
                raise ShopError(f"{self._folder}: the shop was replaced while open; open it again") from error
            raise ShopError(
                f"{self._folder}: its database is damaged ({error}); ingest again with --replace"
            ) from error
        if stamp is None or stamp[0] != self._content_hash:
            connection.close()
            raise ShopError(
                f"{self._folder}: database and manifest are of different shops; ingest again with --replace"
            )
        self._local.connection, self._local.process = connection, os.getpid()
        self._open.add(connection)
        return connection

    @property
    def own(self) -> sqlite3.Connection:
        """Return this thread's connection, for short queries with a time limit. A forked child must not use its parent's connection."""
        self._local.until = time.monotonic() + PATIENCE_S
        connection = self._local.connection
        if connection is None or self._closed or self._local.process != os.getpid():
            return self._connect()
        return connection

    @property
    def unhurried(self) -> sqlite3.Connection:
        """Return this thread's connection without a time limit, for reading a whole shop."""
        connection = self.own
        self._local.until = inf
        return connection

    @contextmanager
    def unmapped(self) -> Iterator[sqlite3.Connection]:
        """Open a connection without memory mapping, for reading whole tables once: mapped pages would stay in this process's memory."""
        connection = self.unhurried
        connection.execute("pragma mmap_size=0")
        try:
            yield connection
        finally:
            connection.execute(_MAPPED)

    def close(self) -> None:
        self._closed = True
        for connection in list(self._open):
            connection.close()
