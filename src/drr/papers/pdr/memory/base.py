"""The interface of a memory and its tools, two simple memories, and a wrapper that enforces budget and time limit."""

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
    """The interface of a memory of one person. Methods may be async or plain. No state is shared between persons."""

    async def observe(self, items: Sequence[ContextItem]) -> None:
        """Take in all items that could be learned about one person, oldest first."""

    async def recall(self, task: str, budget: int) -> str:
        """Return what the task needs of the items, in at most `budget` tokens; an empty text is a valid answer."""


@dataclass(frozen=True)
class MemoryDesk:
    """The tools given to a memory. Its calls of the model and its texts for the embedder are counted by the caller."""

    model: RoleModel
    embedder: Embedder
    prompts: Prompts
    count: Callable[[str], int]
    """Counts the tokens of a text in the same way as the context was counted."""
    today: str


Maker = Callable[[MemoryDesk], PersonMemory]


@dataclass(frozen=True)
class MemoryKind:
    """A named memory, not yet created for a person."""

    name: str
    version: str
    """Version, raised by hand when the memory works differently; for a memory in a file it includes the file's hash."""
    load: Callable[[], Maker]
    asks_model: bool = False
    embeds: bool = False
    origin: str | None = None
    """Package or file that the memory comes from; `None` for a built-in one."""


def as_many(texts: Iterable[str], budget: int, count: Callable[[str], int]) -> list[int]:
    """Return the positions of the texts that fit into the budget, in order. Texts that are too long are skipped."""
    taken = []
    for place, text in enumerate(texts):
        needed = count(text + "\n")
        if needed <= budget:
            taken.append(place)
            budget -= needed
    return taken


class Newest:
    """The memory `none`: no memory at all, only the newest items that fit."""

    most: int | None = None

    def __init__(self, desk: MemoryDesk) -> None:
        self._count = desk.count
        self._items: list[ContextItem] = []

    async def observe(self, items: Sequence[ContextItem]) -> None:
        self._items += items

    async def recall(self, task: str, budget: int) -> str:
        """Return the newest items that fit, ordered by date."""
        ranked = self._items[::-1][: self.most]
        chosen = [ranked[place] for place in as_many([one.shown() for one in ranked], budget, self._count)]
        return text_of(tuple(sorted(chosen, key=lambda item: (item.date, item.id))))


class Recent(Newest):
    """The memory `recent`: only the last ten items, like a queue of recent exchanges, however large the budget."""

    most = 10


SECONDS = 900.0
"""Time limit for observing one person's items, and again for one recall."""

MemoryProblem = Literal["memory_raised", "memory_too_slow", "memory_over_budget", "memory_no_text"]


class MemoryFailed(DrrError):
    """The failure of a memory, not of an agent; tables count it under its own kind."""

    def __init__(self, kind: MemoryProblem, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class RecalledText(NamedTuple):
    text: str
    tokens: int
    seconds: float


class Remembering:
    """A memory at work for one person: it observes once, then recalls, within the limits."""

    def __init__(self, kind: MemoryKind, desk: MemoryDesk, *, seconds: float = SECONDS) -> None:
        self._kind, self._desk, self._seconds = kind, desk, seconds
        self._memory: Any = None

    async def observe(self, items: Sequence[ContextItem]) -> float:
        """Create the memory, let it observe the items, and return the seconds taken."""
        started, maker = time.monotonic(), self._kind.load()
        self._memory = await self._ask_memory("making", lambda: maker(self._desk))
        await self._ask_memory("observe", lambda: self._memory.observe(items))
        return time.monotonic() - started

    async def recall(self, task: str, budget: int) -> RecalledText:
        """Recall within the budget, or raise `MemoryFailed`. A text over budget is not cut, as that would change the memory."""
        started = time.monotonic()
        text: Any = await self._ask_memory("recall", lambda: self._memory.recall(task, budget))
        if not isinstance(text, str):
            raise self._failure("memory_no_text", f"recall gave {type(text).__name__}, no text")
        tokens = self._desk.count(text := text.strip())
        if tokens > budget:
            why = f"recalled {tokens} tokens where {budget} were asked for"
            raise self._failure("memory_over_budget", why)
        return RecalledText(text, tokens, time.monotonic() - started)

    def _failure(self, kind: MemoryProblem, why: str) -> MemoryFailed:
        return MemoryFailed(kind, f"memory {self._kind.name}: {why}")

    async def _ask_memory(self, what: str, call: Callable[[], Any]) -> Any:
        try:
            async with asyncio.timeout(self._seconds):
                made = await _call_in_thread(call)
                return await made if inspect.isawaitable(made) else made
        except TimeoutError as error:
            why = f"{what} took more than {self._seconds:g} s"
            raise self._failure("memory_too_slow", why) from error
        except (DrrError, ModelFailure):
            raise
        except Exception as error:
            if self._kind.origin is None:
                raise  # a bug in a built-in memory must not pass as a failed recall
            text = " ".join(str(error).split())[:200]
            why = f"{what} raised {type(error).__name__}: {text}"
            raise self._failure("memory_raised", why) from error


async def _call_in_thread(call: Callable[[], Any]) -> Any:
    """Call a function in a thread, as a plain function may block; an async function returns its awaitable."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[Any] = loop.create_future()

    def end_once(end: Callable[[Any], None], value: Any) -> None:
        if not ended.done():
            end(value)

    def work() -> None:
        try:
            end, value = ended.set_result, call()
        except Exception as raised:  # noqa: BLE001 - handed to whoever waits
            end, value = ended.set_exception, raised
        loop.call_soon_threadsafe(end_once, end, value)

    # A daemon thread, so that a call that never ends does not keep the process alive.
    threading.Thread(target=work, name="drr-memory", daemon=True).start()
    return await ended
