"""The cost of running an agent beside its model: our ReAct unit, and LangGraph's prebuilt agent on the same script.

    python -m benchmarks.harness          # all of it: minutes, most of them spent waiting on simulated latency
    python -m benchmarks.harness calls    # time per model call only

The model is scripted: ten calls of the calculator, one a turn, then a text. The tools are the same functions over the same
shop. Our side runs through the study: claimed, metered, recorded, committed. The prebuilt side is invoked bare.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from drr.agents.registry import variant
from drr.agents.runner import AgentOptions, load_prompts, run_variant
from drr.app.study.specs import AnswerSpec, split_record
from drr.env.session import Session
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop
from drr.env.shop_world import ShopWorld
from drr.env.web.sandbox import Document, Sandbox
from drr.llm.factory import Models
from drr.llm.models import ModelSettings
from drr.llm.offline import OfflineChatModel
from drr.study.run import Pace, run
from drr.study.study import Study
from drr.study.unit import Outcome, Unit
from drr.study.worker import Context
from drr.tools.base import context_for
from drr.tools.langchain import langchain_tools
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from benchmarks.results import record, table
from tests.agents.garden import ANNA, write_shop

TOOL_CALLS = 10
ROUNDS = 40
IN_FLIGHT = 1_000
QUESTION = "What do three feeders cost?"


def script(calls: int) -> Any:
    def policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        done = sum(isinstance(message, ToolMessage) for message in messages)
        if done < calls:
            expression = f"{done} + {done} * 19.99"
            return AIMessage(
                f"step {done}",
                tool_calls=[{"name": "calculator", "args": {"expression": expression}, "id": f"c{done}"}],
            )
        return AIMessage("# Three feeders\n\nThey cost $59.97.")

    return policy


class Bench:
    def __init__(self, shop: Shop, calls: int, latency_s: float) -> None:
        self.shop = shop
        self.web = Sandbox([Document(url="https://x.example/a", title="a", text="a")])
        self.prompts = load_prompts()
        self.react = variant("react")
        self.policy = script(calls)
        self.latency_s = latency_s

    def models(self) -> Models:
        settings = ModelSettings({}, concurrency=IN_FLIGHT, offline_latency_s=self.latency_s)
        return Models(settings)

    async def ours(self, spec: Mapping[str, Any], context: Context) -> Outcome:
        answer = await run_variant(
            self.react,
            QUESTION,
            world=ShopWorld(Session(self.shop, ANNA), self.web),
            models={"agent": context.models.role("agent", self.policy)},
            meter=context.meter,
            prompts=self.prompts,
            options=AgentOptions(),
        )
        asked = AnswerSpec(query_id="q", query=QUESTION, user_id=ANNA, variant="react", trial=spec["trial"])
        return split_record(answer, asked)

    def prebuilt(self) -> Any:
        from langgraph.prebuilt import create_react_agent

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = OfflineChatModel(policy=self.policy, latency_s=self.latency_s)
            return create_react_agent(
                model,
                langchain_tools(context_of=lambda context: context),
                prompt=self.prompts.fill("react", steps="25", **self._rest()),
            )

    def _rest(self) -> dict[str, str]:
        return dict.fromkeys(self.prompts["react"].slots - {"steps"}, "x")

    async def ask_prebuilt(self, agent: Any) -> None:
        context = context_for(Session(self.shop, ANNA), self.web, top_k=5)
        await agent.ainvoke({"messages": [HumanMessage(QUESTION)]}, {"recursion_limit": 60}, context=context)


def units(first: int, count: int) -> list[Unit]:
    return [Unit("answer", {"trial": n}, {"trial": n}, f"u{n}") for n in range(first, first + count)]


async def per_call(bench: Bench, study: Study) -> dict[str, Any]:
    """One unit at a time, ours and the prebuilt one in turn; milliseconds per model call.

    Ours is timed twice: each unit a run of its own, which opens and ends one, and units of one run, as a study has them.
    """
    agent = bench.prebuilt()
    ours: list[float] = []
    together: list[float] = []
    theirs: list[float] = []
    models = bench.models()
    for number in range(-5, ROUNDS):
        started = time.perf_counter()
        summary = await run(study, units(number, 1), bench.ours, models=models, pace=Pace(units=1))
        assert summary.done == 1, summary
        ours.append((time.perf_counter() - started) * 1e3)
        started = time.perf_counter()
        await bench.ask_prebuilt(agent)
        theirs.append((time.perf_counter() - started) * 1e3)
    for number in range(ROUNDS, 11 * ROUNDS, ROUNDS):
        started = time.perf_counter()
        await run(study, units(number, ROUNDS), bench.ours, models=models, pace=Pace(units=1))
        together.append((time.perf_counter() - started) * 1e3 / ROUNDS)
    calls = next(study.records()).usage["agent"]["calls"]
    alone = [o / calls for o in ours[5:]]
    prebuilt = [t / (TOOL_CALLS + 1) for t in theirs[5:]]
    return {
        "calls": calls,
        "ours_ms": median(alone),
        "together_ms": median(together) / calls,
        "prebuilt_ms": median(prebuilt),
        "max_ms": max(alone),
    }


async def in_flight(bench: Bench, study: Study, count: int) -> dict[str, Any]:
    started = time.perf_counter()
    summary = await run(study, units(0, count), bench.ours, models=bench.models(), pace=Pace(units=count))
    wall = time.perf_counter() - started
    assert summary.done == count, summary
    calls = next(study.records()).usage["agent"]["calls"]
    return {"wall_s": wall, "ideal_s": calls * bench.latency_s, "calls": calls * count, "peak_mib": _peak()}


async def prebuilt_in_flight(bench: Bench, count: int) -> dict[str, Any]:
    agent = bench.prebuilt()
    await bench.ask_prebuilt(agent)
    started = time.perf_counter()
    await asyncio.gather(*(bench.ask_prebuilt(agent) for _ in range(count)))
    wall = time.perf_counter() - started
    calls = count * (_calls_of(bench) + 1)
    return {
        "wall_s": wall,
        "ideal_s": (_calls_of(bench) + 1) * bench.latency_s,
        "calls": calls,
        "peak_mib": _peak(),
    }


def _calls_of(bench: Bench) -> int:
    transcript: list[BaseMessage] = [HumanMessage("q")]
    while (reply := bench.policy(transcript, {})).tool_calls:
        transcript += [reply, ToolMessage("x", tool_call_id="x")]
    return (len(transcript) - 1) // 2


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def child(what: str, calls: int, latency_s: float, count: int) -> None:
    settings = Settings()
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_shop(str(folder / "shop"), settings)
        with open_shop(str(folder / "shop"), settings) as shop, Study.create(folder / "study", {}) as study:
            bench = Bench(shop, calls, latency_s)
            if what == "calls":
                told = asyncio.run(per_call(bench, study))
            elif what == "ours":
                told = asyncio.run(in_flight(bench, study, count))
            else:
                told = asyncio.run(prebuilt_in_flight(bench, count))
    print(json.dumps(told))


def measure(what: str, calls: int = TOOL_CALLS, latency_s: float = 0.0, count: int = 1) -> dict[str, Any]:
    """Measure in a process of its own, so that memory is that run's alone."""
    words = [
        sys.executable,
        "-m",
        "benchmarks.harness",
        "--child",
        what,
        str(calls),
        str(latency_s),
        str(count),
    ]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=("all", "calls", "flight"), default="all")
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        what, calls, latency, count = arguments.child
        child(what, int(calls), float(latency), int(count))
        return 0
    parts = []
    good = True
    if arguments.what in ("all", "calls"):
        one = measure("calls")
        good &= one["ours_ms"] <= 5
        parts.append(
            f"ReAct with {TOOL_CALLS} tool calls and a scripted model. Without latency a model call of our unit takes "
            f"{one['ours_ms']:.2f} ms, LangGraph's prebuilt agent {one['prebuilt_ms']:.2f} ms; ours claims, meters, records and commits "
            "besides."
        )
    if arguments.what in ("all", "flight"):
        rows = []
        for latency, calls in ((20.0, 4), (2.0, TOOL_CALLS)):
            told = {what: measure(what, calls, latency, IN_FLIGHT) for what in ("ours", "prebuilt")}
            for what, label in (("ours", "our ReAct in a study"), ("prebuilt", "prebuilt agent, bare")):
                t = told[what]
                cells = (
                    f"{t['wall_s'] / t['ideal_s']:.2f}",
                    f"{t['calls'] / t['wall_s']:.0f}",
                    f"{t['peak_mib']:.0f}",
                )
                rows.append((f"{latency:g} s", label, *cells))
            mine, theirs = told["ours"], told["prebuilt"]
            share = (mine["calls"] / mine["wall_s"]) / (theirs["calls"] / theirs["wall_s"])
            good &= share >= 0.7 and mine["peak_mib"] <= 2_048
            if latency == 20.0:
                good &= mine["wall_s"] <= 1.1 * mine["ideal_s"]
        parts.append(f"{IN_FLIGHT:,} units in flight in one process:")
        parts.append(table(["latency", "", "x ideal time", "calls/s", "peak MiB"], rows))
    record("Harness", "\n\n".join(parts))
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
