"""People beside judges, criterion by criterion: labels of reports under criteria, and what `drr judges agreement` says of them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.app.report.agreement_tables import agreement_tables
from drr.app.report.behind import sections_behind
from drr.app.report.material import Material
from drr.eval.agreement.criteria import PEOPLE, criteria_agreement
from drr.eval.agreement.judges import agreement
from drr.eval.agreement.people import cases
from drr.eval.agreement.study import Raters, agreement_among
from drr.eval.judging.read import read_judged
from drr.eval.labels import CriterionLabel, read_labels
from drr.eval.metrics.document import study_document
from drr.eval.stats.aggregate import aggregate
from drr.study.study import Study

from tests.late import Late

stats = Late("scipy.stats")

SYSTEMS = ("react", "hybrid", "plan")
CRITERIA = {"g1": "GOAL", "g2": "GOAL", "c1": "CONT"}


def label(judge: str, query: int, system: str, criterion: str, score: float) -> CriterionLabel:
    return CriterionLabel(
        id=f"q{query}/{system}/0",
        judge=judge,
        query=f"question {query}",
        answer=f"report of {system} on {query}",
        dimension=CRITERIA[criterion],
        criterion=criterion,
        label=score,
    )


def given(seed: int, queries: int = 12) -> list[CriterionLabel]:
    rng = random.Random(seed)
    return [
        label(judge, query, system, criterion, rng.randint(0, 10))
        for query in range(queries)
        for system in SYSTEMS
        for criterion in CRITERIA
        for judge in ("model", "anna", "ben")
    ]


@pytest.fixture(scope="module")
def labels() -> list[CriterionLabel]:
    return given(2)


@pytest.fixture(scope="module")
def found(labels: list[CriterionLabel]) -> Any:
    systems = {one.id: one.id.split("/")[1] for one in labels}
    return criteria_agreement(labels, {"anna", "ben"}, systems)


def pair(found: Any, *judges: str) -> Any:
    return next(one["dimensions"] for one in found["pairs"] if one["judges"] == list(judges))


def test_two_reports_give_what_drr_aggregate_gives(labels: list[CriterionLabel], tmp_path: Path) -> None:
    two = [one for one in labels if "plan" not in one.id]
    levels = pair(criteria_agreement(two, {"anna", "ben"}), "model", "anna")["all"]
    said = {(one.judge, one.id, one.criterion): one.label for one in two}
    file = tmp_path / "rows.jsonl"
    with file.open("w") as rows:
        for query in range(12):
            for criterion in CRITERIA:
                row: dict[str, Any] = {"query": query, "criterion": criterion}
                for side, judge in (("judge", "model"), ("human", "anna")):
                    row[side] = {
                        letter: said[judge, f"q{query}/{system}/0", criterion]
                        for letter, system in (("A", "react"), ("B", "hybrid"))
                    }
                rows.write(json.dumps(row) + "\n")
    values = aggregate("agreement", file)["values"]
    assert levels["criterion"]["pca"]["value"] == pytest.approx(values["pca"], abs=1e-9)
    assert levels["criterion"]["pca"]["chance"] == pytest.approx(values["pca_chance"], abs=1e-9)
    assert levels["criterion"]["mard"]["value"] == pytest.approx(values["mard"], abs=1e-9)
    for name, other in (
        ("mad", "mad_by_report"),
        ("par", "par"),
        ("pearson", "pearson"),
        ("spearman", "spearman"),
    ):
        assert levels["report"][name]["value"] == pytest.approx(values[other], abs=1e-9)
    assert levels["system"] is None, "nobody told whose the reports are"


@pytest.mark.long
def test_three_systems_at_three_levels(labels: list[CriterionLabel], found: Any) -> None:
    said: dict[tuple[str, str], dict[str, float]] = {}
    for one in labels:
        if one.dimension == "GOAL":
            said.setdefault((one.judge, one.id), {})[one.criterion] = one.label
    ids = sorted({one.id for one in labels})
    signs = []
    for query in range(12):
        for a, b in (("react", "hybrid"), ("react", "plan"), ("hybrid", "plan")):
            for criterion in ("g1", "g2"):
                m, h = (
                    said[who, f"q{query}/{a}/0"][criterion] - said[who, f"q{query}/{b}/0"][criterion]
                    for who in ("model", "ben")
                )
                signs.append(((m > 0) - (m < 0)) == ((h > 0) - (h < 0)))
    totals = {who: [sum(said[who, i].values()) / 2 for i in ids] for who in ("model", "ben")}
    levels = pair(found, "model", "ben")["GOAL"]
    assert levels["criterion"]["pca"]["value"] == pytest.approx(sum(signs) / len(signs))
    assert levels["criterion"]["pca"]["n"] == len(signs) == 72
    assert levels["criterion"]["pca"]["ci_low"] < levels["criterion"]["pca"]["value"]
    flat = {who: [said[who, i][c] for i in ids for c in ("g1", "g2")] for who in ("model", "ben")}
    assert levels["criterion"]["spearman"]["value"] == pytest.approx(
        stats.spearmanr(flat["model"], flat["ben"]).statistic
    )
    assert levels["report"]["pearson"]["value"] == pytest.approx(
        stats.pearsonr(totals["model"], totals["ben"]).statistic
    )
    means = {
        system: [
            sum(t for i, t in zip(ids, totals[who], strict=True) if f"/{system}/" in i) / 12
            for who in ("model", "ben")
        ]
        for system in SYSTEMS
    }
    assert levels["system"]["systems"] == {name: pytest.approx(both) for name, both in means.items()}
    assert levels["system"]["spearman"]["value"] == pytest.approx(
        stats.spearmanr(*zip(*means.values(), strict=True)).statistic
    )


def test_several_people_also_count_together(labels: list[CriterionLabel], found: Any) -> None:
    assert [one["judges"] for one in found["pairs"]] == [
        ["model", "all people"],
        ["model", "anna"],
        ["model", "ben"],
        ["anna", "ben"],
    ]
    said = {(one.judge, one.id, one.criterion): one.label for one in labels}
    apart = [
        abs(said["model", i, c] - (said["anna", i, c] + said["ben", i, c]) / 2)
        for who, i, c in said
        if who == "model"
    ]
    mard = pair(found, "model", PEOPLE)["all"]["criterion"]["mard"]
    assert mard["value"] == pytest.approx(sum(apart) / len(apart))


def test_a_criterion_is_no_dimension_of_quality(labels: list[CriterionLabel]) -> None:
    """Before, a score under a criterion would have stood among the grades of a whole report."""
    assert agreement(labels)["rating"]["labels"] == 0
    assert cases(labels, "rating") == []
    again = [*labels, labels[0].model_copy(update={"label": 3.0})]
    assert criteria_agreement(again)["repeated"] == 1


def test_the_page_behind_the_table_shows_the_scores_that_the_table_counts(tmp_path: Path) -> None:
    """Before, it showed each judge's mean over all of his scores, the ones that he took back too, and nobody of `all people`."""
    said = [
        label("model", 0, "react", "g1", 10),
        label("model", 0, "react", "g2", 0),
        label("anna", 0, "react", "g1", 10),
        label("anna", 0, "react", "g1", 4),
        label("ben", 0, "react", "g1", 6),
        label("ben", 0, "react", "g2", 2),
    ]
    with Study.create(tmp_path / "study", {"schema": 1, "run": {}}) as study:
        raters = Raters((), {}, {}, said, frozenset({"anna", "ben"}))
        judged, document = read_judged(study, None), study_document(study)
        agreed = agreement_among(study, raters)
        material = Material(study, judged, document, agreement=agreed, raters=raters)
        tables = [table for table in agreement_tables(material) if table.name == "agreement-criteria"]
        (behind,) = sections_behind(material, (), tables)
    ((_, cells, _),) = behind.rows
    assert dict(zip([name for name, *_ in behind.columns], cells, strict=True)) == {
        "GOAL: model and anna": "10.00 / 4.00",
        "GOAL: model and ben": "5.00 / 4.00",
        "GOAL: model and all people": "5.00 / 3.50",
        "GOAL: anna and ben": "4.00 / 6.00",
    }


