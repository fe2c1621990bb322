"""The files of a shop's folder, and the one place where they are read and checked.

    SHOP/manifest.json          the manifest, in `data` the name of the folder it speaks of, in `files` the hashes of its files
    SHOP/data-XXXX/shop.sqlite  products, users, orders
    SHOP/data-XXXX/index/       tantivy

A new shop is built in a sibling folder. Replacing one moves the finished data folder in and then replaces the manifest,
which is one atomic step: whoever opens the shop sees the old one or the new one.
"""

from __future__ import annotations

import os
from difflib import get_close_matches
from hashlib import file_digest
from pathlib import Path

import orjson
from drr.env.bounded import DOCUMENT
from drr.env.errors import NoSuchShop, ShopError
from drr.env.files import LARGEST, check_plain, check_unlinked, file_name, holes, read_file
from drr.env.manifest import check_tokenizer, parse_manifest
from drr.env.shop import Manifest

MANIFEST = "manifest.json"
DATABASE = "shop.sqlite"
INDEX = "index"
_READ_WHOLE = ("meta.json", ".managed.json")
"""Of the index, by whoever opens it."""

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
STATEMENTS = (TABLES, PRODUCT_INDEX, *USER_INDEXES, ORDER_INDEX, REVIEWS)


def read_manifest(folder: Path) -> tuple[Manifest, Path]:
    """Read the manifest of a shop's folder and the data folder it names. Each way to be no shop has its own error."""
    manifest, data, _ = read_manifest_file(folder)
    return manifest, data


def read_manifest_file(folder: Path) -> tuple[Manifest, Path, dict[str, str]]:
    """Also the hashes of the data folder's files, by name."""
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
    """Of each file that readers depend on, by its name in the data folder."""
    hashes = {}
    for path in _files(data):
        with path.open("rb") as file:
            hashes[str(path.relative_to(data))] = file_digest(file, "sha256").hexdigest()
    return hashes


def _files(data: Path) -> list[Path]:
    """All but locks and journals of SQLite's, which nobody reads, whatever their size."""
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
    return f"`drr data ingest RAW_DIR --shop {folder}` makes one"


def check_files(folder: Path, data: Path, manifest: Manifest) -> None:
    """What can be told at once: files that are gone, cut short, no files, full of holes, or from another version."""
    database = data / DATABASE
    try:
        check_plain(data)
        (data / INDEX / "meta.json").stat()
        size = database.stat().st_size
    except OSError as error:
        raise ShopError(
            f"{folder}: is damaged ({Path(error.filename).relative_to(folder)}: {error.strerror}); "
            "ingest again with --replace"
        ) from error
    for path in _files(data):
        _check_length(folder, path)
    if manifest.sizes.get(DATABASE, size) != size:
        raise ShopError(
            f"{folder}: is damaged ({database.relative_to(folder)} has {size:,} bytes and the manifest says "
            f"{manifest.sizes[DATABASE]:,}); ingest again with --replace"
        )
    check_tokenizer(manifest, str(folder))


def _check_length(folder: Path, path: Path) -> None:
    """A file full of holes, which costs nothing to send, is read for as long as its size says."""
    size = path.stat().st_size
    wrong = None
    if path.name in _READ_WHOLE and size > DOCUMENT:
        wrong = f"is longer than {DOCUMENT:,} bytes"
    elif size > LARGEST and (empty := holes(path)) > LARGEST:
        wrong = f"has {size:,} bytes, of which {empty:,} are holes"
    if wrong is not None:
        raise ShopError(
            f"{folder}: is damaged ({path.relative_to(folder)} {wrong}); ingest again with --replace"
        )


def folder_size(folder: Path) -> int:
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())


def sync(path: Path) -> None:
    """Put a file on the disk before it is named in a manifest."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
