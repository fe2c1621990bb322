"""A budget is spent on units that finish: none is begun that is expected to cost more than what is left."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from drr.llm.budget import Limit
from drr.llm.factory import Models
from drr.llm.models import ModelSettings
from drr.study.run import Pace, Summary, run
from drr.study.study import Study
from drr.study.unit import Outcome, Unit
from drr.study.worker import Context, Work, Workplace
from langchain_core.messages import HumanMessage

from tests.wire import Request, Say, Wire

TURNS = {"hybrid": 6, "plan": 2}
TURN = 1_000 * 2_000_000 + 100 * 10_000_000
"""What one turn costs."""
HYBRID = TURNS["hybrid"] * TURN
ROOM = 3 * TURN // 2
"""A call may take more than it does, and must fit before it is sent."""


def said(request: Request) -> Say:
    return Say("found", usage={"input_tokens": 1_000, "output_tokens": 100})


async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
    context.replaying()
    for number in range(TURNS[spec["variant"]]):
        await context.models.role("agent").reply([HumanMessage(f"{spec['n']}: turn {number} " + "x" * 2_000)])
    return Outcome({"n": spec["n"]})


def models(url: str) -> Models:
    return Models(ModelSettings({"default": "anthropic:claude-sonnet-5-5"}, base_url=url, max_tokens=150))


@contextmanager
def opened(config: Mapping[str, Any]) -> Iterator[Workplace]:
    yield Workplace(work, models(config["url"]))


def units(count: int, variant: str = "hybrid") -> list[Unit]:
    return [
        Unit("answer", {"n": n, "v": variant}, {"n": n, "variant": variant}, f"{variant} {n}")
        for n in range(count)
    ]


def turns(wire: Wire) -> list[str]:
    return [str(request.body["messages"][0]["content"]) for request in wire.requests]


async def go(study: Study, wire: Wire, asked: list[Unit], cost: int | None = None, work: Work = work, units: int = 8) -> Summary:  # fmt: skip
    made = models(wire.url)
    budget = None if cost is None else Limit(cost=cost)
    try:
        return await run(study, asked, work, models=made, budget=budget, pace=Pace(units=units))
    finally:
        await made.aclose()


@pytest.mark.long
@pytest.mark.parametrize("covered", [1, 2, 5])
async def test_a_budget_for_so_many_units_finishes_about_so_many(study: Study, covered: int) -> None:
    with Wire(said) as wire:
        summary = await go(study, wire, units(12), covered * HYBRID + ROOM)
        assert summary.stopped == "budget"
        assert max(1, covered - 1) <= summary.done <= covered
        first = turns(wire)
        assert len(first) == summary.done * TURNS["hybrid"], "nothing was begun that could not be finished"
        assert (await go(study, wire, units(12), 100 * HYBRID)).left == 0
        assert len(wire.requests) == len(set(turns(wire))) == 12 * TURNS["hybrid"]


async def test_what_is_left_and_what_a_unit_costs_is_told_and_what_has_finished_needs_no_money(
    study: Study,
) -> None:
    with Wire(said) as wire:
        summary = await go(study, wire, units(4), 2 * HYBRID)
        assert summary.done == 1
        assert (summary.message or "").startswith(
            "the budget of $0.036 leaves $0.018, less than a unit of hybrid needs, which is expected to cost $0.018 "
            "(mean of 1 finished) and holds up to $0.00"
        )
        assert (summary.message or "").endswith("the 3 units left are expected to cost $0.054")
        assert (await go(study, wire, units(3))).left == 0
        summary = await go(study, wire, units(3), HYBRID)
        assert (summary.stopped, summary.left, summary.ok) == (None, 0, True)


async def test_what_no_longer_fits_leaves_room_for_what_is_cheap(study: Study) -> None:
    with Wire(said) as wire:
        assert (await go(study, wire, [*units(1), *units(1, "plan")])).done == 2
        spent = len(wire.requests) * TURN
        summary = await go(study, wire, [*units(9), *units(9, "plan")], spent + HYBRID - TURN // 2)
        done = [record.spec["variant"] for record in study.records(status="done")]
        assert (done.count("hybrid"), done.count("plan")) == (1, 3)
        assert summary.stopped == "budget"
        assert len(wire.requests) == sum(TURNS[variant] for variant in done)


async def test_once_one_has_finished_units_run_side_by_side(study: Study) -> None:
    under_way: set[int] = set()
    seen: list[int] = []

    async def watched(spec: Mapping[str, Any], context: Context) -> Outcome:
        under_way.add(spec["n"])
        seen.append(len(under_way))
        if not study.ledger.units.ended_among(unit.key for unit in units(12)):
            assert under_way == {spec["n"]}, "of what nobody knows the cost one goes ahead"
        await asyncio.sleep(0)
        outcome = await work(spec, context)
        under_way.remove(spec["n"])
        return outcome

    with Wire(said) as wire:
        assert (await go(study, wire, units(12), 100 * HYBRID, work=watched)).done == 12
    assert max(seen) == 8


async def test_a_unit_that_was_stopped_is_expected_to_cost_only_its_rest(study: Study) -> None:
    async def fails_late(spec: Mapping[str, Any], context: Context) -> Outcome:
        if spec["n"] == 1:
            context.replaying()
            for number in range(5):
                await context.models.role("agent").reply([HumanMessage(f"1: turn {number} " + "x" * 2_000)])
            raise asyncio.CancelledError
        return await work(spec, context)

    with Wire(said) as wire:
        assert (await go(study, wire, units(2), work=fails_late, units=1)).done == 1
        paid = len(wire.requests) * TURN
        assert (await go(study, wire, units(3), paid + ROOM + TURN // 2)).done == 1
        assert turns(wire)[-1].startswith("1: turn 5")
        assert len(wire.requests) == 12
