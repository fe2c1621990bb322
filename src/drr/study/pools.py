"""Pools in which units run: this process, or one that an extra adds under the name that `--pool` takes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from drr.env.errors import Misuse
from drr.env.plugins import extras, merged
from drr.llm.budget import Budget, Limit
from drr.study.folders import CarriedFolder
from drr.study.spend import Bank
from drr.study.unit import Assignment, FinishedUnit, SavedText
from drr.study.worker import Opening, Work, Worker, Workplace

if TYPE_CHECKING:
    from drr.llm.factory import Models


@dataclass(frozen=True)
class Terms:
    """The conditions of a run that its workers keep, and the callbacks that they report to."""

    bank: Bank
    unit_cap: Limit | None = None
    saved: Callable[[SavedText], None] = lambda saved: None
    """Called at once with a text that a running unit must not lose."""
    refused: Callable[[str], None] = lambda why: None
    """Called with the reason why a worker could not begin, while others go on."""
    noted: Callable[[str], None] = lambda word: None
    """Called with a message while the pool is waiting."""


@dataclass(frozen=True)
class PoolOrder:
    """The data from which a pool is made by name."""

    opening: Opening
    workers: int
    units: int
    """The number of units that run at the same time in each worker."""
    calls: int
    """The number of concurrent calls to a provider, for all workers together."""
    address: str | None = None
    """The address of the pool's machines, for pools on other machines."""
    folders: tuple[CarriedFolder, ...] = ()
    """Folders of the opening that may be copied to machines without them."""
    free: bool = False
    """True where no unit pays for a call. Then a worker may hold more units than `units`."""


class Pool(Protocol):
    @property
    def size(self) -> int:
        """Return the number of units that run or wait with workers; the driver hands out no more."""

    def run(self, handed: AsyncIterator[Assignment], terms: Terms) -> AsyncGenerator[FinishedUnit, None]:
        """Run units as they are handed out and yield each as it ends, in any order, until all have ended."""

    def cancel(self) -> None:
        """Take no more units and end the running units; `run` yields the finished units and returns."""


class InProcessPool:
    """The pool of this process; its units are tasks of the event loop."""

    def __init__(self, opened: Callable[[], AbstractAsyncContextManager[Workplace]], units: int = 8) -> None:
        self.size = units
        self._opened = opened
        self._worker: Worker | None = None

    @classmethod
    def of_work(cls, work: Work, models: Models, units: int = 8) -> InProcessPool:
        """Make a pool from an open workplace. The caller closes the workplace's models."""
        return cls(lambda: nullcontext(Workplace(work, models)), units)

    @classmethod
    def of_opening(cls, opening: Opening, units: int = 8) -> InProcessPool:
        return cls(opening.open, units)

    async def run(
        self, handed: AsyncIterator[Assignment], terms: Terms
    ) -> AsyncGenerator[FinishedUnit, None]:
        async with self._opened() as place:
            budget = Budget(terms.bank.limit, terms.bank.own)
            self._worker = Worker(place, budget, unit_cap=terms.unit_cap, saved=terms.saved)
            async with aclosing(self._worker.run(handed)) as ended:
                async for finished in ended:
                    yield finished

    def cancel(self) -> None:
        if self._worker is not None:
            self._worker.cancel()


ALONE = "in-process"
"""The name of the default pool, in which units run in the command's own process."""


def pool_name(word: str) -> tuple[str, str | None]:
    """Return the name of a pool and the address of `NAME://HOST:PORT`, or `None`; `Misuse` for an unknown name."""
    name, marks, _ = word.partition("://")
    if name != ALONE and name not in (known := _pools()):
        raise Misuse(f"--pool {word}: known are {', '.join([ALONE, *known])}, and ray://HOST:PORT")
    return name, word if marks else None


def make_pool(name: str, order: PoolOrder) -> Pool:
    return _pools()[name](order)


def _pools() -> dict[str, Callable[[PoolOrder], Pool]]:
    return merged(extra.pools for extra in extras())
