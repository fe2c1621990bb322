"""Plain work for studies under test: deterministic results, evidence shared by many units, real role calls."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from drr.env.errors import DrrError
from drr.env.source import Source
from drr.llm.factory import Models
from drr.llm.models import ModelSettings
from drr.study.evidence import pack_sources
from drr.study.unit import Kind, Outcome, Unit
from drr.study.worker import Context, Work, Workplace
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage


def policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
    return AIMessage(f"an answer to {messages[-1].text}")


def offline(**settings: Any) -> Models:
    return Models(ModelSettings({"default": "offline"}, max_tokens=40, **settings))


def units(count: int, kind: Kind = "answer", **more: Any) -> list[Unit]:
    return [
        Unit(kind, {"n": n, **more}, {"n": n, "query": f"question {n}", "variant": f"v{n % 3}"}, f"unit-{n}")
        for n in range(count)
    ]


async def answer(spec: Mapping[str, Any], context: Context) -> Outcome:
    """Two calls, three sources of which one is everybody's, a tool call, a report."""
    n = spec["n"]
    role = context.models.role("agent", policy)
    first = await role.reply([HumanMessage(f"plan {n}")])
    second = await role.reply([HumanMessage(f"report {n}")])
    seen = [
        Source(url="https://everybody.example/", type="web", title="Everybody's", seen="the same for all" * 9),
        Source(url=f"https://pages.example/{n % 7}", type="web", title=None, seen=f"page {n % 7} " * 20),
        Source(url=f"http://shop.example/{n}", type="product", title=f"P{n}", seen=f"p {n}", record={"n": n, "b": [1.5]}),
    ]  # fmt: skip
    rows, blobs = pack_sources(seen)
    text = f"result {n}"
    call = {
        "number": 1, "name": "search", "kind": "api", "arguments": {"q": n}, "researcher": None,
        "result_sha256": sha256(text.encode()).hexdigest(), "error": None, "seconds": 0.001 * os.getpid(),
    }  # fmt: skip
    result = {"variant": spec["variant"], "words": n, "tool_calls": [call], "sources": rows}
    kept = {**blobs, f"text:{call['result_sha256']}": text, "report": f"{first.text}\n{second.text}\n"}
    return Outcome({**result, "seconds": os.getpid() / 7}, kept)


@contextmanager
def opened(config: Mapping[str, Any]) -> Iterator[Workplace]:
    """A workplace from plain data: `die` names numbers whose unit ends its process, `once` in a file where it did.

    `begun` is a folder where every process that opens it leaves its number; with `save` every unit saves a text under way, and
    those of odd numbers hold it in the end.
    """
    die, once, pause = config.get("die", []), config.get("once"), config.get("pause", 0.0)

    async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
        outcome = await answer(spec, context)
        if config.get("save"):
            context.save("until-now", f"half of {spec['n']}")
            if spec["n"] % 2:
                outcome = Outcome(outcome.result, {**outcome.blobs, "until-now": f"half of {spec['n']}"})
        await asyncio.sleep(pause)
        if spec["n"] in die:
            if once is None:
                os._exit(9)
            with suppress(FileExistsError):
                (Path(once) / str(spec["n"])).mkdir()
                os._exit(9)
        return outcome

    if "begun" in config:
        (Path(config["begun"]) / str(os.getpid())).touch()
    if config.get("shop") == "gone":
        raise DrrError("gone: no shop")
    yield Workplace(work, offline())


def assert_same_tables(one: Path, other: Path) -> None:
    files = sorted(one.iterdir())
    assert len(files) == 8
    for file in files:
        assert file.read_bytes() == (other / file.name).read_bytes(), file.name


def logged(log: Path, pause_s: float = 0.0, work: Work = answer) -> Any:
    """The same work, or another, with a line in a file when a unit is begun: what was begun twice can be seen."""

    async def done(spec: Mapping[str, Any], context: Context) -> Outcome:
        line = f"{context.unit.key} {os.getpid()}\n".encode()
        descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)
        await asyncio.sleep(pause_s)
        return await work(spec, context)

    return done
