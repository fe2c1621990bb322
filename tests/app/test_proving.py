"""A proof of rewards passes on the sample, and finds every kind of flaw that is planted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from drr.app.training.environment import Environment
from drr.app.training.proving import ENOUGH, RewardProof, player_row, prove
from drr.app.training.tricks import TRICKS
from drr.env.progress import Quiet
from drr.env.query import Query
from drr.env.shop import Shop
from drr.querygen.files import line_of

from tests.app.conftest import truth_of
from tests.commands import Drr

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("kept_questions")]

SEEDS = range(15, 17)


@pytest.fixture(scope="module")
def made(shop: Shop) -> Sequence[Query]:
    with Environment(shop) as env:
        return env.questions(SEEDS)


def changed(query: Query, text: str = "", **fields: Any) -> Query:
    truth = truth_of(query).model_copy(update=fields)
    return query.model_copy(update={"checkable": truth, "query": query.query + text})


def proof_of(shop: Shop, query: Query) -> RewardProof:
    with Environment(shop, [query], max_steps=12) as env:
        return prove(env, env.questions(()), Quiet())


def test_the_sample_passes(drr: Drr, sample_home: Path, made: Sequence[Query], tmp_path: Path) -> None:
    path, out = tmp_path / "q.jsonl", tmp_path / "rewards.html"
    path.write_text("".join(line_of(one) + "\n" for one in made))
    shop = str(sample_home / "shop")
    proof = drr.json("judges", "rewards", "--shop", shop, "--queries", path, "--out", out)
    assert (proof["passed"], proof["questions"], proof["unmet"], proof["leaks"]) == (True, len(made), [], [])
    tricks = [row for row in proof["rows"] if row["part"] == "trick"]
    assert len({row["name"] for row in tricks}) == len(TRICKS) >= 50
    assert [row["mean"] for row in proof["rows"] if row["part"] == "oracle"] == [1.0]
    page = out.read_text()
    assert all(row["name"].replace("'", "&#39;") in page for row in proof["rows"])
    assert "passed" in page and "FAIL" not in page


def test_what_is_unmet_is_named(drr: Drr, sample_home: Path, made: Sequence[Query], tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(line_of(changed(made[0], plan=[])) + "\n")
    shop = str(sample_home / "shop")
    words = ("--shop", shop, "--queries", path, "--quiet")
    text = drr.out("judges", "rewards", *words, code=1)
    assert f"{made[0].id}: the oracle is paid 0.000 (answered); short of" in text


def test_an_id_shown_before_a_tool_returns_it_is_a_leak(shop: Shop, made: Sequence[Query]) -> None:
    query = next(one for one in made if truth_of(one).needs and truth_of(one).needs[0].products)
    product = truth_of(query).needs[0].products[0]
    assert proof_of(shop, query)["leaks"] == []
    found = proof_of(shop, changed(query, f" Is it {product}?"))
    assert not found["passed"]
    assert {(one["found"], one["step"]) for one in found["leaks"]} >= {(product, 0)}


def test_a_question_that_a_trick_answers_fails(shop: Shop, made: Sequence[Query]) -> None:
    query = next(one for one in made if truth_of(one).needs and truth_of(one).needs[0].products)
    need = truth_of(query).needs[0]
    with Environment(shop) as env:
        env.reset(query=query)
        kind = " > ".join(need.category)
        arguments = {"query": need.category[-1], "category": kind, "match": "any", "limit": 50}
        env.step({"tool": "product_catalog_search", "arguments": arguments})
        whole_kind = [str((one.record or {})["product_id"]) for one in env.episode.session.sources]
    loose = need.model_copy(update={"products": whole_kind, "picks": 1})
    asked = query.model_copy(update={"query": f'1. One product of "{kind}".'})
    proof = proof_of(shop, changed(asked, needs=[loose], facts=[], budget=None))
    failed = {row["name"] for row in proof["rows"] if not row["passed"]}
    assert {"the first of the kinds", "the cheapest of the kinds"} <= failed
    assert not proof["passed"]


@pytest.mark.parametrize(
    ("paid", "passes"),
    [
        ([1.0], False),
        ([1.0] + [0.0] * 9, True),
        ([1.0] * 2 + [0.0] * 18, True),
        ([1.0] * 6 + [0.0] * 14, False),
        ([0.06] * 20, False),
        ([1.0] * 3 + [0.0] * (ENOUGH - 3), True),
        ([1.0] * 4 + [0.0] * (ENOUGH - 4), False),
    ],
)
def test_a_lucky_guess_among_few_questions_is_no_flaw_and_a_habit_is(paid: list[float], passes: bool) -> None:
    assert player_row("trick", "guess", paid)["passed"] is passes
