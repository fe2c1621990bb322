"""A memory and its means: a desk, forms, requests to its model, and items as lines within a budget."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from drr.env.embedding import Embedder
from drr.env.errors import DrrError
from drr.llm.failures import ModelFailure
from drr.llm.prompts import Prompts, fence
from drr.llm.role import RoleModel
from drr.papers.pdr.context import ContextItem
from langchain_core.messages import HumanMessage
from pydantic import BaseModel, ConfigDict, Field

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
    summary: str
    load: Callable[[], Maker]
    asks_model: bool = False
    played: bool = True
    """Rules can stand in for its model."""
    embeds: bool = False
    prompts: tuple[str, ...] = ()
    origin: str | None = None
    """`None` for ours."""


Counter = Callable[[str], int]


def lines_of(items: Iterable[ContextItem]) -> str:
    return "\n".join(item.shown() for item in items)


def as_many(texts: Iterable[str], budget: int, count: Counter) -> list[int]:
    """The places of those that fit, taken in their order; one that is too long is passed over."""
    taken, left = [], budget
    for place, text in enumerate(texts):
        needed = count(text + "\n")
        if needed <= left:
            taken.append(place)
            left -= needed
    return taken


def items_within(ranked: Sequence[ContextItem], budget: int, count: Counter) -> str:
    """The first of these that fit, told in the order of their days."""
    chosen = [ranked[place] for place in as_many([item.shown() for item in ranked], budget, count)]
    return lines_of(sorted(chosen, key=lambda item: (item.date, item.id)))


def lines_within(ranked: Sequence[str], budget: int, count: Counter) -> str:
    return "\n".join(ranked[place] for place in as_many(ranked, budget, count))


def batches(items: Sequence[ContextItem], size: int, count: Counter) -> Iterator[list[ContextItem]]:
    """Neighbours of about so many tokens; an item is never torn."""
    batch: list[ContextItem] = []
    used = 0
    for item in items:
        needed = count(item.shown())
        if batch and used + needed > size:
            yield batch
            batch, used = [], 0
        batch.append(item)
        used += needed
    if batch:
        yield batch


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PersonSummary(_Form):
    summary: str = Field(description="what is known of the person now, in full sentences")


class FactList(_Form):
    facts: list[str] = Field(description="short statements about the person, each understandable alone")


class FactChange(_Form):
    does: Literal["add", "update", "forget", "ignore"]
    fact: int = Field(description="the number of the new fact")
    held: int | None = Field(default=None, description="the number of the held fact it changes")
    text: str | None = Field(
        default=None, description="the words to keep, where they are not the new fact's own"
    )


class FactChanges(_Form):
    changes: list[FactChange]


class Trait(_Form):
    attribute: str = Field(
        description="what of the person it is, in two to five words, e.g. `preferred coffee`"
    )
    value: str = Field(description="what is known of it, in one sentence")


class Traits(_Form):
    traits: list[Trait]


@dataclass(frozen=True)
class Rewriting:
    before: str
    items: tuple[ContextItem, ...]
    words: int


@dataclass(frozen=True)
class Extracting:
    items: tuple[ContextItem, ...]


@dataclass(frozen=True)
class Comparing:
    before: tuple[str, ...]
    facts: tuple[str, ...]


@dataclass(frozen=True)
class Distilling:
    topic: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Describing:
    before: tuple[Trait, ...]
    items: tuple[ContextItem, ...]


FormT = TypeVar("FormT", bound=_Form)
MemoryBrief = Rewriting | Extracting | Comparing | Distilling | Describing


BATCH = 3_000
"""Tokens of items that one request holds."""


async def _asked(desk: MemoryDesk, form: type[FormT], brief: MemoryBrief, prompt: str, **slots: str) -> FormT:
    request = HumanMessage(desk.prompts.fill(prompt, **slots))
    return await desk.model.structured([request], form, brief=brief)


async def summary(desk: MemoryDesk, before: str, items: Sequence[ContextItem], words: int) -> str:
    slots = {"words": str(words), "held": fence(before or "(nothing yet)", "known"), "items": _fenced(items)}
    brief = Rewriting(before, tuple(items), words)
    return (await _asked(desk, PersonSummary, brief, "memory_summary", **slots)).summary.strip()


async def facts(desk: MemoryDesk, items: Sequence[ContextItem]) -> list[str]:
    found = await _asked(desk, FactList, Extracting(tuple(items)), "memory_facts", items=_fenced(items))
    return [one for one in (" ".join(fact.split()) for fact in found.facts) if one]


async def changes(desk: MemoryDesk, before: Sequence[str], new: Sequence[str]) -> FactChanges:
    slots = {"held": fence(_numbered(before), "held"), "facts": fence(_numbered(new), "new")}
    return await _asked(desk, FactChanges, Comparing(tuple(before), tuple(new)), "memory_compare", **slots)


async def distilled(desk: MemoryDesk, topic: str, lines: Sequence[str]) -> str:
    brief, items = Distilling(topic, tuple(lines)), fence("\n".join(lines), "items")
    return (await _asked(desk, PersonSummary, brief, "memory_distill", items=items)).summary.strip()


async def traits(desk: MemoryDesk, before: Sequence[Trait], items: Sequence[ContextItem]) -> list[Trait]:
    known = "\n".join(f"- {trait.attribute}: {trait.value}" for trait in before) or "(nothing yet)"
    slots = {"held": fence(known, "known"), "items": _fenced(items)}
    return (
        await _asked(desk, Traits, Describing(tuple(before), tuple(items)), "memory_traits", **slots)
    ).traits


def _fenced(items: Iterable[ContextItem]) -> str:
    return fence(lines_of(items), "items")


def _numbered(texts: Iterable[str]) -> str:
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))


SECONDS = 900.0
"""Time for one person's items, and again for one recall."""

