"""The environment to train in: steps beside bare calls of a session, searches, rewards, memory, and many episodes at once.

    python -m benchmarks.environment [--shop SHOP] [--sessions 512]

Without `--shop` the sample of seed 7 is made. Steps go through a user's orders again and again. Episodes are those of the oracle, along the plans of questions made by seed.
"""

from __future__ import annotations

import argparse
import asyncio
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

from drr.app.cli import main as drr_main
from drr.app.session import ToolSession
from drr.app.training.environment import Environment
from drr.app.training.proving import oracle, play_episode
from drr.env.query import Query
from drr.env.shop import Store
from drr.env.text import tokens
from drr.eval.rewards.answer_forms import AnswerForm
from drr.eval.rewards.components import reward
from drr.eval.rewards.rewarded import Rewarded

from benchmarks.results import record, table

HEADING = "The environment to train in"
STEPS = 4_000
FIRST = 200
RECORD_TOOLS = (
    "get_product_details",
    "get_order_details",
    "get_user_profile",
    "get_user_statistics",
    "get_user_orders",
)
QUESTIONS = 40


@contextmanager
def sample() -> Iterator[str]:
    with TemporaryDirectory() as folder:
        raw, shop = Path(folder, "raw"), Path(folder, "shop")
        assert drr_main(["data", "sample", str(raw), "--seed", "7", "--quiet"]) == 0
        assert drr_main(["data", "ingest", str(raw), "--shop", str(shop), "--quiet"]) == 0
        yield str(shop)


def rate(work: Callable[[int], object], count: int) -> float:
    """Calls per second of processor time; the best of three."""
    work(0)
    best = float("inf")
    for _ in range(3):
        began = time.process_time()
        for number in range(count):
            work(number)
        best = min(best, time.process_time() - began)
    return count / best


Given = list[dict[str, Any]]
"""Arguments of calls of one tool."""


def record_calls(store: Store, user: str) -> dict[str, Given]:
    """Calls about each of a user's orders, by tool."""
    orders = store.orders(user).items
    return {
        "get_product_details": [{"product_id": one.product_id} for one in orders],
        "get_order_details": [{"order_id": one.order_id} for one in orders],
        "get_user_profile": [{}],
        "get_user_statistics": [{}],
        "get_user_orders": [{}],
        "calculator": [{"expression": "3 * 19.99"}],
    }


def first_looks(shop: str, tool: str) -> float:
    """Calls per second of processor time in a shop that was just opened, each of another user about the newest order."""
    with Environment(shop) as env:
        session = env._shared.session
        store = session.world.session.shop.store  # type: ignore[union-attr]
        users = store.sample_users(FIRST, seed=5, min_orders=1)
        calls = [(session.beside(user), record_calls(store, user)[tool][0]) for user in users]
        began = time.process_time()
        for beside, given in calls:
            beside.call(tool, **given)
        return len(calls) / (time.process_time() - began)


def titles(env: Environment) -> list[str]:
    """Queries of three words of titles, each another."""
    rng = Random(4)
    shop = env.episode.session.world.session.shop  # type: ignore[union-attr]
    found = [tokens(product.title) for product in shop.store.iter_products()]
    return [" ".join(rng.sample(words, 3)) for words in found if len(words) > 3][:1_000]


def compared(env: Environment, tool: str, given: Given, count: int, first: str) -> list[object]:
    """Make a row of the table: steps of the environment beside calls of a bare session of the same user."""
    env.reset(seed=0)
    bare: ToolSession = env._shared.session.beside(env.episode.query.user_id)
    ours = rate(lambda number: env.step({"tool": tool, "arguments": given[number % len(given)]}), count)
    theirs = rate(lambda number: bare.call(tool, **given[number % len(given)]), count)
    return [tool, f"{ours:,.0f}", f"{ours / theirs:.2f}", first]


