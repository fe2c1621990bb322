"""Lays out the timeline of an answer: a line for each actor and one for pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from drr.app.viewer.model import Actor
from drr.app.viewer.parts import Rows

WIDE, LINE = 1000.0, 18
"""Width of the drawing and height of a line, in units of the drawing."""
SHORTEST, SHORTEST_FAILED = 2.0, 5.0
"""Least width of a bar in units of the drawing, so that the shortest call can be seen, a failed one from afar."""
PAGES, FAILED = "pages", "failed"


class GanttBar(NamedTuple):
    left: float
    width: float
    kind: str
    """Kind of step, a CSS class: `api`, `control`, `failed`, `model`, `page`, `summary`."""
    title: str
    call: int | None = None
    """Number of the call that the bar stands for."""


class GanttLine(NamedTuple):
    name: str
    bars: Sequence[GanttBar]
    """The bars in the order of drawing: failed calls come last, so that none is hidden."""

    @property
    def calls(self) -> int:
        return sum(bar.call is not None for bar in self.bars)

    @property
    def failed(self) -> list[GanttBar]:
        return [bar for bar in self.bars if bar.kind == FAILED]


class Gantt(NamedTuple):
    lines: Sequence[GanttLine]
    ticks: Sequence[tuple[float, str]]
    height: int

    @property
    def kinds(self) -> set[str]:
        """Return the kinds of the chart's bars, for the legend."""
        return {bar.kind for line in self.lines for bar in line.bars}


def gantt(actors: Sequence[Actor], seconds: float | None, steps: Rows = ()) -> Gantt | None:
    """Return the timeline, or `None` where no times were recorded, as in older or imported studies."""
    found: dict[str, list[GanttBar]] = {}
    for name, bar in _bars(actors, steps):
        found.setdefault(name, []).append(bar)
    if not found:
        return None
    ends = [bar.left + bar.width for own in found.values() for bar in own]
    whole = max([*ends, seconds or 0.0]) or 1.0
    scale = WIDE / whole
    lines = [
        GanttLine(
            name,
            [_scaled(bar, scale) for bar in sorted(own, key=lambda one: (one.kind == FAILED, one))],
        )
        for name, own in sorted(found.items(), key=lambda item: (item[0] == PAGES, min(item[1])))
    ]
    ticks = [(WIDE * part / 4, f"{whole * part / 4:,.{0 if whole > 100 else 2}f} s") for part in range(5)]
    return Gantt(lines, ticks, LINE * (len(lines) + 1))


def _scaled(bar: GanttBar, scale: float) -> GanttBar:
    least = SHORTEST_FAILED if bar.kind == FAILED else SHORTEST
    return bar._replace(left=bar.left * scale, width=max(bar.width * scale, least))


def _bars(actors: Sequence[Actor], steps: Rows) -> Iterator[tuple[str, GanttBar]]:
    """Yield the line's name and the bar, in seconds, of each turn of a model, page and call."""
    for step in steps:
        kind, number, of = step["kind"], step["number"], step["of"]
        what = {"model": f"turn {number}", "page": "read", "summary": f"summary {number}"}[kind]
        bar = _bar(step["started_at"], step["seconds"], kind, f"{of}: {what}")
        yield (of if kind == "model" else PAGES), bar
    for actor in actors:
        for call in actor.calls:
            if call.started_at is not None:
                kind, what = (FAILED, f": {call.error}") if call.error else (call.kind, "")
                named = f"{call.number}. {call.name}{what}"
                bar = _bar(call.started_at, call.seconds or 0.0, kind, named)
                yield actor.name, bar._replace(call=call.number)


def _bar(start: float, took: float, kind: str, what: str) -> GanttBar:
    return GanttBar(start, took, kind, f"{what}, begun at {start:.2f} s, took {took:.2f} s")
