"""Inspect's agents as variants: run where Inspect is installed, which `tests/inspecting/test_variants.py` sees to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")

from drr.app.cli import main
from drr.study.study import Study

from tests.agents.commands.conftest import Script, asked, new
from tests.commands import Drr
from tests.wire import Fail, Reply, Request, Say, Wire

EXAMPLE = Path(__file__).parents[3] / "examples" / "inspect_agent.py"
SEARCH = ("product_catalog_search", {"query": "bird house"})


def model(wire: Wire, provider: str = "openai") -> list[str]:
    return ["--model", f"{provider}:scripted", "--base-url", wire.url + "/v1" * (provider == "openai")]


def turns(request: Request) -> int:
    return sum(one["role"] == "assistant" for one in request.body["messages"])


FOUND = "By then a house of cedar and a feeder with six ports were found, and neither was compared."


def shopper(request: Request) -> Reply:
    """Searches, then answers: by `submit` where it is asked to."""
    tools = {one["function"]["name"] for one in request.body.get("tools", ())}
    if not turns(request):
        return Say(calls=[SEARCH, ("get_user_orders", {"limit": "x"}), ("calculator", {"expression": "1+1"})])
    report = "A bird house [1].\n\n## Sources\n\n[1] House: http://ecommerce.example/B0HOUSE001"
    return Say(calls=[("submit", {"answer": report})]) if "submit" in tools else Say(report)


@pytest.mark.parametrize("variant", ["inspect:react", f"{EXAMPLE}:shopper"])
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_the_record_is_ours_usage_the_servers(box: Path, drr: Drr, variant: str, provider: str) -> None:
    with Wire(shopper_of(provider)) as wire:
        code, out, err = drr(*asked(box, variant, *model(wire, provider)))
        assert code == 0, err
        document = json.loads(out)
        used = document["usage"]["agent"]
        assert used["calls"] == len(wire.requests) == 2
        assert (used["input_tokens"], used["output_tokens"]) == (200, 40)
    assert document["report"].startswith("A bird house [1].")
    assert [(call["name"], call["kind"]) for call in document["tool_calls"]] == [
        ("product_catalog_search", "api"),
        ("get_user_orders", "refused"),
        ("calculator", "api"),
    ]
    assert (document["fabricated"], document["stop_reason"], document["notes"]) == ([], "finalized", [])


def shopper_of(provider: str) -> Any:
    return shopper if provider == "openai" else _of_anthropic


def _of_anthropic(request: Request) -> Reply:
    names = [{"function": {"name": tool["name"]}} for tool in request.body.get("tools", ())]
    return shopper(Request(request.number, request.path, request.headers, {**request.body, "tools": names}))


def test_it_runs_side_by_side_each_conversation_is_one(box: Path, script: Script, drr: Drr) -> None:
    with Wire(shopper) as wire:
        code, _, err = drr(*new(box, "inspect:react,inspect:react+ws", *model(wire), "--trials", "4"))
        assert code == 0, err
        with Study.open(Path("study")) as study:
            records = list(study.records("answer"))
            conversations = [study.json(record, "transcript") for record in records]
    assert len(records) == 8
    assert sum(record.usage["agent"]["calls"] for record in records) == len(wire.requests) == 16
    assert {len(one) for one in conversations} == {1}
    assert [len(one[0]["messages"]) for one in conversations] == [7] * 8
    assert len({json.dumps(one) for one in conversations}) == 1


def test_a_limit_ends_its_research_with_a_report(box: Path, script: Script, drr: Drr) -> None:
    def endless(request: Request) -> Reply:
        return Say(calls=[SEARCH]) if request.body.get("tools") else Say(FOUND)

    with Wire(endless) as wire:
        code, _, err = drr(*new(box, "inspect:react", *model(wire), "--limits", "tool_calls=3"))
        assert code == 0, err
        with Study.open(Path("study")) as study:
            (record,) = study.records("answer")
            assert study.text(record, "report") == FOUND
    assert record.result["stop_reason"] == "tool_call_limit"
    assert record.usage["agent"]["calls"] == len(wire.requests) == 4


def test_an_outage_is_told_and_a_bad_key_ends_the_unit(box: Path, script: Script, drr: Drr) -> None:
    def refuses(request: Request) -> Reply:
        if not request.body.get("tools"):
            return Say(FOUND)
        return Say(calls=[SEARCH]) if not turns(request) else Fail(400, "invalid_request_error", "no")

    with Wire(refuses) as wire:
        code, out, err = drr(*asked(box, "inspect:react", *model(wire)))
        assert code == 0, err
    document = json.loads(out)
    assert (document["stop_reason"], document["report"].strip()) == ("rejected", FOUND)
    assert "broken off" in document["notes"][0]
    with Wire([Fail(401, "authentication_error", "no such key")]) as wire:
        code, _, err = drr(*asked(box, "inspect:react", *model(wire)))
    assert code == 1 and "bad_key" in err


def test_what_an_agent_swallows_ends_the_unit_all_the_same(box: Path, script: Script, drr: Drr) -> None:
    path = script("stubborn.py", "#! a file\n" + STUBBORN)
    with Wire([Fail(401, "authentication_error", "no such key")]) as wire:
        code, _, err = drr(*asked(box, f"{path}:stubborn", *model(wire)))
    assert code == 1 and "bad_key" in err
    with Wire(shopper):
        code, _, err = drr(*asked(box, f"{path}:silent", *model(wire)))
    assert code == 1 and "no answer (empty)" in err


@pytest.mark.parametrize("agent", ["leaving", "leaving_by_a_tool"])
def test_an_exit_in_it_fails_its_unit_by_name(box: Path, script: Script, drr: Drr, agent: str) -> None:
    path = script("leaving.py", "#! a file\n" + LEAVING)
    with Wire([Say(calls=[("leave", {})])]) as wire:
        code, _, err = drr(*new(box, f"{path}:{agent}", *model(wire)))
    with Study.open(Path("study")) as study:
        (record,) = study.records("answer", None)
    assert code == 1 and (record.status, record.reason) == ("failed", "bug"), err
    assert "exit" in str(record.message)


LEAVING = """
import sys
from inspect_ai.agent import agent, react
from inspect_ai.tool import tool


