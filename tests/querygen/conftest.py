"""The sample shop, made once by the commands, and questions written for it by the offline writer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from drr.env.query import Query, read_queries
from drr.env.settings import resolve
from drr.env.shop import Shop, open_shop
from drr.querygen.builtin import SEED

from tests.commands import drr


@pytest.fixture(scope="session")
def shop_folder(sample_home: Path) -> Path:
    assert SEED == 7
    return sample_home / "shop"


@pytest.fixture(scope="session")
def shop(shop_folder: Path) -> Iterator[Shop]:
    settings = resolve({}, environ={}, file=shop_folder / "none.toml").settings
    with open_shop(str(shop_folder), settings) as opened:
        yield opened


@pytest.fixture(scope="session")
def written(shop_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve users, three questions each."""
    path = tmp_path_factory.mktemp("queries") / "queries.jsonl"
    code = drr("queries", "generate", "--shop", shop_folder, "--out", path, "--users", "12", "--quiet")
    assert code == 0
    return path


@pytest.fixture(scope="session")
def queries(written: Path) -> list[Query]:
    return read_queries(written)
