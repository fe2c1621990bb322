"""The memory `attributes`: what of the person it is, with what is known of it. A later item may change the
value, the attribute stays one.

The idea is O-Mem's persona memory, the code is ours.
"""

from __future__ import annotations

from collections.abc import Sequence

from drr.papers.pdr.context import ContextItem
from drr.papers.pdr.memory import asking
from drr.papers.pdr.memory.base import MemoryDesk
from drr.papers.pdr.memory.facts import nearest_first
from drr.papers.pdr.memory.forms import Trait
from drr.papers.pdr.memory.texts import batches, lines_within

SHOWN = 80
"""Attributes that a request is told of: those that changed last."""


class AttributeMemory:
    def __init__(self, desk: MemoryDesk) -> None:
        self._desk = desk
        self._held: dict[str, Trait] = {}

    async def observe(self, items: Sequence[ContextItem]) -> None:
        for batch in batches(items, asking.BATCH, self._desk.count):
            for trait in await asking.traits(self._desk, list(self._held.values())[-SHOWN:], batch):
                name = " ".join(trait.attribute.split()).casefold()
                if name and trait.value.strip():
                    self._held.pop(name, None)
                    self._held[name] = trait

    async def recall(self, task: str, budget: int) -> str:
        lines = [f"{t.attribute}: {' '.join(t.value.split())}" for t in self._held.values()]
        return lines_within(nearest_first(self._desk, task, lines), budget, self._desk.count)
