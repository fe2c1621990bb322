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
from tests.once import made_once
from tests.shops import shop_of_axes

JOINED_AXES = (
    "products = 4000\nreviews = 40000\nkinds = 60\nreal_kinds = true\nunknown_price = 0.1\nquestions = 0\n"
    "statuses = 0.15\ncities = 0.3\n"
)
JOINED_SEED = 26
"""One of whose hardest question few drafts are dropped: another takes ten times as long."""


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
    """Twelve users, three questions each, made once."""

    def make(home: Path) -> None:
        words = ("--shop", shop_folder, "--out", home / "queries.jsonl", "--users", "12", "--quiet")
        assert drr("queries", "generate", *words) == 0

    return made_once("written", tmp_path_factory, make) / "queries.jsonl"


@pytest.fixture(scope="session")
def queries(written: Path) -> list[Query]:
    return read_queries(written)


@pytest.fixture(scope="session")
def joined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shop with enough kinds a department (`shop`) and a joined question of each level (`q.jsonl`); nobody writes into it."""
    return made_once("joined", tmp_path_factory, _joined) / "made"


def _joined(home: Path) -> None:
    made = shop_of_axes(home, JOINED_AXES)
    words = (
        "--shop",
        made / "shop",
        "--out",
        made / "q.jsonl",
        "--count",
        6,
        "--seed",
        JOINED_SEED,
        "--quiet",
    )
    assert drr("queries", "generate", "--joined", *words) == 0
