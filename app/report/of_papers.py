"""A paper's additions to a study's report: forms of metric tables, further tables and figures, and a headline figure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from drr.env.plugins import load, papers

if TYPE_CHECKING:
    from drr.app.report.material import Material
    from drr.app.report.tables import Table
    from drr.eval.metrics.rows import StudyDocument
    from drr.study.study import Study
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class MetricForm:
    """The form of a table of metrics besides the metrics that name it."""

    lead: tuple[str, ...] = ()
    """Metrics of another table that stand in front here too."""
    closing: Mapping[str, str] = field(default_factory=dict)
    """Metrics at the end that are made of the others and not tested beside them, by the key of their column."""
    spread: bool = False
    """Every mean with its standard deviation over reports."""
    notes: Callable[[Material], list[str]] = lambda material: []
    is_printed: bool = False
    """The table has figures by the definitions that were printed, too."""
    sways: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Metrics that measure its own sway: values no further than this from the best are shown as slight."""


class ReportFigure(NamedTuple):
    """A figure of the report."""

    name: str
    title: str
    draw: Callable[[Material], Figure | None]


@dataclass(frozen=True)
class ReportParts:
    """Everything that a paper adds; what it has none of is left out."""

    forms: Mapping[str, MetricForm] = field(default_factory=dict)
    tables: Callable[[Material], Iterable[Table]] = lambda material: ()
    """Tables after those of metrics."""
    last: Sequence[Callable[[Material], Table | None]] = ()
    """Tables among those of the judging itself."""
    figures: Sequence[ReportFigure] = ()
    headline: str = ""
    """The one metric that says how it went."""
    document: Mapping[str, Callable[[Study], object | None]] = field(default_factory=dict)
    """Parts of the report's document that only a report has, by key."""
    refusals: Callable[[StudyDocument], list[str]] = lambda document: []
    """Why a table that was asked for is none, for who reads no table."""


def report_parts() -> list[ReportParts]:
    """The parts that all papers add to the report."""
    return [load(paper.report) for paper in papers() if paper.report]
