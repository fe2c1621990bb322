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
from tests.sources import ROOT


def needed(package: str) -> Any:
    """Import a package that only the lane has, and that it must have."""
    if os.environ.get("DRR_REQUIRE_DOORS"):
        return import_module(package)
    return pytest.importorskip(package, reason="make test-doors or make test-ucp installs it")


@pytest.fixture(scope="session")
def shop(sample_home: Path) -> Path:
    return sample_home / "shop"


@pytest.fixture(scope="session")
def web() -> Path:
    """A frozen web of a shop's own, which each door is given."""
    return ROOT / "tests" / "data" / "web"


@pytest.fixture(scope="session")
def own(shop: Path, web: Path) -> Iterator[Recorded]:
    with Recorded(shop, sandbox=web) as env:
        yield env


@pytest.fixture(scope="session")
def trajectories(own: Recorded) -> list[Trajectory]:
    """Right answers, one of them read on a web page. The last has products and figures, and comes without products too: a part of its pay is gone."""
    forms = ((one, one.actions[-1]["form"]) for one in map(own.paid, count()))
    whole = next(one for one, form in forms if form["picks"] and form["figures"])
    *calls, last = whole.actions
    silent = "\n".join(line for line in last["report"].splitlines() if not line.startswith("- ["))
    half = own.paid(whole.seed, [*calls, {"report": silent, "form": {**last["form"], "picks": []}}])
    assert 0 < half.reward < whole.reward
    read = next(t for t in map(own.paid, count(4)) if "web_search" in {a.get("tool") for a in t.actions})
    assert read.reward == 1.0
    return [*(own.paid(seed) for seed in range(4) if seed != whole.seed), read, whole, half]
