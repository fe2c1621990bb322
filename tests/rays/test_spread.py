"""Ingest and copy on a cluster: the shop of one machine, whoever dies on the way; and who is refused, and why."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.app.spreading import SpreadAsked, ingest_by_many
from drr.data_ingest import spread_plan
from drr.data_ingest.ingest import Job, ingest
from drr.data_ingest.recipe import Recipe, find_pairs
from drr.data_ingest.spread_plan import plan_of
from drr.env.errors import DrrError
from drr.env.jobs import GivenJob
from drr.env.progress import Quiet
from drr.env.servers.connect import Servers
from drr.env.servers.load import LOAD, MANIFEST
from drr.env.settings import Settings
from drr.env.shop import check_shop, open_shop
from drr.extras.ray.jobs import BenchOrder, JobCrew
from drr.study.worker import Opening
from pydantic import SecretStr

from tests.ingest.raw import messy_metas, messy_reviews, product_id, write_pair
from tests.rays.nodes import ROOT, add_node, files_hold, memory_holds, processes_of
from tests.servers import running
from tests.servers.proxies import HttpProxy, LockedMongo, MongoProxy

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("default")]
CATEGORIES = ("Baby_Products", "Pet_Supplies")
PASSWORD, KEY = "canary-password-4711-of-the-drivers", "Y2FuYXJ5LWtleTo0NzExLW9mLXRoZS1kcml2ZXJz"
PLACE = f"drr-rays-{os.getpid()}-"
_NUMBERS = count()


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("raw")
    for seed, category in enumerate(CATEGORIES):
        products = [*(product_id(seed * 100 + n) for n in range(40)), "X", "Ünïcode-id", product_id(1)]
        write_pair(folder, category, messy_reviews(seed, products, 1500), messy_metas(seed, products))
    return folder


@pytest.fixture(scope="module")
def alone(raw: Path) -> str:
    """The content hash that one process comes to."""
    recipe = Recipe(categories=CATEGORIES, max_bad=0.5, min_reviews=3)
    job = Job(str(raw / "shop"), find_pairs(raw, CATEGORIES, chosen=True), recipe, raw / "bad.jsonl")
    return ingest(job, Settings(), Quiet()).content_hash


@pytest.fixture(scope="module")
def settings() -> Iterator[Settings]:
    found = running.settings()
    yield found
    running.remove_shops(found, PLACE)


@pytest.fixture
def slow(settings: Settings) -> Iterator[str]:
    """MongoDB behind a server that takes its time for orders, so that there is a middle to be killed in."""

    def rule(command: dict[str, Any]) -> float | None:
        return 0.7 if str(command.get("insert", "")).startswith("orders") else None

    proxy = MongoProxy(settings.mongodb_url.get_secret_value(), rule)
    yield proxy.url
    proxy.close()


@pytest.fixture(autouse=True)
def _whole(cluster: Any, settings: Settings) -> None:
    """Two nodes, which know both servers by their own settings."""
    tell(cluster, settings.mongodb_url.get_secret_value(), settings)
    while len(cluster.worker_nodes) < 2:
        add_node(cluster)


def tell(cluster: Any, mongodb: str, settings: Settings) -> None:
    folder = cluster.caches / "config" / "drr"
    folder.mkdir(parents=True, exist_ok=True)
    search = settings.elasticsearch_url.get_secret_value()
    (folder / "settings.toml").write_text(f'mongodb_url = "{mongodb}"\nelasticsearch_url = "{search}"\n')


@pytest.fixture
def name() -> str:
    return f"{PLACE}{next(_NUMBERS)}"


class Driver:
    """The command, as it is typed."""

    def __init__(self, settings: Settings, *words: object, pool: str = "ray") -> None:
        given = {
            f"DRR_{one.upper()}": secret.get_secret_value()
            for one in ("mongodb_url", "elasticsearch_url", "elasticsearch_api_key")
            if (secret := getattr(settings, one)) is not None
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "drr", *map(str, words), "--pool", pool, "--workers", "2"],
            env={**os.environ, "PYTHONPATH": ROOT, **given},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=150)
        # Ray itself tells on standard output of a node that is gone.
        told = f"\n{out}".partition("\n{\n")
        return self.process.returncode, f"{{\n{told[2]}" if told[1] else "", err


def ingesting(settings: Settings, raw: Path, name: str, pool: str = "ray") -> Driver:
    recipe = ("--categories", ",".join(CATEGORIES), "--max-bad", "0.5", "--min-reviews", "3")
    bad = raw / f"{name}.bad.jsonl"
    words = ("data", "ingest", raw, "--shop", f"servers:{name}", *recipe, "--quarantine", bad, "--json")
    return Driver(settings, *words, pool=pool)


def until(true: Callable[[], bool], driver: Driver, what: str) -> None:
    deadline = time.monotonic() + 90
    while not true():
        assert driver.process.poll() is None, driver.end()
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


@pytest.fixture
def watch(settings: Settings, name: str) -> Iterator[Watch]:
    servers = Servers(settings)
    yield Watch(servers, name)
    servers.close()


class Watch:
    """How far the load is, by what the server keeps of it."""

    def __init__(self, servers: Servers, name: str) -> None:
        self._servers, self._name = servers, name

    def pieces(self, kind: str) -> int:
        load = self._servers.mongo[self._name][MANIFEST].find_one({"_id": LOAD}) or {}
        return sum(one.startswith(kind) for one in load.get("pieces", {}))

    def versions(self) -> set[str]:
        found = self._servers.mongo[self._name].list_collection_names()
        return {one.partition("_")[2] for one in found} - {""}


def workers(cluster: Any) -> list[int]:
    """Of this cluster: other tests may have one of their own."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            ours = process.name.isdigit() and (process / "cmdline").read_bytes().startswith(b"ray::RayBench")
            if ours and str(cluster.caches).encode() in (process / "environ").read_bytes():
                found.append(int(process.name))
        except OSError:
            continue
    return found


