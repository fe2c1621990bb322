"""`kill -9` at any moment: nothing that finished is lost, nothing is done twice, the tables come out the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from drr.study.export import export
from drr.study.run import Pace, run
from drr.study.study import Study

from benchmarks.results import ENDURANCE, row
from tests.study.plain import answer, assert_same_tables, offline, units


def campaign(folder: Path, kills: int, seed: int, *where: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.study.nursery", str(folder), str(kills), str(seed), *where],
        capture_output=True,
        text=True,
        timeout=1_800,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4_000:]
    told: dict[str, Any] = json.loads(done.stdout)
    return told


async def compare(tmp_path: Path, kills: int, seed: int, *where: str) -> dict[str, Any]:
    killed = tmp_path / "killed"
    told = campaign(killed, kills, seed, *where)
    assert told["killed"] >= kills
    assert (told["lost"], told["changed"], told["doubled"]) == (0, 0, 0)
    with Study.create(tmp_path / "calm", {}) as calm:
        summary = await run(calm, units(told["units"]), answer, models=offline(), pace=Pace(units=3))
        assert summary.done == told["units"]
        export(calm, tmp_path / "calm-tables", canonical=True)
    with Study.open(killed) as study:
        export(study, tmp_path / "killed-tables", canonical=True)
        records = list(study.records(status=None))
        assert len({record.key for record in records}) == told["units"] == len(records)
        for record in records:
            for name in record.blobs:
                assert study.text(record, name) is not None
        spending = study.ledger.accounts.total()
        recorded = sum(u["input_tokens"] + u["output_tokens"] for r in records for u in r.usage.values())
        assert spending.tokens >= recorded
        assert spending.reserved_tokens == 0
        assert not study.ledger.under_way.keys()
    assert_same_tables(tmp_path / "calm-tables", tmp_path / "killed-tables")
    return told


@pytest.mark.long
async def test_ten_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    await compare(tmp_path, kills=10, seed=3)


@pytest.mark.parametrize("kills", [10, pytest.param(200, marks=pytest.mark.endurance)])
@pytest.mark.long
async def test_kills_in_the_middle_of_a_commit_lose_and_double_nothing(tmp_path: Path, kills: int) -> None:
    await compare(tmp_path, kills, 5, "commit")


@pytest.mark.endurance
async def test_two_hundred_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    told = await compare(tmp_path, kills=200, seed=4)
    found = f"of {told['units']} answers {told['lost']} lost, {told['changed']} changed, {told['doubled']} doubled; the tables of a calm run"
    row(*ENDURANCE, ("kills of a study at random moments", told["killed"], found))
