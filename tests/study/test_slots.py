"""Places for a provider's calls, shared by workers: never more than allowed, nobody starves, one 429 slows all of them once."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from pathlib import Path

import pytest
from drr.study.processes import ProcessPool
from drr.study.run import run
from drr.study.slots import PushedBack, SharedSlots, SlotGrant, SlotPurse, SlotRecall, SlotWord
from drr.study.study import Study
from drr.study.worker import Opening

from tests.study.crowded import Crowded
from tests.study.test_admission import units
from tests.wire import Wire


class Town:
    """Workers and their driver in one thread; words arrive in order, and later."""

    def __init__(self, most: int) -> None:
        self.now = 100.0
        self.slots = SharedSlots(most, self.tell, lambda: self.now)
        self.purses: dict[str, SlotPurse] = {}
        self.running = self.highest = 0
        self.words = 0

    def join(self, name: str) -> None:
        def hear(word: SlotWord) -> None:
            self.words += 1
            asyncio.get_running_loop().call_soon(self.hear, name, word)

        self.purses[name] = SlotPurse(hear)
        self.slots.join(name)

    def hear(self, name: str, word: SlotWord) -> None:
        if name in self.purses:
            self.slots.hear(name, word)

    def tell(self, name: str, word: SlotGrant | SlotRecall) -> None:
        purse = self.purses[name]
        told = purse.granted if isinstance(word, SlotGrant) else purse.recall
        asyncio.get_running_loop().call_soon(told, word)

    async def call(self, name: str, turns: int = 3) -> None:
        limit = self.purses[name].limit("anthropic")
        async with limit.slot():
            self.running += 1
            self.highest = max(self.highest, self.running)
            try:
                for _ in range(turns):
                    await asyncio.sleep(0)
            finally:
                self.running -= 1
        limit.answered()


@pytest.mark.parametrize("most", [1, 3, 50])
async def test_no_more_calls_than_allowed_and_every_one_gets_its_turn(most: int) -> None:
    town = Town(most)
    for number in range(4):
        town.join(f"w{number}")
    async with asyncio.timeout(20):
        await asyncio.gather(*(town.call(f"w{n % 4}") for n in range(200)))
    assert town.highest <= most
    assert town.highest == min(most, 200)


async def test_where_there_is_room_a_worker_asks_once_and_one_429_slows_all_once() -> None:
    town = Town(100)
    town.join("w")
    for _ in range(50):
        await town.call("w")
    assert town.words == 1


async def test_calls_that_were_cancelled_and_workers_that_died_hold_nothing() -> None:
    chance = random.Random(5)
    town = Town(2)
    for name in ("a", "b"):
        town.join(name)
    calls = [asyncio.create_task(town.call(chance.choice("ab"), 5)) for _ in range(40)]
    await asyncio.sleep(0)
    for call in calls[::3]:
        call.cancel()
    async with asyncio.timeout(20):
        await asyncio.gather(*calls, return_exceptions=True)
    held = asyncio.create_task(town.call("a", 10**9))
    for _ in range(10):
        await asyncio.sleep(0)
    assert town.running == 1
    del town.purses["a"]
    town.slots.leave("a")
    held.cancel()
    with suppress(asyncio.CancelledError):
        await held
    async with asyncio.timeout(20):
        await asyncio.gather(*(town.call("b") for _ in range(20)))


async def test_one_429_slows_all_workers_once_and_answers_bring_the_pace_back() -> None:
    town = Town(8)
    for name in ("a", "b"):
        town.join(name)
    await asyncio.gather(*(town.call(name) for name in "aaaabbbb"))
    assert town.highest == 8
    for name in ("a", "a", "b"):  # all of them were under way when the first came
        town.slots.hear(name, PushedBack("anthropic", ago=2.0, wait=5.0))
    for _ in range(5):
        await asyncio.sleep(0)
    town.highest = 0
    calls = [asyncio.create_task(town.call(name)) for name in "ab" * 10]
    for _ in range(20):
        await asyncio.sleep(0)
    assert town.highest == 0, "nothing is asked before the pause is over"
    town.now += 5.0
    town.slots.look_again()
    async with asyncio.timeout(20):
        await asyncio.gather(*calls)
    assert 4 <= town.highest < 8
    async with asyncio.timeout(20):
        await asyncio.gather(*(town.call(name) for name in "ab" * 200))
    assert town.highest == 8


# -- over the wire


@pytest.mark.long
async def test_two_processes_keep_to_one_limit_and_wait_together(tmp_path: Path) -> None:
    """A server that counts: never more at once than all are allowed, and in the pause that it asks for nobody goes on."""
    counted = Crowded(12, 3)

    with Wire(counted) as wire, Study.create(tmp_path / "study", {}) as study:
        opening = Opening("tests.study.test_admission:opened", {"url": wire.url})
        pool = ProcessPool(opening, workers=2, units=6, calls=4)
        summary = await run(study, units(16), pool)
    assert (summary.done, summary.left) == (16, 0)
    assert counted.most <= 4
    assert counted.in_the_pause <= 8, "what was under way ended, and hardly more began"
