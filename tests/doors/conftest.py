"""The sample shop, and trajectories with what they are paid without any door."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.doors.oracle import Recorded, Trajectory


def needed(package: str) -> Any:
    """Import a package that only the lane has, and that it must have."""
    if os.environ.get("DRR_REQUIRE_DOORS"):
        return import_module(package)
    return pytest.importorskip(package, reason="make test-doors installs it")


@pytest.fixture(scope="session")
def shop(sample_home: Path) -> Path:
    return sample_home / "shop"


@pytest.fixture(scope="session")
def own(shop: Path) -> Iterator[Recorded]:
    with Recorded(shop) as env:
        yield env


@pytest.fixture(scope="session")
def trajectories(own: Recorded) -> list[Trajectory]:
    """Right answers, the last of which has products and figures, and that one without products: a part of its pay is gone."""
    forms = ((one, one.actions[-1]["form"]) for one in map(own.paid, count()))
    whole = next(one for one, form in forms if form["picks"] and form["figures"])
    *calls, last = whole.actions
    half = own.paid(whole.seed, [*calls, {**last, "form": {**last["form"], "picks": []}}])
    assert 0 < half.reward < whole.reward
    return [*(own.paid(seed) for seed in range(4) if seed != whole.seed), whole, half]
