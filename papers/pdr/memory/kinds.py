"""The memories of ours: items as they are, one text, facts, attributes, and tiers."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from drr.env.embedding import Vectors
from drr.env.text import Bm25
from drr.papers.pdr.context import ContextItem
from drr.papers.pdr.memory import base
from drr.papers.pdr.memory.base import FactChange, MemoryDesk, Trait, batches, items_within, lines_within

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


WORDS = 900
"""Most words of the summary."""


class Summarised:
    def __init__(self, desk: MemoryDesk) -> None:
        self._desk = desk
        self._held = ""

    async def observe(self, items: Sequence[ContextItem]) -> None:
        for batch in batches(items, base.BATCH, self._desk.count):
            self._held = await base.summary(self._desk, self._held, batch, WORDS)

    async def recall(self, task: str, budget: int) -> str:
        return lines_within(self._held.split("\n"), budget, self._desk.count)


NEAR = 0.45
"""Cosine from which on two facts may be about the same thing."""
SHOWN = 20
"""Held facts that a comparison shows, the nearest."""


class Facts:
    def __init__(self, desk: MemoryDesk) -> None:
        self._desk = desk
        self._held: list[str] = []

    async def observe(self, items: Sequence[ContextItem]) -> None:
        for batch in batches(items, base.BATCH, self._desk.count):
            await self._enter(list(dict.fromkeys(await base.facts(self._desk, batch))))

    async def recall(self, task: str, budget: int) -> str:
        return lines_within(nearest_first(self._desk, task, self._held), budget, self._desk.count)

    async def _enter(self, new: list[str]) -> None:
        near = self._near(new)
        if not near:
            self._held += new
            return
        answer = await base.changes(self._desk, [self._held[place] for place in near], new)
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
            known_fact = near[change.held - 1] if change.held and 1 <= change.held <= len(near) else None
            if change.does == "add" or (change.does == "update" and known_fact is None):
                added.append(text)
            elif change.does != "ignore" and known_fact is not None:
                replaced.setdefault(known_fact, text if change.does == "update" else None)
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


TRAITS_SHOWN = 80
"""Attributes that a request is told of: those that changed last."""


class AttributeMemory:
    def __init__(self, desk: MemoryDesk) -> None:
        self._desk = desk
        self._held: dict[str, Trait] = {}

    async def observe(self, items: Sequence[ContextItem]) -> None:
        for batch in batches(items, base.BATCH, self._desk.count):
            for trait in await base.traits(self._desk, list(self._held.values())[-TRAITS_SHOWN:], batch):
                name = " ".join(trait.attribute.split()).casefold()
                if name and trait.value.strip():
                    self._held.pop(name, None)
                    self._held[name] = trait

    async def recall(self, task: str, budget: int) -> str:
        lines = [f"{t.attribute}: {' '.join(t.value.split())}" for t in self._held.values()]
        return lines_within(nearest_first(self._desk, task, lines), budget, self._desk.count)


SHORT = 10
"""Items in the queue."""
SEGMENTS = 7
"""Segments that a task is given, at most."""
SEGMENT_NEAR = 0.35
"""Cosine from which on an item belongs to a segment."""
HOT = 5
"""Items after which a segment is distilled; it cools down then."""


@dataclass
class _Segment:
    sum: Vectors
    items: list[ContextItem] = field(default_factory=list)
    heat: int = 0

    def add(self, item: ContextItem, vector: Vectors) -> None:
        self.sum = self.sum + vector
        self.items.append(item)
        self.heat += 1

    @property
    def middle(self) -> Vectors:
        return np.asarray(self.sum / max(float(np.linalg.norm(self.sum)), 1e-9), np.float32)


class Tiers:
    def __init__(self, desk: MemoryDesk) -> None:
        self._desk = desk
        self._short: deque[ContextItem] = deque()
        self._segments: list[_Segment] = []
        self._profile: list[str] = []

    async def observe(self, items: Sequence[ContextItem]) -> None:
        if not items:
            return
        vectors = dict(
            zip((i.id for i in items), self._desk.embedder.embed([i.text for i in items]), strict=True)
        )
        for item in items:
            self._short.append(item)
            if len(self._short) > SHORT:
                oldest = self._short.popleft()
                await self._settle(oldest, vectors[oldest.id])

    async def _settle(self, item: ContextItem, vector: Vectors) -> None:
        segment = self._segment_of(vector)
        segment.add(item, vector)
        if segment.heat < HOT:
            return
        segment.heat = 0
        lines = [one.shown() for one in segment.items[-HOT:]]
        self._profile += (await base.distilled(self._desk, item.kind, lines)).split("\n")

    def _segment_of(self, vector: Vectors) -> _Segment:
        near = [(float(segment.middle @ vector), -place) for place, segment in enumerate(self._segments)]
        best = max(near, default=(0.0, 0))
        if best[0] >= SEGMENT_NEAR:
            return self._segments[-best[1]]
        self._segments.append(_Segment(np.zeros_like(vector)))
        return self._segments[-1]

    async def recall(self, task: str, budget: int) -> str:
        """The profile, then the newest, then the segments that lie nearest, while there is room."""
        lines = [line for line in dict.fromkeys(self._profile) if line.strip()]
        lines += [item.shown() for item in reversed(self._short)]
        for segment in self._nearest(task):
            lines += [item.shown() for item in reversed(segment.items)]
        return lines_within(lines, budget, self._desk.count)

    def _nearest(self, task: str) -> list[_Segment]:
        if not self._segments:
            return []
        asked = self._desk.embedder.embed([task])
        near = likenesses(np.vstack([asked, *(segment.middle for segment in self._segments)]))
        order = sorted(range(len(near)), key=lambda place: (-near[place], -place))
        return [self._segments[place] for place in order[:SEGMENTS]]
