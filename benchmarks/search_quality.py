"""The finds of the catalogue's searches for judged queries (`benchmarks/judged.py`), for each kind of query and each order.

    python -m benchmarks.search_quality

Beside ours stand bare tantivy (its English stems) and, with `--servers` (`DRR_ELASTICSEARCH_URL`), bare Elasticsearch `multi_match` (its
standard analyser, which has no stems), both over title, features and description.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import tantivy as tv
from drr.data_ingest.ingest import Job, ingest
from drr.data_ingest.recipe import TEN, Recipe, find_pairs
from drr.data_ingest.sample import SamplePlan, write_sample
from drr.env.entities import Product
from drr.env.progress import Quiet
from drr.env.settings import Settings
from drr.env.shop import SearchName, SearchRequest, Shop, open_shop

from benchmarks.judged import KINDS, Judged, Truth, judged
from benchmarks.ranking import SORTS, Search, by_kind
from benchmarks.results import record, table

PLAN = SamplePlan(products=3000, users=800, reviews=48_000, seed=7)
NAMES: tuple[SearchName, ...] = ("plain", "fields", "hybrid")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--servers", action="store_true", help="also Elasticsearch, at the settings' address")
    parser.add_argument("--embedder", default="offline", help="of the search `hybrid`")
    arguments = parser.parse_args()
    with_servers, settings = arguments.servers, Settings(search="hybrid", model_embedder=arguments.embedder)
    with tempfile.TemporaryDirectory(prefix="drr-quality-") as scratch:
        spec = _make_shop(Path(scratch), settings)
        with open_shop(spec, settings) as shop:
            products = list(shop.store.iter_products())
            queries = judged(Truth.of(products, PLAN))
            searches: dict[str, Search] = {"tantivy, bare": _bare_tantivy(products)}
            if with_servers:
                searches["Elasticsearch, bare"] = _bare_elasticsearch(products)
            for name in NAMES:
                searches[name] = _ours(shop, name)
            text = _report(searches, queries, len(products))
            (record("Search quality", text) if arguments.embedder == "offline" else print(text))


def _make_shop(folder: Path, settings: Settings) -> str:
    write_sample(folder / "raw", PLAN, Quiet())
    pairs = find_pairs(folder / "raw", TEN, chosen=False)
    spec = str(folder / "shop")
    recipe = Recipe(categories=tuple(pair.category for pair in pairs))
    ingest(Job(spec, pairs, recipe, folder / "quarantine.jsonl"), settings, Quiet())
    return spec


def _report(searches: dict[str, Search], queries: Sequence[Judged], products: int) -> str:
    held = [one for one in queries if one.held]
    found = {name: by_kind(search, queries) for name, search in searches.items()}
    rows = [(kind, *(f"{found[name][kind].ndcg:.2f}" for name in searches)) for kind in (*KINDS, "all")]
    apart = [f"{by_kind(search, held)['all'].ndcg:.2f}" for search in searches.values()]
    sorted_ = [by_kind(searches["fields"], queries, sort)["all"].precision for sort in SORTS]
    return (
        f"nDCG@10 of {len(queries)} judged queries over {products:,} products of the sample shop; 1 is a perfect ranking. The list of "
        f"synonyms was written by somebody who knew the shop, so that row flatters. {len(held)} queries were held out of all tuning.\n\n"
        + table(("kind", *searches), [*rows, ("all, held out", *apart)])
        + f"\n\nOrdered by price, rating or popularity `fields` keeps a precision at 5 of {min(sorted_):.2f} or more."
    )


def _ours(shop: Shop, name: SearchName) -> Search:
    def search(query: str, sort: str) -> Sequence[str]:
        request = SearchRequest(query[:300], sort=sort, search=name)  # type: ignore[arg-type]
        return shop.catalog.search(request).product_ids

    return search


def _texts(product: Product) -> dict[str, str]:
    return {
        "title": product.title,
        "features": "\n".join(product.features),
        "description": "\n".join(product.description),
    }


def _bare_tantivy(products: Sequence[Product]) -> Search:
    builder = tv.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw")
    for field in ("title", "features", "description"):
        builder.add_text_field(field, tokenizer_name="en_stem")
    index = tv.Index(builder.build())
    writer = index.writer(num_threads=1)
    for product in products:
        writer.add_document(tv.Document(id=product.product_id, **_texts(product)))
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def search(query: str, sort: str) -> Sequence[str]:
        parsed, _ = index.parse_query_lenient(query, ["title", "features", "description"])
        return [searcher.doc(address)["id"][0] for _, address in searcher.search(parsed, 10).hits]

    return search


def _bare_elasticsearch(products: Sequence[Product]) -> Search:
    from drr.env.servers.connect import Servers
    from drr.env.settings import resolve

    client = Servers(resolve().settings).search
    name = "drr-bench-search-quality"
    client.indices.delete(index=name, ignore_unavailable=True)
    fields = {field: {"type": "text"} for field in ("title", "features", "description")}
    client.indices.create(index=name, mappings={"properties": fields})
    for first in range(0, len(products), 500):
        operations: list[dict[str, object]] = []
        for product in products[first : first + 500]:
            operations += [{"index": {"_id": product.product_id}}, dict(_texts(product))]
        client.bulk(index=name, operations=operations)
    client.indices.refresh(index=name)

    def search(query: str, sort: str) -> Sequence[str]:
        asked = {"multi_match": {"query": query, "fields": list(fields)}}
        return [hit["_id"] for hit in client.search(index=name, query=asked, size=10)["hits"]["hits"]]

    return search


if __name__ == "__main__":
    main()
