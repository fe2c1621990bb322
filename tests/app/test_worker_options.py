"""How the pool of a command is made of its options and settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from drr.app.study.terms import PooledTerms
from drr.app.study.workers import pool_of
from drr.env.errors import Misuse
from drr.env.settings import Settings

from tests.cases import cases
from tests.pools import ToyPool, toy_pool  # noqa: F401
from tests.small_models import small_server


def asked(**more: object) -> PooledTerms:
    return PooledTerms(**{"units": 4, **more})


@pytest.mark.parametrize(
    "more", [{"workers": 2}, {"workers": 1}, {"pool": "in-process", "units_per_worker": 2}]
)
def test_workers_are_misuse_where_one_process_does_it_all(more: dict[str, object]) -> None:
    with pytest.raises(
        Misuse, match=r"^--workers and --units-per-worker are for --pool ray: a run is one process"
    ):
        pool_of(asked(**more), Settings(), "a:b", {})
    assert pool_of(asked(), Settings(), "a:b", {}) is None


@pytest.mark.parametrize(
    ("settings", "judging", "free"),
    cases("app", "test_units_go_in_bundles_where_no_model_judges_whatever_the_agents_were"),
)
def test_units_go_in_bundles_where_no_model_judges_whatever_the_agents_were(
    settings: dict[str, object],
    judging: bool,
    free: bool,
    tmp_path: Path,
    toy_pool: str,  # noqa: F811
) -> None:
    arguments = asked(workers=2, pool=toy_pool)
    pool = pool_of(
        arguments, Settings(**settings), "a:b", {"plan": {"study": str(tmp_path)}}, judging=judging
    )  # type: ignore[arg-type]
    assert isinstance(pool, ToyPool)
    assert pool.order.free is free


def test_workers_make_as_many_calls_as_the_server_of_a_variants_own_model_has_slots(
    toy_pool: str,  # noqa: F811
) -> None:
    arguments = asked(workers=2, pool=toy_pool)
    with small_server() as wire:
        settings = Settings(model="offline", base_url=f"{wire.url}/v1")
        run = {"plan": {"variants": "react,plan-to-function@openai:small"}}
        pool = pool_of(arguments, settings, "a:b", run)
    assert isinstance(pool, ToyPool)
    assert pool.order.calls == 1
