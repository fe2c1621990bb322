"""The servers backend beside its clients: loading, calls, ranking. On the test servers, which are not a real MongoDB.

    python -m benchmarks.servers [--scale 0.02] [--products 80000]

`--scale 1` is the paper's shop. `--products` is the size of the catalogue whose ranking is compared.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import Any

from elastic_transport import ApiResponseMeta, BaseNode, HttpHeaders, JsonSerializer
from elastic_transport._node import NodeApiResponse
from elasticsearch import Elasticsearch, helpers
from elasticsearch.serializer import OrjsonSerializer
from pydantic import SecretStr
from pymongo import MongoClient

from app import testservers
from benchmarks import search, synthetic
from benchmarks.bm25 import overlap
from benchmarks.results import machine, record, table
from env.content import batched
from env.copy import copy_shop
from env.progress import Quiet
from env.servers import index
from env.servers.connect import Servers
from env.servers.documents import order_documents, user_document
from env.servers.names import names_of
from env.servers.store import INDEXES, ServersStore
from env.servers.writer import PRODUCTS
from env.servers.writer import USERS as BATCH
from env.settings import Settings
from env.shop import Manifest, SearchRequest, Shop, open_shop, shop_writer

HEAP_MB = 2048
CALLS = 500


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=float, default=0.02)
    parser.add_argument("--products", type=int, default=80_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="drr-servers-") as scratch:
        running = [
            testservers.start(kind, Path(scratch) / kind, heap_mb=HEAP_MB, in_memory=True)
            for kind in testservers.KINDS
        ]
        try:
            settings = Settings(**{f"{server.kind}_url": SecretStr(server.url) for server in running})
            texts = [
                _client_cpu(settings),
                _mongodb_load(settings, "with its data in memory"),
                _mongodb_load(_on_file(settings, running, Path(scratch)), "with its data in a file"),
                _whole_load(settings, arguments.scale),
                _calls(settings),
                _ranking(settings, arguments.products, Path(scratch)),
            ]
        finally:
            for server in running:
                server.stop()
    record(
        "Servers",
        f"On the test servers, {HEAP_MB} MB of heap each: a real Elasticsearch 9.5.3, and a server that speaks MongoDB's "
        f"protocol with its data in memory, so its seconds say nothing of a real MongoDB ({machine()}).\n\n"
        + "\n\n".join(texts),
    )


def _cpu(call: Callable[[], object]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - cpu


def _client_cpu(settings: Settings) -> str:
    """The same documents, with their words ready, through our bulk and through the helper with the orjson serializer."""
    products = list(synthetic.products(8000))
    cutting, _ = _cpu(lambda: [index.document(product) for product in products])
    documents = [index.document(product) for product in products]
    servers = Servers(settings)
    helper = Elasticsearch(
        settings.elasticsearch_url.get_secret_value(),
        serializers={JsonSerializer.mimetype: OrjsonSerializer()},
    )
    rounds: list[tuple[float, float, float, float]] = []
    for _ in range(3):
        for name in ("bench-ours", "bench-helper"):
            servers.search.indices.delete(index=name, ignore_unavailable=True)
            index.create(servers, name, 1)
        ours = _cpu(
            lambda: [index.bulk(servers, "bench-ours", some) for some in batched(documents, PRODUCTS)]
        )
        theirs = _cpu(
            lambda: helpers.bulk(
                helper,
                (
                    {"_op_type": "index", "_index": "bench-helper", "_id": d["product_id"], "_source": d}
                    for d in documents
                ),
                chunk_size=PRODUCTS,
                refresh=False,
            )
        )
        rounds.append((*ours, *theirs))
    unsent = _unsent(documents)
    assert servers.search.options(request_timeout=60).indices.refresh(index="bench-*")
    assert (
        servers.search.count(index="bench-ours")["count"]
        == servers.search.count(index="bench-helper")["count"]
        == 8000
    )
    servers.close()
    helper.close()
    wall, cpu, helper_wall, helper_cpu = (median(column) for column in zip(*rounds, strict=True))
    return (
        f"**Elasticsearch bulk**, 8,000 products of {len(index.lines(documents)) / 8000:,.0f} bytes, medians of three rounds. "
        f"Client CPU with a connection that sends nothing: {unsent[0]:.1f} us a document, the helper with the orjson serializer "
        f"{unsent[1]:.1f} us: **{unsent[0] / unsent[1]:.2f} x**. Against the server, where the kernel's copying is in both: "
        f"{cpu / 8000 * 1e6:.1f} us and {helper_cpu / 8000 * 1e6:.1f} us, {cpu / helper_cpu:.2f} x; wall {wall:.2f} s and "
        f"{helper_wall:.2f} s, {wall / helper_wall:.2f} x. Both were given documents whose words were ready; cutting the text "
        f"into the shop's own words costs {cutting / 8000 * 1e6:.0f} us a document more, once, on either way."
    )


class _Nowhere(BaseNode):
    """Answers what a server would answer to a bulk request in which all went well."""

    def perform_request(
        self, method: str, target: str, body: Any = None, *_: Any, **__: Any
    ) -> NodeApiResponse:
        headers = HttpHeaders({"content-type": "application/json", "x-elastic-product": "Elasticsearch"})
        meta = ApiResponseMeta(200, "1.1", headers, 0.0, self.config)
        if "filter_path=errors" in target:
            return NodeApiResponse(meta, b'{"errors":false}')
        items = b",".join(
            [b'{"index":{"_index":"x","_id":"B000000000","_version":1,"result":"created","status":201}}']
            * PRODUCTS
        )
        return NodeApiResponse(meta, b'{"errors":false,"took":1,"items":[' + items + b"]}")

    def close(self) -> None:
        pass


def _unsent(documents: list[dict[str, Any]]) -> tuple[float, float]:
    """Microseconds of client CPU a document: ours, the helper's."""
    ours = Servers(Settings())
    orjson_serializer = {JsonSerializer.mimetype: OrjsonSerializer()}
    ours.search = Elasticsearch("http://127.0.0.1:9200", node_class=_Nowhere)
    theirs = Elasticsearch("http://127.0.0.1:9200", node_class=_Nowhere, serializers=orjson_serializer)
    rounds = []
    for _ in range(5):
        _, mine = _cpu(lambda: [index.bulk(ours, "x", some) for some in batched(documents, PRODUCTS)])
        actions = (
            {"_op_type": "index", "_index": "x", "_id": d["product_id"], "_source": d} for d in documents
        )
        _, helper = _cpu(partial(helpers.bulk, theirs, actions, chunk_size=PRODUCTS))
        rounds.append((mine / len(documents) * 1e6, helper / len(documents) * 1e6))
    ours.close()
    return median(r[0] for r in rounds), median(r[1] for r in rounds)


