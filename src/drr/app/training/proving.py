"""Proves that only real answers earn rewards, by scripted agents: an oracle that knows the truth, empty answers, and tricks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import Literal, NotRequired, TypedDict

import numpy as np
import orjson
from drr.app.training.environment import Environment
from drr.app.training.odd_questions import OddQuestions
from drr.app.training.points_tricks import POINTS_TRICKS
from drr.app.training.tricks import FLOOR, TRICKS, Play, Trick, hand_in_action
from drr.env.json_object import JsonObject
from drr.env.points import PointTruth
from drr.env.progress import Progress
from drr.env.query import Query
from drr.eval.rewards.components import COMPONENTS
from drr.eval.rewards.rewarded import truth_of
from drr.eval.stats.intervals import student_interval

ABOVE_FLOOR = 0.05
"""Largest mean reward that a trick may get."""
ENOUGH = round(3 / ABOVE_FLOOR)
"""Number of questions that settle a trick's mean. A trick that never gets a reward then has a true mean of at most `ABOVE_FLOOR` (rule of three).

With fewer questions a trick fails only where the 95 % interval of its mean lies above `ABOVE_FLOOR`.
"""
PAGE = Path(__file__).parent / "proof.html"


Part = Literal["oracle", "floor", "trick"]


class PlayerRow(TypedDict):
    """The rewards of one scripted agent over all questions."""

    part: Part
    name: str
    mean: float
    least: float
    most: float
    limit: float
    """Limit of the mean: a minimum for the oracle, a maximum for other agents."""
    passed: bool


class UnmetQuestion(TypedDict):
    """A question for which the oracle gets less than the full reward."""

    query_id: str
    reward: float
    ending: str | None
    short: dict[str, float]
    """Components of the reward below 1, by name."""


class FoundLeak(TypedDict):
    query_id: str
    player: str
    step: int
    found: str
    """An id of the true answer that an agent was shown before any tool returned the id."""


class RewardProof(TypedDict):
    """The document of `drr judges rewards --json`."""

    schema: int
    shop: str
    questions: int
    passed: bool
    rows: list[PlayerRow]
    unmet: list[UnmetQuestion]
    unequal: list[str]
    """Ids of questions whose second run gave different bytes."""
    leaks: list[FoundLeak]
    weights: dict[str, float]
    versions: dict[str, int]
    odd_questions: NotRequired[OddQuestions]
    """Questions that good systems miss, where systems were named."""


def oracle(query: Query, play: Play) -> None:
    """Play a question as the oracle: call the tools of the known plan and answer with the truth."""
    truth = truth_of(query)
    for step in truth.plan:
        play.call(step.tool, **step.arguments)
    if truth.points:
        return play.act(_points_answer(truth.points, play))
    shown = [one.record for one in play.env.episode.session.sources if one.type == "product" and one.record]
    unknown = {record["product_id"] for record in shown if record["price"] is None}  # a price of 0 is known
    known = sorted(play.products, key=lambda one: (one.id in unknown, one.price))
    chosen = []
    for need in sorted(truth.needs, key=lambda one: len(one.products)):
        if need.refusal is None:
            chosen += [one for one in known if one.id in need.products and one not in chosen][: need.picks]
    returned = play.seen[-1][1] if play.seen else frozenset()
    facts = list(enumerate(truth.facts, len(truth.needs) + 1))
    cited = [f"- {n}: {one.value} [it]({url})" for n, one in facts for url in one.sources if url in returned]
    refusals = [(point, need.refusal) for point, need in enumerate(truth.needs, 1) if need.refusal]
    lists = ["## Picks", *(f"- {one.link}" for one in chosen), "## Figures", *cited, "## Refusals"]
    report = "\n".join([*lists, *(f"- {point}: {why}" for point, why in refusals)])
    picks, figures = (one.id for one in chosen), ((point, one.value) for point, one in facts)
    return play.act(hand_in_action(report, picks, figures, refusals))


def _points_answer(points: Sequence[PointTruth], play: Play) -> JsonObject:
    """Return the action that hands in the truth about points which bind one another."""
    links = {one.id: one.link for one in play.products}
    returned = play.seen[-1][1] if play.seen else frozenset()
    numbered = list(enumerate(points, 1))
    picks = [
        f"- {n}: {p.pieces} x {links.get(p.product, p.product)}" for n, one in numbered for p in one.picks
    ]
    figures = [
        f"- {n}: {one.figure} {' '.join(f'[it]({url})' for url in one.sources if url in returned)}"
        for n, one in numbered
        if one.figure is not None
    ]
    refusals = [f"- {n}: {one.status}" for n, one in numbered if one.status != "answered"]
    rows = [{"point": n, **one.model_dump(include={"status", "picks", "figure"})} for n, one in numbered]
    lists = ["## Picks", *picks, "## Figures", *figures, "## Refusals", *refusals]
    return {"report": "\n".join(lists), "form": {"points": rows}}


Player = Callable[[Query, Play], None]


def players(query: Query) -> Iterator[tuple[Part, str, Player]]:
    """Yield every scripted agent for questions of this one's task, as part, name and function."""
    tricks = (*TRICKS, *POINTS_TRICKS) if truth_of(query).points else TRICKS
    yield "oracle", "oracle", oracle
    yield from (("floor", one.name, partial(_trick, one)) for one in FLOOR)
    yield from (("trick", one.name, partial(_trick, one)) for one in tricks)


