"""The sample shop through the real ingest, once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from drr.env.entities import User
from drr.env.shop import Shop

from benchmarks.planted import sample_shop

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def rules_shop(sample_home: Path) -> Iterator[Shop]:
    with sample_shop(sample_home / "shop") as shop:
        yield shop


@pytest.fixture(scope="session")
def reader(rules_shop: Shop) -> User:
    from asked import READER

    found = rules_shop.store.user(READER)
    assert found is not None
    return found


@pytest.fixture(scope="session")
def other(rules_shop: Shop) -> User:
    """Somebody else."""
    from asked import OTHER

    found = rules_shop.store.user(OTHER)
    assert found is not None
    return found
