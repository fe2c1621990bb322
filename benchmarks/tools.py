"""The tools. Measured are what an answer costs a model beside raw JSON, and what a call costs beside the store call it stands on."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from drr.data_ingest.ingest import Job, ingest
from drr.data_ingest.recipe import TEN, Recipe, find_pairs
from drr.data_ingest.sample import SamplePlan, write_sample
from drr.env.entities import Product
from drr.env.progress import Quiet
from drr.env.records.listing import product_page
from drr.env.session import Session
from drr.env.settings import Settings, resolve
from drr.env.shop import SearchRequest, Shop, open_shop
from drr.env.web.open import open_web
from drr.tools.arithmetic import ArithmeticProblem, evaluate
from drr.tools.base import ToolAnswer, ToolContext, context_for, product_source
from drr.tools.registry import TOOLS, call, call_sync

from benchmarks.results import machine, record, table

CALLS = 400
VOCABULARY = "o200k_base"
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


def tokens() -> Callable[[str], int] | None:
    """A real tokenizer, where tiktoken is installed and its vocabulary lies in its cache folder; nothing is downloaded."""
    if not os.environ.get("TIKTOKEN_CACHE_DIR") or find_spec("tiktoken") is None:
        return None
    encoding = import_module("tiktoken").get_encoding(VOCABULARY)
    return lambda text: len(encoding.encode_ordinary(text))


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


def tokens_table(shop: Shop, seeds: Sequence[str], web: Any, count: Callable[[str], int], unit: str) -> str:
    text: dict[str, list[int]] = {}
    raw: dict[str, list[int]] = {}
    signs: dict[str, list[int]] = {}
    for user_id in seeds:
        ctx = context_for(Session(shop, user_id), web)
        for name, arguments, _ in asked_of(shop, ctx, seed=7):
            if name in ("web_search", "calculator"):
                continue
            answer = call_sync(name, arguments, ctx)
            whole = raw_json(shop, name, answer.data)
            text.setdefault(name, []).append(count(answer.text))
            raw.setdefault(name, []).append(count(whole))
            signs.setdefault(name, []).append(len(answer.text) * 1000 // max(len(whole), 1))
    rows = [
        (
            name,
            len(text[name]),
            f"{median(text[name]):.0f}",
            f"{median(raw[name]):.0f}",
            f"{sum(text[name]) / sum(raw[name]):.2f}",
            f"{median(signs[name]) / 1000:.2f}",
        )
        for name in text
    ]
    total = sum(map(sum, text.values())) / sum(map(sum, raw.values()))
    rows.append(("all calls", sum(map(len, text.values())), "", "", f"{total:.2f}", ""))
    return table(("tool", "calls", unit, f"{unit} of raw JSON", "ratio", "ratio of characters"), rows)


def speed_table(shop: Shop, ctx: ToolContext) -> str:
    asked = [one for one in asked_of(shop, ctx, seed=11) if one[0] not in ("calculator", "web_search")]
    rows = [_speed_row("get_product_details, first look", *_first_looks(shop, ctx))]
    for name in dict.fromkeys(name for name, _, _ in asked):
        mine = [one for one in asked if one[0] == name]
        rows.append(_speed_row(name, *_timed(mine * (CALLS // len(mine) + 1), ctx)))
    rows.append(_web_row(ctx))
    return table(("tool", "bare p50 us", "tool p50 us", "x", "bare p99 us", "tool p99 us"), rows)


def _unseen(shop: Shop) -> list[Product]:
    """Products that nobody has looked at yet, or hardly any: twice as many as there are calls."""
    return Random(3).sample(list(shop.store.iter_products()), 2 * CALLS)


def _first_looks(shop: Shop, ctx: ToolContext) -> tuple[list[float], list[float]]:
    """Every product once, so that no page is a kept one: what the same call costs before anybody looked."""
    products = _unseen(shop)[:CALLS]
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


def parts_table(shop: Shop) -> str:
    """Show where the time of a first look goes."""
    times: dict[str, list[float]] = {}

    def timed(part: str, work: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        done = work()
        times.setdefault(part, []).append(time.perf_counter() - start)
        return done

    tool = TOOLS["get_product_details"]
    for seen in _unseen(shop)[CALLS:]:
        wanted = timed("check of the arguments", lambda p=seen: tool.parse({"product_id": p.product_id}))
        product = timed("the store's read", lambda w=wanted: shop.store.product(w["product_id"]))
        text = timed("setting the page", lambda p=product: product_page(p).text)
        source = timed("the source", lambda p=product, t=text: product_source(p, t))
        timed("the answer", lambda s=source: ToolAnswer(s.seen, [s], s.record))
    rows = [(part, f"{median(values) * 1e6:.1f}") for part, values in times.items()]
    return table(("part of a first look", "p50 us"), rows)


def _timed(asked: Sequence[Asked], ctx: ToolContext) -> tuple[list[float], list[float]]:
    """Now the one first and now the other: whoever comes second finds the record warm."""
    bare: list[float] = []
    tool: list[float] = []
    for k, (name, arguments, plain) in enumerate(asked[:CALLS]):
        turns = [(bare, plain), (tool, lambda n=name, a=arguments: call_sync(n, a, ctx))]
        for times, work in turns if k % 2 else turns[::-1]:
            times.append(_seconds(work))
    return bare, tool


def _web_row(ctx: ToolContext) -> tuple[str, ...]:
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

    return _speed_row("web_search (sandbox)", *asyncio.run(both()))


def _speed_row(name: str, bare: list[float], tool: list[float]) -> tuple[str, ...]:
    def at(values: list[float], share: float) -> float:
        return sorted(values)[int(len(values) * share)] * 1e6

    return (
        name,
        f"{at(bare, 0.5):.0f}",
        f"{at(tool, 0.5):.0f}",
        f"{at(tool, 0.5) / at(bare, 0.5):.2f}",
        f"{at(bare, 0.99):.0f}",
        f"{at(tool, 0.99):.0f}",
    )


def _seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


async def crowd(shop: Shop, ctx: ToolContext) -> tuple[float, float]:
    """A thousand calls at once: seconds for all, and milliseconds of one alone through the same door."""
    asked = asked_of(shop, ctx, seed=13)
    alone = []
    for name, arguments, _ in asked[:40]:
        start = time.perf_counter()
        await call(name, arguments, ctx)
        alone.append(time.perf_counter() - start)
    start = time.perf_counter()
    await asyncio.gather(*(call(*asked[k % len(asked)][:2], ctx) for k in range(1000)))
    return time.perf_counter() - start, median(alone) * 1000


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

    command = ["-m", "drr.app.cli", "mcp", "--shop", shop.spec, "--user", user_id]
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


ATTACKS = [
    "9**9**9",
    "(" * 100_000,
    "__import__('os')",
    "*".join(["(9**300)"] * 55),
    "1/" * 249 + "7",
    "+".join(["(1/3**500)"] * 45),
]


def worst_attack() -> float:
    worst = 0.0
    for attack in ATTACKS:
        start = time.perf_counter()
        with suppress(ArithmeticProblem):
            evaluate(attack)
        worst = max(worst, time.perf_counter() - start)
    return worst * 1000


def main() -> None:
    settings = resolve().settings
    with sample_shop(settings) as shop:
        web = open_web(settings, shop=shop)
        users = shop.store.sample_users(20, seed=7, min_orders=3)
        ctx = context_for(Session(shop, users[0]), web)
        for name, arguments, _ in asked_of(shop, ctx, seed=1):
            call_sync(name, arguments, ctx)
        speed, parts = speed_table(shop, ctx), parts_table(shop)
        counts = shop.manifest.counts
        everyone, alone = asyncio.run(crowd(shop, ctx))
        here, there = asyncio.run(way(ctx))
        calculator, search = asyncio.run(round_trips(shop, users[0], settings))
        real = []
        if exact := tokens():
            real = [
                f"The same in tokens of a real vocabulary ({VOCABULARY}). What stays above 0.4 are answers that are nothing but"
                " facts, each said once: the raw JSON's names and repeated ids are all that can be saved.",
                tokens_table(shop, users, web, exact, "tokens"),
            ]
        sections = [
            f"The sample shop ({counts['products']:,} products, {counts['users']:,} users, {counts['orders']:,} orders;"
            f" {machine()}).",
            "Cost to a model beside the raw JSON of the same records, counted without a tokenizer (`pieces` in the"
            " benchmark). Sessions of 20 users.",
            tokens_table(shop, users, web, pieces, "pieces"),
            *real,
            f"Time of a call with checks and text, beside the bare store or search calls it stands on, interleaved,"
            f" {CALLS} calls each. A product's page is kept once it was set; its first look is a row of its own.",
            speed,
            f"These are `call_sync`. `call`, as agents and MCP use it, gives each call a thread and a deadline, whatever the"
            f" tool: the calculator's `1+1` takes {here:.0f} us here and {there:.0f} us there.",
            "A first look, part by part. Setting a page is some sixty small steps on strings (is this detail, this sentence"
            " said above? is anything invisible?), and the embedded store reads a whole product in less than that. Beside"
            " the servers' read of 120 us (section Servers) the same look is about 1.2x.",
            parts,
            f"1,000 calls at once, each with its deadline: {everyone:.2f} s, no error; one such call alone has p50"
            f" {alone:.2f} ms. MCP over stdio, round trip p50: calculator {calculator:.1f} ms, search {search:.1f} ms."
            f" The slowest of {len(ATTACKS)} attacks on the calculator: {worst_attack():.1f} ms.",
        ]
        record("Tools", "\n\n".join(sections))


if __name__ == "__main__":
    main()
