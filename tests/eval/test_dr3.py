"""DR3-Eval's judgements over the wire, and the figures made of them: a judge that rewords, omits, leaves the scale or sends no JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.env.source import Source
from drr.eval.evidence.answers import Answer
from drr.eval.judging.read import choose_judging, read_judged, repetitions
from drr.eval.judging.run import JudgeOptions
from drr.eval.metrics import values_of
from drr.eval.metrics.document import study_document
from drr.eval.tasks.judgements import Judged
from drr.eval.tasks.registry import task_stages, tasks
from drr.papers.dr3.form import TRUTH, json_document
from drr.papers.dr3.judging.rows import PointLabel, document_rows, fact_labels, point_labels
from drr.papers.dr3.judging.truths import KnownTask, KnownTasks, keep_tasks_place, tasks_place, truths_of
from drr.papers.dr3.metrics import dr3
from drr.papers.dr3.metrics.document import SHOWN
from drr.papers.dr3.metrics.rows import noise_floor
from drr.papers.dr3.sums import Dr3Sums
from drr.study.study import Study

from tests.eval.dr3_truth import OLD, QUESTION, RIGHT, UPKEEP, truth
from tests.eval.nursery import (
    ScriptedJudge,
    answer,
    by_rules,
    by_wire,
    named_sections,
    put,
    sections_of,
    web,
)
from tests.filetasks.made import write_task
from tests.wire import Reply, Request, Say

FILES = ("slip.png", "plan.xlsx")
KNOWN = {"q-kettle": KnownTask(truth(), FILES)}
REPORT = f"""# Oakmere or Brightpail

