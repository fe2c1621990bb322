"""The memory `facts`: short statements drawn out of the items. A new one is added, replaces, removes or repeats one that is near it.

The idea is Mem0's, the code is ours.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from drr.env.embedding import Vectors
from drr.papers.pdr.context import ContextItem
from drr.papers.pdr.memory import asking
from drr.papers.pdr.memory.base import MemoryDesk
from drr.papers.pdr.memory.forms import FactChange
from drr.papers.pdr.memory.texts import batches, lines_within

NEAR = 0.45
"""Cosine from which on two facts may be about the same thing."""
SHOWN = 20
"""Held facts that a comparison shows, the nearest."""


class Facts:
    def __init__(self, desk: MemoryDesk) -> None:
        self._desk = desk
        self._held: list[str] = []

    async def observe(self, items: Sequence[ContextItem]) -> None:
        for batch in batches(items, asking.BATCH, self._desk.count):
            await self._enter(list(dict.fromkeys(await asking.facts(self._desk, batch))))

    async def recall(self, task: str, budget: int) -> str:
        return lines_within(nearest_first(self._desk, task, self._held), budget, self._desk.count)

    async def _enter(self, new: list[str]) -> None:
        near = self._near(new)
        if not near:
            self._held += new
            return
        answer = await asking.changes(self._desk, [self._held[place] for place in near], new)
        self._apply(near, new, answer.changes)

    def _near(self, new: Sequence[str]) -> list[int]:
        if not new or not self._held:
            return []
        vectors = self._desk.embedder.embed([*new, *self._held])
        likeness = (vectors[: len(new)] @ vectors[len(new) :].T).max(axis=0)
        order = np.argsort(-likeness, kind="stable")[:SHOWN]
        return sorted(int(place) for place in order if likeness[place] >= NEAR)

    def _apply(self, near: Sequence[int], new: Sequence[str], changes: Sequence[FactChange]) -> None:
        """A fact that no change speaks of is added: nothing is lost because a model was short."""
        replaced: dict[int, str | None] = {}
        settled: set[int] = set()
        added: list[str] = []
        for change in changes:
            if not 1 <= change.fact <= len(new) or change.fact in settled:
                continue
            settled.add(change.fact)
            text = " ".join((change.text or new[change.fact - 1]).split())
            held = near[change.held - 1] if change.held and 1 <= change.held <= len(near) else None
            if change.does == "add" or (change.does == "update" and held is None):
                added.append(text)
            elif change.does != "ignore" and held is not None:
                replaced.setdefault(held, text if change.does == "update" else None)
        added += [fact for number, fact in enumerate(new, 1) if number not in settled]
        kept = [replaced.get(place, fact) for place, fact in enumerate(self._held)]
        self._held = [fact for fact in kept if fact] + added


def nearest_first(desk: MemoryDesk, task: str, texts: Sequence[str]) -> list[str]:
    """Ordered by how near they lie to the task, the later first where they lie equally near."""
    if not texts:
        return []
    likeness = likenesses(desk.embedder.embed([task, *texts]))
    return [texts[place] for place in sorted(range(len(texts)), key=lambda place: (-likeness[place], -place))]


def likenesses(vectors: Vectors) -> list[float]:
    """Return the likeness of the first to each of the others."""
    return [round(float(one), 6) for one in vectors[1:] @ vectors[0]]
