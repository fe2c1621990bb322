"""Paired differences on the one figure of each way to judge: the table, and what the forest plot draws."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from drr.app.report.floors import floor_cells, floor_notes, greyed
from drr.app.report.headline import lead_metrics
from drr.app.report.material import Material
from drr.app.report.tables import Cell, Table, metric_headings
from drr.eval.metrics import metrics
from drr.eval.metrics.base import Metric
from drr.eval.stats.intervals import SIGNIFICANT, DifferenceRow, mean, paired, with_holm

EVERY_PAIR = 5
"""Systems, up to which each is held against each; of more, each against the best."""
NOTE = (
    "First minus second, on the questions that both answered, with its 95 % interval; bold beyond the noise (sign-flip test, Holm over the "
    "table, p < 0.05)."
)


@dataclass(frozen=True)
class Contrast:
    a: str
    b: str
    metric: Metric
    row: DifferenceRow

    @property
    def name(self) -> str:
        return f"{self.a} minus {self.b}"

    @property
    def is_beyond(self) -> bool:
        return self.row["p_holm"] is not None and self.row["p_holm"] < SIGNIFICANT


def contrasts(material: Material) -> list[Contrast]:
    """The better of two first, by the first figure that both have."""
    shown = [metrics()[name] for name in lead_metrics() if _known(material, name)]
    if not shown:
        return []
    pairs = _pairs(material, shown[0])
    tested = {
        (pair, metric.name): paired(values[pair[0]], values[pair[1]], metric.range)
        for metric in shown
        for values in (material.per_report(metric.name),)
        for pair in pairs
    }
    rows = with_holm({f"{a} {b} {name}": test for ((a, b), name), test in tested.items()})
    by_name = {metric.name: metric for metric in shown}
    return [
        Contrast(a, b, by_name[name], row.document())
        for ((a, b), name), row in zip(tested, rows.values(), strict=True)
    ]


def _known(material: Material, metric: str) -> bool:
    return sum(metric in row for row in material.document["metrics"].values()) > 1


def _pairs(material: Material, metric: Metric) -> list[tuple[str, str]]:
    values = material.per_report(metric.name)
    means = {system: mean(own).value for system, own in values.items()}
    sign = 1 if metric.better == "lower" else -1
    ranked = sorted(means, key=lambda system: (means[system] is None, sign * (means[system] or 0.0), system))
    if len(ranked) > EVERY_PAIR:
        return [(ranked[0], other) for other in ranked[1:]]
    return list(combinations(ranked, 2))


def differences_table(material: Material) -> Table | None:
    found = contrasts(material)
    if not found:
        return None
    shown = list(dict.fromkeys(one.metric for one in found))
    cells = {
        (one.name, one.metric.name): greyed(
            Cell.tested(one.row, one.metric.digits), material.floor(one.metric.name)
        )
        for one in found
    }
    behind = {one.name: (one.a, one.b) for one in found}
    return Table(
        "differences",
        "Paired differences",
        metric_headings(shown),
        [(name, [cells[name, metric.name] for metric in shown]) for name in behind],
        [NOTE, *floor_notes(material, shown)],
        material.banner,
        floor_cells(material, shown),
        behind,
    )
