"""Personalization from setting to setting (PDR-Bench's Figure 3). A panel for each agent, a line for P and each of its dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from drr.app.report.ink import PALETTE
from drr.app.report.material import Material
from drr.env.given import parts_of
from drr.eval.metrics import metrics
from drr.papers.pdr.metrics.setting_rows import AgentSettings, settings_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LINES = (
    ("pqr_p", "", 2.2),
    ("pqr_goal", PALETTE[0], 1.1),
    ("pqr_cont", PALETTE[1], 1.1),
    ("pqr_pres", PALETTE[2], 1.1),
    ("pqr_acti", PALETTE[4], 1.1),
)
"""Metric, colour (none: that of words), width."""
ACROSS = 2
"""Panels in a row."""


def draw_settings(material: Material) -> Figure | None:
    """Draw the agents that were scored under two settings at least. Memories are points and no part of a
    line: none is more than another."""
    from matplotlib.figure import Figure

    if "settings" not in material.document:
        return None
    figures = material.document["metrics"]
    shown = [
        (agent, own)
        for agent, own in settings_of(material.document)["agents"].items()
        if sum("pqr_p" in figures[system] for system in own["systems"]) > 1
    ]
    if not shown:
        return None
    across = min(ACROSS, len(shown))
    down = ceil(len(shown) / across)
    figure = Figure(figsize=(1.0 + 4.2 * across, 0.6 + 3.2 * down), layout="constrained")
    panels = figure.subplots(down, across, squeeze=False).flatten()
    for panel, (agent, own) in zip(panels, shown, strict=False):
        _panel(panel, material, agent, own)
    for empty in panels[len(shown) :]:
        empty.set_axis_off()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), fontsize=8, frameon=False)
    return figure


def _panel(axes: Any, material: Material, agent: str, own: AgentSettings) -> None:
    systems = own["systems"]
    names = [parts_of(system).setting.name for system in systems]
    line = [place for place, name in enumerate(names) if not name.startswith("memory:")]
    ink = axes.xaxis.label.get_color()
    for metric, own_color, width in LINES:
        color = own_color or ink
        values = [_value(material, system, metric) for system in systems]
        axes.plot(range(len(systems)), values, "o", color=color, markersize=2.5 + width)
        kept = [values[place] for place in line]
        axes.plot(line, kept, color=color, linewidth=width, label=metrics()[metric].label)
    _reach(axes, material, systems)
    mixed = "" if own["same_questions"] else " (settings answered different questions)"
    axes.set_title(f"{' '.join(agent.split())[:40]}{mixed}", fontsize=9)
    axes.set_xticks(range(len(systems)), names, rotation=25, ha="right", fontsize=8)
    axes.set_ylim(0, 10)
    axes.set_ylabel("0-10; bars: 95 % interval of P", fontsize=8)


def _value(material: Material, system: str, metric: str) -> float:
    """Return the value; what is unknown is a gap in the line."""
    row = material.document["metrics"][system].get(metric)
    return float("nan") if row is None or row["value"] is None else row["value"]


def _reach(axes: Any, material: Material, systems: Sequence[str]) -> None:
    for place, system in enumerate(systems):
        row = material.document["metrics"][system].get("pqr_p")
        if row is not None and row["ci_low"] is not None and row["ci_high"] is not None:
            axes.vlines(
                place,
                row["ci_low"],
                row["ci_high"],
                color=axes.xaxis.label.get_color(),
                linewidth=0.8,
                alpha=0.6,
            )
