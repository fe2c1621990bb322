"""The paper's figures and the cost-quality chart, as SVG and PNG. The same study draws the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.report.build import Material, tool_calls
from eval.metrics import variants_of
from eval.stats import mean

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


def draw_all(material: Material, folder: Path) -> list[tuple[str, str]]:
    """Writes what this study has data for; (file name without ending, title) of each."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams.update(
        {
            "svg.hashsalt": "drr",
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "figure.dpi": 110,
        }
    )
    drawn = []
    for name, title, draw in (
        ("tool-calls", "Tool calls per answer (Figure 4)", _tool_calls),
        ("pairwise", "Pairwise wins, ties, losses (Figure 6)", _pairwise),
        ("cost-quality", "Cost against quality", _pareto),
    ):
        figure = draw(material)
        if figure is None:
            continue
        _stamp(figure, material.banner)
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": "drr"}, bbox_inches="tight")
        figure.savefig(folder / f"{name}.png", metadata={"Software": "drr"}, bbox_inches="tight", dpi=150)
        drawn.append((name, title))
    return drawn


def _stamp(figure: Figure, banner: str | None) -> None:
    if banner:
        figure.text(0.0, -0.02, banner, fontsize=7, color="#b00020", ha="left", va="top", wrap=True)


def _new(width: float, height: float) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def _tool_calls(material: Material) -> Figure | None:
    from tools.registry import TOOLS

    counts = tool_calls(material.judged)
    variants = [variant for variant, by_tool in counts.items() if any(by_tool.values())]
    if not variants:
        return None
    figure, axes = _new(8, 0.5 + 0.45 * len(variants))
    left = [0.0] * len(variants)
    for color, tool in zip(PALETTE, TOOLS, strict=False):
        widths = [mean(counts[variant][tool]).value or 0.0 for variant in variants]
        axes.barh(variants, widths, left=left, label=tool, color=color)
        left = [a + b for a, b in zip(left, widths, strict=True)]
    for position, total in enumerate(left):
        axes.text(total + 0.1, position, f"{total:.1f}", va="center")
    axes.invert_yaxis()
    axes.set_xlim(0, max(left) * 1.1 or 1)
    axes.set_xlabel("calls of the nine tools per answer, mean over queries")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=7, frameon=False)
    return figure


def _pairwise(material: Material) -> Figure | None:
    rows: Sequence[dict[str, Any]] = [row for row in material.document.get("pairwise") or () if row["n"]]
    if not rows:
        return None
    figure, axes = _new(8, 0.7 + 0.28 * len(rows))
    names = [f"{row['dimension'].replace('_', ' ')}: {row['a']} – {row['b']}" for row in rows]
    left = [0.0] * len(rows)
    for part, color in (("wins", PALETTE[2]), ("ties", "#c9ced3"), ("losses", PALETTE[3])):
        widths = [100 * row[part] / row["n"] for row in rows]
        bars = axes.barh(
            names,
            widths,
            left=left,
            color=color,
            label={"wins": "first wins", "ties": "tie", "losses": "second wins"}[part],
        )
        axes.bar_label(
            bars,
            labels=[str(row[part]) if row[part] else "" for row in rows],
            label_type="center",
            fontsize=7,
        )
        left = [a + b for a, b in zip(left, widths, strict=True)]
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of comparisons, both orders reconciled")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, fontsize=7, frameon=False)
    return figure


def _pareto(material: Material) -> Figure | None:
    """Dollars where prices are known, tokens where they are not; overall quality, with both intervals."""
    points = []
    priced = True
    for variant, answers in variants_of(material.judged).items():
        overall = material.document["metrics"][variant].get("overall")
        costs: dict[str, list[float | None]] = {}
        for answer in answers:
            parts = [role.get("cost_usd") for role in answer.usage.values()]
            known = [float(part) for part in parts if part is not None]
            costs.setdefault(answer.query_id, []).append(
                sum(known) if known and len(known) == len(parts) else None
            )
        dollars = mean(costs).value
        priced = priced and bool(dollars)
        tokens = [
            material.document["metrics"][variant].get(name) for name in ("input_tokens", "output_tokens")
        ]
        if overall and overall["value"] is not None and all(t and t["value"] is not None for t in tokens):
            points.append((variant, dollars, sum(t["value"] for t in tokens if t), overall))
    if len(points) < 2:
        return None
    figure, axes = _new(7, 4)
    for color, (variant, dollars, tokens, overall) in zip(PALETTE, points, strict=False):
        x = dollars if priced else tokens
        low, high = overall["ci_low"], overall["ci_high"]
        error = None if low is None or high is None else [[overall["value"] - low], [high - overall["value"]]]
        axes.errorbar([x], [overall["value"]], yerr=error, fmt="o", color=color, capsize=3)
        axes.annotate(variant, (x, overall["value"]), textcoords="offset points", xytext=(6, 4), fontsize=8)
    axes.set_xlabel(
        "dollars per answer, mean over queries" if priced else "tokens per answer (no price is known)"
    )
    axes.set_ylabel("overall quality, 0-10, with 95 % interval")
    return figure
