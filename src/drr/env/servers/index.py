"""Defines the search index's mapping, and loads the index with as little work per document as possible.

The text is already cut into the shop's own words, so the server only splits at spaces. The mapping is strict: an unexpected
field is an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from zlib import crc32

from drr.env.embedding import Vectors
from drr.env.entities import Product
from drr.env.errors import Misuse, ServerFailure, ShopError
from drr.env.json_object import JsonObject
from drr.env.search.fields import SearchFields, fields_of_product
from drr.env.servers.connect import Servers
from drr.env.text import category_key
from elasticsearch.helpers import streaming_bulk

# Far beyond any page that is asked for; the server keeps no more than there are hits.
_WINDOW = 100_000_000
_EXPORT = 1000
_KEEP_ALIVE = "2m"
# The largest keyword is 32,766 bytes; what a longer category begins with tells it from all others.
_LONGEST_CATEGORY = 1000
# A server takes 100 MB in one request, unless it was told otherwise.
_LARGEST_BODY = 16 << 20
# Too busy is the one answer that is worth asking again.
_BUSY = 429
_NO_ROOM = 507
_ATTEMPTS = 6
_FIRST_PAUSE = 0.5
_RESULTS = "errors,items.index._id,items.index.status,items.index.error.type,items.index.error.reason"

_TEXT = {"type": "text", "analyzer": "whitespace", "index_options": "freqs"}
_KEYWORD = {"type": "keyword"}
_DOUBLE = {"type": "double"}
_SHOWN = {"type": "keyword", "index": False, "doc_values": False}
_CHECKED = {"type": "long", "index": False}
# Whole numbers as they were made: a compressed form would find others than the shop in a folder.
_VECTOR = {
    "type": "dense_vector",
    "index": True,
    "similarity": "dot_product",
    "index_options": {"type": "hnsw"},
}
PROPERTIES: dict[str, JsonObject] = {
    **dict.fromkeys(("text", "strong", "rest"), _TEXT),
    **dict.fromkeys(("product_id", "category", "name", "shelf", "brand"), _KEYWORD),
    **dict.fromkeys(("price", "average_rating"), _DOUBLE),
    **dict.fromkeys(("title", "store"), _SHOWN),
    **dict.fromkeys(("text_crc", "fields_crc"), _CHECKED),
    "rating_number": {"type": "long"},
    "details": {"type": "object", "enabled": False},
    "vector": _VECTOR,
}
NOT_KEPT = ("text", "strong", "rest", "name", "shelf", "brand", "vector")
"""Fields that are searched but not returned by the server."""


class IndexDocument(NamedTuple):
    """The part of a document that `shop check` compares between store and index."""

    product_id: str
    price: float | None
    average_rating: float | None
    rating_number: int | None
    category: list[str]
    text_crc: int
    fields_crc: int | None
    """A checksum of the fields; `None` for a shop of an earlier version, whose index has no fields."""


def entry_of(product: Product, fields: SearchFields, *, with_fields: bool = True) -> IndexDocument:
    return IndexDocument(
        product.product_id,
        product.price,
        product.average_rating,
        product.rating_number,
        sorted({category_term(name) for name in (product.category, *product.categories)} - {""}),
        crc32(fields.text.encode()),
        fields.crc if with_fields else None,
    )


def category_term(name: str) -> str:
    """Return a category's name as it is indexed and searched."""
    return category_key(name)[:_LONGEST_CATEGORY]


def create_index(servers: Servers, index: str, shards: int) -> None:
    """Create an index without replicas. Refresh is off while the index is loaded; `finish_index` turns it on."""
    settings: JsonObject | None = {
        "number_of_shards": shards,
        "number_of_replicas": 0,
        "refresh_interval": "-1",
        "max_result_window": _WINDOW,
    }
    if servers.serverless:
        if shards != 1:
            raise Misuse(
                "elasticsearch_shards: a serverless Elasticsearch makes its shards itself; leave it out"
            )
        settings = None
    mappings = {"dynamic": "strict", "_source": {"excludes": NOT_KEPT}, "properties": PROPERTIES}
    servers.search.indices.create(index=index, settings=settings, mappings=mappings)


