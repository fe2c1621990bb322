"""How the pool of a command is made of its options and settings."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from drr.app.workers import pool_of
from drr.env.settings import Settings
from drr.study.pools import POOLS, InProcessPool, PoolOrder

from tests.cases import cases
from tests.small_models import small_server


class Ordered(InProcessPool):
    """A pool that says what it was asked for."""

    def __init__(self, order: PoolOrder) -> None:
        super().__init__(order.opening.open, order.units)
        self.order = order


@pytest.mark.parametrize(
    ("settings", "judging", "free"),
    cases("app", "test_units_go_in_bundles_where_no_model_judges_whatever_the_agents_were"),
)
def test_units_go_in_bundles_where_no_model_judges_whatever_the_agents_were(
    settings: dict[str, object], judging: bool, free: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(POOLS, "orders", "tests.app.test_worker_options:Ordered")
    arguments = argparse.Namespace(
        workers=2, pool="orders", units=4, units_per_worker=None, copy_shop=False, concurrency=8
    )
    pool = pool_of(arguments, Settings(**settings), "a:b", {"study": str(tmp_path)}, judging=judging)  # type: ignore[arg-type]
    assert isinstance(pool, Ordered)
    assert pool.order.free is free


def test_workers_make_as_many_calls_as_the_server_of_a_variants_own_model_has_slots(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(POOLS, "orders", "tests.app.test_worker_options:Ordered")
    arguments = argparse.Namespace(
        workers=2, pool="orders", units=4, units_per_worker=None, copy_shop=False, concurrency=8
    )
    with small_server() as wire:
        settings = Settings(model="offline", base_url=f"{wire.url}/v1")
        run = {"run": {"variants": "react,plan-to-function@openai:small"}}
        pool = pool_of(arguments, settings, "a:b", run)
    assert isinstance(pool, Ordered)
    assert pool.order.calls == 1
