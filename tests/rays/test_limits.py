"""One actor keeps the providers' limits for all drivers of a cluster: what one is refused for, none of them goes on asking for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from drr.extras.ray.cluster import connect
from drr.extras.ray.limits import NAME, NAMESPACE, ClusterSlots, HeldPlaces
from drr.extras.ray.pool import RayPool
from drr.study.pools import PoolOrder
from drr.study.run import run
from drr.study.slots import SlotGrant, SlotPurse
from drr.study.study import Study
from drr.study.worker import Opening

from tests.rays.test_pool import until
from tests.study.crowded import Crowded
from tests.study.test_admission import units
from tests.wire import Wire

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("default")]


class Driver:
    """With two workers here, and the cluster's actor there."""

    def __init__(self, name: str, most: int) -> None:
        self.errors: list[Exception] = []
        self.slots = ClusterSlots(name, most, self._tell, self.errors.append, poll_s=0.5)
        self.purses = {worker: self._purse(worker) for worker in (f"{name}-1", f"{name}-2")}
        for worker in self.purses:
            self.slots.join(worker)

    def _purse(self, worker: str) -> SlotPurse:
        return SlotPurse(lambda word: self.slots.hear(worker, word))

    def _tell(self, worker: str, word: Any) -> None:
        purse = self.purses[worker]
        if isinstance(word, SlotGrant):
            purse.granted(word)
        else:
            purse.recall(word)

    async def call(self, crowd: Crowd, number: int = 0) -> None:
        limit = self.purses[sorted(self.purses)[number % 2]].limit("anthropic")
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
    ray = await asyncio.to_thread(connect, None, 1)
    made = [Driver(name, number) for name, number in most.items()]
    for driver in made:
        driver.slots.begin(ray)
    try:
        yield made
    finally:
        for driver in made:
            await driver.slots.end()
            assert not driver.errors


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
        limit = one.purses["one-1"].limit("anthropic")
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
    """A driver says for a while that it lives, by asking what there is to hear; this one has three calls under way, and dies."""
    async with drivers(alive=3) as (alive,):
        crowd = Crowd()
        await alive.call(open_crowd())
        ray = await asyncio.to_thread(connect, None, 1)
        limits = ray.get_actor(NAME, namespace=NAMESPACE)
        await limits.join.remote("dead", 3, {"anthropic": HeldPlaces(3, 0)}, 0.5)
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
    assert counted.in_the_pause <= 8, "what was under way ended, and hardly more began"