def document(
    product: Product, fields: SearchFields | None = None, vector: Vectors | None = None
) -> JsonObject:
    """Return a product's row for the index. Its fields may be given; a missing or empty vector is left out."""
    fields = fields or fields_of_product(product)
    row: JsonObject = {
        **entry_of(product, fields)._asdict(),
        "text": fields.text,
        "title": product.title,
        "store": product.store,
        "details": product.details,
        "strong": fields.strong,
        "rest": fields.rest,
        "name": fields.name,
        "shelf": fields.shelf,
        "brand": fields.brand,
    }
    if vector is not None and vector.any():
        row["vector"] = vector.tolist()
    return row


def bulk_write(servers: Servers, index: str, documents: Sequence[JsonObject]) -> None:
    """Write all documents, or raise an error that names those refused. Documents that a busy server refused are sent again."""
    actions = ({"_index": index, "_id": one["product_id"], "_source": one} for one in documents)
    sent = streaming_bulk(
        servers.search,
        actions,
        chunk_size=len(documents),
        max_chunk_bytes=_LARGEST_BODY,
        raise_on_error=False,
        yield_ok=False,
        max_retries=_ATTEMPTS - 1,
        initial_backoff=_FIRST_PAUSE,
        filter_path=_RESULTS,
    )
    failed: list[JsonObject] = [item["index"] for _, item in sent]
    if not failed:
        return
    where = f"Elasticsearch at {servers.shown['Elasticsearch']}"
    named = [
        f"{one['_id']}: {one['status']} {one['error']['type']}: {one['error']['reason'][:150]}"
        for one in failed[:3]
    ] + ["..."] * (len(failed) > 3)
    refused = f"refused {len(failed)} of {len(documents)} documents ({'; '.join(named)})"
    # A node whose disk is full blocks its indices and answers with the status of one that is busy.
    if any("cluster_block" in one["error"]["type"] or one["status"] == _NO_ROOM for one in failed):
        raise ServerFailure(f"{where} is full ({refused}); make room there and run the same command again")
    if all(one["status"] == _BUSY for one in failed):
        raise ServerFailure(f"{where} stays too busy and {refused}; run the same command again later")
    raise ShopError(f"{where} {refused}; nothing was published")


def finish_index(servers: Servers, index: str, meta: JsonObject) -> int:
    """Make the index searchable and store `meta` in it; return the number of documents."""
    search = servers.search.options(request_timeout=max(servers.timeout, 600.0))
    if not servers.serverless:
        search.indices.put_settings(index=index, settings={"index": {"refresh_interval": "1s"}})
        search.indices.refresh(index=index)
        search.indices.forcemerge(index=index, max_num_segments=1)
    search.indices.put_mapping(index=index, meta=meta)
    search.indices.refresh(index=index)
    return int(search.count(index=index)["count"])


def export_documents(servers: Servers, index: str) -> Iterator[IndexDocument]:
    """Yield every document by product id, all as of one moment."""
    search, fields = servers.search, list(IndexDocument._fields)
    asked: JsonObject = {"size": _EXPORT, "sort": [{"product_id": "asc"}], "track_total_hits": False}
    with servers.speaking():
        point: str = search.open_point_in_time(index=index, keep_alive=_KEEP_ALIVE)["id"]
        try:
            while True:
                pit = {"id": point, "keep_alive": _KEEP_ALIVE}
                answer = search.search(pit=pit, source_includes=fields, **asked)
                point, hits = answer["pit_id"], answer["hits"]["hits"]
                for hit in hits:
                    yield IndexDocument(*(hit["_source"].get(name) for name in fields))
                if len(hits) < _EXPORT:
                    return
                asked["search_after"] = hits[-1]["sort"]
        finally:
            search.close_point_in_time(id=point)
