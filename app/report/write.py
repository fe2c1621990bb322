"""Collects the tables of a judged study, and writes the report's folder with them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from drr.app.pages.folders import REPORT_MARK, fresh_folder
from drr.app.pages.serve import SORTING
from drr.app.report.agreement_tables import agreement_tables
from drr.app.report.calls import calls_table
from drr.app.report.cost import MEASURED_COST, cost_table
from drr.app.report.detail_pages import FOLDER, pages_of
from drr.app.report.differences import differences_table, with_floor_note
from drr.app.report.drawings import draw_all, drawn_figures
from drr.app.report.failing import write_errors
from drr.app.report.judging_tables import (
    AS_PRINTED_PAIRS,
    CORRECTED,
    COVERAGE,
    PAIRWISE,
    failure_labels,
    failures,
    foreign_tables,
    rules,
)
from drr.app.report.latex import appendix, latex, whole
from drr.app.report.material import ReportData
from drr.app.report.metric_tables import as_printed, metric_tables, noise
from drr.app.report.of_papers import report_parts
from drr.app.report.page import answers_page, index_page
from drr.app.report.paper import with_papers_tables
from drr.app.report.tables import Table, as_csv, markdown

Builder = Callable[[ReportData], Table | None]
BESIDE: tuple[Builder, ...] = (calls_table, PAIRWISE.table, cost_table, noise, rules, failure_labels)
LAST: tuple[Builder, ...] = (as_printed, AS_PRINTED_PAIRS.table, COVERAGE.table, failures)


def all_tables(material: ReportData) -> list[Table]:
    """Return all tables for which the study has data: metrics, costs, comparisons, agreement of judges, and coverage."""
    found = [
        differences_table(material),
        *metric_tables(material),
        *(table for parts in report_parts(material.document) for table in parts.tables(material)),
        MEASURED_COST.table(material),
        *(build(material) for build in BESIDE),
        *agreement_tables(material),
        CORRECTED.table(material),
        *(build(material) for parts in report_parts(material.document) for build in parts.last),
        *(build(material) for build in LAST),
        *foreign_tables(material),
    ]
    shown = with_papers_tables(material, [table for table in found if table is not None])
    return [with_floor_note(table) for table in shown]


def write_report(material: ReportData, folder: Path, *, drawn: bool = True) -> list[Table]:
    """Write the report's folder and return its tables. Unless `drawn`, figures are left to `draw_file`, which makes each on request."""
    with fresh_folder(folder, REPORT_MARK, "drr report", (SORTING,)) as draft:
        return _write_tables(material, draft, drawn=drawn)


def _write_tables(material: ReportData, draft: Path, *, drawn: bool) -> list[Table]:
    for name in ("tables", "figures", FOLDER):
        (draft / name).mkdir()
    tables = all_tables(material)
    for table in tables:
        for form, draw in (("md", markdown), ("tex", latex), ("csv", as_csv)):
            (draft / "tables" / f"{table.name}.{form}").write_text(draw(table), encoding="utf-8")
    for name, text in (("appendix", appendix(tables)), ("all", whole(table.name for table in tables))):
        (draft / "tables" / f"{name}.tex").write_text(text, encoding="utf-8")
    write_errors(material.judged, draft / "errors.csv")
    figures = draw_all(material, draft / "figures") if drawn else drawn_figures(material)
    document = json.dumps(material.document, indent=1, sort_keys=True, allow_nan=False)
    (draft / "metrics.json").write_text(document + "\n", encoding="utf-8")
    (draft / "index.html").write_text(index_page(material, tables, figures), encoding="utf-8")
    for systems, page in pages_of(material, tables).items():
        (draft / page).write_text(answers_page(material, systems, tables), encoding="utf-8")
    return tables