MemoryProblem = Literal["memory_raised", "memory_too_slow", "memory_over_budget", "memory_no_text"]


class MemoryFailed(DrrError):
    """The failure of a memory, and of no agent. It goes into the tables as what it is."""

    def __init__(self, kind: MemoryProblem, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class Recalled:
    text: str
    tokens: int
    seconds: float


class Remembering:
    """One memory of one person."""

    def __init__(self, kind: MemoryKind, desk: MemoryDesk, *, seconds: float = SECONDS) -> None:
        self._kind, self._desk, self._seconds = kind, desk, seconds
        self._memory: PersonMemory | None = None

    async def observe(self, items: Sequence[ContextItem]) -> float:
        """Observe the items and return how many seconds it took."""
        started = time.monotonic()
        maker = self._kind.load()
        self._memory = await self._asked("making", lambda: maker(self._desk))
        await self._asked("observe", lambda: self._open_memory.observe(items))
        return time.monotonic() - started

    async def recall(self, task: str, budget: int) -> Recalled:
        """Recall within the budget, or raise `MemoryFailed`. A text that is cut would be another memory's."""
        started = time.monotonic()
        text: Any = await self._asked("recall", lambda: self._open_memory.recall(task, budget))
        if not isinstance(text, str):
            raise MemoryFailed(
                "memory_no_text", f"memory {self._kind.name}: recall gave {type(text).__name__}, no text"
            )
        text = text.strip()
        tokens = self._desk.count(text)
        if tokens > budget:
            raise MemoryFailed(
                "memory_over_budget",
                f"memory {self._kind.name}: recalled {tokens} tokens where {budget} were asked for",
            )
        return Recalled(text, tokens, time.monotonic() - started)

    @property
    def _open_memory(self) -> PersonMemory:
        if self._memory is None:
            raise RuntimeError("a memory recalls what it observed: call observe first")
        return self._memory

    async def _asked(self, what: str, call: Callable[[], Any]) -> Any:
        try:
            async with asyncio.timeout(self._seconds):
                made = await _called(call)
                return await made if inspect.isawaitable(made) else made
        except TimeoutError as error:
            raise MemoryFailed(
                "memory_too_slow", f"memory {self._kind.name}: {what} took more than {self._seconds:g} s"
            ) from error
        except (DrrError, ModelFailure):
            raise
        except Exception as error:
            if self._kind.origin is None:
                raise  # a bug of ours, which ends the unit loudly
            text = " ".join(str(error).split())[:200]
            raise MemoryFailed(
                "memory_raised", f"memory {self._kind.name}: {what} raised {type(error).__name__}: {text}"
            ) from error


async def _called(call: Callable[[], Any]) -> Any:
    """A plain function may block, so it runs beside; an async one gives what is awaited here."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if ended.done():
            return
        if error is None:
            ended.set_result(value)
        else:
            ended.set_exception(error)

    def work() -> None:
        try:
            value, error = call(), None
        except Exception as raised:  # noqa: BLE001 - handed to whoever waits
            value, error = None, raised
        loop.call_soon_threadsafe(settle, value, error)

    # A daemon: one that never ends keeps no process alive.
    threading.Thread(target=work, name="drr-memory", daemon=True).start()
    return await ended
