"""The crew of a run: what a lost worker had is not forgotten while it is found out how it was lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from drr.llm.budget import Limit
from drr.study.crew import Crew
from drr.study.hand import Hand
from drr.study.pools import Terms
from drr.study.served import Enough, Hire, Hired
from drr.study.spend import Bank
from drr.study.study import Study
from drr.study.unit import Assignment, Finished
from drr.study.worker import Opening

from tests.study.plain import units


class Lent(Hand):
    """Finishes what it is told in its own time; a `mortal` one is gone at the first unit, and nobody knows at once why."""

    died, ending = True, "somehow"

    def __init__(self, number: int, mortal: bool) -> None:
        super().__init__()
        self._words: asyncio.Queue[object] = asyncio.Queue()
        self._words.put_nowait(Hired(f"elsewhere/{number}/1/0"))
        self._mortal = mortal

    def tell(self, message: object) -> None:
        match message:
            case Assignment() if self._mortal:
                self._words.put_nowait(None)
            case Assignment():
                key = message.unit.key
                self._words.put_nowait(Finished(key, "done", None, None, False, {}, {}, {}, 0, 0.0, 0.0, 0.0))
            case Enough():
                self._words.put_nowait(None)

    async def heard(self) -> AsyncIterator[object]:
        while (word := await self._words.get()) is not None:
            yield word

    async def is_to_blame(self) -> bool:
        await asyncio.sleep(0.2)
        return False

    async def kill(self) -> None:
        self._words.put_nowait(None)


async def test_no_unit_is_forgotten_while_it_is_asked_how_its_worker_died(tmp_path: Path) -> None:
    begun = 0

    async def recruit(hire: Hire) -> Lent:
        nonlocal begun
        begun += 1
        return Lent(begun, mortal=begun == 1)

    async def handed() -> AsyncIterator[Assignment]:
        for unit in units(6):
            yield Assignment(unit)

    with Study.create(tmp_path / "study", {}) as study:
        terms = Terms(Bank(study.ledger.accounts, "driver/1/1/0", Limit()))
        crew = Crew(recruit, Hire(Opening("", {}), Limit(), None), terms, count=2, each=3)
        done = [finished.key async for finished in crew.work(handed())]
    assert sorted(done) == sorted(unit.key for unit in units(6))
    assert begun == 3
