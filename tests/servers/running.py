"""The servers of one test run: given by addresses (a real MongoDB and Elasticsearch), or started here by a JDK."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

import pytest
from drr.app import testservers
from drr.env.settings import Settings
from pydantic import SecretStr


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
    from drr.env.servers.connect import Servers

    servers = Servers(settings)
    for name in servers.mongo.list_database_names():
        if name.startswith(prefix):
            servers.mongo.drop_database(name)
    for name in list(servers.search.indices.get(index=f"{prefix}*")):
        servers.search.indices.delete(index=name)
    servers.close()
