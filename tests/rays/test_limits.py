"""Jobs on Ray: what is refused, kept secret, limited and killed."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from drr.app.study.answers import open_answering, open_workplace
from drr.app.study.study_plan import StudyPlan
from drr.app.study.workers import probe_per_system, sent_settings
from drr.env.errors import DrrError
from drr.env.query import Query
from drr.env.settings import Settings
from drr.env.web.sandbox import DOCUMENTS, build_sandbox
from drr.extras.ray.cluster import connect
from drr.extras.ray.limits import NAME, NAMESPACE, CallReport, WorkerLimits
from drr.extras.ray.pool import RayPool
from drr.study.pools import PoolOrder
from drr.study.run import run
from drr.study.study import Study
from drr.study.worker import Opening, Workplace

from tests.agents import garden
from tests.agents.garden import ANNA, write_shop
from tests.rays.nodes import ROOT, files_hold, memory_holds, processes_of
from tests.rays.test_pool import until
from tests.study.plain import assert_same_tables
from tests.study.test_admission import said, units
from tests.wire import Fail, Request, Say, Wire

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("default")]


class Driver:
    """With two workers, and the cluster's actor there."""

    def __init__(self, name: str, most: int) -> None:
        self.workers = [WorkerLimits(f"{name}-{number}", name, most) for number in (1, 2)]

    async def call(self, crowd: Crowd, number: int = 0) -> None:
        limit = self.workers[number % 2].limit("anthropic")
        async with limit.slot(), crowd.counted(self):
            await crowd.door.wait()
        limit.answered()


class Crowd:
    """Who is at the provider now; nobody leaves while the door is closed."""

    def __init__(self) -> None:
        self.there: dict[Driver, int] = {}
        self.door = asyncio.Event()

    @asynccontextmanager
    async def counted(self, driver: Driver) -> AsyncIterator[None]:
        self.there[driver] = self.there.get(driver, 0) + 1
        try:
            yield
        finally:
            self.there[driver] -= 1


def open_crowd() -> Crowd:
    crowd = Crowd()
    crowd.door.set()
    return crowd


@asynccontextmanager
async def drivers(**most: int) -> AsyncIterator[list[Driver]]:
    await asyncio.to_thread(connect, None, 1)
    made = [Driver(name, number) for name, number in most.items()]
    workers = [worker for driver in made for worker in driver.workers]
    keeping = [asyncio.create_task(worker.keep()) for worker in workers]
    try:
        yield made
    finally:
        for task, worker in zip(keeping, workers, strict=True):
            assert not task.done()
            task.cancel()
            await worker.leave()


async def settled(count: Callable[[], int], at: int) -> None:
    await until(lambda: count() == at, f"never {at}")
    await asyncio.sleep(0.7)
    assert count() == at


async def test_drivers_share_what_the_provider_takes_and_each_keeps_to_its_own(cluster: Any) -> None:
    async with drivers(few=2, many=5) as (few, many):
        crowd = Crowd()
        calls = [asyncio.create_task(few.call(crowd, n)) for n in range(6)]
        await settled(lambda: sum(crowd.there.values()), 2)
        calls += [asyncio.create_task(many.call(crowd, n)) for n in range(12)]
        await settled(lambda: sum(crowd.there.values()), 5)
        assert crowd.there == {few: 2, many: 3}
        crowd.door.set()
        async with asyncio.timeout(60):
            await asyncio.gather(*calls)


async def test_one_drivers_429_holds_the_other_back_too(cluster: Any) -> None:
    async with drivers(one=4, other=4) as (one, other):
        crowd = Crowd()
        await one.call(open_crowd())
        limit = one.workers[0].limit("anthropic")
        limit.pushed_back(time.monotonic() - 1.0, 2.0)
        await asyncio.sleep(0.5)
        began = time.monotonic()
        calls = [asyncio.create_task(other.call(crowd, n)) for n in range(8)]
        await until(lambda: bool(crowd.there.get(other)), "nobody goes on")
        assert time.monotonic() - began > 1.0, "the pause that the one was asked for"
        await settled(lambda: crowd.there[other], 2)
        crowd.door.set()
        async with asyncio.timeout(60):
            await asyncio.gather(*calls)


