"""A memory, and what it may use. `observe` comes once, with everything; `recall` as often as there are tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from drr.env.embedding import Embedder
from drr.llm.prompts import Prompts
from drr.llm.role import RoleModel
from drr.papers.pdr.context import ContextItem

ROLE = "memory"
"""Whose model a memory asks."""


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