def steps(shop: str) -> list[list[object]]:
    first = {tool: f"{first_looks(shop, tool):,.0f}" for tool in RECORD_TOOLS}
    with Environment(shop, max_steps=10**9, time_limit_s=1e9) as env:
        env.reset(seed=0)
        asked: Given = [{"query": words} for words in titles(env)]
        store = env.episode.session.world.session.shop.store  # type: ignore[union-attr]
        calls = record_calls(store, env.episode.query.user_id)
        rows = [compared(env, tool, given, STEPS, first.get(tool, "")) for tool, given in calls.items()]
        return [*rows, compared(env, "product_catalog_search", asked, len(asked), "")]


def rewards(shop: str, questions: list[Query]) -> float:
    """Milliseconds of a reward, the median of the oracle's answers."""
    times = []
    with Environment(shop, questions) as env:
        for query in questions:
            sources = play_episode(env, query, oracle).env.episode.session.sources
            action: Any = env.episode.turns[-1].action
            form = AnswerForm.model_validate(action.form.model_dump())
            began = time.perf_counter()
            reward(Rewarded(query, action.report, form, sources))  # type: ignore[union-attr]
            times.append(1000 * (time.perf_counter() - began))
    return median(times)


def memory(shop: str, questions: list[Query], sessions: int) -> float:
    """Kilobytes that an episode holds at its end, conversation and sources, beside the open shop."""
    with ExitStack() as opened:
        first = opened.enter_context(Environment(shop, questions))
        for query in questions:
            play_episode(first, query, oracle)
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        for number in range(sessions):
            env = opened.enter_context(Environment(shop, questions))
            play_episode(env, questions[number % len(questions)], oracle)
        held = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
    return held / sessions / 1000


async def side_by_side(shop: str, questions: list[Query], sessions: int) -> dict[str, float]:
    """Play many episodes in one loop, all begun at once."""
    waits, endings = list[float](), list[str | None]()

    async def one(number: int) -> None:
        env = Environment(shop, questions)
        await env.areset(query=questions[number % len(questions)])
        truth = env.episode.query.checkable
        plan = [{"tool": one.tool, "arguments": one.arguments} for one in truth.plan] if truth else []
        for action in [*plan, {"report": "I do not know."}]:
            began = time.perf_counter()
            await env.astep(action)
            waits.append(time.perf_counter() - began)
        endings.append(env.state["ending"])
        await env.aclose()

    began = time.perf_counter()
    await asyncio.gather(*map(one, range(sessions)), return_exceptions=True)
    seconds = time.perf_counter() - began
    return {
        "ended": endings.count("answered") / sessions,
        "steps": len(waits),
        "seconds": seconds,
        "median": median(waits),
        "p99": quantiles(waits, n=100)[98],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shop")
    parser.add_argument("--sessions", type=int, default=512)
    arguments = parser.parse_args()
    with ExitStack() as opened:
        shop = arguments.shop or opened.enter_context(sample())
        rows = steps(shop)  # before anybody keeps the shop open
        keeper = opened.enter_context(Environment(shop))
        questions = list(keeper.questions(range(QUESTIONS)))
        paid, held = rewards(shop, questions), memory(shop, questions, 64)
        beside = asyncio.run(side_by_side(shop, questions, arguments.sessions))
    text = "Steps of one shopper's orders again and again; a first look is the first call about a shopper in a shop just opened.\n\n"
    text += table(["tool", "steps a CPU second", "x bare calls", "first looks a CPU second"], rows)
    text += (
        f"\n\nA reward takes {paid:.2f} ms (median). An episode holds {held:.0f} kB at its end. {arguments.sessions} episodes begun at once: "
        f"{beside['ended']:.1%} end, {beside['steps']:,.0f} steps in {beside['seconds']:.1f} s, a step waits {1000 * beside['median']:.0f} ms "
        f"(median) and {beside['p99']:.2f} s (99th percentile)."
    )
    record(HEADING, text)


if __name__ == "__main__":
    main()
