"""A load that is killed: the old shop or the whole new one is there, and the same command goes on."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from drr.env.servers.connect import Servers
from drr.env.servers.load import LOAD, MANIFEST, names_of
from drr.env.settings import Settings
from drr.env.shop import SearchRequest, check_shop, open_shop

from benchmarks.results import record, table
from tests.servers import running

pytestmark = pytest.mark.servers
Closing = Callable[[Callable[[], None]], None]


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
        problems = list(check_shop(spec, settings))
        assert all("The alias" in problem and shown == text for problem in problems), problems
        kept = database[MANIFEST].find_one({"_id": LOAD})
        rows = 0 if kept is None else sum(done["count"] for done in kept["done"].values())
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
        published = database[MANIFEST].find_one({"_id": "current"})
        assert published is not None
        if kept is not None and rows:
            assert published["version"] == kept["version"], "the same command went on and did not begin anew"
        assert list(check_shop(spec, settings)) == []
        assert len(database.list_collection_names()) == 4
        assert database[MANIFEST].find_one({"_id": LOAD}) is None
        indices = servers.search.indices.get(index=f"{names.alias}-v*", expand_wildcards="all")
        assert len(indices) == 1
        with open_shop(spec, settings) as shop:
            assert shop.manifest.recipe == {"text": text}
    return left


def test_three_kills(spec: str, settings: Settings, tmp_path: Path, closing: Closing) -> None:
    servers = Servers(settings)
    closing(servers.close)
    _kill_at_random(3, time.time_ns(), spec, settings, tmp_path, servers)


@pytest.mark.endurance
def test_twenty_five_kills(spec: str, settings: Settings, tmp_path: Path, closing: Closing) -> None:
    servers = Servers(settings)
    closing(servers.close)
    start = time.monotonic()
    left = _kill_at_random(25, 20, spec, settings, tmp_path, servers)
    record(
        "Kill test of loads onto servers",
        f"A shop of {running.PRODUCTS:,} products, {running.USERS:,} users and {running.USERS:,} orders replaced over and over on the "
        "test servers, each time by a process killed (SIGKILL) at a random moment; after each kill the shop that is shown was "
        "read and compared record by record, and the same command run to its end; nothing was lost, doubled, mixed or left "
        f"lying ({time.monotonic() - start:.0f} s).\n\n"
        + table(("what was found", "times"), sorted(left.items())),
    )
