"""Draws the paper's figures and the cost-quality chart as SVG, PNG and PDF, light and dark. The same study draws the same bytes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

from drr.app.report.calls import BESIDE, tool_calls
from drr.app.report.colours import DARK, FORMS, LIGHT, PALETTE, Scheme
from drr.app.report.contrasts import ByQuery
from drr.app.report.cost import cost_points
from drr.app.report.judging_tables import PRINTED_PAIRS, printed_pairs
from drr.app.report.material import ReportData
from drr.app.report.of_papers import ReportFigure, report_parts
from drr.eval.stats.intervals import COUNTED, Statistic, mean
from drr.eval.stats.pairs import PairRow
from drr.wording.excerpt import excerpt

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

    Draw = Callable[[ReportData], Figure | None]

LONGEST = 32
NAME_HEIGHT = 0.055
ROOM = 0.08
"""Share of the bar below which a part is too narrow for its number."""
SIGNS_PER_INCH = 18
SMALLEST = 1.8
"""Least height of a figure in inches: a lower figure with one bar has no room for its labels."""


def draw_all(material: ReportData, folder: Path) -> list[tuple[str, str]]:
    """Write every figure that the study has data for, light and dark. Return pairs of file name without ending and title."""
    drawn = []
    for one in every_figure(material):
        laid = _save(material, one, LIGHT, material.forms, folder, None)
        if laid is not None:
            _save(material, one, DARK, material.forms, folder, laid)
            drawn.append((one.name, one.title))
    return drawn


def draw_file(material: ReportData, folder: Path, file: str) -> None:
    """Write the named figure file, if `draw_all` would write a file of that name; else do nothing."""
    for one in every_figure(material):
        for scheme in (LIGHT, DARK):
            for form in FORMS:
                if file == f"{one.name}{scheme.ending}.{form}":
                    _save(material, one, scheme, (form,), folder, None)


def drawn_figures(material: ReportData) -> list[tuple[str, str]]:
    """Return pairs of file name without ending and title for each figure that the study has data for."""
    return [
        (one.name, one.title)
        for one in every_figure(material)
        if _made(material, one.draw, LIGHT) is not None
    ]


STYLE: dict[Any, Any] = {
    "svg.hashsalt": "drr",
    "text.parse_math": False,  # names come from outside: a dollar sign is a dollar sign
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.dpi": 110,
    "pdf.fonttype": 42,
}
_METADATA = {
    "svg": {"Date": None, "Creator": "drr"},
    "png": {"Software": "drr"},
    "pdf": {"CreationDate": None, "Creator": "drr", "Producer": "drr"},
}


SHAPING = ("GDEF", "GPOS", "GSUB", "MATH")
"""Font tables for text layout, which a finished PDF no longer needs; subsetting them takes half the time spent on a PDF's fonts."""


class FigureLayout(NamedTuple):
    """The layout of a figure, shared by all its files. Computing the layout takes as long as drawing the figure."""

    axes: Sequence[Bbox]
    box: Bbox


def _made(material: ReportData, draw: Draw, scheme: Scheme) -> Figure | None:
    import matplotlib as mpl

    mpl.use("Agg")
    with mpl.rc_context({**STYLE, **scheme.settings()}):
        return draw(material)


def _save(
    material: ReportData,
    one: ReportFigure,
    scheme: Scheme,
    forms: Sequence[str],
    folder: Path,
    laid: FigureLayout | None,
) -> FigureLayout | None:
    """Write the figure and return its layout, the given one or a new one. `None` where the study has no data."""
    import matplotlib as mpl

    figure = _made(material, one.draw, scheme)
    if figure is None:
        return None
    with warnings.catch_warnings(), mpl.rc_context({**STYLE, **scheme.settings()}):
        # the font lacks a letter: a box is drawn in its place
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        if material.banner:
            lines = wrap(material.banner, round(SIGNS_PER_INCH * figure.get_figwidth()))
            figure.text(0.0, -0.02, "\n".join(lines), fontsize=7, color=PALETTE[3], ha="left", va="top")
        figure.set_dpi(150)
        if laid is None:
            figure.draw_without_rendering()
            figure.set_layout_engine(None)
            places = [axes.get_position() for axes in figure.axes]
            laid = FigureLayout(places, figure.get_tightbbox().padded(0.1))
        else:
            figure.set_layout_engine(None)
            for axes, place in zip(figure.axes, laid.axes, strict=True):
                axes.set_position(place)
        for form in forms:
            _write(figure, folder / f"{one.name}{scheme.ending}.{form}", form, laid)
    return laid


def _write(figure: Figure, path: Path, form: str, laid: FigureLayout) -> None:
    """Write the figure to the path, the whole file or nothing, as the disk may run full while writing."""
    part = path.with_name(f"{path.name}.part")
    if form == "pdf":
        _leave_out_shaping()
    try:
        figure.savefig(part, format=form, metadata=_METADATA[form], bbox_inches=laid.box, dpi=150)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _leave_out_shaping() -> None:
    """Make fontTools drop the tables of `SHAPING` from the fonts in a PDF; Matplotlib has no setting for this."""
    from fontTools.subset import Options

    left = getattr(Options, "_drop_tables_default", [])
    left += [name for name in SHAPING if name not in left]


def _short(name: str) -> str:
    """Return the name in one line, cut short to leave room for the figure."""
    line = " ".join(name.split())
    return excerpt(line, LONGEST)


def _new(width: float, height: float) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, max(height, SMALLEST)), layout="constrained")
    return figure, figure.subplots()


