"""The crew of a run: no unit is forgotten or dies with a worker that only held it, and nobody waits for ever, for money or for a worker."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from drr.llm.budget import Limit, SpendAmount
from drr.study import crew, processes
from drr.study.crew import Crew
from drr.study.grants import Grant, GrantPurse, GrantRequest, Grants, Recall, Spent
from drr.study.hand import Hand, UnitStock
from drr.study.pools import Terms
from drr.study.processes import ProcessHand
from drr.study.served import Enough, Hire, Hired, ServedWorker, packed
from drr.study.spend import Bank
from drr.study.study import Study
from drr.study.unit import Assignment, Finished, Outcome
from drr.study.worker import Context, Opening, Workplace

from tests.study.plain import offline, units


def hear(purse: GrantPurse, word: Grant | Recall) -> None:
    if isinstance(word, Grant):
        purse.granted(word)
    else:
        purse.recall()


class Post:
    """Two workers of four calls each and their driver, whose words are under way for a while; calls differ by a few tokens."""

    LIMIT = Limit(tokens=500)
    NAMES = ("elsewhere/1/1/0", "elsewhere/2/1/0")

    def __init__(self, study: Study, seed: int, *, some_leave: bool) -> None:
        self.chance = random.Random(seed)
        self.some_leave = some_leave
        self.to_driver: deque[tuple[str, GrantRequest | Spent]] = deque()
        self.to_worker: dict[str, deque[Grant | Recall]] = {name: deque() for name in self.NAMES}
        bank = Bank(study.ledger.accounts, "driver/1/1/0", self.LIMIT)
        self.grants = Grants(bank, lambda name, word: self.to_worker[name].append(word))
        self.purses = {
            name: GrantPurse(lambda word, name=name: self.to_driver.append((name, word)))  # type: ignore[misc]
            for name in self.NAMES
        }
        self.waiting: dict[str, list[SpendAmount]] = {name: [] for name in self.NAMES}
        self.held: dict[str, list[SpendAmount]] = {name: [] for name in self.NAMES}
        self.left = 60
        for name in self.NAMES:
            self.grants.join(name)

    def poll(self, name: str) -> None:
        """As all calls of a worker that wait do when something changed, in the order in which they came."""
        for amount in list(self.waiting[name]):
            verdict = self.purses[name].reserve(amount, self.LIMIT)
            if verdict != "wait":
                self.waiting[name].remove(amount)
            if verdict == "granted":
                self.held[name].append(amount)

    def step(self) -> bool:
        """Something that can happen; false where nothing can but that somebody looks again."""
        can: list[Callable[[], object]] = []
        if self.to_driver:
            can.append(lambda: self.grants.hear(*self.to_driver.popleft()))
        for name in self.NAMES:
            can += [partial(self._worker_hears, name)] if self.to_worker[name] else []
            can += [partial(self._call_ends, name)] if self.held[name] else []
            if self.left and len(self.waiting[name]) + len(self.held[name]) < 4:
                can.append(partial(self._call_begins, name))
            if self.some_leave and self.waiting[name] and self.chance.random() < 0.1:
                can.append(partial(self.waiting[name].pop, 0))
        if can:
            self.chance.choice(can)()
        return bool(can)

    def _worker_hears(self, name: str) -> None:
        hear(self.purses[name], self.to_worker[name].popleft())
        self.poll(name)

    def _call_begins(self, name: str) -> None:
        self.left -= 1
        self.waiting[name].append(SpendAmount(tokens=self.chance.randint(58, 61)))
        self.poll(name)

    def _call_ends(self, name: str) -> None:
        self.purses[name].settle(self.held[name].pop(), SpendAmount(tokens=self.chance.randint(5, 15)))
        self.poll(name)

    def look_again(self) -> None:
        """A second later."""
        self.grants.remind()
        for name in self.NAMES:
            self.poll(name)


@pytest.mark.long
@pytest.mark.parametrize("some_leave", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_every_call_is_granted_or_refused_in_the_end(study: Study, seed: int, some_leave: bool) -> None:
    """Two calls of one worker may ask for money at once, and what comes for one may be taken by the other."""
    post = Post(study, seed, some_leave=some_leave)
    for _ in range(20):
        while post.step():
            pass
        post.look_again()
    assert post.waiting == {name: [] for name in post.NAMES}
    assert not any(post.held.values()) and post.left == 0


def test_what_was_granted_to_a_call_that_is_gone_comes_back(study: Study) -> None:
    """The other worker waits for it, and no call of the one that has it asks for anything."""
    bank = Bank(study.ledger.accounts, "driver/1/1/0", Limit(tokens=100))
    told = deque[tuple[str, Grant | Recall]]()
    grants = Grants(bank, lambda name, word: told.append((name, word)))
    purses = {name: GrantPurse(partial(grants.hear, name)) for name in Post.NAMES}

    def deliver() -> None:
        while told:
            name, word = told.popleft()
            hear(purses[name], word)

    for name in Post.NAMES:
        grants.join(name)
    one, two = purses.values()

    def asks(purse: GrantPurse, tokens: int) -> str:
        if (verdict := purse.reserve(SpendAmount(tokens=tokens), Post.LIMIT)) == "wait":
            deliver()
            verdict = purse.reserve(SpendAmount(tokens=tokens), Post.LIMIT)
        return verdict

    assert (asks(one, 70), asks(two, 60), asks(one, 65)) == ("granted", "wait", "wait")
    one.settle(SpendAmount(tokens=70), SpendAmount(tokens=1))
    deliver()
    assert asks(two, 60) == "granted"
    two.settle(SpendAmount(tokens=60), SpendAmount(tokens=1))
    deliver()  # 65 for the second call of the first worker, which was cancelled meanwhile
    assert asks(two, 60) == "wait"
    grants.remind()
    deliver()
    assert asks(two, 60) == "granted"


# -- workers that die, or do not end


class Lent(Hand):
    """Finishes what it is told, if it `works`; a `mortal` one is gone at the first unit, and nobody knows at once why.

    A `deaf` one is not ended by what it is told, an `undead` one not by being killed.
    """

    died, ending = True, "somehow"

    def __init__(self, number: int = 1, *, works: bool = False, mortal: bool = False, deaf: bool = False, undead: bool = False) -> None:  # fmt: skip
        super().__init__()
        self.killed, self.told = 0, asyncio.Event()
        self._works, self._mortal, self._deaf, self._undead = works, mortal, deaf, undead
        self._words: asyncio.Queue[object] = asyncio.Queue()
        self._words.put_nowait(Hired(f"elsewhere/{number}/1/0"))

    def tell(self, message: object) -> None:
        self.told.set()
        match message:
            case Assignment() if self._mortal:
                self.go()
            case Assignment() if self._works:
                self._words.put_nowait(ended(message.unit.key))
            case Enough() if not self._deaf:
                self.go()

    def go(self) -> None:
        self._words.put_nowait(None)

    async def heard(self) -> AsyncIterator[object]:
        while (word := await self._words.get()) is not None:
            yield word

    async def is_to_blame(self) -> bool:
        await asyncio.sleep(0.2)
        return False

    async def kill(self) -> None:
        self.killed += 1
        if not self._undead:
            self.go()


def ended(key: str) -> Finished:
    return Finished(key, "done", None, None, False, {}, {}, {}, 0, 0.0, 0.0, 0.0)


async def handed(count: int = 2) -> AsyncIterator[Assignment]:
    for unit in units(count):
        yield Assignment(unit)


def crew_of(study: Study, recruit: Callable[[Hire], Coroutine[Any, Any, Hand]], count: int = 1, each: int = 3) -> Crew:  # fmt: skip
    terms = Terms(Bank(study.ledger.accounts, "driver/1/1/0", Limit()))
    return Crew(recruit, Hire(Opening("", {}), Limit(), None, each=each), terms, count=count, each=each)


async def test_no_unit_is_forgotten_while_it_is_asked_how_its_worker_died(study: Study) -> None:
    begun: list[Lent] = []

    async def recruit(hire: Hire) -> Lent:
        begun.append(Lent(len(begun), works=True, mortal=not begun))
        return begun[-1]

    done = [finished.key async for finished in crew_of(study, recruit, count=2).work(handed(6))]
    assert sorted(done) == sorted(unit.key for unit in units(6))
    assert len(begun) == 3


@pytest.mark.parametrize("undead", [False, True])
async def test_who_stops_at_once_waits_for_no_worker_for_ever(
    study: Study, monkeypatch: pytest.MonkeyPatch, undead: bool
) -> None:
    monkeypatch.setattr(crew, "_LAST_WORDS_S", 0.05)
    hand = Lent(deaf=True, undead=undead)

    async def recruit(hire: Hire) -> Lent:
        return hand

    async def finished() -> list[Finished]:
        return [one async for one in its.work(handed())]

    its = crew_of(study, recruit)
    working = asyncio.create_task(finished())
    await hand.told.wait()
    its.cancel()
    async with asyncio.timeout(20):
        assert await working == []
    assert hand.killed == 1
    assert hand.reading is not None and hand.reading.done()


async def test_who_is_begun_while_the_run_ends_is_ended_too(study: Study) -> None:
    hands, begin = [Lent(), Lent()], asyncio.Event()
    waited = asyncio.Event()

    async def recruit(hire: Hire) -> Lent:
        if begun:
            waited.set()
            await begin.wait()
        begun.append(hands[len(begun)])
        return begun[-1]

    begun: list[Lent] = []
    its = crew_of(study, recruit)
    working = its.work(handed())
    first = asyncio.ensure_future(anext(working))
    await hands[0].told.wait()
    hands[0].go()
    await waited.wait()
    first.cancel()
    asyncio.get_running_loop().call_later(0.05, begin.set)
    with pytest.raises(asyncio.CancelledError):
        await first
    assert hands[1].killed == 1


async def test_a_process_that_left_its_pipes_to_another_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_LEFT", 0)
    hand = await ProcessHand.begin("/bin/sh", "-c", "sleep 60 & exit 3")
    async with asyncio.timeout(20):
        assert [word async for word in hand.heard()] == []
    assert hand.died and hand.ending == "with exit code 3"


async def test_a_process_that_nobody_hears_is_killed_all_the_same() -> None:
    """Python waits for a process until all that it wrote was read."""
    hand = await ProcessHand.begin("/bin/sh", "-c", "head -c 4000000 /dev/zero; sleep 60")
    async with asyncio.timeout(20):
        await hand.kill()


STUCK = """
from drr.study import process_worker
process_worker.PATIENCE_S = 0.2
process_worker.main()
"""


@pytest.mark.long
def test_a_worker_whose_unit_does_not_end_does_not_outlive_its_driver() -> None:
    paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    worker = subprocess.Popen(
        [sys.executable, "-c", STUCK],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert worker.stdin is not None and worker.stdout is not None
    worker.stdin.write(packed(Hire(Opening("tests.study.test_crews:opened", {}), Limit(), None)))
    worker.stdin.write(packed(Assignment(units(1)[0])))
    worker.stdin.flush()
    said = worker.stdout.read(1)  # its name, and later that the unit is begun
    worker.stdin.close()
    assert said and worker.wait(30) == 1
    worker.stdout.close()


@contextmanager
def opened(config: Mapping[str, Any]) -> Iterator[Workplace]:
    async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
        while True:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(60)

    yield Workplace(work, offline())


# -- units that lie with a worker until it has room

POISON = 2


class Stocked(Hand):
    """Begins what it is told one after another, in its order, and dies of one unit; what it was told at once it holds until then."""

    died, ending = True, "somehow"

    def __init__(self, number: int, lies: int) -> None:
        super().__init__()
        self.stock.ahead = lies
        self.most = 0
        self._told: list[str] = []
        self._number = number
        self._over = False

    def tell(self, message: object) -> None:
        match message:
            case Assignment():
                self._told.append("poison" if message.unit.spec["n"] == POISON else message.unit.key)
            case Enough():
                self._over = True

    async def heard(self) -> AsyncIterator[object]:
        yield Hired(f"elsewhere/{self._number}/1/0")
        while self._told or not self._over:
            await asyncio.sleep(0)
            self.most = max(self.most, len(self._told))
            if self._told and (key := self._told.pop(0)) == "poison":
                return
            elif key:
                yield ended(key)
                self.stock.ahead = 3

    async def kill(self) -> None:
        self._over = True


async def test_what_only_lay_with_a_worker_does_not_die_with_it(study: Study) -> None:
    """The unit that kills each of its workers is given up after three, and the three that lay behind it are done."""
    hands: list[Stocked] = []

    async def recruit(hire: Hire) -> Stocked:
        hands.append(Stocked(len(hands), lies=3))
        return hands[-1]

    its = crew_of(study, recruit, each=1)
    how = {one.key: one.reason or one.status async for one in its.work(handed(6))}
    assert [how[unit.key] for unit in units(6)] == ["done", "done", "worker_lost", "done", "done", "done"]
    assert max(hand.most for hand in hands) == 4, "one that it works on, three that lie there"
    assert len(hands) == 4


async def test_a_stock_is_what_a_worker_does_in_half_a_second() -> None:
    now = [0.0]
    stock = UnitStock(lambda: now[0])
    assert stock.ahead == 0
    for _ in range(100):
        now[0] += 0.01
        stock.ended()
    assert 40 <= stock.ahead <= 55
    for _ in range(20):
        now[0] += 3.0
        stock.ended()
    assert stock.ahead == 0, "of long units none waits behind another"
    for _ in range(100_000):
        now[0] += 0.0001
        stock.ended()
    assert stock.ahead == 256


under_way: list[int] = []
seen: list[int] = []


@contextmanager
def counted(config: Mapping[str, Any]) -> Iterator[Workplace]:
    async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
        under_way.append(spec["n"])
        seen.append(len(under_way))
        await asyncio.sleep(0)
        under_way.remove(spec["n"])
        return Outcome({"n": spec["n"]})

    yield Workplace(work, offline())


async def test_a_worker_begins_no_more_than_its_share_in_the_order_it_was_handed() -> None:
    told: list[object] = []
    hire = Hire(Opening("tests.study.test_crews:counted", {}), Limit(), None, each=2, name="n")
    served = ServedWorker(hire, told.append)
    asked = units(9)
    for unit in asked:
        served.hear(Assignment(unit))
    served.hear(Enough())
    await served.serve()
    assert [word.key for word in told if isinstance(word, Finished)] == [unit.key for unit in asked]
    assert max(seen) == 2
