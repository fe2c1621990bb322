"""The paper's figures and the cost-quality chart, as SVG and PNG. The same study draws the same bytes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drr.app.report.calls import BESIDE, tool_calls
from drr.app.report.cost import cost_points
from drr.app.report.dr3_figure import draw_sizes
from drr.app.report.material import ByQuery, Material
from drr.app.report.setting_figure import draw_settings
from drr.eval.stats.intervals import mean
from drr.wording.excerpt import excerpt

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PALETTE = (
    "#1b6ca8",
    "#e08e0b",
    "#3a9d5d",
    "#b5446e",
    "#6a5acd",
    "#5b6770",
    "#c0392b",
    "#16a085",
    "#8d6e63",
    "#9e9e9e",
    "#444444",
)


LONGEST = 32
SMALLEST = 1.8
"""Inches of height under which a figure of one bar has no room for its words."""


def draw_all(material: Material, folder: Path) -> list[tuple[str, str]]:
    """Writes what this study has data for; (file name without ending, title) of each."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams.update(
        {
            "svg.hashsalt": "drr",
            "text.parse_math": False,  # names come from outside: a dollar sign is a dollar sign
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "figure.dpi": 110,
        }
    )
    drawn = []
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message="Glyph .* missing"
        )  # a box stands for a letter the font lacks
        for name, title, draw in FIGURES:
            figure = draw(material)
            if figure is None:
                continue
            _stamp(figure, material.banner)
            for form, metadata in (("svg", {"Date": None, "Creator": "drr"}), ("png", {"Software": "drr"})):
                path = folder / f"{name}.{form}"
                figure.savefig(path, metadata=metadata, bbox_inches="tight", dpi=150)
            drawn.append((name, title))
    return drawn


def _stamp(figure: Figure, banner: str | None) -> None:
    if banner:
        figure.text(0.0, -0.02, banner, fontsize=7, color="#b00020", ha="left", va="top", wrap=True)


def _short(name: str) -> str:
    """One line that leaves room for the figure."""
    line = " ".join(name.split())
    return excerpt(line, LONGEST)


def _new(width: float, height: float) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, max(height, SMALLEST)), layout="constrained")
    return figure, figure.subplots()


def _tool_calls(material: Material) -> Figure | None:
    counts = tool_calls(material.variants)
    variants = [variant for variant, by_tool in counts.items() if any(by_tool.values())]
    if not variants:
        return None
    tools = [name for name in counts[variants[0]] if name not in BESIDE]
    figure, axes = _new(8, 0.5 + 0.45 * len(variants))
    left = [0.0] * len(variants)
    for color, tool in zip(cycle(PALETTE), tools, strict=False):
        widths = [mean(counts[variant][tool]).value or 0.0 for variant in variants]
        axes.barh(range(len(variants)), widths, left=left, label=tool, color=color)
        left = [a + b for a, b in zip(left, widths, strict=True)]
    axes.set_yticks(range(len(variants)), [_short(name) for name in variants])
    for position, (variant, total) in enumerate(zip(variants, left, strict=True)):
        told = f"{total:.1f}  (+ {_beside(counts[variant])})"
        axes.text(total + 0.1, position, told, va="center", fontsize=7)
    axes.invert_yaxis()
    axes.set_xlim(0, max(left) * 1.6 or 1)
    axes.set_xlabel("calls of tools per answer, mean over queries; in brackets what is no tool call")
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3, fontsize=7, frameon=False)
    return figure


def _beside(counts: Mapping[str, ByQuery]) -> str:
    """Page reads and control calls, which are no tool calls."""
    return ", ".join(f"{mean(counts[name]).value or 0.0:.1f} {name}" for name in BESIDE[:2])


def _pairwise(material: Material) -> Figure | None:
    rows = [row for row in material.document["pairwise"] if row["n"]]
    if not rows:
        return None
    figure, axes = _new(8, 0.7 + 0.28 * len(rows))
    names = [f"{row['dimension'].replace('_', ' ')}: {_short(row['a'])} – {_short(row['b'])}" for row in rows]
    left = [0.0] * len(rows)
    parts = (
        ("first wins", PALETTE[2], [row["wins"] for row in rows]),
        ("tie", "#c9ced3", [row["ties"] for row in rows]),
        ("second wins", PALETTE[3], [row["losses"] for row in rows]),
    )
    for label, color, counts in parts:
        widths = [100 * count / row["n"] for count, row in zip(counts, rows, strict=True)]
        bars = axes.barh(
            range(len(rows)),
            widths,
            left=left,
            color=color,
            label=label,
        )
        axes.bar_label(
            bars,
            labels=[str(count or "") for count in counts],
            label_type="center",
            fontsize=7,
        )
        left = [a + b for a, b in zip(left, widths, strict=True)]
    axes.set_yticks(range(len(rows)), names)
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of comparisons, both orders reconciled")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, fontsize=7, frameon=False)
    return figure


def _pareto(material: Material) -> Figure | None:
    """Dollars where prices are known, tokens where they are not; overall quality, with both intervals and the front."""
    points = [
        (p, p.cost.value, p.quality["value"])
        for p in cost_points(material)
        if p.cost.value is not None and p.quality["value"] is not None
    ]
    if len(points) < 2:
        return None
    figure, axes = _new(7, 4)
    for color, (point, x, y) in zip(cycle(PALETTE), points):
        axes.errorbar(
            [x],
            [y],
            xerr=_reach(x, point.cost.ci_low, point.cost.ci_high),
            yerr=_reach(y, point.quality["ci_low"], point.quality["ci_high"]),
            fmt="o",
            color=color,
            capsize=3,
            elinewidth=0.8,
        )
        axes.annotate(_short(point.variant), (x, y), textcoords="offset points", xytext=(6, 4), fontsize=8)
    front = sorted((x, y) for p, x, y in points if p.on_front)
    axes.plot(*zip(*front, strict=True), color="#888888", linewidth=1, linestyle="--", zorder=0)
    axes.set_xlabel(
        f"{points[0][0].unit} per answer, mean over queries; dashed: no variant is cheaper and better"
    )
    axes.set_ylabel("overall quality, 0-10, with 95 % interval")
    return figure


def _reach(value: float, low: float | None, high: float | None) -> list[list[float]] | None:
    return None if low is None or high is None else [[max(value - low, 0.0)], [max(high - value, 0.0)]]


FIGURES = (
    ("tool-calls", "Tool calls per answer (Figure 4)", _tool_calls),
    ("pairwise", "Pairwise wins, ties, losses (Figure 6)", _pairwise),
    ("cost-quality", "Cost against quality", _pareto),
    ("dr3-sizes", "Figures against the size of what is searched (DR3-Eval's Figure 6)", draw_sizes),
    ("settings", "Personalization from setting to setting (PDR-Bench's Figure 3)", draw_settings),
)
