"""Pools: the same records from one process and from several; workers that die, that cannot open, that outlive nobody."""

from __future__ import annotations

import asyncio
import pickle
import random
import signal
import subprocess
import sys
import time
from collections import deque
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from drr.env.errors import DrrError, Misuse
from drr.env.user_code import ENDINGS, code_files, code_hash
from drr.llm.budget import Limit, SpendAmount
from drr.study.export import export
from drr.study.grants import Grant, GrantPurse, Grants, Recall
from drr.study.handout import LongestFirst
from drr.study.leases import Moment
from drr.study.pools import POOLS, InProcessPool, PoolOrder, make_pool, pool_name
from drr.study.processes import ProcessPool
from drr.study.run import run
from drr.study.served import Enough, Hire, Hired, ServedWorker, Unfit
from drr.study.spend import Bank
from drr.study.study import Study
from drr.study.unit import Outcome, Unit
from drr.study.worker import Opening

from tests.commands import Drr
from tests.study.plain import units
from tests.test_rooms import FOLDERS
from tests.test_wheel import tracked


def opening(**config: Any) -> Opening:
    return Opening("tests.study.plain:opened", config)


def processes(workers: int = 2, **config: Any) -> ProcessPool:
    return ProcessPool(opening(**config), workers=workers, units=4)


def here() -> InProcessPool:
    """For what is left of a study, where it matters only that it is left."""
    return InProcessPool.of_opening(opening(), 4)


@pytest.mark.long
async def test_every_pool_leaves_the_same_bytes(tmp_path: Path) -> None:
    pools = {"one": InProcessPool.of_opening(opening(), 4), "several": processes()}
    spent = []
    for name, pool in pools.items():
        with Study.create(tmp_path / name, {}) as study:
            summary = await run(study, units(40), pool)
            assert (summary.done, summary.left, summary.ok) == (40, 0, True)
            assert not study.ledger.leases.running(Moment(0, 0))
            export(study, tmp_path / f"{name}-tables", canonical=True)
            spent.append(study.ledger.accounts.total())
    assert spent[0] == spent[1]
    for file in sorted((tmp_path / "one-tables").iterdir()):
        assert file.read_bytes() == (tmp_path / "several-tables" / file.name).read_bytes(), file.name


async def test_processes_are_started_for_what_is_missing_and_no_others(study: Study, tmp_path: Path) -> None:
    """Each that begins leaves a mark; a pool's end waits for all of them."""
    begun = tmp_path / "begun"
    begun.mkdir()
    assert (await run(study, units(6), here())).done == 6
    summary = await run(study, units(6), processes(begun=str(begun)))
    assert (summary.done, summary.left, summary.ok) == (0, 0, True)
    assert not list(begun.iterdir())
    assert (await run(study, units(7), processes(begun=str(begun)))).done == 1
    assert len(list(begun.iterdir())) == 1


@pytest.mark.long
async def test_a_budget_holds_over_all_workers_and_nothing_stays_reserved(study: Study) -> None:
    stopped = await run(study, units(60), processes(), budget=Limit(tokens=500))
    assert stopped.stopped == "budget"
    assert 0 < stopped.done < 60
    spending = study.ledger.accounts.total()
    assert 300 < spending.tokens <= 500
    assert spending.reserved_tokens == 0
    rest = await run(study, units(60), here(), budget=Limit(tokens=100_000))
    assert rest.done == 60 - stopped.done


@pytest.mark.long
async def test_a_unit_whose_worker_died_is_begun_again_in_another(study: Study, tmp_path: Path) -> None:
    pool = processes(die=[5, 17], once=str(tmp_path))
    summary = await run(study, units(30), pool, budget=Limit(tokens=1_000_000))
    assert (summary.done, summary.left) == (30, 0)
    used = sum(u["input_tokens"] + u["output_tokens"] for r in study.records() for u in r.usage.values())
    spending = study.ledger.accounts.total()
    assert spending.tokens < spending.most_tokens, "what the dead were granted may have been spent"
    assert spending.most_tokens > used
    assert spending.reserved_tokens == 0


