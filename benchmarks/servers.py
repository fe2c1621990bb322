"""The servers backend beside its clients: loading, calls, ranking. On the test servers, which are not a real MongoDB.

    python -m benchmarks.servers [--products 80000]
    python -m benchmarks.servers --scale 0.5 [--heap-gb 12]     half the paper's shop, under a heading of its own

`--products` is the size of the catalogue whose ranking is compared.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import mean, median
from typing import Any

from drr.env.content import batched
from drr.env.copy import copy_shop
from drr.env.progress import Quiet, collector_off
from drr.env.servers.documents import order_documents, user_document
from drr.env.servers.load import names_of
from drr.env.servers.store import INDEXES, ServersStore
from drr.env.servers.writer import BATCH
from drr.env.settings import Settings
from drr.env.shop import Manifest, SearchName, SearchRequest, Shop, check_shop, open_shop, shop_writer
from pydantic import SecretStr
from pymongo import MongoClient

from benchmarks import search, synthetic
from benchmarks.bm25 import overlap
from benchmarks.results import record, table
from tests.servers import testservers

HEAP_MB = 2048
CALLS = 500
ROUNDS = 5
# All reviews of Amazon-Reviews-2023, as products, users and orders (docs/servers.md).
ALL = {"products": 35_400_000, "users": 54_500_000, "orders": 565_000_000}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=float)
    parser.add_argument("--heap-gb", type=int, default=12)
    parser.add_argument("--products", type=int, default=80_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="drr-servers-") as scratch:
        heaps = {
            "elasticsearch": HEAP_MB,
            "mongodb": arguments.heap_gb * 1024 if arguments.scale else HEAP_MB,
        }
        running = [
            testservers.start(kind, Path(scratch) / kind, heap_mb=heaps[kind], in_memory=True)
            for kind in testservers.KINDS
        ]
        try:
            settings = Settings(
                server_timeout=120.0, **{f"{server.kind}_url": SecretStr(server.url) for server in running}
            )
            if arguments.scale:
                _whole_load(settings, running, arguments.scale, arguments.heap_gb)
                return
            texts = [
                _mongodb_load(settings, "with its data in memory", 0.02),
                _mongodb_load(_on_file(settings, running, Path(scratch)), "with its data in a file", 0.005),
                _calls(settings),
                _ranking(settings, arguments.products, Path(scratch)),
            ]
        finally:
            for server in running:
                server.stop()
    record(
        "Servers",
        "On the test servers: a real Elasticsearch 9.5.3, and a server that speaks MongoDB's protocol with its data in memory, so its "
        "seconds say nothing of a real MongoDB.\n\n" + "\n\n".join(texts),
    )


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _on_file(settings: Settings, running: list[testservers.Server], scratch: Path) -> Settings:
    """A second MongoDB-protocol server, which writes to disk as a real one does."""
    server = testservers.start("mongodb", scratch / "file", heap_mb=HEAP_MB)
    running.append(server)
    return settings.model_copy(update={"mongodb_url": SecretStr(server.url)})


def _mongodb_load(settings: Settings, kind: str, scale: float) -> str:
    """Users and orders through the writer, and their ready-made documents through a bare `insert_many`."""
    counts = synthetic.sizes(scale)
    products = [p.model_copy(update={"description": []}) for p in synthetic.products(counts["products"])]
    rows = [row for batch in synthetic.users(counts["users"]) for row in batch]
    columns = list(synthetic.orders(counts))
    ids = [p.product_id for p in products], [row.user_id for row in rows]
    users = [user_document(row) for row in rows]
    orders = [one for some in columns for one in order_documents(some, *ids)]
    bare: Any = MongoClient(settings.mongodb_url.get_secret_value())
    database = bare["bench-bare"]

    def insert(size: int) -> None:
        for name, documents in (("users", users), ("orders", orders)):
            for some in batched(documents, size):
                database[name].insert_many(some, ordered=False)

    rounds = []
    for _ in range(ROUNDS):
        tried = []
        for size in (BATCH, 5 * BATCH):
            bare.drop_database("bench-bare")
            with collector_off():
                tried.append(_seconds(partial(insert, size)))
        theirs = min(tried)
        indexing = _seconds(
            lambda: [
                database[kind].create_index(keys) for kind in ("users", "orders") for keys in INDEXES[kind]
            ]
        )
        with shop_writer("servers:bench-load", settings, replace=True) as writer:
            writer.write_products(products)
            with collector_off():  # as ingest and copy write
                mine = _seconds(lambda: (writer.write_users([rows]), writer.write_orders(columns)))
        rounds.append((mine, theirs, indexing))
    bare.drop_database("bench-bare")
    bare.close()
    mine, theirs, indexing = (min(column) for column in zip(*rounds, strict=True))
    count = len(users) + len(orders)
    return (
        f"A MongoDB load {kind} makes, hashes, inserts, records and indexes {count / mine:,.0f} documents a second, "
        f"{(theirs + indexing) / mine:.2f} x a bare `insert_many` and the same indexes."
    )


def _whole_load(settings: Settings, running: list[testservers.Server], scale: float, heap_gb: int) -> None:
    counts = synthetic.sizes(scale)
    seconds: dict[str, float] = {}
    with shop_writer("servers:benchwhole", settings, replace=True) as writer:
        writes = {
            "products": writer.write_products,
            "users": writer.write_users,
            "orders": writer.write_orders,
        }
        for kind, make in _sources(counts).items():
            seconds[kind] = _seconds(partial(writes[kind], make()))
        empty = Manifest(backend="", as_of="", content_hash="", counts={})
        seconds["publish"] = _seconds(lambda: writer.publish(empty))
    peak = getrusage(RUSAGE_SELF).ru_maxrss / 1024
    with open_shop("servers:benchwhole", settings) as shop:
        checking = _seconds(lambda: _sound(shop.spec, settings))
    total = sum(seconds.values())
    documents = sum(counts.values()) + counts["products"]
    everything = sum(ALL[kind] / (counts[kind] / seconds[kind]) for kind in ALL) / 3600
    peaks = ", ".join(f"{server.kind} {_peak_mb(server):,.0f} MB" for server in running)
    record(
        "Servers: a whole load",
        f"{scale:g} of the paper's shop in one load, both test servers and the loader on one machine: {total:.0f} s, "
        f"{documents / total:,.0f} documents a second (a product counts twice: record and index). `drr shop check` of all of it took "
        f"{checking:.0f} s and found no problem. Peak memory: loader {peak:,.0f} MB, {peaks}. Extrapolated in proportion, not measured: "
        f"35.4M products, 54.5M users and 565M orders would take {everything:.1f} h of one loader, if the servers keep up.",
    )


def _sources(counts: dict[str, int]) -> dict[str, Callable[[], Iterator[Any]]]:
    return {
        "products": lambda: synthetic.products(counts["products"]),
        "users": lambda: iter(synthetic.users(counts["users"])),
        "orders": lambda: iter(synthetic.orders(counts)),
    }


def _sound(spec: str, settings: Settings) -> None:
    problems = list(check_shop(spec, settings))
    assert not problems, problems


def _peak_mb(server: testservers.Server) -> float:
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


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
    from drr.env.servers.catalog import _query
    from drr.env.text import query_words

    def bare_search(query: str) -> object:
        """Ask the server what a plain search asks it."""
        return client.search(
            index=name,
            query={"bool": _query(SearchRequest(query), query_words(query))},
            sort=[{"_score": {"order": "desc"}}, {"product_id": {"order": "asc"}}],
            size=10,
            track_total_hits=True,
            source=False,
            search_type="dfs_query_then_fetch",
        )

    def searching(name: SearchName) -> Callable[[str], object]:
        return lambda query: shop.catalog.search(SearchRequest(query, search=name))

    cases: list[tuple[str, Callable[[str], object], Callable[[str], object], list[str]]] = [
        ("product", store.product, lambda key: store.there["products"].find_one({"_id": key}), products),
        ("user", store.user, lambda key: store.there["users"].find_one({"_id": key}), users),
        ("order by id", store.order, lambda key: store.there["orders"].find_one({"_id": key}), orders),
        (
            "newest 20 orders",
            lambda key: store.orders(key, limit=20),
            lambda key: list(
                store.there["orders"].find({"user_id": key}).sort([("order_date", -1), ("_id", 1)]).limit(20)
            ),
            users,
        ),
        ("search, plain", searching("plain"), bare_search, short),
        ("search by fields, beside a plain one", searching("fields"), bare_search, short),
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
        rows.append((label, f"{mine:.3f}", f"{mine / bare:.2f}"))
    shop.close()
    return (
        "Calls, in milliseconds and beside the bare client, medians of three interleaved rounds:\n\n"
        + table(("call", "p50", "x"), rows)
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
        f"Top-10 overlap of the two backends on a catalogue of {count:,} products, 200 queries each: "
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
