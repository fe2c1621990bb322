"""The way from a judged study to its tables: the paper's, and those the paper lacks."""

from __future__ import annotations

from collections.abc import Callable

from drr.app.report.agreement_tables import agreement_tables
from drr.app.report.calls import calls_table
from drr.app.report.cost import cost_table
from drr.app.report.differences import differences_table
from drr.app.report.floors import with_floor_note
from drr.app.report.judging_tables import (
    CORRECTED,
    COVERAGE,
    PAIRWISE,
    failure_labels,
    failures,
    foreign_tables,
    rules,
)
from drr.app.report.material import Material
from drr.app.report.measured_cost import MEASURED_COST
from drr.app.report.metric_tables import as_printed, metric_tables, noise
from drr.app.report.of_papers import report_parts
from drr.app.report.paper import with_papers_tables
from drr.app.report.tables import Table

Builder = Callable[[Material], Table | None]
BESIDE: tuple[Builder, ...] = (calls_table, PAIRWISE.table, cost_table, noise, rules, failure_labels)
LAST: tuple[Builder, ...] = (as_printed, COVERAGE.table, failures)


def all_tables(material: Material) -> list[Table]:
    """List those that this study has anything for: the metrics, what stands beside them, judges beside judges, what was judged."""
    found = [
        differences_table(material),
        *metric_tables(material),
        *(table for parts in report_parts() for table in parts.tables(material)),
        MEASURED_COST.table(material),
        *(build(material) for build in BESIDE),
        *agreement_tables(material),
        CORRECTED.table(material),
        *(build(material) for parts in report_parts() for build in parts.last),
        *(build(material) for build in LAST),
        *foreign_tables(material),
    ]
    shown = with_papers_tables(material, [table for table in found if table is not None])
    return [with_floor_note(table) for table in shown]
