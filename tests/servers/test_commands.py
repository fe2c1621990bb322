"""The commands on servers, and how near the two catalogues rank."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from app.cli import main
from env.settings import Settings
from env.shop import SearchRequest, Shop, open_shop
from env.text import tokens
from tests.servers.running import remove_shops

pytestmark = pytest.mark.servers
QUERIES = 200


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample") / "raw"
    assert main(["sample", str(folder), "--quiet"]) == 0
    return folder


@pytest.fixture(scope="module")
def folder(raw: Path) -> str:
    shop = str(raw.parent / "shop")
    assert main(["ingest", str(raw), "--shop", shop, "--quiet"]) == 0
    return shop


@pytest.fixture
def drr(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Any]:
    monkeypatch.setenv("DRR_MONGODB_URL", settings.mongodb_url.get_secret_value())
    monkeypatch.setenv("DRR_ELASTICSEARCH_URL", settings.elasticsearch_url.get_secret_value())

    def call(*words: str, code: int = 0) -> Any:
        capsys.readouterr()
        assert main(list(words)) == code, capsys.readouterr().err
        out, err = capsys.readouterr()
        return json.loads(out) if out else err

    return call


def test_ingest_onto_servers_is_the_same_shop_and_idempotent(
    drr: Callable[..., Any], raw: Path, folder: str, spec: str
) -> None:
    load = ("ingest", str(raw), "--shop", spec, "--quiet", "--json")
    drr(*load)
    first = drr("shop", "info", spec, "--json")
    there = drr("shop", "info", folder, "--json")
    for key in (
        "schema",
        "as_of",
        "counts",
        "ratios",
        "recipe",
        "quarantined",
        "duplicates",
        "content_hash",
        "rows",
    ):
        assert first[key] == there[key], key
    drr(*load)
    assert drr("shop", "info", spec, "--json") == first
    assert "--replace" in drr(*load, "--max-products", "20", code=1)
    assert drr("shop", "info", spec, "--json") == first
    drr(*load, "--max-products", "20", "--replace")
    assert drr("shop", "info", spec, "--json")["counts"]["products"] < first["counts"]["products"]
    assert drr("shop", "check", spec, "--json")["ok"]


def test_copies_go_both_ways(drr: Callable[..., Any], folder: str, spec: str, tmp_path: Path) -> None:
    back = str(tmp_path / "back")
    there = drr("shop", "copy", folder, spec, "--json", "--quiet")
    assert there["content_hash"] == drr("shop", "copy", spec, back, "--json", "--quiet")["content_hash"]
    assert drr("shop", "info", back, "--json")["recipe"] == drr("shop", "info", folder, "--json")["recipe"]
    for words in (["bird feeder"], ["bird feeder", "--sort", "price_asc", "--max-price", "30"]):
        pages = [drr("shop", "search", shop, *words, "--json") for shop in (folder, spec, back)]
        assert pages[0]["total"] == pages[1]["total"] == pages[2]["total"] > 0
        assert pages[0] == pages[2]
    order = next(iter(open_shop(folder, Settings()).store.iter_orders()))
    for kind, key in (("product", order.product_id), ("user", order.user_id), ("order", order.order_id)):
        assert drr("shop", "show", folder, kind, key, "--json") == drr(
            "shop", "show", spec, kind, key, "--json"
        )


@pytest.fixture(scope="module")
def pair(folder: str, settings: Settings) -> Any:
    from env.copy import copy_shop
    from env.progress import Quiet
    from env.shop import shop_writer

    name = f"servers:drr-faults-pair-{id(folder)}"
    with open_shop(folder, settings) as here:
        with shop_writer(name, settings, replace=True) as writer:
            copy_shop(here, writer, Quiet())
        with open_shop(name, settings) as there:
            yield here, there
    remove_shops(settings, name.removeprefix("servers:"))


def _queries(shop: Shop, rng: random.Random) -> list[str]:
    titles = [tokens(product.title) for product in shop.store.iter_products()]
    able = [words for words in titles if len(words) >= 4]
    return [" ".join(rng.sample(words, rng.randint(2, 4))) for words in rng.choices(able, k=QUERIES)]


def test_both_catalogues_rank_within_the_stated_bound(pair: tuple[Shop, Shop]) -> None:
    """Each keeps document lengths in one byte in its own way, so near-equal scores may change places."""
    here, there = pair
    overlaps = []
    for query in _queries(here, random.Random(20)):
        a, b = (shop.catalog.search(SearchRequest(query)) for shop in pair)
        assert a.total == b.total
        overlaps.append(len(set(a.product_ids) & set(b.product_ids)) / max(len(a.product_ids), 1))
        assert a.scores[0] is not None and b.scores[0] is not None
        assert abs(a.scores[0] - b.scores[0]) < 0.05 * a.scores[0]
    assert mean(overlaps) >= 0.93, mean(overlaps)
    assert here.manifest.content_hash == there.manifest.content_hash


def test_two_hundred_calls_at_once(pair: tuple[Shop, Shop]) -> None:
    """From one process, through one open shop; every answer is that of the embedded shop."""
    here, there = pair
    users = here.store.sample_users(50, seed=3)
    queries = _queries(here, random.Random(21))[:50]

    def ask(shop: Shop, number: int) -> object:
        kind, which = number % 4, number // 4
        if kind == 0:
            return shop.catalog.search(SearchRequest(queries[which], sort="price_asc"))
        if kind == 1:
            return shop.store.orders(users[which], limit=5)
        if kind == 2:
            return shop.store.statistics(users[which])
        return shop.store.user(users[which])

    expected = [ask(here, number) for number in range(200)]
    with ThreadPoolExecutor(200) as pool:
        found = list(pool.map(lambda number: ask(there, number), range(200)))
    assert found == expected


def test_client_packages_are_imported_only_for_servers(folder: str) -> None:
    import subprocess
    import sys

    script = (
        "import sys; from app.cli import main; main(['shop', 'info', sys.argv[1]]); "
        "print([name for name in ('pymongo', 'bson', 'elasticsearch', 'elastic_transport') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script, folder], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
