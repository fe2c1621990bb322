"""Places where units run: this process, or what an extra brings under the name that `--pool` takes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Protocol

from drr.env.errors import Misuse
from drr.env.plugins import merged
from drr.llm.budget import Budget, Limit
from drr.study.folders import CarriedFolder
from drr.study.spend import Bank
from drr.study.unit import Assignment, Finished, Saved
from drr.study.worker import Opening, Work, Worker, Workplace

if TYPE_CHECKING:
    from drr.llm.factory import Models


@dataclass(frozen=True)
class Terms:
    """The terms that bind a run's workers."""

    bank: Bank
    unit_cap: Limit | None = None
    saved: Callable[[Saved], None] = lambda saved: None
    """Told at once what a unit under way must not lose."""
    refused: Callable[[str], None] = lambda why: None
    """Told of a worker that could not begin, while others go on."""
    noted: Callable[[str], None] = lambda word: None
    """Told of whatever is waited for."""


@dataclass(frozen=True)
class PoolOrder:
    """The order from which a pool by name is made."""

    opening: Opening
    workers: int
    units: int
    """Units in flight in each worker."""
    calls: int
    """Calls to a provider at once, by all workers together."""
    address: str | None = None
    """Address of its machines, for pools that have any."""
    folders: tuple[CarriedFolder, ...] = ()
    """Folders of the opening that may be copied to machines without them."""
    free: bool = False
    """No unit pays for a call, whatever it asks: more of them than `units` may lie with a worker."""


class Pool(Protocol):
    @property
    def size(self) -> int:
        """Units in flight, and those that lie with workers until then; the driver hands out no more."""

    def run(self, handed: AsyncIterator[Assignment], terms: Terms) -> AsyncGenerator[Finished, None]:
        """Take units as they come and give each as it ends, in whatever order; over when both are."""

    def cancel(self) -> None:
        """Take no more units and end what runs; `run` gives what had finished and is over."""


class InProcessPool:
    """This process; its units are tasks of the event loop."""

    def __init__(self, opened: Callable[[], AbstractAsyncContextManager[Workplace]], units: int = 8) -> None:
        self.size = units
        self._opened = opened
        self._worker: Worker | None = None

    @classmethod
    def of_work(cls, work: Work, models: Models, units: int = 8) -> InProcessPool:
        """Make a pool of a workplace that is open already; whoever opened it closes its models."""
        return cls(lambda: nullcontext(Workplace(work, models)), units)

    @classmethod
    def of_opening(cls, opening: Opening, units: int = 8) -> InProcessPool:
        return cls(opening.open, units)

    async def run(self, handed: AsyncIterator[Assignment], terms: Terms) -> AsyncGenerator[Finished, None]:
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
"""The one that needs no making: units run where the command runs."""


def pool_name(word: str) -> tuple[str, str | None]:
    """The name, and the address that was given as `NAME://HOST:PORT`; `Misuse` for a name that nobody knows."""
    name, marks, _ = word.partition("://")
    if name != ALONE and name not in merged("pools"):
        raise Misuse(f"--pool {word}: known are {', '.join([ALONE, *merged('pools')])}, and ray://HOST:PORT")
    return name, word if marks else None


def make_pool(name: str, order: PoolOrder) -> Pool:
    made: Pool = resolve_name(merged("pools")[name])(order)
    return made
