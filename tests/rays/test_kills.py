"""`kill -9` of actors, nodes and the driver: nothing that finished is lost or done twice, and the tables come out the same."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from drr.study.export import export
from drr.study.pools import InProcessPool
from drr.study.run import run
from drr.study.study import Study

from benchmarks.results import ENDURANCE, row
from tests.rays.campaign import CALLS, opening, says
from tests.study.plain import assert_same_tables, units
from tests.wire import Wire

pytestmark = pytest.mark.ray


async def compare(tmp_path: Path, kills: int, seed: int, *mode: str) -> dict[str, Any]:
    """Which count was wrong, and how, stands in what the campaign says."""
    killed = tmp_path / "killed"
    words = [sys.executable, "-m", "tests.rays.campaign", str(killed), str(kills), str(seed), *mode]
    done = subprocess.run(words, capture_output=True, text=True, timeout=3_000, check=False)
    assert done.returncode == 0, f"{done.stderr[-4_000:]}\n{done.stdout[-1_000:]}"
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    with nullcontext() if mode else Wire(says) as wire, Study.create(tmp_path / "calm", {}) as calm:
        url = wire.url if wire else ""
        pool = InProcessPool.of_opening(opening(tmp_path / "calm.begun", url), 8)
        summary = await run(calm, units(told["units"]), pool)
        assert summary.done == told["units"]
        if wire:
            assert len(wire.requests) == CALLS * told["units"] <= told["calls"]
            told["repeated"] = told["calls"] - len(wire.requests)
    with Study.open(tmp_path / "calm") as calm:
        export(calm, tmp_path / "calm-tables", canonical=True)
    with Study.open(killed) as study:
        export(study, tmp_path / "killed-tables", canonical=True)
        assert study.ledger.accounts.total().reserved_tokens == 0
        assert not study.ledger.under_way.keys()
    assert_same_tables(tmp_path / "calm-tables", tmp_path / "killed-tables")
    return told


async def test_six_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    await compare(tmp_path, kills=6, seed=1)


@pytest.mark.endurance
async def test_kills_amid_what_was_handed_over_at_once_lose_nothing(tmp_path: Path) -> None:
    await compare(tmp_path, 3, 1, "free")


@pytest.mark.endurance
async def test_fifty_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    told = await compare(tmp_path, kills=50, seed=2)
    found = (
        f"of {told['units']} units {told['lost']} lost, {told['changed']} changed, {told['doubled']} doubled, "
        f"{told['begun'] - told['units']} begun again; the tables of a calm run"
    )
    row(*ENDURANCE, ("kills of a cluster's actors, nodes and drivers", told["killed"], found))