@tool
def leave():
    async def execute():
        '''Leave.'''
        sys.exit(0)
    return execute


@agent
def leaving():
    async def execute(state):
        sys.exit(0)
    return execute


@agent
def leaving_by_a_tool():
    return react(tools=[leave()], submit=False)
"""
STUBBORN = """
from inspect_ai.agent import agent
from inspect_ai.model import get_model


@agent
def stubborn(tools=()):
    async def execute(state):
        while True:
            try:
                state.output = await get_model().generate(state.messages, tools)
                return state
            except Exception:
                pass
    return execute


@agent
def silent():
    async def execute(state):
        return state
    return execute


@agent
def another():
    async def execute(state):
        state.output = await get_model("mockllm/model").generate("hello")
        return state
    return execute


another.tools = ()
"""


def test_a_model_that_the_agent_names_itself_is_not_hidden(box: Path, script: Script, drr: Drr) -> None:
    usage = "custom_outputs=[ModelOutput(model='m', completion='A house of cedar, and 2 feeders.', usage=ModelUsage(input_tokens=1, output_tokens=1))]"
    text = STUBBORN.replace('"mockllm/model"', f'"mockllm/model", {usage}').replace(
        "import get_model", "import ModelOutput, ModelUsage, get_model"
    )
    path = script("another.py", "#! a file\n" + text)
    with Wire(shopper) as wire:
        code, out, err = drr(*asked(box, f"{path}:another", *model(wire)))
        assert code == 0, err
        assert wire.requests == []
    document = json.loads(out)
    assert "mockllm/model" in document["notes"][0]
    assert (document["usage"]["agent"]["unmetered"], document["usage"]["agent"]["cost_usd"]) == (1, None)


def test_without_a_model_the_stand_in_plays_it(box: Path, drr: Drr) -> None:
    code, out, err = drr(*asked(box, "inspect:react"))
    assert code == 0, err
    document = json.loads(out)
    assert document["rule_written"] is True
    assert document["tool_calls"] and "## Sources" in document["report"]


def test_the_example_of_the_project_ends_when_the_stand_in_has_answered(box: Path, drr: Drr) -> None:
    """It once was asked for a `submit` that it does not know, 200 times and 3 million tokens long."""
    code, out, err = drr(*asked(box, f"{EXAMPLE}:shopper"))
    assert code == 0, err
    document = json.loads(out)
    assert document["stop_reason"] == "finalized"
    assert document["usage"]["agent"]["calls"] <= len(document["tool_calls"]) + 1


def test_an_agent_that_asks_without_end_is_ended(box: Path, script: Script, drr: Drr) -> None:
    endless = EXAMPLE.read_text().replace(", submit=False", "")
    path = script("endless.py", "#! a file\n" + endless)

    def chatty(request: Request) -> Reply:
        return Say(calls=[SEARCH]) if not turns(request) and request.body.get("tools") else Say(FOUND)

    with Wire(chatty) as wire:
        code, out, err = drr(*asked(box, f"{path}:shopper", *model(wire), "--limits", "steps=4"))
        assert code == 0, err
        assert len(wire.requests) == 6  # five turns, and the report
    assert json.loads(out)["stop_reason"] == "step_limit"


def test_an_agent_that_is_nowhere_is_told_in_one_line(box: Path, drr: Drr) -> None:
    code, _, err = drr(*asked(box, "inspect:nobody/agent"))
    assert code == 2 and "Inspect has no agent 'nobody/agent'" in err
    assert main(["variants", "--json"]) == 0
