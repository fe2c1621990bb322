"""The seven dimensions over reports: means, and whether a grade measures length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from drr.eval.labels import DIMENSIONS
from drr.eval.stats.asked import Asked, cluster_of
from drr.eval.stats.intervals import V, mean

if TYPE_CHECKING:
    from drr.eval.stats.length import LengthRow

LENGTH_WARNING = 0.5


@dataclass(frozen=True, slots=True)
class RatedReport:
    query: Asked
    trial: int
    ratings: Mapping[str, int | None]
    """By dimension; `None` where the judge failed or has not judged."""
    words: int | None


def report_values(report: RatedReport) -> dict[str, float | None]:
    found: dict[str, float | None] = {
        name: None if (value := report.ratings.get(name)) is None else float(value) for name in DIMENSIONS
    }
    scores = [value for value in found.values() if value is not None]
    found["quality_average"] = sum(scores) / len(scores) if len(scores) == len(DIMENSIONS) else None
    return found


def corpus_values(reports: Sequence[RatedReport]) -> dict[str, V]:
    """Means per dimension, and their plain average over reports that have all seven (the paper's "Avg")."""
    found = {}
    per_report = [(report.query, report_values(report)) for report in reports]
    for name in (*DIMENSIONS, "quality_average"):
        grouped: dict[Asked, list[float | None]] = {}
        for query, values in per_report:
            grouped.setdefault(query, []).append(values[name])
        what = "mean of the seven dimensions" if name == "quality_average" else "rating 0-10"
        found[name] = mean(grouped, f"{what}, mean over queries")
    return found


def length_correlations(reports: Sequence[RatedReport]) -> dict[str, LengthRow]:
    """Spearman of each dimension with the report's words; above 0.5 the grade may measure length."""
    from drr.eval.stats.correlation import spearman

    words: list[float | None] = [None if r.words is None else float(r.words) for r in reports]
    found: dict[str, LengthRow] = {}
    for name in DIMENSIONS:
        scores: list[float | None] = [report_values(report)[name] for report in reports]
        v = spearman(scores, words, unit="report", clusters=[cluster_of(report.query) for report in reports])
        warn = v.value is not None and v.value > LENGTH_WARNING
        found[name] = {**v.document(), "warning": warn}
    return found
