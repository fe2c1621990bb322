"""PDR-Bench's tables: agents under settings, by rules, in a small sample shop, as a user types it."""

from __future__ import annotations

import csv
import html
import json
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.app.report.tables import Table, markdown
from drr.app.viewer.reader import Reader
from drr.app.viewer.site import site
from drr.eval.judging.read import choose_judging, read_judged
from drr.eval.metrics import metrics
from drr.eval.metrics.costs import cost_document
from drr.eval.stats.differences import DifferenceRow
from drr.papers.pdr.metrics.comparing import MemoryTables, SettingDifference, pairs_of
from drr.papers.pdr.report_tables import difference_cell, setting_tables
from drr.study.study import Study
from drr.study.unit import Record
from starlette.testclient import TestClient

from tests.app.conftest import material_of
from tests.commands import Drr
from tests.entering import entered
from tests.persons.remembering import LETTER
from tests.wire import Say, Wire

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def home(settings_home: Path) -> Path:
    return settings_home


@pytest.fixture(scope="module")
def report(home: Path) -> Path:
    assert main(["report", str(home / "study"), "--out", str(home / "report")]) == 0
    return home / "report"


def rows_of(table: Path) -> dict[tuple[str, str], dict[str, str]]:
    with table.open(encoding="utf-8", newline="") as file:
        return {(row["row"], row["column"]): row for row in csv.DictReader(file)}


def document_of(report: Path) -> Any:
    return json.loads((report / "metrics.json").read_text("utf-8"))


def test_every_setting_of_an_agent_stands_beside_the_others_with_sign_and_line(report: Path) -> None:
    rows = rows_of(report / "tables" / "settings.csv")
    figures = document_of(report)["metrics"]
    for system, told in (
        ("plan-to-function@task", ""),
        ("plan-to-function@persona", "tokens"),
        ("plan-to-function", ""),
    ):
        assert float(rows[system, "pqr_p"]["value"]) == figures[system]["pqr_p"]["value"]
        assert bool(rows[system, "tokens_given"]["value"]) == bool(told)
    assert 200 < float(rows["plan-to-function@memory:recent:1k", "tokens_given"]["value"]) <= 1000
    assert {name for row, name in rows if row == "plan-to-function"} >= {"pqr_goal", "pqr_acti", "pqr_q", "pqr_r", "pqr_overall"}  # fmt: skip
    page = (report / "index.html").read_text("utf-8")
    further = page.partition('id="settings-dimensions"')[2].partition("</section>")[0]
    assert all(
        f">{metrics()[name].label.replace('_', '_<wbr>')}" in further
        for name in ("pqr_dein", "pqr_fa", "pqr_cc")
    )
    text = (report / "tables" / "settings.md").read_text("utf-8")
    assert re.search(r"plan-to-function: records minus task \|[^|]* [+-]\d", text)
    drawn = (report / "figures" / "settings.svg").read_text("utf-8")
    assert not (report / "figures" / "settings.png").exists()  # nobody asked for it
    for word in ("plan-to-function", "react", "persona", "memory:recent:1k", "CONT"):
        assert f"<!-- {word} -->" in drawn


def test_differences_are_those_of_compare(home: Path, report: Path, drr: Drr) -> None:
    compared = drr.json("compare", home / "study", "plan-to-function", "plan-to-function@task")
    (own,) = [one for one in document_of(report)["settings"]["agents"]["plan-to-function"]["differences"]
              if (one["a"], one["b"]) == ("plan-to-function", "plan-to-function@task")]  # fmt: skip
    row = rows_of(report / "tables" / "settings.csv")["plan-to-function: records minus task", "pqr_p"]
    for name in ("pqr_p", "pqr_goal", "pqr_r", "pqr_overall"):
        said, expected = own["metrics"][name], compared["metrics"][name]
        assert {**said, "p_holm": None} == {**expected, "p_holm": None}
    assert expected["value"] != 0
    assert [row["ci_low"], row["value"]] == ["", repr(compared["metrics"]["pqr_p"]["value"])], (
        "of four questions"
    )
    document = document_of(report)
    rows = rows_of(report / "tables" / "settings.csv")
    same = rows["plan-to-function: records minus task", "same_reports"]["value"] == "4 of 4"
    names = "memory:recent:1k, persona and records" if same else "memory:recent:1k and persona"
    told = f"the settings task, memory:none:1k, {names} gave the same reports, byte for byte (4 each)"
    assert told in document["banner"]
    assert rows["plan-to-function: persona minus task", "same_reports"]["value"] == "4 of 4"
    assert float(rows["plan-to-function: persona minus task", "pqr_p"]["value"]) == 0
    assert told in drr.out("compare", home / "study", "plan-to-function@persona", "plan-to-function@task")


