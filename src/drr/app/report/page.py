"""Draws the pages of a report's folder: its tables and figures, and the answers behind them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from drr.app.pages.folders import REPORT_MARK, fresh_folder
from drr.app.pages.frame import Frame, FramePlace, banner_of
from drr.app.pages.serve import SORTING
from drr.app.papers.printed import exhibit_tables
from drr.app.report.agreement_tables import agreement_tables
from drr.app.report.by_field import by_field_table
from drr.app.report.calls import calls_table
from drr.app.report.colours import DARK, LIGHT
from drr.app.report.contrasts import DIFFERENCES
from drr.app.report.cost import cost_table, measured_cost
from drr.app.report.detail_pages import page_paths, sections_behind
from drr.app.report.differences import differences_table, with_floor_note
from drr.app.report.drawings import draw_all, drawn_figures
from drr.app.report.failing import (
    ERRORS,
    FOLDER,
    charts,
    error_rows,
    errors_of,
    errors_text,
    no_error_text,
    spreads,
    write_errors,
)
from drr.app.report.grids import drawn_by, grid, section
from drr.app.report.headline import facts
from drr.app.report.judging_tables import (
    corrected_table,
    coverage,
    failure_labels,
    failures,
    foreign_tables,
    pairwise,
    pairwise_as_printed,
    rules,
)
from drr.app.report.latex import latex
from drr.app.report.material import ReportData
from drr.app.report.metric_tables import as_printed, metric_tables, noise
from drr.app.report.of_papers import report_parts
from drr.app.report.paper import with_papers_tables
from drr.app.report.standing import study_standings
from drr.app.report.system_table import limits, system_table
from drr.app.report.tables import Table, as_csv, markdown
from drr.eval.tasks.judgements import mistakes_of
from drr.wording.excerpt import many
from markupsafe import Markup


def all_tables(material: ReportData) -> list[Table]:
    """Return all tables for which the study has data: metrics, costs, comparisons, agreement of judges, and coverage."""
    own, agreed = report_parts(material.document), material.agreement
    corrected = material.document.get("corrected")
    found = [
        differences_table(material),
        by_field_table(material.document["by"]) if "by" in material.document else None,
        *metric_tables(material),
        *(table for parts in own for table in parts.tables(material)),
        *(
            build(material)
            for build in (measured_cost, calls_table, pairwise, cost_table, noise, rules, failure_labels)
        ),
        *(agreement_tables(agreed, material.banner) if agreed is not None else ()),
        corrected_table(corrected, material.banner) if corrected else None,
        *(build(material) for parts in own for build in parts.last),
        *(build(material) for build in (as_printed, pairwise_as_printed, coverage, failures)),
        *foreign_tables(material),
    ]
    shown = with_papers_tables(material, [table for table in found if table is not None])
    exhibits = exhibit_tables()
    return [
        with_floor_note(replace(table, is_exhibit=True) if table.name in exhibits else table)
        for table in shown
    ]


def write_report(material: ReportData, folder: Path, *, drawn: bool = True) -> list[Table]:
    """Write the report's folder and return its tables. Unless `drawn`, figures are left to `draw_file`, which makes each on request."""
    with fresh_folder(folder, REPORT_MARK, "drr report", (SORTING,)) as draft:
        return _write_tables(material, draft, drawn=drawn)


def _write_tables(material: ReportData, draft: Path, *, drawn: bool) -> list[Table]:
    for name in ("tables", "figures", FOLDER):
        (draft / name).mkdir()
    tables = all_tables(material)
    for table in (one for one in tables if one.is_exhibit):
        for form, draw in (("md", markdown), ("tex", latex), ("csv", as_csv)):
            (draft / "tables" / f"{table.name}.{form}").write_text(draw(table), encoding="utf-8")
    write_errors(material.judged, draft / "errors.csv")
    figures = draw_all(material, draft / "figures") if drawn else drawn_figures(material)
    document = json.dumps(material.document, indent=1, sort_keys=True, allow_nan=False)
    (draft / "metrics.json").write_text(document + "\n", encoding="utf-8")
    (draft / "index.html").write_text(index_page(material, tables, figures), encoding="utf-8")
    (draft / ERRORS).write_text(_errors_page(material), encoding="utf-8")
    for systems, page in page_paths(material).items():
        (draft / page).write_text(answers_page(material, systems, tables), encoding="utf-8")
    return tables


REPORT = "index.html"
_ONE_LINE = 100
"""Most characters of a banner that is shown whole."""
_OF_SYSTEM = "Each trial of each question; the report shows the mean over questions."
_OF_PAIR = "The questions that both answered, each by the mean of its trials; the report shows the mean difference where both have a figure."


class Topic(NamedTuple):
    """A collapsible section of the first page."""

    key: str
    title: str
    tables: tuple[str, ...]
    """Prefixes of the names of the section's tables."""


TOPICS = (
    Topic("topic-paper", "The paper's own tables", ("paper", "as-printed")),
    Topic("topic-faithfulness", "Faithfulness and citations", ("faithfulness", "citations", "papers")),
    Topic("topic-quality", "Quality", ("quality", "pairwise", "key-points", "relative")),
    Topic("topic-reliability", "Reliability", ("pass", "sameness")),
    Topic("topic-rules", "Rules and failures", ("rules", "failure", "mistakes")),
    Topic("topic-cost", "Effort and cost", ("effort", "tool-calls", "cost", "noise")),
    Topic("topic-judges", "Judges and people", ("coverage", "agreement", "alignment", "corrected")),
    Topic("topic-imported", "Imported figures", ("foreign",)),
    Topic("topic-more", "Further measures", ("",)),
)
_FURTHER = TOPICS[-1]
_PRINTED = "-printed"
"""Suffix of the names of tables with a paper's printed figures. Such a table follows the study's matching table."""


