"""Families of metrics. One more family is one file here and one line in `FAMILIES`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Family, Metric
from drr.eval.stats.intervals import V, VRow
from drr.eval.tasks.judged import Judged

FAMILIES: tuple[str, ...] = (
    "faithfulness",
    "citations",
    "papers",
    "pqr",
    "reporteval",
    "dr3",
    "quality",
    "key_points",
    "relative",
    "swap",
    "attributes",
    "effort",
    "rules",
    "mistakes",
)


def families() -> list[Family]:
    modules: list[Any] = [import_module(f"drr.eval.metrics.{name}") for name in FAMILIES]
    return modules


def metrics() -> dict[str, Metric]:
    """Every metric by name, family by family in the order of their tables."""
    found: dict[str, Metric] = {}
    for family in families():
        for metric in _declared(family):
            if metric.name in found:
                raise ValueError(f"two metrics are called {metric.name}")
            found[metric.name] = metric
    return found


def documented(figures: Mapping[str, V]) -> dict[str, VRow]:
    """Figures by the names of metrics, each with an interval that keeps to its metric's range."""
    known = metrics()
    return {
        name: v.within(known[name].ends if name in known else None).document() for name, v in figures.items()
    }


def _declared(family: Family) -> Sequence[Metric]:
    made: Callable[[], Sequence[Metric]] | None = getattr(family, "metrics", None)
    return family.METRICS if made is None else made()


def tables() -> dict[str, list[Metric]]:
    """The metrics that stand in a table, by its key."""
    found: dict[str, list[Metric]] = {}
    for metric in metrics().values():
        if metric.table is not None:
            found.setdefault(metric.table, []).append(metric)
    return found


def titles() -> dict[str, str]:
    """What families say over their own tables, by key."""
    return {key: title for family in families() for key, title in getattr(family, "TITLES", {}).items()}


def values_of(judged: Judged, answer: Answer) -> dict[str, float | None]:
    """Every metric of one report, of all families."""
    return {name: value for family in families() for name, value in family.per_report(judged, answer).items()}
