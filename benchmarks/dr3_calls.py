"""The cost of a unit of dr3 beside its model, in processor time per model call, beside ReAct's in turn.

    python -m benchmarks.dr3_calls

The model is scripted: ReAct and dr3's main agent each call the calculator nine times, and write. A second dr3 gives work to four
search agents at once, each of which searches four times. All run through the study: claimed, metered, recorded, committed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from drr.agents.registry import variant
from drr.agents.runner import run_variant
from drr.app.specs import AnswerSpec, kept
from drr.env.session import Session
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.env.shop_world import ShopWorld
from drr.study.run import Pace, run
from drr.study.study import Study
from drr.study.unit import Outcome
from drr.study.worker import Context
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from benchmarks.harness import QUESTION, Bench, script, units
from benchmarks.results import machine, record, table
from tests.agents.garden import ANNA, write_shop

CALLS, ROUNDS, BATCH = 9, 12, 10


def delegating(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
    """The main agent gives away four tasks; each search agent searches four times, and says so."""
    bound = {tool["function"]["name"] for tool in arguments.get("tools") or ()}
    done = sum(isinstance(message, ToolMessage) for message in messages)
    name, calls = ("search_pages", 4) if "search_pages" in bound else ("web_search", 1)
    if done >= 4:
        return AIMessage("# Three feeders\n\nThey cost $59.97.")
    argument = "task" if name == "search_pages" else "query"
    return AIMessage(
        "",
        tool_calls=[
            {"name": name, "args": {argument: f"feeder {done} {n}"}, "id": f"c{done}{n}"}
            for n in range(calls)
        ],
    )


class Dr3Bench(Bench):
    """One variant under one script."""

    def __init__(self, shop: Any, name: str, policy: Any) -> None:
        super().__init__(shop, CALLS, 0.0)
        self.variant, self.policy = variant(name), policy

    async def ours(self, spec: Mapping[str, Any], context: Context) -> Outcome:
        roles = {role: context.models.role(role, self.policy) for role in self.variant.roles}
        answer = await run_variant(
            self.variant,
            QUESTION,
            world=ShopWorld(Session(self.shop, ANNA), self.web),
            models=roles,
            meter=context.meter,
            prompts=self.prompts,
        )
        name = self.variant.name
        return kept(
            answer, AnswerSpec(query_id="q", query=QUESTION, user_id=ANNA, variant=name, trial=spec["trial"])
        )


async def measured(shop: Any, folder: Path) -> dict[str, tuple[int, float]]:
    """Measure each one's model calls a unit, and milliseconds of processor time for one, the median of the rounds."""
    benches = {
        "react": Dr3Bench(shop, "react", script(CALLS)),
        "dr3, the main agent alone": Dr3Bench(shop, "dr3", script(CALLS)),
        "dr3, four search agents": Dr3Bench(shop, "dr3", delegating),
    }
    studies = {name: Study.create(folder / str(number), {}) for number, name in enumerate(benches)}
    spent: dict[str, list[float]] = {name: [] for name in benches}
    for number in range(ROUNDS + 1):
        for name, bench in benches.items():
            started = time.process_time()
            batch = units(number * BATCH, BATCH)
            await run(studies[name], batch, bench.ours, models=bench.models(), pace=Pace(units=1))
            spent[name].append((time.process_time() - started) * 1e3 / BATCH)
    found = {}
    for name, study in studies.items():
        calls = sum(role["calls"] for role in next(study.records()).usage.values())
        found[name] = (calls, median(spent[name][1:]) / calls)
        study.close()
    return found


def main() -> None:
    with TemporaryDirectory() as folder:
        shop_folder = str(Path(folder) / "shop")
        settings = Settings(shop_url="http://ecommerce.example")
        write_shop(shop_folder, settings)
        with open_shop(shop_folder, settings) as shop:
            found = asyncio.run(measured(shop, Path(folder)))
    rows = [[name, calls, f"{ms:.2f}"] for name, (calls, ms) in found.items()]
    told = f"{machine()}; median of {ROUNDS} rounds of {BATCH} units each, in turn; `python -m benchmarks.dr3_calls`."
    record(
        "DR3 beside ReAct",
        f"{told}\n\n{table(['', 'model calls a unit', 'ms of processor time a call'], rows)}",
    )


if __name__ == "__main__":
    main()
