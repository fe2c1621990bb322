"""What an ingest must give, the slow and obvious way: one parser, dicts, lists, no shortcut."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from drr.data_ingest.recipe import Recipe


class Row(NamedTuple):
    user: str
    item: str
    time: int
    rating: float
    parsed: dict[str, Any]


class Expected(NamedTuple):
    products: dict[str, dict[str, Any]]
    """Raw metadata rows by product id, with the category they came from under `_category`."""
    orders: list[tuple[str, str, str]]
    """User, product, date; sorted."""
    users: list[str]
    rows: dict[str, int]
    quarantined: dict[str, int]
    as_of: str


class Bad(Exception):
    pass


def lines_of(path: Path, limit: int | None = None) -> list[bytes]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [one for one in data.removesuffix(b"\n").split(b"\n")[:limit] if one.strip()]


def mended(value: Any) -> Any:
    if isinstance(value, str):
        return "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in value if c != "\0")
    if isinstance(value, list):
        return [mended(item) for item in value]
    if isinstance(value, dict):
        return {mended(name): mended(item) for name, item in value.items()}
    return value


def parsed(line: bytes) -> dict[str, Any]:
    def refuse(name: str) -> None:
        raise ValueError(name)

    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise Bad("not_utf8") from None
    try:
        row = json.loads(text.replace("\0", ""), parse_constant=refuse)
    except (ValueError, RecursionError):
        raise Bad("broken_json") from None
    if not isinstance(row, dict):
        raise Bad("not_an_object")
    row = mended(row)
    names = {"sortTimestamp": "timestamp", "sort_timestamp": "timestamp", "helpfulVotes": "helpful_vote"}
    return {names.get(name, name): value for name, value in row.items()}


def review_of(line: bytes) -> Row:
    row = parsed(line)
    for name in ("user_id", "parent_asin", "timestamp", "rating"):
        if row.get(name) is None or row[name] == "":
            raise Bad(f"missing_{name}")
    user, item, time, rating = (row[name] for name in ("user_id", "parent_asin", "timestamp", "rating"))
    if not isinstance(user, str) or not isinstance(item, str):
        raise Bad("wrong_type")
    if isinstance(time, float) and time.is_integer():
        time = int(time)
    if isinstance(time, bool) or not isinstance(time, int):
        raise Bad("wrong_type")
    if isinstance(rating, bool) or not isinstance(rating, (int, float)):
        raise Bad("wrong_type")
    if not 788_918_400_000 <= time <= 9_999_999_999_999:
        raise Bad("timestamp_out_of_range")
    return Row(user, item, time, float(rating), row)


def meta_of(line: bytes) -> dict[str, Any]:
    row = parsed(line)
    if not row.get("parent_asin"):
        raise Bad("missing_parent_asin")
    for name in ("features", "description", "categories"):
        value = row.get(name)
        if value is not None and not (isinstance(value, list) and all(isinstance(v, str) for v in value)):
            raise Bad("wrong_type")
    return row


def iso(time: int) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=time)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time % 1000:03d}"


@cache
def expected(raw: Path, recipe: Recipe) -> Expected:
    products: dict[str, dict[str, Any]] = {}
    orders: list[tuple[str, str, str]] = []
    rows: Counter[str] = Counter()
    quarantined: Counter[str] = Counter()
    for category in recipe.categories:
        reviews: list[Row] = []
        alike: dict[Any, list[dict[str, Any]]] = {}
        path = raw / "raw" / "review_categories" / f"{category}.jsonl.gz"
        for line in lines_of(path, recipe.limit_reviews):
            rows["reviews"] += 1
            try:
                row = review_of(line)
            except Bad as error:
                quarantined[str(error)] += 1
                rows["quarantined"] += 1
                continue
            others = alike.setdefault(row[:4], [])
            if row.parsed in others:
                rows["duplicates"] += 1
            else:
                others.append(row.parsed)
                reviews.append(row)
        recent = Counter(row.item for row in reviews if row.time >= recipe.since_ms)
        metas: dict[str, dict[str, Any]] = {}
        for line in lines_of(raw / "raw" / "meta_categories" / f"meta_{category}.jsonl.gz"):
            try:
                raw_product = meta_of(line)
            except Bad as error:
                quarantined[str(error)] += 1
                continue
            metas.setdefault(raw_product["parent_asin"], {**raw_product, "_category": category})
        qualified = [name for name in metas if recent[name] >= recipe.min_reviews and name not in products]
        kept = set(_ranked(qualified, recipe, reviews, recent)[: recipe.max_products])
        products |= {name: metas[name] for name in qualified if name in kept}
        for row in reviews:
            if row.item in kept and (recipe.orders == "all" or row.time >= recipe.since_ms):
                orders.append((row.user, row.item, iso(row.time)))
                rows["orders"] += 1
            else:
                rows["not_selected"] += 1
    last = max(datetime.fromisoformat(date) for _, _, date in orders)
    return Expected(
        products,
        sorted(orders),
        sorted({user for user, _, _ in orders}),
        dict(rows),
        dict(quarantined),
        (last + timedelta(days=1)).date().isoformat(),
    )


def _ranked(names: list[str], recipe: Recipe, reviews: list[Row], recent: Counter[str]) -> list[str]:
    if recipe.pick == "meta-prefix":
        return names
    if recipe.pick == "top":
        return sorted(names, key=lambda name: (-recent[name], name))
    if recipe.pick == "random":
        return sorted(
            names, key=lambda name: blake2b(f"{recipe.seed}/{name}".encode(), digest_size=8).digest()
        )
    first: dict[str, int] = {}
    for at, row in enumerate(reviews):
        first.setdefault(row.item, at)
    return sorted(names, key=lambda name: first[name])


def shuffled(rows: list[Any], seed: int) -> list[Any]:
    rows = list(rows)
    random.Random(seed).shuffle(rows)
    return rows
