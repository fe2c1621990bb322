"""A kind of judging is one file and one line: planned in its order, run, read, forecast and named, with nothing else changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drr.app.report.tables import Cell
from drr.app.terminal import with_interval
from drr.env.errors import Misuse
from drr.env.plugins import JudgingTask
from drr.env.query import Query
from drr.eval.agreement.corrected import correctable_figures
from drr.eval.agreement.study import compare_on_metrics
from drr.eval.evidence.answers import read_answers
from drr.eval.judging.read import choose_judging, read_judged
from drr.eval.judging.run import JudgeOptions, forecast, judge
from drr.eval.metrics.compare import ValueTable, compare_systems
from drr.eval.metrics.document import study_document
from drr.eval.stats.corrected import ScoredThing, corrected
from drr.eval.stats.differences import paired
from drr.eval.stats.intervals import mean, pooled_ratio
from drr.eval.stats.pairs import pair_results
from drr.eval.stats.question import AskedQuestion, Comparison
from drr.eval.tasks import registry
from drr.eval.tasks.protocol import PROTOCOLS
from drr.eval.tasks.registry import groups, task_stages, tasks
from drr.papers.dr3.judging.truths import KnownTask, KnownTasks
from drr.study.study import Study
from drr.study.unit import Unit

from tests.cases import cases
from tests.commands import Drr
from tests.eval.dr3_truth import OLD, RIGHT, UPKEEP, truth
from tests.eval.nursery import SONNET, answer, by_rules, by_wire, desk, offline, put, sections_of, system, web
from tests.eval.nursery import message as told
from tests.eval.toy_tasks import MarksTask
from tests.wire import Request, Say

LINES = (
    JudgingTask("toy", "toy-marks", place="tests.eval.toy_tasks:MARKS"),
    JudgingTask("toy", "toy-criteria", place="tests.eval.toy_tasks:CRITERIA"),
)


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "REGISTERED", (*registry.REGISTERED, *LINES))


def says(request: Request) -> Say:
    sections = sections_of(told(request))
    if "Name what" in system(request):
        return Say(json.dumps({"criteria": ["warm", "cheap"]}))
    criteria = [section.text for section in sections if section.label == "criterion"]
    return Say(json.dumps({"marks": dict.fromkeys(criteria, 7)}))


async def judged_by(study: Study) -> list[Request]:
    ran, requests = await by_wire(study, says, JudgeOptions(["toy"]))
    assert ran.summary.ok, ran.summary
    return requests


def ask(study: Study, *queries: str) -> None:
    lines = [json.dumps({"id": f"q-{q}", "query": f"What of {q}?", "user_id": "u"}) for q in queries]
    (study.folder / "queries.jsonl").write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.usefixtures("toys")
async def test_criteria_are_judged_before_any_answer_is_there_and_once_only(study: Study) -> None:
    ask(study, "a", "b")
    assert len(await judged_by(study)) == 2
    await put(study, answer("a", "react", "Warm and cheap."), answer("a", "hybrid", "Neither."))
    requests = await judged_by(study)
    assert len(requests) == 2
    assert not any("Name what" in system(request) for request in requests)
    found = read_judged(study, choose_judging(study)).others
    assert found["toy-criteria"] == {"q-a": ["warm", "cheap"], "q-b": ["warm", "cheap"]}
    assert list(found["toy-marks"].values()) == [{"warm": 7, "cheap": 7}] * 2


@pytest.mark.usefixtures("toys")
async def test_what_a_task_needs_is_judged_in_the_stage_before(study: Study) -> None:
    ask(study, "a")
    await put(study, answer("a", "react", "Warm and cheap."))
    requests = await judged_by(study)
    assert ["Name what" in system(request) for request in requests] == [True, False]
    chosen = task_stages(tasks(["toy", "faithfulness", "rules"]))
    assert [sorted(task.name for task in stage) for stage in chosen] == [
        ["claims"],
        ["support", "toy-criteria"],
        ["joint", "rules", "toy-marks"],
    ]


@pytest.mark.usefixtures("toys")
async def test_a_forecast_counts_it_and_what_needs_it(study: Study) -> None:
    ask(study, "a", "b")
    await put(study, answer("a", "react", "Warm and cheap."))
    models = offline()
    rows = forecast(study, desk(study, models), models, JudgeOptions(["toy"]))["tasks"]
    assert {name: row["calls"] for name, row in rows.items()} == {"toy-criteria": 2, "toy-marks": 1}
    assert rows["toy-marks"]["output_tokens"] == 80


@pytest.mark.usefixtures("toys")
def test_the_command_names_it_takes_it_and_says_what_has_no_rule(tmp_path: Path, drr: Drr) -> None:
    study = tmp_path / "study"
    with Study.create(study, {"schema": 1, "run": {}}) as made:
        ask(made, "a")
    assert "toy" in drr.out("judge", "--help")
    asked = ("judge", study, "--judge", "offline", "--what")
    told = drr.json(*asked, "toy", "--judge", SONNET, "--base-url", "http://127.0.0.1:9", "--dry-run")
    assert told["tasks"]["toy-criteria"]["calls"] == 1
    assert ", ".join(groups()) in drr.err(*asked, "tin")
    for more in ([], ["--dry-run"], ["--pool", "ray"]):
        code, out, err = drr(*asked, "toy", *more)
        assert (code, out) == (2, "") and err.startswith("drr: toy-criteria, toy-marks: ")
        assert err.endswith("name a model with --judge\n") and err.count("\n") == 1


def test_a_task_that_needs_what_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "REGISTERED", LINES[:1])
    with pytest.raises(ValueError, match="toy-marks needs toy-criteria"):
        tasks()
    monkeypatch.setattr(registry, "REGISTERED", (LINES[1], LINES[1]))
    with pytest.raises(ValueError, match="is called toy-criteria already"):
        tasks()


def test_every_protocol_asks_prompts_that_are_there(study: Study) -> None:
    for name in PROTOCOLS:
        made = desk(study, offline(), protocol=name)
        assert {ask.prompt for ask in made.protocol.asks.values()} <= set(made.prompts.names)
        for task in tasks().values():
            assert all(version for version in task.versions(made).values())


def test_the_usual_words_leave_out_what_costs_more() -> None:
    assert groups(usual=True) == ["faithfulness", "citations", "quality", "pairwise", "rules"]
    assert groups()[5:] == cases("eval", "test_the_usual_words_leave_out_what_costs_more")


@pytest.mark.usefixtures("toys")
async def test_rules_refuse_what_they_have_no_rule_for_before_anything_is_begun(study: Study) -> None:
    ask(study, "a")
    await put(study, answer("a", "react", "Warm and cheap."))
    models = offline()
    with pytest.raises(Misuse, match="toy-criteria, toy-marks: rules-2 judges without a model"):
        await judge(study, desk(study, models), models, JudgeOptions(["toy", "rules"]))
    assert not list(study.records("judgement", None)) and choose_judging(study) is None


TASKS, SIZES = 30, ("32k", "64k", "128k")


def _asked(values: Mapping[tuple[int, str], float]) -> dict[AskedQuestion, list[float | None]]:
    return {AskedQuestion(f"{t}@{size}", str(t)): [value] for (t, size), value in values.items()}


def _drawn(rng: np.random.Generator, shift: float = 0.0) -> dict[tuple[int, str], float]:
    """Tasks differ much, the sizes of one little."""
    hard = rng.normal(size=TASKS)
    return {(t, size): hard[t] + shift + rng.normal(0, 0.2) for t in range(TASKS) for size in SIZES}


@pytest.mark.long
def test_the_interval_holds_the_true_mean_as_often_as_it_says() -> None:
    rng = np.random.default_rng(22)
    together = alone = 0
    for _ in range(300):
        drawn = _drawn(rng)
        found = mean(_asked(drawn))
        naive = mean({f"{t}@{size}": [value] for (t, size), value in drawn.items()})
        assert found.value == pytest.approx(naive.value)
        assert None not in (found.ci_low, found.ci_high, naive.ci_low, naive.ci_high)
        together += found.ci_low <= 0 <= found.ci_high  # type: ignore[operator]
        alone += naive.ci_low <= 0 <= naive.ci_high  # type: ignore[operator]
    assert 0.90 <= together / 300 <= 0.98
    assert alone / 300 < 0.80, "else this says nothing of drawing them together"


def test_a_paired_test_errs_as_often_as_it_says() -> None:
    rng = np.random.default_rng(23)
    called = 0
    for _ in range(40):
        own = rng.normal(size=TASKS)
        a = {(t, size): own[t] + rng.normal(0, 0.1) for t in range(TASKS) for size in SIZES}
        b = dict.fromkeys(a, 0.0)
        p = paired(_asked(a), _asked(b)).p
        called += p is not None and p < 0.05
    assert called <= 6


def test_n_says_answers_and_tasks() -> None:
    v = mean(_asked(_drawn(np.random.default_rng(1))))
    assert (v.n, v.clusters, v.tasks) == (90, 30, 30)
    row = v.document()
    assert row["tasks"] == 30 and "n=90 of 30 tasks" in Cell.of(row).text()
    assert with_interval(row, usual=90).endswith("] of 30 tasks")


def test_questions_of_their_own_are_as_before() -> None:
    alone = mean({AskedQuestion(f"q{i}", f"q{i}"): [float(i)] for i in range(12)})
    assert alone == mean({f"q{i}": [float(i)] for i in range(12)})
    assert "tasks" not in alone.document() and alone.clusters == 12


def test_two_tasks_at_many_sizes_are_two_draws() -> None:
    many = {(t, str(size)): float(t) for t in range(2) for size in range(20)}
    found = mean({k: [v[0] + i * 1e-3] for i, (k, v) in enumerate(_asked(many).items())})
    assert (found.clusters, found.tasks) == (2, 2) and found.error is not None
    pairs = [(asked, 1.0, 2.0) for asked in _asked(many)]
    assert pooled_ratio(pairs, "pooled", n=40).tasks == 2


def test_a_sign_test_counts_a_task_once() -> None:
    asked = [(str(task), size) for task in range(4) for size in SIZES]
    (found,) = pair_results(
        [Comparison(f"{task}{size}", "depth", "x", "y", "a", "a", task=task) for task, size in asked]
    )
    assert found["wins"] == 12 and found["p_sign"] == pytest.approx(0.125)
    assert found["win_rate"]["tasks"] == 4


def test_labels_of_one_task_are_of_one_question() -> None:
    units = [ScoredThing(str(i % 5), 1.0, 0.5, 0.5 + (i % 3) / 10) for i in range(40)]
    assert "5 questions" in (corrected(units).reason or "")


PAGES = [
    web(RIGHT, "The Oakmere steel kettle is under warranty for 54 months."),
    web(UPKEEP, "A kettle costs something."),
]
GOOD = f"The Oakmere is covered for 54 months ({RIGHT}). The Brightpail takes $18.90 a year ({UPKEEP})."
POOR = f"The Oakmere is under warranty for 36 months ({OLD}). It is a kettle ({RIGHT})."


def _with_questions(study: Study, queries: list[Query]) -> None:
    lines = [query.model_dump_json() for query in queries]
    (study.folder / "queries.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
async def sized(study: Study) -> Study:
    """Three tasks at two sizes, two systems; the study alone says of what task a question is."""
    units: list[Unit] = []
    queries = []
    for t in range(3):
        for size in SIZES[:2]:
            queries.append(Query(id=f"q-{t}-{size}", query="What?", user_id="u", task_id=f"00{t}", size=size))
            texts = {"dr3": GOOD, "react": POOR if t else GOOD}
            units += [answer(f"{t}-{size}", variant, text, PAGES) for variant, text in texts.items()]
    _with_questions(study, queries)
    await put(study, *units)
    truths = {query.id: KnownTask(truth(), ("slip.png", "plan.xlsx")) for query in queries}
    what = ["dr3", "faithfulness", "quality", "pairwise", "rules"]
    await by_rules(study, what, choices={KnownTasks: KnownTasks(truths)})
    return study


def _rows(found: Any, where: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every statistic of a document, with its place."""
    if isinstance(found, dict):
        if {"value", "n", "n_unscored", "method"} <= found.keys():
            yield where, found
        for name, inner in found.items():
            yield from _rows(inner, f"{where}/{name}")
    elif isinstance(found, list):
        for i, inner in enumerate(found):
            yield from _rows(inner, f"{where}/{i}")


