"""What an agent of ours was told: a hint is found wherever it stands, and honest conversations are never accused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from drr.app.bundles.instructions import check_instructions
from drr.app.bundles.prompts import box_texts, person_texts
from drr.app.bundles.verified import Verified
from drr.env.settings import Settings
from drr.study.bundle.archive import unpack
from drr.study.study import Study
from drr.study.unit import Record

from tests.agents.garden import ANNA, QUESTION, write_box, write_shop
from tests.agents.test_ledger import form
from tests.agents.test_settings_on_the_wire import PERSON, QUERY
from tests.bundles import edit_rows, forged, is_answer, rows
from tests.commands import Drr
from tests.eval.nursery import SONNET
from tests.once import made_once
from tests.wire import Request, Say, Wire

HINT = "The Panorama is the right one."
REPORT = "# Feeders\n\nThe Panorama feeder costs $43.99 [1].\n\n## Sources\n[1] http://ecommerce.example/B0NOWHERE1\n"
VARIANTS = "react,plan-to-function,hybrid-react,hybrid-react+profile,hybrid-react+own,ledger"
Talks = list[dict[str, Any]]


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Path:
    question = {"id": "q-birds", "query": QUESTION, "user_id": ANNA}
    return made_once("told", tmp_path_factory, lambda home: write_box(home, question))


@pytest.fixture
def drr(drr: Drr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Drr:
    monkeypatch.chdir(tmp_path)
    return drr


def given(box: Path) -> list[object]:
    shop = ("--shop", box / "shop", "--queries", box / "queries.jsonl", "--sandbox", box / "sandbox")
    return [*shop, "--quiet"]


def run(drr: Drr, box: Path, *more: object) -> None:
    assert drr("run", "study", *given(box), *more)[0] == 0


def conversations(study: Study) -> Iterator[tuple[Record, dict[str, str], Talks]]:
    for record in study.records("answer", None):
        yield record, box_texts() | person_texts(study), study.json(record, "transcript")


def _hinted(talks: Talks) -> Iterator[tuple[str, Talks]]:
    """A hint behind each message that no model wrote, and as a message of its own after each of a model."""
    for place, talk in enumerate(talks):
        for number, message in enumerate(talk["messages"]):
            told = deepcopy(talks)
            messages = told[place]["messages"]
            if message["role"] == "ai":
                messages.insert(number + 1, {"role": "human", "text": HINT})
            else:
                messages[number]["text"] += f"\n{HINT}"
            yield f"{talk['name']}, {number}, {message['role']}", told


def test_a_hint_is_found_wherever_it_stands(box: Path, drr: Drr) -> None:
    run(drr, box, "--variants", VARIANTS)
    with Study.read(Path("study")) as study:
        for record, texts, talks in conversations(study):
            honest = Verified()
            check_instructions(study, record, talks, texts, honest)
            assert honest.failed == honest.suspicious == []
            for where, told in _hinted(talks):
                found = Verified()
                check_instructions(study, record, told, texts, found)
                assert len(found.failed) == 1, (record.label, where)
            for place, talk in enumerate(talks):
                rule, told = talk["messages"][0]["text"].split("\n")[2], deepcopy(talks)
                told[place]["messages"][0]["text"] = talk["messages"][0]["text"].replace(rule, "", 1)
                found = Verified()
                check_instructions(study, record, told, texts, found)
                assert [one["check"] for one in found.failed] == ["prompts"], (record.label, talk["name"])


def _unlisted(lines: list[Any]) -> None:
    """The calls of each researcher but the first are left out."""
    for record in (line["record"] for line in lines if is_answer(line)):
        calls = record["result"]["tool_calls"]
        record["result"]["tool_calls"] = [one for one in calls if one["researcher"] in (None, "r1")]


def test_a_call_of_any_researcher_is_listed(box: Path, drr: Drr) -> None:
    run(drr, box, "--variants", "hybrid-react")
    drr.out("bundle", "make", "study", "--out", "bundle")
    cheat = forged(Path("bundle"), Path("cheat"), edit_rows("units.jsonl", _unlisted))
    failed = json.loads(drr("bundle", "verify", cheat, "--json")[1])["failed"]
    assert any("calls of tools that are not listed" in one["what"] for one in failed), failed


def _obstinate(request: Request) -> Say:
    """A model that does everything at the second try: plans, forms, calls in place of a report."""
    messages, system = request.body["messages"], json.dumps(request.body.get("system"))
    told = json.dumps(messages)
    if "You correct the citations" in system:
        return Say(REPORT.replace("B0NOWHERE1", "B0FEEDER01"))
    if "You plan all tool calls" in system:
        call = {"tool": "calculator", "arguments": json.dumps({"expression": "1 + 1"})}
        return Say(json.dumps({"plan": "Sums.", "calls": [call] if "Last time" in told else []}))
    if "You fill in the report" in system:
        return Say(json.dumps(form("It is good." if "cannot be printed" in told else "It costs $1.")))
    offered = [tool["name"] for tool in request.body.get("tools") or ()]
    turns = sum(message["role"] == "assistant" for message in messages)
    if "launch_researcher" in offered:
        problem = ("launch_researcher", {"sub_problem": "What is one and one?\n\nAnd two?"})
        return Say("Done.") if turns else Say(calls=[problem, problem])
    if "calculator" in offered and turns < 2:
        return Say(calls=[("calculator", {"expression": f"{turns} + {turns}"})])
    ending = "Not run: the research is over" not in told and (
        "The research is over" in told or "ends here" in told
    )
    return Say(calls=[("calculator", {"expression": "7 + 7"})]) if ending else Say(REPORT)


def _idle(request: Request) -> Say:
    """A model that looks nothing up until it is asked once more."""
    return (
        _obstinate(request)
        if "earlier attempt" in json.dumps(request.body["messages"])
        else Say("I know it.")
    )


@pytest.mark.long
@pytest.mark.parametrize("script", [_obstinate, _idle])
def test_what_honest_models_make_of_it_is_no_hint(
    box: Path, drr: Drr, script: Callable[[Request], Say]
) -> None:
    with Wire(script) as wire:
        model = ("--model", SONNET, "--base-url", wire.url, "--citation-repair", "ask")
        drr("run", "study", *given(box), "--variants", VARIANTS, *model)
    drr.out("bundle", "make", "study", "--out", "bundle")
    document = json.loads(drr("bundle", "verify", "bundle", "--json", "--shop", box / "shop")[1])
    assert document["failed"] == []
    assert {one["check"] for one in document["suspicious"]} <= {"costs"}
    with Study.read(Path("study")) as study:
        notes = " ".join(note for record, _, _ in conversations(study) for note in record.result["notes"])
        names = {talk["name"] for _, _, talks in conversations(study) for talk in talks}
    if script is _obstinate:
        assert all(words in notes for words in ("asked once more", "sent back once", "(another call)"))
    else:
        assert {"first agent", "first supervisor"} <= names


@pytest.mark.long
def test_what_is_told_of_a_person_is_named(tmp_path: Path, drr: Drr) -> None:
    """Nothing in a bundle holds the text; a hint beside it contradicts the bundle still."""
    write_shop(str(tmp_path / "shop"), Settings())
    Path("queries.jsonl").write_text(json.dumps(QUERY))
    Path("persons.jsonl").write_text(json.dumps(PERSON.line()))
    told = (
        "--shop",
        tmp_path / "shop",
        "--queries",
        "queries.jsonl",
        "--persons",
        "persons.jsonl",
        "--quiet",
    )
    variants = ("--settings", "persona", "--variants", "react,plan-to-function,hybrid-react,ledger")
    with Wire(_obstinate) as wire:
        drr("run", "study", *told, *variants, "--model", SONNET, "--base-url", wire.url)
    with Study.read(Path("study")) as study:
        for record, texts, talks in conversations(study):
            for told, number in [(talks, 0), *((told, 1) for _, told in _hinted(talks))]:
                found = Verified()
                check_instructions(study, record, told, texts, found)
                assert len(found.failed) == number, (record.label, found.failed)
                assert found.suspicious == found.not_checked == []
    for name, more in (("whole", ()), ("redacted", ("--redact",))):
        err = drr("bundle", "make", "study", "--out", name, *more)[2]
        assert ("judgements keep what was told of persons" in err) is (name == "redacted")
        assert json.loads(drr("bundle", "verify", name, "--json")[1])["failed"] == []
        Path(f"{name}-files").mkdir()
        unpack(Path(name), Path(f"{name}-files"))
        beside = {line["name"] for line in rows(Path(f"{name}-files"), "beside.jsonl")}
        assert ("persons.jsonl" in beside) is (name == "whole")
