"""The whole ingest against the slow, obvious one: every product, every order, every count."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from drr.data_ingest.recipe import TEN, Recipe, in_official_order
from drr.data_ingest.sample import SamplePlan, write_sample
from drr.env.progress import Quiet
from drr.env.settings import Settings
from drr.env.shop import Shop, check_shop, open_shop

from tests.cases import cases
from tests.ingest.conftest import CATEGORIES, Ingest
from tests.ingest.raw import messy_metas, messy_reviews, product_id, write_pair
from tests.sizes import mostly_at_night

RECIPES: list[dict[str, Any]] = cases("ingest", "RECIPES")


def orders_of(shop: Shop) -> list[tuple[str, str, str]]:
    return sorted((o.user_id, o.product_id, o.order_date) for o in shop.store.iter_orders())


@pytest.mark.parametrize(
    "options",
    mostly_at_night(RECIPES, lambda o: "seed" in o or "since" in o),
    ids=lambda o: " ".join(f"{k}={v}" for k, v in o.items()) or "default",
)
@pytest.mark.parametrize(
    "block",
    [pytest.param(1 << 20, id="one block", marks=pytest.mark.long), pytest.param(40_000, id="many blocks")],
)
def test_ingest_equals_the_reference(
    messy: Path, run_ingest: Ingest, tmp_path: Path, options: dict[str, Any], block: int
) -> None:
    manifest = run_ingest(messy, block=block, **options)
    want = expected(messy, Recipe(**{"categories": CATEGORIES, "min_reviews": 3, **options}))
    assert {k: manifest.rows[k] for k in want.rows} == want.rows
    assert manifest.quarantined == want.quarantined
    assert manifest.as_of == want.as_of
    with open_shop(str(tmp_path / "shop"), Settings()) as shop:
        assert [p.product_id for p in shop.store.iter_products()] == sorted(want.products)
        assert {p.product_id: p.category for p in shop.store.iter_products()} == {
            name: row["_category"] for name, row in want.products.items()
        }
        assert [u.user_id for u in shop.store.iter_users()] == want.users
        assert orders_of(shop) == want.orders
    assert list(check_shop(str(tmp_path / "shop"), Settings())) == []


@pytest.mark.long
def test_the_sample_equals_the_reference_in_any_order(run_ingest: Ingest, tmp_path: Path) -> None:
    """Its files have every oddity of the real ones at its real rate."""
    raw = tmp_path / "sample"
    write_sample(raw, SamplePlan(products=400, users=150, reviews=6000, seed=11), Quiet())
    options = {"max_products": 25, "since": "2020-01-01"}
    manifest = run_ingest(raw, categories=TEN, **options)
    want = expected(raw, Recipe(categories=in_official_order(TEN), min_reviews=3, **options))
    assert {k: manifest.rows[k] for k in want.rows} == want.rows
    with open_shop(str(tmp_path / "shop"), Settings()) as shop:
        assert [p.product_id for p in shop.store.iter_products()] == sorted(want.products)
        assert orders_of(shop) == want.orders
    # The real files keep users together; nothing but speed may depend on it.
    products = [product_id(n) for n in range(20)]
    rows = messy_reviews(5, products, 800)
    for name, reviews in (("a", rows), ("b", shuffled(rows, 1))):
        write_pair(tmp_path / name, "Pet_Supplies", reviews, messy_metas(5, products))
    first = run_ingest(tmp_path / "a", "one", ("Pet_Supplies",))
    second = run_ingest(tmp_path / "b", "two", ("Pet_Supplies",), block=30_000)
    assert first.rows["duplicates"] > 50
    assert first.rows == second.rows
    assert first.content_hash == second.content_hash


@pytest.mark.long
@pytest.mark.parametrize("options", [{}, {"pick": "review-prefix", "max_products": 5, "orders": "since"}])
def test_little_memory_gives_the_same_shop(messy: Path, run_ingest: Ingest, options: dict[str, Any]) -> None:
    from drr.data_ingest import duplicates

    in_memory = run_ingest(messy, "one", block=40_000, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duplicates, "GROUP", 100)
        on_disk = run_ingest(messy, "two", memory=1, block=40_000, **options)
    assert on_disk.content_hash == in_memory.content_hash
    assert on_disk.rows == in_memory.rows


def test_products_are_as_in_the_file_and_notes_count(messy: Path, run_ingest: Ingest, tmp_path: Path) -> None:
    notes = run_ingest(messy).notes
    want = expected(messy, Recipe(categories=CATEGORIES, min_reviews=3)).products
    prices = Counter(row["price"] for row in want.values())
    assert notes["price_from"] == prices["from 8.99"] > 0
    assert notes["price_dash"] == prices["—"] > 0
    assert notes["price_text"] == prices["$1,234.50"] > 0
    assert notes["price_unreadable"] == prices["ask"] > 0
    assert notes["categories_from_file"] == sum(not row["categories"] for row in want.values()) > 0
    assert notes["reviews_with_lone_surrogates"] > 0
    assert notes["reviews_with_nul"] > 0
    amounts = {"—": None, "from 8.99": 8.99, "$1,234.50": 1234.5, "ask": None}
    with open_shop(str(tmp_path / "shop"), Settings()) as shop:
        for product in shop.store.iter_products():
            raw = want[product.product_id]
            details = raw["details"]
            assert product.details == (json.loads(details) if isinstance(details, str) else details)
            assert product.price == amounts.get(raw["price"], raw["price"])
            assert product.categories == (raw["categories"] or [raw["_category"]])
            for name in (
                "title", "features", "description", "store", "main_category", "average_rating",
                "rating_number",
            ):  # fmt: skip
                assert getattr(product, name) == raw[name], name


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
    if not 788_918_400_000 <= time <= 1_696_118_399_999:
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
        kept = set(_ranked(qualified, recipe, reviews)[: recipe.max_products])
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


def _ranked(names: list[str], recipe: Recipe, reviews: list[Row]) -> list[str]:
    if recipe.pick == "meta-prefix":
        return names
    first: dict[str, int] = {}
    for at, row in enumerate(reviews):
        first.setdefault(row.item, at)
    return sorted(names, key=lambda name: first[name])


def shuffled(rows: list[Any], seed: int) -> list[Any]:
    rows = list(rows)
    random.Random(seed).shuffle(rows)
    return rows
