"""Reports scored by people under their criteria, 0-10, on the blind page: what it shows, what it takes, and the labels that come of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from drr.app.annotate.labels import export, merge, notebooks
from drr.app.annotate.page import bundle
from drr.app.annotate.plan import AnnotationPlan, BlindPair, ShownCriterion, load, make_criteria_plan, save
from drr.app.annotate.site import owner_page, site
from drr.app.cli import main
from drr.env.errors import DrrError, Misuse
from drr.env.shop import Shop
from drr.eval.labels import CriterionLabel, read_labels
from drr.study.study import Study
from starlette.testclient import TestClient

from tests.eval.test_swap import PersonJudge, asked, with_reports

CRITERIA = [
    ShownCriterion(id="h1", dimension="GOAL", text="It is light.", explanation="A cane."),
    ShownCriterion(id="h2", dimension="ACTI", text="It keeps to $50.", explanation="The wish says so."),
]


def reports(count: int = 4) -> list[BlindPair]:
    return [
        BlindPair(
            id=f"p-{number}",
            query_id=f"q{number}",
            query=f"Question {number}?",
            profile="- needs: walks with a cane",
            trial=0,
            system_a="react+ws",
            system_b="",
            answer_a=f"# Report {number}\n\nBy react+ws. <script>alert(1)</script>",
            answer_b="",
            criteria=CRITERIA,
        )
        for number in range(count)
    ]


@pytest.fixture
def plan() -> AnnotationPlan:
    return make_criteria_plan(reports(), annotators=["ann", "bob"], count=3, seed=1)


def test_the_page_shows_one_report_and_its_criteria_and_not_who_wrote_it(plan: AnnotationPlan) -> None:
    page = bundle(plan, plan.annotators[0])
    found = re.search(r'id="data">(.*?)</script>', page, re.S)
    assert found is not None
    data = json.loads(found[1])
    assert len(data["turns"]) == 3
    turn = data["turns"][0]
    assert [one["id"] for one in turn["criteria"]] == ["h1", "h2"]
    assert turn["criteria"][0]["meaning"] == "It is light. (A cane.)"
    assert "right" not in turn
    assert "react" not in page.lower().replace("reaction", "")
    assert "<script>" not in turn["left"]
    assert "criterion by criterion" in page


def test_a_score_is_taken_and_a_side_is_not(plan: AnnotationPlan, tmp_path: Path) -> None:
    save(plan, tmp_path)
    ann = plan.annotators[0]
    headers = {"origin": "http://127.0.0.1:80", "host": "127.0.0.1:80"}
    client = TestClient(site(plan, tmp_path, 80), base_url="http://127.0.0.1:80", headers=headers)
    assert client.get(f"/?token={ann.token}").status_code == 200

    def post(choice: Any, criterion: str = "h1") -> int:
        body = {"pair": ann.turns[0].pair, "dimension": criterion, "choice": choice, "seconds": 2.0}
        return client.post(f"/mark?sheet={ann.sheet}", json=body).status_code

    assert [post(score) for score in (0, 10, 7)] == [200, 200, 200]
    assert [post(wrong) for wrong in ("left", 11, -1, 7.5, True, "7")] == [422] * 6
    assert post(5, "clarity") == 422
    assert post(3, "h2") == 200
    assert post(None, "h2") == 200, "a score taken back"
    assert "1 of 6" in owner_page(plan, tmp_path)
    file = tmp_path / "labels.jsonl"
    assert export(tmp_path, plan, file) == 1
    (label,) = read_labels(file)
    assert isinstance(label, CriterionLabel)
    pair = plan.pair(ann.turns[0].pair)
    assert pair is not None
    assert (label.id, label.criterion, label.dimension, label.label, label.judge) == (
        f"{pair.query_id}/react+ws/0",
        "h1",
        "GOAL",
        7,
        "ann",
    )
    assert label.sample is not None and (label.sample.drawn, label.sample.population) == (3, 4)


def test_scores_of_a_saved_bundle_come_in(plan: AnnotationPlan, tmp_path: Path) -> None:
    save(plan, tmp_path)
    again = load(tmp_path)
    assert again == plan
    bob = plan.annotators[1]
    mark = {"pair": bob.turns[0].pair, "dimension": "h2", "choice": 4, "seconds": 1.0, "at": 1.0}
    saved = tmp_path / "labels-bob.json"
    saved.write_text(json.dumps({"annotator": "bob", "plan": bob.sheet, "marks": [mark]}), encoding="utf-8")
    assert merge(tmp_path, plan, [saved]) == {"bob": 1}
    assert [one.choice for one in notebooks(tmp_path, plan)["bob"].marks().values()] == [4]
    wrong = {**mark, "choice": "tie"}
    saved.write_text(json.dumps({"annotator": "bob", "plan": bob.sheet, "marks": [wrong]}), encoding="utf-8")
    with pytest.raises(Misuse, match="is not in this plan"):
        merge(tmp_path, plan, [saved])
    with pytest.raises(DrrError, match="no report has criteria of a person"):
        make_criteria_plan([], annotators=["ann"], count=3, seed=1)


async def test_from_a_scored_study_to_agreement(
    tmp_path: Path, shop: Shop, study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    await with_reports(study)
    await asked(study, PersonJudge(), shop)
    folder = str(study.folder)
    study.close()
    words = ["annotate", folder, "--task", "criteria", "--annotators", "ann"]
    assert main([*words, "--bundle", str(tmp_path / "bundles")]) == 0
    plan = load(Path(folder) / "annotation" / "criteria")
    assert plan is not None
    assert len(plan.pairs) == 4
    assert all(len(pair.criteria) == 4 * 8 for pair in plan.pairs)
    assert {pair.profile for pair in plan.pairs} == {"- pets: feeds wild birds", "- pets: keeps a dog"}
    marks = [
        {"pair": pair.id, "dimension": one.id, "choice": 9, "seconds": 1.0, "at": 1.0}
        for pair in plan.pairs
        for one in pair.criteria
    ]
    saved = tmp_path / "labels-ann.json"
    sheet = plan.annotators[0].sheet
    saved.write_text(json.dumps({"annotator": "ann", "plan": sheet, "marks": marks}), encoding="utf-8")
    labels = str(tmp_path / "labels.jsonl")
    assert main([*words[:4], "--import", str(saved), "--export", labels]) == 0
    capsys.readouterr()
    assert main(["agreement", folder, "--human", labels, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (pair,) = document["criteria"]["pairs"]
    assert pair["judges"][1] == "ann"
    assert pair["dimensions"]["all"]["criterion"]["mard"]["n"] == 4 * 32
    assert set(pair["dimensions"]["all"]["system"]["systems"]) == {"fitted", "general"}