def _trick(trick: Trick, _: Query, play: Play) -> None:
    trick.play(play)


def play_episode(env: Environment, query: Query, player: Player) -> Play:
    """Return the finished episode of one question, played by a scripted agent."""
    play = Play(env, env.reset(query=query))
    player(query, play)
    return play


def episode_hash(play: Play) -> bytes:
    """Return a hash of an episode's observations, rewards and trainer facts."""
    whole = sha256(orjson.dumps(play.first.to_dict()))
    for (seen, *rest), _ in play.seen:
        whole.update(orjson.dumps([seen.text, seen.steps_left, *rest]))
    return whole.digest()


def early_answer_ids(play: Play, query: Query) -> Iterator[tuple[int, str]]:
    """Yield step and id for each id of the true answer that an observation shows too early. Too early is before any tool returned the id."""
    truth = truth_of(query)
    ids = {one for need in truth.needs for one in need.products}
    ids |= {pick.product for point in truth.points for pick in point.picks}
    ids |= {one for fact in truth.facts if fact.kind not in ("spend_year", "page") for one in fact.subjects}
    shown = [(orjson.dumps(play.first.to_dict()).decode(), frozenset[str]())]
    shown += [(step[0].text, returned) for step, returned in play.seen]
    for number, (text, returned) in enumerate(shown):
        yield from ((number, one) for one in sorted(ids - returned) if one in text)


def prove(env: Environment, queries: Sequence[Query], progress: Progress) -> RewardProof:
    """Return the proof, made by playing every question with every scripted agent, and a second time with the oracle."""
    rows, unmet, unequal, found = list[PlayerRow](), list[UnmetQuestion](), list[str](), list[FoundLeak]()
    known = list(players(queries[0]))
    with progress.stage("scripted agents", len(known), "agents") as stage:
        for part, name, player in known:
            paid = list[float]()
            for query in queries:
                play = play_episode(env, query, player)
                paid.append(env.state["reward"])
                found += [
                    {"query_id": query.id, "player": name, "step": step, "found": one}
                    for step, one in early_answer_ids(play, query)
                ]
                if part == "oracle":
                    unmet += _unmet(query, play, paid[-1])
                    if episode_hash(play) != episode_hash(play_episode(env, query, player)):
                        unequal.append(query.id)
            rows.append(player_row(part, name, paid))
            stage.advance()
    return {
        "schema": 1,
        "shop": env.shop,
        "questions": len(queries),
        "passed": all(row["passed"] for row in rows) and not unequal and not found,
        "rows": rows,
        "unmet": unmet,
        "unequal": unequal,
        "leaks": found,
        "weights": {one.name: one.weight for one in COMPONENTS},
        "versions": {one.name: one.version for one in COMPONENTS},
    }


def _unmet(query: Query, play: Play, total: float) -> Iterator[UnmetQuestion]:
    if total < 1:
        info = play.seen[-1][0][3]
        short = {name: value for name, value in info["components"].items() if value is not None and value < 1}
        yield {"query_id": query.id, "reward": total, "ending": info["ending"], "short": short}


def player_row(part: Part, name: str, paid: Sequence[float]) -> PlayerRow:
    """Return the row of one agent: its mean, least and largest reward, and whether its limit is kept."""
    mean = fmean(paid)
    limit = {"oracle": 1.0, "floor": 0.0, "trick": ABOVE_FLOOR}[part]
    reach = student_interval(mean, np.array(paid)) if len(paid) < ENOUGH else None
    sure = reach.low if reach else mean
    passed = mean >= limit if part == "oracle" else max(paid) <= limit if part == "floor" else sure <= limit
    return {
        "part": part,
        "name": name,
        "mean": round(mean, 4),
        "least": min(paid),
        "most": max(paid),
        "limit": limit,
        "passed": passed,
    }


def page(proof: RewardProof) -> str:
    """Return the proof as one self-contained HTML page."""
    from jinja2 import Environment as Templates

    template = Templates(autoescape=True, trim_blocks=True).from_string(PAGE.read_text(encoding="utf-8"))
    return template.render(proof=proof, above=ABOVE_FLOOR, enough=ENOUGH)