def test_labels_come_in_by_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [one.model_dump(exclude_none=True) for one in given(2, 3) if one.judge != "model"]
    file = tmp_path / "labels.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert all(isinstance(one, CriterionLabel) for one in read_labels(file))
    reports = tmp_path / "reports.jsonl"
    reports.write_text(
        json.dumps({"id": "r", "system": "s", "query": "q", "report_markdown": "# A report"}) + "\n",
        encoding="utf-8",
    )
    study = str(tmp_path / "study")
    assert main(["import", study, str(reports), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["agreement", study, "--human", str(file), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["criteria"]["labels"] == len(lines)
    assert document["criteria"]["pairs"][0]["judges"] == ["anna", "ben"]
    assert document["cost"] == {}
    assert main(["agreement", study, "--human", str(file)]) == 0
    told = capsys.readouterr().out
    assert "criteria, anna and ben" in told
    assert "chance" in told


@pytest.mark.parametrize("score", [11, -1, "7", True, None])
def test_a_score_beyond_the_scale_is_named_by_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], score: Any
) -> None:
    line = {"id": "r", "query": "q", "answer": "a", "criterion": "g1", "judge": "anna", "label": score}
    file = tmp_path / "labels.jsonl"
    file.write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert main(["calibrate", str(file), "--task", "rating"]) == 2
    assert "line 1: label: " in capsys.readouterr().err
