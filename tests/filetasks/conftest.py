"""A small sample shop, and cases drawn from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop
from drr.papers.dr3.case import TaskCase
from drr.papers.dr3.planning.planner import first_cases


def drr(*words: str | Path) -> int:
    return main([str(word) for word in words])


@pytest.fixture(scope="session")
def shop_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filetasks")
    size = ("--products", "300", "--users", "40", "--reviews", "1800")
    assert drr("sample", folder / "raw", *size, "--seed", "5", "--quiet") == 0
    assert drr("ingest", folder / "raw", "--shop", folder / "shop", "--quiet") == 0
    return folder / "shop"


@pytest.fixture(scope="session")
def shop(shop_folder: Path) -> Iterator[Shop]:
    with open_shop(str(shop_folder), Settings()) as opened:
        yield opened


@pytest.fixture(scope="session")
def hundred(shop: Shop) -> list[TaskCase]:
    return first_cases(shop, seed=3, count=100)
