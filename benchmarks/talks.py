"""Talks with a shopper beside the retail tasks of tau-bench: gold paths, talking alone, speed, lines.

    git clone https://github.com/sierra-research/tau-bench tau
    python -m benchmarks.talks tau --shop monday/shop [--talks 115]

Of tau-bench its own environment, tools and reward run; `litellm`, which only its shopper's model needs, is left out. Both sides play the
gold path of each task with a shopper who says nothing.
"""

from __future__ import annotations

import argparse
import sys
import time
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from drr.app.training.environment import Environment
from drr.app.training.proving import oracle, play_episode
from drr.app.training.service_tricks import SERVICE_FLOOR, SERVICE_TRICKS
from drr.app.training.tricks import Play

from benchmarks.environment import rate
from benchmarks.results import record, table

READS = 1_000
HEADING = "Talks with a shopper"
ROOMS = Path(__file__).parents[1] / "src/drr"
OURS = (
    "env/service/*.py", "tools/cart.py", "querygen/service*.py", "querygen/shopper_voice.py", "eval/metrics/service.py", "app/study/person.py",
)  # fmt: skip
THEIRS = ("tau_bench/envs/*.py", "tau_bench/envs/retail/*.py", "tau_bench/envs/retail/tools/*.py")


class Silent:
    """A shopper of tau-bench who ends the talk at once."""

    def reset(self, instruction: str | None = None) -> str:
        return ""

    def step(self, content: str) -> str:
        return "###STOP###"

    def get_total_cost(self) -> float:
        return 0.0


def lines(root: Path, patterns: Sequence[str], *, tasks: bool = False) -> int:
    found = {
        path for pattern in patterns for path in root.glob(pattern) if path.stem.startswith("tasks") == tasks
    }
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in found)


def theirs(folder: Path) -> dict[str, object]:
    """Play every retail task of the test split with its own gold path, and with nothing at all."""
    sys.path.insert(0, str(folder))
    stub = types.ModuleType("litellm")
    stub.completion = None  # type: ignore[attr-defined]
    sys.modules.setdefault("litellm", stub)
    from tau_bench.envs import base  # type: ignore[import-not-found]
    from tau_bench.envs.retail.env import MockRetailDomainEnv  # type: ignore[import-not-found]
    from tau_bench.types import Action  # type: ignore[import-not-found]

    base.load_user = lambda **_: Silent()
    env: Any = MockRetailDomainEnv(task_index=0)
    stop = Action(name="respond", kwargs={"content": ""})
    refused, bad_tasks, silent, steps, gold = 0, set(), 0, 0, 0
    began = time.process_time()
    for index, task in enumerate(env.tasks):
        env.reset(task_index=index)
        for action in task.actions:
            answer = env.step(action)
            steps += 1
            if answer.observation.startswith("Error"):
                refused += 1
                bad_tasks.add(index)
        spoken = Action(name="respond", kwargs={"content": " ".join(task.outputs)})
        steps += 1
        gold += env.step(spoken).reward == 1
    seconds = time.process_time() - began
    env.reset(task_index=0)
    look = Action(name="get_order_details", kwargs={"order_id": next(iter(env.data["orders"]))})
    reading = rate(lambda _: env.step(look), READS)
    for index in range(len(env.tasks)):
        env.reset(task_index=index)
        silent += env.step(stop).reward == 1
    return {
        "tasks": len(env.tasks),
        "gold actions that are refused or raise": f"{refused} of {steps - len(env.tasks)}, in {len(bad_tasks)} tasks",
        "gold paths paid in full": gold,
        "tasks paid for silence": silent,
        "steps a second, with reset and reward": f"{steps / seconds:,.0f}",
        "reads of an order a second": f"{reading:,.0f}",
        "lines of code, without tasks": lines(folder, THEIRS),
        "lines of tasks by hand": lines(folder, THEIRS, tasks=True),
    }


def ours(shop: str, count: int) -> dict[str, object]:
    with Environment(shop, task="service") as env:
        queries = env.questions(range(count))
        refused, bad, gold, steps = 0, 0, 0, 0
        began = time.process_time()
        for query in queries:
            play = play_episode(env, query, oracle)
            wrong = sum(step[3]["error"] is not None for step, _ in play.seen)
            refused, bad, steps = refused + wrong, bad + bool(wrong), steps + len(play.seen)
            gold += env.state["reward"] == 1
        seconds = time.process_time() - began
        case = queries[0].service
        assert case is not None
        look = {"tool": "get_order_details", "arguments": {"order_id": case.orders[0].order_id}}
        with Environment(shop, [queries[0]], max_steps=4 * READS, time_limit_s=3600) as reader:
            reader.reset()
            reading = rate(lambda _: reader.step(look), READS)
        talking = [
            trick for trick in (*SERVICE_FLOOR, *SERVICE_TRICKS) if trick.name in ("do-nothing", "talk-only")
        ]
        paid = set()
        for trick in talking:
            for query in queries:
                play = Play(env, env.reset(query=query))
                trick.play(play)
                paid |= {query.id} if env.state["reward"] else set()
    return {
        "tasks": len(queries),
        "gold actions that are refused or raise": f"{refused} of {steps - len(queries)}, in {bad} tasks",
        "gold paths paid in full": gold,
        "tasks paid for silence": len(paid),
        "steps a second, with reset and reward": f"{steps / seconds:,.0f}",
        "reads of an order a second": f"{reading:,.0f}",
        "lines of code, without tasks": lines(ROOMS, OURS),
        "lines of tasks by hand": 0,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tau", type=Path, help="a clone of tau-bench")
    parser.add_argument("--shop", required=True)
    parser.add_argument("--talks", type=int, default=115)
    given = parser.parse_args()
    left, right = theirs(given.tau), ours(given.shop, given.talks)
    rows = [(name, left[name], right[name]) for name in left]
    head = (
        f"tau-bench retail at `59a200c`, test split, with its own code. "
        f"Ours are {given.talks} talks by seed in a shop of `drr shop make --seed 41`; silence is doing nothing, and asking all and doing nothing.\n\n"
    )
    record(HEADING, head + table(["", "tau-bench retail", "`--world service`"], rows))


if __name__ == "__main__":
    main()