async def test_places_of_a_driver_that_was_killed_and_of_a_lost_actor_are_not_lost(cluster: Any) -> None:
    """A worker says again and again how it stands; this one has three calls under way, and dies."""
    async with drivers(alive=3) as (alive,):
        crowd = Crowd()
        await alive.call(open_crowd())
        await asyncio.sleep(1.0)  # which gives its place back
        ray = await asyncio.to_thread(connect, None, 1)
        limits = ray.get_actor(NAME, namespace=NAMESPACE)
        await limits.hear.remote("dead-1", "dead", 3, {"anthropic": CallReport(3, 3)})
        calls = [asyncio.create_task(alive.call(crowd, n)) for n in range(9)]
        await asyncio.sleep(0.5)
        assert not crowd.there
        await settled(lambda: crowd.there.get(alive, 0), 3)
        ray.kill(limits, no_restart=False)
        await asyncio.sleep(3.0)
        assert crowd.there[alive] == 3
        crowd.door.set()
        async with asyncio.timeout(60):
            await asyncio.gather(*calls)


class Crowded:
    """A provider that counts the calls under way, and pushes one of them back."""

    def __init__(self, pushed_back: int, pause_s: int) -> None:
        """Call number `pushed_back` is refused, with `pause_s` to wait."""
        self.most = 0
        self._pushed_back, self._pause_s = pushed_back, pause_s
        self._under_way: set[int] = set()
        self._refused: float | None = None
        self._after: list[float] = []

    def __call__(self, request: Request) -> Say | Fail:
        self._under_way.add(request.number)
        self.most = max(self.most, len(self._under_way))
        time.sleep(0.05)
        self._under_way.discard(request.number)
        if request.number == self._pushed_back:
            self._refused = time.monotonic()
            return Fail(429, "rate_limit_error", headers={"retry-after": str(self._pause_s)})
        if self._refused is not None:
            self._after.append(time.monotonic() - self._refused)
        return said(request)

    @property
    def in_the_pause(self) -> int:
        """Calls that were answered in it."""
        return len([pause for pause in self._after if pause < self._pause_s])


async def test_two_studies_on_one_cluster_keep_to_one_limit(tmp_path: Path, cluster: Any) -> None:
    """A server that counts, and pushes back once."""
    counted = Crowded(16, 2)

    async def study(name: str, url: str) -> int:
        order = PoolOrder(Opening("tests.study.test_admission:opened", {"url": url}), 1, 6, 4)
        with Study.create(tmp_path / name, {}) as made:
            return (await run(made, units(12), RayPool(order))).done

    with Wire(counted) as wire:
        assert await asyncio.gather(study("one", wire.url), study("two", wire.url)) == [12, 12]
    assert counted.most <= 4
    # Word of the pause takes .2 s, and longer on a busy machine: 7 to 9 calls there, and 101 of 40 units where it is not heard.
    assert counted.in_the_pause <= 25, "what was under way ended, and hardly more began"


PROMPT = Path(garden.__file__).parents[2] / "agents" / "prompts" / "react.md"


@contextmanager
def opened(config: Mapping[str, Any]) -> Iterator[Workplace]:
    """On a node where the folder of `here` is what lies in `there`."""
    document = json.loads(json.dumps(config["document"]).replace(config["here"], config["there"]))
    with open_workplace(document) as place:
        yield place


def things(folder: Path, *, other: bool) -> Path:
    """Prompts, a web and a shop of one node."""
    (folder / "prompts").mkdir(parents=True)
    (folder / "prompts" / "react.md").write_text(PROMPT.read_text() + "Be quick.\n" * other)
    page = {"url": "https://a.example/", "title": "A", "text": "Birds winter here." + " And there." * other}
    (folder / "pages").mkdir()
    (folder / "pages" / DOCUMENTS).write_text(json.dumps(page) + "\n")
    build_sandbox(folder / "pages", folder / "web")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(garden, "ORDERS", garden.ORDERS[other:])
        garden.write_shop(str(folder / "shop"), Settings())
    return folder


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("nodes")
    return things(folder / "own", other=False), things(folder / "other", other=True)


