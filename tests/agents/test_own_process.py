"""Agents written in Python in processes of their own: alike in every record, and none takes the run with it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from drr.study.study import Study

from tests.agents.garden import ANNA, BEN, write_box
from tests.commands import Drr
from tests.wire import Say, Wire

AGENT = '''
import asyncio, ctypes, gc, os, sys, threading, time
from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
from pydantic import BaseModel

CALLS = []


class Liked(BaseModel):
    """What is liked."""
    name: str
    price: float


async def whole(query, tools, model, budget):
    """Uses all that an agent is given."""
    search = next(tool for tool in tools if tool.name == "product_catalog_search")
    call = {"type": "tool_call", "id": "7", "name": search.name, "args": {"query": "house", "match": "any"}}
    found, refused = await asyncio.gather(search.ainvoke(call), search.ainvoke({"query": "house " * 100}))
    talk = [SystemMessage("Advise."), HumanMessage(f"{query} {query.user_id} {query.as_of}")]
    first = await model.reply(talk, tools=tools)
    talk += [first, *[await search.ainvoke(one) for one in first.tool_calls]]
    second = await model.bind_tools(tools, tool_choice="any").ainvoke(talk, stop=["END"])
    talk[0].content = "Advise well."
    liked = await model.structured(talk, Liked)
    kind = found.artifact.sources[0].type, type(found.artifact).__name__, len(found.artifact.data["items"])
    spent = budget.calls, budget.meter.tokens, budget.reached(), budget.limits.tool_calls
    return f"# Answer\\n\\n{liked.name} for {liked.price} {kind} {spent} {refused[:40]} {second.text} [{found.artifact.sources[0].url}]"


async def plain(query, tools, model, budget):
    CALLS.append(str(query))
    found = await tools[0].ainvoke({"query": "bird house"})
    return f"# Answer\\n\\nCall {len(CALLS)} of this process finds at $5:\\n\\n{found}"


def planted(ill):
    async def agent(query, tools, model, budget):
        if "feeder" in query:
            await ill()
        return await plain(query, tools, model, budget)
    return agent


async def block():
    while True:
        pass


async def leave():
    os._exit(0)


async def crash():
    ctypes.string_at(0)


async def close():
    os.closerange(0, 100)


async def interrupt():
    raise KeyboardInterrupt


async def cancel():
    raise asyncio.CancelledError


async def flood():
    for _ in range(700):
        os.write(1, b"x" * 100_000)


async def fork():
    os.fork()


async def stop():
    asyncio.get_running_loop().stop()
    await asyncio.sleep(1)


blocking, leaving, crashing, closing = planted(block), planted(leave), planted(crash), planted(close)
interrupting, cancelling, flooding, forking = planted(interrupt), planted(cancel), planted(flood), planted(fork)
stopping = planted(stop)


async def huge(query, tools, model, budget):
    return "word " * 10_000_000 if "feeder" in query else await plain(query, tools, model, budget)


async def curious(query, tools, model, budget):
    kept = {type(one).__name__ for one in gc.get_objects()} & {"Session", "AgentRun", "AnswerWork", "Models"}
    secrets = [name for name, value in os.environ.items() if "hidden-key" in value]
    await tools[0].ainvoke({"query": "bird house"})
    print("printed", len(CALLS))
    sys.stderr.write("and said\\n")
    return f"# Answer\\n\\nIt finds {len(kept) + len(secrets)} of what is not its own: {kept} {secrets}."


async def from_a_thread(query, tools, model, budget):
    """Blocks its loop for a call from a loop of another thread."""
    told = []
    thread = threading.Thread(target=lambda: told.append(asyncio.run(tools[0].ainvoke({"query": "house"}))))
    thread.start()
    thread.join()
    return f"# Answer\\n\\nA thread finds at $5: {told[0]}"
'''


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_box(
        tmp_path_factory.mktemp("own-process"),
        {"id": "q-house", "query": "Which bird house?", "user_id": ANNA},
        {"id": "q-feeder", "query": "Which feeder is best under $30?", "user_id": BEN},
        {"id": "q-last", "query": "Which bird house is last?", "user_id": BEN},
    )


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.py"
    path.write_text(AGENT)
    return path


def running(box: Path, agents: str, *more: object, study: str = "study") -> list[object]:
    variants = ",".join(f"mine.py:{name}" for name in agents.split(","))
    return ["run", study, "--shop", box / "shop", "--queries", box / "queries.jsonl", "--variants", variants,
            "--sandbox", box / "sandbox", *more]  # fmt: skip


def records(study: str = "study") -> dict[str, Any]:
    with Study.open(Path(study)) as opened:
        return {
            one.label: {
                "key": one.key,
                "ended": (one.status, one.reason, one.message),
                "result": one.result,
                "usage": one.usage,
                "cost": one.cost,
                "texts": {name: opened.text(one, name) for name in one.blobs},
            }
            for one in opened.records("answer", None)
        }


def ended(study: str = "study") -> dict[str, tuple[str, str | None, str | None]]:
    return {label.split("/")[0]: one["ended"] for label, one in records(study).items()}


def timeless(value: Any) -> Any:
    """Return a record without its times, texts of JSON read."""
    if isinstance(value, dict):
        return {name: timeless(one) for name, one in value.items() if name not in ("seconds", "started_at")}
    if isinstance(value, list | tuple):
        return [timeless(one) for one in value]
    if isinstance(value, str) and value[:1] in ("{", "["):
        return timeless(json.loads(value))
    return value


def test_both_ways_leave_the_same_keys_records_and_costs(box: Path, file: Path, drr: Drr) -> None:
    wanted = [("product_catalog_search", {"query": "bird house"})]
    liked = json.dumps({"name": "Cedar house", "price": 24.95})
    script = [Say(calls=wanted), Say("Bought."), Say("no JSON"), Say(liked)]
    told = {}
    for study, more in (("own", []), ("within", ["--in-process"])):
        with Wire(script) as wire:
            model = ["--model", "openai:mine", "--base-url", f"{wire.url}/v1", "--limit", 1, "--yes"]
            code, _, err = drr(*running(box, "whole", *model[:-1], *more, study=study))
            assert code == 0, err
            told[study] = (timeless(records(study)), [request.body for request in wire.requests])
    assert told["own"] == told["within"]
    (one,) = told["own"][0].values()
    assert "Cedar house for 24.95 ('product', 'ToolAnswer'" in one["texts"]["report"]
    assert drr.json("study", "status", "own")["in_process"] is None
    assert drr.json("study", "status", "within")["in_process"] == "mine.py:whole"
    assert "mine.py:whole ran as part of this program" in drr.out("study", "status", "within")


@pytest.mark.parametrize(
    ("agent", "reason", "said"),
    [
        ("leaving", "agent_exit", "exit code 0 before it answered"),
        ("crashing", "agent_signal", "SIGSEGV"),
        ("closing", "agent_exit", "before it answered"),
        ("interrupting", "bug", "KeyboardInterrupt"),
        ("cancelling", "bug", "CancelledError"),
        ("flooding", "agent_output", "more than 64,000,000 bytes"),
        ("stopping", "bug", "CancelledError"),
        ("huge", "agent_output", "a report of more than 1,000,000 bytes"),
    ],
)
def test_an_ill_unit_is_named_and_its_neighbours_finish(
    box: Path, file: Path, drr: Drr, agent: str, reason: str, said: str
) -> None:
    code, _, err = drr(*running(box, agent))
    units = ended()
    assert code == 1 and units["q-house"][0] == units["q-last"][0] == "done", err
    status, why, message = units["q-feeder"]
    assert (status, why) == ("failed", reason) and said in str(message)
    assert len(err) < 2_000


def test_a_unit_that_blocks_is_ended_past_its_time(box: Path, file: Path, drr: Drr) -> None:
    code, _, err = drr(*running(box, "blocking", "--limits", "seconds=1"))
    units = ended()
    assert code == 1 and units["q-house"][0] == units["q-last"][0] == "done", err
    assert units["q-feeder"][:2] == ("failed", "agent_timeout")


def test_the_first_signal_ends_a_run_whose_unit_blocks(box: Path, file: Path) -> None:
    words = [sys.executable, "-m", "drr", *map(str, running(box, "blocking", "--quiet"))]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as run:
        while not Path("study", "study.toml").exists() or len(ended()) < 2:
            time.sleep(0.2)
        run.send_signal(signal.SIGTERM)
        _, err = run.communicate()
    assert "interrupted" in err
    assert {name: status for name, (status, _, _) in ended().items()} == {"q-house": "done", "q-last": "done"}


def test_a_fork_does_not_speak_for_its_agent(box: Path, file: Path, drr: Drr) -> None:
    assert drr(*running(box, "forking"))[0] == 0
    assert {status for status, _, _ in ended().values()} == {"done"}


def test_a_process_stays_for_the_next_unit(box: Path, file: Path, drr: Drr) -> None:
    assert drr(*running(box, "plain", "--units", 1))[0] == 0
    calls = sorted(one["texts"]["report"].split("Call ")[1][:1] for one in records().values())
    assert calls == ["1", "2", "3"]


def test_it_sees_no_key_and_none_of_the_run_and_its_prints_are_kept(box: Path, file: Path) -> None:
    words = [sys.executable, "-m", "drr", *map(str, running(box, "curious", "--limit", 1))]
    keys = {**os.environ, "OPENAI_API_KEY": "hidden-key"}
    ran = subprocess.run(words, env=keys, capture_output=True, text=True, check=False)
    (one,) = records().values()
    assert ran.returncode == 0 and "It finds 0 of what is not its own" in one["texts"]["report"]
    assert "printed" not in ran.stdout + ran.stderr
    assert one["texts"]["stderr"] == "printed 0\nand said\n"


def test_a_call_from_a_thread_is_answered_while_the_agent_blocks(box: Path, file: Path, drr: Drr) -> None:
    code, _, err = drr(*running(box, "from_a_thread", "--limit", 1))
    assert code == 0, err
