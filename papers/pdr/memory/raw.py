"""Memories that keep items as they are and differ in which they hand on. No model is asked, nothing is rewritten."""

from __future__ import annotations

from collections.abc import Sequence

from drr.env.bm25 import Bm25
from drr.papers.pdr.context import ContextItem
from drr.papers.pdr.memory.base import MemoryDesk
from drr.papers.pdr.memory.texts import items_within

RECENT = 10
"""Items that `recent` holds, as a queue of the last exchanges would."""


class Newest:
    """`none`: no memory at all, a window that is filled with what came last."""

    def __init__(self, desk: MemoryDesk) -> None:
        self._desk = desk
        self._items: list[ContextItem] = []

    async def observe(self, items: Sequence[ContextItem]) -> None:
        self._items += items

    async def recall(self, task: str, budget: int) -> str:
        return items_within(self._items[::-1], budget, self._desk.count)


class Recent(Newest):
    """The last few only, however much room there is."""

    async def recall(self, task: str, budget: int) -> str:
        return items_within(self._items[: -RECENT - 1 : -1], budget, self._desk.count)


class ByWords(Newest):
    """`bm25`: the items that share rare words with the task, the best first; newer before older where they are equal."""

    async def recall(self, task: str, budget: int) -> str:
        newest_first = self._items[::-1]
        scores = Bm25([item.shown() for item in newest_first]).scores(task)
        ranked = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
        found = [newest_first[place] for place in ranked if scores[place] > 0]
        return items_within(found, budget, self._desk.count)