@pytest.mark.parametrize("differs", ["prompts", "shop", "web"])
async def test_what_differs_is_named(
    tmp_path: Path, cluster: Any, nodes: tuple[Path, Path], differs: str
) -> None:
    own, other = nodes
    settings = Settings(prompts=own / "prompts", sandbox=own / "web")
    plan: Any = {"shop": str(own / "shop"), "variants": "react"}
    with open_answering(StudyPlan(**plan), settings) as answering:
        asked = answering.units([Query(id="q", query="Which bird house?", user_id=garden.ANNA)])
    document = {"plan": plan, "settings": sent_settings(settings), "probes": probe_per_system(asked)}
    config = {"document": document, "here": str(own / differs), "there": str(other / differs)}
    pool = RayPool(PoolOrder(Opening("tests.rays.test_limits:opened", config), 1, 1, 1))
    with Study.create(tmp_path / "study", {}) as study:
        with pytest.raises(
            DrrError, match=rf"\(127\.0\.0\.1, process \d+\): .*not what the driver has: another {differs}$"
        ):
            await run(study, asked, pool)
        assert not study.ledger.under_way.keys()
        assert not list(study.records(status=None))


KEY = "sk-ant-not-a-real-key-4711-0815-none-of-yours"


@pytest.fixture(scope="module")
def canary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("canary-in-the-garden")
    write_shop(str(folder / "shop"), Settings())
    rows = [{"id": f"q{n}", "query": f"Which bird house for {n} birds?", "user_id": ANNA} for n in range(6)]
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def drr(folder: Path, *words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "drr", *map(str, words)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": ROOT, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def new(name: str, *more: str) -> list[str]:
    return ["run", name, "--shop", "shop", "--queries", "queries.jsonl", "--variants", "react", *more]


def test_a_worker_without_its_key_is_refused_and_the_drivers_goes_nowhere(canary: Path, cluster: Any) -> None:
    """The control is the folder's name, which the same search finds on the nodes."""
    done = drr(
        canary,
        *new("without", "--model", "anthropic:claude-sonnet-5-5", "--budget", "1"),
        *("--pool", "ray", "--workers", "2", "--quiet"),
        ANTHROPIC_API_KEY=KEY,
    )
    assert done.returncode == 1, done.stderr
    assert "a worker could not begin" in done.stderr and "(127.0.0.1, process " in done.stderr
    assert "ANTHROPIC_API_KEY" in done.stderr and KEY not in done.stderr
    session = Path(cluster.head_node.get_session_dir_path())
    nodes = list(processes_of(session.name))
    assert len(nodes) >= 4
    word = canary.name.encode()
    assert any(memory_holds(process, word) for process in nodes) or files_hold(session, word)
    assert not any(memory_holds(process, KEY.encode()) for process in nodes)
    assert not files_hold(session, KEY.encode())


def test_the_command_leaves_on_a_cluster_what_it_leaves_alone(canary: Path, cluster: Any) -> None:
    """Answers and judgements, the tables byte by byte; the shop is copied once for each node."""
    rays = ("--pool", "ray", "--workers", "2", "--copy-shop")
    for name, way in {"one": (), "many": rays}.items():
        done = drr(canary, *new(name, *way, "--quiet"))
        assert done.returncode == 0, done.stderr
        done = drr(canary, "judge", name, "--what", "rules,faithfulness", *way, "--quiet")
        assert done.returncode == 0, done.stderr
        assert drr(canary, "export", name, "--out", f"{name}-tables", "--canonical").returncode == 0
    assert_same_tables(canary / "one-tables", canary / "many-tables")
    copies = list(cluster.caches.glob("*/drr/copies/*/manifest.json"))
    assert len({path.parents[3] for path in copies}) == len(copies) == 2
    assert {path.read_bytes() for path in copies} == {(canary / "shop/manifest.json").read_bytes()}


def test_doctor_shows_the_cluster(canary: Path, cluster: Any) -> None:
    assert f"ray: {cluster.address}: 3 nodes, 2 CPUs, " in drr(canary, "doctor").stdout