class FoldPart(NamedTuple):
    title: str
    html: Markup


def _placed(
    material: ReportData, tables: Sequence[Table], figures: Sequence[tuple[str, str]]
) -> tuple[Markup, list[tuple[Topic, list[FoldPart]]]]:
    """Return the forest plot of the first page, and its other tables by topic. Empty tables are left out; a figure stands under its table."""
    drawn, plot = dict(figures), Markup("")
    folds, topic = dict[Topic, list[FoldPart]](), _FURTHER
    for table in tables:
        title = drawn.pop(table.name, "")
        if table.name == DIFFERENCES:
            plot = section(table, _pages_of(material, 2))
        elif not table.is_empty:
            # An exact name goes first: "papers" begins like the topic of "paper".
            exact = [one for one in TOPICS if table.name in one.tables]
            if exact or not table.name.endswith(_PRINTED):
                topic = next(one for one in (*exact, *TOPICS) if table.name.startswith(one.tables))
            picture = _picture(material, table.name, title) if title else None
            html = section(table, _pages_of(material, 1), 3, picture)
            folds.setdefault(topic, []).append(FoldPart(table.title, html))
    for file, title in drawn.items():
        folds.setdefault(_FURTHER, []).append(FoldPart(title, _picture(material, file, title)))
    return plot, [(one, folds[one]) for one in TOPICS if one in folds]


def _pages_of(material: ReportData, systems: int) -> dict[str, str]:
    """Return the answer pages of one system, or of two, by the name that a table gives them."""
    return {" minus ".join(own): page for own, page in page_paths(material).items() if len(own) == systems}


def index_page(material: ReportData, tables: Sequence[Table], figures: Sequence[tuple[str, str]]) -> str:
    """Return the HTML of the report's first page. `figures` are pairs of file name without ending and title; a figure with a table's name is placed under the table."""
    plot, topics = _placed(material, tables, figures)
    ranks = study_standings(material.study, material.judged, material.contrasts)
    answered = [one for one in ranks.systems if one in material.variants]
    return _frame(material).draw(
        "summary.html",
        place="report",
        banner=_banner(material),
        topics=topics,
        invalid=material.document["coverage"]["invalid_because"],
        verdict=ranks.row,
        systems=grid(system_table(material, ranks), _pages_of(material, 1), "board"),
        forest=plot,
        limits=limits(material, material.contrasts),
        failed=_error_count(material),
        unfound=no_error_text(material.judged) if material.judged.rules else "",
        mistakes=_mistake_count(material),
        judged=material.judged.judging is not None,
        charts=charts(material, answered, error_rows(material)),
        spreads=spreads(material, answered),
        facts=facts(material),
    )


def _error_count(material: ReportData) -> str:
    return errors_text([len(errors_of(material.judged, one)) for one in material.judged.answers])


def _mistake_count(material: ReportData) -> str:
    """Return the number of mistakes that the judge found; empty for none."""
    found = (mistakes_of(material.judged, one.key) for one in material.judged.answers)
    count = sum(len(one["mistakes"]) for one in found if one is not None)
    return many(count, "mistake") if count else ""


def _errors_page(material: ReportData) -> str:
    from drr.app.viewer.render import errors_page

    found = _error_count(material)
    return errors_page(_frame(material), "../", error_rows(material), found, _banner(material))


def _banner(material: ReportData) -> str | None:
    """Return the banner in one line, or `None`; the list of limits has the full text."""
    written = [answer.rule_written for own in material.variants.values() for answer in own]
    partly = material.banner
    if partly and len(partly) > _ONE_LINE:
        partly = "Some figures do not compare, or no model made them."
    weak = material.judged.judging.weak if material.judged.judging else None
    return banner_of(written, material.by_rules, weak) or partly


def answers_page(material: ReportData, systems: tuple[str, ...], tables: Sequence[Table]) -> str:
    """Return the HTML of the answers page of one system or of two systems (first minus second)."""
    is_pair, title = len(systems) > 1, " minus ".join(systems)
    pages = [
        (" minus ".join(own), own == systems, page.removeprefix(f"{FOLDER}/"))
        for own, page in page_paths(material).items()
    ]
    return _frame(material).draw(
        "answers.html",
        "../",
        place="report",
        banner=_banner(material),
        title=title if is_pair else f"Answers of {title}",
        note=_OF_PAIR if is_pair else _OF_SYSTEM,
        linked="both reports side by side" if is_pair else "its report",
        pages=pages,
        parts=list(sections_behind(material, systems, tables)),
        viewer=material.viewer,
    )


def _frame(material: ReportData) -> Frame:
    places = [FramePlace("report", REPORT, "Report"), FramePlace("errors", ERRORS, "Errors")]
    if material.viewer is not None:
        places.append(FramePlace("viewer", f"{material.viewer}/index.html", "Answers"))
    judge = material.document["judge"]
    judged_by = f"judged by {judge['name']}" if judge else "not judged yet"
    return Frame(material.study.folder.resolve().name, False, places, lambda: judged_by, scripts=(SORTING,))


def _picture(material: ReportData, file: str, title: str) -> Markup:
    """Return a figure with links to its files, light and dark."""
    names = [f"{file}{scheme.ending}.{form}" for scheme in (LIGHT, DARK) for form in material.forms]
    links = [(name, name.removeprefix(file).strip(".-")) for name in names]
    return drawn_by("picture", file, DARK.ending, title, links)
