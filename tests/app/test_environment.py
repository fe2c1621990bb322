"""An environment pays for answers alone, shows no truth, and plays the same episode for the same seed anywhere."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import drr
import pytest
from drr.app.training.environment import Environment, SharedShop
from drr.app.training.episode import MALFORMED
from drr.app.training.proving import oracle
from drr.app.training.proving import play_episode as played_once
from drr.env.checkable import PlanStep
from drr.env.errors import DrrError, Misuse
from drr.env.query import Query, read_queries
from drr.env.shop import Shop
from drr.env.web.made_web import MADE
from drr.env.web.sandbox import BOX, Document, write_sandbox
from drr.eval.rewards.answer_forms import AnswerForm
from drr.eval.rewards.components import COMPONENTS, reward
from drr.eval.rewards.rewarded import Rewarded
from drr.querygen.files import line_of

from tests.app.conftest import truth_of
from tests.commands import Drr

pytestmark = pytest.mark.usefixtures("kept_questions")

SEEDS = range(70, 74)


@pytest.fixture
def env(shop: Shop) -> Iterator[Environment]:
    with Environment(shop) as made:
        yield made


@pytest.fixture(scope="module")
def made(shop: Shop) -> list[Query]:
    with Environment(shop) as env:
        return [env.reset(seed=seed) and env.episode.query for seed in SEEDS]


def actions(query: Query) -> list[dict[str, Any]]:
    calls = [{"tool": one.tool, "arguments": one.arguments} for one in truth_of(query).plan]
    return [*calls, {"tool": "no such tool"}, {"report": "Nothing.", "form": {"picks": ["B0"]}}]


def played(env: Environment, seed: int) -> bytes:
    """Everything that an agent and its trainer see of an episode."""
    seen: list[Any] = [env.reset(seed=seed).to_dict()]
    for action in actions(env.episode.query):
        observation, *rest = env.step(action)
        seen.append([observation.to_dict(), *rest])
    return json.dumps([*seen, env.state]).encode()


_ELSEWHERE = """
import sys
from drr.app.training.environment import Environment
from tests.app.test_environment import SEEDS, played
with Environment(sys.argv[1]) as env:
    sys.stdout.buffer.write(b"\\n".join(played(env, seed) for seed in SEEDS[:2]))