def test_a_study_without_settings_or_persons_says_nothing_of_them(judged_study: Path, drr: Drr) -> None:
    document = drr.json("report", judged_study)
    assert "settings" not in document
    assert "byte for byte" not in document["banner"]
    with Study.open(judged_study) as study:
        assert "pdr" not in Reader(study).papers


def test_settings_are_subtracted_and_bold_only_beyond_the_noise() -> None:
    names = ["a@task", "a@context:8k", "a@memory:none:8k", "a@memory:recent:8k", "a@persona", "a"]
    pairs = [f"{x[2:]} - {y[2:]}" for x, y in pairs_of(names)]
    with_task = ["context:8k", "memory:none:8k", "memory:recent:8k", "persona"]
    assert pairs == [*(f"{one} - task" for one in with_task), "persona - context:8k", " - task", " - persona"]
    assert pairs_of(["a@task"]) == []
    row: DifferenceRow = {"value": 0.5, "ci_low": 0.1, "ci_high": 0.9, "n": 20, "n_unscored": 0, "method": "", "a": 1.0, "b": 0.5,
                          "p": 0.001, "p_holm": 0.01}  # fmt: skip
    one: SettingDifference = {"a": "x@persona", "b": "x@task", "same_reports": 0, "reports": 20, "metrics": {"pqr_p": row}}  # fmt: skip
    metric = metrics()["pqr_p"]
    assert difference_cell(one, metric).bold
    assert difference_cell(one, metric).text() == "+0.50 [0.10, 0.90] n=20"
    one["metrics"] = {"pqr_p": {**row, "p_holm": 0.06}}
    assert not difference_cell(one, metric).bold
    one["metrics"] = {}
    assert difference_cell(one, metric).text() == "–"


FUSSY = """
class Fussy:
    version, asks_model, embeds = "1", False, False

    def __init__(self, desk):
        pass

    def observe(self, items):
        self.last = items[-1].text

    def recall(self, task, budget):
        if "bad weather" in task:
            raise ValueError("I will not go out")
        return self.last
"""


