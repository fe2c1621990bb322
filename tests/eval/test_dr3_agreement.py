"""DR3-Eval's figures as labels: a judge held against people report by report."""

from __future__ import annotations

import pytest
from drr.eval.agreement.study import agreement_document, study_labels
from drr.eval.judging.plan import JudgeOptions
from drr.eval.judging.read import choose, read_judged
from drr.eval.judging.run import judge
from drr.eval.labels import CriterionLabel
from drr.papers.dr3.judging.truths import KnownTask, KnownTasks
from drr.study.study import Study

from tests.eval.dr3_truth import RIGHT, truth
from tests.eval.nursery import answer, desk, offline, put

TOLD = (
    "The Oakmere is covered for 54 months",
    "The Brightpail takes $18.90 a year",
    "You bought the Oakmere on 2020-07-17",
)


async def test_people_are_held_against_the_judge_by_the_same_figures(study: Study) -> None:
    reports = [". ".join(TOLD[:many]) + f" ({RIGHT})." for many in (1, 2, 3)]
    await put(study, *(answer("kettle", f"system-{n}", text) for n, text in enumerate(reports)))
    models = offline()
    made = desk(
        study, models, choices={KnownTasks: KnownTasks({"q-kettle": KnownTask(truth(), ("slip.png",))})}
    )
    assert (await judge(study, made, models, JudgeOptions(["dr3"]))).summary.ok
    judged = read_judged(study, choose(study))
    own = [one for one in study_labels(judged) if isinstance(one, CriterionLabel)]
    assert {one.criterion for one in own} == {f"dr3_{name}" for name in ("ir_uf", "ir_sc", "cc", "if", "dq")}
    assert {one.criterion: one.label for one in own if one.id == "q-kettle/system-1/0"}["dr3_ir_sc"] == 10
    people = [one.model_copy(update={"judge": "ann", "label": min(10.0, one.label / 2 + 1)}) for one in own]
    document = agreement_document(study, people)
    assert document is not None
    (pair,) = document["criteria"]["pairs"]
    assert pair["judges"] == ["rules-2", "ann"]
    report = pair["dimensions"]["DR3"]["report"]
    assert (report["par"]["value"], report["spearman"]["value"]) == (1, 1)
    assert report["pearson"]["value"] == pytest.approx(1)
