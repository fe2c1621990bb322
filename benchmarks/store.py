"""The embedded store: load beside a bare `executemany`, and its reads beside the bare SQL on the same file.

python -m benchmarks.store [--scale 1.0]       1.0 is the paper's shop: 80k products, 1.8M users, 4.3M orders
"""

from __future__ import annotations

import argparse
import random
import resource
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import orjson
from drr.env.embedded.layout import DATABASE, ORDER_INDEX, PRODUCT_INDEX, TABLES, USER_INDEXES, read_manifest
from drr.env.embedded.store import EmbeddedStore, lookup_key
from drr.env.embedded.writer import _document
from drr.env.settings import Settings
from drr.env.shop import Manifest, open_shop, shop_writer

from benchmarks import synthetic
from benchmarks.results import record, table

CALLS = 3000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=float, default=0.1)
    scale = parser.parse_args().scale
    with tempfile.TemporaryDirectory(prefix="drr-store-") as scratch:
        folder = Path(scratch) / "shop"
        loads, manifest = _load(folder, scale)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        bare = _bare_load(Path(scratch) / "bare.sqlite", scale)
        reads = _reads(folder)
    whole = sum(loads.values())
    counts = ", ".join(f"{count:,} {name}" for name, count in manifest.counts.items())
    text = (
        f"{counts}. The load took {whole:.1f} s, {whole / bare:.2f} x a bare `executemany` of the same rows ({bare:.1f} s); SQLite "
        f"{manifest.sizes[DATABASE] / 1e6:,.0f} MB, index {manifest.sizes['index'] / 1e6:,.0f} MB, peak memory {peak:,.0f} MiB, "
        "generator included. Warm reads, in microseconds and beside the bare SQL on the same file, medians of three rounds.\n\n"
        + table(("read", "p50", "p99", "x p50", "x p99"), reads)
    )
    record("Embedded store", text)


def _load(folder: Path, scale: float) -> tuple[dict[str, float], Manifest]:
    """Rows are made outside the clock."""
    counts = synthetic.sizes(scale)
    rows = (list(synthetic.products(counts["products"])), list(synthetic.users(counts["users"])))
    orders = list(synthetic.orders(counts))
    seconds: dict[str, float] = {}

    def timed(name: str, call: Callable[[], object]) -> None:
        start = time.perf_counter()
        call()
        seconds[name] = time.perf_counter() - start

    with shop_writer(str(folder), Settings()) as writer:
        timed("products, search index", lambda: writer.write_products(rows[0]))
        timed("users", lambda: writer.write_users(rows[1]))
        timed("orders", lambda: writer.write_orders(orders))
        timed(
            "publish (fsync, manifest)",
            lambda: writer.publish(Manifest(backend="", as_of="", content_hash="", counts={})),
        )
    return seconds, read_manifest(folder)[0]


def _bare_load(path: Path, scale: float) -> float:
    """The same rows into the same tables and indexes, ready-made; no search index, no content hash, no checks."""
    counts = synthetic.sizes(scale)
    products = [
        (k, p.product_id, p.price, p.category, p.store, _document(p))
        for k, p in enumerate(synthetic.products(counts["products"]))
    ]
    users = [
        (k, *row, lookup_key(row.email), lookup_key(row.first_name, row.last_name))
        for k, row in enumerate(row for batch in synthetic.users(counts["users"]) for row in batch)
    ]
    orders = [
        list(zip(*(columns[i].tolist() for i in (2, 3, 0, 1, 4, 5)), strict=True))
        for columns in synthetic.orders(counts)
    ]
    database = sqlite3.connect(path, isolation_level=None)
    database.executescript(
        "pragma journal_mode=off; pragma synchronous=off; pragma cache_size=-131072;" + TABLES
    )
    start = time.perf_counter()
    database.execute("begin")
    database.executemany("insert into product values(?,?,?,?,?,?)", products)
    database.executemany("insert into user values(?,?,?,?,?,?,?,?,?,?,?,?,?,?)", users)
    for batch in orders:
        database.executemany("insert into purchase values(?,?,?,?,?,?)", batch)
    for statement in (PRODUCT_INDEX, *USER_INDEXES, ORDER_INDEX):
        database.execute(statement)
    database.execute("commit")
    seconds = time.perf_counter() - start
    database.close()
    return seconds


