"""Opens a shop on servers. The manifest names the collections and the index, and both must belong to it."""

from __future__ import annotations

from difflib import get_close_matches
from typing import NoReturn

import elasticsearch
from drr.env.embedding import Vectors, embedder_of
from drr.env.errors import NoSuchShop, ShopError
from drr.env.json_object import JsonObject
from drr.env.manifest import AGAIN, check_tokenizer, indexed_language, parse_manifest, search_of
from drr.env.search.read_query import Lexicon
from drr.env.servers.catalog import ServersCatalog
from drr.env.servers.connect import Servers
from drr.env.servers.documents import plain
from drr.env.servers.load import (
    KINDS,
    LOAD,
    RESERVED,
    Names,
    ShownVersion,
    Versions,
    collection_name,
    names_of,
)
from drr.env.servers.store import ServersStore
from drr.env.settings import Settings
from drr.env.shop import SERVERS, Manifest, Shop
from pymongo import errors as mongo


def open_shop(spec: str, settings: Settings) -> Shop:
    names = names_of(spec)
    servers = Servers(settings)
    try:
        servers.versions()
        with servers.speaking():
            versions = Versions(servers, names)
            kept = versions.shown() or _nothing_there(servers, names, versions, spec)
            manifest = parse_manifest(plain(kept["manifest"]), spec)
            check_tokenizer(manifest, spec)
            check_set(servers, names, kept["version"], manifest, spec)
    except BaseException:
        servers.close()
        raise
    store = ServersStore(servers, names, kept["version"], manifest, settings.shop_url)
    search = search_of(manifest, settings)
    catalog = ServersCatalog(
        servers,
        names.index(kept["version"]),
        manifest.counts["products"],
        plain(kept["categories"]),
        Lexicon(kept.get("lexicon", b"")),
        search,
        embedder_of(settings, _weights(kept)) if search == "hybrid" else None,
        indexed_language(manifest),
        manifest.searched_in,
    )
    return Shop(spec, manifest, store, catalog, settings.shop_url.rstrip("/"), servers.close)


def _weights(kept: ShownVersion) -> Vectors | None:
    import numpy as np

    packed = kept.get("weights", b"")
    return np.frombuffer(packed, np.float32) if packed else None


def index_meta(names: Names, version: str, content_hash: str) -> JsonObject:
    """Return the values that identify an index's data: shop, version and content hash."""
    return {"shop": names.shop, "version": version, "content_hash": content_hash}


def _nothing_there(servers: Servers, names: Names, versions: Versions, spec: str) -> NoReturn:
    indices = list(servers.search.indices.get(index=names.indices, features="aliases"))
    if indices and versions.documents.find_one({"_id": LOAD}) is None:
        raise NoSuchShop(
            f"{spec}: Elasticsearch has the index {indices[0]} and MongoDB has no such database; "
            "check DRR_MONGODB_URL, or ingest again"
        )
    try:
        others = [name for name in servers.mongo.list_database_names() if name not in {*RESERVED, names.shop}]
    except mongo.OperationFailure:
        others = []
    hint = f"`drr data ingest RAW_DIR --shop {spec}` makes one"
    if near := get_close_matches(names.shop, others, 3):
        hint = f"did you mean {' or '.join(SERVERS + name for name in near)}?"
    raise NoSuchShop(f"{spec}: there is no such shop on MongoDB at {servers.shown['MongoDB']}; {hint}")


def check_set(servers: Servers, names: Names, version: str, manifest: Manifest, spec: str) -> None:
    index = names.index(version)
    try:
        mapping = servers.search.indices.get_mapping(index=index)
    except elasticsearch.NotFoundError:
        raise ShopError(
            f"{spec}: MongoDB has the shop and Elasticsearch has no index {index}; check DRR_ELASTICSEARCH_URL, or {AGAIN}"
        ) from None
    meta = mapping[index]["mappings"].get("_meta")
    if meta != index_meta(names, version, manifest.content_hash):
        raise ShopError(f"{spec}: the index {index} and the database are of different shops; {AGAIN}")
    database = servers.mongo[names.shop]
    for kind in KINDS:
        if manifest.counts[kind] and not database[collection_name(kind, version)].estimated_document_count():
            raise ShopError(f"{spec}: MongoDB has no {kind} of this shop any more; {AGAIN}")
