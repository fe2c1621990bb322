"""The servers of one test run: given by addresses (a real MongoDB and Elasticsearch), or started here by a JDK."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest
from drr.env.content import OrderColumns, UserRow
from drr.env.entities import Product
from drr.env.errors import ShopError
from drr.env.servers.connect import Servers
from drr.env.servers.load import CURRENT, MANIFEST, names_of
from drr.env.settings import Settings
from drr.env.shop import Manifest, check_shop, open_shop, shop_writer
from pydantic import SecretStr

from tests.servers import testservers

Closing = Callable[[Callable[[], None]], None]


def changed(settings: Settings, **changes: Any) -> Settings:
    """Return the settings with these changes, addresses and keys kept as secrets."""
    values = {k: SecretStr(v) if k.endswith(("_url", "_key")) else v for k, v in changes.items()}
    return settings.model_copy(update=values)


@cache
def settings() -> Settings:
    """Of both servers; skips, or fails where `DRR_REQUIRE_SERVERS` says that they must be there."""
    given = {
        name: os.environ.get(f"DRR_TEST_{name.upper()}") for name in ("mongodb_url", "elasticsearch_url")
    }
    if all(given.values()):
        return Settings(shop_url="http://shop.example/", **{k: SecretStr(v) for k, v in given.items() if v})
    reason = testservers.missing()
    if reason is not None:
        if os.environ.get("DRR_REQUIRE_SERVERS"):
            pytest.fail(f"the servers are required here: {reason}")
        pytest.skip(f"no servers: {reason}")
    home = Path(tempfile.mkdtemp(prefix="drr-test-servers-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    urls = {}
    for kind in testservers.KINDS:
        server = testservers.start(kind, home / kind, in_memory=True)
        atexit.register(server.stop)
        urls[f"{kind}_url"] = SecretStr(server.url)
    return Settings(shop_url="http://shop.example/", **urls)


def remove_shops(settings: Settings, prefix: str) -> None:
    """All databases and indices whose names begin so: given servers are left as they were."""
    servers = Servers(settings)
    for name in servers.mongo.list_database_names():
        if name.startswith(prefix):
            servers.mongo.drop_database(name)
    for name in list(servers.search.indices.get(index=f"{prefix}*")):
        servers.search.indices.delete(index=name)
    servers.close()


PRODUCTS, USERS = 1700, 6_000


def products(text: str = "bird feeder", count: int = PRODUCTS) -> Iterator[Product]:
    for number in range(count):
        yield Product(
            product_id=f"B{number:09d}",
            product_url="",
            title=f"{text} {number}",
            features=["cedar"],
            description=[],
            price=None if number % 3 == 0 else number + 0.5,
            store="Acme",
            categories=["Pet Supplies"],
            details={"No. of perches": "4"},
            average_rating=4.0,
            rating_number=number,
            category="Pet_Supplies",
        )


def users(count: int = USERS) -> list[UserRow]:
    return [
        UserRow(f"A{n:09d}", f"a{n}@example.org", "Ann", "Lee", "+1", "1 Elm St", "C", "IL", "60601")
        for n in range(count)
    ]


def write(spec: str, settings: Settings, *, replace: bool = False, text: str = "bird feeder") -> Manifest:
    with shop_writer(spec, settings, replace=replace) as writer:
        writer.write_products(products(text))
        rows = users()
        writer.write_users([rows])
        n = len(rows)
        moments = [1_650_000_000_000 + k for k in range(n)]
        ids, positions = [10**15 + k for k in range(n)], [k % PRODUCTS for k in range(n)]
        writer.write_orders([OrderColumns(ids, positions, list(range(n)), moments, [1] * n, [0] * n)])
        return writer.publish(
            Manifest(backend="", as_of="", content_hash="", counts={}, recipe={"text": text})
        )


def write_whole(spec: str, settings: Settings, **how: Any) -> Manifest:
    """Write it; then everything in it is as it was written."""
    made = write(spec, settings, **how)
    assert list(check_shop(spec, settings)) == []
    return made


def published_version(spec: str, servers: Servers) -> str:
    shown = servers.mongo[names_of(spec).shop][MANIFEST].find_one({"_id": CURRENT})
    assert shown is not None
    return str(shown["version"])


def refused(spec: str, settings: Settings) -> str:
    """The one sentence with which opening and writing both fail."""
    with pytest.raises(ShopError) as opening:
        open_shop(spec, settings)
    with pytest.raises(ShopError) as writing:
        shop_writer(spec, settings)
    assert str(opening.value) == str(writing.value)
    assert "\n" not in str(opening.value) and ";" in str(opening.value)
    return str(opening.value)


if __name__ == "__main__":
    given = orjson.loads(Path(sys.argv[1]).read_bytes())
    print("begun", flush=True)
    write(given["spec"], Settings(**given["settings"]), replace=True, text=given["text"])
    print("done", flush=True)
