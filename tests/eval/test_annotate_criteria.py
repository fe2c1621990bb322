"""Reports scored by people under their criteria, 0-10, on the blind page: what it shows, what it takes, and the labels that come of it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from drr.app.annotate.annotation_plan import (
    AnnotationPlan,
    Annotator,
    BlindPair,
    ShownCriterion,
    load,
    make_criteria_plan,
    save,
)
from drr.app.annotate.labels import export, merge, notebooks
from drr.app.annotate.page import bundle
from drr.app.annotate.site import owner_page, site
from drr.env.errors import DrrError, Misuse
from drr.env.shop import Shop
from drr.eval.agreement.corrected import corrected_document
from drr.eval.agreement.study import study_labels
from drr.eval.evidence.answers import read_answers
from drr.eval.labels import CriterionLabel, Label, Sample, read_labels
from drr.eval.metrics.document import study_document
from drr.eval.tasks.judgements import Judged, JudgingRun
from drr.papers.pdr.judging.rows import (
    DIMENSIONS,
    CriteriaOwner,
    CriterionRow,
    ScoredUnder,
    ScoreRow,
    enter_scores,
    open_rubric,
)
from drr.papers.pdr.judging.scoring import ROUNDS
from drr.study.study import Study
from starlette.testclient import TestClient

from tests.commands import Drr
from tests.entering import entered
from tests.eval.nursery import answer, put
from tests.eval.test_swap import PersonJudge, asked, with_reports

CRITERIA = [
    ShownCriterion(id="h1", dimension="GOAL", text="It is light.", explanation="A cane."),
    ShownCriterion(id="h2", dimension="ACTI", text="It keeps to $50.", explanation="The wish says so."),
]


def report(number: int) -> BlindPair:
    text = f"# Report {number}\n\nBy react+ws. <script>alert(1)</script>"
    fields = {"id": f"p-{number}", "query_id": f"q{number}", "query": f"Question {number}?", "trial": 0}
    fields |= {"profile": "- needs: walks with a cane", "system_a": "react+ws", "system_b": ""}
    return BlindPair.model_validate({**fields, "answer_a": text, "answer_b": "", "criteria": CRITERIA})


def save_marks(path: Path, who: Annotator, asked: Sequence[tuple[str, str]], choice: object) -> None:
    said = {"choice": choice, "seconds": 1.0, "at": 1.0}
    marks = [{"pair": pair, "dimension": criterion, **said} for pair, criterion in asked]
    saved = {"annotator": who.name, "plan": who.sheet, "marks": marks}
    path.write_text(json.dumps(saved), encoding="utf-8")


@pytest.fixture
def plan() -> AnnotationPlan:
    return make_criteria_plan([*map(report, range(4))], annotators=["ann", "bob"], count=3, seed=1)


def test_the_page_shows_one_report_and_its_criteria_and_not_who_wrote_it(plan: AnnotationPlan) -> None:
    page = bundle(plan, plan.annotators[0])
    found = re.search(r'id="data">(.*?)</script>', page, re.S)
    assert found is not None
    data = json.loads(found[1])
    assert len(data["turns"]) == 3
    turn = data["turns"][0]
    assert [one["id"] for one in turn["criteria"]] == ["h1", "h2"]
    assert turn["criteria"][0]["meaning"] == "It is light. (A cane.)"
    assert "right" not in turn and "<script>" not in turn["left"]
    assert "react" not in page.lower().replace("reaction", "")


def test_a_score_is_taken_and_a_side_is_not(plan: AnnotationPlan, tmp_path: Path) -> None:
    save(plan, tmp_path)
    ann = plan.annotators[0]
    headers = {"origin": "http://127.0.0.1:80", "host": "127.0.0.1:80"}
    client = TestClient(site(plan, tmp_path, 80), base_url="http://127.0.0.1:80", headers=headers)
    assert entered(client, ann.token).status_code == 200

    def post(choice: Any, criterion: str = "h1") -> int:
        body = {"pair": ann.turns[0].pair, "dimension": criterion, "choice": choice, "seconds": 2.0}
        return client.post(f"/mark?sheet={ann.sheet}", json=body).status_code

    assert [post(score) for score in (0, 10, 7)] == [200, 200, 200]
    assert [post(wrong) for wrong in ("left", 11, -1, 7.5, True, "7")] == [422] * 6
    assert post(5, "clarity") == 422
    assert post(3, "h2") == 200
    assert post(None, "h2") == 200, "a score taken back"
    assert "1 of 12 labels" in owner_page(plan, tmp_path)
    file = tmp_path / "labels.jsonl"
    assert export(tmp_path, plan, file) == 1
    (label,) = read_labels(file)
    assert isinstance(label, CriterionLabel)
    pair = plan.pair(ann.turns[0].pair)
    assert pair is not None
    assert (label.id, label.criterion, label.dimension, label.label, label.judge) == (
        f"{pair.query_id}/react+ws/0", "h1", "GOAL", 7, "ann",
    )  # fmt: skip
    assert label.sample is not None and (label.sample.drawn, label.sample.population) == (3, 4)


def test_scores_of_a_saved_bundle_come_in(plan: AnnotationPlan, tmp_path: Path) -> None:
    save(plan, tmp_path)
    again = load(tmp_path)
    assert again == plan
    bob = plan.annotators[1]
    saved = tmp_path / "labels-bob.json"

    def merged(choice: object) -> dict[str, int]:
        save_marks(saved, bob, [(bob.turns[0].pair, "h2")], choice)
        return merge(tmp_path, plan, [saved])

    assert merged(4) == {"bob": 1}
    assert [one.choice for one in notebooks(tmp_path, plan)["bob"].marks().values()] == [4]
    with pytest.raises(Misuse, match="is not in this plan"):
        merged("tie")
    with pytest.raises(DrrError, match="no report has criteria of a person"):
        make_criteria_plan([], annotators=["ann"], count=3, seed=1)


@pytest.mark.long
async def test_from_a_scored_study_to_agreement(tmp_path: Path, shop: Shop, study: Study, drr: Drr) -> None:
    await with_reports(study)
    await asked(study, PersonJudge(), shop)
    folder = study.folder
    study.close()
    words = ("annotate", folder, "--task", "criteria")
    drr.out(*words, "--annotators", "ann", "--bundle", tmp_path / "bundles")
    plan = load(folder / "annotation" / "criteria")
    assert plan is not None and [len(pair.criteria) for pair in plan.pairs] == [4 * 8] * 4
    assert {pair.profile for pair in plan.pairs} == {"- pets: feeds wild birds", "- pets: keeps a dog"}
    saved, labels = tmp_path / "labels-ann.json", tmp_path / "labels.jsonl"
    every = [(pair.id, one.id) for pair in plan.pairs for one in pair.criteria]
    save_marks(saved, plan.annotators[0], every, 9)
    drr.out(*words, "--import", saved, "--export", labels)
    (pair,) = drr.json("agreement", folder, "--human", labels)["criteria"]["pairs"]
    assert pair["judges"][1] == "ann"
    assert pair["dimensions"]["all"]["criterion"]["mard"]["n"] == 4 * 32
    assert set(pair["dimensions"]["all"]["system"]["systems"]) == {"fitted", "general"}
    told = drr.out("report", folder, "--labels", labels)
    assert re.search(r"pqr p +\W* *fitted", told) and "64 of 64" in told and "of nothing" not in told


@pytest.mark.long
async def test_labels_under_criteria_correct_p_as_the_document_has_it(study: Study, shop: Shop) -> None:
    """People give a point less than the judge under each criterion of P: P and its dimensions fall by a point, and Q has no row."""
    await with_reports(study, trials=2)
    judged = await asked(study, PersonJudge(), shop)
    lot = Sample(seed=1, drawn=8, population=8)
    labels = [
        one.model_copy(update={"judge": "ann", "label": one.label - 1, "sample": lot})
        for one in study_labels(judged)
        if isinstance(one, CriterionLabel) and one.dimension in DIMENSIONS["p"]
    ]
    other = labels[0].model_copy(update={"criterion": "of another wording"})
    found = corrected_document(judged, [*labels, other])
    assert found["unmatched"] == 1
    rows = {(row["metric"], row["variant"]): row for row in found["figures"]}
    assert {metric for metric, _ in rows} == {"pqr_p", "pqr_goal", "pqr_cont", "pqr_pres", "pqr_acti"}
    for (metric, variant), row in rows.items():
        figure = study_document(study)["metrics"][variant][metric]["value"]
        assert figure is not None
        assert row["judge"]["value"] == pytest.approx(figure)
        assert row["people"]["value"] == pytest.approx(figure - 1)
        assert row["value"] is None and "labels of 1 questions" in (row["reason"] or "")
        assert row["biased"] is None
    part = corrected_document(judged, labels[1:])
    (told,) = {row["biased"] for row in part["figures"] if row["metric"] == "pqr_p" and row["biased"]}
    assert told.startswith("biased sample: 1 reports were labelled under some of their criteria only")


async def test_a_label_weighs_in_p_as_its_criterion_does(study: Study) -> None:
    """Two points too much under one criterion, three quarters of a dimension that is four tenths of P: P falls by 0.6."""
    await put(study, *(answer(f"n{number}", "x", f"Report {number}.") for number in range(16)))
    judging = JudgingRun("model", "model", "ours", {ROUNDS: "1"}, rule_written=False)
    judged = Judged(judging, read_answers(study), units=Counter(scores=1))
    weights = {"GOAL": 0.4, "CONT": 0.3, "PRES": 0.1, "ACTI": 0.2}
    lot, labels = Sample(seed=1, drawn=15, population=16), list[Label]()
    for number, one in enumerate(judged.answers):
        owner = CriteriaOwner(one.query_id, "p")
        rubric = open_rubric(judged, owner)
        rubric.weights = {"weights": weights, "samples": [], "refused": []}
        for dimension in DIMENSIONS["p"]:
            rows = [criterion(dimension, weight) for weight in (0.75, 0.25)]
            rubric.criteria[dimension] = rows
            said = {rubric.hash_of(dimension, row): ScoreRow(score=8, analysis="") for row in rows}
            enter_scores(judged, one.key, ScoredUnder(owner, 0, own=True), said)
            for row, name in zip(rows, said, strict=True):
                score = 6.0 if dimension == "GOAL" and row["weight"] == 0.75 else 8.0
                place = f"{one.query_id}/x/0"
                form = {"id": place, "query": "", "answer": "", "dimension": dimension, "criterion": name}
                labels += [CriterionLabel(**form, label=score, judge="ann", sample=lot)] * (number < 15)
    figures = {row["metric"]: row for row in corrected_document(judged, labels)["figures"]}
    for metric, corrected in (("pqr_p", 7.4), ("pqr_goal", 6.5), ("pqr_pres", 8.0)):
        assert figures[metric]["value"] == pytest.approx(corrected)
    of_p = figures["pqr_p"]
    assert (of_p["n_labelled"], of_p["n"], of_p["biased"]) == (120, 128, None)


def criterion(dimension: str, weight: float) -> CriterionRow:
    text = f"{dimension} {weight}"
    return {"id": text, "criterion": text, "explanation": "", "weight": weight, "origin": "person"}