@pytest.mark.long
async def test_a_unit_that_kills_its_workers_fails_and_the_others_do_not(study: Study) -> None:
    summary = await run(study, units(20), processes(die=[3], save=True))
    assert summary.failures["worker_lost"] >= 1
    assert summary.done == 20 - sum(summary.failures.values())
    assert set(summary.failures) == {"worker_lost"}
    lost = next(r for r in study.records(status="failed") if r.spec["n"] == 3)
    assert lost.transient and "until-now" not in lost.blobs
    saved = study.ledger.saved.of_unit(lost.key, "until")
    assert saved == {"until-now": b"half of 3"}, "the dead had saved it"
    rest = await run(study, units(20), here())
    assert (summary.done + rest.done, rest.left) == (20, 0)


async def test_what_a_unit_saves_stays_until_its_record_holds_it(study: Study) -> None:
    await run(study, units(4), InProcessPool.of_opening(opening(save=True), 4))
    saved = [study.ledger.saved.of_unit(unit.key, "until") for unit in units(4)]
    assert saved == [{"until-now": b"half of 0"}, {}, {"until-now": b"half of 2"}, {}]
    assert study.ledger.saved.of_unit(units(4)[0].key, "other") == {}


@pytest.mark.long
async def test_a_worker_that_cannot_open_its_shop_is_said_in_its_own_words(study: Study) -> None:
    for pool, said in (
        (processes(shop="gone"), "gone: no shop"),
        (ProcessPool(Opening("nowhere.at:all", {}), workers=1), "nowhere"),
    ):
        with pytest.raises(DrrError, match=said):
            await run(study, units(3), pool)
    assert not study.ledger.leases.running(Moment(0, 0))


DRIVER = """
import asyncio, sys
from pathlib import Path
from drr.study.processes import ProcessPool
from drr.study.run import run
from drr.study.study import Study
from drr.study.worker import Opening
from tests.study.plain import units
with Study.open(Path(sys.argv[1])) as study:
    pool = ProcessPool(Opening("tests.study.plain:opened", {"pause": float(sys.argv[2])}), workers=2, units=2)
    summary = asyncio.run(run(study, units(40), pool))
    print(summary.stopped, summary.done)
"""


def driver(study: Study, pause_s: float) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", DRIVER, str(study.folder), str(pause_s)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def until_some_finished(study: Study, count: int = 3) -> None:
    deadline = time.monotonic() + 60
    while len(list(study.records())) < count:
        assert time.monotonic() < deadline, "nothing finishes"
        time.sleep(0.02)


