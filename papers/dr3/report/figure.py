"""Size against figures (DR3-Eval's Figure 6): a panel for each figure, a line for each system, with intervals."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

from drr.app.report.ink import PALETTE
from drr.app.report.material import Material
from drr.eval.metrics import metrics
from drr.papers.dr3.metrics.rows import dr3_part

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANELS = ("dr3_ir_sc", "dr3_cc", "dr3_ir_uf", "dr3_fa", "dr3_if", "dr3_dq")
ACROSS = 3
LONGEST = 32


def draw_sizes(material: Material) -> Figure | None:
    """Draw where a system was asked at two sizes at least."""
    document = dr3_part(material.document)
    if document is None or all(len(own) < 2 for own in document["sizes"].values()):
        return None
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 6), layout="constrained")
    panels = figure.subplots(2, ACROSS, squeeze=False).flatten()
    sizes = sorted(
        {size: None for own in document["sizes"].values() for size in own},
        key=lambda size: max(list(own).index(size) for own in document["sizes"].values() if size in own),
    )
    for panel, name in zip(panels, PANELS, strict=True):
        for color, (system, own) in zip(cycle(PALETTE), document["sizes"].items()):
            _line(panel, [own.get(size, {}).get(name) for size in sizes], system, color)
        panel.set_title(metrics()[name].label, fontsize=9)
        panel.set_xticks(range(len(sizes)), sizes, fontsize=8)
        panel.set_ylim(0, 100)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside upper center", ncols=min(4, len(labels)), fontsize=8, frameon=False
    )
    return figure


def _line(axes: Any, rows: list[Any], system: str, color: str) -> None:
    """Draw a line; what is unknown is a gap."""
    values = [float("nan") if row is None or row["value"] is None else row["value"] for row in rows]
    axes.plot(
        range(len(rows)), values, "o-", color=color, markersize=3, label=" ".join(system.split())[:LONGEST]
    )
    for place, row in enumerate(rows):
        if row is not None and row["ci_low"] is not None and row["ci_high"] is not None:
            axes.vlines(place, row["ci_low"], row["ci_high"], color=color, linewidth=0.8, alpha=0.6)
