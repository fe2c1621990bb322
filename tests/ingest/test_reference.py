"""The whole ingest against the slow, obvious one: every product, every order, every count."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from drr.data_ingest.recipe import TEN, Recipe, in_official_order
from drr.data_ingest.sample import SamplePlan, write_sample
from drr.env.progress import Quiet
from drr.env.settings import Settings
from drr.env.shop import Shop, check_shop, open_shop

from tests.cases import cases
from tests.ingest.conftest import CATEGORIES, Ingest
from tests.ingest.raw import messy_metas, messy_reviews, product_id, write_pair
from tests.ingest.reference import expected, shuffled
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
def test_the_sample_shop_equals_the_reference(run_ingest: Ingest, tmp_path: Path) -> None:
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


@pytest.mark.long
def test_rows_in_any_order_give_the_same_orders(tmp_path: Path, run_ingest: Ingest) -> None:
    """The real files keep users together; nothing but speed may depend on it."""
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


def test_notes_count_what_was_put_right(messy: Path, run_ingest: Ingest, tmp_path: Path) -> None:
    notes = run_ingest(messy).notes
    want = expected(messy, Recipe(categories=CATEGORIES, min_reviews=3)).products.values()
    prices = Counter(row["price"] for row in want)
    assert notes["price_from"] == prices["from 8.99"] > 0
    assert notes["price_dash"] == prices["—"] > 0
    assert notes["price_text"] == prices["$1,234.50"] > 0
    assert notes["price_unreadable"] == prices["ask"] > 0
    assert notes["categories_from_file"] == sum(not row["categories"] for row in want) > 0
    assert notes["reviews_with_lone_surrogates"] > 0
    assert notes["reviews_with_nul"] > 0


def test_products_keep_what_the_file_says(messy: Path, run_ingest: Ingest, tmp_path: Path) -> None:
    import json

    run_ingest(messy)
    want = expected(messy, Recipe(categories=CATEGORIES, min_reviews=3)).products
    prices = {"—": None, "from 8.99": 8.99, "$1,234.50": 1234.5, "ask": None}
    with open_shop(str(tmp_path / "shop"), Settings()) as shop:
        for product in shop.store.iter_products():
            raw = want[product.product_id]
            details = raw["details"]
            assert product.details == (json.loads(details) if isinstance(details, str) else details)
            assert product.price == prices.get(raw["price"], raw["price"])
            assert product.categories == (raw["categories"] or [raw["_category"]])
            for name in (
                "title", "features", "description", "store", "main_category", "average_rating",
                "rating_number",
            ):  # fmt: skip
                assert getattr(product, name) == raw[name], name
