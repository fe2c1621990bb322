"""The sample shop through the real ingest, once, and the scene that clean reports are drawn from."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from drr.env.shop import Shop

from benchmarks.planted import Scene, sample_shop

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def rules_shop() -> Iterator[Shop]:
    with sample_shop() as shop:
        yield shop


@pytest.fixture
def scene(rules_shop: Shop) -> Scene:
    return Scene.of(rules_shop, seed=5)
