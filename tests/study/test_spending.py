"""What was spent, after a process was killed: the server's own count lies between what is known and the most it can be."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from drr.llm.factory import Models
from drr.llm.models import ModelSettings
from drr.study.run import Pace, run
from drr.study.spend import Account, Accounts
from drr.study.status import status
from drr.study.study import Study
from drr.study.unit import Outcome
from drr.study.worker import Context, Workplace
from langchain_core.messages import HumanMessage

from tests.study.plain import units
from tests.wire import Cut, Fail, Reply, Request, Say, Wire

SONNET = "anthropic:claude-sonnet-5-5"
CALLS = 3
TOKENS = 120
"""Of each answer, by the server's count."""
COST = 100 * 2_000_000 + 20 * 10_000_000


async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
    for number in range(CALLS):
        await context.models.role("agent").reply(
            [HumanMessage(f"{spec['n']}: part {number} " + "of many " * 20)]
        )
    return Outcome({"n": spec["n"]})


def models(url: str, name: str = SONNET) -> Models:
    return Models(ModelSettings({"default": name}, base_url=url, max_tokens=500, concurrency=16))


@contextmanager
def opened(config: Mapping[str, Any]) -> Iterator[Workplace]:
    yield Workplace(work, models(config["url"]))


DRIVER = """
import asyncio, sys
from pathlib import Path
from drr.llm.budget import Limit
from drr.study.pools import InProcessPool
from drr.study.run import run
from drr.study.study import Study
from drr.study.worker import Opening
from tests.study.plain import units
folder, url, limit = sys.argv[1:]
opening = Opening("tests.study.test_spending:opened", {"url": url})
pool = InProcessPool.of_opening(opening, 4)
with Study.open(Path(folder)) as study:
    asyncio.run(run(study, units(40), pool, budget=Limit.of(usd=float(limit)) if limit else None))
"""


def slow(request: Request) -> Reply:
    time.sleep(0.02)
    return Say("fine")


@pytest.mark.long
@pytest.mark.parametrize("limit", ["", "5"])
def test_after_a_kill_the_servers_count_lies_between_known_and_at_most(study: Study, limit: str) -> None:
    words = [sys.executable, "-c", DRIVER, str(study.folder), "", limit]
    with Wire(slow) as wire:
        words[4] = wire.url
        with subprocess.Popen(words) as process:
            while len(wire.requests) < 25:
                time.sleep(0.005)
            process.kill()
        time.sleep(0.2)  # the server finishes what it is saying
        document, answered = status(study), len(wire.requests)
    known, most = document.spent_tokens, document.spent_tokens_at_most
    assert known <= answered * TOKENS <= most
    assert document.cost_usd is not None and document.cost_usd_at_most is not None
    assert document.cost_usd <= answered * COST / 1e12 <= document.cost_usd_at_most
    assert known >= (answered - 12) * TOKENS, "what was answered is known as soon as it is"


async def finished(
    study: Study, script: Callable[[Request], Reply], count: int, at_once: int, name: str = SONNET
) -> int:
    """How many calls these units took."""
    with Wire(script) as wire:
        made = models(wire.url, name)
        assert (await run(study, units(count), work, models=made, pace=Pace(units=at_once))).ok
        await made.aclose()
        return len(wire.requests)


@pytest.mark.long
async def test_without_a_kill_they_are_the_same(study: Study) -> None:
    def overloaded(request: Request) -> Reply:
        return Fail(529, "overloaded_error") if request.number % 7 == 1 else Say("fine")

    await finished(study, overloaded, 10, 4)
    document = status(study)
    assert document.spent_tokens == document.spent_tokens_at_most == 10 * CALLS * TOKENS
    assert document.cost_usd == document.cost_usd_at_most == 10 * CALLS * COST / 1e12


async def test_an_answer_that_was_cut_off_may_have_been_billed(study: Study) -> None:
    answered = await finished(study, lambda asked: Cut(20) if asked.number == 1 else Say("fine"), 2, 1)
    document = status(study)
    assert document.spent_tokens == 2 * CALLS * TOKENS == (answered - 1) * TOKENS
    assert document.spent_tokens_at_most >= answered * TOKENS


async def test_without_a_price_a_cost_is_unknown_from_the_first_request_on(study: Study) -> None:
    told = []

    def script(request: Request) -> Reply:
        told.append(status(study))
        return (
            Cut(20)
            if request.number == 1
            else Fail(400, "invalid_request_error")
            if request.number == 2
            else Say("fine")
        )

    with pytest.raises(AssertionError):
        await finished(study, script, 1, 1, "openai:local-model")
    told.append(status(study))
    assert [one.spent_tokens for one in told] == [0, TOKENS, TOKENS, TOKENS], (
        "one answer, one cut, one refused"
    )
    assert {(one.cost_usd, one.cost_usd_at_most) for one in told} == {(None, None)}
    assert study.ledger.accounts.total().unpriced == 2, "what was refused cost nothing"


async def test_a_request_that_was_only_refused_costs_nothing_at_any_price(study: Study) -> None:
    with pytest.raises(AssertionError):
        await finished(study, lambda request: Fail(400, "invalid_request_error"), 1, 1, "openai:local-model")
    assert status(study).cost_usd == 0


def test_what_a_run_never_heard_the_end_of_outlives_it(study: Study) -> None:
    accounts: Accounts = study.ledger.accounts
    accounts.put("elsewhere/1/1/0", Account(5, 10, 0, 7, 20, 3, 4))
    assert accounts.total() == (5, 10, 0, 7, 20, 3, 4)
    assert accounts.total(besides="elsewhere/1/1/0") == (0,) * 7
    accounts.put("h/x/1/0", Account(5, 10, 0, 7, 20, 3, 4))  # a holder that nobody can be
    assert accounts.total() == (10, 20, 0, 7, 20, 13, 28)
