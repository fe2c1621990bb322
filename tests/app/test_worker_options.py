"""How the pool of a command is made of its options and settings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from drr.app.bundles.reproduce import ReproducePlan
from drr.app.commands.parser import parser_of
from drr.app.commands.table import command_of
from drr.app.judge.judge_plan import JudgePlan
from drr.app.report.report_plan import ReportPlan
from drr.app.study.study_plan import StudyPlan
from drr.app.study.terms import Options, PooledTerms, extra_of, kind_of
from drr.app.study.workers import pool_of
from drr.env.errors import Misuse
from drr.env.settings import Settings
from pydantic import ValidationError, create_model

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


def test_a_whole_number_that_may_be_nought_is_not_read_as_one_above() -> None:
    """A command line reads a whole number as one above 0, unless its field says another type."""

    def below(kind: type[Options]) -> Iterator[type[Options]]:
        for own in kind.__subclasses__():
            yield own
            yield from below(own)

    refused = []
    for options in {StudyPlan, JudgePlan, ReportPlan, ReproducePlan, *below(Options)}:
        for name, field in options.model_fields.items():
            if kind_of(field) is int and (extra := extra_of(options, name)) and extra["type"] is None:
                with suppress(ValidationError):
                    create_model("One", one=(field.annotation, field))(one=0)
                    refused.append(f"{options.__name__}.{name}")
    assert refused == []
    words = ["x.bundle", "--agent", "react", "--seed", "0"]
    assert parser_of(command_of("bundle reproduce")).parse_args(words).seed == 0
