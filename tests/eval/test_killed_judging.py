"""A judgement of several calls in a process that is killed: what a model answered until then is not asked for again."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from drr.eval.asking.judge import KeptAnswers
from drr.eval.judging.plan import JudgeOptions
from drr.eval.judging.read import choose, read_judged
from drr.eval.judging.run import Ran, judge
from drr.study.study import Study
from drr.study.unit import Saved, Unit

from tests.eval.nursery import Judge, answer, desk, put, scripted, sentences, web
from tests.wire import Hang, Wire

CARE = "https://birds.example/care"
FILLER = "\n\n".join("Birds are many and gardens are few and winters are long." for _ in range(600))
REPORT = f"Feeders should be cleaned once a week [1].\n\n{FILLER}\n\nSeed spoils when it gets wet [1].\n\n## Sources\n[1] {CARE}\n"
"""Too long for one call: its claims are asked for in two."""


def claims(report: str) -> list[dict[str, Any]]:
    return [claim for claim in sentences(report) if "Birds are many" not in claim["quote"]]


async def judging(study: Study, url: str) -> Ran:
    """With the real client, as the command does it."""
    models = scripted(url)
    try:
        return await judge(study, desk(study, models), models, JudgeOptions(["faithfulness"]))
    finally:
        await models.aclose()


DRIVER = """
import asyncio, sys
from pathlib import Path
from drr.study.study import Study
from tests.eval.test_killed_judging import judging
with Study.open(Path(sys.argv[1])) as study:
    asyncio.run(judging(study, sys.argv[2]))
"""


async def until(ready: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not ready():
            await asyncio.sleep(0.02)


def saved(study: Study) -> int:
    return sum(map(len, study.ledger.saved.of_kind("judgement", "raw:")))


def hung(script: Judge) -> Judge:
    """No answer to the second request."""
    script.instead = lambda task, request: Hang(60) if request.number == 1 else None
    return script


def found(study: Study) -> list[str]:
    (said,) = read_judged(study, choose(study)).claims["all"].values()
    return [claim["text"] for claim in said.claims or ()]


BOTH = ["Feeders should be cleaned once a week.", "Seed spoils when it gets wet."]


@pytest.fixture
async def asked(study: Study) -> Study:
    await put(
        study, answer("a", "x", REPORT, [web(CARE, "Clean every feeder once a week. Wet seed spoils.")])
    )
    return study


@pytest.mark.long
async def test_after_a_kill_only_what_was_not_answered_is_asked(asked: Study) -> None:
    first = hung(Judge(claims=claims))
    with Wire(first) as wire:
        process = subprocess.Popen([sys.executable, "-c", DRIVER, str(asked.folder), wire.url])
        await until(lambda: len(first.asked) == 2 and saved(asked) == 1)
        process.kill()
        process.wait()
    assert not list(asked.records("judgement", None)), "it died in the middle of its first unit"
    again = Judge(claims=claims)
    with Wire(again) as wire:
        assert (await judging(asked, wire.url)).summary.ok
    assert Counter(again.asked) == {"claims": 1, "support": 1}
    assert found(asked) == BOTH
    assert saved(asked) == 0, "the record holds them now"
    (extracted,) = (r for r in asked.records("judgement") if r.key_fields["task"] == "claims")
    assert extracted.result["reread"] == 1 and len([n for n in extracted.blobs if n.startswith("raw:")]) == 2


async def test_what_another_process_saved_since_is_known_for_the_same_unit_only(asked: Study) -> None:
    """A unit whose worker died goes to one that looked into the ledger before."""
    units = [Unit("judgement", {"n": n}, {}, f"unit-{n}") for n in (1, 2)]
    asked.ledger.units.register(units)
    kept = KeptAnswers(asked)
    assert kept.of("r1", units[0].key) == []
    names = ("raw:r1:0", "raw:r1:1", "raw:r2:0")
    asked.ledger.saved.add(Saved(units[0].key, name, name.encode()) for name in names)
    assert kept.of("r1", units[0].key) == ["raw:r1:0", "raw:r1:1"]
    assert kept.of("r1", units[1].key) == []
    assert KeptAnswers(asked).of("r2", units[1].key) == ["raw:r2:0"]