def whole(settings: Settings, name: str, hash_: str) -> None:
    with open_shop(f"servers:{name}", settings) as shop:
        assert shop.manifest.content_hash == hash_
    assert list(check_shop(f"servers:{name}", settings)) == []


def test_the_cluster_makes_the_shop_of_one_machine_and_copies_it(
    raw: Path, alone: str, settings: Settings, name: str, cluster: Any
) -> None:
    """From outside, through its head, and from a machine that belongs to it."""
    code, out, err = ingesting(settings, raw, name, pool=cluster.client).end()
    assert code == 0, err
    assert json.loads(out)["content_hash"] == alone
    assert "users and orders" in err
    whole(settings, name, alone)
    code, out, _ = ingesting(settings, raw, name).end()
    assert (code, json.loads(out)["content_hash"]) == (0, alone), "the same load again changes nothing"
    words = ("shop", "copy", f"servers:{name}", f"servers:{name}-copy")
    code, _, err = Driver(settings, *words, pool=cluster.client).end()
    assert code == 0, err
    whole(settings, f"{name}-copy", alone)


def test_a_worker_and_a_node_that_are_killed_lose_nothing(
    raw: Path, alone: str, settings: Settings, name: str, cluster: Any, slow: str, watch: Watch
) -> None:
    tell(cluster, slow, settings)
    driver = ingesting(settings, raw, name)
    until(lambda: watch.pieces("orders") >= 1, driver, "nothing is stored")
    os.kill(workers(cluster)[0], signal.SIGKILL)
    until(lambda: watch.pieces("orders") >= 3, driver, "it does not go on")
    cluster.remove_node(min(cluster.worker_nodes, key=id), False)
    code, out, err = driver.end()
    assert code == 0, err
    assert "lost a worker on" in err
    assert json.loads(out)["content_hash"] == alone
    whole(settings, name, alone)


