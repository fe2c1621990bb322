"""The memory `summary`: one text about the person, rewritten with every batch of items. A task gets as much of it as fits."""

from __future__ import annotations

from collections.abc import Sequence

from drr.papers.pdr.context import ContextItem
from drr.papers.pdr.memory import asking
from drr.papers.pdr.memory.base import MemoryDesk
from drr.papers.pdr.memory.texts import batches, lines_within

WORDS = 900
"""Of the summary, at most."""


class Summarised:
    def __init__(self, desk: MemoryDesk) -> None:
        self._desk = desk
        self._held = ""

    async def observe(self, items: Sequence[ContextItem]) -> None:
        for batch in batches(items, asking.BATCH, self._desk.count):
            self._held = await asking.summary(self._desk, self._held, batch, WORDS)

    async def recall(self, task: str, budget: int) -> str:
        return lines_within(self._held.split("\n"), budget, self._desk.count)