def _on_file(settings: Settings, running: list[testservers.Server], scratch: Path) -> Settings:
    """A second MongoDB-protocol server, which writes to disk as a real one does."""
    server = testservers.start("mongodb", scratch / "file", heap_mb=HEAP_MB)
    running.append(server)
    return settings.model_copy(update={"mongodb_url": SecretStr(server.url)})


def _mongodb_load(settings: Settings, kind: str) -> str:
    """Users and orders through the writer, and their ready-made documents through a bare `insert_many`."""
    counts = synthetic.sizes(0.02)
    products = [p.model_copy(update={"description": []}) for p in synthetic.products(counts["products"])]
    rows = [row for batch in synthetic.users(counts["users"]) for row in batch]
    columns = list(synthetic.orders(counts))
    ids = [p.product_id for p in products], [row.user_id for row in rows]
    users = [user_document(row) for row in rows]
    orders = [one for some in columns for one in order_documents(some, *ids)]
    bare: Any = MongoClient(settings.mongodb_url.get_secret_value())
    database = bare["bench-bare"]

    def insert() -> None:
        for name, documents in (("users", users), ("orders", orders)):
            for some in batched(documents, BATCH):
                database[name].insert_many(some, ordered=False)

    rounds = []
    for _ in range(3):
        bare.drop_database("bench-bare")
        theirs, _ = _cpu(insert)
        indexing, _ = _cpu(
            lambda: [
                database[kind].create_index(keys) for kind in ("users", "orders") for keys in INDEXES[kind]
            ]
        )
        with shop_writer("servers:bench-load", settings, replace=True) as writer:
            writer.write_products(products)
            mine, _ = _cpu(lambda: (writer.write_users([rows]), writer.write_orders(columns)))
        rounds.append((mine, theirs, indexing))
    bare.drop_database("bench-bare")
    bare.close()
    mine, theirs, indexing = (min(column) for column in zip(*rounds, strict=True))
    count = len(users) + len(orders)
    return (
        f"**MongoDB load**, server {kind}, {len(users):,} users and {len(orders):,} orders, best of three interleaved rounds: {count / mine:,.0f} "
        f"documents/s made, hashed, inserted, recorded after each batch and indexed at the end; bare `insert_many` of the "
        f"ready documents {count / theirs:,.0f}/s, {count / (theirs + indexing):,.0f}/s with the same indexes: "
        f"**{theirs / mine:.2f} x** and {(theirs + indexing) / mine:.2f} x."
    )


