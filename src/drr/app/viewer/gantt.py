"""Lays out the timeline of an answer: lines for each actor, its model's turns and its calls, and for pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from drr.app.viewer.model import Actor, CallView
from drr.app.viewer.parts import Rows
from drr.wording.excerpt import excerpt, many

WIDE, LINE = 1000.0, 18
"""Width of the drawing and height of a line, in units of the drawing."""
SHORTEST = 2.0
"""Least width of a bar in units of the drawing, so that the shortest call can be seen."""
PAGES = "pages"


class GanttBar(NamedTuple):
    left: float
    width: float
    top: int
    kind: str
    """Kind of step, a CSS class: `actor`, `api`, `control`, `model`, `page`, `summary`, ..."""
    label: str
    """Name next to the bar; only the last bar of a line has one."""
    title: str


class Gantt(NamedTuple):
    bars: Sequence[GanttBar]
    ticks: Sequence[tuple[float, str]]
    height: int

    @property
    def kinds(self) -> set[str]:
        """Return the kinds of the chart's bars, for the legend."""
        return {bar.kind for bar in self.bars}


class _Stretch(NamedTuple):
    start: float
    seconds: float
    kind: str
    title: str


class _Line(NamedTuple):
    label: str
    stretches: Sequence[_Stretch]


def gantt(actors: Sequence[Actor], seconds: float | None, steps: Rows = ()) -> Gantt | None:
    """Return the timeline, or `None` where no times were recorded, as in older or imported studies."""
    lines = list(_lines(actors, steps))
    ends = [one.start + one.seconds for line in lines for one in line.stretches]
    if not ends:
        return None
    whole = max([*ends, seconds or 0.0]) or 1.0
    ticks = [(WIDE * part / 4, f"{whole * part / 4:.3g} s") for part in range(5)]
    return Gantt(list(_bars(lines, WIDE / whole)), ticks, LINE * (len(lines) + 1))


def _lines(actors: Sequence[Actor], steps: Rows) -> Iterator[_Line]:
    """Yield the lines of each actor with model turns and calls, of the other conversations, and of the pages."""
    turns: dict[str, list[Mapping[str, Any]]] = {}
    pages: dict[str, list[Mapping[str, Any]]] = {}
    for step in steps:
        (turns if step["kind"] == "model" else pages).setdefault(step["of"], []).append(step)
    for actor in actors:
        yield from _group(actor.name, turns.pop(actor.name, []), actor.calls)
    for name, own in sorted(turns.items(), key=lambda item: min(step["started_at"] for step in item[1])):
        yield from _group(name, own, ())
    if pages:
        every = [step for own in pages.values() for step in own]
        yield _line_over_stretches(PAGES, many(len(pages), "page"), [_stretch(step) for step in every])
    for url, own in sorted(pages.items(), key=lambda item: min(step["started_at"] for step in item[1])):
        yield _Line(excerpt(url, 60), [_stretch(step) for step in own])


def _group(name: str, turns: Rows, calls: Sequence[CallView]) -> Iterator[_Line]:
    """Yield lines of the chart: the whole time of an actor, its model's turns, and each call."""
    thought = [_stretch(step) for step in turns]
    made = [
        _Line(f"{call.number}. {call.name}", [_stretch_of_call(call)])
        for call in calls
        if call.started_at is not None
    ]
    every = [*thought, *(one for line in made for one in line.stretches)]
    if not every:
        return
    counted = [many(len(one), noun) for one, noun in ((turns, "turn"), (calls, "call")) if one]
    yield _line_over_stretches(name, ", ".join(counted), every)
    if thought:
        yield _Line(f"{many(len(turns), 'turn')} of its model", thought)
    yield from made


def _line_over_stretches(name: str, counted: str, stretches: Sequence[_Stretch]) -> _Line:
    first, last = min(one.start for one in stretches), max(one.start + one.seconds for one in stretches)
    title = f"{name}: {counted}, {first:.2f} to {last:.2f} s"
    return _Line(name, [_Stretch(first, last - first, "actor", title)])


def _stretch(step: Mapping[str, Any]) -> _Stretch:
    kind, number, start, took = (step[name] for name in ("kind", "number", "started_at", "seconds"))
    what = {"model": f"turn {number}", "page": "read", "summary": f"summary {number}"}[kind]
    return _Stretch(start, took, kind, f"{step['of']}: {what}, begun at {start:.2f} s, took {took:.2f} s")


def _stretch_of_call(call: CallView) -> _Stretch:
    start, took = call.started_at or 0.0, call.seconds or 0.0
    title = f"{call.number}. {call.name}, begun at {start:.2f} s, took {took:.2f} s"
    return _Stretch(start, took, call.kind, title)


def _bars(lines: Sequence[_Line], scale: float) -> Iterator[GanttBar]:
    for number, line in enumerate(lines, 1):
        last = max(line.stretches, key=lambda one: one.start + one.seconds)
        for one in sorted(line.stretches):
            width, label = max(one.seconds * scale, SHORTEST), line.label if one is last else ""
            yield GanttBar(one.start * scale, width, LINE * number, one.kind, label, one.title)
