"""Questions whose points bind one another are asked, played and paid by their own form; others are asked as before."""

from __future__ import annotations

import json
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from drr.agents.brief import asking_for_form
from drr.agents.runner import load_prompts
from drr.app.training.environment import Environment
from drr.app.training.episode import ACTING, given_tools, instructions_of
from drr.app.training.episode_tasks import APART, task_of
from drr.app.training.points_tricks import POINTS_TRICKS
from drr.app.training.proving import oracle, play_episode, prove
from drr.app.training.transcripts import read
from drr.app.training.tricks import TRICKS
from drr.env.checkable import Checkable, PlanStep
from drr.env.entities import Order, Product
from drr.env.errors import Misuse
from drr.env.points import JointRule, PointTruth, RightPick
from drr.env.progress import Quiet
from drr.env.query import Query
from drr.env.shop import Shop
from drr.eval.rewards.answer_forms import PointsForm

pytestmark = pytest.mark.usefixtures("kept_questions")

BEFORE = {
    "answer_form": "c14c9f05407bdac3bea0b4f3d0fb8617f53101148a975426f4d0c98323dbd5d0",
    "retail": "28eb101fcb4ae12cbb3fb7d4f420c4e722945e4ddb7d5dc9022c4d63231dab2c",
    "schema": "eba63df66aeaaabfae6db85323949a7818e35981bb1498679462608b54b50e94",
}  # fmt: skip
"""Hashes of what questions of 0.2.0 are asked by."""


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def test_other_questions_are_asked_as_before() -> None:
    task = task_of(Query(query="Which?", user_id="U", checkable=Checkable()))
    assert task is APART
    asked = {
        "answer_form": _hash(asking_for_form(load_prompts())["answer_form"]),
        "retail": _hash(task.instructions(ACTING)),
        "schema": _hash(json.dumps(task.form, sort_keys=True)),
    }
    assert asked == BEFORE


def question(shop: Shop, order: Order, number: int) -> Query:
    """A bundle of two products by one maker, an order's day, and a point that no record decides."""
    (first,) = shop.store.products([order.product_id])
    near = [one for one in shop.store.iter_products() if one.store == first.store and one.price]
    others = [one for one in near if one.product_id != first.product_id and first.price and first.store]
    chosen: list[tuple[Product, int]] = [(first, 1), (others[0], 3)]
    total = sum(pieces * (one.price or 0) for one, pieces in chosen)
    steps = [
        PlanStep(tool="get_product_details", arguments={"product_id": one.product_id}) for one, _ in chosen
    ]
    truth = Checkable(
        points=[
            *(PointTruth(picks=[RightPick(product=p.product_id, pieces=n)]) for p, n in chosen),
            PointTruth(
                figure=order.order_date[:10], sources=[f"user://{order.user_id}/orders/{order.order_id}"]
            ),
            PointTruth(status="cannot_be_told"),
        ],
        rules=[JointRule(points=[1, 2], total_max=total), JointRule(points=[1, 2], same="Brand")],
        plan=[PlanStep(tool="get_user_orders", arguments={"limit": 100}), *steps],
    )
    text = (
        "Take these, by one maker.\n1. What I bought last, again.\n2. Three of what goes with it.\n"
        "3. When did I buy it?\n4. Which of the two is quieter?"
    )
    return Query(id=f"joint-{number}", query=text, user_id=order.user_id, checkable=truth)


@pytest.fixture(scope="module")
def joint(shop: Shop) -> list[Query]:
    found: list[Query] = []
    for user in shop.store.sample_users(60, seed=3, min_orders=3):
        with suppress(LookupError):
            found.append(question(shop, shop.store.orders(user, limit=100).items[-1], len(found)))
    assert len(found) >= 6
    return found[:6]


def test_the_form_and_its_words_are_chosen_by_the_question(shop: Shop, joint: list[Query]) -> None:
    with Environment(shop, joint) as env:
        first = env.reset(query=joint[0].id)
        assert first.form == PointsForm.model_json_schema()
        assert "cannot_be_told" in first.instructions and "{" in first.instructions
        told, tools = instructions_of(env.task), given_tools(env.task)
        assert "cannot_be_told" in told and '"report"' not in told
        form = tools[-1].schema["properties"]["form"]
        assert {**form, "$defs": tools[-1].schema["$defs"]} == first.form
        truth = joint[0].checkable
        assert truth is not None and truth.points[0].picks[0].product not in json.dumps(first.to_dict())
        *_, info = env.step({"report": "", "form": {"picks": ["B0"]}})
        assert info["error"] is not None and info["error"]["kind"] == "invalid_action"
        old = env.questions(())[0].model_copy(update={"checkable": Checkable()})
    with Environment(shop) as other, pytest.raises(Misuse, match="of two tasks"):
        Environment(shop, [joint[0], *other.questions([1])])
    assert old.checkable == Checkable()


def test_calls_of_tools_have_a_limit_of_their_own(shop: Shop, joint: list[Query]) -> None:
    truth = joint[0].checkable
    assert truth is not None
    least = joint[0].model_copy(update={"checkable": truth.model_copy(update={"least": 1})})
    look = {"tool": "get_user_orders", "arguments": {"limit": 1}}
    with Environment(shop, [least], calls="tight") as env:
        first = env.reset()
        assert first.limits.max_calls == 3 and "called 3 times" in first.instructions
        steps = [env.step(one) for one in (look, {"report": 1}, look, look)]
        assert [done for _, _, done, _ in steps] == [False] * 4
        assert "Hand in your answer now" in steps[-1][0].text and "Hand in" not in steps[-2][0].text
        assert env.step({"report": "None.", "form": None})[3]["ending"] == "answered"
        env.reset()
        *_, (_, paid, done, info) = [env.step(look) for _ in range(4)]
        assert (paid, done, info["ending"], len(env.transcript().steps)) == (0.0, True, "out_of_calls", 4)
    with Environment(shop, joint, calls="wide") as env:
        assert env.reset().limits.max_calls == 150
    with Environment(shop, joint, calls="tight") as env, pytest.raises(Misuse, match="least"):
        env.reset()


@pytest.mark.slow
def test_only_a_real_answer_is_paid(shop: Shop, joint: list[Query]) -> None:
    with Environment(shop, joint, max_steps=15) as env:
        proof = prove(env, joint, Quiet())
    assert {row["name"]: row["mean"] for row in proof["rows"] if not row["passed"]} == {}
    assert (proof["unmet"], proof["unequal"], proof["leaks"]) == ([], [], [])
    tricks = {row["name"]: row["mean"] for row in proof["rows"] if row["part"] == "trick"}
    assert len(tricks) == len(TRICKS) + len(POINTS_TRICKS)
    assert max(tricks.values()) <= 0.05, "not by the breadth of an interval"


def test_an_episode_is_paid_again_from_its_transcript(shop: Shop, joint: list[Query], tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    with Environment(shop, joint, transcripts=path) as env:
        play_episode(env, joint[0], oracle)
        assert env.state["reward"] == 1
    (kept,) = read(path)
    again: Any = kept.regraded()
    assert again.reward == kept.reward == 1 and isinstance(again.form, PointsForm)
