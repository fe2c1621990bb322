"""Key points that a question's own words make: its limits, its time, its place, what it rules out."""

from __future__ import annotations

from collections.abc import Iterator

from drr.env.query import Constraints
from drr.env.records.lines import dollars
from drr.eval.tasks.key_points.rows import PointRow, Weight

_MONEY = ("total_max", "total_min", "item_max", "item_min", "month_max")


def demanded(wanted: Constraints) -> Iterator[PointRow]:
    """Yield points without ids; each demand that code can read is a point of its own."""
    yield from _limits(wanted)
    if wanted.months is not None:
        yield _point(f"What it recommends is planned for {wanted.months} months.", f"{wanted.months} months")
    if wanted.deadline is not None:
        yield _point(f"It keeps to the time that was asked for: {wanted.deadline}.", wanted.deadline)
    if wanted.count is not None:
        yield _point(f"It gives as many as were asked for: {wanted.count}.")
    for thing in wanted.exclusions:
        yield _point(f"Nothing that it recommends is or has what was ruled out: {thing}.")
    if wanted.region is not None:
        yield _point(f"It takes account of the place: {wanted.region}.", wanted.region, "okay")


def _limits(wanted: Constraints) -> Iterator[PointRow]:
    alone = sum(getattr(wanted, name) is not None for name in _MONEY) == 1
    if wanted.total_max is not None:
        row = _point(f"What it recommends costs at most {dollars(wanted.total_max)} together.")
        if alone:
            row["total_max"] = wanted.total_max
        yield row
    if wanted.total_min is not None:
        yield _point(f"What it recommends costs at least {dollars(wanted.total_min)} together.")
    if wanted.item_max is not None:
        row = _point(f"Each thing that it recommends costs at most {dollars(wanted.item_max)}.")
        if alone:
            row["item_max"] = wanted.item_max
        yield row
    if wanted.item_min is not None:
        yield _point(f"Each thing that it recommends costs at least {dollars(wanted.item_min)}.")
    if wanted.month_max is not None:
        yield _point(f"What it recommends costs at most {dollars(wanted.month_max)} a month.")


def _point(text: str, gist: str = "", weight: Weight = "vital") -> PointRow:
    """A demand that is kept by leaving something out has no gist: no word of a report shows it."""
    return {"id": "", "text": text, "weight": weight, "origin": "constraint", "gist": gist}
