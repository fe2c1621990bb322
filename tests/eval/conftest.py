"""The small shop, open."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop

from tests.tools.small_shop import write_shop


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    settings = Settings(shop_url="http://ecommerce.example")
    spec = str(tmp_path_factory.mktemp("eval") / "shop")
    write_shop(spec, settings)
    with open_shop(spec, settings) as opened:
        yield opened
