"""Answers a question by its truth: its plan, then the right form beside a report that cites it."""

from __future__ import annotations

from typing import Any, NamedTuple

from drr.app.training.environment import Environment
from drr.env.checkable import Checkable
from drr.env.source import Source


class Trajectory(NamedTuple):
    seed: int
    actions: list[dict[str, Any]]
    reward: float
    """What the environment itself pays for it."""
    components: dict[str, float | None]


def trajectory(env: Environment, seed: int) -> Trajectory:
    env.reset(seed=seed)
    truth = env.episode.query.checkable
    assert truth is not None
    actions: list[dict[str, Any]] = [{"tool": one.tool, "arguments": one.arguments} for one in truth.plan]
    for action in actions:
        env.step(action)
    actions.append(_answer(truth, env.episode.session.sources))
    _, reward, done, info = env.step(actions[-1])
    assert done
    return Trajectory(seed, actions, reward, info["components"])


def _answer(truth: Checkable, sources: tuple[Source, ...]) -> dict[str, Any]:
    products = [(one.record, one.url) for one in sources if one.type == "product" and one.record]
    prices = {str(record["product_id"]): record["price"] or 0.0 for record, _ in products}
    addresses = {str(record["product_id"]): url for record, url in products}
    picks: list[str] = []
    for need in sorted(truth.needs, key=lambda one: len(one.products)):
        right = [one for one in need.products if one in prices and one not in picks]
        picks += sorted(right, key=prices.__getitem__)[: need.picks if need.refusal is None else 0]
    facts = list(enumerate(truth.facts, len(truth.needs) + 1))
    refused = [(point, need.refusal) for point, need in enumerate(truth.needs, 1) if need.refusal]
    known = {one.url for one in sources}
    cited = [addresses[one] for one in picks]
    cited += [next(url for url in fact.sources if url in known) for _, fact in facts]
    form = {
        "picks": picks,
        "figures": [{"point": point, "value": fact.value} for point, fact in facts],
        "refusals": [{"point": point, "reason": why} for point, why in refused],
    }
    return {"report": " ".join(f"[source]({url})" for url in cited), "form": form}