"""


@pytest.mark.slow
def test_the_same_seed_plays_the_same_bytes_in_two_processes(sample_home: Path, env: Environment) -> None:
    command = [sys.executable, "-c", _ELSEWHERE, str(sample_home / "shop")]
    found = subprocess.run(command, capture_output=True, check=True, cwd=Path(__file__).parents[2])
    assert found.stdout.split(b"\n") == [played(env, seed) for seed in SEEDS[:2]]


def test_a_seed_makes_its_question(drr: Drr, sample_home: Path, made: list[Query], tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    words = ["queries", "generate", "--checkable", "--count", "1", "--quiet"]
    drr.out(*words, "--seed", SEEDS[1], "--shop", sample_home / "shop", "--out", path)
    assert path.read_text() == line_of(made[1]) + "\n"


def test_questions_made_in_advance_are_those_of_their_seeds(shop: Shop, tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    with Environment(shop) as env:
        ahead = env.questions(range(3), out=path)
        asked = [env.reset(seed=seed) for seed in range(3)]
    with Environment(shop, path) as env:
        assert list(env.questions(())) == list(ahead)
        assert [env.reset(seed=seed) for seed in range(3)] == asked


def test_the_reward_is_that_of_what_the_session_returned(env: Environment) -> None:
    env.reset(seed=SEEDS[1])
    query, calls = env.episode.query, actions(env.episode.query)[:-2]
    for action in calls:
        _, paid, done, info = env.step(action)
        assert (paid, done, info["ending"], info["components"]) == (0.0, False, None, {})
    products = [one for need in truth_of(query).needs for one in need.products[: need.picks]]
    form = {"picks": products, "figures": [], "refusals": []}
    report = " ".join(f"[it]({one.url})" for one in env.episode.session.sources)
    _, paid, done, info = env.step({"report": report, "form": form})
    sources = env.episode.session.sources
    expected = reward(Rewarded(query, report, AnswerForm.model_validate(form), sources))
    assert (paid, done, info["ending"]) == (expected["total"], True, "answered")
    assert paid > 0
    assert info["components"] == expected["components"]
    assert set(info["weights"]) == set(info["versions"]) == {one.name for one in COMPONENTS}
    assert env.state["reward"] == paid
    with pytest.raises(Misuse, match="ended"):
        env.step(calls[0])


WRONG: dict[str, Any] = {
    "nothing": None, "a text": "search", "a list": [], "no key": {}, "both": {"tool": "calculator", "report": ""},
    "no tool": {"tool": "read_file"}, "no name": {"tool": 7}, "a key more": {"tool": "calculator", "args": {}},
    "arguments that are a text": {"tool": "calculator", "arguments": "1+1"},
    "a name that is a number": {"tool": "calculator", "arguments": {1: 2}},
    "no report": {"report": None}, "a report without end": {"report": "x" * 200_001},
    "a form of another kind": {"report": "", "form": []}, "a form with more": {"report": "", "form": {"needs": 1.0}},
    "no number": {"report": "", "form": {"figures": [{"point": 1, "value": float("nan")}]}},
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_a_malformed_action_is_answered_and_counts(env: Environment, what: str) -> None:
    first = env.reset(seed=SEEDS[0])
    seen, paid, done, info = env.step(WRONG[what])
    assert seen.text.startswith("Error (invalid_action): ")
    assert (seen.steps_left, paid, done) == (first.steps_left - 1, 0.0, False)
    assert info["error"] is not None
    assert info["error"]["kind"] == "invalid_action"


def test_what_a_tool_refuses_is_its_own_error(env: Environment) -> None:
    env.reset(seed=SEEDS[0])
    seen, _, done, info = env.step({"tool": "get_product_details", "arguments": {"id": 1}})
    assert (done, info["error"] and info["error"]["kind"]) == (False, "invalid")
    assert seen.text.startswith("Error (invalid): ")


def test_an_episode_ends_by_its_limits(shop: Shop) -> None:
    call = {"tool": "calculator", "arguments": {"expression": "1+1"}}

    def ending(actions: list[Any], **limits: Any) -> tuple[Any, ...]:
        with Environment(shop, **limits) as env:
            env.reset(seed=SEEDS[0])
            for action in actions:
                _, paid, done, info = env.step(action)
            return info["ending"], paid, done, sorted(info["components"]) != []

    assert ending([call, call], max_steps=2) == ("out_of_steps", 0.0, True, True)
    assert ending([{"report": ""}], time_limit_s=1e-9) == ("out_of_time", 0.0, True, True)
    assert ending([None] * MALFORMED) == ("invalid_action", 0.0, True, True)
    assert ending([*[None, call] * MALFORMED]) == (None, 0.0, False, False)


def test_what_cannot_be_trained_on_is_refused_by_name(shop: Shop, made: list[Query], tmp_path: Path) -> None:
    plain = Query(query="what now", user_id=made[0].user_id)
    stranger = made[0].model_copy(update={"user_id": "NOBODY"})
    other = made[0].model_copy(update={"shop_hash": "0" * 64})
    path = tmp_path / "q.jsonl"
    path.write_text("".join(line_of(one) + "\n" for one in (made[0], plain)))
    for wrong, why in (
        ([*made, plain], plain.id), (path, plain.id), ([stranger], "NOBODY"), ([other], "another shop"), ([], "no question"),
        (tmp_path / "none.jsonl", "none.jsonl"),
    ):  # fmt: skip
        with pytest.raises(DrrError, match=why):
            Environment(shop, wrong)
    with Environment(shop, made) as env:
        for query, why in ((plain, plain.id), (stranger, "NOBODY"), ("q-none", "q-none")):
            with pytest.raises(Misuse, match=why):
                env.reset(query=query)
        with pytest.raises(Misuse, match="reset"):
            env.step({"report": ""})
        assert env.state["query_id"] is None
    with pytest.raises(Misuse, match="closed"):
        env.reset()
    with pytest.raises(Misuse, match="above 0"):
        Environment(shop, max_steps=0)
    with pytest.raises(DrrError, match="nowhere"):
        Environment("nowhere")


PAGE = Document(url="https://ramps.example/how-long", title="Ramps", text="Twelve inches for each inch.")


def test_a_shop_has_a_web_of_its_own_and_another_can_be_named(
    sample_home: Path, made: list[Query], tmp_path: Path
) -> None:
    asked = [next(q for q in made if not any(one.kind == "page" for one in truth_of(q).facts))]
    (tmp_path / "shop").symlink_to(sample_home / "shop")
    write_sandbox([PAGE], tmp_path / "web")

    def seen(**named: Any) -> str:
        with Environment(tmp_path / "shop", asked, **named) as env:
            env.reset()
            return env.step({"tool": "web_search", "arguments": {"query": "ramps"}})[0].text

    assert PAGE.url not in seen()
    assert PAGE.url in seen(sandbox=tmp_path / "web")
    (tmp_path / MADE).write_text("{}")
    assert PAGE.url in seen()
    assert PAGE.url not in seen(sandbox=BOX)


def test_a_question_whose_page_is_not_in_the_web_is_refused(shop: Shop, tmp_path: Path) -> None:
    write_sandbox([PAGE], tmp_path / "web")
    with Environment(shop) as env:
        drawn = map(env._shared.question, range(200))
        asked = next(q for q in drawn if any(f.kind == "page" for f in truth_of(q).facts))
        play = played_once(env, asked, oracle)
        assert env.state["reward"] == 1.0, play.seen[-1][0][3]
    url = next(f.sources[0] for f in truth_of(asked).facts if f.kind == "page")
    with pytest.raises(Misuse, match=f"{asked.id}.*{url}.*sandbox"):
        Environment(shop, [asked], sandbox=tmp_path / "web")
    with Environment(shop, sandbox=tmp_path / "web") as env, pytest.raises(Misuse, match=url):
        env.reset(query=asked)


def test_given_questions_are_counted_through_and_named(shop: Shop, made: list[Query], tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text("".join(line_of(one) + "\n" for one in made))
    assert read_queries(path) == made
    with Environment(shop, path) as env:
        assert [env.reset().question for _ in range(5)] == [one.query for one in [*made, made[0]]]
        assert env.reset(seed=2).question == made[2].query
        assert env.reset().question == made[3].query
        assert env.reset(query=made[1].id).question == env.reset(query=made[1]).question == made[1].query


def test_environments_side_by_side_share_the_shop_and_nothing_else(sample_home: Path) -> None:
    place = sample_home / "shop"
    rename = {"tool": "update_user_profile", "arguments": {"first_name": "Zebedee"}}
    with drr.Environment(place) as one, drr.Environment(str(place)) as other:
        assert one._shared is other._shared
        one.reset(seed=SEEDS[0])
        other.reset(seed=SEEDS[0])
        assert "Zebedee" in one.step(rename)[0].text
        assert "Zebedee" not in other.step({"tool": "get_user_profile"})[0].text
        one.reset(seed=SEEDS[0])
        assert "Zebedee" not in one.step({"tool": "get_user_profile"})[0].text
        one.close()
        one.close()
        assert not other.step({"tool": "get_user_orders"})[3]["error"]
    assert str(place) not in [one.place for one in SharedShop._open]


def test_async_twins_play_the_same_beside_each_other(shop: Shop, env: Environment) -> None:
    async def one(seed: int) -> bytes:
        mine = Environment(shop)
        seen: list[Any] = [(await mine.areset(seed=seed)).to_dict()]
        for action in actions(mine.episode.query):
            observation, *rest = await mine.astep(action)
            seen.append([observation.to_dict(), *rest])
        state = mine.state
        await mine.aclose()
        return json.dumps([*seen, state]).encode()

    async def all_at_once() -> list[bytes]:
        return list(await asyncio.gather(*map(one, [*SEEDS] * 4)))

    assert asyncio.run(all_at_once()) == [played(env, seed) for seed in SEEDS] * 4


def test_no_byte_that_an_agent_sees_tells_the_truth(shop: Shop, made: list[Query]) -> None:
    """The record holds words of its own, and no observation has one of them."""
    secret = "zebra-crossing-4711"
    step = PlanStep(tool="product_catalog_search", arguments={"query": secret})
    truths = [truth_of(one).model_copy(update={"plan": [step], "budget": 4711.4711}) for one in made]
    hidden = [one.model_copy(update={"checkable": truth}) for one, truth in zip(made, truths, strict=True)]
    with Environment(shop, hidden) as env:
        for query, known in zip(hidden, made, strict=True):
            seen = [env.reset(query=query).to_dict()]
            seen += [env.step(action)[0].to_dict() for action in actions(known)]
            everything = json.dumps(seen)
            assert query.query.splitlines()[0] in everything
            assert not any(word in everything for word in (secret, "4711.4711", '"checkable"', '"anchor"'))
