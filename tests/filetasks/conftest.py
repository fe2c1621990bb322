"""A small sample shop, and cases drawn from it."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop
from drr.papers.dr3.case import TaskCase
from drr.papers.dr3.planning.planner import first_cases

from tests.commands import drr
from tests.once import made_once


@pytest.fixture(scope="session")
def shop_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once("filetasks", tmp_path_factory, _make) / "shop"


def _make(folder: Path) -> None:
    size = ("--products", "300", "--users", "40", "--reviews", "1800")
    assert drr("sample", folder / "raw", *size, "--seed", "5", "--quiet") == 0
    assert drr("ingest", folder / "raw", "--shop", folder / "shop", "--quiet") == 0
    with open_shop(str(folder / "shop"), Settings()) as opened:
        cases = first_cases(opened, seed=3, count=100)
    (folder / "cases.pickle").write_bytes(pickle.dumps(cases))


@pytest.fixture(scope="session")
def shop(shop_folder: Path) -> Iterator[Shop]:
    with open_shop(str(shop_folder), Settings()) as opened:
        yield opened


@pytest.fixture(scope="session")
def hundred(shop_folder: Path) -> list[TaskCase]:
    cases: list[TaskCase] = pickle.loads((shop_folder.parent / "cases.pickle").read_bytes())
    return cases
