"""A small sample shop, and some of the tasks that come with the program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop

from tests.commands import drr
from tests.once import made_once


@pytest.fixture(scope="session")
def shop_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once("filetasks", tmp_path_factory, _make) / "shop"


def _make(folder: Path) -> None:
    size = ("--products", "300", "--users", "40", "--reviews", "1800")
    assert drr("data", "sample", folder / "raw", *size, "--seed", "5", "--quiet") == 0
    assert drr("data", "ingest", folder / "raw", "--shop", folder / "shop", "--quiet") == 0


@pytest.fixture(scope="session")
def shop(shop_folder: Path) -> Iterator[Shop]:
    with open_shop(str(shop_folder), Settings()) as opened:
        yield opened


@pytest.fixture(scope="session")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four of them, in the two smallest sizes."""
    return made_once("given", tmp_path_factory, _write) / "tasks"


def _write(folder: Path) -> None:
    words = ("--out", folder / "tasks", "--n", "4", "--sizes", "32k,64k", "--quiet")
    assert drr("papers", "tasks", "drawer", *words) == 0
