"""`drr run --dry-run` under settings: what agents are told, and what memories ask before anybody answers; unknown where nothing tells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.app.study.forecast import PLAYED
from drr.env.settings import Settings
from drr.papers.pdr.person import Person

from tests.agents.garden import ANNA, write_shop
from tests.commands import Drr
from tests.persons.remembering import FIRST, LETTER, built, write_contexts
from tests.wire import Request, Say, Wire, looked

PERSON = Person(person_id="p-1", user_id=ANNA, attributes=FIRST.attributes)
ASKING = '''
class Asking:
    """Asks a model, and nobody knows how often."""
    def __init__(self, desk): raise RuntimeError("a forecast runs nobody's program")
'''


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    home = tmp_path_factory.mktemp("forecast")
    write_shop(str(home / "shop"), Settings())
    asked = (
        {"query": text, "user_id": ANNA, "person_id": "p-1"} for text in ("Which bird house?", "Which seed?")
    )
    (home / "queries.jsonl").write_text("\n".join(map(json.dumps, asked)))
    (home / "persons.jsonl").write_text(json.dumps(PERSON.line()))
    (home / "asking.py").write_text(ASKING)
    write_contexts(home / "contexts", [built(PERSON)], sizes={"2k": 2000})
    (home / "letter.py").write_text(LETTER)
    memories = f"memory:recent:500,memory:{home}/letter.py:Letter,memory:{home}/asking.py:Asking"
    return ["--queries", str(home / "queries.jsonl"), "--shop", str(home / "shop"), "--persons", str(home / "persons.jsonl"),
            "--contexts", str(home / "contexts"), "--settings", f"task,context:2k,persona,records,{memories}",
            "--variants", "react,hybrid-react+own", "--model", "anthropic:claude-sonnet-5-5"]  # fmt: skip


def forecast(at: Path, words: list[str], drr: Drr) -> dict[str, Any]:
    with Wire([]) as wire:
        found: dict[str, Any] = drr.json("run", at, *words, "--base-url", wire.url, "--dry-run")
        assert wire.requests == []
    return found


def test_before_the_first_answer_and_after_it(words: list[str], tmp_path: Path, drr: Drr) -> None:
    found = forecast(tmp_path / "study", words, drr)
    rows = {row["variant"]: row for row in found["variants"]}
    calls, read, _ = PLAYED["react"]
    told = (rows["react@context:2k"]["input_tokens"] / 2 - read) / calls
    assert told == pytest.approx(sum(len(item.text) + 20 for item in built(PERSON).items) / 4, rel=0.2)
    assert rows["react"]["from"] == "one question played by hand"
    assert sum(PLAYED["hybrid-react"]) < 60_000, "no figure of other agents and other tools"
    assert rows["react@task"]["input_tokens"] == rows["react"]["input_tokens"] == 2 * read
    assert read < rows["react@persona"]["input_tokens"] / 2 < read + calls * told
    assert rows["react@memory:recent:500"]["input_tokens"] == 2 * (read + calls * 500)
    assert "at most 500 tokens" in rows["react@memory:recent:500"]["from"]
    assert all(row["calls"] is None and row["from"] is None for name, row in rows.items() if "+own" in name)

    memories = {row["memory"]: row for row in found["memories"]}
    counts = {name: (row["persons"], row["left"], row["recalls"]) for name, row in memories.items()}
    assert counts == dict.fromkeys(("recent", "letter.py:Letter", "asking.py:Asking"), (1, 1, 2))
    recent = memories["recent"]
    assert (recent["calls"], recent["cost_usd"], recent["from"]) == (0, 0, "asks nobody")
    assert {memories[name]["calls"] for name in ("letter.py:Letter", "asking.py:Asking")} == {None}
    assert found["total"]["calls"] is None

    def say(request: Request) -> Say:
        return looked(request, "1 cedar house.") if "tools" in request.body else Say("Keeps a terrier.")

    with Wire(say) as wire:
        letter = words[words.index("--settings") + 1].split(",")[-2]
        only = [*words, "--settings", f"records,{letter}", "--variants", "react", "--quiet"]
        main(["run", str(tmp_path / "study"), *only, "--base-url", wire.url])
    again = forecast(tmp_path / "study", ["--settings", "persona", "--variants", "react"], drr)
    known = {row["variant"]: row for row in again["variants"]}
    assert known["react"]["from"] == "this study"
    assert known["react@persona"]["from"].startswith("this study's react, ")
    assert known["react@persona"]["calls"] > 0
    assert {row["memory"]: row["left"] for row in again["memories"]} == {"letter.py:Letter": 0}


def test_a_forecast_needs_no_key(words: list[str], tmp_path: Path, drr: Drr) -> None:
    study = str(tmp_path / "study")
    variants = drr.json("run", study, *words, "--dry-run")["variants"]
    assert {row["variant"].partition("@")[0] for row in variants} == {"react", "hybrid-react+own"}
    assert "set ANTHROPIC_API_KEY" in drr.err("run", study, *words)
    assert not Path(study).exists()
