"""Cost against quality as a drawing within the page. Its colours are the page's, and filters hide its points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, log10
from typing import NamedTuple

from drr.app.board.ranking import Ranking
from drr.app.report.tables import RowHead
from drr.wording.excerpt import excerpt
from markupsafe import Markup

_WIDE, _HIGH, _LEFT, _RIGHT, _TOP, _BOTTOM = 960, 380, 56, 150, 12, 44
_LONGEST = 24
_STEP = 14
"""Height of a line of names."""
_DECADES = 20
"""So many times the least is the most where a scale is one of powers."""


class FigurePoint(NamedTuple):
    key: str
    cost: float
    value: float
    low: float
    high: float


class Axis(NamedTuple):
    """A scale from values to places."""

    low: float
    high: float
    begin: float
    end: float
    by_powers: bool = False

    def at(self, value: float) -> float:
        low, high, value = (log10(one) if self.by_powers else one for one in (self.low, self.high, value))
        return self.begin + (self.end - self.begin) * ((value - low) / (high - low) if high > low else 0.5)

    def ticks(self) -> list[float]:
        from matplotlib.ticker import LogLocator, MaxNLocator

        locator = LogLocator(subs=(1.0, 3.0)) if self.by_powers else MaxNLocator(6)
        found = [float(one) for one in locator.tick_values(self.low, self.high)]
        return [one for one in found if self.low <= one <= self.high]


def cost_figure(ranking: Ranking, heads: Mapping[str, RowHead]) -> Markup:
    """Draw what has a cost and an interval: dollars where any are known, else tokens. Empty for less than two."""
    metric = ranking.metric
    dollars = {one.key: one.dollars["value"] for one in ranking.systems if not one.dollars["n_unscored"]}
    unit = "dollars" if any(dollars.values()) else "tokens"
    costs = dollars if unit == "dollars" else {one.key: one.tokens for one in ranking.systems}
    points = []
    for one in ranking.systems:
        row, cost = one.figures.get(metric.name) if metric else None, costs.get(one.key)
        if row and cost is not None and row["value"] is not None and row["ci_low"] is not None:
            high = row["value"] if row["ci_high"] is None else row["ci_high"]
            points.append(FigurePoint(one.key, cost, row["value"], row["ci_low"], high))
    if metric is None or len(points) < 2:
        return Markup("")
    least, most = min(one.cost for one in points), max(one.cost for one in points)
    by_powers = least > 0 and most >= _DECADES * least
    across = Axis(
        least / 1.2 if by_powers else 0.0,
        most * (1.2 if by_powers else 1.05),
        _LEFT,
        _WIDE - _RIGHT,
        by_powers,
    )
    ends = metric.range or (min(one.low for one in points), max(one.high for one in points))
    up = Axis(*ends, _HIGH - _BOTTOM, _TOP)
    front = _front(points, is_lower_better=metric.better == "lower")
    names = {one.key: one.variant for one in ranking.systems}
    body = [
        _grid(across, up),
        _line(front, across, up),
        *(_point(one, across, up, names[one.key], heads[one.key]) for one in points),
        *_names(front, across, up, names),
    ]
    left_out = len(ranking.systems) - len(points)
    also = f" {left_out:,} without a known cost or interval are not drawn." if left_out else ""
    return Markup(
        '<figure class="scroll" tabindex="0" role="region" aria-label="Cost against quality"><svg class="chart" viewBox="0 0 {} {}">{}</svg>'
        "<figcaption>{} per answer{}, against {} with its 95 % interval; dashed: nobody is cheaper and better.{}</figcaption></figure>"
    ).format(
        _WIDE,
        _HIGH,
        Markup("").join(body),
        unit,
        ", by powers of ten" if by_powers else "",
        metric.label,
        also,
    )


def _front(points: Sequence[FigurePoint], *, is_lower_better: bool) -> list[FigurePoint]:
    """The points that no other is as cheap as and better than."""
    sign, best, found = (-1 if is_lower_better else 1), -inf, []
    for one in sorted(points, key=lambda one: (one.cost, -sign * one.value, one.key)):
        if sign * one.value > best:
            best = sign * one.value
            found.append(one)
    return found


def _grid(across: Axis, up: Axis) -> Markup:
    lines = [
        Markup(
            '<path class="rule" d="M{} {:.1f}H{}"/><text x="{}" y="{:.1f}" class="end">{:g}</text>'
        ).format(_LEFT, up.at(one), _WIDE - _RIGHT, _LEFT - 8, up.at(one) + 4, one)
        for one in up.ticks()
    ]
    lines += [
        Markup(
            '<path class="rule" d="M{:.1f} {}v5"/><text x="{:.1f}" y="{}" class="mid">{:,g}</text>'
        ).format(across.at(one), _HIGH - _BOTTOM, across.at(one), _HIGH - _BOTTOM + 20, one)
        for one in across.ticks()
    ]
    return Markup("").join(lines)


def _line(front: Sequence[FigurePoint], across: Axis, up: Axis) -> Markup:
    places = "L".join(f"{across.at(one.cost):.1f} {up.at(one.value):.1f}" for one in front)
    return Markup('<path class="front" d="M{}"/>').format(places)


def _point(one: FigurePoint, across: Axis, up: Axis, name: str, head: RowHead) -> Markup:
    x = across.at(one.cost)
    return Markup(
        '<a href="s/{}.html"{}><title>{}: {:.3g} at {:.3g}</title><path d="M{:.1f} {:.1f}V{:.1f}"/><circle cx="{:.1f}" cy="{:.1f}" r="4"/></a>'
    ).format(
        one.key,
        head.marks,
        name,
        one.value,
        one.cost,
        x,
        up.at(one.low),
        up.at(one.high),
        x,
        up.at(one.value),
    )


def _names(front: Sequence[FigurePoint], across: Axis, up: Axis, names: Mapping[str, str]) -> list[Markup]:
    """Name the front where a name has room beside its point, the best first."""
    taken: list[tuple[float, float]] = []
    shown = []
    for one in reversed(front):
        x = across.at(one.cost) + 8
        for y in (up.at(one.value) - 6, up.at(one.value) + 16):
            if all(abs(y - other) >= _STEP or abs(x - place) > 7 * _LONGEST for place, other in taken):
                taken.append((x, y))
                name = excerpt(" ".join(names[one.key].split()), _LONGEST)
                shown.append(Markup('<text x="{:.1f}" y="{:.1f}">{}</text>').format(x, y, name))
                break
    return shown