def _whole_load(settings: Settings, scale: float) -> str:
    counts = synthetic.sizes(scale)
    products = list(synthetic.products(counts["products"]))
    users = list(synthetic.users(counts["users"]))
    orders = list(synthetic.orders(counts))
    seconds: dict[str, float] = {}
    with shop_writer("servers:benchwhole", settings, replace=True) as writer:
        for kind, call in (
            ("products", partial(writer.write_products, products)),
            ("users", partial(writer.write_users, users)),
            ("orders", partial(writer.write_orders, orders)),
        ):
            seconds[kind], _ = _cpu(call)
        empty = Manifest(backend="", as_of="", content_hash="", counts={})
        published: list[Manifest] = []
        seconds["publish"], _ = _cpu(lambda: published.append(writer.publish(empty)))
    manifest = published[0]
    total = sum(seconds.values())
    documents = sum(counts.values()) + counts["products"]
    rows = [
        (
            kind,
            f"{counts[kind]:,}" if kind in counts else "",
            f"{s:.1f}",
            f"{counts[kind] / s:,.0f}" if kind in counts else "",
        )
        for kind, s in seconds.items()
    ]
    whole = {kind: count / scale / (counts[kind] / seconds[kind]) * scale for kind, count in counts.items()}
    full = sum(synthetic.PAPER[kind] / (counts[kind] / seconds[kind]) for kind in whole)
    return (
        f"**Whole load** at scale {scale:g} of the paper's shop, {total:.1f} s, {documents / total:,.0f} documents/s; MongoDB "
        f"{manifest.sizes['mongodb'] / 1e6:,.0f} MB (as the test server counts), Elasticsearch "
        f"{manifest.sizes['elasticsearch'] / 1e6:,.0f} MB. *Extrapolated* in proportion, not measured: {full:,.0f} s for 80k "
        "products, 1.8M users and 4.3M orders.\n\n" + table(("kind", "documents", "s", "documents/s"), rows)
    )


