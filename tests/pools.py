"""A pool of an extra that is not ours, announced as an installed package announces it: it opens its place here, from what was pickled."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
from drr.contract import Extra
from drr.env import plugins
from drr.study.pools import InProcessPool, PoolOrder


class ToyPool(InProcessPool):
    """A pool that knows what it was asked for."""

    def __init__(self, order: PoolOrder) -> None:
        self.order = order
        super().__init__(order.opening.open, order.units * order.workers)


def toy(order: PoolOrder) -> ToyPool:
    return ToyPool(pickle.loads(pickle.dumps(order)))


class Toys(Extra):
    name = "toys"
    pools = {"toy": toy}  # noqa: RUF012 - a declaration


EXTRA = Toys()


def _look_again() -> None:
    for found in (plugins.papers, plugins.extras, plugins._found):
        found.cache_clear()


@pytest.fixture
def toy_pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The word for `--pool`."""
    told = tmp_path / "site" / "toys-1.0.dist-info"
    told.mkdir(parents=True)
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[drr.extras]\ntoys = tests.pools:EXTRA\n")
    monkeypatch.syspath_prepend(str(told.parent))
    _look_again()
    yield "toy"
    monkeypatch.undo()
    _look_again()
