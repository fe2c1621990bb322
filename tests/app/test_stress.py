"""Answers asked again under one change each: what a change can reach, and what of it is run."""

from __future__ import annotations

from pathlib import Path

import pytest
from drr.env.overlay import Stress
from drr.env.query import read_queries
from drr.env.settings import resolve
from drr.env.shop import open_shop
from drr.env.web.open import open_web
from drr.querygen.composing import QuestionMaker, checkable_questions
from drr.querygen.rewording import reworded
from drr.study.study import Study
from drr.study.unit import Record

from tests.commands import Drr

AGENTS = Path(__file__).parents[1] / "stress_agents.py"
SETTINGS = resolve({}, environ={}, file=Path("none")).settings


@pytest.fixture(scope="module")
def asked(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six checkable questions, answered by scripted agents."""
    from drr.app.cli import main

    home = tmp_path_factory.mktemp("stress")
    with open_shop(str(sample_home / "shop"), SETTINGS) as shop:
        questions = checkable_questions(shop, open_web(SETTINGS, shop=shop), 3, 6)
    lines = "".join(question.model_dump_json() + "\n" for question in questions)
    (home / "queries.jsonl").write_text(lines, encoding="utf-8")
    names = ",".join(f"{AGENTS}:{name}" for name in ("fair", "obedient"))
    what = ["--queries", str(home / "queries.jsonl"), "--variants", names, "--quiet"]
    assert main(["run", str(home / "study"), "--shop", str(sample_home / "shop"), *what]) == 0
    return home / "study"


def records(folder: Path) -> dict[str, Record]:
    with Study.read(folder) as study:
        return {record.key: record for record in study.records("answer")}


def test_only_what_a_change_can_reach_is_run_and_only_once(asked: Path, drr: Drr) -> None:
    before = records(asked)
    half = ("--rate", "0.5", "--seed", "1")
    plan = drr.json("study", "stress", asked, "--with", "all", "--dry-run", *half)
    reached = {name: one["reached"] for name, one in plan["changes"].items()}
    assert plan["answers"] == len(before) == 12
    assert reached["today"] == reached["history"] == reached["paraphrase"] == 12 and reached["sponsor"] == 12
    assert 0 < reached["faults"] < 12  # by the seed no call of some answers fails
    assert plan["run"]["left"] == sum(reached.values())
    done = drr.json("study", "stress", asked, "--with", "sponsor,faults", *half, "--quiet")
    assert done["units"]["done"] == reached["sponsor"] + reached["faults"]
    again = drr.json("study", "stress", asked, "--with", "all", "--dry-run", *half)
    assert again["changes"]["sponsor"] == {"reached": 12, "left": 0}
    assert again["changes"]["price"]["left"] == reached["price"]
    assert records(asked).keys() == before.keys()  # units without a change keep their keys
    for record in records(asked / "stress").values():
        stress: Stress = record.spec["stress"]
        base = before[stress["base"]]
        assert record.key_fields == {**base.key_fields, "stress": stress}
        assert {**record.spec, "stress": None} == {**base.spec, "stress": None}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--with", "rain"], "no such change"),
        (["--with", ","], "names no change"),
        (["--with", "faults", "--rate", "0"], "a share above 0"),
        (["--with", "faults", "--rate", "nan"], "a share above 0"),
    ],
)
def test_what_makes_no_sense_is_refused(asked: Path, drr: Drr, words: list[str], said: str) -> None:
    assert said in drr.err("study", "stress", asked, *words)


def test_a_study_that_is_not_there_is_not_made(tmp_path: Path, drr: Drr) -> None:
    drr.err("study", "stress", tmp_path / "none", "--with", "all")
    assert not (tmp_path / "none").exists()


def test_other_words_keep_every_need(asked: Path, sample_home: Path) -> None:
    with open_shop(str(sample_home / "shop"), SETTINGS) as shop:
        maker = QuestionMaker(shop, open_web(SETTINGS, shop=shop))
        for query in read_queries(asked / "queries.jsonl"):
            text, truth = reworded(maker, query, 1), query.checkable
            assert text is not None and truth is not None and text != query.query
            assert text == reworded(maker, query, 1)
            for need in truth.needs:
                said = " > ".join(need.category)
                assert need.anchor is not None or f'"{said}"' in text
            points = [line for line in text.splitlines() if line[:1].isdigit()]
            assert len(points) == len(truth.needs) + len(truth.facts)
            assert reworded(maker, query.model_copy(update={"checkable": None}), 1) is None
