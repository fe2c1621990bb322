"""The tools. Measured are what an answer costs a model beside raw JSON, and what a call costs beside the store call it stands on."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from drr.data_ingest.ingest import Job, ingest
from drr.data_ingest.recipe import TEN, Recipe, find_pairs
from drr.data_ingest.sample import SamplePlan, write_sample
from drr.env.progress import Quiet
from drr.env.session import Session
from drr.env.settings import Settings, resolve
from drr.env.shop import SearchRequest, Shop, open_shop
from drr.env.web.open import open_web
from drr.tools.base import ToolContext, context_for
from drr.tools.registry import call, call_sync

from benchmarks.results import record, table

CALLS = 400
_PIECE = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")


def pieces(text: str) -> int:
    """Count about what a byte-pair tokenizer makes of English, JSON and ids. A word is one piece and one more
    for every five letters beyond the fifth, digits go by threes, every mark counts."""
    count = 0
    for piece in _PIECE.findall(text):
        if piece[0].isalpha():
            count += 1 + (len(piece) - 1) // 5
        elif piece[0].isdigit():
            count += 1 + (len(piece) - 1) // 3
        else:
            count += 1
    return count


@contextmanager
def sample_shop(settings: Settings) -> Iterator[Shop]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_sample(folder / "raw", SamplePlan(), Quiet())
        pairs = find_pairs(folder / "raw", TEN, chosen=False)
        recipe = Recipe(categories=tuple(pair.category for pair in pairs))
        ingest(Job(str(folder / "shop"), pairs, recipe, folder / "quarantine.jsonl"), settings, Quiet())
        with open_shop(str(folder / "shop"), settings) as shop:
            yield shop


Asked = tuple[str, dict[str, Any], Callable[[], Any]]
"""A tool, its arguments, and the bare calls it stands on."""


def asked_of(shop: Shop, ctx: ToolContext, seed: int) -> list[Asked]:
    random = Random(seed)
    store = shop.store
    user_id = ctx.session.user_id or ""
    products = list(store.iter_products())
    titles = [product.title for product in random.sample(products, 40)]
    queries = [" ".join(random.sample(title.split(), min(3, len(title.split())))) for title in titles]
    orders = store.orders(user_id, limit=20).items

    def search(query: str) -> Any:
        return store.products(shop.catalog.search(SearchRequest(query)).product_ids)

    def history() -> Any:
        page = store.orders(user_id, limit=20)
        return store.products(list(dict.fromkeys(order.product_id for order in page.items)))

    def one(order_id: str) -> Any:
        order = store.order(order_id)
        return order and (store.product(order.product_id), store.user(user_id))

    asked: list[Asked] = []
    asked += [("product_catalog_search", {"query": q}, lambda q=q: search(q)) for q in queries]
    asked += [
        ("get_product_details", {"product_id": p.product_id}, lambda p=p: store.product(p.product_id))
        for p in random.sample(products, 40)
    ]
    asked.append(("get_user_orders", {}, history))
    asked += [("get_order_details", {"order_id": o.order_id}, lambda o=o: one(o.order_id)) for o in orders]
    asked.append(("get_user_profile", {}, lambda: store.user(user_id)))
    asked.append(("get_user_statistics", {}, lambda: store.statistics(user_id)))
    asked += [
        ("web_search", {"query": q}, lambda q=q: asyncio.run(ctx.web.search(q, 5)))
        for q in ("winter birds of Oklahoma", "how to size a dog ramp", "water intake of a cat")
    ]
    asked.append(("calculator", {"expression": "(43.99 + 2*12.50) * 1.08"}, lambda: None))
    return asked


def raw_json(shop: Shop, name: str, data: Any) -> str:
    """The records an answer speaks of, as the JSON that a plain wrapper around the store would return."""
    store = shop.store

    def product(product_id: str) -> Any:
        found = store.product(product_id)
        return found and found.document()

    def order(order_id: str) -> Any:
        found = store.order(order_id)
        return found and {**found.document(), "product": product(found.product_id)}

    if name == "product_catalog_search":
        return json.dumps([product(item["product_id"]) for item in data["items"]])
    if name == "get_user_orders":
        return json.dumps([order(item["order_id"]) for item in data["items"]])
    if name == "get_order_details":
        return json.dumps({**order(data["order_id"]), "customer": data["customer"]})
    return json.dumps(data)


def share_of_raw(shop: Shop, seeds: Sequence[str], web: Any) -> dict[str, str]:
    """Return the pieces of answers beside those of raw JSON, by tool and in all."""
    text, raw = Counter[str](), Counter[str]()
    for user_id in seeds:
        ctx = context_for(Session(shop, user_id), web)
        for name, arguments, _ in asked_of(shop, ctx, seed=7):
            if name in ("web_search", "calculator"):
                continue
            answer = call_sync(name, arguments, ctx)
            for one in (name, "all calls"):
                text[one] += pieces(answer.text)
                raw[one] += pieces(raw_json(shop, name, answer.data))
    return {name: f"{text[name] / raw[name]:.2f}" for name in text}


def speed_rows(shop: Shop, ctx: ToolContext) -> dict[str, tuple[str, str]]:
    """Return p50 of a tool's calls, and beside bare calls, by tool."""
    asked = [one for one in asked_of(shop, ctx, seed=11) if one[0] not in ("calculator", "web_search")]
    rows = {"get_product_details, first look": _speeds(*_first_looks(shop, ctx))}
    for name in dict.fromkeys(name for name, _, _ in asked):
        mine = [one for one in asked if one[0] == name]
        rows[name] = _speeds(*_timed(mine * (CALLS // len(mine) + 1), ctx))
    return {**rows, "web_search (sandbox)": _web_speeds(ctx)}


def _first_looks(shop: Shop, ctx: ToolContext) -> tuple[list[float], list[float]]:
    """Every product once, so that no page is a kept one: what the same call costs before anybody looked."""
    products = Random(3).sample(list(shop.store.iter_products()), CALLS)
    return _timed(
        [
            (
                "get_product_details",
                {"product_id": p.product_id},
                lambda p=p: shop.store.product(p.product_id),
            )
            for p in products
        ],
        ctx,
    )


def _timed(asked: Sequence[Asked], ctx: ToolContext) -> tuple[list[float], list[float]]:
    """Now the one first and now the other: whoever comes second finds the record warm."""
    bare: list[float] = []
    tool: list[float] = []
    for k, (name, arguments, plain) in enumerate(asked[:CALLS]):
        turns = [(bare, plain), (tool, lambda n=name, a=arguments: call_sync(n, a, ctx))]
        for times, work in turns if k % 2 else turns[::-1]:
            times.append(_seconds(work))
    return bare, tool


def _web_speeds(ctx: ToolContext) -> tuple[str, str]:
    async def both() -> tuple[list[float], list[float]]:
        bare, tool = [], []
        for k in range(CALLS):
            query = ("winter birds of Oklahoma", "how to size a dog ramp", "water intake of a cat")[k % 3]
            start = time.perf_counter()
            await ctx.web.search(query, 5)
            middle = time.perf_counter()
            await call("web_search", {"query": query}, ctx)
            bare.append(middle - start)
            tool.append(time.perf_counter() - middle)
        return bare, tool

    return _speeds(*asyncio.run(both()))


def _speeds(bare: list[float], tool: list[float]) -> tuple[str, str]:
    return f"{median(tool) * 1e6:.0f}", f"{median(tool) / median(bare):.2f}"


def _seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


async def crowd(shop: Shop, ctx: ToolContext) -> float:
    """A thousand calls at once: seconds for all."""
    asked = asked_of(shop, ctx, seed=13)
    start = time.perf_counter()
    await asyncio.gather(*(call(*asked[k % len(asked)][:2], ctx) for k in range(1000)))
    return time.perf_counter() - start


async def way(ctx: ToolContext) -> tuple[float, float]:
    """Microseconds of a call that does next to nothing: right here, and in its own thread with a deadline."""
    asked: tuple[str, dict[str, Any]] = ("calculator", {"expression": "1+1"})
    here, there = [], []
    for _ in range(CALLS):
        start = time.perf_counter()
        call_sync(*asked, ctx)
        middle = time.perf_counter()
        await call(*asked, ctx)
        here.append(middle - start)
        there.append(time.perf_counter() - middle)
    return median(here) * 1e6, median(there) * 1e6


async def round_trips(shop: Shop, user_id: str, settings: Settings) -> tuple[float, float]:
    """Milliseconds of a call over stdio, p50: the calculator (nothing but the way) and a search."""
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters

    command = ["-m", "drr.app.cli", "tools", "mcp", "--shop", shop.spec, "--user", user_id]
    command += ["--sandbox", str(settings.sandbox)] if settings.sandbox else []
    async with Client(StdioServerParameters(command=sys.executable, args=command)) as client:
        times: dict[str, list[float]] = {}
        for _ in range(200):
            for name, arguments in (
                ("calculator", {"expression": "1+1"}),
                ("product_catalog_search", {"query": "dog"}),
            ):
                start = time.perf_counter()
                await client.call_tool(name, arguments)
                times.setdefault(name, []).append(time.perf_counter() - start)
    return median(times["calculator"]) * 1000, median(times["product_catalog_search"]) * 1000


def main() -> None:
    settings = resolve().settings
    with sample_shop(settings) as shop:
        web = open_web(settings, shop=shop)
        users = shop.store.sample_users(20, seed=7, min_orders=3)
        ctx = context_for(Session(shop, users[0]), web)
        for name, arguments, _ in asked_of(shop, ctx, seed=1):
            call_sync(name, arguments, ctx)
        pieces_of, speed = share_of_raw(shop, users, web), speed_rows(shop, ctx)
        counts = shop.manifest.counts
        everyone = asyncio.run(crowd(shop, ctx))
        here, there = asyncio.run(way(ctx))
        calculator, search = asyncio.run(round_trips(shop, users[0], settings))
        rows = [(name, pieces_of.pop(name, ""), *times) for name, times in speed.items()]
        record(
            "Tools",
            f"The sample shop ({counts['products']:,} products, {counts['users']:,} users, {counts['orders']:,} orders). `x raw JSON` is "
            "what an answer costs a model beside the raw JSON of the same records, in sessions of 20 users, counted without a tokenizer; "
            "`x bare` is a call's time beside the bare store or search calls under it. What was set is kept while the "
            "shop is open, so a tool can be faster than the bare calls; a product's first look has a row of its own.\n\n"
            + table(
                ("tool", "x raw JSON", "p50 us", "x bare"),
                [*rows, *((*one, "", "") for one in pieces_of.items())],
            )
            + f"\n\nThese are `call_sync`; `call`, which agents and MCP use, gives each call a thread and a deadline: the calculator's `1+1` "
            f"takes {there:.0f} us there and {here:.0f} us here. 1,000 calls at once took {everyone:.2f} s without an error. MCP over stdio, "
            f"round trip p50: calculator {calculator:.1f} ms, search {search:.1f} ms.",
        )


if __name__ == "__main__":
    main()
