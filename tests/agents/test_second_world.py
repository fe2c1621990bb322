"""A world without a shop costs one file and one line: it is opened from plain data, run, continued, and judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drr.app.study.answers import open_answering
from drr.app.study.study_plan import StudyPlan
from drr.env.errors import Misuse
from drr.env.query import Query
from drr.env.settings import resolve
from drr.env.world import KINDS, WORLDS
from drr.eval.metrics.document import study_document
from drr.study.pools import InProcessPool
from drr.study.run import run
from drr.study.study import Study
from drr.study.worker import Opening
from drr.tools.registry import TOOLS
from drr.tools.spec import make_tool

from tests.agents.notes_world import read_note
from tests.commands import Drr

AGENT = """
from langchain_core.messages import AIMessage, HumanMessage

REPORT = '''The kettle holds 1.7 liters of water [1]. The kettle was bought for $89.00 in a sale [2].

## Sources
[1] file://notes/kettle
[2] file://notes/receipt
'''


async def reader(query, tools, model, budget):
    (read,) = tools
    for name in ("kettle", "receipt", "nowhere"):
        await read.ainvoke({"name": name})
    return (await model.reply([HumanMessage(f"{query} ({query.user_id}, {query.as_of})")])).text


def write(messages, arguments):
    return AIMessage(f"{messages[-1].text}\\n\\n{REPORT}")


reader.policy = {"agent": write}
"""
QUERIES = [
    Query(id="q-kettle", query="What of the kettle?", user_id="nobody"),
    Query(id="q-price", query="What did it cost?", user_id="nobody"),
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(WORLDS, "notes", "tests.agents.notes_world:open_notes")
    monkeypatch.setitem(KINDS, "note", "tests.agents.notes_world:Notes")
    monkeypatch.setitem(TOOLS, "read_note", make_tool(read_note))
    monkeypatch.chdir(tmp_path)
    Path("notes").mkdir()
    Path("notes/kettle.txt").write_text("The kettle holds 1.7 liters of water.")
    Path("notes/receipt.txt").write_text("The kettle was bought for $49.00 in a sale.")
    Path("mine.py").write_text(AGENT)
    Path("queries.jsonl").write_text("".join(query.model_dump_json() + "\n" for query in QUERIES))
    return Path("notes")


OFFLINE = resolve({"model": "offline"}).settings


def plan_of(place: Path) -> StudyPlan:
    return StudyPlan(variants="mine.py:reader", world="notes", place=place)


def new(place: Path) -> list[object]:
    return ["study", "--world", "notes", "--place", place, "--queries", "queries.jsonl",
            "--variants", "mine.py:reader", "--quiet"]  # fmt: skip


async def test_units_of_a_world_without_a_shop_run_in_a_pool_opened_from_plain_data(place: Path) -> None:
    plain = {"world": "notes", "place": str(place), "variants": "mine.py:reader"}
    document = json.loads(json.dumps({"plan": plain, "settings": {"model": "offline"}}))
    with open_answering(plan_of(place), OFFLINE) as answering:
        answering.realm.check(QUERIES)
        units = answering.units(QUERIES)
    assert {unit.key_fields["world"] for unit in units} == {"notes"}
    assert not {"shop", "shop_url", "web"} & set(units[0].key_fields)
    with Study.create(Path("study"), {"schema": 1, "run": plain}) as study:
        pool = InProcessPool.of_opening(Opening("drr.app.study.answers:open_workplace", document))
        summary = await run(study, units, pool)
        assert (summary.done, summary.left, summary.bugs) == (2, 0, {})
        record = next(r for r in study.records("answer") if r.spec["query_id"] == "q-kettle")
        assert (study.text(record, "report") or "").startswith("What of the kettle? (nobody, 2024-02-29)")
        assert [call["name"] for call in record.result["tool_calls"]] == ["read_note"] * 3
        assert [call["error"] and call["error"]["kind"] for call in record.result["tool_calls"]] == [
            None,
            None,
            "not_found",
        ]
        assert [source["type"] for source in record.result["sources"]] == ["note", "note"]
        assert record.result["state_changes"] == []


def test_a_study_of_it_runs_and_notes_make_units(place: Path, drr: Drr) -> None:
    code, _, err = drr("run", *new(place), "--limit", 1)
    assert (code, "1 done now" in err) == (0, True), err
    code, _, err = drr("run", "study", "--quiet")
    assert (code, "1 done now; nothing left" in err) == (0, True), err
    code, _, err = drr(
        "judge", "study", "--judge", "offline", "--what", "faithfulness,quality,rules", "--quiet"
    )
    assert code == 0, err
    with Study.open(Path("study")) as study:
        metrics = study_document(study)["metrics"]["mine.py:reader"]
    assert metrics["n_cited_note"]["value"] == 2
    assert metrics["fp_note"]["value"] == 0.75  # the one whole, the other in part: its price is another
    assert drr("report", "study", "--out", "report")[0] == 0
    assert drr("view", "study", "--static", "pages")[0] == 0

    def keys() -> list[str]:
        with open_answering(plan_of(place), OFFLINE) as answering:
            return [unit.key for unit in answering.units(QUERIES)]

    before = keys()
    Path("notes/kettle.txt").write_text("The kettle holds 2 liters of water.")
    assert not set(before) & set(keys())


def test_what_such_a_world_cannot_do_is_said_before_anything_is_run(place: Path, drr: Drr) -> None:
    for words, said in (
        (["--place", "nowhere"], "the world `notes` needs --place FOLDER"),
        (["--variants", "hybrid-react+profile"], "there are no shoppers in the world 'notes'"),
    ):
        code, _, err = drr("run", *new(place), *words)
        assert (code, said in err) == (2, True), err
    Path("queries.jsonl").write_text(Query(query="why " * 30, user_id="nobody").model_dump_json() + "\n")
    code, _, err = drr("run", *new(place))
    assert (code, "too long for notes" in err) == (2, True), err
    assert not Path("study").exists()
    with (
        pytest.raises(Misuse, match="no world 'moon'"),
        open_answering(StudyPlan(variants="react", world="moon"), OFFLINE),
    ):
        pass
