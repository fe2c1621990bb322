"""Lays out the figure of cost against quality."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, log10
from typing import NamedTuple

from drr.app.board.ranking import Ranking
from drr.app.report.tables import RowHead
from drr.app.viewer.render import part
from drr.wording.excerpt import excerpt
from markupsafe import Markup

_WIDE, _HIGH, _LEFT, _RIGHT, _TOP, _BOTTOM = 960, 380, 56, 810, 12, 336
_LONGEST = 24
_STEP = 14
"""Least vertical distance between two names."""
_DECADES = 20
"""Ratio of largest to smallest cost from which the axis is logarithmic."""


class FigurePoint(NamedTuple):
    """One system in the figure, with its positions in the drawing."""

    key: str
    name: str
    marks: Markup
    cost: float
    value: float
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
    """Return the figure of the systems with a cost and an interval; empty for fewer than two. Cost is dollars where any are known, else tokens."""
    metric = ranking.metric
    dollars = {one.key: one.dollars["value"] for one in ranking.systems if not one.dollars["n_unscored"]}
    in_dollars = any(dollars.values())
    costs = dollars if in_dollars else {one.key: one.tokens for one in ranking.systems}
    found = []
    for one in ranking.systems:
        row, cost = one.figures.get(metric.name) if metric else None, costs.get(one.key)
        if row and cost is not None and row["value"] is not None and row["ci_low"] is not None:
            high = row["value"] if row["ci_high"] is None else row["ci_high"]
            found.append((one, cost, row["value"], row["ci_low"], high))
    if metric is None or len(found) < 2:
        return Markup("")
    least, most = min(one[1] for one in found), max(one[1] for one in found)
    by_powers = least > 0 and most >= _DECADES * least
    ends = (least / 1.2, most * 1.2) if by_powers else (0.0, most * 1.05)
    across = Axis(*ends, _LEFT, _RIGHT, by_powers)
    scale = metric.range or (min(one[3] for one in found), max(one[4] for one in found))
    up = Axis(*scale, _BOTTOM, _TOP)
    points = [
        FigurePoint(
            *(one.key, one.variant, heads[one.key].marks, cost, value),
            *(across.at(cost), *map(up.at, (value, low, high))),
        )
        for one, cost, value, low, high in found
    ]
    front = _front(points, is_lower_better=metric.better == "lower")
    return part(
        "board/figure.html",
        wide=_WIDE,
        high=_HIGH,
        left=_LEFT,
        right=_RIGHT,
        bottom=_BOTTOM,
        rows=up.ticks(),
        columns=across.ticks(),
        front=front,
        points=points,
        names=_names(front),
        unit="dollars" if in_dollars else "tokens",
        by_powers=by_powers,
        metric=metric,
        left_out=len(ranking.systems) - len(points),
    )


def _front(points: Sequence[FigurePoint], *, is_lower_better: bool) -> list[FigurePoint]:
    """Return the Pareto front: the points for which no other point is at most as expensive and better."""
    sign, best, found = (-1 if is_lower_better else 1), -inf, []
    for one in sorted(points, key=lambda one: (one.cost, -sign * one.value, one.key)):
        if sign * one.value > best:
            best = sign * one.value
            found.append(one)
    return found


def _names(front: Sequence[FigurePoint]) -> list[tuple[float, float, str]]:
    """Return positions and names for the points of the front that have room for a name, best first."""
    taken: list[tuple[float, float, str]] = []
    for one in reversed(front):
        x = one.x + 8
        for y in (one.y - 6, one.y + 16):
            if y >= _STEP and all(
                abs(y - other) >= _STEP or abs(x - place) > 7 * _LONGEST for place, other, _ in taken
            ):
                taken.append((x, y, excerpt(" ".join(one.name.split()), _LONGEST)))
                break
    return taken
