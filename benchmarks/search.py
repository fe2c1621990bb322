"""The catalogue beside bare tantivy on the same index, for `plain` and for `fields`. The ranking of `plain` stands beside BM25.

    python -m benchmarks.search [--products 80000]

Bare tantivy gets ready-made words of the same queries, asks for them in the same fields with the same weights and filters, counts
the hits as a page of a search must, and fetches the stored ids.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import tantivy as tv
from drr.env.embedded.layout import INDEX, read_manifest
from drr.env.entities import Product
from drr.env.search.search_plan import WEIGHTS
from drr.env.settings import Settings
from drr.env.shop import Manifest, SearchName, SearchRequest, Shop, open_shop, shop_writer
from drr.env.text import category_key, tokens

from benchmarks import synthetic
from benchmarks.bm25 import Reference, overlap
from benchmarks.results import record, table

QUERIES = 400
PARITY = 200
_FIELDS: dict[SearchName, dict[str, float]] = {"plain": {"text": 1.0}, "fields": WEIGHTS}
"""What is searched, with its weights."""


def queries(titles: list[str], seed: int = 4) -> tuple[list[str], list[str]]:
    """Make short queries of 2-6 words of a title, and long ones of 8-12. The long ones have some of a title
    and the rest from the commonest words of all."""
    rng = random.Random(seed)
    glue = [word for word, _ in Counter(word for title in titles for word in tokens(title)).most_common(18)]
    short: list[str] = []
    long: list[str] = []
    while len(short) < QUERIES:
        words = tokens(rng.choice(titles))
        count = rng.randint(2, 6)
        if len(words) >= count:
            short.append(" ".join(rng.sample(words, count)))
    while len(long) < QUERIES:
        words = tokens(rng.choice(titles))
        count, own = rng.randint(8, 12), rng.randint(3, 5)
        if len(words) >= own:
            mixed = rng.sample(words, own) + [rng.choice(glue) for _ in range(count - own)]
            rng.shuffle(mixed)
            long.append(" ".join(mixed))
    return short, long


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--products", type=int, default=80_000)
    count = parser.parse_args().products
    products = list(synthetic.products(count))
    text_bytes = sum(map(_searched, products))
    short, long = queries([p.title for p in products[:: max(1, count // 5000)]])
    rng = random.Random(11)
    names = sorted({p.category for p in products})
    filters = [
        {
            "min_price": low,
            "max_price": low + rng.uniform(20, 60),
            "min_rating": rng.choice([3.0, 3.5, 4.0]),
            "category": rng.choice(names),
        }
        for low in (rng.uniform(3, 40) for _ in range(QUERIES))
    ]
    with tempfile.TemporaryDirectory(prefix="drr-search-") as scratch:
        folder = Path(scratch) / "shop"
        with shop_writer(str(folder), Settings()) as writer:
            writer.write_products(products)
            writer.write_users([])
            writer.write_orders([])
            manifest = writer.publish(Manifest(backend="", as_of="", content_hash="", counts={}))
        start = time.perf_counter()
        shop = open_shop(str(folder), Settings())
        shop.catalog.search(SearchRequest(short[0]))
        opened = (time.perf_counter() - start) * 1e3
        bare = _Bare(str(read_manifest(folder)[1] / INDEX))
        rows = [row for name in _FIELDS for row in _speed(shop, bare, name, short, long, filters)]
        parity = _parity(shop, products, short, long)
        shop.close()
    size = manifest.sizes["index"]
    record(
        "Search",
        f"{count:,} products, {text_bytes / 1e6:.0f} MB of text, index {size / 1e6:.1f} MB; opening it and the first query take "
        f"{opened:.1f} ms. {QUERIES} queries a row, in milliseconds, beside bare tantivy on the same index; medians of three "
        "interleaved rounds.\n\n"
        + table(("search", "queries", "p50", "p99", "x p50", "x p99"), rows)
        + f"\n\nThe top 10 of `plain` overlap with BM25 (Lucene form, k1 1.2, b 0.75, exact lengths), {PARITY} queries each: "
        + ", ".join(f"{name} {value:.3f}" for name, value in parity.items())
        + ".",
    )


def _searched(product: Product) -> int:
    """Characters of what is searched: the values of the details too."""
    texts = [product.title, product.store or "", *product.features, *product.description, *product.categories]
    return sum(map(len, [*texts, *(value for value in product.details.values() if isinstance(value, str))]))


def _speed(
    shop: Shop,
    bare: _Bare,
    search: SearchName,
    short: list[str],
    long: list[str],
    filters: list[dict[str, Any]],
) -> list[tuple[str, ...]]:
    rows = []
    nothing: list[dict[str, Any]] = [{}] * QUERIES
    for name, asked, conditions in (
        ("short", short, nothing),
        ("long", long, nothing),
        ("short, filtered", short, filters),
        ("long, filtered", long, filters),
    ):
        requests = [SearchRequest(q, **conditions[i], search=search) for i, q in enumerate(asked)]
        ready = [(list(dict.fromkeys(tokens(request.query))), request) for request in requests]
        calls = [
            (
                partial(shop.catalog.search, request),
                partial(bare.search, words, request),
            )
            for words, request in ready
        ]
        for words, request in ready:
            if search == "plain":
                assert bare.search(words, request) == shop.catalog.search(request).product_ids
        rounds = [_round(calls, first) for first in range(3)]
        a50, a99, b50, b99 = (sorted(x)[1] for x in zip(*rounds, strict=True))
        rows.append((search, name, f"{a50:.3f}", f"{a99:.3f}", f"{a50 / b50:.2f}", f"{a99 / b99:.2f}"))
    return rows


def _round(calls: Sequence[tuple[Callable[[], Any], ...]], first: int) -> list[float]:
    """p50 and p99 of each. Who asks first finds the index cold: they take turns."""
    walls: tuple[list[float], ...] = ([], [])
    for number, two in enumerate(calls):
        for turn in range(2):
            place = (first + number + turn) % 2
            start = time.perf_counter()
            two[place]()
            walls[place].append((time.perf_counter() - start) * 1e3)
    return [sorted(t)[len(t) * share // 100] for t in walls for share in (50, 99)]


class _Bare:
    def __init__(self, path: str) -> None:
        self.index = tv.Index.open(path)
        self.searcher: Any = self.index.searcher()
        self.schema = self.index.schema

    def search(self, words: list[str], request: SearchRequest) -> list[str]:
        schema, make, must = self.schema, tv.Query, tv.Occur.Must
        terms = [
            make.boost_query(make.term_query(schema, field, word, index_option="freq"), weight)
            if weight != 1
            else make.term_query(schema, field, word, index_option="freq")
            for word in words
            for field, weight in _FIELDS[request.search or "plain"].items()
        ]
        query = make.boolean_query([(tv.Occur.Should, term) for term in terms])
        if request.category is not None:
            price = make.range_query(
                schema, "price", tv.FieldType.Float, request.min_price, request.max_price
            )
            rating = make.range_query(schema, "rating", tv.FieldType.Float, request.min_rating, None)
            category = make.term_query(
                schema, "category", category_key(request.category), index_option="basic"
            )
            silent = make.const_score_query
            query = make.boolean_query(
                [(must, query), *((must, silent(f, 0.0)) for f in (price, rating, category))]
            )
        hits = self.searcher.search(query, 10, count=True).hits
        return [self.searcher.doc(address)["id"][0] for _, address in hits]


def _parity(shop: Shop, products: list[Product], short: list[str], long: list[str]) -> dict[str, float]:
    reference = Reference(products)
    request = SearchRequest("", limit=10, search="plain")
    return {
        name: mean(
            overlap(shop.catalog.search(replace(request, query=query)).product_ids, reference.top(query))
            for query in asked[:PARITY]
        )
        for name, asked in (("short", short), ("long", long))
    }


if __name__ == "__main__":
    main()
