"""PDR-Bench's tables: agents under settings, by rules, in a small sample shop, as a user types it."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.eval.metrics.settings_document import pairs_of

WISHES = (
    "I want a quiet evening at home with good light to read by. What should I get first, and what can wait?",
    "A short walk in bad weather should be a pleasure. Which things are worth their money, and which are not?",
)
SETTINGS = "task,persona,records,memory:none:1k,memory:bm25:1k"


def drr(*words: str | Path) -> None:
    assert main([str(word) for word in words]) == 0


def out(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    capsys.readouterr()
    drr(*words)
    return capsys.readouterr().out


@pytest.fixture(scope="module")
def home(judged_study: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tasks, two persons each; two agents under five settings; scored by criteria."""
    home, shop = tmp_path_factory.mktemp("settings"), judged_study.parent / "shop"
    persons, contexts, tasks = home / "persons.jsonl", home / "contexts", home / "tasks.jsonl"
    drr("persons", "build", "--shop", shop, "--out", persons, "--users", "3")
    drr("context", "build", persons, "--shop", shop, "--tokens", "1k", "--out", contexts)
    lines = [
        {"schema_version": 1, "task_id": f"t-{n}", "category": "All_Beauty", "task": wish, "intent": "advice", "needs": ["lamp"]}
        for n, wish in enumerate(WISHES, 1)
    ]  # fmt: skip
    tasks.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    drr("pairs", tasks, persons, "--per-task", "2", "--out", home / "queries.jsonl")
    drr("run", home / "study", "--queries", home / "queries.jsonl", "--shop", shop, "--persons", persons,
        "--contexts", contexts, "--settings", SETTINGS, "--variants", "react,plan-to-function", "--quiet")  # fmt: skip
    drr("judge", home / "study", "--what", "pqr", "--rounds", "1", "--quiet")
    return home


@pytest.fixture(scope="module")
def report(home: Path) -> Path:
    drr("report", home / "study", "--out", home / "report")
    return home / "report"


def rows_of(table: Path) -> dict[tuple[str, str], dict[str, str]]:
    with table.open(encoding="utf-8", newline="") as file:
        return {(row["row"], row["column"]): row for row in csv.DictReader(file)}


def document_of(report: Path) -> Any:
    return json.loads((report / "metrics.json").read_text("utf-8"))


def test_every_setting_of_an_agent_stands_beside_the_others(report: Path) -> None:
    rows = rows_of(report / "tables" / "settings.csv")
    figures = document_of(report)["metrics"]
    for system, told in (("react@task", ""), ("react@persona", "tokens"), ("react", "")):
        assert float(rows[system, "pqr_p"]["value"]) == figures[system]["pqr_p"]["value"]
        assert bool(rows[system, "tokens_told"]["value"]) == bool(told)
    assert 500 < float(rows["react@memory:bm25:1k", "tokens_told"]["value"]) <= 1000
    assert {name for row, name in rows if row == "react"} >= {"pqr_goal", "pqr_acti", "pqr_q", "pqr_r", "pqr_overall"}  # fmt: skip
    further = rows_of(report / "tables" / "settings-dimensions.csv")
    assert {"pqr_dein", "pqr_fa", "pqr_cc"} <= {name for _, name in further}
    for form in ("settings.md", "settings.tex"):
        assert "records minus task" in (report / "tables" / form).read_text("utf-8")
    assert "react: records minus persona" in (report / "index.html").read_text("utf-8")


def test_differences_are_those_of_compare(
    home: Path, report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compared = json.loads(out(capsys, "compare", home / "study", "react", "react@task", "--json"))
    (own,) = [one for one in document_of(report)["settings"]["agents"]["react"]["differences"]
              if (one["a"], one["b"]) == ("react", "react@task")]  # fmt: skip
    row = rows_of(report / "tables" / "settings.csv")["react: records minus task", "pqr_p"]
    for name in ("pqr_p", "pqr_goal", "pqr_r", "pqr_overall"):
        said, expected = own["metrics"][name], compared["metrics"][name]
        assert {**said, "p_holm": None} == {**expected, "p_holm": None}
    assert expected["value"] != 0
    assert (float(row["ci_low"]), float(row["ci_high"])) == (
        compared["metrics"]["pqr_p"]["ci_low"],
        compared["metrics"]["pqr_p"]["ci_high"],
    )


def test_agents_that_wrote_the_same_whatever_they_were_told_are_named_by_their_bytes(
    home: Path, report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = document_of(report)
    told = "the same reports, byte for byte, under task, memory:none:1k, memory:bm25:1k and persona (4 each)"
    assert told in document["banner"]
    assert "records and" not in document["banner"]
    for table in ("settings.md", "pqr.md", "settings.tex"):
        assert "byte for byte" in (report / "tables" / table).read_text("utf-8")
    rows = rows_of(report / "tables" / "settings.csv")
    assert rows["react: persona minus task", "same_reports"]["value"] == "4 of 4"
    assert rows["react: records minus task", "same_reports"]["value"] in (
        "0 of 4",
        "1 of 4",
        "2 of 4",
        "3 of 4",
    )
    assert float(rows["react: persona minus task", "pqr_p"]["value"]) == 0
    assert told in out(capsys, "compare", home / "study", "react@persona", "react@task")


def test_a_study_without_settings_says_nothing_of_them(
    judged_study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(out(capsys, "report", judged_study, "--json"))
    assert "settings" not in document
    assert "byte for byte" not in document["banner"]


def test_which_settings_are_subtracted() -> None:
    names = ["a@task", "a@context:8k", "a@memory:none:8k", "a@memory:bm25:8k", "a@persona", "a"]
    assert [(x[2:], y[2:]) for x, y in pairs_of(names)] == [
        ("context:8k", "task"),
        ("memory:none:8k", "task"),
        ("memory:bm25:8k", "task"),
        ("persona", "task"),
        ("persona", "context:8k"),
        ("", "task"),
        ("", "persona"),
    ]
    assert pairs_of(["a@task"]) == []


def test_signs_are_said(report: Path) -> None:
    text = (report / "tables" / "settings.md").read_text("utf-8")
    assert re.search(r"react: records minus task \|[^|]* [+-]\d", text)
