"""Episodes are kept as conversations, and are paid again without a run."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from drr.app.training.environment import Environment
from drr.app.training.episode import ModelOutput
from drr.app.training.proving import oracle, play_episode
from drr.app.training.transcripts import EpisodeTranscript, read
from drr.env.errors import Misuse
from drr.env.query import Query
from drr.env.shop import Shop
from drr.querygen.files import line_of
from drr.study.study import Study

from tests.commands import Drr
from tests.tampering import rewrite

pytestmark = pytest.mark.usefixtures("kept_questions")

SEED = 71
HOSTILE: list[Any] = [
    {"tool": "x\ud800"}, {"tool": "calculator", "arguments": {"expression": "1+\ud800"}}, {(1, 2): {3}},
    {"report": "\ud800"}, {"tool": "calculator", "arguments": {"expression": {1, 2}}}, "</script>",
]  # fmt: skip


@pytest.fixture(scope="module")
def file(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Episodes of the oracle, of one that says nothing, and of one whose actions are hostile."""
    path = tmp_path_factory.mktemp("episodes") / "episodes.jsonl"
    with Environment(shop, transcripts=path) as env:
        query = env.questions([SEED])[0]
        play_episode(env, query, oracle)
        env.reset(seed=SEED)
        env.step({"tool": "get_user_profile"}, ModelOutput("I look.", [5, 6], [-0.5, -0.25]))
        env.step({"report": "I do not know."})
        env.reset(seed=SEED)
        for action in HOSTILE:
            env.step(action, ModelOutput("half \ud800"))
        with pytest.raises(Misuse, match="goes on"):
            env.transcript()
        env.step({"report": "é"})
    return path


def test_a_transcript_is_a_conversation_with_its_reward(file: Path) -> None:
    full, silent, _ = read(file)
    roles = [one["role"] for one in full.messages]
    calls = full.calls
    assert roles == ["system", "user", *["assistant", "tool"] * calls, "assistant"]
    asked = [call["id"] for one in full.messages for call in one.get("tool_calls", ())]
    assert asked == [one["tool_call_id"] for one in full.messages if one["role"] == "tool"]
    assert json.loads(full.messages[-1]["content"])["report"] == full.report
    assert (full.reward, full.components["points"]) == (1.0, 1.0)
    assert len(full.steps) == calls + 1
    assert all(one["seconds"] > 0 and one["token_ids"] is None for one in full.steps)
    assert (silent.reward, silent.messages[2]["content"]) == (0.0, "I look.")
    assert (silent.steps[0]["token_ids"], silent.steps[0]["logprobs"]) == ([5, 6], [-0.5, -0.25])
    assert not any(word in json.dumps(full.messages) for word in ("checkable", "anchor", "axes"))


def test_hostile_actions_are_kept_and_read_again(file: Path) -> None:
    hostile = read(file)[2]
    assert [one["error"] for one in hostile.steps] == [
        "invalid_action", "invalid", "invalid_action", "invalid_action", "invalid", "invalid_action", None,
    ]  # fmt: skip
    assert hostile.messages[2]["content"] == "half \\ud800"
    assert hostile.report == "é"


def test_kept_episodes_are_paid_again_without_a_shop(drr: Drr, file: Path, tmp_path: Path) -> None:
    again, columns, mended = tmp_path / "again.jsonl", tmp_path / "all.parquet", tmp_path / "q.jsonl"
    found = drr.json("judges", "regrade", file, "--out", again)
    assert (found["episodes"], found["changed"], found["before"]) == (3, 0, found["after"])
    assert read(again) == read(file)
    assert drr.json("judges", "regrade", again, "--out", columns)["changed"] == 0
    rows = pq.read_table(columns).to_pylist()
    assert [row["reward"] for row in rows] == [one.reward for one in read(file)]
    assert rows[0]["messages"][2]["tool_calls"][0]["function"]["name"] in rows[0]["tools"]
    assert rows[1]["steps"][0]["token_ids"] == [5, 6]
    query = read(file)[0].query
    assert query.checkable is not None
    tight = query.checkable.model_copy(update={"budget": 0.01})
    mended.write_text(line_of(query.model_copy(update={"checkable": tight})) + "\n")
    assert drr.json("judges", "regrade", file, "--queries", mended)["changed"] == 1