You bought the Oakmere kettle on 17 July 2020 (file://slip.png#region=1,2,3,4) and it takes $54.20 a year (file://plan.xlsx#cell=Plan!B4).
The Oakmere is under warranty for 36 months [1]. The other one takes nineteen dollars a year [2].

## Sources

[1] Old drawer: {OLD}
[2] Upkeep: {UPKEEP}?utm_source=x#top
[3] Right, which nothing cites: {RIGHT}
"""


class Dr3Judge(ScriptedJudge):
    """`told` by fact, `met` by point; what is in neither is left out."""

    def __init__(
        self,
        told: Mapping[str, str],
        met: Mapping[str, object] | None = None,
        grade: object = 6,
        *,
        instead: Sequence[Reply] = (),
    ) -> None:
        first = list(instead)
        super().__init__(lambda task, request: first.pop(0) if first else None)
        self.told, self.met, self.grade = told, met or {}, grade
        self.shown: list[tuple[str, list[str]]] = []

    def task(self, system: str, message: str) -> str:
        shown = [one for one in sections_of(message) if one.label in ("fact", "point")]
        task = shown[0].label if shown else "depth"
        self.shown.append((task, [one.intro.split("`")[1] for one in shown]))
        return task

    def _depth(self, request: Request) -> JsonObject:
        return {"reason": "as told", "grade": self.grade}

    def _fact(self, request: Request) -> JsonObject:
        return self._verdicts([*named_sections(request, "fact")], "told", {**self.told, "x9": "none"})

    def _point(self, request: Request) -> JsonObject:
        return self._verdicts([*named_sections(request, "point")], "met", {**self.met, "x9": True})

    def _verdicts(self, ids: Sequence[str], field: str, said: Mapping[str, object]) -> JsonObject:
        told = {name: said[name] for name in (*reversed(ids), "x9") if name in said}
        plain = {"justification": "as told", "quote": "under warranty for 36 months"}
        return {"verdicts": [{"id": name, **plain, field: value} for name, value in told.items()]}


def options() -> JudgeOptions:
    made = JudgeOptions(["dr3"])
    made.stages = task_stages({name: tasks()[name] for name in ("facts", "insights", "following", "depth")})
    return made


async def judged_by(study: Study, script: Dr3Judge | None, *, report: str = REPORT, **more: Any) -> Judged:
    await put(study, answer("kettle", "react", report, **more))
    choices = {KnownTasks: KnownTasks(KNOWN)}
    if script is None:
        return await by_rules(study, ["dr3"], choices=choices)
    ran, _ = await by_wire(study, script, options(), choices=choices)
    assert ran.summary.stopped is None
    return read_judged(study, choose_judging(study))


def one(judged: Judged) -> Answer:
    (found,) = judged.answers
    return found


def values(judged: Judged) -> dict[str, float | None]:
    return dict(dr3.per_report(judged, one(judged)))


def points_of(judged: Judged) -> dict[str, PointLabel]:
    return {label.row["id"]: label for label in point_labels(judged, one(judged).key) or ()}


ALL = {"f1": "whole", "f2": "none", "f3": "none", "p1": "none", "p2": "part"}


async def test_both_labels_are_kept_and_the_rule_comes_first(study: Study) -> None:
    script = Dr3Judge(ALL, {"c3": False, "c4": True})
    judged = await judged_by(study, script)
    labels = {label.row["id"]: label for label in fact_labels(judged, one(judged).key) or ()}
    assert {name: (label.row["score"], label.judge, label.score) for name, label in labels.items()} == {
        "f1": (1, 1, 1),
        "f2": (1, 0, 1),  # the rule found it
        "f3": (0, 0, 0),
        "p1": (0, 0, 0),
        "p2": (0, 0.5, 0.5),
    }
    assert [change["value"] for change in labels["p1"].row["repeated"]] == ["36 months"]
    assert labels["f3"].words(one(judged).report) == "under warranty for 36 months"
    points = points_of(judged)
    assert {name: point.met for name, point in points.items()} == {
        "c1": True, "c2": False, "c3": False, "c4": True,
    }  # fmt: skip
    assert points["c1"].row["facts"] and points["c1"].verdict is None and not points["c3"].row["facts"]
    assert (
        points["c3"].verdict is not None
        and points["c3"].verdict["reason"] == "as told"
        and "span" in points["c3"].verdict
    )
    found = values(judged)
    assert found["dr3_ir_uf"] == pytest.approx(200 / 3) and found["dr3_ir_sc"] == 0
    assert found["dr3_ir_sc_mean"] == 25 and found["dr3_if"] == 50 and found["dr3_dq"] == 60
    assert found["dr3_labels_agree"] == 80 and found["dr3_cc"] == 75 and found["dr3_distractors"] == 50
    assert found["dr3_avg"] is None and "dr3_harm" not in found  # nobody extracted claims
    asked = [("depth", []), ("fact", ["f1", "f2", "f3", "p1", "p2"]), ("point", ["c3", "c4"])]
    assert sorted(script.shown) == asked


async def test_what_a_judge_leaves_out_is_asked_for_once_more_and_is_unknown_then(study: Study) -> None:
    script = Dr3Judge({name: told for name, told in ALL.items() if name != "p2"}, {"c3": True})
    judged = await judged_by(study, script)
    assert ("fact", ["p2"]) in script.shown and ("point", ["c4"]) in script.shown and len(script.shown) == 5
    found = values(judged)
    assert found["dr3_ir_sc"] == 0 and found["dr3_ir_sc_mean"] == 0  # of p1 alone
    points = points_of(judged)
    assert points["c2"].met is None and points["c4"].met is None


@pytest.mark.parametrize("grade", [0, 11, 7.5, "seven", None])
async def test_a_grade_that_leaves_the_scale_is_none(study: Study, grade: object) -> None:
    judged = await judged_by(study, Dr3Judge(ALL, {"c3": True, "c4": True}, grade))
    assert values(judged)["dr3_dq"] is None and values(judged)["dr3_ir_uf"] is not None


async def test_an_answer_that_is_no_json_makes_facts_unknown_where_no_rule_found_them(study: Study) -> None:
    script = Dr3Judge(ALL, instead=[Say("I would rather talk.")] * 40)
    judged = await judged_by(study, script)
    found = values(judged)
    # f1 and f2 by rule, of the others nothing is known
    assert found["dr3_ir_uf"] == 100 and found["dr3_ir_sc"] is None
    assert found["dr3_dq"] is None and found["dr3_if"] == 100 and found["dr3_avg"] is None
    assert found["dr3_avg_printed"] == pytest.approx((100 + 75 + 100) / 3)


async def test_the_noise_floor_is_of_trials_else_of_the_judge_asked_again_else_not_measured(
    study: Study,
) -> None:
    judged = await judged_by(study, Dr3Judge(ALL, {"c3": False, "c4": True}))
    floor = noise_floor(judged, [], judged.answers, SHOWN)
    assert floor["between"] is None and {row["sd"] for row in floor["metrics"].values()} == {None}
    other = Dr3Judge({**ALL, "p2": "whole"}, {"c3": False, "c4": True}, 8)
    await by_wire(study, other, options(), choices={KnownTasks: KnownTasks(KNOWN)}, repeat=1)
    again = repetitions(study, judged)
    floor = noise_floor(judged, again, judged.answers, SHOWN)
    assert floor["between"] == "judgings" and len(again) == 1
    assert floor["metrics"]["dr3_ir_sc"] == {"sd": pytest.approx(50 / 2**0.5), "n": 1}  # 0, then 50
    assert floor["metrics"]["dr3_dq"]["sd"] == pytest.approx(20 / 2**0.5)
    assert floor["metrics"]["dr3_ir_uf"]["sd"] == 0 and floor["metrics"]["dr3_cc"] == {"sd": None, "n": 0}
    await put(study, answer("kettle", "react", "It says nothing.", trial=1))
    await judged_by(study, Dr3Judge(ALL, {"c3": False, "c4": True}))
    document = study_document(study)["dr3"]["noise"]["react"]
    assert document["between"] == "trials" and document["metrics"]["dr3_cc"]["n"] == 1
    assert (document["metrics"]["dr3_cc"]["sd"] or 0) > 0


async def test_where_rules_judge_only_their_labels_count(study: Study) -> None:
    judged = await judged_by(study, None)
    labels = fact_labels(judged, one(judged).key) or ()
    assert [label.score for label in labels] == [1, 1, 0, 0, 0] and not any(label.asked for label in labels)
    found = values(judged)
    assert "dr3_labels_agree" not in found and found["dr3_dq"] is not None
    assert found["dr3_if"] == 50  # of the two that name facts


async def test_search_and_writing_share_what_is_lost(study: Study) -> None:
    """What no page of the fact says, and what stands behind what was given, was not found."""
    plan = "file://plan.xlsx#cell=Plan!B4:B5"
    sources = [
        Source(url=plan, type="file", seen="Upkeep $54.20, width 30.5 in"),
        web(RIGHT, None, seen="x " * 3970 + "The Oakmere is covered for 54 months."),
        web(f"{RIGHT}/other", None, seen="The Brightpail takes $18.90 a year."),
        web(UPKEEP, "It is $18.90.", seen="A kettle costs something."),
    ]
    found = values(await judged_by(study, None, sources=sources))
    assert (found["dr3_search_loss"], found["dr3_writing_loss"]) == (20, 40)  # p2; f3 and p1
    assert found["dr3_closed_book"] == 50  # f1 of f1 and p2


async def test_the_sums_are_those_of_the_aggregate(study: Study) -> None:
    judged = await judged_by(study, Dr3Judge(ALL, {"c3": False, "c4": True}))
    row = dr3.row_of(judged, one(judged)).model_dump(by_alias=True, exclude_none=True)
    sums = Dr3Sums()
    told = sums.add(Dr3Sums.form.model_validate(row))
    found = values_of(judged, one(judged))
    for name in ("ir_uf", "ir_sc", "cc", "if", "dq", "avg", "ir_uf_mean", "ir_sc_mean"):
        assert told[name] == found[f"dr3_{name}"], name
    assert sums.as_printed()["avg"] == found["dr3_avg_printed"]


@pytest.mark.parametrize(
    ("report", "cited"),
    [
        ("Oakmere Brightpail slip.png plan.xlsx Right Upkeep right.example/a Amazon", set()),
        (f"## Sources\n\n- {RIGHT}\n- {UPKEEP}\n- file://slip.png", set()),  # a list that nothing cites
        (f"It holds [1].\n\n## Sources\n\n[1] {RIGHT}", {RIGHT}),
        (f"It holds ({RIGHT}#a), and so ({RIGHT}#b).", {RIGHT}),
        ("It (file://plan.xlsx#cell=Plan!B4) holds (file://plan.xlsx#cell=Plan!Z9).", {"file://plan.xlsx"}),
        ("It holds [here](file://other.xlsx) and [there](https://right.example/b).", set()),
    ],
)
def test_coverage_goes_by_addresses_and_counts_a_document_once(report: str, cited: set[str]) -> None:
    rows = document_rows(report, truth().facts, FILES, truth().pages)
    assert {row["id"] for row in rows if row["cited"]} == cited
    assert [row["role"] for row in rows] == ["file", "file", "page", "page"]


@pytest.fixture
def tasks_folder(tmp_path: Path) -> Path:
    write_task(tmp_path / "tasks" / "007", query=QUESTION)
    (tmp_path / "tasks" / "007" / TRUTH).write_bytes(json_document(truth()))
    return tmp_path / "tasks"


def test_what_is_true_is_found_by_the_task_and_only_under_its_own_question(tasks_folder: Path) -> None:
    def given(query_id: str, query: str, **spec: str) -> Any:
        told = spec.get("task_id")
        return SimpleNamespace(query_id=query_id, query=query, label=f"{query_id}/react/0", task_id=told)

    asked = [given("007@1k", QUESTION), given("q-1", QUESTION, task_id="007"), given("q-2", "Another?")]
    known, strange = truths_of(tasks_folder, asked)
    assert set(known) == {"007@1k", "q-1"} and strange == ["q-2/react/0"]
    assert known["q-1"].truth == truth() and "plan.xlsx" not in known["q-1"].files
    with pytest.raises(Misuse, match="asks another question"):
        truths_of(tasks_folder, [given("007@1k", "Another?")])
    with pytest.raises(Misuse, match="holds no task that q-2/react/0 could be of"):
        truths_of(tasks_folder, [given("q-2", QUESTION)])


def test_a_study_of_no_tasks_has_none(study: Study, tasks_folder: Path) -> None:
    with pytest.raises(Misuse, match="give their folder with --tasks"):
        tasks_place(study)
    keep_tasks_place(study, tasks_folder)
    assert tasks_place(study) == tasks_folder.resolve()
