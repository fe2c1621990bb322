"""The commands on servers, and how near the two catalogues rank."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean
from threading import Barrier
from typing import Any

import pytest
from drr.app.cli import main
from drr.env.session import Session
from drr.env.settings import Settings
from drr.env.shop import SearchRequest, Shop, open_shop
from drr.env.text import tokens
from drr.env.web.sandbox import Document, Sandbox
from drr.tools.base import ToolContext, context_for
from drr.tools.registry import TOOLS, call_sync

from tests.ingest import catalogues
from tests.servers.running import remove_shops

pytestmark = pytest.mark.servers
QUERIES = 200
# Each makes eight calls at once, after one that writes.
CALLERS = 25


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample") / "raw"
    assert main(["data", "sample", str(folder), "--quiet"]) == 0
    return folder


@pytest.fixture(scope="module")
def folder(raw: Path) -> str:
    shop = str(raw.parent / "shop")
    assert main(["data", "ingest", str(raw), "--shop", shop, "--quiet"]) == 0
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


def test_ingest_onto_servers_is_the_same(drr: Callable[..., Any], raw: Path, folder: str, spec: str) -> None:
    load = ("data", "ingest", str(raw), "--shop", spec, "--quiet", "--json")
    drr(*load)
    first = drr("shop", "info", spec, "--json")
    there = drr("shop", "info", folder, "--json")
    for key in (
        "schema", "as_of", "counts", "ratios", "recipe", "quarantined", "duplicates", "content_hash", "rows",
    ):  # fmt: skip
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
    from drr.env.copy import copy_shop
    from drr.env.progress import Quiet
    from drr.env.shop import shop_writer

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


def test_two_hundred_tool_calls_at_once(pair: tuple[Shop, Shop]) -> None:
    """The nine tools, 200 calls in 200 threads of one process, each user's in a session of his own: the answers of the embedded
    shop, and what one user writes no other sees."""
    here, _ = pair
    users = here.store.sample_users(CALLERS, seed=3, min_orders=1)
    queries = _queries(here, random.Random(21))[:CALLERS]
    assert len(set(users)) == CALLERS
    page = Document(
        url="https://birds.example/", title="Winter birds", text="# Birds\n\nA cardinal.", date="2021-11-02"
    )
    web = Sandbox([page])

    def asked(number: int) -> list[tuple[str, dict[str, Any]]]:
        order = here.store.orders(users[number]).items[0]
        return [
            ("update_user_profile", {"phone_number": f"212555{number:04d}"}),
            ("product_catalog_search", {"query": queries[number], "sort": "price_asc"}),
            ("get_product_details", {"product_id": order.product_id}),
            ("get_user_orders", {"limit": 5}),
            ("get_order_details", {"order_id": order.order_id}),
            ("get_user_profile", {}),
            ("get_user_statistics", {}),
            ("web_search", {"query": "winter birds"}),
            ("calculator", {"expression": f"{number} * 2"}),
        ]

    calls = [asked(number) for number in range(CALLERS)]
    assert {name for name, _ in calls[0]} == set(TOOLS)
    assert sum(map(len, calls)) >= 200

    def sessions(shop: Shop) -> list[ToolContext]:
        return [context_for(Session(shop, user), web) for user in users]

    def answer(ctx: ToolContext, name: str, arguments: dict[str, Any]) -> tuple[str, str]:
        return name, call_sync(name, arguments, ctx).text

    expected, found = [], []
    for shop, texts, threads in ((here, expected, 1), (pair[1], found, 200)):
        contexts = sessions(shop)
        for ctx, (first, *_) in zip(contexts, calls, strict=True):
            texts.append(answer(ctx, *first))
        rest = [(ctx, *one) for ctx, some in zip(contexts, calls, strict=True) for one in some[1:]]
        together = Barrier(threads)

        def one_of(
            work: tuple[ToolContext, str, dict[str, Any]], together: Barrier = together
        ) -> tuple[str, str]:
            together.wait(60)
            return answer(*work)

        with ThreadPoolExecutor(threads) as pool:
            texts += pool.map(one_of, rest)
        assert all(shop.store.user(user) == here.store.user(user) for user in users)
        for number, ctx in enumerate(contexts):
            own = ctx.session.user(users[number])
            assert own is not None and own.phone_number.endswith(f"{number:04d}")
    assert found == expected


def test_client_packages_are_imported_only_for_servers(folder: str) -> None:
    import subprocess
    import sys

    script = (
        "import sys; from drr.app.cli import main; main(['shop', 'info', sys.argv[1]]); "
        "print([name for name in ('pymongo', 'bson', 'elasticsearch', 'elastic_transport') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script, folder], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_catalogue_is_asked_and_judged_on_servers(
    drr: Callable[..., Any], spec: str, tmp_path: Path
) -> None:
    """The shop of a catalogue's own files, without a special case: the content of a folder's, questions, runs, judges, a report."""
    files = [str(path) for path in catalogues.shopify(tmp_path)]
    (told := tmp_path / "map.toml").write_text('[products]\ncurrency = "USD"\n')
    asked = ("data", "ingest", *files, "--preset", "shopify", "--map", str(told), "--quiet", "--json")
    found, study, queries = drr(*asked, "--shop", spec), str(tmp_path / "study"), str(tmp_path / "q.jsonl")
    assert found["content_hash"] == drr(*asked, "--shop", str(tmp_path / "shop"))["content_hash"]
    drr("queries", "generate", "--shop", spec, "--out", queries, "--users", "2", "--quiet")
    drr("run", study, "--shop", spec, "--queries", queries, "--variants", "react", "--quiet")
    assert main(["judge", study, "--judge", "offline"]) == 0
    assert main(["report", study, "--out", str(tmp_path / "report")]) == 0
    assert (tmp_path / "report" / "index.html").is_file()
