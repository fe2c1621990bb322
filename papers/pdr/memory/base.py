"""A memory and its means: its desk, two that keep items as they are, a keeper of the budget."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from drr.env.embedding import Embedder
from drr.env.errors import DrrError
from drr.llm.failures import ModelFailure
from drr.llm.prompts import Prompts
from drr.llm.role import RoleModel
from drr.papers.pdr.context import ContextItem, text_of

ROLE = "memory"


class PersonMemory(Protocol):
    """Both may be plain functions too. Nothing outlives the object: what it learnt of one person no other sees."""

    async def observe(self, items: Sequence[ContextItem]) -> None:
        """Everything that could be gathered of one person, oldest first."""

    async def recall(self, task: str, budget: int) -> str:
        """Return what of it this task needs, in at most so many tokens; nothing is a fair answer."""


@dataclass(frozen=True)
class MemoryDesk:
    """The desk that a memory is made with. Every call of the model and every text for the embedder is counted outside."""

    model: RoleModel
    embedder: Embedder
    prompts: Prompts
    count: Callable[[str], int]
    """Tokens of a text, as the context was counted."""
    today: str


Maker = Callable[[MemoryDesk], PersonMemory]


@dataclass(frozen=True)
class MemoryKind:
    """A memory by name, before anybody is remembered."""

    name: str
    version: str
    """Raised by hand when it keeps or recalls something else; of one in a file the hash of the file."""
    load: Callable[[], Maker]
    asks_model: bool = False
    embeds: bool = False
    origin: str | None = None
    """`None` for ours."""


def as_many(texts: Iterable[str], budget: int, count: Callable[[str], int]) -> list[int]:
    """The places of those that fit, taken in their order; one that is too long is passed over."""
    taken = []
    for place, text in enumerate(texts):
        needed = count(text + "\n")
        if needed <= budget:
            taken.append(place)
            budget -= needed
    return taken


class Newest:
    """`none`: no memory at all, a window that is filled with what came last."""

    most: int | None = None

    def __init__(self, desk: MemoryDesk) -> None:
        self._count = desk.count
        self._items: list[ContextItem] = []

    async def observe(self, items: Sequence[ContextItem]) -> None:
        self._items += items

    async def recall(self, task: str, budget: int) -> str:
        """The first that fit, told in the order of their days."""
        ranked = self._items[::-1][: self.most]
        chosen = [ranked[place] for place in as_many([one.shown() for one in ranked], budget, self._count)]
        return text_of(tuple(sorted(chosen, key=lambda item: (item.date, item.id))))


class Recent(Newest):
    """The last few only, as a queue of the last exchanges would hold them, however much room there is."""

    most = 10


SECONDS = 900.0
"""Time for one person's items, and again for one recall."""

MemoryProblem = Literal["memory_raised", "memory_too_slow", "memory_over_budget", "memory_no_text"]


class MemoryFailed(DrrError):
    """The failure of a memory, and of no agent. It goes into the tables as what it is."""

    def __init__(self, kind: MemoryProblem, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Recalled(NamedTuple):
    text: str
    tokens: int
    seconds: float


class Remembering:
    """One memory of one person: first it observes, then it recalls."""

    def __init__(self, kind: MemoryKind, desk: MemoryDesk, *, seconds: float = SECONDS) -> None:
        self._kind, self._desk, self._seconds = kind, desk, seconds
        self._memory: Any = None

    async def observe(self, items: Sequence[ContextItem]) -> float:
        """Observe the items and return how many seconds it took."""
        started, maker = time.monotonic(), self._kind.load()
        self._memory = await self._asked("making", lambda: maker(self._desk))
        await self._asked("observe", lambda: self._memory.observe(items))
        return time.monotonic() - started

    async def recall(self, task: str, budget: int) -> Recalled:
        """Recall within the budget, or raise `MemoryFailed`. A text that is cut would be another memory's."""
        started = time.monotonic()
        text: Any = await self._asked("recall", lambda: self._memory.recall(task, budget))
        if not isinstance(text, str):
            raise self._failure("memory_no_text", f"recall gave {type(text).__name__}, no text")
        tokens = self._desk.count(text := text.strip())
        if tokens > budget:
            why = f"recalled {tokens} tokens where {budget} were asked for"
            raise self._failure("memory_over_budget", why)
        return Recalled(text, tokens, time.monotonic() - started)

    def _failure(self, kind: MemoryProblem, why: str) -> MemoryFailed:
        return MemoryFailed(kind, f"memory {self._kind.name}: {why}")

    async def _asked(self, what: str, call: Callable[[], Any]) -> Any:
        try:
            async with asyncio.timeout(self._seconds):
                made = await _called(call)
                return await made if inspect.isawaitable(made) else made
        except TimeoutError as error:
            why = f"{what} took more than {self._seconds:g} s"
            raise self._failure("memory_too_slow", why) from error
        except (DrrError, ModelFailure):
            raise
        except Exception as error:
            if self._kind.origin is None:
                raise  # a bug of ours, which ends the unit loudly
            text = " ".join(str(error).split())[:200]
            why = f"{what} raised {type(error).__name__}: {text}"
            raise self._failure("memory_raised", why) from error


async def _called(call: Callable[[], Any]) -> Any:
    """A plain function may block, so it runs beside; an async one gives what is awaited here."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[Any] = loop.create_future()

    def settle(end: Callable[[Any], None], value: Any) -> None:
        if not ended.done():
            end(value)

    def work() -> None:
        try:
            end, value = ended.set_result, call()
        except Exception as raised:  # noqa: BLE001 - handed to whoever waits
            end, value = ended.set_exception, raised
        loop.call_soon_threadsafe(settle, end, value)

    # A daemon: one that never ends keeps no process alive.
    threading.Thread(target=work, name="drr-memory", daemon=True).start()
    return await ended
