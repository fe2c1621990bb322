"""What a driver hands to a worker is plain data, whatever the kind of unit: through a pickle and through JSON it stays what it was."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
from drr.app.judge.desk import desk_of
from drr.app.models.setup import prompts_of
from drr.app.study.answers import open_answering
from drr.app.study.study_plan import StudyPlan
from drr.env.query import read_queries
from drr.env.settings import Settings, resolve
from drr.env.shop import Shop, open_shop
from drr.eval.evidence.answers import questions, read_answers
from drr.eval.judging.run import JudgeOptions, judge, stage_units
from drr.eval.tasks.protocol import PROTOCOLS
from drr.eval.tasks.registry import groups, tasks
from drr.llm.factory import Models
from drr.llm.models import ModelSettings
from drr.offline.writer.rules import rules_version, write_offline
from drr.querygen.generate import Writer, WritingRules, named_users
from drr.study.study import Study
from drr.study.unit import Assignment, Unit

from tests.agents.garden import ANNA, BEN, QUESTION, write_box
from tests.commands import drr


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two answers of each of two variants to one question."""
    home = write_box(tmp_path_factory.mktemp("specs"), {"query": QUESTION, "user_id": ANNA})
    words = ("--shop", home / "shop", "--queries", home / "queries.jsonl", "--sandbox", home / "sandbox")
    assert drr("run", home / "study", *words, "--variants", "react,react+ws", "--trials", "2", "--quiet") == 0
    return home


@pytest.fixture
def study(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Study]:
    monkeypatch.chdir(home)
    with Study.open(Path("study")) as opened:
        yield opened


@pytest.fixture
def shop(study: Study) -> Iterator[Shop]:
    with open_shop("shop", Settings()) as opened:
        yield opened


def stays(units: list[Unit]) -> None:
    for unit in units:
        handed = Assignment(unit, retried=True)
        got = pickle.loads(pickle.dumps(handed))
        assert got == handed
        assert got.unit.key == unit.key
        assert json.loads(json.dumps(unit.spec)) == unit.spec, unit.label


def test_answers_are_handed_out_as_plain_data(study: Study) -> None:
    settings = resolve(study.config["settings"]).settings
    with open_answering(StudyPlan(**study.config["run"]), settings) as answering:
        units = answering.units(read_queries(Path("queries.jsonl")), trials=2)
    assert {unit.key for unit in units} == {record.key for record in study.records("answer")}
    stays(units)


@pytest.mark.long
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_judgements_are_handed_out_as_plain_data(study: Study, shop: Shop, protocol: str) -> None:
    models = Models(ModelSettings(roles={"default": "offline"}))
    desk = desk_of(Settings(), models, shop, PROTOCOLS[protocol])
    desk.questions = questions(study)
    desk.add(read_answers(study))
    desk.reference = next(iter(desk.answers.values())).variant
    no_rule = ["mistakes"]  # the judge without a model has none for it
    options = JudgeOptions([name for name in groups() if name not in no_rule])
    await judge(study, desk, models, options)
    every = JudgeOptions(groups())
    units = [unit for stage in every.stages for unit in stage_units(study, desk, every, stage)]
    asked = {name for name, task in tasks().items() if desk.protocol.ask(name, f"{name}/all") is not None}
    several_sources = {"citations"}  # nothing is left to judge where no claim here cites several of a kind
    with_files = {"insights", "following", "depth"}  # nor where no question comes with files
    pairs = {"repetition"}  # such a report has one section
    assert {unit.spec["task"] for unit in units} >= asked - several_sources - with_files - pairs
    stays(units)


def test_generations_are_handed_out_as_plain_data(shop: Shop) -> None:
    models = Models(ModelSettings(roles={"default": "offline"}))
    rules = WritingRules(write_offline, rules_version())
    writer = Writer(shop, models, prompts_of(Settings(), "querygen"), "profile", 2, 1000, rules)
    units = writer.units(named_users(shop, [ANNA, BEN], min_orders=1))
    assert len(units) == 2
    stays(units)
