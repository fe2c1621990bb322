"""The test server is not MongoDB, so what is asked of it must be what MongoDB 6 to 8 document as plain operations; and
Elasticsearch is asked for nothing that the issue rules out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from drr.env.copy import copy_shop
from drr.env.progress import Quiet
from drr.env.servers.connect import Servers
from drr.env.servers.load import names_of
from drr.env.settings import Settings
from drr.env.shop import SearchRequest, check_shop, open_shop, shop_writer
from pydantic import SecretStr

from tests.servers import running
from tests.servers.proxies import HttpProxy, MongoProxy

pytestmark = pytest.mark.servers

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
    running.write(spec, through, replace=True, text="cat toy")
    assert list(check_shop(spec, through)) == []
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
    (found,) = servers.search.indices.get_settings(index=names_of(spec + "-3").alias).values()
    servers.close()
    assert found["settings"]["index"]["number_of_shards"] == "3"
    request = SearchRequest("bird 17 1699 feeder", limit=50)
    with open_shop(spec, settings) as one, open_shop(spec + "-3", settings) as three:
        for sort in ("relevance", "price_asc", "popularity"):
            asked = replace(request, sort=sort)  # type: ignore[arg-type]
            a, b = one.catalog.search(asked), three.catalog.search(asked)
            assert (a.product_ids, a.total) == (b.product_ids, b.total)
            assert b.total == running.PRODUCTS