def _tool_calls(material: ReportData) -> Figure | None:
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
    totals = [_total(counts[variant], tools) for variant in variants]
    reach = max(max(left), *(total.ci_high or 0.0 for total in totals)) or 1.0
    for position, (variant, total) in enumerate(zip(variants, totals, strict=True)):
        value = total.value or 0.0
        axes.errorbar(
            [value], [position], xerr=_reach(value, total.ci_low, total.ci_high), fmt="none",
            ecolor=axes.xaxis.label.get_color(), capsize=3, elinewidth=1,
        )  # fmt: skip
        label = f"{value:.1f}  (+ {_beside(counts[variant])})"
        axes.text(max(value, total.ci_high or 0.0) + 0.02 * reach, position, label, va="center", fontsize=7)
    axes.invert_yaxis()
    axes.set_xlim(0, reach * 1.6)
    axes.set_xlabel("calls of tools per answer, mean over queries; in brackets what is no tool call")
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3, fontsize=7, frameon=False)
    return figure


def _total(counts: Mapping[str, ByQuery], tools: Sequence[str]) -> Statistic:
    """Return the mean of all tool calls per answer, summed over the tools for each trial."""
    first, *others = [counts[tool] for tool in tools]
    return mean(
        {
            query: [
                None if None in every else float(sum(x for x in every if x is not None))
                for every in zip(trials, *(other[query] for other in others), strict=True)
            ]
            for query, trials in first.items()
        },
        ends=COUNTED,
    )


def _beside(counts: Mapping[str, ByQuery]) -> str:
    """Return a text with the mean numbers of page reads and control calls, which are not tool calls."""
    return ", ".join(f"{mean(counts[name]).value or 0.0:.1f} {name}" for name in BESIDE[:2])


def _pairs(every: Sequence[PairRow]) -> Figure | None:
    rows = [row for row in every if row["n"]]
    if not rows:
        return None
    figure, axes = _new(8, 0.7 + 0.32 * len(rows))
    ink = LIGHT.ink  # on bars that are light in both schemes
    names = [f"{row['dimension'].replace('_', ' ')}: {_short(row['a'])} – {_short(row['b'])}" for row in rows]
    left = [0.0] * len(rows)
    parts = (
        ("first wins", PALETTE[5], [row["wins"] for row in rows]),
        ("tie", "#b9bec6", [row["ties"] for row in rows]),
        ("second wins", PALETTE[1], [row["losses"] for row in rows]),
    )
    for label, color, counts in parts:
        widths = [100 * count / row["n"] for count, row in zip(counts, rows, strict=True)]
        bars = axes.barh(range(len(rows)), widths, left=left, color=color, label=label)
        axes.bar_label(
            bars,
            labels=[
                str(count) if count >= ROOM * row["n"] else ""
                for count, row in zip(counts, rows, strict=True)
            ],
            label_type="center",
            fontsize=7,
            color="#1c2128",
        )
        left = [a + b for a, b in zip(left, widths, strict=True)]
    for place, row in enumerate(rows):
        rate = row["win_rate"]
        if rate["value"] is not None:
            xerr = _reach(
                100 * rate["value"],
                *(None if e is None else 100 * e for e in (rate["ci_low"], rate["ci_high"])),
            )
            axes.errorbar(
                [100 * rate["value"]],
                [place + 0.28],
                xerr=xerr,
                fmt=".",
                markersize=4,
                color=ink,
                elinewidth=0.9,
            )
    axes.set_yticks(range(len(rows)), names)
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel(
        "% of comparisons, both orders reconciled; dot and line: win rate of the first with its 95 % interval"
    )
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, fontsize=7, frameon=False)
    return figure


def _pareto(material: ReportData) -> Figure | None:
    """Draw overall quality against cost, with both intervals and the Pareto front. Cost is dollars, or tokens where prices are unknown."""
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
    _name_points(axes, [(x, y, _short(point.variant)) for point, x, y in points])
    front = sorted((x, y) for p, x, y in points if p.on_front)
    axes.plot(*zip(*front, strict=True), color="#888888", linewidth=1, linestyle="--", zorder=0)
    axes.set_xlabel(
        f"{points[0][0].unit} per answer, mean over queries; dashed: variants that no other beats at the same or a lower cost"
    )
    axes.set_ylabel("overall quality, 0-10, with 95 % interval")
    return figure


def _name_points(axes: Any, points: Sequence[tuple[float, float, str]]) -> None:
    """Write the points' names in a column beside the figure, level with the points where there is room, without overlap."""
    low, high = axes.get_ylim()
    step = (high - low) * NAME_HEIGHT
    top = high
    for x, y, name in sorted(points, key=lambda point: (-point[1], -point[0])):
        at = min(y, top)
        top = at - step
        axes.annotate(
            name,
            (x, y),
            xytext=(1.03, at),
            textcoords=axes.get_yaxis_transform(),
            va="center",
            fontsize=8,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": "#8a929e", "linewidth": 0.6, "shrinkB": 4},
        )
    axes.set_ylim(min(low, top), high)


def _reach(value: float, low: float | None, high: float | None) -> list[list[float]] | None:
    return None if low is None or high is None else [[max(value - low, 0.0)], [max(high - value, 0.0)]]


OURS = (
    ("tool-calls", "Tool calls per answer", _tool_calls),
    (
        "pairwise",
        "Pairwise wins, ties, losses",
        lambda material: _pairs(material.document["pairwise"]),
    ),
    ("as-printed-pairwise", PRINTED_PAIRS, lambda material: _pairs(printed_pairs(material))),
    ("cost-quality", "Cost against quality", _pareto),
)


def every_figure(material: ReportData) -> list[ReportFigure]:
    """Return the built-in figures, then those of the study's papers."""
    return [ReportFigure(*one) for one in OURS] + [
        one for parts in report_parts(material.document) for one in parts.figures
    ]
