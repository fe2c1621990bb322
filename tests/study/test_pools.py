"""Pools: the same records however units run, what a unit saves, the last units first, and pools by name."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from drr.env.errors import DrrError, Misuse
from drr.env.user_code import ENDINGS, code_files, code_hash, other_code
from drr.llm.budget import Limit
from drr.study.admission import Admission
from drr.study.export import export
from drr.study.handout import Handout
from drr.study.pools import InProcessPool, PoolOrder, make_pool, pool_name
from drr.study.run import run
from drr.study.spend import Bank
from drr.study.study import Study
from drr.study.unit import Outcome, Unit
from drr.study.worker import Opening

from tests.commands import Drr
from tests.pools import ToyPool, toy_pool  # noqa: F401
from tests.study.plain import answer, assert_same_tables, offline, units
from tests.test_wheel import tracked


def opening(**config: Any) -> Opening:
    return Opening("tests.study.plain:opened", config)


def here() -> InProcessPool:
    return InProcessPool.of_opening(opening(), 4)


async def test_an_opened_place_leaves_the_bytes_of_a_function(tmp_path: Path) -> None:
    for name, work in {"function": answer, "place": here()}.items():
        with Study.create(tmp_path / name, {}) as study:
            models = offline() if name == "function" else None
            summary = await run(study, units(40), work, models=models)
            assert (summary.done, summary.left, summary.ok) == (40, 0, True)
            assert not study.ledger.under_way.keys()
            export(study, tmp_path / f"{name}-tables", canonical=True)
    assert_same_tables(tmp_path / "function-tables", tmp_path / "place-tables")


async def test_a_place_that_cannot_be_opened_is_said_in_its_own_words(study: Study) -> None:
    with pytest.raises(DrrError, match="gone: no shop"):
        await run(study, units(3), InProcessPool.of_opening(opening(shop="gone")))
    assert not study.ledger.under_way.keys()


async def test_what_a_unit_saves_stays_until_its_record_holds_it(study: Study) -> None:
    await run(study, units(4), InProcessPool.of_opening(opening(save=True), 4))
    saved = [study.ledger.saved.of_unit(unit.key, "until") for unit in units(4)]
    assert saved == [{"until-now": b"half of 0"}, {}, {"until-now": b"half of 2"}, {}]
    assert study.ledger.saved.of_unit(units(4)[0].key, "other") == {}


async def test_units_and_what_is_left_of_them_are_plain_data(study: Study) -> None:
    """The spec of a unit is what crosses to another process; what cannot be pickled cannot be worked on elsewhere."""
    unit = Unit("answer", {"n": 1, "nested": {"a": [1, None, "é"]}}, {"n": 1}, "unit-1")
    again = pickle.loads(pickle.dumps(unit))
    assert (again, again.key) == (unit, unit.key)
    with pytest.raises(TypeError):
        study.ledger.units.register([Unit("answer", {"n": Outcome({})}, {}, "no")])


async def test_the_last_units_begin_with_those_that_take_longest(study: Study) -> None:
    """Where many are in flight; those that few are in flight of begin in the order asked for."""
    await run(study, units(3), here())
    with study.ledger.units._db.writing() as db:
        for name, seconds in (("v0", 1.0), ("v1", 30.0), ("v2", 9.0)):
            db.execute(
                "UPDATE records SET seconds = ? WHERE key IN (SELECT key FROM units WHERE json_extract(spec, '$.variant') = ?)",
                (seconds, name),
            )
    asked = units(12)[3:]
    study.ledger.units.register(asked)
    keys = [unit.key for unit in asked]
    shown = {unit.key: unit.spec["variant"] for unit in asked}
    for size, begun in ((4, keys), (5, [keys[1], keys[4], keys[7], keys[2], keys[5], keys[8], *keys[0::3]])):
        admission = Admission(study.ledger, Bank(study.ledger.accounts, "h/1/1/0", Limit()), asked)
        handout = Handout(study.ledger, asked, "h/1/1/0", admission, size=size, longest_first=True)
        handout.order_last_units()
        assert list(handout.waiting) == begun, [shown[key] for key in handout.waiting]


# -- pools by name


def test_a_pool_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch, drr: Drr) -> None:
    """What is misspelt, and what is not installed, is said in one line before anything is begun."""
    from drr.extras.ray import cluster as ray_cluster

    monkeypatch.setattr(ray_cluster, "find_spec", lambda name: None)
    with pytest.raises(Misuse, match=r"pip install .*\[ray\]"):
        make_pool("ray", PoolOrder(opening(), 2, 4, 8))
    with pytest.raises(Misuse, match="known are in-process, ray"):
        pool_name("rey")
    assert pool_name("ray://head:10001") == ("ray", "ray://head:10001")
    assert drr("judge", "nowhere", "--judge", "offline", "--pool")[0] == 2


async def test_one_more_pool_is_one_line_of_an_extra(study: Study, toy_pool: str) -> None:  # noqa: F811
    pool = make_pool(pool_name(toy_pool)[0], PoolOrder(opening(), 1, 4, 8))
    assert isinstance(pool, ToyPool)
    assert (await run(study, units(5), pool)).done == 5


def test_the_code_that_workers_must_have_is_every_file_of_a_wheel() -> None:
    assert other_code(code_hash()) is None
    assert str(other_code("0" * 64)).startswith("another version of the code in /")
    files = {name.removeprefix("src/drr/") for name in tracked("src/drr") if name.endswith(ENDINGS)}
    assert {name for name, _ in code_files()} == files
