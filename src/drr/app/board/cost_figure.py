"""Lays out the figure of cost against quality."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10
from typing import NamedTuple

from drr.app.board.ranking import Ranking
from drr.app.report.cost import pareto_front
from drr.app.report.tables import RowHead
from drr.app.viewer.render import part
from drr.wording.excerpt import excerpt
from markupsafe import Markup

_WIDE, _HIGH, _LEFT, _RIGHT, _TOP, _BOTTOM = 960, 404, 56, 660, 12, 336
_UNMETERED, _FAILED, _ALONE = 740, 380, 750
_ROOM = 0.08
"""Share of the values' span that the axis leaves below and above them."""
"""Positions of the lanes: across, of systems whose cost is unknown; down, of systems without a figure. The last: the end of
the axis where no cost is unknown."""
_LONGEST = 30
_STEP = 14
"""Least vertical distance between two names."""
_DECADES = 20
"""Ratio of largest to smallest cost from which the axis is logarithmic."""


class FigurePoint(NamedTuple):
    """One system in the figure, with its positions in the drawing."""

    key: str
    name: str
    marks: Markup
    cost: float | None
    value: float | None
    x: float
    y: float
    low: float
    high: float


class Axis(NamedTuple):
    """An axis, which maps values to positions in the drawing."""

    low: float
    high: float
    begin: float
    end: float
    by_powers: bool = False

    def at(self, value: float) -> float:
        low, high, value = (log10(one) if self.by_powers else one for one in (self.low, self.high, value))
        return self.begin + (self.end - self.begin) * ((value - low) / (high - low) if high > low else 0.5)

    def ticks(self) -> list[tuple[float, float]]:
        """Return the ticks as pairs of position and value."""
        from matplotlib.ticker import LogLocator, MaxNLocator

        locator = LogLocator(subs=(1.0, 3.0)) if self.by_powers else MaxNLocator(6)
        found = [float(one) for one in locator.tick_values(self.low, self.high)]
        return [(self.at(one), one) for one in found if self.low <= one <= self.high]


def cost_figure(ranking: Ranking, heads: Mapping[str, RowHead]) -> Markup:
    """Return the figure of all systems; empty where fewer than two have both cost and figure.

    Cost is dollars where any are known, else tokens. Systems without a known cost, and those without a figure, each have a lane beside the axes.
    """
    metric = ranking.metric
    dollars = {one.key: one.dollars["value"] for one in ranking.systems if not one.dollars["n_unscored"]}
    in_dollars = any(dollars.values())
    costs = dollars if in_dollars else {one.key: one.tokens for one in ranking.systems}
    rows = {one.key: one.figures.get(metric.name) for one in ranking.systems} if metric else {}
    known = {
        key: (
            row["value"],
            *(row["value"] if end is None else end for end in (row["ci_low"], row["ci_high"])),
        )
        for key, row in rows.items()
        if row is not None and row["value"] is not None
    }
    metered = [cost for key in known if (cost := costs.get(key)) is not None]
    if metric is None or len(metered) < 2:
        return Markup("")
    least, most = min(metered), max(metered)
    by_powers = least > 0 and most >= _DECADES * least
    ends = (least / 1.2, most * 1.2) if by_powers else (0.0, most * 1.05)
    right = _RIGHT if any(costs.get(one.key) is None for one in ranking.systems) else _ALONE
    across = Axis(*ends, _LEFT, right, by_powers)
    lowest, highest = min(row[1] for row in known.values()), max(row[2] for row in known.values())
    room, (floor, top) = _ROOM * (highest - lowest or 1.0), metric.range or (lowest, highest)
    up = Axis(max(lowest - room, floor), min(highest + room, top), _BOTTOM, _TOP)
    points = []
    for one in ranking.systems:
        cost, row = costs.get(one.key), known.get(one.key)
        x = _UNMETERED if cost is None else min(max(across.at(max(cost, ends[0])), _LEFT), right)
        y, low, high = (_FAILED,) * 3 if row is None else map(up.at, row)
        value = None if row is None else row[0]
        points.append(
            FigurePoint(one.key, ranking.named(one), heads[one.key].marks, cost, value, x, y, low, high)
        )
    places = [(one.cost, one.value) for one in points]
    on_front = pareto_front(places, is_lower_better=metric.better == "lower")
    known_cost = (one for one, here in zip(points, on_front, strict=True) if here and one.cost is not None)
    front = sorted(known_cost, key=lambda one: (one.cost or 0.0, one.y, one.key))
    named, rest = _names([*front, *points])
    return part(
        "board/figure.html",
        wide=_WIDE,
        high=_HIGH,
        unmetered=_UNMETERED if any(one.cost is None for one in points) else None,
        failed=_FAILED if any(one.value is None for one in points) else None,
        up=up,
        across=across,
        front=front,
        points=points,
        names=named,
        rest=rest,
        unit="dollars" if in_dollars else "tokens",
        metric=metric,
    )


def _names(points: Sequence[FigurePoint]) -> tuple[list[tuple[float, float, str]], list[str]]:
    """Return positions and names, and the names of points that are numbered for lack of room. The first points are placed first."""
    taken: list[tuple[float, float, str]] = []
    rest: list[str] = []
    for one in dict.fromkeys(points):
        x = one.x + 8
        name = excerpt(" ".join(one.name.split()), _LONGEST)
        for y in (one.y - 6, one.y + 16):
            if y >= _STEP and all(
                abs(y - other) >= _STEP or abs(x - place) > 7 * _LONGEST for place, other, _ in taken
            ):
                taken.append((x, y, name))
                break
        else:
            rest.append(one.name)
            taken.append((x, one.y + 4, f"{len(rest)}"))
    return taken, rest
