"""Defines a paper's additions to a study's report: forms of metric tables, further tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from drr.env.plugins import papers

if TYPE_CHECKING:
    from drr.app.report.material import ReportData
    from drr.app.report.tables import Table
    from drr.eval.metrics.rows import StudyDocument
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class MetricForm:
    """The options of a metric table, beyond the metrics that name the table."""

    lead: tuple[str, ...] = ()
    """Metrics of another table that this table repeats in its first columns."""
    closing: Mapping[str, str] = field(default_factory=dict)
    """Metrics in the last columns, made of the other metrics and not tested for differences, by column key."""
    spread: bool = False
    """True where every mean is shown with its standard deviation over reports."""
    notes: Callable[[ReportData], list[str]] = lambda material: []
    is_printed: bool = False
    """True where the table also has figures by the definitions that the paper printed."""
    sways: Mapping[str, str] = field(default_factory=dict)
    """The metric that measures another metric's noise, by that metric's name. Values within the noise of the best are marked as slight."""


class ReportFigure(NamedTuple):
    """A figure of the report."""

    name: str
    title: str
    draw: Callable[[ReportData], Figure | None]


@dataclass(frozen=True)
class ReportParts:
    """Everything that a paper adds to a report; every part is optional."""

    forms: Mapping[str, MetricForm] = field(default_factory=dict)
    tables: Callable[[ReportData], Iterable[Table]] = lambda material: ()
    """Function that returns tables to place after the metric tables."""
    last: Sequence[Callable[[ReportData], Table | None]] = ()
    """Functions that each return a table on how answers were judged, or `None`."""
    figures: Sequence[ReportFigure] = ()
    refusals: Callable[[StudyDocument], list[str]] = lambda document: []
    """Function that returns the reasons why a requested table was refused, for readers of the terminal."""


def report_parts(document: StudyDocument) -> list[ReportParts]:
    """Return the additions of the papers of which the study's document has something. No other paper's module is loaded."""
    printed = document.get("as_printed")
    judged = {*document["coverage"]["tasks"], *(printed["coverage"]["tasks"] if printed else ())}
    found: list[ReportParts | None] = [
        paper.pages.report()
        for paper in papers()
        if paper.pages.traces is None or paper.judges(judged) or paper.figures.document in document
    ]
    return [parts for parts in found if parts is not None]
