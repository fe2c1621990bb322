"""The sample shop, and trajectories with what they are paid without any door."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from drr.app.training.environment import Environment

from tests.doors.oracle import Trajectory, trajectory

SEEDS = (0, 3, 7, 13)


def needed(package: str) -> Any:
    """Import a package that only the lane has, and that it must have."""
    if os.environ.get("DRR_REQUIRE_DOORS"):
        return import_module(package)
    return pytest.importorskip(package, reason="make test-doors installs it")


@pytest.fixture(scope="session")
def shop(sample_home: Path) -> Path:
    return sample_home / "shop"


@pytest.fixture(scope="session")
def own(shop: Path) -> Iterator[Environment]:
    with Environment(shop) as env:
        yield env


@pytest.fixture(scope="session")
def trajectories(own: Environment) -> list[Trajectory]:
    """Right answers, and one of which half is missing."""
    found = [trajectory(own, seed) for seed in SEEDS]
    own.reset(seed=SEEDS[-1])
    *calls, last = found[-1].actions
    half = {**last["form"], "picks": last["form"]["picks"][:-1]}
    actions = [*calls, {**last, "form": half}]
    _, reward, _, info = [own.step(action) for action in actions][-1]
    assert 0 < reward < found[-1].reward
    return [*found, Trajectory(SEEDS[-1], actions, reward, info["components"])]