OVER_CALLS = ("strengths", "length")
"""Refitted: they say no tasks, and draw them together where they draw."""


async def test_nothing_in_a_document_counts_a_task_twice(sized: Study) -> None:
    document = study_document(sized)
    seen = 0
    for where, row in _rows({k: v for k, v in document.items() if k != "as_printed"}):
        if row["n"] > 3 and "/sizes/" not in where and not any(name in where for name in OVER_CALLS):
            assert row.get("tasks") == 3 or "95%" not in row["method"], (where, row)
            seen += 1
        elif "/sizes/" in where:
            assert "tasks" not in row
    assert seen > 100
    judged = read_judged(sized, choose_judging(sized))
    assert {unit.question for one in correctable_figures(judged, []) for unit in one.units} == {
        "000",
        "001",
        "002",
    }
    told = compare_on_metrics(judged, judged)["dr3_ir_sc"]["mard"]["method"]
    assert "3 clusters" in told
    rows = [row for _, row in _rows(compare_systems(ValueTable(judged), "dr3", "react")) if row["n"] == 6]
    assert rows and all(row["tasks"] == 3 for row in rows)


async def test_persons_of_one_task_are_drawn_together(study: Study) -> None:
    queries = [
        Query(id=f"q-{t}-{p}", query="What?", user_id=p, task_id=f"t{t}", person_id=p)
        for t in range(2)
        for p in "abc"
    ]
    _with_questions(study, queries)
    await put(study, *(answer(query.id.removeprefix("q-"), "react", GOOD, PAGES) for query in queries))
    assert {one.asked.task for one in read_answers(study)} == {"t0", "t1"}
    row = study_document(study)["metrics"]["react"]["words"]
    assert (row["n"], row["tasks"]) == (6, 2)


@pytest.mark.parametrize(("old", "now"), [("settle", "finish_reading"), ("lacks", "is_incomplete")])
def test_a_task_with_a_method_of_a_former_name_is_refused_by_name(old: str, now: str) -> None:
    """It would never be called, and the figures would lack what it enters."""
    with pytest.raises(Misuse, match=f"OldTask.*{old}.*{now}"):
        type("OldTask", (MarksTask,), {old: lambda *_: None})