def children(process: subprocess.Popen[str]) -> list[int]:
    return [int(p) for p in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
@pytest.mark.long
async def test_workers_do_not_outlive_a_driver_that_was_killed(study: Study) -> None:
    began = driver(study, 0.05)
    until_some_finished(study)
    workers = children(began)
    assert len(workers) == 2
    began.kill()
    began.wait()
    async with asyncio.timeout(30):
        while any(Path(f"/proc/{pid}").exists() for pid in workers):
            await asyncio.sleep(0.05)
    before = {record.key: record.attempts for record in study.records()}
    summary = await run(study, units(40), here())
    assert summary.done == 40 - len(before)
    assert {record.attempts for record in study.records()} == {1}


@pytest.mark.long
def test_ctrl_c_lets_the_units_of_all_workers_finish(study: Study) -> None:
    began = driver(study, 0.2)
    until_some_finished(study)
    began.send_signal(signal.SIGINT)
    said = began.communicate(timeout=60)[0].split()
    assert said == ["interrupted", str(len(list(study.records())))]
    assert not study.ledger.leases.running(Moment(0, 0))
    assert {record.status for record in study.records(status=None)} == {"done"}


# -- money in portions


class Wired:
    """Workers and their driver in one thread, each word heard at once."""

    def __init__(self, study: Study, limit: Limit) -> None:
        self.limit = limit
        self.bank = Bank(study.ledger.accounts, "driver/1/1/0", limit)
        self.grants = Grants(self.bank, self.tell)
        self.purses: dict[str, GrantPurse] = {}
        self.held: dict[str, list[SpendAmount]] = {}

    def join(self, *names: str) -> list[GrantPurse]:
        for name in names:
            self.purses[name], self.held[name] = GrantPurse(partial(self.grants.hear, name)), []
            self.grants.join(name)
        return list(self.purses.values())

    def tell(self, name: str, message: Grant | Recall) -> None:
        purse = self.purses[name]
        if isinstance(message, Grant):
            purse.granted(message)
        else:
            purse.recall()


TWO = ("elsewhere/1/1/0", "elsewhere/2/1/0")


def test_who_still_waits_at_the_end_is_granted_nothing(study: Study) -> None:
    """A worker that was told to end has given back what it held; what came after that would stay reserved."""
    wired, call = Wired(study, Limit(tokens=100)), SpendAmount(tokens=60)
    busy, waits = wired.join(*TWO)
    assert [busy.reserve(call, wired.limit) for _ in range(2)] == ["wait", "granted"]
    assert waits.reserve(call, wired.limit) == "wait"
    wired.grants.close()
    waits.give_back()
    busy.settle(call, SpendAmount(tokens=10))
    busy.give_back()
    for name in wired.purses:
        wired.grants.leave(name, died=False)
    wired.bank.flush()
    total = study.ledger.accounts.total()
    assert (total.tokens, total.reserved_tokens) == (10, 0)
    assert waits.in_hand == SpendAmount()


def test_what_one_worker_gives_back_is_granted_to_who_waits_at_once(study: Study) -> None:
    """Also while no unit ends, so that nothing else is written: all workers may wait for money."""
    wired = Wired(study, Limit(tokens=100))
    one, two = wired.join(*TWO)
    assert [one.reserve(SpendAmount(0, 90), wired.limit) for _ in range(2)] == ["wait", "granted"]
    assert [two.reserve(SpendAmount(0, 60), wired.limit) for _ in range(2)] == ["wait", "wait"]
    one.settle(SpendAmount(0, 90), SpendAmount(0, 10))
    assert two.reserve(SpendAmount(0, 60), wired.limit) == "granted"


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_what_is_granted_and_what_is_spent_never_exceed_the_budget(study: Study, seed: int) -> None:
    chance = random.Random(seed)
    limit = Limit(cost=16_000, tokens=8_000)
    wired = Wired(study, limit)
    really = SpendAmount()
    wired.join(*(f"elsewhere/{number}/1/0" for number in range(3)))
    verdicts = set()
    for step in range(250):
        name = chance.choice(sorted(wired.purses))
        purse, held = wired.purses[name], wired.held[name]
        if held and chance.random() < 0.5:
            reserved = held.pop()
            spent = SpendAmount(chance.randint(0, reserved.cost), chance.randint(0, reserved.tokens))
            really += spent
            purse.settle(reserved, spent)
        elif step % 50 == 49:
            del wired.purses[name]
            wired.grants.leave(name, died=True)
            really += sum(wired.held.pop(name), SpendAmount())
            wired.join(f"elsewhere/{step}/1/0")
        else:
            tokens = chance.randint(1, 900)
            amount = SpendAmount(2 * tokens, tokens)
            verdict = purse.reserve(amount, limit)
            if verdict == "wait":  # as a call does that was told that something changed
                verdict = purse.reserve(amount, limit)
            verdicts.add(verdict)
            if verdict == "granted":
                held.append(amount)
        wired.bank.flush()
        total = study.ledger.accounts.total()
        assert limit.holds(SpendAmount(total.most_cost, total.most_tokens))
        in_flight = [amount.tokens for held in wired.held.values() for amount in held]
        assert really.tokens + sum(in_flight) <= total.most_tokens
    assert verdicts == {"granted", "wait", "refused"}
    for name, purse in wired.purses.items():
        for reserved in wired.held[name]:
            purse.settle(reserved, reserved)
        purse.give_back()
    wired.bank.flush()
    assert study.ledger.accounts.total().reserved_tokens == 0


async def test_units_and_what_is_left_of_them_are_plain_data(study: Study) -> None:
    """The spec of a unit is what crosses to another process; what cannot be pickled cannot be worked on elsewhere."""
    unit = Unit("answer", {"n": 1, "nested": {"a": [1, None, "é"]}}, {"n": 1}, "unit-1")
    again = pickle.loads(pickle.dumps(unit))
    assert (again, again.key) == (unit, unit.key)
    with pytest.raises(TypeError):
        study.ledger.units.register([Unit("answer", {"n": Outcome({})}, {}, "no")])


async def test_the_last_units_begin_with_those_that_take_longest(study: Study) -> None:
    """Where many are in flight; those that few are in flight of begin in the order asked for."""
    await run(study, units(3), here())
    with study.ledger.units._db.writing() as db:
        for name, seconds in (("v0", 1.0), ("v1", 30.0), ("v2", 9.0)):
            db.execute(
                "UPDATE records SET seconds = ? WHERE key IN (SELECT key FROM units WHERE json_extract(spec, '$.variant') = ?)",
                (seconds, name),
            )
    asked = units(12)[3:]
    study.ledger.units.register(asked)
    keys = [unit.key for unit in asked]
    shown = {unit.key: unit.spec["variant"] for unit in asked}
    for size, begun in ((4, keys), (5, [keys[1], keys[4], keys[7], keys[2], keys[5], keys[8], *keys[0::3]])):
        waiting = deque(keys)
        LongestFirst(study.ledger, asked, size).settle(waiting, set())
        assert list(waiting) == begun, [shown[key] for key in waiting]


# -- pools by name


def test_a_pool_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch, drr: Drr) -> None:
    """What is misspelt, and what is not installed, is said in one line before anything is begun."""
    from drr.extras.ray import cluster as ray_cluster

    monkeypatch.setattr(ray_cluster, "find_spec", lambda name: None)
    order = PoolOrder(opening(), 2, 4, 8)
    assert isinstance(make_pool("processes", order), ProcessPool)
    with pytest.raises(Misuse, match=r"pip install .*\[ray\]"):
        make_pool("ray", order)
    with pytest.raises(Misuse, match="known are in-process, processes, ray"):
        pool_name("rey")
    assert pool_name("ray://head:10001") == ("ray", "ray://head:10001")
    assert drr("judge", "nowhere", "--pool")[0] == 2


async def test_one_more_pool_is_one_line(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(POOLS, "toy", "tests.study.test_pools:toy")
    pool = make_pool(pool_name("toy")[0], PoolOrder(opening(), 1, 4, 8))
    assert (await run(study, units(5), pool)).done == 5


def toy(order: PoolOrder) -> InProcessPool:
    return InProcessPool.of_opening(order.opening, order.units)


async def test_a_worker_with_other_code_is_refused_and_the_code_is_every_file_of_a_wheel(
    study: Study,
) -> None:
    told: list[object] = []
    await ServedWorker(Hire(opening(), Limit(), None, code="0" * 64), told.append).serve()
    assert [type(word) for word in told] == [Unfit]
    told.clear()
    served = ServedWorker(Hire(opening(), Limit(), None, code=code_hash(), name="n"), told.append)
    served.hear(Enough())
    await served.serve()
    assert told[0] == Hired("n")
    files = {name for name in tracked(*FOLDERS) if name.endswith(ENDINGS)}
    assert {name for name, _ in code_files()} == files
