"""A kind of judging is one file and one line: planned in its order, run, read, forecast and named, with nothing else changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.env.errors import Misuse
from drr.env.plugins import JudgingTask
from drr.eval.judging.plan import JudgeOptions, forecast
from drr.eval.judging.read import choose, read_judged
from drr.eval.judging.run import judge
from drr.eval.tasks import registry
from drr.eval.tasks.protocol import PROTOCOLS
from drr.eval.tasks.registry import groups, stages, tasks
from drr.study.study import Study

from tests.eval.nursery import SONNET, answer, desk, offline, put, scripted, sections_of, system
from tests.eval.nursery import message as told
from tests.wire import Request, Say, Wire

LINES = (
    JudgingTask("toy", "tests.eval.toy_tasks:MARKS", usual=False),
    JudgingTask("toy", "tests.eval.toy_tasks:CRITERIA", usual=False),
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


async def judged_by(study: Study, **more: Any) -> list[Request]:
    with Wire(says) as wire:
        models = scripted(wire.url)
        try:
            ran = await judge(study, desk(study, models), models, JudgeOptions(["toy"], **more))
        finally:
            await models.aclose()
        assert ran.summary.ok, ran.summary
        return wire.requests


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
    found = read_judged(study, choose(study)).others
    assert found["toy-criteria"] == {"q-a": ["warm", "cheap"], "q-b": ["warm", "cheap"]}
    assert list(found["toy-marks"].values()) == [{"warm": 7, "cheap": 7}] * 2


@pytest.mark.usefixtures("toys")
async def test_what_a_task_needs_is_judged_in_the_stage_before(study: Study) -> None:
    ask(study, "a")
    await put(study, answer("a", "react", "Warm and cheap."))
    requests = await judged_by(study)
    assert ["Name what" in system(request) for request in requests] == [True, False]
    chosen = stages(tasks(["toy", "faithfulness", "rules"]))
    assert [sorted(task.name for task in stage) for stage in chosen] == [
        ["claims", "toy-criteria"],
        ["rules", "support", "toy-marks"],
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
def test_the_command_names_it_and_takes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Study.create(tmp_path / "study", {"schema": 1, "run": {}}) as study:
        ask(study, "a")
    main(["judge", "--help"])
    assert "toy" in capsys.readouterr().out
    asked = ["--what", "toy", "--judge", SONNET, "--base-url", "http://127.0.0.1:9", "--dry-run", "--json"]
    assert main(["judge", str(tmp_path / "study"), *asked]) == 0
    assert json.loads(capsys.readouterr().out)["tasks"]["toy-criteria"]["calls"] == 1
    assert main(["judge", str(tmp_path / "study"), "--what", "tin"]) == 2
    assert (
        "faithfulness, citations, quality, pairwise, rules, failures, mistakes, points, recall, relative, toy, criteria, pqr, swap, reporteval, dr3"
        in capsys.readouterr().err
    )


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
    assert groups()[5:] == [
        "failures",
        "mistakes",
        "points",
        "recall",
        "relative",
        "criteria",
        "pqr",
        "swap",
        "reporteval",
        "dr3",
    ]


@pytest.mark.usefixtures("toys")
async def test_rules_refuse_what_they_have_no_rule_for_before_anything_is_begun(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(study, "a")
    await put(study, answer("a", "react", "Warm and cheap."))
    models = offline()
    with pytest.raises(Misuse, match="toy-criteria, toy-marks: rules-2 judges without a model"):
        await judge(study, desk(study, models), models, JudgeOptions(["toy", "rules"]))
    assert not list(study.records("judgement", None)) and choose(study) is None


@pytest.mark.usefixtures("toys")
def test_the_command_refuses_it_in_one_sentence_that_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Study.create(tmp_path / "study", {"schema": 1, "run": {}}) as study:
        ask(study, "a")
    for more in ([], ["--dry-run"], ["--workers", "2"]):
        assert main(["judge", str(tmp_path / "study"), "--what", "toy", *more]) == 2
        said = capsys.readouterr()
        assert said.err == (
            "drr: toy-criteria, toy-marks: rules-2 judges without a model and has no rule for that; name a model with --judge\n"
        )
        assert said.out == ""