def _calls(settings: Settings) -> str:
    """Each call of the store and the catalogue beside the client calls that it stands for."""
    rng = random.Random(5)
    # Small, because the test server finds a user's orders by looking at all of them, which MongoDB does not.
    with shop_writer("servers:benchcalls", settings, replace=True) as writer:
        synthetic.write(writer, 0.002)
    shop = open_shop("servers:benchcalls", settings)
    store = shop.store
    assert isinstance(store, ServersStore)
    counts = shop.manifest.counts
    products = [f"B{rng.randrange(counts['products']):09d}" for _ in range(CALLS)]
    users = [f"A{rng.randrange(counts['users']):027d}" for _ in range(CALLS)]
    orders = [order.order_id for _, order in zip(range(CALLS), store.iter_orders(), strict=False)]
    titles = [p.title for _, p in zip(range(500), store.iter_products(), strict=False)]
    short, _ = search.queries(titles)
    client = store.servers.search
    name = names_of("servers:benchcalls").index(str(store._version))
    from env.servers.catalog import _query
    from env.text import query_words

    def bare_search(query: str) -> object:
        return client.search(
            index=name,
            query=_query(SearchRequest(query), query_words(query)),
            sort=[{"_score": {"order": "desc"}}, {"product_id": {"order": "asc"}}],
            size=10,
            track_total_hits=True,
            source=False,
        )

    cases: list[tuple[str, Callable[[str], object], Callable[[str], object], list[str]]] = [
        ("product", store.product, lambda key: store.products_there.find_one({"_id": key}), products),
        ("user", store.user, lambda key: store.users_there.find_one({"_id": key}), users),
        ("order by id", store.order, lambda key: store.orders_there.find_one({"_id": key}), orders),
        (
            "newest 20 orders",
            lambda key: store.orders(key, limit=20),
            lambda key: list(
                store.orders_there.find({"user_id": key}).sort([("order_date", -1), ("_id", 1)]).limit(20)
            ),
            users,
        ),
        ("search", lambda query: shop.catalog.search(SearchRequest(query)), bare_search, short),
    ]
    rows = []
    for label, ours, theirs, keys in cases:
        rounds = []
        for _ in range(3):
            times: tuple[list[float], list[float]] = ([], [])
            for key in keys:
                for sink, call in zip(times, (ours, theirs), strict=True):
                    start = time.perf_counter()
                    call(key)
                    sink.append((time.perf_counter() - start) * 1e3)
            rounds.append((median(times[0]), median(times[1])))
        mine, bare = (sorted(column)[1] for column in zip(*rounds, strict=True))
        rows.append((label, f"{mine:.3f}", f"{bare:.3f}", f"{mine / bare:.2f}"))
    shop.close()
    return "**Calls**, milliseconds, medians of three interleaved rounds.\n\n" + table(
        ("call", "p50", "bare client p50", "x"), rows
    )


def _ranking(settings: Settings, count: int, scratch: Path) -> str:
    folder = str(scratch / "shop")
    with shop_writer(folder, settings) as writer:
        writer.write_products(synthetic.products(count))
        writer.write_users([])
        writer.write_orders([])
        writer.publish(Manifest(backend="", as_of="", content_hash="", counts={}))
    with open_shop(folder, settings) as here:
        with shop_writer("servers:benchrank", settings, replace=True) as writer:
            copy_shop(here, writer, Quiet())
        titles = [product.title for _, product in zip(range(5000), here.store.iter_products(), strict=False)]
        with open_shop("servers:benchrank", settings) as there:
            figures = {
                name: _overlap(here, there, asked[:200])
                for name, asked in zip(("short", "long"), search.queries(titles), strict=True)
            }
    return (
        f"**Ranking**: top-10 overlap of the two backends on a catalogue of {count:,} products, 200 queries each: "
        + ", ".join(f"{name} {value:.3f}" for name, value in figures.items())
        + "; totals equal in all."
    )


def _overlap(here: Shop, there: Shop, asked: list[str]) -> float:
    found = []
    for query in asked:
        a, b = (shop.catalog.search(SearchRequest(query)) for shop in (here, there))
        assert a.total == b.total
        found.append(overlap(b.product_ids, a.product_ids))
    return mean(found)


if __name__ == "__main__":
    main()
