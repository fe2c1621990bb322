"""`drr report --paper`: a paper's tables by their own numbers, its figures marked, and never beside those of rules."""

from __future__ import annotations

import csv
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from drr.app.papers.printed import paper_of
from drr.app.report.material import ReportData
from drr.app.report.page import all_tables
from drr.app.report.tables import Cell, Table, as_csv, markdown
from drr.eval.metrics.document import study_document
from drr.study.study import Study

from tests.app.conftest import material_of
from tests.commands import Drr

pytestmark = pytest.mark.long

TOLD = {"plan-to-function@task", "plan-to-function@persona", "react@task", "react@persona"}


def material(study: Study, paper: str, *, by_model: bool) -> ReportData:
    found = material_of(study, paper=paper)
    if by_model:
        found.document["banner"] = None
    return found


def tables_of(home: Path, paper: str, *, by_model: bool) -> dict[str, Table]:
    with Study.open(home / "study") as study:
        return {table.name: table for table in all_tables(material(study, paper, by_model=by_model))}


def rows(table: Table) -> dict[str, list[Cell]]:
    return {name: list(cells) for name, cells in table.rows}


@pytest.fixture(scope="module")
def by_rules(settings_home: Path) -> dict[str, Table]:
    return tables_of(settings_home, "pdr", by_model=False)


@pytest.fixture(scope="module")
def by_model(settings_home: Path) -> dict[str, Table]:
    return tables_of(settings_home, "pdr", by_model=True)


def test_every_exhibit_is_listed_beside_no_rules(by_rules: dict[str, Table], settings_home: Path) -> None:
    listed = rows(by_rules["paper"])
    assert list(listed) == [one.source for one in paper_of("pdr").exhibit]
    titles = [by_rules[name].title for name in ("pdr-table-1", "pqr", "pqr-dimensions")]
    assert listed["Table 1"][1].value == "; ".join(titles)
    assert listed["Table 3"][1].value == by_rules["memories"].title
    for source, why in (("Table 4", "scores of people"), ("rows of Tables 1, 2, 8, 9", "cannot be run here")):
        assert re.match(rf"– \(.*{why}", str(listed[source][1].value))
    with Study.open(settings_home / "study") as study:
        figures = study_document(study)["metrics"]
    first, second = by_rules["pdr-table-1"], by_rules["pdr-table-2"]
    assert {name for name, _ in first.rows} == {name for name in TOLD if name.endswith("@persona")}
    assert {name for name, _ in second.rows} == TOLD
    assert [column.key for column in second.columns] == list(paper_of("pdr").exhibit[1].metrics)
    for name, cells in second.rows:
        assert cells[0].value == figures[name]["pqr_p"]["value"]
        assert cells[0].n == figures[name]["pqr_p"]["n"]
    assert by_rules["pdr-table-1"].banner
    assert not [name for name in by_rules if name.endswith("-printed")]
    assert any("left out" in note for note in by_rules["paper"].notes)
    figures = {f for one in paper_of("pdr").exhibit for row in one.rows for f in one.figures(row)}
    for table in by_rules.values():
        assert all(cell.printed is None for _, cells in table.rows for cell in cells)
        shown = {row["paper"] for row in csv.DictReader(as_csv(table).splitlines())}
        assert shown.isdisjoint(figures)


def test_beside_a_models_figures_the_printed_ones_stand_whole_and_marked(by_model: dict[str, Table]) -> None:
    names = list(by_model)
    assert names[:3] == ["paper", "pdr-table-1", "pdr-table-1-printed"]
    assert names.index("pdr-table-3-printed") == names.index("memories") + 1
    for one in paper_of("pdr").exhibit:
        table = by_model.get(f"pdr-{one.source.lower().replace(' ', '-')}-printed")
        assert (table is not None) == bool(one.rows and not one.people), one.source
        if table is not None:
            assert table.notes[0].startswith("Another setting") and "another setting" in table.title
            printed = [[cell.printed or "" for cell in cells] for _, cells in table.rows]
            assert printed == [list(one.figures(row)) for row in one.rows]
    assert "mixes sets of queries" in markdown(by_model["pdr-table-3-printed"])
    for row in csv.DictReader(as_csv(by_model["pdr-table-2-printed"]).splitlines()):
        assert (row["value"], row["n"]) == ("", "")
        assert row["paper"]


