"""Gymnasium's own checks hold, alone and side by side, and its door pays what the environment pays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from drr.app.training.environment import Environment

from tests.doors.conftest import needed
from tests.doors.oracle import Trajectory

pytestmark = [pytest.mark.doors, pytest.mark.filterwarnings("error")]


@pytest.fixture
def gym() -> Any:
    gymnasium = needed("gymnasium")
    needed("drr.extras.gym")
    return gymnasium


def test_gymnasium_finds_nothing_to_object_to(gym: Any, shop: Path) -> None:
    needed("gymnasium.utils.env_checker").check_env(gym.make("drr/Retail-v1", shop=shop).unwrapped)


def test_a_trajectory_is_paid_as_without_the_door(
    gym: Any, shop: Path, web: Path, own: Environment, trajectories: list[Trajectory]
) -> None:
    env = gym.make("drr/Retail-v1", shop=shop, sandbox=web)
    for seed, actions, reward, components in trajectories:
        seen, shown = env.reset(seed=seed)
        assert shown == own.reset(seed=seed).to_dict()
        assert seen["question"] == shown["question"]
        *before, last = [env.step(json.dumps(action)) for action in actions]
        assert [step[1:4] for step in before] == [(0.0, False, False)] * len(before)
        assert all(step[0]["text"] for step in before)
        _, paid, terminated, truncated, info = last
        assert (terminated, truncated, info["ending"]) == (True, False, "answered")
        assert paid == pytest.approx(reward, abs=1e-9)
        assert info["components"] == components
    env.close()


def test_what_is_no_action_is_answered_and_the_limit_cuts_short(gym: Any, shop: Path) -> None:
    env = gym.make("drr/Retail-v1", shop=shop, max_steps=2)
    env.reset(seed=1, options={})
    seen, *_, info = env.step("[" * 100_000)
    assert seen["text"].startswith("Error") and info["error"]["kind"] == "invalid_action"
    _, reward, terminated, truncated, info = env.step("no JSON")
    assert (reward, terminated, truncated, info["ending"]) == (0.0, False, True, "out_of_steps")


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_many_play_at_once(
    gym: Any, shop: Path, web: Path, trajectories: list[Trajectory], mode: str
) -> None:
    kept = {} if mode == "sync" else {"vector_kwargs": {"shared_memory": False}}
    envs = gym.make_vec("drr/Retail-v1", num_envs=2, vectorization_mode=mode, shop=shop, sandbox=web, **kept)
    one, other = trajectories[:2]
    envs.reset(seed=[one.seed, other.seed])
    paid = {}
    for step in range(max(len(one.actions), len(other.actions))):
        given = [json.dumps(t.actions[step] if step < len(t.actions) else {}) for t in (one, other)]
        _, rewards, *_ = envs.step(given)
        paid |= {k: float(r) for k, r in enumerate(rewards) if step == len((one, other)[k].actions) - 1}
    envs.close()
    assert paid == {0: pytest.approx(one.reward, abs=1e-9), 1: pytest.approx(other.reward, abs=1e-9)}
