"""Units that lie with a worker until it has room: how many, begun when, and what becomes of them when it dies."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from drr.llm.budget import Limit
from drr.study.crew import Crew
from drr.study.hand import Hand, UnitStock
from drr.study.pools import Terms
from drr.study.served import Enough, Hire, Hired, ServedWorker
from drr.study.spend import Bank
from drr.study.study import Study
from drr.study.unit import Assignment, Finished, Outcome
from drr.study.worker import Context, Opening, Workplace

from tests.study.plain import offline, units

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
                yield Finished(key, "done", None, None, False, {}, {}, {}, 0, 0.0, 0.0, 0.0)
                self.stock.ahead = 3

    async def kill(self) -> None:
        self._over = True


async def crewed(folder: Path, count: int) -> tuple[dict[str, str], list[Stocked]]:
    """How each unit ended, by its key, and the workers, who take one unit at once and may hold three more."""
    hands: list[Stocked] = []

    async def recruit(hire: Hire) -> Stocked:
        hands.append(Stocked(len(hands), lies=3))
        return hands[-1]

    async def handed() -> AsyncIterator[Assignment]:
        for unit in units(count):
            yield Assignment(unit)

    with Study.create(folder / "study", {}) as study:
        terms = Terms(Bank(study.ledger.accounts, "driver/1/1/0", Limit()))
        hire = Hire(Opening("", {}), Limit(), None, each=1)
        crew = Crew(recruit, hire, terms, count=1, each=1)
        return {one.key: one.reason or one.status async for one in crew.work(handed())}, hands


async def test_what_only_lay_with_a_worker_does_not_die_with_it(tmp_path: Path) -> None:
    """The unit that kills each of its workers is given up after three, and the three that lay behind it are done."""
    ended, hands = await crewed(tmp_path, 6)
    assert [ended[unit.key] for unit in units(6)] == ["done", "done", "worker_lost", "done", "done", "done"]
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
    hire = Hire(Opening("tests.study.test_stock:counted", {}), Limit(), None, each=2, name="n")
    served = ServedWorker(hire, told.append)
    asked = units(9)
    for unit in asked:
        served.hear(Assignment(unit))
    served.hear(Enough())
    await served.serve()
    assert [word.key for word in told if isinstance(word, Finished)] == [unit.key for unit in asked]
    assert max(seen) == 2
