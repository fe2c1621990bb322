"""When who did what: a line for each actor and one for each of its calls, from the start times that the run noted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from drr.app.viewer.model import Actor, CallView

WIDE, LINE = 1000.0, 18
"""Units of the drawing; of a line's height."""
SHORTEST = 2.0
"""Units in which the shortest call can still be seen."""


@dataclass(frozen=True)
class GanttBar:
    left: float
    width: float
    top: int
    kind: str
    """`actor`, `api`, `control`, ..."""
    label: str
    told: str
    number: int | None = None


@dataclass(frozen=True)
class Gantt:
    bars: Sequence[GanttBar]
    ticks: Sequence[tuple[float, str]]
    height: int


def gantt(actors: Sequence[Actor], seconds: float | None) -> Gantt | None:
    """`None` where no start was noted: the study is older, or another system's."""
    ends = [_end(call) for actor in actors for call in actor.calls if call.started_at is not None]
    if not ends:
        return None
    whole = max([*ends, seconds or 0.0]) or 1.0
    bars = list(_bars(actors, WIDE / whole))
    ticks = [(WIDE * part / 4, f"{whole * part / 4:.3g} s") for part in range(5)]
    return Gantt(bars, ticks, LINE * (len(bars) + 1))


def _bars(actors: Sequence[Actor], scale: float) -> Iterator[GanttBar]:
    top = LINE
    for actor in actors:
        known = [call for call in actor.calls if call.started_at is not None]
        if not known:
            continue
        first, last = min(call.started_at or 0.0 for call in known), max(map(_end, known))
        told = f"{actor.name}: {len(actor.calls)} calls, {first:.2f} to {last:.2f} s"
        yield GanttBar(first * scale, max((last - first) * scale, SHORTEST), top, "actor", actor.name, told)
        top += LINE
        for call in known:
            start, took = call.started_at or 0.0, call.seconds or 0.0
            yield GanttBar(
                start * scale,
                max(took * scale, SHORTEST),
                top,
                call.kind,
                f"{call.number}. {call.name}",
                f"{call.number}. {call.name}, begun at {start:.2f} s, took {took:.2f} s",
                call.number,
            )
            top += LINE


def _end(call: CallView) -> float:
    return (call.started_at or 0.0) + (call.seconds or 0.0)
