"""`kill -9` of actors, nodes and the driver: nothing that finished is lost or done twice, and the tables come out the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from drr.study.export import export
from drr.study.leases import Moment
from drr.study.pool import InProcessPool
from drr.study.run import run
from drr.study.study import Study

from benchmarks.results import record, table
from tests.rays.campaign import opening, says
from tests.study.plain import units
from tests.wire import Wire

pytestmark = pytest.mark.ray


async def compare(tmp_path: Path, kills: int, seed: int) -> dict[str, Any]:
    killed = tmp_path / "killed"
    words = [sys.executable, "-m", "tests.rays.campaign", str(killed), str(kills), str(seed)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=3_000, check=False)
    assert done.returncode == 0, done.stderr[-4_000:]
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert (told["killed"], told["lost"], told["changed"], told["doubled"]) == (kills, 0, 0, 0)
    assert told["begun"] <= told["units"] + kills * told["in_flight"], (
        "no more than was in flight is begun again"
    )
    with Wire(says) as wire, Study.create(tmp_path / "calm", {}) as calm:
        pool = InProcessPool.of_opening(opening(tmp_path / "calm.begun", wire.url), 8)
        summary = await run(calm, units(told["units"]), pool)
        assert summary.done == told["units"]
        undisturbed = len(wire.requests)
    told["repeated"] = told["calls"] - undisturbed
    assert undisturbed == 2 * told["units"] <= told["calls"]
    assert told["repeated"] <= kills * told["in_flight"], "no more than was in flight is paid again"
    with Study.open(tmp_path / "calm") as calm:
        export(calm, tmp_path / "calm-tables", canonical=True)
    with Study.open(killed) as study:
        export(study, tmp_path / "killed-tables", canonical=True)
        assert study.ledger.accounts.total().reserved_tokens == 0
        assert not study.ledger.leases.running(Moment(0, 0))
    for file in sorted((tmp_path / "calm-tables").iterdir()):
        assert file.read_bytes() == (tmp_path / "killed-tables" / file.name).read_bytes(), file.name
    return told


async def test_six_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    await compare(tmp_path, kills=6, seed=1)


@pytest.mark.endurance
async def test_fifty_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    told = await compare(tmp_path, kills=50, seed=2)
    record(
        "Endurance: a killed cluster",
        table(
            (
                "kills of actors, nodes, drivers",
                "units",
                "lost",
                "changed",
                "doubled",
                "begun again",
                "calls beyond an undisturbed run's",
                "tables as of a calm run",
            ),
            [
                (
                    told["killed"],
                    told["units"],
                    told["lost"],
                    told["changed"],
                    told["doubled"],
                    told["begun"] - told["units"],
                    told["repeated"],
                    "byte by byte",
                )
            ],
        ),
    )