def test_environments_beside_each_other_share_a_file(shop: Shop, tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"

    async def one(seed: int) -> None:
        with Environment(shop, transcripts=path) as env:
            await env.areset(seed=seed)
            await env.astep({"tool": "get_user_profile"})
            await env.astep({"report": "I do not know."})

    async def all_at_once() -> None:
        await asyncio.gather(*map(one, [SEED, SEED + 1] * 5))

    asyncio.run(all_at_once())
    assert sorted(row.seed or 0 for row in read(path)) == [SEED] * 5 + [SEED + 1] * 5


def test_a_file_of_something_else_is_named(drr: Drr, tmp_path: Path, file: Path) -> None:
    path = tmp_path / "wrong.jsonl"
    for text, why in (("", "no episode"), ("{}\n", "line 1"), ("[1]\n", "line 1"), ("{\n", "not JSON")):
        path.write_text(text)
        assert why in drr.err("judges", "regrade", path, code=2)
    row = EpisodeTranscript.model_validate_json(file.read_text().splitlines()[0]).model_dump(mode="json")
    for wrong in ("all", 1e308):
        path.write_text(json.dumps({**row, "reward": wrong}) + "\n")
        assert "reward" in drr.err("judges", "regrade", path, code=2)


SCRIPTED = """#!PYTHON
import json, os, subprocess, sys
from pathlib import Path

TOLD = json.loads(Path(__file__).with_name("told.json").read_text("utf-8"))


async def full(query, tools, model, budget):
    by_name, (plan, report, form) = {tool.name: tool for tool in tools}, TOLD[str(query)]
    for one in plan:
        await by_name[one["tool"]].ainvoke(one["arguments"])
    return f"{report}\\n\\n```form\\n{form}\\n```\\n"


async def bare(*given):
    return (await full(*given)).partition("```")[0]


async def garbled(*given):
    return (await full(*given)).replace('"point"', '"number"')


async def failing(*given):
    raise RuntimeError("no")


if __name__ == "__main__":
    plan, report, form = TOLD[json.load(sys.stdin)["text"]]
    for one in plan:
        words = ["tools", "call", one["tool"], "--json", "--args", json.dumps(one["arguments"])]
        subprocess.run(["drr", *words], capture_output=True)
    print(f"{report}\\n\\n~~~form\\n{form}\\n~~~")
"""


@pytest.mark.long
def test_agents_of_others_hand_in_a_form_with_their_report(
    drr: Drr, sample_home: Path, shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth, asked, told = tmp_path / "truth.jsonl", tmp_path / "asked.jsonl", {}
    with Environment(shop) as env:
        drawn = [env.questions([seed])[0] for seed in range(30)]
        queries = [one for one in drawn if one.checkable and one.checkable.facts][:3]
        assert any(need.refusal for one in queries if one.checkable for need in one.checkable.needs)
        for query in queries:
            action = json.loads(play_episode(env, query, oracle).env.transcript().messages[-1]["content"])
            plan = [step.model_dump() for step in query.checkable.plan if query.checkable]
            told[query.query] = [plan, action["report"], json.dumps(action["form"])]
    truth.write_text("".join(line_of(one) + "\n" for one in queries))
    bare = [line_of(one.model_copy(update={"checkable": None})) for one in queries]
    asked.write_text("\n".join(bare) + "\n")
    monkeypatch.chdir(tmp_path)
    Path("told.json").write_text(json.dumps(told))
    Path("scripted.py").write_text(SCRIPTED.replace("PYTHON", sys.executable))
    Path("scripted.py").chmod(0o755)
    names = [
        *(f"scripted.py:{name}" for name in ("full", "bare", "garbled", "failing")),
        "cmd:./scripted.py told.json",
    ]
    words = ("--shop", sample_home / "shop", "--variants", ",".join(names), "--trust-agent", "--quiet")
    assert drr("run", "study", *words, "--queries", asked)[0] == 1
    assert "--queries FILE gives truth" in drr.err("judges", "regrade", "study")
    found = drr.json("judges", "regrade", "study", "--queries", truth, "--out", "paid.jsonl")
    rows = {row["agent"]: row for row in found["agents"]}
    assert [*rows] == sorted(rows) and found["episodes"] == 12
    for name in ("scripted.py:full", "cmd:scripted.py_told.json"):
        assert (rows[name]["n"], rows[name]["forms"], rows[name]["reward"]["value"]) == (3, 3, 1.0)
        assert rows[name]["components"]["points"]["value"] == 1.0
    for name in ("scripted.py:bare", "scripted.py:garbled"):
        row = rows[name]
        assert (row["n"], row["forms"]) == (3, 0)
        assert row["components"]["points"]["value"] < 1.0, "figures and refusals come from a form"
        assert row["reward"]["value"] < 0.5
    failing = rows["scripted.py:failing"]
    assert (failing["n"], failing["failed"], failing["reward"]["value"]) == (0, 3, 0.0), (
        "as in report and board"
    )
    assert all(one.form for one in read(Path("paid.jsonl")) if one.agent == "scripted.py:full")
    code, out, err = drr("judges", "regrade", "study", "--queries", truth)
    assert "garbled" in err and "figures.0.point" in err and code == 0
    lines = [line.split() for line in out.splitlines()]
    assert lines[0][:5] == ["agent", "answers", "failed", "forms", "reward"]
    assert next(line for line in lines if line[0] == "scripted.py:failing")[1:3] == ["0", "3"]
    assert "12 answers graded; one that failed counts 0 in reward and points" in out + err
    assert next(line for line in lines if line[0] == "scripted.py:full")[1:5] == ["3", "0", "3", "1.000"]
    trace = ("study", "trace", "study", f"{queries[0].id}/scripted.py:full/0")
    assert "```" not in drr.json(*trace)["report"] and drr.json(*trace)["form"] == told[queries[0].query][2]
    assert '\n  form: {"picks": [' in drr.out(*trace)
    with Study.read(Path("study")) as study:
        assert not any("form" in (study.text(one, "report") or "") for one in study.records("answer"))
    drr.out("bundle", "make", "study", "--out", "study.bundle", "--quiet")
    assert drr.json("bundle", "verify", "study.bundle")["failed"] == []
    words = (*words[:2], "--variants", ",".join(names[:3]), *words[4:], "--queries", truth)
    drr.out("run", "again", *words)
    trace = ("study", "trace", "again", f"{queries[0].id}/scripted.py:garbled/0")
    assert "form: cannot be read and pays nothing" in drr.out(*trace)
    drr.out("report", "again", "--out", "page", "--quiet")
    shown = json.loads(Path("page/metrics.json").read_text())["metrics"]
    paid = {row["agent"]: row["reward"] for row in drr.json("judges", "regrade", "again")["agents"]}
    assert {name: row["reward"] for name, row in shown.items()} == paid
    assert [shown["scripted.py:garbled"]["solved"][name] for name in ("value", "n")] == [0.0, 3]
    page = Path("page/index.html").read_text()
    assert "by share solved" in page
    assert "3 forms cannot be read, so nothing is solved by them, the first: " in page


@pytest.mark.long
def test_answers_of_a_study_are_paid_alike(drr: Drr, sample_home: Path, file: Path, tmp_path: Path) -> None:
    queries, study, out = tmp_path / "q.jsonl", tmp_path / "study", tmp_path / "answers.jsonl"
    plain = Query(query="a bird feeder", user_id=read(file)[0].query.user_id)
    queries.write_text(line_of(read(file)[0].query) + "\n" + line_of(plain) + "\n")
    words = ["--variants", "react", "--model", "offline", "--quiet"]
    drr.out("run", study, "--shop", sample_home / "shop", "--queries", queries, *words)
    found = drr.json("judges", "regrade", study, "--out", out)
    assert (found["episodes"], found["changed"]) == (1, 0)
    (kept,) = read(out)
    assert (kept.agent, kept.query.id, kept.calls) == ("react", read(file)[0].query.id, len(kept.steps))
    assert kept.messages[-1]["content"] == kept.report
    assert len(kept.messages) == 2 + 2 * kept.calls > 2
    rewrite(study / "queries.jsonl", line_of(plain) + "\n")
    assert "no finished answer" in drr.err("judges", "regrade", study, code=2)
