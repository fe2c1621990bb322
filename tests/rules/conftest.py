"""The sample shop through the real ingest, once, and the scene that clean reports are drawn from."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest
from drr.env.shop import Shop

from benchmarks.planted import Scene, sample_shop

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def rules_shop(sample_home: Path) -> Iterator[Shop]:
    with sample_shop(sample_home / "shop") as shop:
        yield shop


@pytest.fixture(scope="session")
def first_scene(rules_shop: Shop) -> Scene:
    return Scene.of(rules_shop, seed=5)


@pytest.fixture
def scene(first_scene: Scene) -> Scene:
    """To each test as if it were the only one: what it draws is drawn from the beginning."""
    users, products = list(first_scene.users), list(first_scene.products)
    return replace(first_scene, users=users, products=products, rng=deepcopy(first_scene.rng))