def test_rows_that_were_not_asked_the_same_are_refused(settings_home: Path, tmp_path: Path, drr: Drr) -> None:
    home, more = tmp_path / "home", tmp_path / "more.jsonl"
    shutil.copytree(settings_home, home)
    first = json.loads((home / "queries.jsonl").read_text(encoding="utf-8").splitlines()[0])
    more.write_text(json.dumps({**first, "id": "q-more", "query": "Which lamp lasts?"}) + "\n")
    only = ("--variants", "react", "--settings", "persona", "--only", "--quiet")
    drr.out("run", home / "study", "--queries", more, *only)
    tables = tables_of(home, "pdr", by_model=True)
    refused = tables["pdr-table-2"]
    assert all(cells[0].value == "refused" for _, cells in refused.rows)
    assert "react@persona 5" in refused.notes[0]
    assert any("The systems were not all asked the same questions" in note for note in tables["pqr"].notes)
    assert not any(isinstance(cell.value, float) for _, cells in refused.rows for cell in cells)


def test_rows_that_answered_less_are_means_over_what_every_row_answered(settings_home: Path) -> None:
    with Study.open(settings_home / "study") as study:
        found = material(study, "pdr", by_model=True)
        gone = next(a for a in found.judged.answers if a.variant == "react@persona")
        judged = replace(found.judged, answers=[a for a in found.judged.answers if a is not gone])
        tables = {table.name: table for table in all_tables(replace(found, judged=judged))}
    table = tables["pdr-table-2"]
    assert "3 of 4 questions were answered under every row." in table.notes
    assert not any("not all asked" in note for note in tables["pqr"].notes)  # asked it was
    assert {cells[0].n for name, cells in table.rows if name != "react@persona"} == {3}


def test_the_retail_papers_tables_stand_beside_ours(judged_study: Path) -> None:
    with Study.open(judged_study) as study:
        found = material(study, "retail", by_model=True)
        tables = {table.name: table for table in all_tables(found)}
    assert rows(tables["retail-table-2-printed"])["React+WS"][-1].printed == "6.97"
    assert rows(tables["retail-table-5-printed"])["React"][0].printed == "198.9k ± 93.4k"
    assert "retail-appendix-d-printed" not in tables
    assert "labels of two people" in str(rows(tables["paper"])["Appendix D"][1].value)


def test_a_paper_is_one_of_the_four(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    out = tmp_path / "r"
    assert "retail" in drr.err("report", judged_study, "--out", out, "--paper", "fifth")
    drr.out("report", judged_study, "--out", out, "--paper", "reporteval")
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "ReportEval: its tables and figures" in page
    assert "as the paper prints it" not in page


def _numbered(text: str) -> set[str]:
    """The tables and figures that a text names, one by one: `Tables 1, 2, Figures 4-6`."""
    named, kind = set[str](), ""
    for word, first, last in re.findall(
        r"(Table|Figure|Appendix)?s? ?(?:(\d+|[A-Z](?![a-z]))(?:-(\d+))?)?", text
    ):
        kind = word or kind
        if first and kind:
            ends = range(int(first), int(last or first) + 1) if first.isdigit() else [first]
            named |= {f"{kind} {one}" for one in ends}
    return named


def test_the_page_of_papers_says_what_the_element_page_says() -> None:
    page = (Path(__file__).parents[2] / "docs" / "papers.md").read_text(encoding="utf-8")
    for title, name in (("DeepResearch Retail", "retail"), ("DR3-Eval", "dr3")):
        rows = re.findall(
            r"^\| (.+?) \| (.+?) \| (.+?) \|$", page.partition(f"## {title}\n")[2].partition("\n## ")[0], re.M
        )
        shown = set[str]().union(*(_numbered(its.partition(":")[0]) for its, here, _ in rows if here != "-"))
        missing = set[str]().union(*(_numbered(one.source) for one in paper_of(name).exhibit if one.missing))
        assert not shown & missing, f"{title}: shown by the page, missing by its elements"
        if name == "dr3":
            told = [its for its, here, how in rows if here == "-" and "missing" in how]
            assert (
                [its.partition(":")[0] for its in told[:2]]
                == ["Table 3", "Figure 4"]
                == sorted(missing)[::-1]
            )
            assert all(word in told[2] for word in ("audio", "video", "Chinese"))
