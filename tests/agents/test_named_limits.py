"""`--limits wide` and `tight`: keyed, told to the agent, and no trace of them in any other run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drr.agents.base import NAMED_LIMITS, Limits, tight_calls
from drr.app.cli import main
from drr.app.study.study_plan import StudyPlan
from drr.env.constraints import parse_constraints
from drr.env.errors import Misuse
from drr.study.study import Study
from drr.study.unit import Record

from tests.agents.garden import ANNA, QUESTION, Ask, Asked, write_box

LEAST = 1
CHECKED = {"points": [{"figure": 24.95, "sources": ["user://orders"]}], "least": LEAST, "level": 1}


@pytest.mark.parametrize(("least", "calls"), [(1, 3), (2, 4), (4, 6), (5, 7), (12, 15), (80, 96)])
def test_a_tight_limit_is_a_fifth_more_than_the_least_and_two_more_at_least(least: int, calls: int) -> None:
    assert tight_calls(least) == calls


def test_names_and_numbers_may_stand_together() -> None:
    assert StudyPlan(limits="wide").limits == NAMED_LIMITS["wide"]
    assert StudyPlan(limits="tight,times_least=1.2,steps=9").limits["times_least"] == 1.2
    kept = StudyPlan(limits="tight").kept()
    assert StudyPlan(**kept).limits == NAMED_LIMITS["tight"]
    with pytest.raises(Misuse, match="wide or tight"):
        StudyPlan(limits="loose")
    assert "announced" not in Limits().key()


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_box(
        tmp_path,
        {"id": "q-1", "query": "1. What does the cedar house cost?", "user_id": ANNA, "checkable": CHECKED},
    )
    return tmp_path


def _ran(
    study: str, *limits: str, variants: str = "react,plan-to-function,hybrid-react"
) -> dict[str, Record]:
    words = ["--shop", "shop", "--queries", "queries.jsonl", "--sandbox", "sandbox", "--quiet"]
    assert main(["run", study, *words, "--variants", variants, *limits]) == 0
    with Study.read(Path(study)) as found:
        return {str(one.spec["variant"]): one for one in found.records("answer")}


def _told(study: str, record: Record) -> list[str]:
    """Return all messages of an answer that tell how many calls may be made."""
    with Study.read(Path(study)) as found:
        talks = json.loads(found.text(record, "transcript") or "[]")
    texts = [json.dumps(one) for talk in talks for one in talk["messages"]]
    return [one for one in texts if "times in all for this question" in one]


def test_a_limit_with_a_name_is_told_and_keyed_and_no_other_is(
    box: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = _ran("usual")
    numbers = _ran(
        "numbers",
        "--limits",
        ",".join(f"{k}={v}" for k, v in NAMED_LIMITS["wide"].items() if k != "announced"),
    )
    capsys.readouterr()
    wide, tight = _ran("wide", "--limits", "wide"), _ran("tight", "--limits", "tight")
    assert "plan-to-function plans all of its calls at once, 12 at most" in capsys.readouterr().err
    assert main(["run", "wide", "--quiet"]) == 0
    with Study.read(Path("wide")) as again:
        assert {one.key for one in again.records("answer")} == {one.key for one in wide.values()}
    for name, before in usual.items():
        assert len({one[name].key for one in (usual, numbers, wide, tight)}) == 4
        assert _told("usual", before) == _told("numbers", numbers[name]) == []
        assert any("called 150 times" in one for one in _told("wide", wide[name]))
        assert any("called 3 times" in one for one in _told("tight", tight[name]))
        calls = [one for one in tight[name].result["tool_calls"] if one["kind"] == "api"]
        assert len(calls) <= tight_calls(LEAST) < len(before.result["tool_calls"])
        assert tight[name].result["stop_reason"] == "tool_call_limit"
        assert tight[name].blobs.keys() >= {"report", "form"}, "it hands in its answer"


def test_a_question_without_least_has_no_tight_limit(box: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (box / "queries.jsonl").write_text(json.dumps({"query": "Which bird house?", "user_id": ANNA}) + "\n")
    words = ["--shop", "shop", "--queries", "queries.jsonl", "--sandbox", "sandbox", "--quiet"]
    assert main(["run", "study", *words, "--variants", "react", "--limits", "tight"]) == 2
    assert "does not say its `least`" in capsys.readouterr().err


async def test_what_is_told_is_no_limit_of_money(ask: Ask, asked: Asked) -> None:
    await ask("react", limits=Limits(announced=1, tool_calls=12))
    (told,) = {
        text
        for messages, _ in asked.requests
        for message in messages
        if message.type == "human" and "times in all" in (text := str(message.content))
    }
    assert parse_constraints(told) == parse_constraints(QUESTION)
