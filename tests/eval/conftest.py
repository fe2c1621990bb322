from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop
from drr.study.study import Study

from tests.tools.small_shop import write_shop


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    settings = Settings(shop_url="http://ecommerce.example")
    spec = str(tmp_path_factory.mktemp("eval") / "shop")
    write_shop(spec, settings)
    with open_shop(spec, settings) as opened:
        yield opened


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "study", {"schema": 1, "run": {}}) as made:
        yield made