@pytest.fixture
def more(home: Path, tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """A copy of the study, in which something more was run."""
    copy = tmp_path / "study"
    shutil.copytree(home / "study", copy)

    def run(*words: str | Path, queries: int = 4) -> Path:
        lines = (home / "queries.jsonl").read_text("utf-8").splitlines(keepends=True)
        (tmp_path / "some.jsonl").write_text("".join(lines[:queries]), encoding="utf-8")
        code = main(["run", str(copy), "--queries", str(tmp_path / "some.jsonl"), "--persons", str(home / "persons.jsonl"),
              "--contexts", str(home / "contexts"), "--only", "--quiet", *map(str, words)])  # fmt: skip
        assert code in (0, 1)
        return copy

    yield run


def settings_of(drr: Drr, study: Path) -> Any:
    return drr.json("report", study)["settings"]


def memory_table(folder: Path) -> Table:
    """As the report draws it."""
    with Study.open(folder) as study:
        return next(table for table in setting_tables(material_of(study)) if table.name == "memories")


def memories_of(document: Any, agent: str) -> Any:
    return [table for table in document["memories"] if table["agent"] == agent]


def test_memories_stand_between_nothing_and_the_whole_person_each_with_its_cost(report: Path) -> None:
    (table,) = memories_of(document_of(report)["settings"], "plan-to-function")
    assert (table["budget"], table["questions"], table["refused"]) == (1000, 4, None)
    assert [row["memory"] for row in table["rows"]] == [None, "none", "recent", None]
    none, recent, persona = (
        f"plan-to-function@{one}" for one in ("memory:none:1k", "memory:recent:1k", "persona")
    )
    pairs = [(one["a"], one["b"]) for one in table["differences"]]
    assert pairs == [(recent, none), (persona, none), (persona, recent)]
    rows = rows_of(report / "tables" / "memories.csv")
    figure = document_of(report)["metrics"]["plan-to-function@memory:recent:1k"]["pqr_cont"]
    assert float(rows["plan-to-function@memory:recent:1k", "pqr_cont"]["value"]) == figure["value"]
    assert rows["plan-to-function@memory:none:1k", "failures"]["value"] == "0"
    given = document_of(report)["metrics"]["plan-to-function@memory:recent:1k"]["att_given"]["value"]
    assert float(rows["plan-to-function@memory:recent:1k", "att_given"]["value"]) == given
    row = rows["plan-to-function: persona minus memory:recent:1k", "att_given"]
    assert float(row["value"]) == pytest.approx(1 - given)
    assert rows["plan-to-function@task", "pqr_p"]["banner"]
    rows = rows_of(report / "tables" / "cost.csv")
    systems = document_of(report)["settings"]["cost"]["systems"]
    tokens = systems["plan-to-function@persona"]["agent"]["tokens"]["value"]
    assert float(rows["plan-to-function@persona: agent, an answer", "tokens"]["value"]) == tokens
    assert float(rows["plan-to-function@persona: judge, an answer", "calls"]["value"]) > 0
    lows = [float(row["ci_low"]) for row in rows.values() if row["ci_low"]]
    assert min(lows) >= 0
    assert rows["plan-to-function@memory:recent:1k: memory observes, a person", "calls"]["value"] == "0.0"
    assert ("plan-to-function@persona: memory observes, a person", "calls") not in rows


def test_a_failed_recall_leaves_every_row(more: Callable[..., Path], tmp_path: Path, drr: Drr) -> None:
    (tmp_path / "fussy.py").write_text(FUSSY, encoding="utf-8")
    study = more("--settings", f"memory:{tmp_path / 'fussy.py'}:Fussy:1k", "--variants", "plan-to-function")
    (table,) = memories_of(settings_of(drr, study), "plan-to-function")
    rows = {row["system"]: row for row in table["rows"]}
    assert rows["plan-to-function@memory:fussy.py:Fussy:1k"]["failures"] == {"memory_raised": 2}
    assert (table["questions"], table["refused"]) == (2, None)
    assert {row["metrics"]["pqr_p"]["n"] for row in rows.values() if "pqr_p" in row["metrics"]} == {2}
    assert {one["metrics"]["pqr_p"]["n"] for one in table["differences"] if "pqr_p" in one["metrics"]} == {2}
    assert {row["metrics"]["att_given"]["n"] for row in rows.values() if row["memory"]} == {2}
    assert "2 (2 memory_raised)" in markdown(memory_table(study))


def test_rows_with_other_questions_are_refused(more: Callable[..., Path], tmp_path: Path, drr: Drr) -> None:
    (tmp_path / "letter.py").write_text(LETTER)
    letter = f"memory:{tmp_path / 'letter.py'}:Letter:1k"
    model = ("--role-models", "memory=anthropic:claude-sonnet-5-5")
    with Wire(lambda request: Say("Keeps a terrier.")) as wire:
        asked = ("--settings", letter, "--variants", "plan-to-function", *model, "--base-url", wire.url)
        study = more(*asked, queries=3)
    code, out, err = drr("report", study, "--json")
    assert code == 0 and "Refused for plan-to-function" in err
    (table,) = memories_of(json.loads(out)["settings"], "plan-to-function")
    assert "(of 4: none 4, letter.py:Letter 3, recent 4)" in table["refused"]
    assert not any(row["metrics"] for row in table["rows"])
    assert table["differences"] == []
    rows = dict(memory_table(study).rows)
    for name in ("none", "recent", "letter.py:Letter"):
        first = [cell.value for cell in rows[f"plan-to-function@memory:{name}:1k"]][:3]
        assert first == ["refused", None, None]
    assert not any("minus" in name for name in rows)


def test_rows_with_other_budgets_or_contexts_are_refused(home: Path) -> None:
    with Study.open(home / "study") as study:
        judged = read_judged(study, choose_judging(study))
        every, less = "plan-to-function@memory:none:1k", "plan-to-function@memory:recent:1k"
        records = list(study.records("answer"))
        ran = {name: [r for r in records if r.spec["variant"] == name] for name in (every, less)}

        def refused(**renamed: Sequence[Record]) -> list[str]:
            rows = {name.replace("__", ":"): own for name, own in renamed.items()}
            named = {f"plan-to-function@memory:{name}": own for name, own in rows.items()}
            tables = MemoryTables(judged, named, {}).of_agent(list(named))
            return [table["refused"] or "" for table in tables]

        assert refused(none__1k=ran[every], recent__1k=ran[less]) == [""]
        (why,) = refused(none__1k=ran[every], recent__500=ran[less])
        assert "no budget in common" in why and "1k" in why and "500" in why
        why, none = refused(recent__500=ran[less], none__1k=ran[every], recent__1k=ran[less])
        assert why.startswith("recent alone") and "500" in why and none == ""
        others = [
            replace(r, key_fields={**r.key_fields, "memory": {**r.key_fields["memory"], "context": "other"}})
            for r in ran[less]
        ]
        assert "different contexts" in refused(none__1k=ran[every], recent__1k=others)[0]
        unsaid = [replace(r, key_fields={"imported": True}) for r in ran[less]]
        assert "not known" in refused(none__1k=ran[every], recent__1k=unsaid)[0]


def cost_of(folder: Path, system: str) -> Any:
    with Study.open(folder) as study:
        ran = {system: [r for r in study.records("answer") if r.spec["variant"] == system]}
        return cost_document(study, read_judged(study, None), ran)["systems"][system]


def test_what_a_memory_took_is_counted_once(more: Callable[..., Path], tmp_path: Path) -> None:
    """Its model told 700 tokens a call; a unit with one more task asks again for what was answered, and pays for none of it."""
    (tmp_path / "letter.py").write_text(LETTER)
    asked = ("--settings", f"memory:{tmp_path / 'letter.py'}:Letter:1k", "--variants", "plan-to-function",
             "--role-models", "memory=anthropic:claude-sonnet-5-5")  # fmt: skip
    with Wire(
        lambda request: Say("Likes to read.", usage={"input_tokens": 600, "output_tokens": 100})
    ) as wire:
        study = more(*asked, "--base-url", wire.url, queries=1)
        first = cost_of(study, "plan-to-function@memory:letter.py:Letter:1k")
        more(*asked, "--base-url", wire.url)
        calls = len(wire.requests)
    own = cost_of(study, "plan-to-function@memory:letter.py:Letter:1k")
    for cost in (first, own):
        per_person = cost["build"]
        assert per_person["tokens"]["value"] == 700 * per_person["calls"]["value"] > 0
        assert per_person["usd"]["value"] == pytest.approx(
            per_person["calls"]["value"] * (600 * 2 + 100 * 10) / 1e6
        )
        assert cost["recall"]["calls"]["value"] == 0
        assert per_person["seconds"]["value"] > 0
    assert calls == own["build"]["calls"]["value"] * own["build"]["calls"]["n"]
    assert own["agent"]["tokens"]["value"] > 0


@pytest.fixture(scope="module")
def pages(home: Path) -> Path:
    assert main(["view", str(home / "study"), "--static", str(home / "pages"), "--quiet"]) == 0
    return home / "pages"


def case_of(pages: Path, system: str) -> tuple[str, str]:
    """The first of its pages, and what it is called."""
    found = {path.stem: path.read_text("utf-8") for path in sorted((pages / "c").glob("*.html"))}
    return next((text, name) for name, text in found.items() if f"<title>{system} for" in text)


def test_one_task_two_persons_two_reports_side_by_side(home: Path, pages: Path) -> None:
    assert len(list((pages / "c").glob("*.html"))) == 2 * (5 + 2)
    text, name = case_of(pages, "plan-to-function")
    known = {
        one["person_id"]: one for one in map(json.loads, (home / "persons.jsonl").read_text().splitlines())
    }
    sides = re.findall(r'<article id="side-\w+" class="side" aria-label="(p-\w+), trial 0">', text)
    assert len(set(sides)) == 2
    for person in sides:
        for one in known[person]["attributes"]:
            assert one["statement"] in html.unescape(text)
    assert re.search(r'<th scope="col" title="[^"]*">GOAL</th>', text)
    question = next((pages / "q").glob("*.html")).read_text("utf-8")
    assert f'<a href="../c/{name}.html">plan-to-function</a>' in question
    index = (pages / "index.html").read_text("utf-8")
    assert len(re.findall(r'href="c/(\w+)\.html">beside other persons', index)) == 4
    report = pages / "r" / (re.findall(r'href="\.\./r/(\w+)\.html"', text)[0] + ".html")
    assert f'<a href="../c/{name}.html">beside other persons</a>' in report.read_text("utf-8")
    for target in re.findall(r'href="((?:\.\./)?[\w/]+\.html)"', text):
        assert (pages / "c" / target).is_file(), target


def test_a_case_says_what_its_bytes_say_from_disk_and_server(pages: Path, home: Path) -> None:
    text, _ = case_of(pages, "plan-to-function@persona")
    assert re.search(r"byte for byte, also under task, memory:none:1k(,| and) memory:recent:1k", text)
    assert re.search(r"p-\w+ and p-\w+ were given the same report", text)
    _, name = case_of(pages, "plan-to-function")
    with (
        Study.open(home / "study") as study,
        TestClient(site(Reader(study), "t", 8124), base_url="http://127.0.0.1:8124") as client,
    ):
        entered(client, "t")
        assert "One task, in the same words, by 2 persons" in client.get(f"/c/{name}.html").text
        assert client.get("/c/0000000000000000.html").status_code == 404
