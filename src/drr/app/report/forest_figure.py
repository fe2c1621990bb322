"""Defines the colours of figures, and draws paired differences as a forest plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from drr.app.report.contrasts import Contrast
from drr.app.report.material import ReportData
from drr.wording.excerpt import excerpt

if TYPE_CHECKING:
    from matplotlib.figure import Figure


PALETTE = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#d55e00",
    "#cc79a7",
    "#56b4e9",
    "#8c6d1f",
    "#7f7f7f",
    "#4b4ba0",
    "#b8b800",
    "#a03060",
)
"""Colours of Okabe and Ito, then further colours for a figure with more than seven parts."""


class Scheme(NamedTuple):
    ending: str
    ink: str
    paper: str
    grey: str

    def settings(self) -> dict[Any, Any]:
        """Return the Matplotlib settings of the colour scheme."""
        inks = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
        papers = ("figure.facecolor", "axes.facecolor", "savefig.facecolor")
        return {**dict.fromkeys(inks, self.ink), **dict.fromkeys(papers, self.paper)}


LIGHT = Scheme("", "#1c2128", "#ffffff", "#8a929e")
DARK = Scheme("-dark", "#e6e9ee", "#14171c", "#98a1ad")
FORMS = ("svg", "png", "pdf")


LONGEST = 30
LINE = 0.27
"""Height of the line of one pair in inches."""


def draw_forest(material: ReportData) -> Figure | None:
    """Return a forest plot of the paired differences, or `None` without any. Each metric has its own panel, as scales differ."""
    from matplotlib.figure import Figure

    found = [one for one in material.contrasts if one.row["value"] is not None]
    if not found:
        return None
    parts = [
        [one for one in found if one.metric == metric]
        for metric in dict.fromkeys(one.metric for one in found)
    ]
    heights = [LINE * len(own) + 0.75 for own in parts]
    figure = Figure(figsize=(8, sum(heights)), layout="constrained")
    panels = figure.subplots(len(parts), 1, squeeze=False, height_ratios=heights).flatten()
    for panel, own in zip(panels, parts, strict=True):
        _panel(panel, material, own)
    return figure


def _panel(axes: Any, material: ReportData, own: Sequence[Contrast]) -> None:
    metric, grey = own[0].metric, axes.xaxis.label.get_color()
    floor = material.floor(metric.name)
    if floor is not None:
        axes.axvspan(-floor.value, floor.value, color=grey, alpha=0.15, linewidth=0)
    axes.axvline(0, color=grey, linewidth=0.8)
    for place, one in enumerate(own):
        value = one.row["value"] or 0.0
        color = grey if not one.is_settled else PALETTE[0] if value > 0 else PALETTE[3]
        low, high = one.row["ci_low"], one.row["ci_high"]
        if low is not None and high is not None:
            axes.hlines(place, low, high, color=color, linewidth=1.4)
        axes.plot([value], [place], "o" if one.is_settled else "D", color=color, markersize=5)
        axes.annotate(
            _difference_text(one),
            (1.01, place),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=8,
            annotation_clip=False,
        )
    axes.set_yticks(range(len(own)), [f"{_short(one.a)} − {_short(one.b)}" for one in own], fontsize=8)
    axes.set_ylim(len(own) - 0.5, -0.5)
    axes.set_title(metric.label, loc="left", fontsize=9, fontweight="bold")
    axes.locator_params(axis="x", nbins=6)


def _short(name: str) -> str:
    return excerpt(" ".join(name.split()), LONGEST)


def _difference_text(one: Contrast) -> str:
    digits, row = one.metric.digits, one.row
    shown = f"{row['value'] or 0.0:+z.{digits}f}"
    equal = f" on each of {row['n']}" if row.get("all_equal") else ""
    if row["ci_low"] is None or row["ci_high"] is None:
        return f"{shown}{equal}"
    return f"{shown} [{row['ci_low']:.{digits}f}, {row['ci_high']:.{digits}f}]{equal}"
