"""The meaning of every metric, in the registry's own words: for `drr report --explain` and `docs/metrics.md`."""

from __future__ import annotations

from drr.app.report.tables import Cell, Table, headings, markdown
from drr.app.terminal import Column, table
from drr.eval.metrics import metrics
from drr.eval.metrics.base import Metric

HEAD = ("label", "scale", "better", "table", "meaning")


def explanations() -> dict[str, tuple[str, ...]]:
    """Map the metric's name to its explanation, under `HEAD`."""
    return {name: _row(metric) for name, metric in metrics().items()}


def _row(metric: Metric) -> tuple[str, ...]:
    return (metric.label, metric.scale, metric.better or "-", metric.table or "-", metric.explanation)


def explained() -> str:
    """Explain for the terminal."""
    label, scale, better, place, meaning = HEAD
    head = (
        "metric",
        Column(label, rank=3),
        Column(scale, rank=1),
        Column(better),
        Column(place, rank=2),
        Column(meaning, flows=True),
    )
    return table(head, [[name, *row] for name, row in explanations().items()])


def explained_table() -> Table:
    rows = [(name, [Cell(text) for text in row]) for name, row in explanations().items()]
    return Table("metrics", "Every metric", headings(*HEAD), rows)


if __name__ == "__main__":
    print(markdown(explained_table()))
