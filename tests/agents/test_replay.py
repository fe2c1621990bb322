"""A unit that was stopped goes on from where it was: no answer is paid for twice, whatever the agent."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from drr.env.settings import Settings
from drr.env.web.base import Page, WebHit
from drr.llm.budget import Limit
from drr.llm.factory import Models
from drr.llm.journal import PaidAnswer, request_id
from drr.llm.models import ModelSettings
from drr.study.run import Pace, Summary, run
from drr.study.study import Study
from drr.study.unit import Outcome
from drr.study.worker import Context, ReplayedWeb, SavedAnswers
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from tests.agents.garden import write_shop
from tests.agents.replay_nursery import AT_ONCE, units
from tests.agents.test_real_client import REPORT, hybrid, names, react, texts, turns
from tests.study.plain import units as plain_units
from tests.wire import Request, Say, Wire

LOOK = {"tool": "product_catalog_search", "arguments": '{"query": "house"}'}
PLAN = json.dumps({"plan": "look", "calls": [LOOK]})
UNITS = 12


def script(request: Request) -> Say:
    """Answers at once what agents of four architectures ask; none hangs on anything but the request."""
    time.sleep(0.005)
    if (said := dr3(request)) is not None:
        return said
    if request.body.get("output_config"):
        return Say(PLAN)
    if "launch_researcher" in names(request) or re.search("# Sub-problem|<page ", texts(request)):
        return hybrid(request)
    first = str(request.body["messages"][0]["content"])
    if names(request) and "bluebirds" in first:
        return react(request) if turns(request) < 4 else Say(REPORT)
    return hybrid(request) if names(request) else Say(REPORT)


def dr3(request: Request) -> Say | None:
    """Its main agent, its sub-agents, and the check of its report; `None` for what another architecture asks."""
    bound, begun = set(names(request)), turns(request)
    if "search_pages" in bound:
        tasks = [("search_pages", {"task": "bluebirds"}), ("search_shop", {"task": "bird houses"})]
        return Say(REPORT) if begun else Say("", tasks)
    if bound and "finalize" not in bound:
        search = "web_search" if "web_search" in bound else "product_catalog_search"
        return Say("Found [1].") if begun > 1 else Say("", [(search, {"query": f"bird house {begun}"})])
    if "# Report, " in texts(request):
        return Say(json.dumps({"unmet": []}))
    return None


class Nursery:
    def __init__(self, shop: Path) -> None:
        words = [sys.executable, "-m", "tests.agents.replay_nursery", str(shop), str(UNITS)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def bear(self, study: Study, wire: Wire) -> int:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{study.folder} {wire.url}\n")
        self._process.stdin.flush()
        return int(self._line())

    def ended(self) -> int:
        return int(self._line())

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def close(self) -> None:
        self._process.communicate()


def recorded(study: Study) -> int:
    """Answers on disk: of units that are done in their records, of the others as they came."""
    done = sum(role["calls"] for record in study.records() for role in record.usage.values())
    return done + sum(len(saved) for saved in study.ledger.saved.of_kind("answer", "way:"))


def asked(folder: Path, nursery: Nursery, kills: Sequence[int]) -> tuple[int, int]:
    """Requests that the server got until all units were done, and those that were in flight when a run was killed."""
    lost = 0
    Study.create(folder, {}).close()
    with Study.open(folder) as study, Wire(script) as wire:
        for at in kills:
            run = nursery.bear(study, wire)
            while len(wire.requests) < at:
                time.sleep(0.002)
            os.kill(run, signal.SIGKILL)
            assert nursery.ended() == signal.SIGKILL
            time.sleep(0.05)
            before, lost = lost, len(wire.requests) - recorded(study)
            assert 0 <= lost - before <= 5 * AT_ONCE
        nursery.bear(study, wire)
        assert nursery.ended() == 0
        done = list(study.records())
        assert len(done) == len(units(UNITS)), [r.message for r in study.records(status="failed")]
        assert recorded(study) == sum(role["calls"] for record in done for role in record.usage.values())
        assert {study.text(record, "report") for record in done} == {REPORT}
        return len(wire.requests), lost


@pytest.mark.long
def test_killed_five_times_no_answer_is_paid_for_twice(tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    write_shop(str(shop), Settings(shop_url="http://ecommerce.example"))
    nursery = Nursery(shop)
    calm, none = asked(tmp_path / "calm", nursery, [])
    assert none == 0
    total, in_flight = asked(tmp_path / "killed", nursery, [n * calm // 6 for n in range(1, 6)])
    nursery.close()
    assert calm <= total <= calm + in_flight


def test_an_answer_comes_back_as_it_was() -> None:
    blocks = [
        {"type": "thinking", "thinking": "", "signature": "c2lnbmVk"},
        {"type": "text", "text": "é \U0001f600"},
        {"type": "tool_use", "id": "toolu_1", "name": "lookup", "input": {"b": 1, "a": [None, 0.5]}},
    ]
    message = AIMessage(
        content=blocks,
        tool_calls=[{"name": "lookup", "args": {"b": 1, "a": [None, 0.5]}, "id": "toolu_1"}],
        usage_metadata={"input_tokens": 7, "output_tokens": 3, "total_tokens": 10},
        response_metadata={"stop_reason": "tool_use"},
        id="msg_1",
    )
    again = PaidAnswer.read(PaidAnswer(message, 12, 0.5).text())
    assert again == PaidAnswer(message, 12, 0.5)
    asked = [SystemMessage("s"), HumanMessage("h"), message, ToolMessage("r", tool_call_id="toolu_1")]
    assert request_id("m", "", asked) == request_id("m", "", [*asked[:2], again.message, asked[3]])
    other = [*asked[:3], ToolMessage("r", tool_call_id="toolu_2")]
    others = [asked[:3], other, [HumanMessage("s"), *asked[1:]]]
    assert len({request_id("m", "", one) for one in (asked, *others)} | {request_id("n", "", asked)}) == 5


class ChangingWeb:
    """Says something else each time."""

    name, content_hash = "changing", None

    def __init__(self) -> None:
        self.searches = 0

    async def search(self, query: str, top_k: int) -> list[WebHit]:
        self.searches += 1
        return [WebHit(f"https://a.example/{self.searches}", "title", "snippet")][:top_k]

    async def read(self, url: str) -> Page:
        raise AssertionError("no page is read here")


@pytest.mark.parametrize("stopped_after", [0, 1, 2])
async def test_what_a_live_web_found_is_found_again(stopped_after: int) -> None:
    saved: dict[str, bytes] = {}

    def replay() -> SavedAnswers:
        return SavedAnswers(dict(saved), lambda name, text: saved.update({name: text.encode()}))

    web = ChangingWeb()
    before = ReplayedWeb(web, replay())
    first = [await before.search("seed", 3) for _ in range(stopped_after)]
    after = ReplayedWeb(web, replay())
    assert [await after.search("seed", 3) for _ in range(3)][:stopped_after] == first
    assert web.searches == 3


async def three_parts(spec: Mapping[str, Any], context: Context) -> Outcome:
    context.replaying()
    role, said = context.models.role("agent"), []
    for number in range(3):
        said.append((await role.reply([HumanMessage(f"{spec['n']}: part {number}")])).text)
    return Outcome({"said": said})


async def go(study: Study, wire: Wire, **more: Any) -> Summary:
    sonnet = {"default": "anthropic:claude-sonnet-5-5"}
    models = Models(ModelSettings(sonnet, base_url=wire.url, max_tokens=100))
    try:
        return await run(study, plain_units(4), three_parts, models=models, pace=Pace(units=2), **more)
    finally:
        await models.aclose()


def parts(wire: Wire) -> list[str]:
    return [part_of(request) for request in wire.requests]


def part_of(request: Request) -> str:
    return str(request.body["messages"][0]["content"])


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "study", {}) as made:
        yield made


async def test_a_unit_that_failed_for_good_is_asked_again_only_what_was_no_answer(study: Study) -> None:
    def refusing(request: Request) -> Say:
        is_refused = "1: part 1" in texts(request)
        return Say("no", stop_reason="refusal") if is_refused else Say(f"s{request.number}")

    with Wire(refusing) as wire:
        assert (await go(study, wire)).failures == {"refusal": 1}
    with Wire(lambda request: Say("now")) as wire:
        assert (await go(study, wire)).failed_before == {"refusal": 1}
        assert wire.requests == []
        assert (await go(study, wire, retry_failed=True)).done == 1
        assert parts(wire) == ["1: part 1", "1: part 2"]
    mended = next(record for record in study.records() if record.spec["n"] == 1)
    assert mended.result["said"][1:] == ["now", "now"] and mended.usage["agent"]["calls"] == 4


async def test_units_under_way_when_the_budget_ended_come_first(study: Study) -> None:
    def dearer_than_the_first(request: Request) -> Say:
        first = part_of(request).startswith("0:")
        return Say("said", usage={"input_tokens": 100 if first else 300, "output_tokens": 20})

    with Wire(dearer_than_the_first) as wire:
        stopped = await go(study, wire, budget=Limit(tokens=1_720))
        assert stopped.stopped == "budget"
        begun = parts(wire)
    assert 0 < len(begun) < 12
    open_ones = {part[0] for part in begun} - {str(r.spec["n"]) for r in study.records(status="done")}
    assert open_ones
    with Wire(lambda request: Say("said")) as wire:
        assert (await go(study, wire, budget=Limit(tokens=1_000_000))).left == 0
        rest = parts(wire)
    assert sorted(begun + rest) == sorted(f"{n}: part {part}" for n in range(4) for part in range(3))
    assert rest[0][0] in open_ones  # units run side by side: of the second request nothing is certain
