"""What kills and oddities leave on servers: nothing half-visible, and records as they were."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from drr.env.copy import copy_shop
from drr.env.entities import Product
from drr.env.errors import ShopError
from drr.env.progress import Quiet
from drr.env.servers import index as search_index
from drr.env.servers.connect import Servers
from drr.env.servers.load import LOAD, MANIFEST, names_of
from drr.env.settings import Settings
from drr.env.shop import Manifest, SearchRequest, check_shop, open_shop, shop_writer
from pydantic import SecretStr

from benchmarks.results import ENDURANCE, row
from tests.servers import running
from tests.servers.proxies import HttpProxy, MongoProxy

pytestmark = pytest.mark.servers


class _Loader:
    """`running.write` with `--replace`, in a process of its own."""

    def __init__(self, folder: Path, spec: str, settings: Settings) -> None:
        self._folder, self._spec = folder, spec
        self._urls = {
            "mongodb_url": settings.mongodb_url.get_secret_value(),
            "elasticsearch_url": settings.elasticsearch_url.get_secret_value(),
        }

    def run(self, text: str, kill_after: float | None = None) -> float | None:
        """How long the load took, if it came to its end; both times count from where it begins."""
        path = self._folder / "given.json"
        path.write_bytes(orjson.dumps({"spec": self._spec, "settings": self._urls, "text": text}))
        command = [sys.executable, "-m", "tests.servers.running", str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"begun\n"
            start = time.monotonic()
            try:
                process.wait(kill_after)
            except subprocess.TimeoutExpired:
                process.kill()
            return time.monotonic() - start if process.wait() == 0 else None


def _kill_at_random(
    times: int, seed: int, spec: str, settings: Settings, folder: Path, servers: Servers
) -> Counter[str]:
    """How often a kill left what."""
    rng = random.Random(seed)
    names, loader = names_of(spec), _Loader(folder, spec, settings)
    database = servers.mongo[names.shop]
    running.write(spec, settings, text="generation0 bird")
    whole = loader.run("generation0 bird")
    assert whole is not None
    left: Counter[str] = Counter()
    attempt = 0
    while left["killed"] < times:
        attempt += 1
        text = f"generation{attempt} bird"
        finished = loader.run(text, kill_after=rng.uniform(0.0, whole))
        with open_shop(spec, settings) as shop:
            shown = shop.manifest.recipe["text"]
            assert shown in (f"generation{attempt - 1} bird", text)
            assert shown == text or finished is None
            assert shop.catalog.search(SearchRequest(shown.split()[0])).total == running.PRODUCTS
            assert shop.store.orders("A000000001").total == 1
        assert list(check_shop(spec, settings)) == []
        kept = database[MANIFEST].find_one({"_id": LOAD})
        rows = 0 if kept is None else sum(done["batches"] for done in kept["done"].values())
        left["killed"] += finished is None
        if finished is not None:
            left["ended before the kill: the new shop whole"] += 1
            whole = min(whole, finished)
        elif shown == text:
            left["of these behind the swap: the new shop whole"] += 1
        elif rows:
            left["of these in the load: the old shop whole, what was stored is kept"] += 1
        else:
            left["of these before a batch was recorded: the old shop whole"] += 1
        running.write(spec, settings, replace=shown != text, text=text)
        if kept is not None and rows:
            same = running.published_version(spec, servers) == kept["version"]
            assert same, "the same command went on and did not begin anew"
        assert list(check_shop(spec, settings)) == []
        assert len(database.list_collection_names()) == 4
        assert database[MANIFEST].find_one({"_id": LOAD}) is None
        indices = servers.search.indices.get(index=names.indices, expand_wildcards="all")
        assert len(indices) == 1
        with open_shop(spec, settings) as shop:
            assert shop.manifest.recipe == {"text": text}
    return left


def test_three_kills(spec: str, settings: Settings, tmp_path: Path, servers: Servers) -> None:
    _kill_at_random(3, time.time_ns(), spec, settings, tmp_path, servers)


@pytest.mark.endurance
def test_twenty_five_kills(spec: str, settings: Settings, tmp_path: Path, servers: Servers) -> None:
    left = _kill_at_random(25, 20, spec, settings, tmp_path, servers)
    found = "the old shop whole or the new one; nothing lost, doubled, mixed or left lying"
    row(*ENDURANCE, ("kills of a load onto servers at random moments", left["killed"], found))


def _product(**changes: Any) -> Product:
    return next(running.products(count=1)).model_copy(update=changes)


def _written(spec: str, settings: Settings, product: Product) -> str:
    with shop_writer(spec, settings) as writer:
        writer.write_products([product])
        writer.write_users([])
        writer.write_orders([])
        return writer.publish(Manifest(backend="", as_of="", content_hash="", counts={})).content_hash


def _nested(levels: int) -> dict[str, Any]:
    inner: Any = {"at the bottom": [2**64 - 1, "x", None]}
    for level in range(levels):
        inner = {"a.b": inner} if level % 2 else [inner]
    return {"nested": inner}


ODD: dict[str, dict[str, Any]] = {
    "whole numbers beyond 63 bits": {"details": {"n": 2**63, "list": [2**64 - 1, -(2**63), 2**63 - 1, True]}},
    "what stands for them": {"details": {"%json": "1", "%25json": {"%json": 2}, "%": "%", "": "%"}},
    "deeper than a hundred levels": {"details": _nested(150)},
    "categories too long for a keyword": {"categories": ["y" * 40_000, "z " * 30_000]},
    "a title too long for a keyword": {"title": "word " * 40_000},
    "a word of four-byte letters": {"title": "\U00020000" * 400},
    "nothing at all": {"title": "", "features": [], "categories": [], "details": {}, "store": ""},
    "NUL": {"title": "a\0b", "details": {"a\0b": "c\0d"}, "store": "\0"},
    "an id of signs": {"product_id": 'é"\\\n /?#%'},
}


@pytest.mark.parametrize("what", list(ODD))
def test_odd_records_are_the_same_on_both(what: str, spec: str, settings: Settings, tmp_path: Path) -> None:
    product = _product(**ODD[what])
    here = str(tmp_path / "shop")
    assert _written(here, settings, product) == _written(spec, settings, product)
    asked = [
        SearchRequest("acme word bird feeder 0 b", category=name) for name in (None, *product.categories)
    ]
    for name in (here, spec):
        with open_shop(name, settings) as shop:
            (back,) = shop.store.iter_products()
            assert back.model_copy(update={"product_url": ""}) == product
            assert shop.store.product(product.product_id) == back
        assert list(check_shop(name, settings)) == []
    with open_shop(here, settings) as a, open_shop(spec, settings) as b:
        for request in asked:
            assert a.catalog.search(request).product_ids == b.catalog.search(request).product_ids


def test_a_record_no_server_takes_is_named(spec: str, settings: Settings) -> None:
    for product, message in (
        (_product(product_id="B" * 600), r"products: BBB.* is longer than an id may be"),
        (_product(rating_number=2**63), r"products: B000000000 cannot be stored"),
        (_product(description=["lorem " * 3_000_000]), r"products: B000000000 cannot be stored: it has 18,0"),
    ):
        with pytest.raises(ShopError, match=message):
            _written(spec, settings, product)
    with pytest.raises(ShopError, match="no such shop"):
        open_shop(spec, settings)


def test_long_texts_are_sent_in_requests_that_a_server_takes() -> None:
    """A node takes 100 MB at once; here it is played, and counts."""
    sent: list[bytes] = []

    def rule(method: str, path: str, body: bytes) -> tuple[int, bytes]:
        sent.append(body)
        return 200, b'{"errors": false, "items": []}'

    proxy = HttpProxy(None, rule)
    servers = Servers(Settings(elasticsearch_url=SecretStr(proxy.url)))
    documents = [
        search_index.document(_product(product_id=f"B{number:09d}", description=["bird " * 600_000]))
        for number in range(11)
    ]
    search_index.bulk_write(servers, "x", documents)
    assert len(sent) > 1 and max(map(len, sent)) <= 16 << 20
    rows = [orjson.loads(line) for body in sent for line in body.splitlines()[1::2]]
    assert [row["product_id"] for row in rows] == [one["product_id"] for one in documents]
    servers.close()
    proxy.close()


# https://www.mongodb.com/docs/manual/reference/command, versions 6.0, 7.0 and 8.0. `collStats` is deprecated there since 6.2.
COMMANDS = {
    *("hello", "ismaster", "isMaster", "ping", "buildInfo", "buildinfo", "endSessions", "killCursors"),
    *("find", "getMore", "aggregate", "count", "insert", "update", "delete", "findAndModify"),
    *("createIndexes", "drop", "listCollections", "listDatabases", "collStats"),
}
OPERATORS = {
    *("$in", "$gte", "$lt"),
    *("$set",),
    *("$match", "$group", "$sum"),
    # Part of every command, and what a field is called in a stage.
    *("$db", "$readPreference", "$clusterTime", "$user_id"),
}


def _operators(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key.startswith("$"):
                yield key
            yield from _operators(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _operators(inner)
    elif isinstance(value, str) and value.startswith("$"):
        yield value


def test_a_shop_lives_on_plain_operations(
    spec: str, settings: Settings, tmp_path: Path, closing: Callable[[Callable[[], None]], None]
) -> None:
    commands: list[dict[str, Any]] = []
    requests: list[tuple[str, str, bytes]] = []
    mongo = MongoProxy(settings.mongodb_url.get_secret_value(), commands.append)
    closing(mongo.close)
    elastic = HttpProxy(
        settings.elasticsearch_url.get_secret_value(), lambda *request: requests.append(request)
    )
    closing(elastic.close)
    through = settings.model_copy(
        update={"mongodb_url": SecretStr(mongo.url), "elasticsearch_url": SecretStr(elastic.url)}
    )
    with pytest.raises(KeyboardInterrupt), shop_writer(spec, through) as writer:
        writer.write_products(running.products())
        raise KeyboardInterrupt
    running.write(spec, through)
    running.write(spec, through)
    running.write_whole(spec, through, replace=True, text="cat toy")
    with open_shop(spec, through) as shop:
        store, user = shop.store, "A000000001"
        order = store.orders(user, status="Delivered", since="2022-01-01", until="2023-01-01", limit=1).items[
            0
        ]
        assert store.product(order.product_id) and store.order(order.order_id) and store.user(user)
        assert store.find_users(email="a1@example.org") and store.find_users(name=("Ann", "Lee"))
        assert (
            store.statistics(user)
            and store.sample_users(3, seed=1)
            and store.sample_users(3, seed=1, min_orders=0)
        )
        assert store.near("order", order.order_id[:-1]) and store.products([order.product_id])
        assert shop.catalog.search(
            SearchRequest("cat", min_price=1, category="Pet_Supplies", match="all")
        ).total
        with shop_writer(str(tmp_path / "back"), through) as back:
            copy_shop(shop, back, Quiet())

    assert {next(iter(command)) for command in commands} <= COMMANDS
    used = {name for command in commands for name in _operators(command)}
    assert {"$set", "$in", "$match"} <= used <= OPERATORS
    assert not {"startTransaction", "autocommit", "txnNumber"} & {
        key for command in commands for key in command
    }
    indexes = [i["key"] for c in commands for i in c.get("indexes", [])]
    assert indexes and {direction for keys in indexes for direction in keys.values()} <= {1, -1}

    assert any("/_pit" in path for _, path, _ in requests) and any(
        b"search_after" in body for *_, body in requests
    )
    for _, path, body in requests:
        assert not any(
            word in path for word in ("_by_query", "_reindex", "_script", "_template", "_ingest", "_sql")
        )
        assert "_bulk" in path or b"script" not in body
    created = next(body for method, _, body in requests if method == "PUT" and b"mappings" in body)
    assert b'"dynamic":"strict"' in created and b'"refresh_interval":"-1"' in created


def test_three_shards_answer_as_one(spec: str, settings: Settings) -> None:
    running.write(spec, settings)
    running.write(spec + "-3", settings.model_copy(update={"elasticsearch_shards": 3}))
    servers = Servers(settings)
    (found,) = servers.search.indices.get_settings(index=names_of(spec + "-3").indices).values()
    servers.close()
    assert found["settings"]["index"]["number_of_shards"] == "3"
    request = SearchRequest("bird 17 1699 feeder", limit=50)
    with open_shop(spec, settings) as one, open_shop(spec + "-3", settings) as three:
        for sort in ("relevance", "price_asc", "popularity"):
            asked = replace(request, sort=sort)  # type: ignore[arg-type]
            a, b = one.catalog.search(asked), three.catalog.search(asked)
            assert (a.product_ids, a.total) == (b.product_ids, b.total)
            assert b.total == running.PRODUCTS
