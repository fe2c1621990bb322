"""The memory `tiers`. It has a short queue of the newest, segments by topic behind it, and a profile
distilled from the segments that grew hot.

The idea is MemoryOS's, the code is ours. There recalling heats a segment; here it does not, so that what is recalled hangs on
what was observed and on nothing else.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from drr.env.embedding import Vectors
from drr.papers.pdr.context import ContextItem
from drr.papers.pdr.memory import asking
from drr.papers.pdr.memory.base import MemoryDesk
from drr.papers.pdr.memory.facts import likenesses
from drr.papers.pdr.memory.texts import lines_within

SHORT = 10
"""Items in the queue."""
SEGMENTS = 7
"""Segments that a task is given, at most."""
NEAR = 0.35
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
        self._profile += (await asking.distilled(self._desk, item.kind, lines)).split("\n")

    def _segment_of(self, vector: Vectors) -> _Segment:
        near = [(float(segment.middle @ vector), -place) for place, segment in enumerate(self._segments)]
        best = max(near, default=(0.0, 0))
        if best[0] >= NEAR:
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