def _reads(folder: Path) -> list[tuple[str, ...]]:
    """Users are drawn by order, so heavy ones are common."""
    rng = random.Random(3)
    shop = open_shop(str(folder), Settings())
    store = shop.store
    assert isinstance(store, EmbeddedStore)
    bare = sqlite3.connect(
        f"{(read_manifest(folder)[1] / DATABASE).as_uri()}?mode=ro&immutable=1",
        uri=True,
        isolation_level=None,
    )
    bare.execute("pragma mmap_size=8000000000")
    execute = bare.execute
    n = shop.manifest.counts
    products = [f"B{rng.randrange(n['products']):09d}" for _ in range(CALLS)]
    users = [f"A{rng.randrange(n['users']):027d}" for _ in range(CALLS)]
    drawn = execute(
        "select u.id, o.id from purchase o join user u on u.k = o.user_k where o.id % 97 = 3 limit 200000"
    ).fetchall()
    pairs = [rng.choice(drawn) for _ in range(CALLS)]
    owners, order_keys = [p[0] for p in pairs], [p[1] for p in pairs]
    order_ids = [f"{key:016d}" for key in order_keys]
    joined = " from purchase o join product p on p.k = o.product_k where o.user_k = (select k from user where id = ?)"
    cases: list[tuple[str, Callable[[str], object], list[str], Callable[[object], object], list[object]]] = [
        (
            "product",
            store.product,
            products,
            lambda key: orjson.loads(
                execute("select id, doc from product where id = ?", (key,)).fetchone()[1]
            ),
            list(products),
        ),
        (
            "user",
            store.user,
            users,
            lambda key: execute("select * from user where id = ?", (key,)).fetchone(),
            list(users),
        ),
        (
            "order by id",
            store.order,
            order_ids,
            lambda key: execute(
                "select o.*, u.id, p.id from purchase o join user u on u.k = o.user_k join product p on p.k = o.product_k "
                "where o.id = ?",
                (key,),
            ).fetchone(),
            list(order_keys),
        ),
        (
            "newest 20 orders",
            lambda key: store.orders(key, limit=20),
            owners,
            lambda key: execute(
                f"select o.*, p.id{joined} order by o.ts desc, o.id limit 20", (key,)
            ).fetchall(),
            list(owners),
        ),
        (
            "statistics",
            store.statistics,
            owners,
            lambda key: execute(f"select o.*, p.price, p.category, p.store{joined}", (key,)).fetchall(),
            list(owners),
        ),
    ]
    rows = []
    for name, ours, keys, theirs, bare_keys in cases:
        a, b = _paired(ours, keys, theirs, bare_keys)
        rows.append(
            (name, *(f"{x:.1f}" for x in a), f"{a[0] / b[0]:.2f}", f"{a[1] / b[1]:.2f}"),
        )
    shop.close()
    bare.close()
    return rows


def _paired(
    ours: Callable[[str], object],
    keys: list[str],
    theirs: Callable[[object], object],
    bare_keys: list[object],
) -> tuple[tuple[float, float], tuple[float, float]]:
    rounds: list[tuple[float, float, float, float]] = []
    for _ in range(3):
        times: tuple[list[float], list[float]] = ([], [])
        for key, bare_key in zip(keys, bare_keys, strict=True):
            for sink, call, argument in ((times[1], theirs, bare_key), (times[0], ours, key)):
                start = time.perf_counter()
                call(argument)  # type: ignore[operator]
                sink.append((time.perf_counter() - start) * 1e6)
        mine, bare = sorted(times[0]), sorted(times[1])
        at = len(mine)
        rounds.append((mine[at // 2], mine[at * 99 // 100], bare[at // 2], bare[at * 99 // 100]))
    middle = [sorted(column)[1] for column in zip(*rounds, strict=True)]
    return (middle[0], middle[1]), (middle[2], middle[3])


if __name__ == "__main__":
    main()
