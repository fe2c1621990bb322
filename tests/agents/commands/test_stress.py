"""The paper's six variants and a real command, asked again under changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drr.app.stress.findings import findings
from drr.app.stress.stress_plan import CHANGES

from tests.agents.commands.conftest import needs_namespaces
from tests.commands import Drr

ROOT = Path(__file__).parents[3]
SHELL = f"cmd:{ROOT}/examples/agents/shell.sh"
QUESTIONS = (
    "I'm looking for a bird feeder and bird seed, together under $80. Do squirrels leave a metal feeder alone?",
    "How much have I spent so far?",
)


@pytest.fixture
def queries(sample_home: Path, tmp_path: Path, drr: Drr) -> Path:
    user = drr.json("shop", "users", sample_home / "shop", "--limit", "1")["users"][0]["user_id"]
    file = tmp_path / "queries.jsonl"
    lines = [json.dumps({"query": text, "user_id": user}) for text in QUESTIONS]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


@pytest.mark.long
def test_every_variant_runs_under_changes(queries: Path, sample_home: Path, tmp_path: Path, drr: Drr) -> None:
    study = tmp_path / "study"
    drr.out("run", study, "--shop", sample_home / "shop", "--queries", queries, "--quiet")
    plan = drr.json("study", "stress", study, "--with", "all", "--dry-run")
    done = drr.json("study", "stress", study, "--with", "all", "--quiet")
    assert done["units"]["done"] == plan["run"]["left"] and done["units"]["failed"] == 0
    found = findings(study)
    assert len({row["variant"] for row in found["pairs"]}) == 6
    changes = {row["stress"]["change"] for row in found["pairs"]}
    assert changes == CHANGES.keys() - {"paraphrase"}  # no words of their own
    assert not any(row["settled"] for row in found["effects"])


@pytest.mark.long
@needs_namespaces
def test_planted_habits_are_found_out(queries: Path, sample_home: Path, tmp_path: Path, drr: Drr) -> None:
    study, sees = tmp_path / "study", ("--agent-sees", ROOT / "examples/agents")
    what = ("--variants", SHELL, "--queries", queries, "--limit", "1", *sees, "--quiet")
    drr.out("run", study, "--shop", sample_home / "shop", *what)
    under = ("--with", "shuffle,faults", "--rate", "1", *sees, "--quiet")
    drr.out("study", "stress", study, *under, code=1)
    moved = {(row["change"], row["outcome"]): row["value"] for row in findings(study)["effects"]}
    assert moved["shuffle", "picked"] == 1
    assert moved["faults", "answered"] == -1