class Killing(Quiet):
    """When the first span is read, the workers die: of one alone it is not known whether it had begun."""

    def __init__(self, cluster: Any) -> None:
        self._left = [cluster]

    @contextmanager
    def stage(self, label: str, total: int | None = None, unit: str = "rows") -> Iterator[Any]:
        with Quiet().stage(label) as nobody:
            yield self if label == "reading" else nobody

    def advance(self, amount: int = 1, rows: int = 0) -> None:
        for cluster in self._left:
            for process in workers(cluster):
                os.kill(process, signal.SIGKILL)
        self._left = []

    def note(self, text: str) -> None: ...


def test_spans_of_plain_files_are_read_by_all_and_once_more_where_a_reader_died(
    raw: Path,
    alone: str,
    settings: Settings,
    name: str,
    cluster: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for packed in raw.rglob("*.gz"):
        (tmp_path / packed.with_suffix("").name).write_bytes(gzip.decompress(packed.read_bytes()))
    monkeypatch.setattr(spread_plan, "_SPAN_BYTES", 2_000_000)
    recipe = Recipe(categories=CATEGORIES, max_bad=0.5, min_reviews=3)
    pairs = find_pairs(tmp_path, CATEGORIES, chosen=True)
    assert all(reviews and not meta for meta, reviews in plan_of(pairs, recipe, 1 << 20).spans)
    job = Job(f"servers:{name}", pairs, recipe, tmp_path / "bad.jsonl")
    made = ingest_by_many(job, settings, SpreadAsked(2, None, "drr.extras.ray.jobs"), Killing(cluster))
    assert "lost a worker on" in capsys.readouterr().err
    assert made.content_hash == alone
    whole(settings, name, alone)


@pytest.mark.parametrize(
    "way",
    [
        pytest.param(signal.SIGKILL, id="killed"),
        pytest.param(signal.SIGINT, id="ctrl-c", marks=pytest.mark.endurance),
    ],
)
def test_a_driver_that_is_stopped_leaves_no_shop_and_the_same_command_goes_on(
    way: signal.Signals,
    raw: Path,
    alone: str,
    settings: Settings,
    name: str,
    cluster: Any,
    slow: str,
    watch: Watch,
) -> None:
    tell(cluster, slow, settings)
    driver = ingesting(settings, raw, name)
    until(lambda: watch.pieces("orders") >= 2, driver, "nothing is stored")
    driver.process.send_signal(way)
    _, out, err = driver.end()
    assert out == "" and "Traceback" not in err
    with pytest.raises(Exception, match="no such shop"):
        open_shop(f"servers:{name}", settings)
    there = watch.versions()
    tell(cluster, settings.mongodb_url.get_secret_value(), settings)
    code, out, err = ingesting(settings, raw, name).end()
    assert code == 0, err
    assert "goes on with a load that was cut off" in err
    assert watch.versions() == there, "it was continued, not begun anew"
    assert json.loads(out)["content_hash"] == alone
    whole(settings, name, alone)


def test_a_node_of_other_servers_is_refused(raw: Path, settings: Settings, name: str, cluster: Any) -> None:
    cluster.remove_node(next(iter(cluster.worker_nodes)), False)
    stranger = add_node(cluster, DRR_MONGODB_URL="mongodb://127.0.0.1/?tls=yes")
    said: list[str] = []
    with JobCrew(order(raw, name, workers=2), said.append) as jobs:
        deadline = time.monotonic() + 120
        while not any("refused" in one for one in said) and time.monotonic() < deadline:
            jobs.answer(jobs.give(GivenJob("gather", (0, None), 1 + 1 + 8)))
    cluster.remove_node(stranger, False)
    (refused,) = [one for one in said if "refused" in one]
    assert "(127.0.0.1, process " in refused and "setting mongodb_url" in refused


def order(raw: Path, name: str, workers: int = 1, code: str = "", **plan: Any) -> BenchOrder:
    given = plan_of(find_pairs(raw, CATEGORIES, chosen=True), Recipe(categories=CATEGORIES), 1 << 20)
    config = {"plan": replace(given, **plan), "shop": f"servers:{name}", "version": None, "settings": {}}
    return BenchOrder(Opening("drr.app.spreading:ingest_bench", config), workers, code=code)


@pytest.mark.endurance
def test_the_command_says_why_no_worker_is(raw: Path, settings: Settings, name: str, cluster: Any) -> None:
    def refused(**how: Any) -> str:
        with pytest.raises(DrrError) as raised, JobCrew(order(raw, name, **how), print) as jobs:
            jobs.answer(jobs.give(GivenJob("gather", (0, None), 1)))
        return str(raised.value)

    assert "process" in (said := refused(code="0" * 64)) and "another version of the code" in said
    pairs = find_pairs(raw, CATEGORIES, chosen=True)
    gone = type(pairs[0])("Baby_Products", raw / "gone.jsonl", raw / "gone.jsonl")
    said = refused(pairs=(gone, gone))
    assert "process" in said and "gone.jsonl: cannot be read there (No such file or directory)" in said
    said = refused(sizes=((1, 1), (1, 1)))
    assert "for the driver; copy it again" in said


def test_passwords_and_keys_of_servers_go_nowhere(
    raw: Path, alone: str, settings: Settings, name: str, cluster: Any, slow: str, watch: Watch
) -> None:
    """The driver's own, while workers that know other ways to the same servers are at work. The control is the folder's name."""
    tell(cluster, slow, settings)
    mongo = LockedMongo(settings.mongodb_url.get_secret_value(), "canary", PASSWORD)
    search = HttpProxy(settings.elasticsearch_url.get_secret_value(), lambda *_: None, {f"ApiKey {KEY}"})
    at = f"mongodb://canary:{PASSWORD}@127.0.0.1:{mongo.port}/?authMechanism=SCRAM-SHA-256"
    locked = {"mongodb_url": at, "elasticsearch_url": search.url, "elasticsearch_api_key": KEY}
    driver = ingesting(
        settings.model_copy(update={one: SecretStr(value) for one, value in locked.items()}), raw, name
    )
    until(lambda: watch.pieces("orders") >= 1, driver, "nothing is stored")
    driver.process.send_signal(signal.SIGSTOP)
    try:
        session = Path(cluster.head_node.get_session_dir_path())
        nodes = [*processes_of(session.name), *(Path(f"/proc/{number}") for number in workers(cluster))]
        assert len(nodes) >= 6
        found = {word: holders(word, nodes, session) for word in (raw.name, PASSWORD, KEY)}
    finally:
        driver.process.send_signal(signal.SIGCONT)
    code, out, err = driver.end()
    assert code == 0, err
    assert json.loads(out)["content_hash"] == alone
    assert found.pop(raw.name) and found == {PASSWORD: [], KEY: []}
    assert not any(files_hold(session, word.encode()) for word in (PASSWORD, KEY))
    mongo.close()
    search.close()


def holders(word: str, processes: list[Path], session: Path) -> list[str]:
    found = [process.name for process in processes if memory_holds(process, word.encode())]
    return found + ["files"] * files_hold(session, word.encode())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--shop", "folder"), "a shop in a folder is written by one process, folder; name servers:NAME"),
        (("--shop", "servers:x", "--keep-reviews"), "--keep-reviews: reviews are kept by one process"),
        (
            ("--shop", "servers:x", "--search", "hybrid", "--model-embedder", "offline"),
            "vectors for --search hybrid",
        ),
        (("--shop", "servers:x", "--pool", "processes"), "a shop is written by in-process or ray"),
    ],
    ids=lambda one: one[-1] if isinstance(one, tuple) else "",
)
def test_what_many_cannot_make_is_refused_in_one_line(
    raw: Path, words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        main(["data", "ingest", str(raw), "--categories", ",".join(CATEGORIES), "--pool", "ray", *words]) == 2
    )
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line and line.startswith("drr")
